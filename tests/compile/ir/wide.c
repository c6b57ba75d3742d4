// A wide path gets a loop of its own on the CPU, which takes it always: straight-line code, whose vectors hold floats.
// A function without one has the fast loop in its place.
// RUN: %gpucc %s -o %t.o && llvm-nm %t.o | FileCheck %s
// RUN: llvm-objdump -d --disassemble-symbols=gamma_f32_f32_wide %t.o | FileCheck %s --check-prefix=CODE
#include <gpucc.h>
#include <math.h>

vectorize()
float32 gamma(float32 x) { return lgammaf(x); }

vectorize()
float32 sine(float32 x) { return sinf(x); }
// CHECK-DAG: t gamma_f32_f32_wide
// CHECK-DAG: t sine_f32_f32_fast
// CHECK-NOT: sine_f32_f32_wide
// CODE: vfmadd{{.*}}%ymm
// CODE-NOT: call
