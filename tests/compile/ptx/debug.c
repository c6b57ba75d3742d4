// ptxas takes the debug information of both kinds, of loops and of kernels.
// REQUIRES: ptxas
// RUN: %gpucc %s -g -o %t.g.ptx && %ptxas -g -arch=sm_75 %t.g.ptx -o /dev/null
// RUN: %gpucc %s -lineinfo -o %t.l.ptx && %ptxas -lineinfo -arch=sm_90 %t.l.ptx -o /dev/null
#include <gpucc.h>
#include <assert.h>
#include <math.h>

struct point {
    float x, y;
};

vectorize()
float32 wave(float32 x) { return sinf(x); }

kernel
void move(size_t n, struct point p, float a[n][2])
{
    shared float buffer[64];
    static const float factors[] = {1, 2, 3}; /* these two have debug information of their own, and dots in their names */
    assert(n > 0);
    size_t i = grid(1);
    buffer[threadIdx.x] = p.x + factors[i % 3];
    syncthreads();
    if (i < n)
        a[i][0] = buffer[63 - threadIdx.x];
}
