// Loops that stand ready are filled with the function: with what it returns early, its memory, tables, calls, prints,
// inline assembly and labels.
// RUN: %gpucc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: not grep 'gpucc[$]' %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_75 %t.ptx -o /dev/null %}
// RUN: %gpucc %s --loops=rows -o - --emit=ptx | FileCheck --check-prefix=ROWS %s
//
// The output does not depend on the number of threads.
// RUN: taskset -c 0 %gpucc %s -o %t.one.ptx
// RUN: cmp %t.ptx %t.one.ptx
//
// Debuggers, and who wants the IR, get loops that are compiled with the function.
// RUN: %gpucc %s -g -o - --emit=ptx | FileCheck --check-prefix=COMPILED %s
// RUN: %gpucc %s -o - --emit=ll | FileCheck --check-prefix=IR %s
#include <gpucc.h>
#include <math.h>
#include <stdio.h>

static const float table[7] = {1, 2, 3, 4, 5, 6, 7};

vectorize(float32(float32, int32))
float early(float x, int n)
{
    if (n < 0)
        return -x;
    for (int i = 0; i < n; i++) {
        if (x > 100)
            return table[i % 7];
        x += x;
    }
    return x;
}
// CHECK-LABEL: .visible .entry early_f32i32_f32(
// CHECK: gpucc_to_f32
// CHECK: gpucc_to_i32
// ROWS-NOT: .entry early_f32i32_f32(
// ROWS: .entry early_f32i32_f32_rows(
// ROWS-NOT: .entry early_f32i32_f32_strided(
// COMPILED: .entry early_f32i32_f32(
// COMPILED-NOT: gpucc_i0
// IR: define {{.*}} @early_f32i32_f32_converted(

vectorize(int32(int32, int32))
int returns_before_its_last_block(int a, int b)
{
    for (;;) {
        if (a == b)
            return a;
        if (a > b)
            a = a / 2 + 1;
        else if (a & 1)
            b = b / 3;
        else if ((b -= a) < 0)
            return -7;
    }
}
// The text keeps the branch at its end.
// CHECK-LABEL: .visible .entry returns_before_its_last_block_i32i32_i32(
// CHECK: {{bra.uni[^;]*E__BB[0-9_]+;[[:space:]]+\}[[:space:]]+[$]E__end:}}
// CHECK-LABEL: .visible .entry returns_before_its_last_block_i32i32_i32_strided(

vectorize(float32(float32))
float remembers(float x)
{
    float values[40];
    int k = 0;
    for (int i = 0; i < 40; i++)
        values[i] = x * (float)i;
    for (int i = 0; i < 40; i++)
        k = (k * 7 + (int)values[k]) & 31;
    return values[k];
}
// Its memory is one for all calls.
// CHECK-LABEL: .visible .entry remembers_f32_f32(
// CHECK: .local {{.*}}[160];
// CHECK-NOT: .local {{.*}}[160];
// CHECK-LABEL: .visible .entry remembers_f32_f32_strided(

/* Slow paths are a function out of line, which has its operands as the loops have them. */
vectorize(float16(float16))
float16 sine(float16 x) { return (float16)sinf((float)x); }
// CHECK: .visible .entry sine_f16_f16(
// CHECK: sine_f16_f16_ready_apart

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

vectorize(int8(int8))
signed char recursive(signed char n)
{
    if (n == 77)
        printf("%d\n", n);
    return (signed char)fibonacci(n & 15);
}
// CHECK: .visible .entry recursive_i8_i8(
// CHECK: fibonacci

vectorize(boolean(float64))
_Bool assembly(double x)
{
    int result;
    __asm__("{\n\t.reg .pred p;\n\tsetp.gt.f64 p, %1, 0d0000000000000000;\n\tselp.s32 %0, 1, 0, p;\n\t}"
            : "=r"(result) : "d"(x));
    return result;
}
// CHECK: .visible .entry assembly_f64_b1(

/* Loops that are compiled call the same conversions as those that stand ready, and stand behind them. */
vectorize(float64(float64, int16))
double wide(double x, short n) { return x * n; }
// CHECK: .func {{.*}}gpucc_to_f64(
// CHECK-NOT: .func {{.*}}gpucc_to_f64(
// CHECK: .visible .entry wide_f64i16_f64_converted(

/* The sizes of these operands are those of a function of two with one result. */
vectorize((float64, float64)(float64))
void parts(double x, double *whole, double *rest)
{
    *whole = floor(x);
    *rest = x - *whole;
}
// CHECK: .visible .entry parts_f64_f64f64_converted(
// COMPILED: .entry parts_f64_f64f64(
