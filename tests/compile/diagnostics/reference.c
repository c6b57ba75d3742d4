// Errors in reference(…), which other compilers do not see.
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

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference(exact, without(2)) for 'word': expected a function
reference(exact, without(2)) vectorize()
float word(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference(exact, within(-1)) for 'negative': expected a function
reference(exact, within(-1)) vectorize()
float negative(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:{{[0-9]+}}: error: reference() for 'nothing': expected a function
reference() vectorize()
float nothing(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:1: error: 'reference' says what a ufunc or gufunc is compared with, but 'launched' is not one: it applies to vectorize(…) and guvectorize(…)
reference(exact) kernel
void launched(float *x) { *x = 0; }

// CHECK: reference.c:[[#@LINE+1]]:18: error: 'twice' already has reference(exact): at most one is allowed
reference(exact) reference(back) vectorize()
float twice(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:13: error: 'sums' already has identity(0): at most one is allowed
identity(0) identity(1) vectorize()
float sums(float x, float y) { return x + y; }

// CHECK: reference.c:[[#@LINE+1]]:11: error: the reference of 'none' is 'nowhere', but this file has no function of that name
reference(nowhere) vectorize()
float none(float x) { return x; }

/* Said twice is no more than said. */
reference(back) vectorize() float same(float x);
reference(back) vectorize() float same(float x) { return x; }

device float helper(float x) { return x; }
// CHECK: reference.c:[[#@LINE+1]]:11: error: the reference of 'helped' is 'helper', a device function: it must be a plain function, a ufunc or a gufunc
reference(helper) vectorize()
float helped(float x) { return helper(x); }

kernel void filler(float *x) { *x = 0; }
// CHECK: reference.c:[[#@LINE+1]]:11: error: the reference of 'filled' is 'filler', a kernel: it must be a plain function, a ufunc or a gufunc
reference(filler) vectorize()
float filled(float x) { return x; }

// CHECK: reference.c:[[#@LINE+1]]:11: error: the reference of 'one' is 'sums', which has 3 inputs and outputs, not 2
reference(sums) vectorize()
float one(float x) { return x; }
// CHECK: 10 errors
