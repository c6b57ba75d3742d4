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

// CHECK: reference.c:[[#@LINE+1]]:11: error: 'none' is to be compared with 'nowhere', but this file has no function of that name
reference(nowhere) vectorize()
float none(float x) { return x; }
// CHECK: 5 errors
