// Shifts that C leaves undefined are defined: any type's amount counts in full, and constants act as variables do.
// RUN: %gpucc -w %s -o %t.ptx -o %t.ll && FileCheck %s --input-file=%t.ptx
// RUN: not grep poison %t.ll
#include <gpucc.h>

device int32 wide_amount(int32 x, uint64 n) { return x >> n; }
// CHECK-LABEL: .func{{.*}} wide_amount(
// CHECK: ld.param.u64 [[N:%rd[0-9]+]]
// CHECK: min.u64 {{.*}}[[N]], 4294967295
// CHECK: min.u32 {{.*}}, 31

device uint32 outside(float32 x) { return x > 0 ? (uint32)3e38f : (uint32)x; }
// CHECK-LABEL: .func{{.*}} outside(
// CHECK: selp.b32 {{.*}}, -1,
// CHECK: selp.b32 {{.*}}, -1,

kernel void not_empty(uint32 n, uint32 *out)
{
    if (1u << 40 == n)
        *out = 7 / 0 + 5;
}
// CHECK-LABEL: .entry not_empty(
// CHECK: mov.b32 [[FIVE:%r[0-9]+]], 5;
// CHECK: st.global.u32 {{.*}}, [[FIVE]];
