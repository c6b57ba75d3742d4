// Operations without an instruction before sm_70.
// RUN: %gpucc %s --arch=sm_50 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --arch=sm_70 --emit=ptx -o - | FileCheck %s --check-prefix=NEWER
// RUN: %exits 1 %gpucc %s --arch=sm_50 -DSYSTEM -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SYSTEM
#include <gpucc.h>

kernel
void matches(uint32 *out, const uint64 *in)
{
    int all;
    out[0] = match_any_sync(~0u, in[threadIdx.x]);
    out[1] = match_all_sync(~0u, (int32)in[threadIdx.x], &all);
    out[2] = (uint32)all;
    nanosleep(10);
}
// CHECK-LABEL: .visible .entry matches(
// CHECK-NOT: {{match\.|nanosleep}}
// CHECK: vote.sync.ballot.b32
// CHECK: shfl.sync.idx.b32
// CHECK: vote.sync.all.pred
// NEWER: match.any.sync.b64
// NEWER: match.all.sync.b32
// NEWER: nanosleep.u32

kernel
void scopes(int32 *p, int16 *q, double *d, int32 x, int32 y)
{
    p[1] = atomic_add_block(p, 1);
    q[1] = atomic_max_block(q, 3);
    d[1] = atomic_add_block(d, 0.5);
    p[2] = dp4a(x, y, 3);
}
// CHECK-LABEL: .visible .entry scopes(
// CHECK-NOT: {{\.cta|\.gpu|dp4a}}
// CHECK: atom.global.add.u32
// CHECK: atom.global.cas.b64
// NEWER: atom{{.*}}.cta{{.*}}add
// NEWER: dp4a.s32.s32

#ifdef SYSTEM
kernel
void system(int32 *p)
{
    // SYSTEM: old-targets.c:[[#@LINE+1]]:5: error: {{.*}} needs target feature sm_60
    atomic_add_system(p, 1);
}
#endif

// The arithmetic of float16, and of pairs of them, came with sm_53.
// RUN: sh -c 'for arch in sm_50 sm_52; do %gpucc %s --arch=$arch --emit=ptx -o - | FileCheck %s --check-prefix=PAIRS || exit 1; done'
// RUN: %gpucc %s --arch=sm_53 --emit=ptx -o - | FileCheck %s --check-prefix=WITH-PAIRS
#include <gpucc/pair.h>
// PAIRS-NOT: {{(add|sub|mul|fma|neg|abs|min|max|setp|set)(\.[a-z]+)*\.f16}}
// WITH-PAIRS: .entry pairs(
// WITH-PAIRS: add.rn.f16x2
// WITH-PAIRS: mul.rn.f16x2
// WITH-PAIRS: fma.rn.f16x2
kernel
void pairs(float16x2 *a, float16 *x)
{
    a[0] = add2(a[1], a[2]);
    a[3] = sub2(a[4], a[5]);
    a[6] = mul2(a[7], a[8]);
    a[9] = fma2(a[10], a[11], a[12]);
    a[13] = min2(abs2(a[14]), neg2(a[15]));
    a[16].word = eq2(a[17], a[18]).word;
    x[0] = x[1] + x[2] * x[3] / x[4] - (x[5] < x[6] ? x[7] : -x[8]);
}
