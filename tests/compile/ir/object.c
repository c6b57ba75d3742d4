// The object holds the native loops under the names that the manifest has, and for hosts that report exceptions S_flags;
// nothing else of the program is visible.
// RUN: %gpucc %s -o %t.o && llvm-nm --defined-only --extern-only %t.o | FileCheck %s
// RUN: llvm-readelf -h %t.o | FileCheck %s --check-prefix=ELF
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

static T square(T x) { return x * x; }

vectorize()
T waves(T x) { return square(x) + 1; }

vectorize()
float32 sine(float32 x) { return sinf(x); }

float32 table[4] = {1, 2, 3, 4};

vectorize()
float32 look(int32 i) { return table[i & 3]; }
// CHECK-NOT: {{square|table|sinf|gpucc_slow}}
// CHECK: {{[RD]}} gpucc_program_object{{$}}
// CHECK-NEXT: T look_i32_f32_loop
// CHECK-NEXT: T sine_f32_f32_flags
// CHECK-NEXT: T sine_f32_f32_loop
// CHECK-NEXT: T waves_f32_f32_loop
// CHECK-NEXT: T waves_f64_f64_loop
// CHECK-NOT: {{square|table|sinf|gpucc_slow}}
// ELF: Type: REL (Relocatable file)
// ELF: Machine: Advanced Micro Devices X86-64
