// -ffp-contract, and the pragma, decide whether a product and a sum in one expression are one operation.
// RUN: %gpucc %s -o %t.ptx -o %t.json && FileCheck %s --check-prefixes=CHECK,ON < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON-ON < %t.json
// RUN: %gpucc -ffp-contract=off %s -o %t.ptx -o %t.json && FileCheck %s --check-prefixes=CHECK,OFF < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON-OFF < %t.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t.json
// RUN: %gpucc run %s product full:2:float64:1.0000000001 --device=cpu | FileCheck %s --check-prefix=ONE
// RUN: %gpucc run -ffp-contract=off %s product full:2:float64:1.0000000001 --device=cpu | FileCheck %s --check-prefix=TWO
// RUN: %exits 2 %gpucc -ffp-contract=fast %s 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %exits 2 %gpucc -ffp-contract=off --fast-math %s 2>&1 | FileCheck %s --check-prefix=BOTH
// FAST: gpucc: error: {{.*}}-ffp-contract{{.*}}fast
// BOTH: gpucc: error: --fast-math fuses multiplications and additions: it does not go with -ffp-contract=off
// JSON-ON: "contraction": "on"
// JSON-OFF: "contraction": "off"
#include <gpucc.h>

// CHECK: .entry product_f64_f64(
// ON: fma.rn.f64
// OFF-NOT: fma.rn.f64
// OFF: mul.rn.f64
// CHECK: .entry apart_f64_f64(
// ONE: first {{ *}}{{[1-9].*e-2[0-9]}}
// TWO: first {{ *}}0 0
vectorize() double product(double x) { volatile double y = x * x; return x * x - y; }

// CHECK-NOT: fma.rn.f64
// CHECK: .entry apart_f64_f64_strided(
vectorize()
double apart(double x)
{
#pragma STDC FP_CONTRACT OFF
    return x * x - 1;
}
