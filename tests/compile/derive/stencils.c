// Adjoints of stencils are stencils: each thread adds up what its element gets, with the same bits every time.
// RUN: printf '0,1,2\n3,4,5\n6,7,8\n9,10,11\n' > %t.csv
// RUN: %gpucc run --check %s heat_vjp 4 3 ones:4x3:float64 zeros:4x3:float64 zeros:4x3:float64 %t.csv 0.5 --grid=1x2 --block=4x3 | FileCheck --check-prefix=HEAT %s
// RUN: %gpucc run --check %s inner_vjp 5 arange:5:float64 zeros:5:float64 zeros:5:float64 ones:5:float64 --grid=1 --block=3 | FileCheck --check-prefix=INNER %s
// RUN: %gpucc run --check %s wrapped_vjp 2 3 ones:6:float64 zeros:6:float64 zeros:6:float64 ones:6:float64 --grid=1x2 --block=3x1 | FileCheck --check-prefix=WRAPPED %s
// RUN: %gpucc -w %s -o %t.ptx && FileCheck --check-prefix=PTX %s < %t.ptx
#include <gpucc.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Clamped at the borders, in a grid that is larger than the plate. */
kernel void heat(size_t n, size_t m, const double u[n][m], double v[n][m], double c)
{
    dim2 at = grid(2);
    if (at.y >= n || at.x >= m)
        return;
    double up = u[at.y > 0 ? at.y - 1 : 0][at.x], down = u[smaller(at.y + 1, n - 1)][at.x];
    v[at.y][at.x] = u[at.y][at.x] + c * (up + down - 2 * u[at.y][at.x]);
}
adjoint(heat_vjp, heat);
// HEAT: u_bar:
// HEAT: maximum 9.5{{$}}
// HEAT: mean    5.5{{$}}
// HEAT: first   1.5 2.5 3.5 3 4 5 6 7

/* The grid has a thread for each inner element alone; those at its border also add to the outer ones. */
kernel void inner(int n, const double *u, double *v)
{
    int i = (int)grid(1) + 1;
    if (i + 1 < n)
        v[i] = u[i - 1] * 2 + u[i] * u[i + 1];
}
adjoint(inner_vjp, inner);
// INNER: u_bar:
// INNER: first   2 4 6 6 3{{$}}
// PTX-LABEL: .entry inner_vjp(
// PTX-NOT: atom

/* The element before a row's first one is the last one of the row above. */
kernel void wrapped(size_t n, size_t m, const double *u, double *v)
{
    dim2 at = grid(2);
    size_t i = at.y * m + at.x;
    if (at.y < n && at.x < m && i > 0)
        v[i] = u[i - 1] + 10 * u[i];
}
adjoint(wrapped_vjp, wrapped);
// WRAPPED: u_bar:
// WRAPPED: first   1 11 11 11 11 10{{$}}
// PTX-LABEL: .entry wrapped_vjp(
