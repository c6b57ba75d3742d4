// IR with the math library in it keeps nothing of the compiler's own notes, nor of where the library was built.
// RUN: %gpucc %s --emit=ll -o - | FileCheck %s
// RUN: %gpucc %s --emit=ll -o %t.ll
// RUN: sh -c '! grep -E "gpucc[.](amount|signed_amount|divisor)|llvm.annotation|stdlib/" %t.ll'
// CHECK: define {{.*}}@wave_f32_f32
// CHECK: gpucc_slow_reducef
#include <gpucc.h>
#include <math.h>

vectorize(float32(float32))
float wave(float x) { return sinf(x) + lgammaf(x); }
