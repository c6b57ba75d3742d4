// RUN: %gpucc %s --arch=sm_90 -o %t.ptx && FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WIDE < %t.ptx
// Divisions by -1 need nothing said of them, as the GPU's wrap; by 0 there is a choice.  A quotient and its remainder are
// one division.
#include <gpucc.h>

// CHECK-LABEL: .entry quotients(
// CHECK-NOT: neg.s32
// CHECK: div.s32 [[Q:%r[0-9]+]], [[X:%r[0-9]+]], [[D:%r[0-9]+]];
// CHECK: selp.b32 {{%r[0-9]+}}, 0, [[Q]], [[ZERO:%p[0-9]+]];
// CHECK: mul.lo.s32 [[M:%r[0-9]+]], [[Q]], [[D]];
// CHECK: sub.s32 [[R:%r[0-9]+]], [[X]], [[M]];
// CHECK: selp.b32 {{%r[0-9]+}}, 0, [[R]], [[ZERO]];
// CHECK-NOT: {{div|rem|neg}}.s32
// CHECK: ret;
kernel void quotients(int32 n, int32 d, const int32 *restrict x, int32 *restrict out)
{
    const int32 i = (int32)grid(1);
    if (i < n) {
        const int32 value = x[i];
        out[2 * i] = value / d;
        out[2 * i + 1] = value % d;
    }
}

// CHECK-LABEL: .entry naturals(
// CHECK-NOT: max.u32
// CHECK: div.u32 [[Q:%r[0-9]+]],
// CHECK: selp.b32 {{%r[0-9]+}}, 0, [[Q]],
// CHECK: ret;
kernel void naturals(int32 n, uint32 d, const uint32 *restrict x, uint32 *restrict out)
{
    const int32 i = (int32)grid(1);
    if (i < n)
        out[i] = x[i] / d;
}

// A constant divisor is a product.
// CHECK-LABEL: .entry thirds(
// CHECK-NOT: div.
// CHECK: ret;
kernel void thirds(int32 n, const int32 *restrict x, int32 *restrict out)
{
    const int32 i = (int32)grid(1);
    if (i < n)
        out[i] = x[i] / 3;
}

// Longer numbers are tried as shorter ones first.
// WIDE-LABEL: .entry wide(
// WIDE-DAG: div.u32
// WIDE-DAG: div.s64
kernel void wide(int32 n, int64 d, const int64 *restrict x, int64 *restrict out)
{
    const int32 i = (int32)grid(1);
    if (i < n)
        out[i] = x[i] / d;
}

// LLVM leaves out the case of 0, as 0 / 1 and x % 1 are 0 too; gpucc adds it, as PTX does not define x / 0.
// CHECK-LABEL: .entry by_itself(
// CHECK: div.u32 [[Q:%r[0-9]+]], [[X:%r[0-9]+]], [[X]];
// CHECK: setp.eq.s32 [[ZERO:%p[0-9]+]], [[X]], 0;
// CHECK: selp.b32 [[Q0:%r[0-9]+]], {{0|%r[0-9]+}}, [[Q]], [[ZERO]];
// CHECK: st.global.u32 [{{.*}}], [[Q0]];
kernel void by_itself(const uint32 *x, uint32 *out)
{
    out[grid(1)] = x[grid(1)] / x[grid(1)];
}

// CHECK-LABEL: .entry narrow_remainder(
// CHECK: div.u32 [[Q:%r[0-9]+]], {{.*}}, [[D:%r[0-9]+]];
// CHECK: sub.s32 [[R:%r[0-9]+]],
// CHECK: setp.eq.s32 [[ZERO:%p[0-9]+]], [[D]], 0;
// CHECK: selp.b32 [[R0:%r[0-9]+]], 0, [[R]], [[ZERO]];
// CHECK: st.global.u16 [{{.*}}], [[R0]];
kernel void narrow_remainder(const uint16 *x, uint16 *out)
{
    out[grid(1)] = (uint16)(16l % (x[grid(1)] * x[grid(1)] & 65535));
}

// CHECK-LABEL: .entry signed_by_itself(
// CHECK: div.s32 [[Q:%r[0-9]+]],
// CHECK: selp.b32 [[N:%r[0-9]+]], 1, [[Q]],
// CHECK: selp.b32 {{%r[0-9]+}}, 0, [[N]],
kernel void signed_by_itself(const int32 *x, int32 *out)
{
    out[grid(1)] = x[grid(1)] / x[grid(1)];
}
