// Inline assembly as CUDA sources have it: one '%' before a register's name is enough.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>

#define LANE(to) asm("mov.u32 %0, %laneid;" : "=r"(to))

__global__ void registers(unsigned *out, unsigned long long *time)
{
    unsigned lane, warp, chosen, sum;
    // CHECK: mov.u32 %r{{[0-9]+}}, %laneid;
    LANE(lane);
    // CHECK: mov.u32 %r{{[0-9]+}}, %warpid;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp) :: "memory");
    // CHECK: mov.u64 %rd{{[0-9]+}}, %globaltimer;
    __asm__ __volatile__("mov.u64 %0, "
                         "%globaltimer;" : "=l"(*time));
    // CHECK: { .reg .pred %p; setp.ne.u32 %p, %r{{[0-9]+}}, 0; selp.u32 %r{{[0-9]+}}, 1, 0, %p; }
    asm("{ .reg .pred %p; setp.ne.u32 %p, %1, 0; selp.u32 %0, 1, 0, %p; }" : "=r"(chosen) : "r"(lane));
    // CHECK: add.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
    asm("add.u32 %[to], %[a], %2;" : [to] "=r"(sum) : [a] "r"(lane), "r"(warp));
    // CHECK: // %laneid, as it is
    asm volatile("// %laneid, as it is");
    out[0] = lane + warp + chosen + sum;
}

#ifdef WRONG
// WRONG: assembly.c:[[#@LINE+3]]:70: error: use of undeclared identifier 'missing'
__device__ unsigned wrong(unsigned lane)
{
    asm volatile("mov.u32 %0, %laneid;" : "=r"(lane)); return lane + missing;
}
#endif
