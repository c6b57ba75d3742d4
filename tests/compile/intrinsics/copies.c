// Copies to shared memory that go on beside other work.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s stages linspace:0:1023:1024:float32 zeros:256:float32 1024 --grid=4 --block=64 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=STAGES
// RUN: %gpucc run %s sizes arange:96:int8 zeros:128:int8 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SIZES
// RUN: %gpucc run %s variable arange:64:int8 zeros:64:int8 40 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=VARIABLE
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o /dev/null
#include <gpucc.h>

enum { TILE = 64, STAGES = 3 };

/* Sums of the columns of a block's rows of 64 numbers, whose copies run ahead by two. */
kernel
void stages(const float *in, float *out, int n)
{
    shared float tiles[STAGES][TILE];
    const int t = (int)threadIdx.x, rows = n / TILE / (int)gridDim.x;
    const float *mine = in + (int)blockIdx.x * rows * TILE + t;
    float sum = 0;
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < rows)
            memcpy_async(&tiles[i][t], &mine[i * TILE], sizeof(float));
        memcpy_async_commit();
    }
    for (int i = 0; i < rows; i++) {
        const int ahead = i + STAGES - 1;
        memcpy_async_wait(STAGES - 2);
        syncthreads();
        sum += tiles[i % STAGES][TILE - 1 - t];
        if (ahead < rows)
            memcpy_async(&tiles[ahead % STAGES][t], &mine[ahead * TILE], sizeof(float));
        memcpy_async_commit();
    }
    out[(int)blockIdx.x * TILE + TILE - 1 - t] = sum;
}
// PLAIN-LABEL: .visible .entry stages(
// PLAIN-NOT: cp.async
// PLAIN: ld.global.{{[a-z]*}}32
// PLAIN: st.shared.{{[a-z]*}}32
// CHECK-LABEL: .visible .entry stages(
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4{{[;,]}}
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 1;
// CHECK: bar.sync
// STAGES: {{^}}384 388 392 396 {{.*}} 3704 3708{{$}}

kernel
void sizes(const int8 *in, int8 *out)
{
    shared _Alignas(16) int8 to[128];
    for (int i = 0; i < 128; i++)
        to[i] = -1;
    memcpy_async(to, in, 16);
    memcpy_async(to + 16, in + 8, 8);
    memcpy_async(to + 24, in + 4, 4);
    memcpy_async(to + 32, in + 16, 16, 6);
    memcpy_async(to + 48, in, 48, 20);
    memcpy_async(to + 97, in + 1, 3);
    memcpy_async_commit();
    memcpy_async_wait(0);
    for (int i = 0; i < 128; i++)
        out[i] = to[i];
}
// CHECK-LABEL: .visible .entry sizes(
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16{{[;,]}}
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8{{[;,]}}
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4{{[;,]}}
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, {{.*}};
// CHECK: cp.async.wait_group 0;
// SIZES: {{^}}0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 4 5 6 7 -1 -1 -1 -1
// SIZES-SAME: {{^}} 16 17 18 19 20 21 22 23 24 25 0 0 0 0 0 0
// SIZES-SAME: {{^}} 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 0 0 0 0 0 0 0 0 0 0 0 0
// SIZES-SAME: {{^}} 0 0 0 0 0 0 0 0 -1 1 2 3 -1

kernel
void variable(const int8 *in, int8 *out, int32 bytes)
{
    shared _Alignas(16) int8 to[64];
    memcpy_async(to, in + 8, (size_t)bytes);
    memcpy_async_commit();
    memcpy_async_wait(0);
    for (int i = 0; i < bytes; i++)
        out[i] = to[i];
}
// VARIABLE: {{^}}8 9 10 {{.*}} 45 46 47 0 0
