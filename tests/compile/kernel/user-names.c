// Neither the macros nor the names of a program get in the way of what gpucc adds to it.
// RUN: %gpucc %s -Din0= -Ddata0=4 -o %t.ptx -o %t.o
// RUN: %gpucc run %s p zeros:6:float32 3 --grid=1 --block=4 --device=cpu | FileCheck %s --check-prefix=KERNEL
// RUN: %gpucc run %s done arange:4:float32 ones:4:float64 --device=cpu | FileCheck %s --check-prefix=DONE
// RUN: %gpucc run %s out0 arange:4:float64 --device=cpu | FileCheck %s --check-prefix=OUT
// RUN: %gpucc run %s slow arange:4:int8 --device=cpu | FileCheck %s --check-prefix=SLOW
#include <gpucc.h>
#define n 5
#define i 3
#define args 3
#define value(x) ((x) * n)
#define size 256
#define real float

kernel
void p(real *q, int w)
{
    shared float s[size];
    q[grid(1)] = value(w);
    s[threadIdx.x] = i;
    syncthreads();
    q[1] = s[2];
}
// KERNEL: first   15 3 15 15 0 0{{$}}

vectorize()
real done(real r, double t)
{
    return r + (float)t + n;
}
// DONE: first   6 7 8 9{{$}}

typevar(T, float32, float64);
vectorize()
T out0(T r)
{
    return r * n;
}
// OUT: first   0 5 10 15{{$}}

vectorize()
void slow(int8 r, int8 *t)
{
    *t = r;
}
// SLOW: first   0 1 2 3{{$}}

vectorize()
real unused(real r)
{
    return r + args;
}

typedef struct {
    float a, b;
} pair;
kernel
void data(pair a, pair *b, T c[n], const T d[2][n])
{
    b[0] = a;
    c[0] = d[1][2];
}
