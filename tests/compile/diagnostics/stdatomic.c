// Atomic operations on what is too large, and on what is not atomic.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>
#include <stdatomic.h>

struct two {
    double x, y;
};

kernel
void k(_Atomic(struct two) *p, struct two *q, int *n)
{
    q[0] = atomic_load(p);
    // CHECK: stdatomic.c:[[#@LINE-1]]:{{[0-9]+}}: error: static assertion failed due to requirement {{.*}}: atomic operations support at most 8 bytes
    atomic_fetch_add(n, 1);
    // CHECK: stdatomic.c:[[#@LINE-1]]:{{[0-9]+}}: error: address argument to atomic operation must be a pointer to _Atomic type
}

_Atomic struct two both[2];
struct holder {
    _Atomic struct two pair;
};
_Atomic(__int128) wide;
_Atomic(complex64) small;

kernel
void plain(struct holder *h)
{
    // CHECK: stdatomic.c:[[#@LINE+2]]:{{[0-9]+}}: error: atomic operations support at most 8 bytes, and '_Atomic(struct two)' has 16
    // CHECK: stdatomic.c:[[#@LINE+1]]:{{[0-9]+}}: error: atomic operations support at most 8 bytes
    both[1] = h->pair;
    // CHECK: stdatomic.c:[[#@LINE+1]]:5: error: atomic operations support at most 8 bytes, and '_Atomic(__int128)' has 16
    wide += 1;
    small = 3;
}
// CHECK-NOT: error:
