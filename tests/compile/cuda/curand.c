// cuRAND's generators give cuRAND's own numbers: Inputs/curand_reference.txt is what the toolkit's header gives, as
// Inputs/curand_reference.cu says, and that is made anew where there is an nvcc.
// RUN: %gpucc run %s draws zeros:18x68:float64 --grid=3 --block=6 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/check_curand.py %t.npy %S/Inputs/curand_reference.txt | FileCheck %s
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t.ptx
// RUN: %python %S/Inputs/curand_jumps.py | cmp - %root/stdlib/include/curand_jumps.h
// CHECK: {{^}}0 of 1224 differ
#include <cuda_runtime.h>
#include <curand_kernel.h>

#define DEVICE static __device__
#include "Inputs/curand_draws.h"

__constant__ place places[PLACE_COUNT] = PLACES;

__global__ void draws(double *out)
{
    double *to = out + (blockIdx.x * PLACE_COUNT + threadIdx.x) * DRAW_COUNT;
    (blockIdx.x == 0 ? draw_xorwow : blockIdx.x == 1 ? draw_mrg : draw_philox)(places[threadIdx.x], to);
}

/* The usual two kernels: states that stay in memory between launches. */
__global__ void setup(curandState *states, unsigned long long seed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}

__global__ void hits(curandState *states, int *count, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[i];
    int inside = 0;
    for (int k = 0; k < n; k++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        inside += x * x + y * y <= 1;
    }
    states[i] = state;
    count[i] = inside;
}
