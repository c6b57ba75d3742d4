// Plain C of several files is one program: what is external is linked, what is static is each file's own.
// RUN: %gpucc -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c -o %t.ptx -o %t.json -o %t.so
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c both arange:4:float64 --device=cpu | FileCheck %s --check-prefix=BOTH
// RUN: %gpucc run -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c prototyped arange:4:float64 --device=cpu | FileCheck %s --check-prefix=PROTOTYPED
// RUN: %gpucc run -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c earlier arange:4:float64 --device=cpu | FileCheck %s --check-prefix=EARLIER
// RUN: %gpucc run -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c fused arange:4:float64 --device=cpu | FileCheck %s --check-prefix=FUSED
// RUN: %gpucc run -Wno-deprecated-non-prototype %s %S/Inputs/series.c %S/Inputs/tables.c summed "full:2x3:float64:2" --device=cpu | FileCheck %s --check-prefix=SUMMED
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=MANIFEST
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t.json
// The order of files that have nothing annotated changes no byte of the code.
// RUN: %gpucc -Wno-deprecated-non-prototype %s %S/Inputs/tables.c %S/Inputs/series.c -o %t.2.ptx
// RUN: cmp %t.ptx %t.2.ptx
#include <gpucc.h>
#include "Inputs/series.h"

// MANIFEST: "name":"both",{{.*}}"name":"prototyped",
// MANIFEST-SAME: "doc":"Its body is in series.c."

static double helper(double x) { return x + 1; }

// Nothing that is linked is seen from outside, and what nothing reaches is not there.
// CHECK-NOT: {{(visible|extern).*(series|old_style|weak_one|unreached|coefficients)}}
// CHECK: .visible .entry both_f64_f64(
// CHECK-NOT: unreached
// BOTH: first {{ *}}1107 1219 1331 1443
vectorize()
double both(double x)
{
    struct pair p = {x, 2};
    return series(helper(x)) + old_style(x) + weak_one() + coefficients[1] + pair_product(&p) + 1000 - 7;
}

// PROTOTYPED: first {{ *}}5 6 7 8

/* Its body is in series.c. */
vectorize() double prototyped(double x);

// EARLIER: first {{ *}}-0 -1 -2 -3
vectorize() double earlier(double x) { return -x; }

// FUSED: first {{ *}}-5 -6 -7 -8
fuse(fused, earlier(prototyped(x)));

// SUMMED: first {{ *}}6 6
guvectorize((n)->()) void summed(size_t n, const double x[n], double *y);

// A header that both files include may have the annotation.
vectorize() float calls_annotated(float x) { return annotated_there(x) + 1; }
