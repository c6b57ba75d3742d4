// Functions of a float under the names that C has for double are those of float, as in CUDA; integers count as double.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s same 0.7 zeros:4:int32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SAME
// RUN: %gpucc run %s wide 0.7 zeros:4:int32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=WIDE
#include <cuda_runtime.h>

__global__ void same(float x, int *out)
{
    int e, f;
    float s, c, sf, cf, w, wf;
    out[0] = sqrt(x) == sqrtf(x) && pow(x, x) == powf(x, x) && exp(x) == expf(x) && floor(x) == floorf(x) &&
             fma(x, x, x) == fmaf(x, x, x) && sin(sqrt(fabs(cos(log(x))))) == sinf(sqrtf(fabsf(cosf(logf(x)))));
    out[1] = fmax(x, 1.0f) + fmod(7.5f, 2.0f) * 10 + atan2(0.0f, x) + hypot(3.0f, 4.0f) * 100;
    sincos(x, &s, &c), sincosf(x, &sf, &cf);
    out[2] = s == sf && c == cf && frexp(x, &e) == frexpf(x, &f) && e == f && modf(x, &w) == modff(x, &wf) &&
             ldexp(x, 3) == 8 * x;
    out[3] = sizeof(rsqrt(x)) + sizeof(pow(x, 2)) * 10 + sizeof(sqrt(2)) * 100 + sizeof(fmin(x, 1.0)) * 1000;
}
// SAME: {{^}}1 516 1 8884{{$}}

// CHECK-LABEL: .visible .entry only_float(
// CHECK-NOT: f64
// CHECK: sqrt.rn.f32
// CHECK-NOT: f64
// CHECK: ret;
__global__ void only_float(float *x)
{
    x[0] = sqrt(x[0]) + floor(x[1]) * fabs(x[2]) + fmax(x[3], ceil(x[4]));
}

__global__ void wide(double x, int *out)
{
    float narrow = (float)x;
    out[0] = sqrt(x) != sqrtf(narrow) && pow(narrow, x) == pow((double)narrow, x);
    out[1] = sizeof(exp(x)) + sizeof(fma(narrow, narrow, x)) * 10;
}
// WIDE: {{^}}1 88 0 0{{$}}
