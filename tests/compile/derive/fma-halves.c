// fma() of 16-bit types in <tgmath.h>, which is one of float32 inside, has its derivatives.
// RUN: %gpucc run %s product_vjp 2.0 3.0 4.0 5.0 | FileCheck --check-prefix=ADJOINT %s
// RUN: %gpucc run %s product_jvp 2.0 3.0 4.0 1.0 10.0 100.0 | FileCheck --check-prefix=TANGENT %s
// RUN: %gpucc %s -o %t.o && %gpucc %s -o %t.ptx
#include <gpucc.h>
#include <tgmath.h>

typevar(N, float16, bfloat16);
vectorize() N product(N x, N y, N z) { return fma(x, y, z); }
adjoint(product_vjp, product);
tangent(product_jvp, product);
gradient(product_prime, product);

// ADJOINT: x_bar: shape (), dtype float16
// ADJOINT: first 15
// ADJOINT: y_bar:
// ADJOINT: first 10
// ADJOINT: z_bar:
// ADJOINT: first 5
// TANGENT: first 10
// TANGENT: dout:
// TANGENT: first 123
