// Adjoints of kernels: arrays that are read, written, and both; loops; atomic additions; on the CPU.
// RUN: %gpucc run %s axpy_vjp 3 2.0 arange:3:float64 zeros:3:float64 ones:3:float64 full:3:float64:5.0 --threads=3 | FileCheck --check-prefix=AXPY %s
// RUN: %gpucc run --check %s stride_vjp 5 arange:5:float64 ones:5:float64 zeros:5:float64 ones:5:float64 --grid=2 --block=2 | FileCheck --check-prefix=STRIDE %s
// RUN: %gpucc run %s histogram_vjp 4 arange:4:float64 zeros:4:float64 zeros:2:float64 arange:2:float64 --threads=4 | FileCheck --check-prefix=HISTOGRAM %s
// RUN: %gpucc run --check %s rows_vjp 2 3 ones:2x3:float64 zeros:2x3:float64 arange:3:float64 zeros:3:float64 zeros:2:float64 ones:2:float64 --threads=2 | FileCheck --check-prefix=ROWS %s
// RUN: %gpucc run --check %s early_vjp 4 arange:4:float64 zeros:4:float64 zeros:4:float64 ones:4:float64 zeros:4:float64 full:4:float64:2.0 --threads=4 | FileCheck --check-prefix=EARLY %s
// RUN: %gpucc %s -o %t.json && FileCheck --check-prefix=MANIFEST %s < %t.json
// RUN: %gpucc -g %s -o %t.ptx && FileCheck --check-prefix=PTX %s < %t.ptx
#include <gpucc.h>
#include <gpucc/atomic.h>

kernel void axpy(size_t n, double a, const double x[n], double y[n])
{
    size_t i = grid(1);
    if (i < n)
        y[i] *= a * x[i];
}
adjoint(axpy_vjp, axpy); /* 5 * a * y, and 5 * a * x in the place of 5 */
// AXPY: x_bar:
// AXPY: first   10 10 10{{$}}
// AXPY: y_bar:
// AXPY: first   0 10 20{{$}}
// MANIFEST: "name": "axpy_vjp"
// MANIFEST: "derivative_of": "axpy"
// PTX-LABEL: .entry axpy_vjp(
// PTX-NOT: atom
// PTX-LABEL: .entry stride_vjp(
// PTX: atom

/* An index that wraps around is an error of the kernel. */
kernel void stride(int n, const double *x, double *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = x[i] * x[n - 1 - i];
}
adjoint(stride_vjp, stride);
// STRIDE: x_bar:
// STRIDE: first   9 7 5 3 1{{$}}
// STRIDE: y_bar:
// STRIDE: first   1 1 1 1 1{{$}}

kernel void histogram(size_t n, const double *x, double *bins)
{
    size_t i = grid(1);
    if (i < n)
        atomic_add(&bins[i % 2], x[i] * x[i]);
}
adjoint(histogram_vjp, histogram);
// HISTOGRAM: x_bar:
// HISTOGRAM: first   0 2 0 6{{$}}

kernel void rows(size_t m, size_t n, const double a[m][n], const double x[n], double y[m])
{
    size_t i = grid(1);
    if (i >= m)
        return;
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[i][j] * x[j];
    y[i] = sum;
}
adjoint(rows_vjp, rows);
// ROWS: a_bar:
// ROWS: first   0 1 2 0 1 2{{$}}
// ROWS: x_bar:
// ROWS: first   2 2 2{{$}}

/* Outputs are stored on several ways, in another order. */
kernel void early(size_t n, const double x[n], double y[n], double z[n])
{
    size_t i = grid(1);
    if (i >= n)
        return;
    if (x[i] > 1.5) {
        for (int k = 0; k < 5; k++) {
            if (k == 1) {
                y[i] = x[i] * x[i];
                z[i] = k * 3 * x[i];
                return;
            }
        }
    }
    z[i] = x[i] * x[i] * x[i];
    y[i] = 5 * x[i];
}
adjoint(early_vjp, early);
// EARLY: x_bar:
// EARLY: first   5 11 10 12{{$}}
