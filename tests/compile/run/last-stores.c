// Several sums that one place has in turn: LLVM 19's vectoriser stored another than the last.
// RUN: env GPUCC_CPU_TARGET=x86-64-v2 %gpucc run %s sums zeros:2:int64 arange:64:int64 64 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s sums zeros:2:int64 arange:64:int64 64 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s sums zeros:2:int64 arange:64:int64 64 --grid=1 --block=1 --device=cpu -O2 | FileCheck %s
// RUN: %gpucc run %s sums zeros:2:int64 arange:64:int64 64 --grid=1 --block=1 --device=cpu -O0 | FileCheck %s
// CHECK: first   2020 4{{$}}
#include <gpucc.h>

__attribute__((noinline)) static void sum_last(int64 *last, const int64 *x, int32 n)
{
    int64 odd = 1, sum = 4;
    for (int32 i = 0; i < n; i++) {
        *last = odd ^= x[i];
        *last = sum += x[i];
    }
}

__attribute__((noinline)) static void odd_last(int64 *last, const int64 *x, int32 n)
{
    int64 sum = 1, odd = 4;
    for (int32 i = 0; i < n; i++) {
        *last = sum += x[i];
        *last = odd ^= x[i];
    }
}

kernel void sums(int64 *out, const int64 *x, int32 n)
{
    sum_last(&out[0], x, n);
    odd_last(&out[1], x, n);
}
