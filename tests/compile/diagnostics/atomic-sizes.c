// Atomic operations of sizes, and at addresses, that neither GPUs nor native code have without a library.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc %s -o %t.so 2>&1 | FileCheck %s
#include <gpucc.h>

#define ADD(p) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED)
struct two { long a, b; };
struct three { char c[3]; };
struct __attribute__((packed)) packed { char c; _Atomic int n; };

kernel void wide(__int128 *p)
{
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:5: error: atomic operations support at most 8 bytes, and '__int128' has 16
    __atomic_fetch_add(p, 3, __ATOMIC_RELAXED);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:10: error: atomic operations support at most 8 bytes, and '__sync_fetch_and_add' is called for 16
    *p = __sync_fetch_and_add(p, 3);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:10: error: atomic operations support at most 8 bytes, and '__int128' has 16
    *p = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:5: error: {{.*}} '__sync_val_compare_and_swap' is called for 16
    __sync_val_compare_and_swap(p, 0, 1);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:20: error: atomic operations support at most 8 bytes, and '__int128' has 16
    long x = (long)ADD(p);
    *p = x;
}

kernel void structs(struct two *two, struct three *three, struct packed *packed)
{
    struct two into;
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:5: error: atomic operations support at most 8 bytes, and 'struct two' has 16
    __atomic_load(two, &into, __ATOMIC_RELAXED);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:5: error: atomic operations support 1, 2, 4 or 8 bytes, and 'struct three' has 3
    __atomic_store(three, three, __ATOMIC_RELAXED);
    // CHECK: atomic-sizes.c:[[#@LINE+1]]:13: error: atomic operations need an address that is a multiple of 4, and 'n' is aligned to 1 in its struct
    packed->n = 3;
}

kernel void right(struct two **p, long *q, unsigned char *r, float *s)
{
    struct two *two = __atomic_load_n(p, __ATOMIC_RELAXED);
    *q = (long)__atomic_load_n(p, __ATOMIC_RELAXED) + ADD(&two->a) + __sync_fetch_and_add(q, 1) + ADD(r);
    __atomic_store(s, s + 1, __ATOMIC_RELAXED);
}
// CHECK-NOT: error:
