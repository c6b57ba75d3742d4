// A lane at an index that is not known, of a vector in memory: LLVM 19's back end for PTX forgot which memory, and took
// an offset in shared or local memory for an address.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typedef uint64 v2 __attribute__((ext_vector_type(2)));
typedef float v4 __attribute__((ext_vector_type(4)));

constant v4 table[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};

// CHECK-LABEL: .entry in_shared(
// CHECK: ld.shared.v4.f32
// CHECK: st.shared.v4.f32
kernel void in_shared(float *o, unsigned k)
{
    shared v4 x[8];
    x[threadIdx.x & 7] = (v4){o[0], o[1], o[2], o[3]};
    syncthreads();
    *o = x[k & 7][k >> 3 & 3];
    x[k & 7][k >> 5 & 3] = 5;
    syncthreads();
    o[1] = x[threadIdx.x & 7].x;
}

// CHECK-LABEL: .entry in_local(
// CHECK: ld.local.v2.u64
// CHECK: st.local.v2.u64
// CHECK: ld.local.v2.u64
kernel void in_local(uint64 *o, unsigned k)
{
    v2 x[3];
    for (int i = 0; i < 3; i++)
        x[i] = (v2){k, i};
    x[k % 3u][k & 1] = 5;
    *o = x[(k + 1) % 3u][k >> 1 & 1];
}

// CHECK-LABEL: .entry in_constant(
// CHECK: ld.const.{{f32|v4.f32}}
kernel void in_constant(float *o, unsigned k) { *o = table[k & 1][k >> 1 & 3]; }
