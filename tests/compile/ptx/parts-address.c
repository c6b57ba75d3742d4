// A function out of line whose address only the kernel takes is called alike everywhere.
// RUN: %gpucc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_75 %t.ptx -o /dev/null %}
#include <gpucc.h>

__attribute__((noinline)) static float half(float x) { return x / 2; }
__attribute__((noinline)) static float third(float x) { return x / 3; }
static float (*const choices[])(float) = {half, third};

vectorize()
float halves(float x) { return half(x) + 1; }

kernel void choose(float *x) { *x = choices[*x > 1](*x); }
// CHECK: .visible .entry halves_f32_f32_rows(
// CHECK: half,
