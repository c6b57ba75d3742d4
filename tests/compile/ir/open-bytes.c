// Initial values leave no byte of a variable open: those of a union behind its first member, and padding, are zero.
// RUN: %gpucc %s --dump=lower -o %t.o 2>&1 | FileCheck %s
#include <gpucc.h>

// CHECK-NOT: {{ undef}}
// CHECK: @numbers = internal global {{.*}} { float 1.000000e+00, [12 x i8] zeroinitializer }
static union {
    float first;
    uint8 bytes[16];
} numbers[2] = {{1}, {2}};

// CHECK: @nested = internal global {{.*}}[12 x i8] zeroinitializer
// CHECK-NOT: {{ undef}}
static struct {
    char tag;
    union {
        int word;
        uint64 words[2];
    } value;
} nested[1] = {{'a', {7}}};

kernel
void sum(int k, uint8 *out)
{
    *out = numbers[k & 1].bytes[k & 15] + ((const uint8 *)nested)[k % (int)sizeof nested];
    numbers[k & 1].first = k;
    nested[0].value.word = k;
}
