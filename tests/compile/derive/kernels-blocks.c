// Adjoints of kernels with barriers and shared arrays, on the CPU.
// RUN: %gpucc run --check %s block_sum_vjp 6 arange:6:float64 zeros:6:float64 zeros:2:float64 arange:2:float64 --grid=2 --block=4 | FileCheck --check-prefix=SUM %s
// RUN: %gpucc run --check %s product_vjp 3 full:3x3:float64:2.0 zeros:3x3:float64 full:3x3:float64:3.0 zeros:3x3:float64 zeros:3x3:float64 ones:3x3:float64 --grid=2x2 --block=2x2 | FileCheck --check-prefix=PRODUCT %s
// RUN: %gpucc run --check %s smooth_vjp 5 arange:5:float64 zeros:5:float64 zeros:5:float64 ones:5:float64 --grid=2 --block=3 | FileCheck --check-prefix=SMOOTH %s
// RUN: %gpucc run --check %s pairs_vjp 5 arange:5:float64 zeros:5:float64 zeros:5:float64 ones:5:float64 --grid=3 --block=2 | FileCheck --check-prefix=PAIRS %s
// RUN: %gpucc run --check %s parts_vjp 4 arange:4:float64 zeros:4:float64 zeros:1:float64 ones:1:float64 --grid=1 --block=3 | FileCheck --check-prefix=PARTS %s
// RUN: %gpucc run --check %s scan_vjp 3 full:3:float64:2.0 zeros:3:float64 zeros:3:float64 ones:3:float64 --grid=1 --block=4 | FileCheck --check-prefix=SCAN %s
// RUN: %gpucc run --check %s launched_vjp 6 arange:6:float64 zeros:6:float64 zeros:2:float64 arange:2:float64 --grid=2 --block=4 --shared=64 | FileCheck --check-prefix=SUM %s
// RUN: %gpucc run %s launched_vjp 6 arange:6:float64 zeros:6:float64 zeros:2:float64 arange:2:float64 --grid=2 --block=4 --shared=32 | FileCheck --check-prefix=SMALL %s
// RUN: %gpucc run --check %s parted_vjp 3 arange:3:float32 zeros:3:float32 zeros:3:float32 ones:3:float32 --grid=1 --block=3 --shared=48 | FileCheck --check-prefix=PARTED %s
// RUN: %gpucc -g %s -o %t.ptx && FileCheck --check-prefix=PTX %s < %t.ptx
#include <gpucc.h>
#include <gpucc/atomic.h>

/* Strides are halved. */
kernel void block_sum(size_t n, const double x[n], double *y)
{
    shared double s[256];
    unsigned t = threadIdx.x;
    size_t i = grid(1);
    s[t] = i < n ? x[i] * x[i] : 0;
    syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}
adjoint(block_sum_vjp, block_sum); /* 2 * x * y_bar of the block */
// SUM: x_bar:
// SUM: first   0 0 0 0 8 10{{$}}
// PTX-LABEL: .entry block_sum_vjp(
// PTX: bar.sync
// PTX: atom.shared.add.f64

enum { TILE = 2 };

/* Tiles are filled anew by each iteration, and again on the way back. */
kernel void product(size_t n, const double a[n][n], const double b[n][n], double c[n][n])
{
    shared double p[TILE][TILE], q[TILE][TILE];
    dim2 at = grid(2);
    size_t tx = threadIdx.x, ty = threadIdx.y;
    double sum = 0;
    for (size_t k = 0; k < n; k += TILE) {
        p[ty][tx] = at.y < n && k + tx < n ? a[at.y][k + tx] : 0;
        q[ty][tx] = at.x < n && k + ty < n ? b[k + ty][at.x] : 0;
        syncthreads();
        for (size_t i = 0; i < TILE; i++)
            sum += p[ty][i] * q[i][tx];
        syncthreads();
    }
    if (at.y < n && at.x < n)
        c[at.y][at.x] = sum;
}
adjoint(product_vjp, product); /* sums of rows of b, and of columns of a */
// PRODUCT: a_bar:
// PRODUCT: first   9 9 9 9 9 9 9 9
// PRODUCT: b_bar:
// PRODUCT: first   6 6 6 6 6 6 6 6

/* Threads that store no element leave, others go on. */
kernel void smooth(size_t n, const double x[n], double y[n])
{
    shared double s[34];
    size_t i = grid(1), t = threadIdx.x + 1;
    if (i >= n)
        return;
    s[t] = x[i];
    if (t == 1)
        s[0] = i > 0 ? x[i - 1] : 0;
    if (t == blockDim.x || i == n - 1)
        s[t + 1] = i + 1 < n ? x[i + 1] : 0;
    syncthreads();
    y[i] = s[t - 1] * s[t + 1] + s[t];
}
adjoint(smooth_vjp, smooth); /* 1 + the elements two places away */
// SMOOTH: x_bar:
// SMOOTH: first   3 4 5 2 3{{$}}

/* The inner loop's length is the block's. */
kernel void pairs(size_t n, const double x[n], double y[n])
{
    shared double s[32];
    size_t i = grid(1);
    double sum = 0, own = i < n ? x[i] : 0;
    for (size_t first = 0; first < n; first += blockDim.x) {
        s[threadIdx.x] = first + threadIdx.x < n ? x[first + threadIdx.x] : 0;
        syncthreads();
        for (size_t k = 0; k < blockDim.x; k++)
            sum += s[k] * s[k] * own;
        syncthreads();
    }
    if (i < n)
        y[i] = sum;
}
adjoint(pairs_vjp, pairs); /* 30 + 20 * x */
// PAIRS: x_bar:
// PAIRS: first   30 50 70 90 110{{$}}

/* Atomic additions to a shared array. */
kernel void parts(size_t n, const double x[n], double *y)
{
    shared double s[2];
    if (threadIdx.x < 2)
        s[threadIdx.x] = 0;
    syncthreads();
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        atomic_add(&s[i % 2], x[i]);
    syncthreads();
    if (threadIdx.x == 0)
        y[0] = s[0] * s[1];
}
adjoint(parts_vjp, parts); /* the other one of 0 + 2 and 1 + 3 */
// PARTS: x_bar:
// PARTS: first   4 2 4 2{{$}}

/* Strides are doubled; what a step overwrites is needed on the way back. */
kernel void scan(size_t n, const double x[n], double y[n])
{
    shared double s[64];
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 1;
    syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        double left = t >= k ? s[t - k] : 1;
        syncthreads();
        s[t] *= left;
        syncthreads();
    }
    if (t < n)
        y[t] = s[t];
}
adjoint(scan_vjp, scan); /* of products of the first elements: 1 + 2 + 4, 2 + 4, 4 */
// SCAN: x_bar:
// SCAN: first   7 6 4{{$}}

/* The launch gives room for numbers and shadows. */
kernel void launched(size_t n, const double x[n], double *y)
{
    dynamic_shared(double, s);
    unsigned t = threadIdx.x;
    size_t i = grid(1);
    s[t] = i < n ? x[i] * x[i] : 0;
    syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}
adjoint(launched_vjp, launched);
// SMALL: x_bar:
// SMALL: first   nan
// PTX-LABEL: .entry launched_vjp(
// PTX: %dynamic_smem_size
// PTX: atom.shared.add.f64

/* Two arrays in it, 24 bytes, whose shadows begin behind them. */
kernel void parted(size_t n, const float x[n], float y[n])
{
    dynamic_shared(float, p);
    dynamic_shared(float, q, n * sizeof(float));
    unsigned t = threadIdx.x;
    p[t] = x[t];
    q[t] = 2 * x[t];
    syncthreads();
    y[t] = p[n - 1 - t] * q[t] + q[0];
}
adjoint(parted_vjp, parted);
// PARTED: x_bar:
// PARTED: first   14 4 0{{$}}

/* Threads of a row read one element, in loops whose lengths differ too: on GPUs whole warps add up what these add. */
kernel void rows(size_t n, const double x[n], double y[n])
{
    shared double s[8][33];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    size_t i = (blockIdx.x * blockDim.y + ty) * blockDim.x + tx;
    s[ty][tx] = i < n ? x[i] : 1;
    syncthreads();
    double sum = 0;
    for (unsigned k = 0; k <= tx % 7; k++)
        sum += s[ty][k] * s[ty][tx];
    for (unsigned k = 0; k < 6; k++) {
        if (tx + k > 20)
            continue;
        sum += s[ty][k + 1] * s[ty][2];
    }
    if (i < n)
        y[i] = sum;
}
adjoint(rows_vjp, rows);
// PTX-LABEL: .entry rows_vjp(
// PTX: activemask
// PTX: vote.sync.all
// PTX: atom.shared.add.f64

/* Threads of a column, or all, read one element. */
kernel void columns(size_t n, const double x[n], double y[n])
{
    shared double s[32], w[2];
    unsigned tx = threadIdx.x, ty = threadIdx.y, t = tx + ty * blockDim.x;
    size_t i = blockIdx.x * blockDim.x * blockDim.y + t;
    if (t < 32)
        s[t] = x[blockIdx.x * 32 + t];
    if (t < 2)
        w[t] = x[t];
    syncthreads();
    double sum = 0;
    for (unsigned k = 0; k < blockDim.x; k++)
        sum += s[k] * s[tx] + w[0] * s[(k + ty) & 31];
    if (ty & 1)
        sum += w[1] * s[tx];
    if (i < n)
        y[i] = sum;
}
adjoint(columns_vjp, columns);
