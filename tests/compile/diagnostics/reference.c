// What is wrong with reference(…), and that other compilers see nothing of it.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cc -std=c17 -I%include -Wall -Werror -c %s -o %t.o
#include <gpucc.h>
#include <math.h>

double exact(double x) { return cos(x); }
float back(float x) { return x; }

reference(exact) vectorize()
float right(float x) { return cosf(x); }
reference( inverse( back ) , within( 0.5 ) ) vectorize()
float too(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference(exact, without(2)) for 'word': it takes a function
reference(exact, without(2)) vectorize()
float word(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference(exact, within(-1)) for 'negative': it takes a function
reference(exact, within(-1)) vectorize()
float negative(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference() for 'nothing': it takes a function
reference() vectorize()
float nothing(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:1: error: 'reference' says what a ufunc or gufunc is compared with, and 'launched' is none: it goes with vectorize(…) and guvectorize(…)
reference(exact) kernel
void launched(float *x) { *x = 0; }

// CHECK: reference.c:[[#@LINE+1]]:18: error: 'twice' has reference(exact) already: it takes one
reference(exact) reference(back) vectorize()
float twice(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:13: error: 'sums' has identity(0) already: it takes one
identity(0) identity(1) vectorize()
float sums(float x, float y) { return x + y; }

// CHECK: reference.c:[[#@LINE+1]]:11: error: 'none' is to be compared with 'nowhere', but this file has no function of that name
reference(nowhere) vectorize()
float none(float x) { return x; }

/* Said twice is no more than said. */
reference(back) vectorize() float same(float x);
reference(back) vectorize() float same(float x) { return x; }

device float helper(float x) { return x; }
// CHECK: reference.c:[[#@LINE+1]]:11: error: 'helped' is to be compared with 'helper', which is a device function: it takes a plain function, a ufunc or a gufunc
reference(helper) vectorize()
float helped(float x) { return helper(x); }

kernel void filler(float *x) { *x = 0; }
// CHECK: reference.c:[[#@LINE+1]]:11: error: 'filled' is to be compared with 'filler', which is a kernel: it takes a plain function, a ufunc or a gufunc
reference(filler) vectorize()
float filled(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:11: error: 'one' is to be compared with 'sums', which takes and makes 3 numbers, and not 2
reference(sums) vectorize()
float one(float x) { return x; }
// CHECK: 10 errors
