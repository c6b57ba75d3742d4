// The level is the user's; -O0 keeps what -O3 folds away.
// RUN: %gpucc %s -O0 --emit=ll -o - | FileCheck %s --check-prefix=NONE
// RUN: %gpucc %s -O3 --emit=ll -o - | FileCheck %s --check-prefix=FULL
// RUN: %gpucc %s --emit=ll -o - | FileCheck %s --check-prefix=FULL
#include <gpucc.h>

kernel
void count(int32 *out)
{
    int32 sum = 0;
    for (int32 i = 0; i < 10; i++)
        sum += i;
    *out = sum;
}
// NONE: icmp slt i32 {{.*}}, 10
// FULL-NOT: icmp
// FULL: store i32 45
