// A device has no memory to allocate, no files and no jumps: an error where reached code calls for them, with the calls.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc %s %S/Inputs/table.c -DELSEWHERE -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: %gpucc %s -DOWN -o %t.ptx -o %t.so
#include <gpucc.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OWN
double drand48(void) { return 4; }
vectorize() double f(double x) { return x + drand48(); }
#elif defined(ELSEWHERE)
double *table_new(int n);
// ELSEWHERE: Inputs/table.c:7:17: error: device code cannot call 'malloc', which exists only on hosts
// ELSEWHERE: Inputs/table.c:12:12: note: 'allocate' is called here
// ELSEWHERE: reached.c:[[#@LINE+3]]:41: note: 'table_new' is called here
// ELSEWHERE: note: use an array of fixed size, or memory that the caller passes
// ELSEWHERE-NOT: error:
vectorize() double f(double x) { return table_new((int)x)[0]; }
#else
static jmp_buf jump;
static double fails(double x)
{
    longjmp(jump, 1);
    return x;
}
static double calls(double x) { return fails(x); }
// CHECK: reached.c:[[#@LINE+4]]:53: error: device code cannot call 'fopen', which exists only on hosts
// CHECK: reached.c:[[#@LINE-5]]:5: error: device code cannot call 'longjmp', which exists only on hosts
// CHECK: reached.c:[[#@LINE-3]]:40: note: 'fails' is called here
// CHECK: reached.c:[[#@LINE+1]]:41: note: 'calls' is called here
vectorize() double f(double x) { return calls(x) + (fopen("x", "r") != NULL); }
#endif
