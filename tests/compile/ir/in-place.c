// A function without a slow path repeats nothing: called in place, native code writes directly over the input.
// RUN: %gpucc %s --dump=lower -o %t.o 2>&1 | FileCheck %s
#include <gpucc.h>
#include <math.h>

// CHECK-LABEL: define {{.*}} @add_f32f32_f32_loop(
// CHECK: [[RELATION:%.*]] = call i32 @gpucc_relate(
// CHECK-NOT: icmp eq i32 [[RELATION]], 1
// CHECK-LABEL: define {{.*}} @wave_f32_f32_loop(
// CHECK: [[RELATION:%.*]] = call i32 @gpucc_relate(
// CHECK: icmp eq i32 [[RELATION]], 1
vectorize() float add(float x, float y) { return x + y; }
vectorize() float wave(float x) { return sinf(x); }
