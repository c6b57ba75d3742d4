// Addresses that are not aligned to what is accessed.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/vector.h>

// run: zeros:64:uint8 zeros:16:uint32 --grid=1 --block=8
kernel void word_of_bytes(const uint8 *x, uint32 *out)
{
    // fault: read of 4 bytes of 'x' at byte 5, at 0x
    out[threadIdx.x] = *(const uint32 *)(x + threadIdx.x * WRONG(5) RIGHT(4));
}

// run: zeros:65:float32 zeros:16:float32 --grid=1 --block=8
kernel void wide_load(const float *x, float *out)
{
    const float4 *four = (const float4 *)(x + WRONG(1) RIGHT(4));
    const float4 all = four[threadIdx.x]; // fault: bytes of 'x' at index 1, at 0x
    out[threadIdx.x] = all.x + all.w;
}

// run: zeros:64:uint8 --grid=1 --block=8
kernel void atomic_on_bytes(uint8 *x)
{
    // fault: atomic operation of 4 bytes of 'x' at byte 2, at 0x
    atomic_add((uint32 *)(x + threadIdx.x * WRONG(2) RIGHT(4)), 1);
}

// run: zeros:64:uint8 --grid=1 --block=8 --shared=64
kernel void behind_a_header(uint8 *x)
{
    dynamic_shared(uint8, t);
    float *body = (float *)(t + WRONG(6) RIGHT(8));
    body[threadIdx.x] = x[threadIdx.x]; // fault: write of 4 bytes of 'dynamic shared memory' at byte 6, at 0x
}

// run: zeros:2:int32 --grid=1 --block=1
kernel void local_bytes(int *out)
{
    _Alignas(4) char bytes[16] = {0};
    int *word = (int *)(bytes + 4 + out[0] + WRONG(1) RIGHT(0));
    out[1] = *word; // fault: read of 4 bytes of a local array at byte 5, at 0x
}
