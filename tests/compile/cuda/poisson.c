// Poisson's numbers: their frequencies are those of the distribution, for each generator and where methods change.
// RUN: %gpucc %s --arch=sm_75 -o %t.ptx
// RUN: %gpucc run %s draw zeros:3x6x20000:uint32 --grid=18 --block=200 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/check_poisson.py %t.npy | FileCheck %s
// RUN: %gpucc run %s bounds zeros:8:uint32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=BOUNDS
// CHECK: {{^}}18 samples, 0 that are not Poisson's
#include <curand_kernel.h>

__constant__ double lambdas[6] = {0.25, 3, 9.9, 10, 80.5, 5000}; // as in Inputs/check_poisson.py

#define DRAW(state_t)                                                                                                  \
    {                                                                                                                  \
        state_t state;                                                                                                 \
        curand_init(12345, threadIdx.x, 1000 * (blockIdx.x % 6), &state);                                              \
        for (int i = 0; i < 100; i++)                                                                                  \
            to[i] = curand_poisson(&state, lambdas[blockIdx.x % 6]);                                                   \
    }

__global__ void draw(unsigned *out)
{
    unsigned *to = out + blockIdx.x * 20000 + threadIdx.x * 100;
    if (blockIdx.x < 6)
        DRAW(curandState)
    else if (blockIdx.x < 12)
        DRAW(curandStateMRG32k3a)
    else
        DRAW(curandStatePhilox4_32_10_t)
}

__global__ void bounds(unsigned *out)
{
    curandStatePhilox4_32_10_t state;
    curand_init(1, 2, 3, &state);
    out[0] = curand_poisson(&state, 0);
    out[1] = curand_poisson(&state, -1);
    out[2] = curand_poisson(&state, nan(""));
    out[3] = curand_poisson(&state, 1e300);
    const unsigned most = curand_poisson(&state, 4e9);
    out[4] = most > 3999000000u && most < 4001000000u;
    uint4 four = curand_poisson4(&state, 30);
    out[5] = four.x + four.y + four.z + four.w > 40;
}
// BOUNDS: first 0 0 0 4294967295 1 1
