// `gpucc run` makes a tensor map of an input: map:BOX:SWIZZLE:INPUT.
// RUN: not %gpucc run %s copy map:2x8:0:arange:8:float32 zeros:8:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=DIMENSIONS
// RUN: %gpucc run %s copy map:4x8:0:random:4x8:float32:3 zeros:8:float32 --grid=1 --block=32 --device=cpu --check | FileCheck %s
// RUN: not %gpucc run %s copy map:4x8:0 zeros:8:float32 --grid=1 --block=32 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not %gpucc run %s copy map:4x8:100:ones:4x8:float32 zeros:8:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not %gpucc run %s copy map:4x8:x:ones:4x8:float32 zeros:8:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not %gpucc run %s copy map:4x8:0:3 zeros:8:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not %gpucc run %s copy map:4x8:0:ones:4x8:float32 map:8:0:zeros:8:float32 --grid=1 --block=32 --device=cpu 2>&1 | FileCheck %s --check-prefix=POINTER
#include <gpucc.h>
#include <gpucc/tma.h>

kernel void copy(const tensor_map from, float to[8])
{
    shared float tile[4][8] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, from, &full, 0, 0);
    }
    syncthreads();
    mbarrier_wait(&full, 0);
    if (threadIdx.x < 8)
        to[threadIdx.x] = tile[1][threadIdx.x];
}

// CHECK: to: shape (8,), dtype float32
// DIMENSIONS: parameter 'from' of 'copy' takes an array of 2 dimensions, as its box has, got map:2x8:0:arange:8:float32
// SHORT: input 'map:4x8:0': it lacks a part; expected map:BOX:SWIZZLE:INPUT
// ODD: swizzle is 100: expected 0, 32, 64 or 128 bytes
// NUMBER: input 'map:4x8:x:ones:4x8:float32': invalid integer
// SCALAR: input 'map:4x8:0:3': its last part is no array
// POINTER: parameter 'to' of 'copy' takes
