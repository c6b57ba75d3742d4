// What GPUs before sm_70 have no instructions for.
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
