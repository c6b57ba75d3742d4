// Barriers that count, barriers of a warp, and fences.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s votes zeros:6:int32 --grid=1 --block=40 --device=cpu | FileCheck %s --check-prefix=VOTES
// RUN: %gpucc run %s exchange arange:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=EXCHANGE
// RUN: %gpucc run %s hand_over zeros:8:int32 --grid=8 --block=2 --device=cpu | FileCheck %s --check-prefix=FENCES
#include <gpucc.h>

kernel
void votes(int32 *out)
{
    unsigned t = threadIdx.x;
    int count = syncthreads_count(t % 3 == 0), all = syncthreads_and(t < 40), not_all = syncthreads_and(t != 39);
    int any = syncthreads_or(t == 17), none = syncthreads_or(t > 40);
    if (t >= 10)
        return;
    int rest = syncthreads_count(1);
    if (t == 3) {
        out[0] = count;
        out[1] = all != 0;
        out[2] = not_all != 0;
        out[3] = any != 0;
        out[4] = none != 0;
        out[5] = rest;
    }
}
// CHECK: .visible .entry votes(
// CHECK: bar.red.popc.u32
// CHECK: bar.red.and.pred
// CHECK: bar.red.or.pred
// VOTES: first   14 1 0 1 0 10{{$}}

/* Each half warp passes its own values on through shared memory. */
kernel
void exchange(int32 *a)
{
    shared int32 buffer[64];
    unsigned t = threadIdx.x, half = t / 16 % 2;
    buffer[t] = a[t];
    if (half)
        syncwarp(0xffff0000);
    else
        syncwarp(0x0000ffff);
    int32 other = buffer[t ^ 15];
    syncwarp();
    a[t] = other;
}
// CHECK: .visible .entry exchange(
// CHECK-DAG: bar.warp.sync -65536
// CHECK-DAG: bar.warp.sync 65535
// CHECK: bar.warp.sync -1
// EXCHANGE: maximum 63
// EXCHANGE: first   15 14 13 12 11 10 9 8

kernel
void hand_over(int32 *out)
{
    shared volatile int32 ready;
    shared int32 value;
    if (threadIdx.x == 0) {
        value = (int32)blockIdx.x * 3;
        threadfence_block();
        ready = 1;
    }
    syncthreads();
    threadfence();
    if (threadIdx.x == 1 && ready) {
        out[blockIdx.x] = value;
        threadfence_system();
    }
}
// CHECK: .visible .entry hand_over(
// CHECK: membar.cta
// CHECK: membar.gl
// CHECK: membar.sys
// FENCES: first   0 3 6 9 12 15 18 21{{$}}
