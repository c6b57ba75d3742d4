// Types that GPUs do not have are errors at their places, also inside expressions that a check of numbers walks through.
// RUN: not %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: not %gpucc -DWIDE %s -o %t.ptx 2>&1 | FileCheck --check-prefix=WIDE %s
#include <gpucc.h>

#ifdef WIDE
// WIDE: odd_types.c:[[#@LINE+4]]:5: error: signed _BitInt of bit sizes greater than 128 not supported
vectorize()
int f(int x)
{
    _BitInt(200) y = x;
    y = y % (x | 1) ? y << 3 : y;
    y <<= 3;
    return (int)(y >> 3);
}
#else
struct empty {
};

// CHECK-DAG: odd_types.c:[[#@LINE+1]]:53: error: 'a' passes 'struct empty' by value, which has no bytes: device code passes no empty types
static __attribute__((noinline)) int g(struct empty a, int x)
{
    return x + (int)sizeof a;
}

// CHECK-DAG: odd_types.c:[[#@LINE+1]]:21: error: 'h' passes 'struct empty' by value
static struct empty h(int x)
{
    struct empty a;
    (void)x;
    return a;
}

vectorize()
int f(int x)
{
    struct empty a;
    h(x);
    return g(a, x);
}

// CHECK-DAG: odd_types.c:[[#@LINE+2]]:21: error: 'p' passes 'struct empty' by value
kernel
void k(struct empty p, int *y)
{
    (void)p;
    *y = 1;
}
#endif
