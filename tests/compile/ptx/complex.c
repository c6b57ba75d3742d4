// Complex functions are inside, like real ones; those of float use no double, and slow paths alone are called.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <complex.h>
#include <gpucc.h>

vectorize()
complex64 waves(complex64 z) { return csinf(z) + casinhf(z); }
// CHECK-NOT: .extern
// CHECK-LABEL: .visible .entry waves_c64_c64(
// CHECK-NOT: .f64
// CHECK: .visible .entry root_c128_c128(

vectorize()
complex128 root(complex128 z) { return csqrt(z); }
// CHECK-NOT: .extern
