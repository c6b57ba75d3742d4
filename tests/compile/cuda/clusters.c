// Clusters under CUDA's names.
// RUN: %gpucc %s --arch=sm_90 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s rotate zeros:8:int32 --grid=4 --block=2 --device=cpu | FileCheck %s --check-prefix=VALUE
// RUN: %gpucc run %s places zeros:48:uint32 --grid=4x2 --block=1 --device=cpu | FileCheck %s --check-prefix=PLACES
#include <cuda_runtime.h>

// CHECK: .visible .entry rotate(
// CHECK: .reqnctapercluster 4, 1, 1
// CHECK: barrier.cluster.arrive;
// CHECK: barrier.cluster.wait;
// CHECK: mapa.u64
// VALUE: first   11 10 21 20 31 30 1 0
__global__ void __cluster_dims__(4, 1, 1) rotate(int *out)
{
    __shared__ int tile[2];
    tile[threadIdx.x] = (int)(blockIdx.x * 10 + threadIdx.x);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    unsigned next = (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks();
    const int *other = (const int *)__cluster_map_shared_rank(tile, next);
    if (__cluster_query_shared_rank(other) == next)
        out[blockIdx.x * blockDim.x + threadIdx.x] = other[1 - threadIdx.x];
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
}

// PLACES: first   0 0 0 0 22 21 0 0
__global__ __cluster_dims__(2, 2, 1) void places(unsigned *out)
{
    unsigned *mine = out + 6 * (blockIdx.x + gridDim.x * blockIdx.y);
    mine[0] = __clusterIdx().x;
    mine[1] = __clusterIdx().y;
    mine[2] = __clusterRelativeBlockIdx().x;
    mine[3] = __clusterRelativeBlockIdx().y;
    mine[4] = __clusterDim().x * 10 + __clusterDim().y;
    mine[5] = __clusterGridDimInClusters().x * 10 + __clusterGridDimInClusters().y;
}
