// More than 2^32 elements and threads, on the CPU: what lies behind the first 2^32 is reached.
// RUN: %gpucc %s -o %t.o -o %T/large_program.h
// RUN: %cc -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -I%include -I%T -x c %S/Inputs/large_host.inc -x none %t.o -o %t.exe %lib && %t.exe | FileCheck %s
// CHECK: ufunc: 100 101 102 … 110 111 112
// CHECK: kernel: 101 103 105 … 121 123 125
#include <gpucc.h>

vectorize()
uint8 add(uint8 x, uint8 y) { return x + y; }

/* Adds their distance, from 1, to the elements behind the first 2^32. */
kernel
void count(size_t n, uint8 a[n])
{
    size_t i = grid(1);
    if (i < n)
        a[i] += (uint8)((i >> 32) * (1 + i));
}
