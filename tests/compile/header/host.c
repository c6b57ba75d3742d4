// A C host and a C++ host call a ufunc through the header, and read the program's descriptor.
// RUN: %gpucc %s -o %t.o -o %T/host_program.h
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%include -I%T -x c %S/Inputs/host.inc -x none %t.o -o %t.exe %lib && %t.exe | FileCheck %s
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -I%include -I%T -x c++ %S/Inputs/host.inc -x none %t.o -o %t.exe %lib && %t.exe | FileCheck %s
#include <gpucc.h>

vectorize()
float32 add(float32 x, float32 y) { return x + y; }

kernel
void negate(size_t n, float32 a[n])
{
    size_t i = grid(1);
    if (i < n)
        a[i] = -a[i];
}
// CHECK: -11 -22 -33
