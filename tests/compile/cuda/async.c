// Any group as a parameter, and CUDA's barriers and pipelines in shared memory.
// RUN: %gpucc %s --arch=sm_75,sm_80 -o %t.o
// RUN: %gpucc %s --arch=sm_80 -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run %s sums zeros:4:int32 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SUMS
// RUN: %gpucc run --check %s meet arange:64:float32 zeros:64:float32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=MEET
// RUN: %gpucc run %s stages arange:256:float32 zeros:64:float32 4 --grid=1 --block=64 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=STAGES
// RUN: %gpucc run %s own arange:32:float32 zeros:32:float32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=OWN
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

/* By halves, as CUDA's guide has it. */
__device__ int sum_of(cg::thread_group group, int *scratch, int value)
{
    int lane = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[lane] = value;
        group.sync();
        if (lane < i)
            value += scratch[lane + i];
        group.sync();
    }
    return value;
}

// CHECK-LABEL: .visible .entry sums(
// CHECK: bar.sync
// CHECK: bar.warp.sync
__global__ void sums(int *out)
{
    __shared__ int scratch[64];
    auto block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, 8);
    cg::thread_group pair = cg::tiled_partition(tile, 2);
    int all = sum_of(block, scratch, threadIdx.x);
    int some = sum_of(tile, scratch + threadIdx.x / 8 * 8, threadIdx.x);
    if (threadIdx.x == 0)
        out[0] = all, out[3] = pair.num_threads();
    if (threadIdx.x == 40)
        out[1] = some;
    if (threadIdx.x == 43)
        out[2] = sum_of(cg::coalesced_threads(), scratch, 7) + pair.thread_rank();
}
// SUMS: {{^}}2016 348 8 2{{$}}

__device__ void load(barrier &ready, cg::thread_block block, float *to, const float *from)
{
    cuda::memcpy_async(block, to, from, cuda::aligned_size_t<16>(32 * sizeof(float)), ready);
    barrier::arrival_token token = ready.arrive();
    ready.wait(std::move(token));
}

// CHECK-LABEL: .visible .entry meet(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group 0
// CHECK: atom.shared
__global__ void meet(const float *in, float *out)
{
    __shared__ barrier ready;
    __shared__ float both[2][32];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&ready, block.size());
    block.sync();
    for (int phase = 0; phase < 2; phase++)
        load(ready, block, both[phase], in + 32 * phase);
    both[0][threadIdx.x] += both[1][31 - threadIdx.x];
    ready.arrive_and_wait();
    out[threadIdx.x] = both[0][threadIdx.x ^ 1];
    if (threadIdx.x % 2)
        ready.arrive_and_drop();
    else
        ready.arrive_and_wait();
    if (threadIdx.x % 2 == 0) {
        ready.arrive_and_wait();
        out[32 + threadIdx.x] = both[0][threadIdx.x];
    }
}
// MEET: {{^}}63 63 63 {{.*}} 63 0 63 0{{$}}

// CHECK-LABEL: .visible .entry stages(
// CHECK: cp.async.commit_group
__global__ void stages(const float *in, float *out, int n)
{
    __shared__ float buffer[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    for (int computed = 0, fetched = 0; computed < n; computed++) {
        for (; fetched < n && fetched < computed + 2; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetched % 2], in + 64 * fetched, 64 * sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += (computed + 1) * buffer[computed % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
// STAGES: {{^}}1910 1900 1890

// CHECK-LABEL: .visible .entry own(
// CHECK: cp.async.wait_group 1
// CHECK: cp.async.wait_group 0
__global__ void own(const float *in, float *out)
{
    __shared__ float kept[2][32];
    const unsigned i = threadIdx.x;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&kept[k][i], &in[k ? 31 - i : i], cuda::aligned_size_t<alignof(float)>(sizeof(float)), pipe);
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    out[i] = kept[0][i];
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    out[i] += 100 * kept[1][i];
    pipe.consumer_release();
}
// OWN: {{^}}3100 3001 2902

#ifdef WRONG
// WRONG: async.c:[[#@LINE+2]]:18: error: unknown type name
// WRONG: note: <cuda/barrier> is supported as barrier<thread_scope_block>
__shared__ cuda::barrier<cuda::thread_scope_system> everywhere;
#endif
