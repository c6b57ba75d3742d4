// A library's ways by intrinsics of a processor are not taken: its plain way is, on the CPU as on a GPU.
// RUN: %gpucc %s -march=x86-64-v3 -o %t.o 2>&1 | count 0
// RUN: %gpucc run %s bits linspace:5:7:3 --device=cpu | FileCheck %s
// RUN: %gpucc wrap %s -o - | FileCheck %s --check-prefix=WRAP
// CHECK: first {{ *}}2 2 3
// WRAP: gpucc_vectorize() int counted(int x);
#include <gpucc.h>

#if defined(__POPCNT__) || defined(__BMI2__) || defined(__AVX2__) || defined(__SSE2__) || defined(__ARM_NEON)
#include <immintrin.h>
#define BITS(x) _mm_popcnt_u32((unsigned)(x))
#else
#define BITS(x) __builtin_popcount((unsigned)(x))
#endif

int counted(int x);
int counted(int x)
{
    return BITS(x);
}

vectorize() double bits(double x)
{
    return counted((int)x);
}
