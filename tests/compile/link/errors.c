// Declarations that do not match are reported with both places, before any output is written.
// RUN: rm -f %t.ptx
// RUN: %exits 1 %gpucc %s %S/Inputs/other.c -o %t.ptx 2>&1 | FileCheck %s
// RUN: not ls %t.ptx
#include <gpucc.h>

// CHECK: other.c:8:16: error: duplicate symbol 'table'
// CHECK: errors.c:[[#@LINE+1]]:16: note: the first one is here
constant float table[3] = {0};

// CHECK: other.c:12:5: error: duplicate symbol 'clash'
// CHECK: errors.c:[[#@LINE+1]]:13: note: the first one is here
kernel void clash(float *x) { *x = 0; }

// CHECK: other.c:4:7: error: duplicate symbol 'made_f32_f32'
// CHECK: errors.c:[[#@LINE+1]]:19: note: the first one is here
vectorize() float made(float x) { return x + 1; }

// CHECK: errors.c:[[#@LINE+12]]:12: error: 'hidden' is defined in none of the files, so device code cannot call it
// CHECK: other.c:6:14: note: this one is 'static' or 'inline', so other files do not see it
// CHECK: errors.c:[[#@LINE+10]]:42: error: 'nowhere' is defined in none of the files, so device code cannot call it
// CHECK: errors.c:[[#@LINE+3]]:7: note: it is only declared here
float hidden(float x);
float typed(float x);
float nowhere(float x);
// Each file's own, of whatever name.
static float apart(float x) { return x + 2; }
vectorize()
float calls(float x)
{
    return hidden(x) + typed(apart(x)) + nowhere(x);
}
// CHECK-NOT: error:
