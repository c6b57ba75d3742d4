// Indices that wrap, in loops that become vectors: of a product LLVM 19's vectoriser forgets to ask whether it wraps.
// RUN: %gpucc run %s by_three zeros:64:uint64 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %gpucc run %s compare %t.npy 3 zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s by_seven zeros:64:uint64 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %gpucc run %s compare %t.npy 7 zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s walked 64 arange:64:int8 zeros:64:uint64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %gpucc run %s compare %t.npy 3 zeros:1:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s passed arange:3:int32 arange:3:uint16 --device=cpu -O1 | FileCheck %s --check-prefix=PASSED
// PASSED: first   1 0 0{{$}}
// CHECK: wrong: shape (1,)
// CHECK: first   0{{$}}
#include <gpucc.h>

kernel
void by_three(uint64 out[64])
{
    shared int8 s[64];
    const uint32 t = threadIdx.x;
    s[t] = (int8)t;
    syncthreads();
    out[t] = (uint64)s[t * 3 % 64];
}

kernel
void by_seven(uint64 out[64])
{
    shared int8 s[64];
    const uint32 t = threadIdx.x;
    s[t] = (int8)t;
    syncthreads();
    out[t] = (uint64)s[t * 7 % 64];
}

kernel
void walked(uint32 n, const int8 in[64], uint64 out[64])
{
    for (uint32 i = 0; i < n; i++)
        out[i] = (uint64)in[i * 3 % 64];
}

kernel
void compare(const uint64 out[64], uint32 factor, int32 *wrong)
{
    unroll(1) for (uint32 i = 0; i < 64; i++)
        *wrong += out[i] != i * factor % 64;
}

// Numbers that come into a block from several sides are not all a loop's: some are another's number.
vectorize()
uint16 passed(int32 x, uint16 y)
{
    if (y > 0) {
        if ((boolean)x)
            return 0;
    } else {
        y = (int8)0;
    }
    return (int16)1 | (int16)y;
}
