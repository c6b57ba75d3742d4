// RUN: %exits 0 %gpucc -Wperformance %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 0 %gpucc -Wperformance -O0 %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>
#include <math.h>

kernel launch_bounds(128)
void pick(const unsigned *which, const float *x, float *y)
{
    float window[16];
    for (unsigned i = 0; i < 16; i++)
        // CHECK: local_arrays.c:[[#@LINE+2]]:{{[0-9]+}}: warning: 'window' is in memory, not in registers: 64 bytes of each thread, 8192 of a block of 128 [-Wperformance]
        // CHECK: note: registers cannot be indexed
        window[i] = x[i * 128 + threadIdx.x];
    y[threadIdx.x] = window[which[threadIdx.x] % 16];
}

kernel launch_bounds(128)
void pick_unrolled(const unsigned *which, const float *x, float *y)
{
    float window[16], found = 0;
    for (unsigned i = 0; i < 16; i++)
        window[i] = x[i * 128 + threadIdx.x];
    for (unsigned i = 0; i < 16; i++)
        found = which[threadIdx.x] % 16 == i ? window[i] : found;
    y[threadIdx.x] = found;
}

/* A variable whose address only the math library uses is no array in local memory. */
kernel
void both(const float *x, float *y)
{
    float parts[2];
    sincosf(x[grid(1)], &parts[0], &parts[1]);
    y[grid(1)] = parts[0] * parts[1];
}
// CHECK: {{^}}1 warning generated.
