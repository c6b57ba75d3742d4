// The least 16-bit number is its own negation and its own magnitude: ptxas of CUDA 13 takes it that `neg.s16`, a
// subtraction from 0, and `abs.s16` meet no such number, and compares or converts 32768.
// RUN: %gpucc %s --emit=ptx --arch=sm_75 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_90 -o - | FileCheck %s
#include <gpucc.h>
#include <stdlib.h>

vectorize(int32(int16))
int32 opposite(int16 x)
{
    int16 y = (int16)-x;
    return y < 0 ? y : 1000000 + y;
}

vectorize(int16(int16))
int16 magnitude(int16 x)
{
    int16 y = (int16)abs(x);
    return y < 0 ? x : y;
}

/* Negated in 32 bits, of which 16 are kept. */
vectorize(uint32(uint32))
uint32 halves(uint32 x)
{
    return (uint16)-(x & 65535) | (uint32)(uint16)-(x >> 16) << 16;
}
// CHECK-NOT: {{neg|abs}}.s16
// CHECK: cvt.s32.s16 wide, [[X:%rs[0-9]+]]; neg.s32 wide, wide; cvt.u16.u32 %rs{{[0-9]+}}, wide;
// CHECK-NOT: {{neg|abs}}.s16
