// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

// CHECK: signature-syntax.c:[[#@LINE+1]]:26: error: expected ',' or ')' before ';'
vectorize(float32(float32; float32))
float a(float x) { return x; }

// CHECK: signature-syntax.c:[[#@LINE+1]]:18: error: expected '(' before ','
vectorize(float32, float32)
float b(float x) { return x; }

// CHECK: signature-syntax.c:[[#@LINE+1]]:19: error: expected a type before ','
vectorize(float32(,float32))
float c(float x) { return x; }

// CHECK: signature-syntax.c:[[#@LINE+1]]:28: error: expected ',' or the end of the signature before 'float32'
vectorize(float32(float32) float32)
float d(float x) { return x; }

// CHECK: signature-syntax.c:[[#@LINE+1]]:26: error: expected ',' or ')' (a signature has dtypes, not pointers) before '*'
vectorize(float32(float32*))
float e(float x) { return x; }

// CHECK: signature-syntax.c:[[#@LINE+1]]:28: error: expected a type
vectorize(float32(float32),)
float f(float x) { return x; }
