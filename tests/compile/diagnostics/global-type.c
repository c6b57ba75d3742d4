// A variable that hosts see is one, so it cannot have another type for each instance; a static one can.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %gpucc %s -DSTORAGE=static -o %t.ptx
#include <gpucc.h>
#ifndef STORAGE
#define STORAGE
#endif

typevar(T, float32, float64);

// CHECK: global-type.c:[[@LINE+3]]:20: error: the type of 'weights' depends on a type variable, but hosts see one variable of this name
// CHECK: note: make it 'static': then each type has its own, invisible to hosts
// CHECK-NOT: error:
STORAGE constant T weights[2] = {1, 2};
int counter;

kernel
void weigh(T *a)
{
    *a *= weights[counter++ & 1];
}
// CHECK: 1 error generated.
