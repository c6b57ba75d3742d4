// To any other C compiler a type variable is its first type, and the file is a C file.
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include %s -o %t && %t
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typevar(T, float64, float32);

vectorize(float32(float32), float64(float64))
T half(T x) { return x / 2; }
// CHECK-DAG: .entry half_f32_f32(
// CHECK-DAG: .entry half_f64_f64(

#ifndef __GPUCC__
int main(void)
{
    return !(sizeof(T) == 8 && half(3) == 1.5);
}
#endif
