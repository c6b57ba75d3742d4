// The loops over rows are optimised and emitted apart, where none stand ready for a function's operands: the same text on
// one processor, and what they share stands once.
// RUN: %gpucc %s -o %t.ptx
// RUN: taskset -c 0 %gpucc %s -v -o %t.one.ptx 2>%t.times
// RUN: cmp %t.ptx %t.one.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: grep -c '^[.]version' %t.ptx | FileCheck --check-prefix=ONE %s
// RUN: grep -c 'entry scaled_f64i16_f64_rows(' %t.ptx | FileCheck --check-prefix=ONE %s
// RUN: grep -c '^[.].*func .*) counted($' %t.ptx | FileCheck --check-prefix=ONE %s
// RUN: grep -c '^[.].*global .*calls' %t.ptx | FileCheck --check-prefix=ONE %s
// RUN: grep -c '^[.].*global .*table' %t.ptx | FileCheck --check-prefix=ONE %s
// RUN: %if ptxas %{ %ptxas -arch=sm_75 %t.ptx -o /dev/null %}
// ONE: {{^1$}}
#include <gpucc.h>
#include <math.h>

static unsigned calls;
static const double table[] = {1.5, 2.5, 4.5, 8.5};

__attribute__((noinline)) static double counted(double x)
{
    calls++;
    return table[(unsigned)x % 4] * calls;
}

static double twice(double x) { return 2 * x; }
static double thrice(double x) { return 3 * x; }
static double (*const choices[])(double) = {twice, thrice};

vectorize()
double scaled(double x, short y) { return y * counted(x) + table[(unsigned)(2 * x) % 4]; }

vectorize()
double chosen(double x, short y) { return choices[x > 1](x) + y; }

vectorize()
float cosine(float x, short y) { return cosf(x) + y; }

kernel void reset(unsigned *seen)
{
    *seen = calls;
    calls = 0;
}
// CHECK: .visible .entry reset(
// CHECK: .visible .entry scaled_f64i16_f64(
// CHECK: .visible .entry scaled_f64i16_f64_strided(
// CHECK: .visible .entry cosine_f32i16_f32(
// CHECK: .visible .entry scaled_f64i16_f64_rows(
// CHECK: { // callseq [[#SEQ:]], 0
// CHECK: counted,
// CHECK: } // callseq [[#SEQ]]
// CHECK: .visible .entry chosen_f64i16_f64_rows(
// CHECK: { // callseq [[#CHOSEN:]], 0
// CHECK: prototype_[[#CHOSEN]] : .callprototype
// CHECK: prototype_[[#CHOSEN]];
// CHECK: } // callseq [[#CHOSEN]]
// CHECK: .visible .entry cosine_f32i16_f32_rows(
// CHECK: cosine_f32i16_f32_careful,
