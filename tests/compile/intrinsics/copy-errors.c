// Asynchronous copies that are not as they must be, as the CPU tells it.
// RUN: %exits 1 %gpucc run %s misaligned arange:64:int8 zeros:64:int8 --grid=1 --block=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: %exits 1 %gpucc run %s zeroed arange:64:int8 zeros:64:int8 --grid=1 --block=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=ZEROED
#include <gpucc.h>

kernel
void misaligned(const int8 *in, int8 *out)
{
    shared _Alignas(16) int8 to[64];
    memcpy_async(to, in + 4, 8);
    out[0] = to[0];
}
// MISALIGNED: misaligned, block (0, 0, 0), thread (0, 0, 0): {{.*}}copy-errors.c:[[#]]: memcpy_async of 4, 8 or 16 bytes: an address is no multiple of that

kernel
void zeroed(const int8 *in, int8 *out)
{
    shared _Alignas(16) int8 to[64];
    memcpy_async(to, in, 8, 9);
    out[0] = to[0];
}
// ZEROED: zeroed, block (0, 0, 0), thread (0, 0, 0): {{.*}}: memcpy_async: more zeros than bytes
