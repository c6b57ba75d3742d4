// Memory of other types than plain numbers: structs with padding, halves, small vectors.
// RUN: %python %S/faults.py %gpucc %s
#include <gpucc/vector.h>

#include "faults.h"

struct padded {
    char small;
    int large;
};

static int sum_of(struct padded p)
{
    return p.small + p.large;
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void by_value(int *out)
{
    shared struct padded t[64];
    struct padded own[2];
    for (int i = 0; i < 2; i++) {
        own[i].small = 1;
        own[i].large = i;
    }
    t[threadIdx.x].small = 1;
    t[threadIdx.x].large = 2;
    RIGHT(syncthreads();)
    out[threadIdx.x] = sum_of(t[63 - threadIdx.x]) + sum_of(own[threadIdx.x & 1]); // fault: race on 't'
}

// run: zeros:64:float16 --grid=1 --block=64
kernel void same_half(float16 *out)
{
    shared float16 all;
    all = (float16)(WRONG(threadIdx.x) RIGHT(3)); // fault: race on 'all'
    syncthreads();
    out[threadIdx.x] = all;
}

// run: zeros:64:bfloat16 --grid=1 --block=64
kernel void same_bfloat(bfloat16 *out)
{
    out[0] = (bfloat16)(WRONG((float)threadIdx.x) RIGHT(3.0f)); // fault: race on 'out'
}

typedef short four_shorts __attribute__((ext_vector_type(4)));

// run: zeros:8:int16 zeros:64:int16 --grid=1 --block=64
kernel void same_vector(four_shorts *all, const short *x)
{
    all[1] = (short)(x[threadIdx.x] + WRONG((short)threadIdx.x) RIGHT(7)); // fault: race on 'all'
}
