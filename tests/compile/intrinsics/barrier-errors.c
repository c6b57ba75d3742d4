// Threads of a block at different barriers end the launch with a message, and never hang: where a block runs as one function,
// and where each thread has a stack (`stacks` is defined: a warp operation makes it so).
// RUN: %exits 1 %gpucc run %s branches zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=BRANCHES
// RUN: %exits 1 %gpucc run %s branches -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=BRANCHES
// RUN: %exits 1 %gpucc run %s left_out zeros:64:int32 --grid=2 --block=8x8 --device=cpu 2>&1 | FileCheck %s --check-prefix=LEFT-OUT
// RUN: %exits 1 %gpucc run %s left_out -Dstacks zeros:64:int32 --grid=2 --block=8x8 --device=cpu 2>&1 | FileCheck %s --check-prefix=LEFT-OUT
// RUN: %exits 1 %gpucc run %s in_line zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=IN-LINE
// RUN: %exits 1 %gpucc run %s in_line -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=IN-LINE
// RUN: %exits 1 %gpucc run %s in_macro zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=IN-MACRO
// RUN: %exits 1 %gpucc run %s in_macro -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=IN-MACRO
// RUN: %exits 1 %gpucc run %s called_twice zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: %gpucc run %s meets zeros:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=MEETS
// RUN: %gpucc run %s meets -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=MEETS
// RUN: %exits 1 %gpucc run %s rounds zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: %exits 1 %gpucc run %s rounds -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: %gpucc run %s returned zeros:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=RETURNED
// RUN: %gpucc run %s returned -Dstacks zeros:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=RETURNED
// RUN: %exits 1 %gpucc run %s asserts zeros:64:int32 --grid=1 --block=8x8 --device=cpu 2>&1 | FileCheck %s --check-prefix=ASSERTS
#include <assert.h>
#include <gpucc.h>

#ifdef stacks
#define END syncwarp()
#else
#define END (void)0
#endif

/* A barrier in each arm. */
kernel
void branches(int32 *out)
{
    if (threadIdx.x < 16)
        syncthreads();
    else
        syncthreads();
    out[threadIdx.x] = 1;
    END;
}
// BRANCHES: branches, block (0, 0, 0), thread (16, 0, 0): it is at the barrier of {{.*}}barrier-errors.c:[[@LINE-4]]:21, while 16 threads of the block, (0, 0, 0) first, wait at that of {{.*}}barrier-errors.c:[[@LINE-6]]:21{{$}}

/* Two in one line. */
kernel
void in_line(int32 *out)
{
    threadIdx.x < 16 ? syncthreads() : syncthreads();
    out[threadIdx.x] = 1;
    END;
}
// IN-LINE: it is at the barrier of {{.*}}:[[@LINE-4]]:52, while 16 threads of the block, (0, 0, 0) first, wait at that of {{.*}}:[[@LINE-4]]:36{{$}}

/* Two in one macro. */
#define EITHER(c) ((c) ? (void)syncthreads_count(1) : syncthreads())
kernel
void in_macro(int32 *out)
{
    EITHER(threadIdx.x < 16);
    out[threadIdx.x] = 1;
    END;
}
// IN-MACRO: it is at the barrier of {{.*}}:[[@LINE-4]]:28, while 16 threads of the block, (0, 0, 0) first, wait at that of {{.*}}:[[@LINE-4]]:28, which is another one of the same macro

/* One that stands in a function. */
static inline void meet(void) { syncthreads(); }
kernel
void called_twice(int32 *out)
{
    if (threadIdx.x < 16) {
        meet();
        out[0] = 1;
    } else {
        meet();
    }
    END;
}
// CALLED: it is at the barrier of {{.*}}:[[@LINE-12]]:45, while 16 threads of the block, (0, 0, 0) first, wait at that of {{.*}}:[[@LINE-12]]:45, which they reached on another path

/* All threads at one barrier after the other. */
kernel
void meets(int32 *out)
{
    for (int32 i = 0; i < 5; i++) {
        meet(); meet(); syncthreads(); syncthreads();
    }
    out[threadIdx.x] = syncthreads_or(threadIdx.x == 5) && syncthreads_and(1);
    END;
}
// MEETS: mean 1{{$}}

/* A barrier in one arm, and one behind it. */
kernel
void left_out(int32 *out)
{
    unsigned t = threadIdx.x + 8 * threadIdx.y;
    if (t % 8 == 3)
        syncthreads();
    out[t] = 1;
    syncthreads();
    END;
}
// LEFT-OUT: left_out, block ({{[01]}}, 0, 0), thread (3, 0, 0): it is at the barrier of {{.*}}:[[@LINE-5]]:21, while {{3|56}} threads of the block, (0, 0, 0) first, wait at that of {{.*}}:[[@LINE-3]]:17{{$}}

/* Threads go through a loop a different number of times. */
kernel
void rounds(int32 *out)
{
    for (unsigned k = 0; k < threadIdx.x / 60; k++)
        syncthreads();
    syncthreads();
    out[threadIdx.x] = 1;
    END;
}
// ROUNDS: rounds, block (0, 0, 0), thread (60, 0, 0): it is at the barrier of {{.*}}:[[@LINE-5]]:21, while 60 threads of the block, (0, 0, 0) first, wait at that of {{.*}}:[[@LINE-4]]:17{{$}}

/* A barrier does not wait for threads that have ended. */
kernel
void returned(int32 *out)
{
    shared int32 a[64];
    a[threadIdx.x] = 1;
    if (threadIdx.x % 2)
        return;
    syncthreads();
    out[threadIdx.x] = a[threadIdx.x + 1];
    END;
}
// RETURNED: mean 0.5

/* The message names the right thread in whole blocks, too. */
kernel
void asserts(int32 *out)
{
    shared int32 a[64];
    a[threadIdx.x + 8 * threadIdx.y] = 0;
    syncthreads();
    out[threadIdx.x] = a[0];
    assert(threadIdx.x != 5 || threadIdx.y != 2);
}
// ASSERTS: asserts, block (0, 0, 0), thread (5, 2, 0): {{.*}}barrier-errors.c:[[@LINE-2]]: {{.*}}threadIdx
