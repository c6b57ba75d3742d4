// The conversions of a ufunc's operands stand ready as PTX: with any optimisation, with debug information and for any
// architecture they are the same text, and IR that is asked for has them, too.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s --input-file %t.ptx
// RUN: %gpucc %s -g -O0 --arch=sm_90 -o %t.0.ptx && FileCheck %s --input-file %t.0.ptx
// RUN: sed -n '/^\.func .*gpucc_give_f64(/,/^}/p' %t.ptx > %t.function
// RUN: sed -n '/^\.func .*gpucc_give_f64(/,/^}/p' %t.0.ptx | cmp - %t.function
// RUN: %gpucc %s -o %t.ll && FileCheck %s --input-file %t.ll --check-prefix=IR
// RUN: %gpucc %s -g -o %t.g.ll && FileCheck %s --input-file %t.g.ll --check-prefix=IR
#include <gpucc.h>

// CHECK-NOT: .extern .func
// CHECK: .func (.param .align 8 .b8 func_retval0[32]) gpucc_to_f64(
// CHECK-NOT: .extern .func
// CHECK: .func gpucc_give_f64(
// CHECK-NOT: .visible .func
// IR-DAG: define internal {{.*}} @gpucc_to_f64(
// IR-DAG: define internal {{.*}} @gpucc_give_f64(
vectorize(float64(float64))
double half(double x)
{
    return x / 2;
}
