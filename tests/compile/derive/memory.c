// Derivatives through memory: arrays, pointers in structs, chosen pointers, tables, vectors; each function is x^3 or so.
// RUN: %gpucc run %s zeroed_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s tabled_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s matrix_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s linked_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s returned_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s walked_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s kept_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s joined_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s moved_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s lanes_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s jumps_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s swapped_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s outward_prime 2.0 | FileCheck %s
// RUN: %gpucc run %s mixed_prime ones:1:float32 full:1:float64:2.0 true ones:1:uint8 | FileCheck --check-prefix=MIXED %s
// RUN: %gpucc run %s unused_prime 2.0 3.0 | FileCheck --check-prefix=UNUSED %s
// RUN: %gpucc run --check %s linked_prime 2.0 | FileCheck %s
// RUN: %gpucc -O0 -g %s -o %t.ptx -o %t.o
// CHECK: first   12{{$}}
#include <gpucc.h>
#include <math.h>
#include <string.h>

vectorize() double zeroed(double x)
{
    double v[20] = {0};
    for (int i = 0; i < 20; i++)
        v[i] += i % 3 == 1 ? x : 0;
    return v[1] * v[4] * v[7] + v[0];
}
gradient(zeroed_prime, zeroed);

static const double table[4] = {1, 1, 0, 1};
vectorize() double tabled(double x)
{
    double v[4] = {1, 2, 3, 4}, w[4];
    memcpy(w, table, sizeof w);
    v[1] = x;
    return v[0] * v[1] * x * x * w[3] + w[2] * table[0];
}
gradient(tabled_prime, tabled);

vectorize() double matrix(double x)
{
    double a[2][2] = {{x, 1}, {0, x}}, b[2][2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            b[i][k] = 0;
            for (int n = 0; n < 2; n++)
                b[i][k] += a[i][n] * a[n][k];
        }
    return b[0][0] * a[1][1];
}
gradient(matrix_prime, matrix);

typedef struct node { double value; struct node *next; int count; } node;
vectorize() double linked(double x)
{
    node c = {x, NULL, 1}, b = {x, &c, 2}, a = {x, &b, 3};
    double product = 1;
    int sum = 0;
    for (node *n = &a; n; n = n->next) {
        product *= n->value;
        sum += n->count;
    }
    return product * (sum - 5);
}
gradient(linked_prime, linked);

static double *larger(double *a, double *b) { return *a > *b ? a : b; }
vectorize() double returned(double x)
{
    double a = x * x, b = -x;
    *larger(&a, &b) *= x;
    return a;
}
gradient(returned_prime, returned);

vectorize() double walked(double x)
{
    double v[3] = {x, x, x}, product = 1;
    for (const double *p = v; p < v + 3; p++)
        product *= *p;
    return product;
}
gradient(walked_prime, walked);

vectorize() double kept(double x)
{
    volatile double y = x;
    return y * y * y;
}
gradient(kept_prime, kept);

/* A union whose numbers are only numbers. */
vectorize() double joined(double x)
{
    union { double d; struct { double a, b; } s; } u;
    u.s.a = x;
    u.s.b = x;
    return u.d * u.s.b * u.s.a;
}
gradient(joined_prime, joined);

vectorize() double moved(double x)
{
    double v[4] = {x, 1, x, x};
    memmove(v + 1, v, 3 * sizeof *v);
    memset(v, 0, sizeof *v);
    return v[0] + v[1] * v[2] * v[3] * x;
}
gradient(moved_prime, moved);

typedef double pair __attribute__((vector_size(16)));
vectorize() double lanes(double x)
{
    pair a = {x, 1}, b = {x * x, 7};
    a *= b;
    return a[0];
}
gradient(lanes_prime, lanes);

vectorize() double jumps(double x)
{
    double y = 1;
    int n = 0;
again:
    y *= x;
    if (++n < 3)
        goto again;
    do
        y += 0;
    while (n-- > 0);
    return y;
}
gradient(jumps_prime, jumps);

gpucc_noinline static void swap(double *restrict a, double *restrict b)
{
    double t = *a;
    *a = *b;
    *b = t;
}
vectorize() double swapped(double x)
{
    double a = x * x * x, b = 1;
    for (int i = 0; i < 5; i++)
        swap(&a, &b);
    return b + a * 0;
}
gradient(swapped_prime, swapped);

/* Its output, through a pointer. */
vectorize() void outward(double x, double *y)
{
    *y = x;
    *y *= *y * x;
}
gradient(outward_prime, outward);

vectorize() double mixed(float x, double y, boolean b, uint8 n) { return b ? (double)x * y * n : y; }
gradient(mixed_prime, mixed);
// MIXED: dx: shape (1,), dtype float32
// MIXED: first   2{{$}}
// MIXED: dy: shape (1,), dtype float64
// MIXED: first   1{{$}}

vectorize() double unused(double x, double y) { return x * 2; }
gradient(unused_prime, unused);
// UNUSED: first   2{{$}}
// UNUSED: first   0{{$}}
