// The resources are ptxas's own, for each loop and target; lit skips this test without ptxas.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s --resources --arch=sm_75,sm_90 -o %t/two.json -o %t/two.o -o %t/two.ptx
// RUN: %gpucc %s --resources --arch=sm_80 -o %t/one.json
// RUN: %gpucc %s -o %t/none.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/two.json %t/one.json %t/none.json
// RUN: FileCheck %s < %t/two.json
// RUN: FileCheck %s --check-prefix=ONE < %t/one.json
// RUN: FileCheck %s --check-prefix=NONE < %t/none.json
// RUN: %gpucc inspect %t/two.o | FileCheck %s --check-prefix=INSPECT
// RUN: %exits 1 %gpucc %s -DWRONG --resources -o %t/wrong.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sh -c '! test -e %t/wrong.ptx'
#include <gpucc.h>

// CHECK: "entry": "twice_f32_f32",
// CHECK: "registers": [[#REGISTERS:]],
// CHECK-NEXT: "spills": 0,
// CHECK-NEXT: "stack": 0,
// CHECK-NEXT: "resources": [{
// CHECK-NEXT: "arch": "sm_75",
// CHECK-NEXT: "registers": {{[1-9][0-9]*}},
// CHECK-NEXT: "spills": 0,
// CHECK-NEXT: "stack": 0
// CHECK-NEXT: }, {
// CHECK-NEXT: "arch": "sm_90",
// CHECK-NEXT: "registers": [[#REGISTERS]],
// CHECK: "entry": "twice_f32_f32_rows",
// CHECK: "registers": {{[1-9][0-9]*}},
// CHECK: "entry": "twice_f32_f32_strided",
// CHECK: "registers": {{[1-9][0-9]*}},
// ONE: "registers": {{[1-9][0-9]*}},
// NONE-NOT: "registers"
// ONE-NOT: "resources"
// INSPECT: twice_f32_f32(const
// INSPECT-NEXT: contiguous, {{.*}}; {{[1-9][0-9]*}} registers, no spills

vectorize()
float32 twice(float32 x) { return x + x; }

// CHECK: "entry": "lookup",
// CHECK: "registers": {{[1-9][0-9]*}},
// CHECK-NEXT: "spills": 0,
// CHECK-NEXT: "stack": 160,
// INSPECT: lookup(size_t
// INSPECT-NEXT: kernel; {{[1-9][0-9]*}} registers, no spills, 160 bytes of stack
// INSPECT-NOT: ptxas

kernel
void lookup(size_t n, const int32 *index, float32 *x)
{
    float32 table[40];
    for (int i = 0; i < 40; i++)
        table[i] = x[i * n];
#ifdef WRONG
    // WRONG: resources.c: error: ptxas rejected the PTX for sm_75: ptxas {{.*}}error{{.*}}bogus
    asm volatile("bogus.u32;");
#endif
    for (int i = 0; i < 40; i++)
        x[i] = table[index[i]];
}
