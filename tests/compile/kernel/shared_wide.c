// Four numbers beside each other in shared memory move in one access, through a pointer to a wider type, and arrays of
// small constant size stay in registers when the loops over them are unrolled.
// RUN: %gpucc %s --arch=sm_80 -o - --emit=ptx | FileCheck %s
#include <gpucc.h>
#include <gpucc/vector.h>

// CHECK-LABEL: .entry blend
// CHECK: .shared .align 16
// CHECK-NOT: .local
// CHECK: st.shared.v4
// CHECK: ld.shared.v4.f32
// CHECK-NOT: ld.local
// CHECK: st.global.v4
kernel
void blend(const float4 *restrict in, float4 *restrict out, size_t n)
{
    shared float tile[128 * 4];
    float sum[4] = {0};
    *(float4 *)&tile[threadIdx.x * 4] = in[threadIdx.x];
    syncthreads();
    for (size_t k = 0; k < n; k++) {
        const float4 x = *(const float4 *)&tile[k * 4];
        const float row[4] = {x.x, x.y, x.z, x.w};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                sum[i] += row[j] * row[i];
    }
    out[threadIdx.x] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

// Memory that nothing writes during the kernel comes through the read-only cache.  A condition that is the same in each
// round of an unrolled loop makes no branch around the others.
// CHECK-LABEL: .entry rows
// CHECK-COUNT-4: ld.global.nc.f32
kernel
void rows(const float *restrict in, float *restrict out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            out[(y + j) * width + x] = 2 * in[(y + j) * width + x];
}
