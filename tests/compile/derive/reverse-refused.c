// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
// Code that cannot be reversed is an error at its place, on every target.
#include <gpucc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

guvectorize((n)->()) void product(size_t n, const double x[n], double *s)
{
    double p = 1;
    for (size_t i = 0; i < n; i++)
        // CHECK-DAG: refused.c:[[#@LINE+1]]:11: error: 'product' cannot be derived: the derivative needs this variable of each iteration, and the loop has no constant bound
        p *= x[i];
    *s = p;
}
// CHECK-DAG: refused.c:[[#@LINE+1]]:1: note: its derivative is requested here
adjoint(product_vjp, product);

guvectorize((n)->(n)) void in_place(size_t n, const double x[n], double y[n])
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = exp(x[i]);
        sum += y[i];
    }
    for (size_t i = 0; i < n; i++)
        // CHECK-DAG: refused.c:[[#@LINE+1]]:14: error: 'in_place' cannot be derived: it reads an element of its output: read a local variable instead
        y[i] /= sum;
}
adjoint(in_place_vjp, in_place);

guvectorize((n)->(n)) void twice(size_t n, const double x[n], double y[n])
{
    for (size_t i = 0; i < n; i++)
        // CHECK-DAG: refused.c:[[#@LINE+1]]:14: error: 'twice' cannot be derived: it may store to an element of its output twice: use a local variable
        y[i] = x[i];
    y[0] = x[0] * x[0];
}
adjoint(twice_vjp, twice);

guvectorize((n),(n)->(n)) void scatter(size_t n, const double x[n], const int64_t at[n], double y[n])
{
    for (size_t i = 0; i < n; i++)
        // CHECK-DAG: refused.c:[[#@LINE+1]]:18: error: 'scatter' cannot be derived: it may store to an element of its output twice: use a local variable
        y[at[i]] = x[i];
}
adjoint(scatter_vjp, scatter);

guvectorize((n)->()) void history(size_t n, const double x[n], double *s)
{
    double last[4] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        // CHECK-DAG: refused.c:[[#@LINE+1]]:23: error: 'history' cannot be derived: the loop has no constant bound, and later code overwrites the variable that it reads
        sum += x[i] * last[i & 3];
        last[i & 3] = x[i];
    }
    *s = sum;
}
adjoint(history_vjp, history);

/* The branch does more than to find the largest. */
guvectorize((n)->()) void records(size_t n, const double x[n], double *s)
{
    double most = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        // CHECK-DAG: refused.c:[[#@LINE+1]]:13: error: 'records' cannot be derived: the derivative needs this variable of each iteration, and the loop has no constant bound
        if (x[i] > most) {
            most = x[i];
            sum += x[i] * x[i];
        }
    *s = sum + most;
}
adjoint(records_vjp, records);

guvectorize((n)->()) void bits(size_t n, const float x[n], float *s)
{
    uint32_t u;
    // CHECK-DAG: refused.c:[[#@LINE+1]]:5: error: 'bits' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    memcpy(&u, &x[0], 4);
    u ^= 0x80000000u;
    memcpy(s, &u, 4);
}
adjoint(bits_vjp, bits);

guvectorize((n)->()) void prints(size_t n, const double x[n], double *s)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:5: error: 'prints' cannot be derived: 'printf' has no derivative, and gets a value that depends on an input
    printf("%g", x[0]);
    *s = x[0];
}
adjoint(prints_vjp, prints);

static double state;
guvectorize((n)->()) void stores(size_t n, const double x[n], double *s)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:11: error: 'stores' cannot be derived: a global variable gets a value that depends on an input
    state = x[0];
    *s = state;
}
adjoint(stores_vjp, stores);

static double rising(double x, int n) { return n == 0 ? 1 : (x + n) * rising(x, n - 1); }
guvectorize((n)->()) void recursive(size_t n, const double x[n], double *s)
{
    *s = rising(x[0], (int)n);
}
// CHECK-DAG: error: 'recursive' cannot be derived: 'rising' is recursive, which reverse mode does not support
adjoint(recursive_vjp, recursive);

typedef double function(double);
guvectorize((n),()->()) void pointed(size_t n, const double x[n], int32 which, double *s)
{
    function *f = which ? &sin : &cos;
    // CHECK-DAG: refused.c:[[#@LINE+1]]:10: error: 'pointed' cannot be derived: the function that is called through a pointer is not known
    *s = f(x[0]);
}
adjoint(pointed_vjp, pointed);

guvectorize((n)->()) void next(size_t n, const double x[n], double *s)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:10: error: 'next' cannot be derived: 'nextafter' has no derivative, and gets a value that depends on an input
    *s = nextafter(x[0], 2);
}
adjoint(next_vjp, next);
