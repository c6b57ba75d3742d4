// A function without a complex form is an error for complex arguments, not a lost imaginary part.
// RUN: %exits 1 %gpucc %s -fsyntax-only 2>&1 | FileCheck %s
#include <gpucc.h>
#include <tgmath.h>

vectorize()
complex64 f(complex64 z) { return erf(z); }
// CHECK: complex.c:[[@LINE-1]]:35: error: {{.*}}'_Complex float' not compatible with any generic association type
