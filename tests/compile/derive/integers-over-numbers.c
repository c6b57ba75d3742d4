// An integer that is stored over a number, as LLVM makes of memset() of one, ends what the number's derivative gets.
// RUN: %gpucc run --check %s cleared_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 --shared=128 | FileCheck --check-prefix=TWO %s
// RUN: %gpucc run --check %s cleared_static_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=TWO %s
// RUN: %gpucc run --check %s taken_vjp 4 full:4:float64:3.0 zeros:4:float64 ones:4:float64 full:4:float64:5.0 --grid=1 --block=4 | FileCheck --check-prefix=TAKEN %s
// RUN: %gpucc run %s parted_vjp ones:4:float64 arange:4:int32 ones:4:float64 | FileCheck --check-prefix=PARTED %s
// RUN: %gpucc run %s parted_jvp ones:4:float64 arange:4:int32 ones:4:float64 | FileCheck --check-prefix=PARTED-TANGENT %s
// RUN: %gpucc run %s united_vjp ones:4:float64 arange:4:int32 ones:4:float64 | FileCheck --check-prefix=UNITED %s
// RUN: %gpucc run %s united_jvp ones:4:float64 arange:4:int32 ones:4:float64 | FileCheck --check-prefix=UNITED-TANGENT %s
// Dynamic shared memory with room for some: what takes the place of an element's adjoint makes it NaN.
// RUN: %gpucc run %s both_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 --shared=256 | FileCheck --check-prefix=BOTH %s
// RUN: %gpucc run %s both_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 --shared=192 | FileCheck --check-prefix=SOME %s
// RUN: %gpucc run --check %s first_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 --shared=24 | FileCheck --check-prefix=FIRST %s
// RUN: %gpucc run --check %s first_vjp 8 ones:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 --shared=8 | FileCheck --check-prefix=NONE %s
// RUN: %exits 1 %gpucc -w -DSPLIT %s -o %t.o 2>&1 | FileCheck --check-prefix=SPLIT %s
#include <gpucc.h>
#include <string.h>

kernel void cleared(size_t n, const double *a, double *y)
{
    dynamic_shared(double, s);
    unsigned t = threadIdx.x;
    size_t i = grid(1);
    s[t] = i < n ? a[i] : 0;
    syncthreads();
    double c = 2 * s[t];
    syncthreads();
    memset(&s[t], 0, sizeof s[t]);
    syncthreads();
    if (i < n)
        y[i] = c + s[t];
}
adjoint(cleared_vjp, cleared);

kernel void cleared_static(size_t n, const double *a, double *y)
{
    shared struct { float x, y; } s[8];
    unsigned t = threadIdx.x;
    size_t i = grid(1);
    s[t].x = i < n ? (float)a[i] : 0;
    syncthreads();
    float c = 2 * s[t].x;
    syncthreads();
    memset(&s[t], 0, sizeof s[t]);
    syncthreads();
    if (i < n)
        y[i] = (double)(c + s[t].x);
}
adjoint(cleared_static_vjp, cleared_static);
// TWO: a_bar:
// TWO: first   2 2 2 2 2 2 2 2

/* The element's old value reaches no output. */
kernel void taken(size_t n, const double *a, double *y)
{
    size_t i = grid(1);
    if (i >= n)
        return;
    double v = y[i];
    memset(&y[i], 0, sizeof y[i]);
    if (a[i] > 5)
        y[i] = v;
}
adjoint(taken_vjp, taken);
// TAKEN: y_bar:
// TAKEN: first   0 0 0 0

vectorize() double parted(double x, int32 k)
{
    struct { int n; double x; } q[4];
    for (int j = 0; j < 4; j++) {
        q[j].x = (1 + j) * x * x;
        q[j].n = j;
    }
    memset(&q[k & 3].x, 0, sizeof q[0].x);
    q[(k + 1) & 3].n = 5;
    return q[0].x + q[1].x + q[2].x + q[(k + 3) & 3].x * q[(k + 1) & 3].n;
}
adjoint(parted_vjp, parted);
tangent(parted_jvp, parted);
// PARTED: 50 18 26 42
// PARTED-TANGENT: 50 18 26 42

/* The union's type in LLVM is that of the integer. */
vectorize() double united(double x, int32 k)
{
    union { int64_t l; double d; } q[4];
    for (int j = 0; j < 4; j++)
        q[j].d = j * x * x;
    q[(k + 1) & 3].l = 0;
    return q[k & 3].d * x + q[(k + 1) & 3].d;
}
adjoint(united_vjp, united);
tangent(united_jvp, united);
// UNITED: 0 3 6 9
// UNITED-TANGENT: 0 3 6 9

kernel void both(size_t n, const double *a, double *y)
{
    dynamic_shared(double, s);
    dynamic_shared(double, q, 8 * sizeof(double));
    unsigned t = threadIdx.x;
    s[t] = a[t];
    q[t] = 10 + t;
    syncthreads();
    y[t] = s[t] * q[7 - t];
}
adjoint(both_vjp, both);
// BOTH: a_bar:
// BOTH: first   17 16 15 14 13 12 11 10
// SOME: a_bar:
// SOME: first   nan nan nan nan 13 12 11 10

kernel void first(size_t n, const double *a, double *y)
{
    dynamic_shared(double, s);
    if (threadIdx.x == 0)
        s[0] = 3 * a[0];
    syncthreads();
    y[threadIdx.x] = s[0];
}
adjoint(first_vjp, first);
// FIRST: a_bar:
// FIRST: first   24 0 0 0 0 0 0 0
// NONE: a_bar:
// NONE: first   nan 0 0 0 0 0 0 0

#ifdef SPLIT
kernel void split(size_t n, const double *a, double *y)
{
    shared double s[8];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    syncthreads();
    // SPLIT-DAG: numbers.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'split' cannot be derived: an integer is stored over a part of a floating-point number that depends on an input
    memset(&s[t], 0, 4);
    syncthreads();
    y[t] = s[7 - t];
}
adjoint(split_vjp, split);

vectorize() double half(double x, int32 k)
{
    double q[4] = {x, x * x, 1, 2};
    // SPLIT-DAG: numbers.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'half' cannot be derived: an integer is stored over a part of a floating-point number that depends on an input
    *(int *)&q[k & 3] = 0;
    return q[1];
}
tangent(half_jvp, half);
#endif
