// The same input gives the same bytes, whatever the folder and the order of the outputs.
// RUN: rm -rf %t && mkdir -p %t/a %t/b
// RUN: cd %t/a && %gpucc %s --arch=sm_75,sm_80 -o o.o -o o.ptx -o o.json -o o.h -o o.ll -o o.bc
// RUN: cd %t/b && %gpucc %s --arch=sm_80,sm_75 -o o.bc -o o.ll -o o.h -o o.json -o o.ptx -o o.o
// RUN: diff -r %t/a %t/b
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

vectorize()
T half(T x) { return x / 2; }

vectorize()
float32 waves(float32 x) { return sinf(x) * expf(x); }

kernel
void fill(size_t n, float a[n][3])
{
    shared float s[16];
    s[threadIdx.x] = (float)n;
    syncthreads();
    a[grid(1)][0] = s[0];
}
