// Adjoints of kernels with warp shuffles.
// RUN: %gpucc run --check %s tree_vjp 6 arange:6:float64 zeros:6:float64 zeros:1:float64 ones:1:float64 --grid=1 --block=8 | FileCheck --check-prefix=TREE %s
// RUN: %gpucc run --check %s butterfly_vjp 32 arange:32:float32 zeros:32:float32 zeros:32:float32 ones:32:float32 --grid=1 --block=32 | FileCheck --check-prefix=BUTTERFLY %s
// RUN: %gpucc run --check %s first_vjp 8 arange:8:float64 zeros:8:float64 zeros:8:float64 arange:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=FIRST %s
// RUN: %gpucc run --check %s turned_vjp 8 arange:8:float64 zeros:8:float64 zeros:8:float64 arange:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=TURNED %s
// RUN: %gpucc run --check %s difference_vjp 6 arange:6:float64 zeros:6:float64 zeros:6:float64 arange:6:float64 --grid=1 --block=8 | FileCheck --check-prefix=DIFFERENCE %s
// RUN: %gpucc run --check %s far_vjp 4 34 arange:32:float64 zeros:32:float64 zeros:32:float64 arange:32:float64 --grid=1 --block=32 | FileCheck --check-prefix=FAR %s
// RUN: %gpucc run --check %s halves_vjp 8 arange:8:float16 zeros:8:float16 zeros:1:float32 ones:1:float32 --grid=1 --block=8 | FileCheck --check-prefix=HALVES %s
// RUN: %gpucc run --check %s voted_vjp 8 arange:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=VOTED %s
// RUN: %gpucc run --check %s while_any_vjp 2 arange:8:float64 zeros:8:float64 zeros:8:float64 ones:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=WHILE %s
// RUN: %gpucc run --check %s members_vjp 8 arange:8:float32 zeros:8:float32 zeros:8:float64 ones:8:float64 --grid=1 --block=8 | FileCheck --check-prefix=MEMBERS %s
// RUN: %gpucc run --check %s sides_vjp 64 arange:64:float64 zeros:64:float64 zeros:64:float64 ones:64:float64 --grid=1 --block=64 | FileCheck --check-prefix=SIDES %s
// RUN: %gpucc run --check %s sides_vjp 96 arange:96:float64 zeros:96:float64 zeros:96:float64 ones:96:float64 --grid=1 --block=48x2 | FileCheck --check-prefix=ODD %s
// RUN: %gpucc run --check %s later_vjp 64 arange:64:float64 zeros:64:float64 zeros:64:float64 ones:64:float64 --grid=1 --block=32x2 | FileCheck --check-prefix=LATER %s
// RUN: %gpucc run --check %s later_vjp 64 arange:64:float64 zeros:64:float64 zeros:64:float64 ones:64:float64 --grid=1 --block=64 | FileCheck --check-prefix=SECOND %s
// RUN: %gpucc run --check %s later_vjp 96 arange:96:float64 zeros:96:float64 zeros:96:float64 ones:96:float64 --grid=1 --block=48x2 | FileCheck --check-prefix=ODD %s
// RUN: %gpucc run --check %s rows_vjp 5 ones:160:float64 zeros:160:float64 zeros:5:float64 arange:5:float64 --grid=1 --block=64 | FileCheck --check-prefix=ROWS %s
// RUN: %gpucc run %s rows_vjp 5 ones:160:float64 zeros:160:float64 zeros:5:float64 ones:5:float64 --grid=1 --block=48 | FileCheck --check-prefix=SHORT %s
// RUN: %gpucc run --check %s leaving_vjp 8 ones:32:float64 zeros:32:float64 zeros:32:float64 ones:32:float64 --grid=1 --block=32 | FileCheck --check-prefix=LEAVING %s
// RUN: %gpucc %s -o %t.ptx && FileCheck --check-prefix=PTX %s < %t.ptx
// RUN: FileCheck --check-prefix=LINEAR %s < %t.ptx
#include <gpucc.h>

/* Squares, added by halves of a warp; lanes without an element add zero. */
// TREE: first   0 2 4 6 8 10{{$}}
kernel void tree(size_t n, const double *x, double *sum)
{
    double v = threadIdx.x < n ? x[threadIdx.x] * x[threadIdx.x] : 0;
    for (int by = 4; by > 0; by /= 2)
        v += shfl_down_sync(0xffffffff, v, by, 8);
    if (threadIdx.x == 0)
        sum[0] = v;
}
adjoint(tree_vjp, tree);

/* A linear sum needs no shuffle forward.
 * LINEAR: entry tree_vjp
 * LINEAR-NOT: shfl.sync.down
 * LINEAR: vote.sync.ballot
 * LINEAR: shfl.sync.idx
 * LINEAR: ret;
 */

// BUTTERFLY: first   32 32 32 32 32 32 32 32
kernel void butterfly(size_t n, const float *x, float *y)
{
    float v = x[threadIdx.x];
    for (int by = 16; by > 0; by /= 2)
        v += shfl_xor_sync(0xffffffff, v, by);
    y[threadIdx.x] = v;
}
adjoint(butterfly_vjp, butterfly);
/* PTX: entry butterfly_vjp
 * PTX: vote.sync.ballot
 * PTX: shfl.sync.idx
 */

// FIRST: first   0 0 28 0 0 0 0 0
kernel void first(size_t n, const double *x, double *y)
{
    y[threadIdx.x] = shfl_sync(0xffffffff, x[threadIdx.x], 2);
}
adjoint(first_vjp, first);

// TURNED: first   7 0 1 2 3 4 5 6
kernel void turned(size_t n, const double *x, double *y)
{
    y[threadIdx.x] = shfl_sync(0xffffffff, x[threadIdx.x], laneid + 1, 8);
}
adjoint(turned_vjp, turned);

/* Lane 0 has its own number, and lanes behind the end have left. */
// DIFFERENCE: first   -1 -1 -1 -1 -1 5{{$}}
kernel void difference(size_t n, const double *x, double *y)
{
    if (threadIdx.x >= n)
        return;
    y[threadIdx.x] = x[threadIdx.x] - shfl_up_sync(0xffffffff, x[threadIdx.x], 1);
}
adjoint(difference_vjp, difference);

/* Distances count modulo 32: a constant one, one of all lanes, and one of each lane. */
// FAR: first   40 16 37 15 128 42 129 47
kernel void far(size_t n, unsigned by, const double *x, double *y)
{
    const double v = x[threadIdx.x];
    y[threadIdx.x] = shfl_down_sync(0xffffffff, v, 33, n) + 2 * shfl_up_sync(0xffffffff, v, by) +
                     4 * shfl_xor_sync(0xffffffff, v, 35, 4) + 8 * shfl_xor_sync(0xffffffff, v, by - laneid % 2);
}
adjoint(far_vjp, far);

// HALVES: first   0 2 4 6 8 10 12 14
kernel void halves(size_t n, const float16 *x, float *sum)
{
    float16 v = x[threadIdx.x] * x[threadIdx.x];
    for (int by = 4; by > 0; by /= 2)
        v += shfl_xor_sync(0xffffffff, v, by, 8);
    if (threadIdx.x == 0)
        sum[0] = (float)v;
}
adjoint(halves_vjp, halves);

/* Votes, matches and reductions of integers are made again: (5 + 10 + 28) * 4. */
// VOTED: first   172 172 172 172 172 172 172 172
kernel void voted(size_t n, const double *x, double *y)
{
    double v = x[threadIdx.x];
    unsigned high = ballot_sync(0xffffffff, v > 2);
    if (any_sync(0xffffffff, v > 6.5))
        v *= popc(high);
    if (all_sync(0xffffffff, v >= 0))
        v += 10 * x[threadIdx.x];
    v += reduce_add_sync(0xffffffff, (int)threadIdx.x) * x[threadIdx.x];
    y[threadIdx.x] = v * popc(match_any_sync(0xffffffff, (int)threadIdx.x & 1));
}
adjoint(voted_vjp, voted);

/* A loop whose iterations are repeated, votes among them. */
// WHILE: first   0 6 16 24 32 40 48 56
kernel void while_any(size_t n, const double *x, double *y)
{
    double v = x[threadIdx.x], sum = 0;
    for (size_t k = 0; any_sync(0xffffffff, k < n + threadIdx.x / 3); k++)
        if (k <= threadIdx.x + 1)
            sum += v * x[threadIdx.x];
    y[threadIdx.x] = sum;
}
adjoint(while_any_vjp, while_any);

/* A struct's members are shuffled one by one. */
typedef struct {
    float x;
    short number;
    double products[2];
} members;
// MEMBERS: first   9 8 8 8 8 8 8 7
kernel void members_of(size_t n, const float *x, double *y)
{
    const float v = x[threadIdx.x];
    members own = {v, (short)(threadIdx.x ^ 1), {2.0 * (double)v, (double)v}};
    const members other = shfl_xor_sync(0xffffffff, own, 1), last = shfl_up_sync(0xffffffff, own, 1, 8);
    y[threadIdx.x] = (double)other.x + other.products[0] + (other.number == (int)threadIdx.x ? last.products[1] : 0) +
                     4 * own.products[1];
}
adjoint(members_vjp, members_of);

/* All lanes of a warp go one way: each number is read by one lane, and counts 2, or 3 in the second warp. */
kernel void sides(size_t n, const double *x, double *y)
{
    size_t i = grid(1);
    double v = i < n ? x[i] : 0, w;
    if (threadIdx.x < 32)
        w = 2 * shfl_xor_sync(0xffffffff, v, 1);
    else
        w = 3 * shfl_xor_sync(0xffffffff, v, 2);
    if (any_sync(0xffffffff, v > 1e9))
        w = shfl_xor_sync(0xffffffff, w, 4);
    else
        w += shfl_xor_sync(0xffffffff, w, 8);
    if (laneid < 16)
        w += shfl_xor_sync(0xffff, w, 1);
    else
        w += shfl_xor_sync(0xffff0000, w, 2);
    if (i < n)
        y[i] = w;
}
adjoint(sides_vjp, sides);
// ODD: NaN {{ *}}{{48|96}}
// SIDES: x_bar:
// SIDES-NEXT: minimum 8
// SIDES-NEXT: maximum 12
// SIDES-NEXT: mean    10

/* Lanes of the second warp end after one shuffle: each number counts 2, else 6.  Where a row ends within a warp, nothing
 * is known. */
kernel void later(size_t n, const double *x, double *y)
{
    size_t i = threadIdx.x + threadIdx.y * blockDim.x;
    double v = x[i], w = v + shfl_xor_sync(0xffffffff, v, 1);
    y[i] = w;
    if (threadIdx.x < 32)
        y[i] = w + 2 * shfl_xor_sync(0xffffffff, w, 2);
}
adjoint(later_vjp, later);
// LATER: x_bar:
// LATER-NEXT: minimum 6
// LATER-NEXT: maximum 6
// SECOND: x_bar:
// SECOND-NEXT: minimum 2
// SECOND-NEXT: maximum 6
// SECOND-NEXT: mean    4

/* A row for each warp: the cotangent of row k is k, times 2 x.  Warps of half as many lanes read half of a row. */
kernel void rows(size_t n, const double *x, double *y)
{
    for (size_t k = (blockIdx.x * blockDim.x + threadIdx.x) / 32; k < n; k += 2) {
        double v = x[32 * k + laneid] * x[32 * k + laneid];
        for (int by = 16; by > 0; by /= 2)
            v += shfl_xor_sync(0xffffffff, v, by);
        if (laneid == 0)
            y[k] = v;
    }
}
adjoint(rows_vjp, rows);
// ROWS: x_bar:
// ROWS-NEXT: minimum 0
// ROWS-NEXT: maximum 8
// ROWS-NEXT: mean    4
// SHORT: NaN {{ *}}128

/* Masks of the lanes that are left: each lane reads the first one of them, in as many iterations as it makes. */
kernel void leaving(size_t n, const double *x, double *y)
{
    const double v = x[laneid];
    unsigned left = 0xffffffff;
    double sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        left = ballot_sync(left, laneid >= k * n);
        if (laneid < k * n)
            break;
        sum += v * shfl_sync(left, v, (int)(k * n));
    }
    y[laneid] = sum;
}
adjoint(leaving_vjp, leaving);
// LEAVING: mean    5
// LEAVING-NEXT: first   33 1 1 1 1 1 1 1
