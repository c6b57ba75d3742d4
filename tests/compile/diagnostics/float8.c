// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Operators and casts of 8-bit floating-point numbers name the conversions; methods that combine need arithmetic.
#include <gpucc.h>

#ifndef PRODUCTS
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
#endif

// Products of them are float32, and both operands are of such a type.
// RUN: %exits 1 %gpucc -DPRODUCTS -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=PRODUCTS
#ifdef PRODUCTS
vectorize() float16 half(float16 x) { return x; }
// PRODUCTS: error: 'matmul' returns 'float32', but 'half' takes 'float16' here
fuse(to_half, half(matmul(float8_e4m3fn(a), float8_e4m3fn(b))));
// PRODUCTS: error: 'matmul' multiplies elements of one type, not 'float8_e4m3fn' and 'float32'
fuse(unlike, matmul(float8_e4m3fn(a), float32(b)));
// PRODUCTS: error: 'identity' of 'most': the inputs of its loop most_e5m2e5m2_e5m2 have no arithmetic
identity(0) vectorize() float8_e5m2 most(float8_e5m2 x, float8_e5m2 y)
{
    return float_from_float8(x) > float_from_float8(y) ? x : y;
}
#endif
