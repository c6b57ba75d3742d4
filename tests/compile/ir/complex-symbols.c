// Each object and each PTX has its own local functions for complex products and quotients.
// RUN: %gpucc %s -o %t.o -o %t.ptx && llvm-nm --extern-only %t.o | FileCheck %s
// RUN: FileCheck --check-prefix=PTX %s < %t.ptx
#include <gpucc.h>

typevar(T, complex64, complex128);

// CHECK-NOT: __{{mul|div}}
// CHECK: square_ratio_c128c128_c128_loop
// CHECK: square_ratio_c64c64_c64_loop
// CHECK-NOT: __{{mul|div}}
// PTX-NOT: {{^}}.extern
// PTX-NOT: .visible .func
vectorize()
T square_ratio(T x, T y) { return x * x / y; }
