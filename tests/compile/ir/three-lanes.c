// A vector of 3 elements is stored as 4, of which the last is zero: an open one would make all of a struct open that is
// returned as integers.
// RUN: %gpucc %s --dump=lower -o %t.o 2>&1 | FileCheck %s
#include <gpucc.h>

typedef uint8 three __attribute__((ext_vector_type(3)));
typedef struct {
    three pair[2];
} pair;

// CHECK-NOT: i32 poison
// CHECK: shufflevector <3 x i8> %{{.*}}, <3 x i8> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
// CHECK-NOT: i32 poison
__attribute__((noinline)) static pair turned(three x, three y)
{
    return (pair){{y, x}};
}

kernel
void turn(const three *from, pair *to)
{
    *to = turned(from[0], from[1]);
}
