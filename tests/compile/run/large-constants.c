// Comparisons of products with large constants: LLVM 19's elimination of constraints overflows there.
// RUN: env GPUCC_CPU_TARGET=x86-64-v2 %gpucc run %s never_above zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s never_above zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s never_above zeros:1:int32 --grid=1 --block=1 --device=cpu -O2 | FileCheck %s
// RUN: %gpucc run %s never_above zeros:1:int32 --grid=1 --block=1 --device=cpu -O0 | FileCheck %s
// CHECK: first   0{{$}}
#include <gpucc.h>

int32 step = 1, low, high;

__attribute__((noinline)) static int32 is_above(void)
{
    low = -5001001 * step + 5001000;
    while (low >= 5001001)
        low = step + 5001000;
    high = -5001000 * low - 5001001;
    if (5001000 * high >= low)
        return 1;
    return 0;
}

kernel void never_above(int32 *out)
{
    *out = is_above();
}
