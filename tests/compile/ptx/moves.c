// Copies between address spaces that may overlap, and of large vectors that do: LLVM 19's back end for PTX leaves the
// first out, and makes a loop from the first byte to the last of the second.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -O1 --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

struct large { int values[50]; };
typedef char vector __attribute__((vector_size(256), aligned(1)));

// CHECK-LABEL: .entry from_shared(
// CHECK: ld.shared.u8
// CHECK: st.global.u8
kernel void from_shared(char *p, int n)
{
    shared char s[300];
    s[threadIdx.x] = p[threadIdx.x];
    syncthreads();
    __builtin_memmove(p + 3, s, n);
}

// CHECK-LABEL: .entry to_shared(
// CHECK: ld.global.u{{8|32}}
// CHECK: st.shared.u{{8|32}}
kernel void to_shared(struct large *p, int *o)
{
    shared struct large s;
    __builtin_memmove(&s, p, sizeof s);
    syncthreads();
    o[threadIdx.x] = s.values[threadIdx.x];
}

// CHECK-LABEL: .entry overlapping(
// CHECK-NOT: bra
// CHECK-COUNT-256: ld.global.u8
// CHECK-NOT: ld.global
// CHECK-COUNT-256: st.global.u8
// CHECK-NOT: st.global
// CHECK: ret;
kernel void overlapping(char *p)
{
    vector t = *(vector *)p;
    *(vector *)(p + 8) = t;
}
