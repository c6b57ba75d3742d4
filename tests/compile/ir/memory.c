// Shared variables are in address space 3 and constant ones in 4; the barrier stays between the accesses.
// RUN: %gpucc %s --emit=ll -o - | FileCheck %s
#include <gpucc.h>

constant int32 table[4] = {1, 2, 3, 4};

kernel
void move(int32 *a)
{
    shared int32 buffer[32];
    buffer[threadIdx.x] = table[threadIdx.x & 3];
    syncthreads();
    *a = buffer[31 - threadIdx.x];
}
// CHECK-DAG: @move.buffer = internal addrspace(3) global [32 x i32] poison
// CHECK-DAG: @table = {{.*}}addrspace(4) {{.*}}[4 x i32] [i32 1, i32 2, i32 3, i32 4]
// CHECK: load i32, {{.*}}
// CHECK: store i32 {{.*}}
// CHECK: call void @llvm.nvvm.barrier0()
// CHECK: load i32, {{.*}}
