// Products by warpgroups and copies of tiles: their PTX, the maps that stay where the launch puts them, the same on the CPU,
// and errors with places.
// RUN: %gpucc %s --arch=sm_90a -o %t.ptx -o %t.h -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: %if ptxas %{ ptxas -arch=sm_90a %t.ptx -o %t.cubin %}
// RUN: %gpucc %s --arch=sm_90a --emit=ptx -O0 -o - | FileCheck %s --check-prefix=O0
// RUN: %gpucc %s --arch=sm_90 -DCOPIES --emit=ptx -o - | FileCheck %s --check-prefix=COPIES
// RUN: %exits 1 %gpucc %s --arch=sm_80 -o %t.80.ptx 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: %exits 1 %gpucc %s --arch=sm_90 -o %t.90.ptx 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %exits 1 %gpucc %s --arch=sm_90a -DWRONG -o %t.wrong.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o %t.plain.o
#include <gpucc.h>
#include <gpucc/tma.h>
#include <gpucc/wgmma.h>

// CHECK-LABEL: .entry copies(
// CHECK: .param .align 64 .b8 copies_param_0[128]
// CHECK-NOT: .local
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64
// CHECK: cvta.param.u64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: mbarrier.try_wait.parity
// CHECK: fence.proxy.async
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add
// CHECK: cp.async.bulk.commit_group
// CHECK: cp.async.bulk.wait_group 0
// COPIES: cp.async.bulk.tensor.2d.shared::cluster
// HEADER: gpucc_status copies(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, const struct gpucc_tensor_map *from, const struct gpucc_tensor_map *to)
// OLD: hopper.c:[[#@LINE+9]]:{{.*}}: error: the copy engine needs sm_90 or newer, and this is code for sm_80
kernel launch_bounds(64)
void copies(const tensor_map from, const tensor_map to)
{
    shared float tile[8][16] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x != 0)
        return;
    mbarrier_init(&full, 1);
    mbarrier_fence_init();
    mbarrier_arrive_expect(&full, sizeof tile);
    tma_load(tile, from, &full, 0, (int)blockIdx.x * 8);
    mbarrier_wait(&full, 0);
    tile[0][0] += 1;
    fence_proxy_async();
    tma_add(to, tile, 0, (int)blockIdx.x * 8);
    tma_commit();
    tma_wait(0);
}

#ifndef COPIES
// CHECK-LABEL: .entry product(
// CHECK-NOT: .local
// CHECK-COUNT-4: cvt.rn.f16x2.f32
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, keeps, 1, 1, 0, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f{{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, keeps, 1, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {{.*}} keeps, 1, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 {{.*}} keeps, 1, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {{.*}} keeps;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
// O0: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
// PLAIN: hopper.c:[[#@LINE+9]]:{{.*}}: error: products by warpgroups need sm_90a, and this is code for sm_90
kernel launch_bounds(128)
void product(float *sums, int *whole)
{
    shared unsigned char x[8192] __attribute__((aligned(1024))), y[8192] __attribute__((aligned(1024)));
    float d[8];
    int e[16];
    x[threadIdx.x] = y[threadIdx.x] = 0;
    fence_proxy_async();
    const wgmma_tile a = wgmma_rows(x, 128), b = wgmma_rows(y, 128);
    syncthreads();
    const wgmma_part part = wgmma_part_f16((float[8]){(float)threadIdx.x, 1, 2, 3, 4, 5, 6, 7});
    wgmma_fence(d);
    wgmma_f16(d, a, wgmma_columns(y, 2048), 0);
    wgmma_f16(d, part, wgmma_columns(y, 2048), 1);
    wgmma_tf32(d, wgmma_offset(a, 32), b, 1);
    wgmma_e4m3_e5m2(d, a, b, 1);
    wgmma_fence(e);
    wgmma_s8(e, a, b, 0);
    wgmma_commit();
    wgmma_wait(0, d);
    wgmma_wait(0, e);
    for (int i = 0; i < 8; i++)
        sums[wgmma_row(i) * 16 + wgmma_column(i)] = d[i];
    for (int i = 0; i < 16; i++)
        whole[wgmma_row(i) * 32 + wgmma_column(i)] = e[i];
}
#endif

#ifdef WRONG
static void through_pointer(float *d, wgmma_tile a)
{
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: static assertion failed{{.*}}the sums of wgmma are an array of float
    wgmma_bf16(d, a, a, 1);
}

kernel launch_bounds(128)
void wrong(float *out)
{
    shared unsigned char x[8192] __attribute__((aligned(1024)));
    float d[6] = {0};
    int e[4] = {0};
    through_pointer(out, wgmma_rows(x, 128));
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: static assertion failed{{.*}}a multiple of 4
    wgmma_bf16(d, wgmma_rows(x, 128), wgmma_rows(x, 128), 1);
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: static assertion failed{{.*}}the sums of wgmma are an array of float
    wgmma_bf16(e, wgmma_rows(x, 128), wgmma_rows(x, 128), 1);
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: initializing 'const gpucc_wgmma_tile'{{.*}} with an expression of incompatible type
    wgmma_tf32(d, wgmma_columns(x, 2048), wgmma_rows(x, 128), 1);
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: initializing 'const gpucc_wgmma_tile'{{.*}} with an expression of incompatible type
    wgmma_e4m3(d, wgmma_part_f16(out), wgmma_rows(x, 128), 1);
    // WRONG: hopper.c:[[#@LINE+1]]:{{.*}}: error: static assertion failed{{.*}}wgmma_wait: the number of groups is not 0 to 7
    wgmma_wait(8, d);
}
#endif
