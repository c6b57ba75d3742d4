// NVIDIA's math library in the place of gpucc's, on the GPU.
// REQUIRES: libdevice
// RUN: %gpucc %s --math=libdevice -o %t.ptx -o %t.json -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=MANIFEST
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t.json
// RUN: %gpucc %s --math=libdevice:%nvidia-math -o %t.2.ptx && cmp %t.ptx %t.2.ptx
// RUN: %gpucc %s --math=libdevice --fast-math -o %t.ptx && FileCheck %s --check-prefix=FAST < %t.ptx
// RUN: %gpucc %s --math=gpucc -o %t.ptx && FileCheck %s --check-prefix=OWN < %t.ptx
// RUN: %gpucc run %s error ones:1:float32 --math=libdevice --device=cpu | FileCheck %s --check-prefix=CPU
#include <complex.h>
#include <gpucc.h>
#include <math.h>

// MANIFEST: "numerics":{"ieee":false,"fast_math":false,"contraction":"on","math":"libdevice"}

// Its questions about numerics get nvcc's answers: roots are correctly rounded, subnormals are kept.
// CHECK: .visible .entry numbers(
// CHECK-NOT: reflect
// CHECK: sqrt.rn.f32
// CHECK-NOT: {{(add|mul|fma)[a-z.]*ftz}}
// CHECK: sqrt.rn.f64
// FAST: .visible .entry numbers(
// FAST: sqrt.approx.ftz.f32
kernel
void numbers(float *x, double *y)
{
    x[0] = sqrtf(x[0]);
    x[1] = sinf(x[1]);
    y[0] = sqrt(y[0]);
    y[1] = pow(y[1], y[2]);
}

// Functions that it lacks stay gpucc's.
// CHECK: .visible .entry ours(
// CHECK-NOT: .extern
kernel
void ours(float complex *z, float *x)
{
    z[0] = csqrtf(z[0]);
    x[0] = tanpif(x[0]);
}

// Its error function uses the special-function unit, which gpucc's own never does.
// CHECK: .visible .entry error_f32_f32(
// CHECK: ex2.approx.ftz.f32
// OWN: .visible .entry error_f32_f32(
// OWN-NOT: ex2.approx
// CPU: first   0.8427008
vectorize()
float error(float x) { return erff(x); }
