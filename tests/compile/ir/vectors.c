// Straight-line code on neighbouring floats becomes vectors. On integers it does not: LLVM 19 took the sign bits of a byte that
// is made an unsigned number, and that a float, for superfluous.
// RUN: %gpucc %s -o %t.o
// RUN: llvm-objdump-19 -d --disassemble-symbols=floats.x86-64-v3 %t.o | FileCheck %s --check-prefix=FLOATS
// RUN: llvm-objdump-19 -d --disassemble-symbols=integers.x86-64-v3 %t.o | FileCheck %s --check-prefix=INTEGERS
#include <gpucc.h>

device void floats(float *restrict y, const float *restrict x)
{
    y[0] = x[0] * x[0] + x[4];
    y[1] = x[1] * x[1] + x[5];
    y[2] = x[2] * x[2] + x[6];
    y[3] = x[3] * x[3] + x[7];
}
// FLOATS: vfmadd{{.*}}ps
// FLOATS-NOT: vfmadd{{.*}}ss

device boolean integers(const int8 *x, float by)
{
    float a = (float)(uint16)x[0] * by * by, b = (float)(uint16)x[1] * by * by;
    return a != a | b != b;
}
// INTEGERS-NOT: vpmovzxbd
// INTEGERS: ret
