// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
// Operations of kernels that cannot be reversed are errors at their places, on every target.
#include <gpucc.h>
#include <gpucc/atomic.h>
#include <stdio.h>

kernel void largest(const float *x, float *y)
{
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'largest' cannot be derived: {{.*}}atomic operation
    atomic_max(y, x[grid(1)]);
}
adjoint(largest_vjp, largest);

kernel void ticket(const float *x, float *y, int *next)
{
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'ticket' cannot be derived: an atomic operation whose result is used
    int k = atomic_add(next, 1);
    y[k] = x[k];
}
adjoint(ticket_vjp, ticket);

kernel void overwritten(const float *x, float *y)
{
    y[grid(1)] = x[grid(1)];
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'overwritten' cannot be derived: it may read an element that was stored before: read a local variable instead
    y[0] = y[1] * x[0];
}
adjoint(overwritten_vjp, overwritten);

kernel void twice(const int *at, const float *x, float *y)
{
    for (int i = 0; i < 100; i++)
        // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'twice' cannot be derived: it may store to an element of its output twice: use a local variable
        y[at[i]] = x[i];
}
adjoint(twice_vjp, twice);

kernel void printed(const float *x, float *y)
{
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'printed' cannot be derived: the adjoint of a kernel does not support 'printf'
    printf("%d\n", (int)grid(1));
    y[grid(1)] = x[grid(1)];
}
adjoint(printed_vjp, printed);

float total;

kernel void global_sum(const float *x, float *y)
{
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'global_sum' cannot be derived: a global variable gets a value that depends on an input
    total = x[grid(1)];
    y[grid(1)] = x[grid(1)];
}
adjoint(global_sum_vjp, global_sum);

kernel void locked(const float *x, float *y, int *lock)
{
    // CHECK-DAG: refused-code.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'locked' cannot be derived: an atomic operation
    while (atomic_cas(lock, 0, 1) != 0)
        ;
    y[0] += x[grid(1)];
    atomic_exch(lock, 0);
}
adjoint(locked_vjp, locked);
