// Shuffles, votes, matches and reductions among the lanes of a warp.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %gpucc run %s shuffles zeros:14:int32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SHUFFLES
// RUN: %gpucc run %s far zeros:10:int32 0 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=FAR
// RUN: %gpucc run %s types zeros:12:float64 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=TYPES
// RUN: %gpucc run %s votes zeros:8:uint32 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=VOTES
// RUN: %gpucc run %s matches zeros:8:uint32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=MATCHES
// RUN: %gpucc run %s reductions zeros:14:int64 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=REDUCTIONS
// RUN: %gpucc run %s partial zeros:6:int32 --grid=1 --block=20 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=PARTIAL
// RUN: %gpucc run %s active zeros:6:uint32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=ACTIVE
#include <gpucc.h>

#define FULL 0xffffffffu

/* Lane 5 tells. */
kernel
void shuffles(int32 *out)
{
    int32 t = (int32)laneid;
    int32 results[] = {
        shfl_sync(FULL, t * 10, 7),        shfl_sync(FULL, t, t + 1),      shfl_sync(FULL, t, 3, 4),
        shfl_up_sync(FULL, t, 2),          shfl_up_sync(FULL, t, 6),       shfl_up_sync(FULL, t, 2, 4),
        shfl_down_sync(FULL, t, 20),       shfl_down_sync(FULL, t, 30),    shfl_down_sync(FULL, t, 3, 8),
        shfl_xor_sync(FULL, t, 16),        shfl_xor_sync(FULL, t, 1, 2),   shfl_xor_sync(FULL, t, 8, 8),
        (int32)shfl_sync(FULL, (int8)-t, 9), (int32)shfl_sync(FULL, (uint16)(t + 65500), 30),
    };
    if (t == 5)
        for (int i = 0; i < 14; i++)
            out[i] = results[i];
}
// CHECK: .visible .entry shuffles(
// CHECK: shfl.sync.idx.b32 {{.*}}, 7, 31, -1;
// CHECK: shfl.sync.idx.b32 {{.*}}, 3, 7199, -1;
// CHECK: shfl.sync.up.b32 {{.*}}, 2, 0, -1;
// CHECK: shfl.sync.down.b32 {{.*}}, 20, 31, -1;
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// SHUFFLES: {{^}}70 6 7 3 5 5 25 5 5 21 4 5 -9 65530{{$}}

/* Distances count modulo 32, also in narrower groups. */
kernel
void far(int32 *out, int32 least)
{
    int32 t = (int32)laneid;
    int32 results[] = {
        shfl_up_sync(FULL, t, 34),   shfl_up_sync(FULL, t, least + 32),      shfl_up_sync(FULL, t, 33, 4),
        shfl_down_sync(FULL, t, 36), shfl_down_sync(FULL, t, -least - 1),    shfl_down_sync(FULL, t, 65, 8),
        shfl_xor_sync(FULL, t, 48),  shfl_xor_sync(FULL, (float64)t, ~least) > 25, shfl_xor_sync(FULL, t, 33, 2),
        shfl_sync(FULL, t, 39),
    };
    if (t == 5)
        for (int i = 0; i < 10; i++)
            out[i] = results[i];
}
// FAR: {{^}}3 5 4 9 5 6 21 1 4 7{{$}}

struct particle {
    float x, y, z;
    int16 kind;
    double mass;
};

kernel
void types(float64 *out)
{
    unsigned t = laneid;
    int64 wide = shfl_xor_sync(FULL, (int64)t << 40, 1);
    uint64 unsigned_wide = shfl_down_sync(FULL, ~(uint64)t, 1);
    float single = shfl_sync(FULL, (float)t + 0.25f, 31);
    double twice = shfl_up_sync(FULL, (double)t + 0x1p-40, 1);
    float16 half = shfl_sync(FULL, (float16)((float)t / 2), 3);
    const struct particle mine = {(float)t, 2 * (float)t, -(float)t, (int16)(t + 100), (double)t / 4};
    struct particle other = shfl_xor_sync(FULL, mine, 3);
    complex64 z = shfl_sync(FULL, (float)t + 2.0f * (float)t * (__extension__ 1.0if), 6);
    if (threadIdx.x == 40) {
        const float64 results[] = {(float64)(wide >> 40), (float64)~unsigned_wide, (float64)single, (twice - 7) * 0x1p40,
                                   (float64)half, (float64)other.x, (float64)other.y, (float64)other.z,
                                   (float64)other.kind, other.mass, (float64)__real__ z, (float64)__imag__ z};
        for (int i = 0; i < 12; i++)
            out[i] = results[i];
    }
}
// CHECK: .visible .entry types(
// TYPES: {{^}}9 9 31.25 1 1.5 11 22 -11 111 2.75 6 12{{$}}

kernel
void votes(uint32 *out)
{
    unsigned t = laneid, u = threadIdx.x;
    int all = all_sync(FULL, u < 64), not_all = all_sync(FULL, u != 40), any = any_sync(FULL, u == 40);
    int none = any_sync(FULL, u == 3), equal = eq_sync(FULL, u > 31), unequal = eq_sync(FULL, t > 3);
    uint32 ballot = ballot_sync(FULL, t % 4 == 1), below = lanemask_lt();
    if (u == 36) {
        const uint32 results[] = {all != 0, not_all != 0, any != 0, none != 0, equal != 0, unequal != 0, ballot, below};
        for (int i = 0; i < 8; i++)
            out[i] = results[i];
    }
}
// CHECK: .visible .entry votes(
// CHECK: vote.sync.all.pred
// CHECK: vote.sync.any.pred
// CHECK: vote.sync.uni.pred
// CHECK: vote.sync.ballot.b32
// CHECK: %lanemask_lt
// VOTES: {{^}}1 0 1 0 1 0 572662306 15{{$}}

kernel
void matches(uint32 *out)
{
    unsigned t = laneid;
    int same, different;
    uint32 threes = match_any_sync(FULL, t % 3), wide = match_any_sync(FULL, (uint64)(t / 16) << 50);
    uint32 numbers = match_any_sync(FULL, t == 9 ? 0.5f : 2.5f);
    uint32 lanes = match_all_sync(FULL, 7, &same), nobody = match_all_sync(FULL, (int64)t, &different);
    if (t == 4) {
        const uint32 results[] = {threes, wide, numbers, lanes, (uint32)same, nobody, (uint32)different,
                                  (lanemask_le() ^ lanemask_ge()) + lanemask_gt() + lanemask_eq()};
        for (int i = 0; i < 8; i++)
            out[i] = results[i];
    }
}
// CHECK: .visible .entry matches(
// CHECK: match.any.sync.b32
// CHECK: match.any.sync.b64
// CHECK: match.all.sync.b32
// CHECK: match.all.sync.b64
// MATCHES: {{^}}2454267026 65535 4294966783 4294967295 1 0 0 4294967263{{$}}

kernel
void reductions(int64 *out)
{
    int32 t = (int32)laneid - 3;
    const int64 results[] = {
        reduce_add_sync(FULL, t),           reduce_min_sync(FULL, t),
        reduce_max_sync(FULL, t),           reduce_min_sync(FULL, (uint32)t),
        reduce_max_sync(FULL, (uint32)t),   reduce_and_sync(FULL, (uint32)t | 64),
        reduce_or_sync(FULL, laneid / 2),   reduce_xor_sync(FULL, laneid * 3),
        reduce_add_sync(FULL, (int64)t << 33) >> 33, reduce_min_sync(FULL, (int64)t),
        (int64)(reduce_max_sync(FULL, (uint64)t) >> 60), (int64)reduce_min_sync(FULL, (uint64)laneid + 2),
        reduce_add_sync(FULL, (int8)t),     (int64)reduce_or_sync(FULL, (uint64)1 << laneid),
    };
    if (t == 0)
        for (int i = 0; i < 14; i++)
            out[i] = results[i];
}
// CHECK: .visible .entry reductions(
// SM80: redux.sync.add.s32
// SM80: redux.sync.min.s32
// SM80: redux.sync.max.s32
// SM80: redux.sync.min.u32
// SM80: redux.sync.max.u32
// SM80: redux.sync.and.b32
// SM80: redux.sync.or.b32
// SM80: redux.sync.xor.b32
// REDUCTIONS: {{^}}400 -3 28 0 4294967295 64 15 32 400 -3 15 2 400 4294967295{{$}}

/* Lanes beyond the block's end are not there; two groups of lanes work apart. */
kernel
void partial(int32 *out)
{
    unsigned t = laneid;
    int32 sum, all = reduce_add_sync(FULL, 1);
    if (t < 8)
        sum = reduce_add_sync(0xff, (int32)t);
    else
        sum = reduce_add_sync(0xfffff00, (int32)t);
    uint32 there = ballot_sync(FULL, 1);
    int32 kept = shfl_down_sync(FULL, (int32)t, 10);
    if (t == 2)
        out[0] = sum;
    if (t == 15) {
        out[1] = sum;
        out[2] = all;
        out[3] = (int32)there;
        out[4] = kept;
        out[5] = all_sync(1u << 15, 1);
    }
}
// CHECK: .visible .entry partial(
// PARTIAL: {{^}}28 162 20 1048575 15 1{{$}}

kernel
void active(uint32 *out)
{
    uint32 all = activemask(), mine;
    if (laneid % 2)
        mine = activemask();
    else
        mine = activemask() + 1;
    syncwarp();
    if (laneid < 2)
        out[laneid] = mine;
    uint32 count = 0;
    for (unsigned i = 0; i <= laneid; i++)
        count += (activemask() >> laneid) & 1;
    if (laneid == 7) {
        out[2] = count;
        out[3] = all;
    }
    if (laneid >= 28)
        return;
    out[4] = ballot_sync(FULL, 1);
    out[5] = activemask();
}
// CHECK: .visible .entry active(
// CHECK: activemask.b32
// ACTIVE: {{^}}1431655766 2863311530 8 4294967295 268435455 268435455{{$}}
