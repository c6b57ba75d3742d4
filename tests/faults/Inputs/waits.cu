/* CUDA's ways to wait for a copy, each left out unless MENDED. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

#ifdef MENDED
#define RIGHT(...) __VA_ARGS__
#else
#define RIGHT(...)
#endif

__global__ void by_pipeline(const float *x, float *out)
{
    __shared__ float tile[2][32];
    auto pipe = cuda::make_pipeline();
    for (int stage = 0; stage < 2; stage++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[stage][threadIdx.x], &x[stage * 32 + threadIdx.x], sizeof(float), pipe);
        pipe.producer_commit();
    }
    for (int stage = 0; stage < 2; stage++) {
        RIGHT(pipe.consumer_wait();)
        out[stage * 32 + threadIdx.x] = tile[stage][threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void by_group(const float *x, float *out)
{
    __shared__ float tile[32];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, x, 32 * sizeof(float));
    RIGHT(cg::wait(block);)
    block.sync();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void by_barrier(const float *x, float *out)
{
    __shared__ float tile[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&ready, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, tile, x, 32 * sizeof(float), ready);
    RIGHT(ready.arrive_and_wait();)
    block.sync();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void by_primitives(const float *x, float *out)
{
    __shared__ float tile[2][32];
    for (int stage = 0; stage < 2; stage++) {
        __pipeline_memcpy_async(&tile[stage][threadIdx.x], &x[stage * 32 + threadIdx.x], sizeof(float));
        __pipeline_commit();
    }
    RIGHT(__pipeline_wait_prior(1);)
    out[threadIdx.x] = tile[0][threadIdx.x];
    RIGHT(__pipeline_wait_prior(0);)
    out[32 + threadIdx.x] = tile[1][threadIdx.x];
}
