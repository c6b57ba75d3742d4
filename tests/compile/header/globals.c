// A host sets and reads variables by name; every instance of a kernel sees the same ones.
// RUN: %gpucc %s -o %t.o -o %T/host_globals.h
// The host may have other things of these names.
// RUN: echo 'int weights = 1, counter = 2, pairs = 3;' > %t.names.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%include -I%T -x c %S/Inputs/globals.inc %t.names.c -x none %t.o -o %t.exe %lib && %t.exe | FileCheck %s
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -I%include -I%T -x c++ %S/Inputs/globals.inc -x none %t.o -o %t.exe %lib && %t.exe | FileCheck %s
#include <gpucc.h>

typevar(T, float32, float64);

struct pair {
    int32 first, second;
};

constant float weights[3] = {1, 2, 3};
int32 counter = 5;
struct pair pairs[2];

kernel
void weigh(T *a)
{
    a[0] *= (T)weights[1];
    counter += 10;
    pairs[1].second = counter;
}

vectorize()
float32 third(float32 x) { return x * weights[2]; }

// CHECK: before: 5, 1 2 3
// CHECK: after: 25, 3 3, 0 0 0 25, 10
