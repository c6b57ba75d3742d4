// A kernel has no return address: LLVM made the end of the thread of a call.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc %s -o %t.so 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc %s %S/Inputs/calls-kernel.c -DCALLER -o %t.ptx 2>&1 | FileCheck %s --check-prefix=FILES
// RUN: %exits 1 %gpucc %s %S/Inputs/calls-kernel.ll -DLINKED -o %t.ptx 2>&1 | FileCheck %s --check-prefix=LINKED
#include <gpucc.h>

kernel void first(int *o) { *o = 3; }

#if defined(LINKED)
void middle(int *o);
kernel void last(int *o) { middle(o); }
// LINKED: error: 'middle', which is linked, calls 'first', a kernel: it is launched, and device code cannot call it
#elif !defined(CALLER)
kernel void both(int *o)
{
    // CHECK: kernel-calls.c:[[#@LINE+2]]:5: error: 'first' is a kernel: it is launched, and device code cannot call it
    // CHECK: kernel-calls.c:[[#@LINE+1]]:5: note: move its body to a device function, and call that from both places
    first(o);
}

static void call(void (*f)(int *), int *o) { f(o); }

kernel void by_pointer(int *o)
{
    // CHECK: kernel-calls.c:[[#@LINE+1]]:10: error: 'first' is a kernel
    call(first, o);
    // CHECK: kernel-calls.c:[[#@LINE+1]]:25: error: 'both' is a kernel
    void (*f)(int *) = &both;
    f(o);
}

// CHECK: kernel-calls.c:[[#@LINE+1]]:42: error: 'both' is a kernel
static void (*const table[])(int *) = { &both };

kernel void by_table(int *o) { table[0](o); }

static void through(int *o)
{
    // CHECK: kernel-calls.c:[[#@LINE+1]]:5: error: 'first' is a kernel
    first(o);
}

vectorize() int32 half(int32 x) { return x / 2; }

kernel void right(int *o)
{
    through(o);
    *o = half(*o);
}
// CHECK-NOT: error:
#endif
// FILES: calls-kernel.c:4:{{[0-9]+}}: error: 'first' is a kernel: it is launched, and device code cannot call it
// FILES: kernel-calls.c:8:13: note: it is defined here
