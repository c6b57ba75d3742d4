// What Clang calls for products and quotients of complex numbers is in each object and in each PTX, for itself alone.
// RUN: %gpucc %s -o %t.o -o %t.ptx && llvm-nm-19 --defined-only --extern-only %t.o | FileCheck %s
// RUN: FileCheck --check-prefix=PTX %s < %t.ptx
#include <gpucc.h>

// CHECK-NOT: __{{mul|div}}sc3
// CHECK: square_ratio_c64c64_c64_loop
// CHECK-NOT: __{{mul|div}}sc3
// PTX-NOT: .visible .func
vectorize()
complex64 square_ratio(complex64 x, complex64 y) { return x * x / y; }
