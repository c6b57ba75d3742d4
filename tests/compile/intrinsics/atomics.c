// Atomic operations on every type, in global and in shared memory, in every scope; values on the CPU.
// RUN: %gpucc %s --arch=sm_90 -o %t.o -o %T/atomics.h
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -I%T %S/Inputs/atomics_host.c %t.o %lib -o %t.exe
// RUN: %t.exe > %t.out
// RUN: FileCheck %s --check-prefix=ALL < %t.out
// RUN: FileCheck %s --check-prefix=BITS < %t.out
#include <gpucc.h>

typevar(T, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64);
typevar(I, int8, uint8, int16, uint16, int32, uint32, int64, uint64);

#define OPERATE(scope)                                                                                                 \
    T old = atomic_add##scope(&a[0], (T)1), seen = a[6];                                                               \
    atomic_sub##scope(&a[1], (T)1);                                                                                    \
    atomic_min##scope(&a[2], i);                                                                                       \
    atomic_max##scope(&a[3], (T)(100 + i));                                                                            \
    atomic_nanmin##scope(&a[4], (T)(50 + i));                                                                          \
    atomic_nanmax##scope(&a[5], (T)(120 + i));                                                                         \
    for (T before; (before = atomic_cas##scope(&a[6], seen, (T)(seen + 1))) != seen;)                                  \
        seen = before;                                                                                                 \
    atomic_add##scope(&a[7], (T)(old - 90))

static void in_device(T *a, T i) { OPERATE(); }
static void in_block(T *a, T i) { OPERATE(_block); }
static void in_system(T *a, T i) { OPERATE(_system); }

/* Eight threads. */
kernel
void in_global(T *a)
{
    if (blockIdx.x % 2)
        in_device(a, (T)grid(1));
    else
        in_system(a, (T)grid(1));
}
// ALL-COUNT-24: {{in_[a-z0-9_]+:}} 98 82 0 107 50 127 98 118{{$}}

kernel
void in_shared(T *a)
{
    shared T b[8];
    b[threadIdx.x] = a[threadIdx.x];
    syncthreads();
    if (threadIdx.x % 2)
        in_device(b, (T)threadIdx.x);
    else
        in_block(b, (T)threadIdx.x);
    syncthreads();
    a[threadIdx.x] = b[threadIdx.x];
}

/* 90 is 0x5a.  Of exchanged values the sum is kept. */
kernel
void bits(I *a)
{
    I i = (I)grid(1), old;
    atomic_and(&a[0], (I)~(1 << i % 4));
    atomic_or_block(&a[1], (I)(1 << i % 3));
    atomic_xor_system(&a[2], (I)(i + 1));
    old = atomic_exch(&a[3], (I)(i * 2));
    atomic_sub(&a[4], (I)(old - (I)(i * 2)));
    atomic_inc(&a[5], (I)93);
    atomic_dec(&a[6], (I)5);
}
// BITS-COUNT-8: {{bits_[a-z0-9]+:}} 80 95 82 [[LAST:[0-9]+]] [[LAST]] 4 4 90{{$}}
