// RUN: %gpucc %s --arch=sm_75 -o %t.ptx && FileCheck %s < %t.ptx
// The GPU's instructions order zeros and prefer numbers to NaN; of two NaNs one is chosen.
#include <gpucc.h>
#include <math.h>

// CHECK-LABEL: .entry larger_f32f32_f32(
// CHECK: max.f32 [[M:%f[0-9]+]], [[X:%f[0-9]+]], {{%f[0-9]+}};
// CHECK: setp.nan.f32 [[P:%p[0-9]+]], [[M]], [[M]];
// CHECK: selp.f32 {{%f[0-9]+}}, [[X]], [[M]], [[P]];
vectorize() float32 larger(float32 x, float32 y) { return fmaxf(x, y); }

// CHECK-LABEL: .entry smaller_f64f64_f64(
// CHECK: min.f64 [[M:%fd[0-9]+]], {{%fd[0-9]+}}, [[Y:%fd[0-9]+]];
// CHECK: setp.nan.f64 [[P:%p[0-9]+]], [[M]], [[M]];
// CHECK: selp.f64 {{%fd[0-9]+}}, [[Y]], [[M]], [[P]];
vectorize() float64 smaller(float64 x, float64 y) { return fmin(x, y); }
