// Operations that make a NaN or an infinity out of finite numbers.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <math.h>

// run: arange:64:float32 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void reciprocal(const float *x, float *out)
{
    float v = x[threadIdx.x];
    out[threadIdx.x] = 1.0f / (v RIGHT(+ 1)); // fault: infinity from finite operands: 1 / 0 is inf
}

// run: zeros:64:float32 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void normalise(const float *x, float *out)
{
    float length = sqrtf(x[threadIdx.x] * x[threadIdx.x]);
    out[threadIdx.x] = x[threadIdx.x] / (length RIGHT(+ 1e-20f)); // fault: NaN from finite operands: 0 / 0 is nan
}

// run: linspace:-1:1:64:float32 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void root(const float *x, float *out)
{
    out[threadIdx.x] = sqrtf(RIGHT(fabsf)(x[threadIdx.x])); // fault: NaN from finite operands: sqrtf(-1) is nan
}

// run: full:64:float32:100 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void softmax(const float *x, float *out)
{
    shared float e[N];
    e[threadIdx.x] = expf(x[threadIdx.x] RIGHT(- 100)); // fault: infinity from finite operands: expf(100) is inf
    syncthreads();
    float sum = 0;
    for (int i = 0; i < N; i++)
        sum += e[i];
    out[threadIdx.x] = e[threadIdx.x] / sum;
}

// run: zeros:64:float32 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void entropy(const float *p, float *out)
{
    float v = p[threadIdx.x];
    out[threadIdx.x] = WRONG(v * logf(v)) RIGHT(v > 0 ? v * logf(v) : 0); // fault: logf(0) is -inf
}

// run: full:64:float32:1e30 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void squares(const float *x, float *out)
{
    WRONG(float) RIGHT(double) v = x[threadIdx.x];
    out[threadIdx.x] = (float)sqrt((double)(v * v)); // fault: infinity from finite operands: 1e+30 * 1e+30 is inf
}

// run: full:64:float32:3e38 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void mean_of_two(const float *x, float *out)
{
    float a = x[threadIdx.x], b = x[63 - threadIdx.x];
    out[threadIdx.x] = WRONG((a + b) / 2) RIGHT(a / 2 + b / 2); // fault: infinity from finite operands: 3e+38 + 3e+38
}

// run: full:64:float64:1e39 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void narrowed(const double *x, float *out)
{
    out[threadIdx.x] = (float)(x[threadIdx.x] RIGHT(/ 16)); // fault: infinity from finite operands: 1e+39 converted
}

// run: full:64:int32:70000 zeros:64:float16 --grid=1 --block=64 --check=float
kernel void into_half(const int *x, float16 *out)
{
    out[threadIdx.x] = (float16)(x[threadIdx.x] RIGHT(/ 2)); // fault: infinity from finite operands: 70000 converted
}

// run: full:64:float16:300 zeros:64:float16 --grid=1 --block=64 --check=float
kernel void half_square(const float16 *x, float16 *out)
{
    float16 v = x[threadIdx.x];
    out[threadIdx.x] = v * (v RIGHT(/ 300)); // fault: infinity from finite operands: 300 * 300 is inf
}

// run: full:64:float32:2e38 full:64:float32:2 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void fused(const float *x, const float *y, float *out)
{
    // fault: infinity from finite operands: 2e+38 * 2 + 1 is inf
    out[threadIdx.x] = x[threadIdx.x] * (y[threadIdx.x] RIGHT(/ 4)) + 1;
}

// run: full:64:float32:-8 zeros:64:float32 --grid=1 --block=64 --check=float
kernel void cube_root(const float *x, float *out)
{
    // fault: NaN from finite operands: powf(-8, 0.33333334) is nan
    out[threadIdx.x] = WRONG(powf(x[threadIdx.x], 1.0f / 3)) RIGHT(cbrtf(x[threadIdx.x]));
}
