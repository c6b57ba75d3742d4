// --fast-math, and fast_math on a function, take the special-function unit; nothing else does.
// RUN: %gpucc %s --fast-math --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=FAST,FLUSH,TANH
// RUN: %gpucc %s --fast-math --emit=ptx -o - | FileCheck %s --check-prefixes=FAST,FLUSH
// RUN: %gpucc %s -DMARK=fast_math --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=FAST,TANH,ONE
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=EXACT
// RUN: %gpucc %s -DMARK=fast_math --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=MANIFEST
// RUN: %gpucc run %s numbers full:19:float32:0.5 zeros:21:float32 --fast-math --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=CPU
#include <gpucc.h>
#include <math.h>
#ifndef MARK
#define MARK
#endif

// Logarithms take lg2.approx for what is 0, infinite, negative or NaN alone.
// EXACT-NOT: {{(div|sin|cos|ex2|tanh|[[:space:]]sqrt)\.approx}}
// EXACT-NOT: {{(add|mul|fma).*\.ftz}}
// MANIFEST: "numerics":{"ieee":false,"fast_math":false,"contraction":"on","math":"gpucc"}
// MANIFEST: "name":"numbers"{{.*}}"fast_math":true
// FAST: .visible .entry numbers(
kernel MARK
void numbers(const float *p, float *out)
{
    float x = *p;
    out[0] = x / p[1];           // FAST: div.approx.ftz.f32
    out[1] = sqrtf(x);           // FAST: sqrt.approx.ftz.f32
    out[2] = 1 / x;              // FAST: rcp.approx.ftz.f32
    out[3] = 1 / sqrtf(p[2]);    // FAST: rsqrt.approx.ftz.f32
    out[4] = rsqrtf(p[3]);       // FAST: rsqrt.approx.ftz.f32
    out[5] = sinf(p[4]);         // FAST: sin.approx.ftz.f32
    out[6] = cosf(p[5]);         // FAST: cos.approx.ftz.f32
    out[7] = tanf(p[6]);         // FAST: sin.approx.ftz.f32
                                 // FAST: cos.approx.ftz.f32
                                 // FAST: div.approx.ftz.f32
    out[8] = expf(p[7]);         // FAST: ex2.approx.ftz.f32
    out[9] = exp2f(p[8]);        // FAST: ex2.approx.ftz.f32
    out[10] = exp10f(p[9]);      // FAST: ex2.approx.ftz.f32
    out[11] = logf(p[10]);       // FAST: lg2.approx.ftz.f32
    out[12] = log2f(p[11]);      // FAST: lg2.approx.ftz.f32
    out[13] = log10f(p[12]);     // FAST: lg2.approx.ftz.f32
    out[14] = powf(p[13], x);    // FAST: lg2.approx.ftz.f32
                                 // FAST: ex2.approx.ftz.f32
    sincosf(p[14], out + 15, out + 16);
                                 // FAST: sin.approx.ftz.f32
                                 // FAST: cos.approx.ftz.f32
    out[17] = tanhf(p[15]);      // TANH: tanh.approx.f32
    out[18] = __fdividef(x, p[16]);
                                 // FAST: div.approx.ftz.f32
    out[19] = __expf(p[17]);     // FAST: ex2.approx.ftz.f32
    out[20] = p[18] * x + 1;     // FLUSH: fma.rn.ftz.f32
}

// Double precision has no such unit, and a function that is not marked keeps its numbers.
// FAST: .visible .entry others(
// FAST: sqrt.rn.f64
// ONE-NOT: {{(div|sin|cos)\.approx}}
// ONE: div.rn.f32
// ONE-NOT: {{(div|sin|cos)\.approx}}
kernel
void others(double *x, float *y)
{
    x[0] = sqrt(x[0]);
    y[0] = y[0] / sinf(y[1]);
}
// CPU: first   1 0.70710677
