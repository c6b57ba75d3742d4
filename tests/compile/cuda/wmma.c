// WMMA's fragments: products of each kind, against sums of integers, which are exact; CUDA's own way to write them.
// RUN: %gpucc %s --arch=sm_80 -o %t.ptx -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run %s kinds zeros:4:int32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=KINDS
// RUN: %gpucc run %s layouts zeros:4:float32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=LAYOUTS
// RUN: %gpucc run %s fresh zeros:256:float32 zeros:4:int32 --grid=1 --block=32 --device=cpu -o %t.npy -o %t.counts.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=FRESH
// RUN: %python %S/../intrinsics/Inputs/values.py %t.counts.npy | FileCheck %s --check-prefix=COUNTS
// RUN: %exits 1 %gpucc -DWRONG %s --arch=sm_80 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

#define M 16

/* How many of 16 x 16 elements are not the product of a[i][k] = i - k and b[k][j] = k + 2 j, plus 1. */
__device__ int wrong(const float *c, int n, int depth)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 1;
            for (int k = 0; k < depth; k++)
                sum += (i - k) * (k + 2 * j);
            count += c[i * n + j] != sum;
        }
    return count;
}

// CHECK-LABEL: .visible .entry kinds(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
__global__ void kinds(int *out)
{
    __shared__ half ha[256], hb[256];
    __shared__ __nv_bfloat16 ba[256], bb[256];
    __shared__ float fa[256], fb[256], c[256];
    __shared__ double da[32], db[32], dc[64];
    for (int e = threadIdx.x; e < 256; e += 32) {
        ha[e] = __float2half(e / 16 - e % 16), hb[e] = __float2half(e / 16 + 2 * (e % 16));
        ba[e] = __float2bfloat16(e / 16 - e % 16), bb[e] = __float2bfloat16(e / 16 + 2 * (e % 16));
        fa[e] = e / 8 % 16 - e % 8, fb[e] = e / 16 + 2 * (e % 16);
        if (e < 32)
            da[e] = e / 4 - e % 4, db[e] = e / 8 + 2 * (e % 8);
    }
    __syncwarp();
    {
        wmma::fragment<wmma::matrix_a, M, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, M, 16, 16, half, wmma::row_major> b;
        wmma::fragment<wmma::accumulator, M, 16, 16, float> sums;
        wmma::fill_fragment(sums, 1.0f);
        wmma::load_matrix_sync(a, ha, 16);
        wmma::load_matrix_sync(b, hb, 16);
        wmma::mma_sync(sums, a, b, sums);
        wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
        __syncwarp();
        out[0] = wrong(c, 16, 16);
        __syncwarp();
    }
    {
        nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __nv_bfloat16, nvcuda::wmma::row_major> a;
        nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __nv_bfloat16, nvcuda::wmma::row_major> b;
        nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sums[1];
        for (unsigned i = 0; i < 256; i++)
            c[i] = 1;
        __syncwarp();
        wmma::load_matrix_sync(a, ba, 16);
        wmma::load_matrix_sync(b, bb, 16);
        wmma::load_matrix_sync(sums[0], c, 16, wmma::mem_row_major);
        wmma::mma_sync(sums[0], a, b, sums[0]);
        wmma::store_matrix_sync(c, sums[0], 16, wmma::mem_row_major);
        __syncwarp();
        out[1] = wrong(c, 16, 16);
        __syncwarp();
    }
    {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums;
        wmma::fill_fragment(sums, 0.0f);
        wmma::load_matrix_sync(a, fa, 8);
        wmma::load_matrix_sync(b, fb, 16);
        for (int t = 0; t < a.num_elements; t++)
            a.x[t] = wmma::__float_to_tf32(a.x[t]);
        wmma::mma_sync(sums, a, b, sums);
        for (int t = 0; t < sums.num_elements; t++)
            sums.x[t] += 1;
        wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
        __syncwarp();
        out[2] = wrong(c, 16, 8) + (a.num_elements != 4) + (sums.num_elements != 8);
        __syncwarp();
    }
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sums;
    wmma::fill_fragment(sums, 1.0);
    wmma::load_matrix_sync(a, da, 4);
    wmma::load_matrix_sync(b, db, 8);
    wmma::mma_sync(sums, a, b, sums);
    wmma::store_matrix_sync(dc, sums, 8, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 64; e += 32)
        c[e] = dc[e];
    __syncwarp();
    out[3] = wrong(c, 8, 4);
}
// KINDS: {{^}}0 0 0 0{{$}}

/* Everything by columns: the product of the transposed is the transposed product. */
__global__ void layouts(float *out)
{
    __shared__ half x[256], y[256];
    __shared__ float plain[256], turned[256];
    for (int e = threadIdx.x; e < 256; e += 32) {
        x[e] = __float2half(e / 16 - e % 16);
        y[e] = __float2half(e / 16 + 2 * (e % 16));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 1.0f);
    wmma::load_matrix_sync(a, y, 16); /* y's columns are rows of a */
    wmma::load_matrix_sync(b, x, 16);
    wmma::mma_sync(sums, a, b, sums);
    wmma::store_matrix_sync(turned, sums, 16, wmma::mem_col_major);
    wmma::load_matrix_sync(sums, turned, 16, wmma::mem_col_major);
    wmma::store_matrix_sync(plain, sums, 16, wmma::mem_row_major);
    __syncwarp();
    out[0] = wrong(turned, 16, 16);
    out[1] = plain[3 * 16 + 5] == turned[5 * 16 + 3];
    out[2] = plain[3 * 16 + 5];
    out[3] = turned[3 * 16 + 5];
}
// LAYOUTS: {{^}}0 1 -879 -1599{{$}}

struct list {
    int num_elements;
};

/* How many elements there are is known of a fragment that nothing has been written to. */
// CHECK-LABEL: .visible .entry fresh(
// CHECK-COUNT-12: st.global.u32
__global__ void fresh(float *out, int *counts)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c, d, several[2];
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> wide;
    const auto *pointer = &d;
    struct list own = {100}, *at = &own;
    for (int i = 0; i < c.num_elements; i++)
        c.x[i] = 3;
    for (int i = 0; i < d.num_elements; i++)
        d.x[i] = c.x[i] * 2;
    wmma::store_matrix_sync(out, d, 16, wmma::mem_row_major);
    float elements[several[1].num_elements];
    own.num_elements++;
    counts[0] = sizeof elements;
    counts[1] = pointer->num_elements + (*pointer).num_elements;
    counts[2] = own.num_elements + at->num_elements;
    counts[3] = wide.num_elements;
}
// FRESH: {{^}}6 6 6 6{{.*}} 6 6{{$}}
// COUNTS: {{^}}32 16 202 2{{$}}

#ifdef WRONG
__global__ void wrong_shape(half *x)
{
    // WRONG: wmma.c:[[#@LINE+1]]:{{[0-9]+}}: error: fragments of such elements are 16, 16, 16
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, x, 16);
}
#endif
