// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
// Code without a derivative is an error at its place, on every target.
#include <gpucc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double state;

vectorize() double stores(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:11: error: 'stores' cannot be derived: a global variable gets a value that depends on an input
    state = x * x;
    return state;
}
// CHECK-DAG: refused.c:[[#@LINE+1]]:1: note: its derivative is requested here
gradient(stores_prime, stores);

vectorize() float bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    // CHECK-DAG: refused.c:[[#@LINE+1]]:7: error: 'bits' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    u ^= 0x80000000u;
    memcpy(&x, &u, 4);
    return x;
}
gradient(bits_prime, bits);

vectorize() float punned(float x)
{
    union { float f; uint32_t u; } v = {x};
    // CHECK-DAG: refused.c:[[#@LINE+1]]:9: error: 'punned' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    v.u += 1;
    return v.f;
}
gradient(punned_prime, punned);

vectorize() float bytes(float x)
{
    unsigned char b[4];
    memcpy(b, &x, sizeof b);
    // CHECK-DAG: refused.c:[[#@LINE+1]]:12: error: 'bytes' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    return b[3] * x;
}
gradient(bytes_prime, bytes);

static uint64_t as_integer(const double *x)
{
    return *(const uint64_t *)x;
}

vectorize() double cast(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:36: error: 'cast' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    return (double)(as_integer(&x) >> 52);
}
gradient(cast_prime, cast);

vectorize() double next(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:12: error: 'next' cannot be derived: 'nextafter' has no derivative, and gets a value that depends on an input
    return nextafter(x, 2);
}
gradient(next_prime, next);

typedef double function(double);
vectorize() double pointed(double x, int n)
{
    function *f = n ? &sin : &cos;
    // CHECK-DAG: refused.c:[[#@LINE+1]]:12: error: 'pointed' cannot be derived: the function that is called through a pointer is not known
    return f(x);
}
gradient(pointed_prime, pointed);

vectorize() double atomic(double x)
{
    double s = 0;
    // CHECK-DAG: refused.c:[[#@LINE+1]]:5: error: 'atomic' cannot be derived: an atomic operation on memory that depends on an input
    atomic_add(&s, x);
    return s;
}
gradient(atomic_prime, atomic);

vectorize() double address(double x)
{
    uintptr_t p = (uintptr_t)&x;
    // CHECK-DAG: refused.c:[[#@LINE+1]]:12: error: 'address' cannot be derived: the variable that a pointer points to is not known
    return *(double *)p;
}
gradient(address_prime, address);

static double *global;
vectorize() double hidden(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:12: error: 'hidden' cannot be derived: a global variable gets a value that depends on an input
    global = &x;
    return *global * x;
}
gradient(hidden_prime, hidden);

static double written;
static void put(double *to, double x) { *to = x; }
vectorize() double through(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:5: error: 'through' cannot be derived: a global variable gets a value that depends on an input
    put(&written, x);
    return written;
}
gradient(through_prime, through);

static const double ones[3] = {1, 1, 1};
vectorize() double either(double x, int n)
{
    double v[3] = {x, x, x};
    const double *p = n ? v : ones + 1;
    // CHECK-DAG: refused.c:{{[0-9]+}}:{{[0-9]+}}: error: 'either' cannot be derived: a pointer here may point to a constant or to a variable that depends on an input
    return p[1];
}
gradient(either_prime, either);

guvectorize((n)->()) void kept(size_t n, const double x[n], double *s)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:13: error: 'kept' cannot be derived: a global variable gets a value that depends on an input
    written = x[0];
    *s = written;
}
tangent(kept_jvp, kept);

static double prints(double x)
{
    // CHECK-DAG: refused.c:[[#@LINE+1]]:5: error: 'prints' cannot be derived: 'printf' has no derivative, and gets a value that depends on an input
    printf("%g", x);
    return x * x;
}
vectorize() double calls(double x) { return prints(x); }
tangent(calls_jvp, calls);
