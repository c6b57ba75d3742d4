// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Operators and casts of 8-bit floating-point numbers name the conversions; methods that combine need arithmetic.
#include <gpucc.h>

// CHECK: float8.c:[[#@LINE+2]]:77: error: invalid operands to binary expression
// CHECK: float8.c:[[#@LINE+1]]:77: note: float8_e4m3fn has no arithmetic: 'float_from_float8(x)' gives its value, 'float8_e4m3fn_from(x)' converts a float
vectorize() float8_e4m3fn plus(float8_e4m3fn x, float8_e4m3fn y) { return x + y; }

// CHECK: float8.c:[[#@LINE+2]]:49: error: returning 'float8_e5m2'
// CHECK: note: float8_e5m2 has no arithmetic: 'float_from_float8(x)' gives its value, 'float8_e5m2_from(x)' converts a float
vectorize() float value(float8_e5m2 x) { return x; }

// CHECK: float8.c:[[#@LINE+2]]:51: error: used type 'float8_e5m2'
// CHECK: note: float8_e5m2 has no arithmetic
vectorize() float8_e5m2 to_e5m2(float x) { return (float8_e5m2)x; }

// CHECK: 3 errors generated.
