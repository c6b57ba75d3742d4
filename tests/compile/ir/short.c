// RUN: %gpucc --dump=lower %s -o %t.o 2>&1 | FileCheck %s
// Elements that are apart go one by one where the function is a few cheap operations, and else through buffers and vectors.
#include <gpucc.h>
#include <math.h>

// CHECK-LABEL: define {{.*}}@add_f32f32_f32_loop(
// CHECK: br i1 true, label %if.then{{[0-9]*}}, label %if.end
// CHECK: lor.lhs.false{{[0-9]*}}:
// CHECK: land.lhs.true{{[0-9]*}}:
// CHECK: br i1 true, label %if.then{{[0-9]*}}, label %if.end
vectorize(float32(float32, float32))
float add(float x, float y) { return x + y; }

// CHECK-LABEL: define {{.*}}@divide_f32f32_f32_loop(
// CHECK: br i1 false, label %if.then{{[0-9]*}}, label %if.end
vectorize(float32(float32, float32))
float divide(float x, float y) { return x / y; }

// CHECK-LABEL: define {{.*}}@longer_i32i32_i32_loop(
// CHECK: br i1 false, label %if.then{{[0-9]*}}, label %if.end
vectorize(int32(int32, int32))
int longer(int x, int y) { return ((x * y + x) ^ (y * y - x)) * (x - 7) + (y ^ 5) * (x & 12); }

// CHECK-NOT: call {{.*}}@gpucc_is_short
