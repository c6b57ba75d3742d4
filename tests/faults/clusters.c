// Shared memory of other blocks of a cluster.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/cluster.h>

// run: zeros:256:float32 --grid=4 --block=64
kernel cluster(4) void read_before_written(float *out)
{
    shared float tile[N];
    tile[threadIdx.x] = (float)threadIdx.x; // fault: race on 'tile'
    RIGHT(cluster_sync();) WRONG(syncthreads();)
    const float *next = map_shared_rank(tile, (clusterrank + 1) % clustersize);
    out[grid(1)] = next[N - 1 - threadIdx.x]; // fault: 'tile' at index
    // note: a cluster_sync() between them orders them, as the blocks are of one cluster
    cluster_sync();
}

// run: arange:4:float32 zeros:1:float32 --grid=4 --block=64
kernel cluster(4) void written_while_read(const float *x, float *sum)
{
    shared float part;
    if (threadIdx.x == 0)
        part = x[blockIdx.x];
    cluster_sync();
    if (clusterrank == 0 && threadIdx.x < clustersize)
        atomic_add(sum, *map_shared_rank(&part, threadIdx.x));
    RIGHT(cluster_sync();)
    if (threadIdx.x == 0)
        part = -1; // fault: race on 'part'
    // note: a cluster_sync() between them orders them
    cluster_sync();
}

// run: zeros:256:float32 --grid=4 --block=64
kernel cluster(4) void between_halves(float *out)
{
    shared float tile[N];
    const float *next = map_shared_rank(tile, clusterrank ^ 1);
    tile[threadIdx.x] = (float)threadIdx.x; // fault: race on 'tile'
    cluster_arrive();
    RIGHT(cluster_wait();)
    out[grid(1)] = next[threadIdx.x]; // fault: 'tile' at index
    WRONG(cluster_wait();)
    cluster_sync();
}

// run: zeros:256:float32 --grid=4 --block=64
kernel cluster(4) void beyond_there(float *out)
{
    shared float tile[N], weights[N];
    tile[threadIdx.x] = (float)threadIdx.x;
    weights[threadIdx.x] = 2;
    cluster_sync();
    const float *from = map_shared_rank(&tile[threadIdx.x], (clusterrank + 1) % clustersize);
    // fault: outside of 'tile' at index 64, which has 64 elements
    out[grid(1)] = weights[threadIdx.x] * from[1 RIGHT(- (threadIdx.x == N - 1))];
    cluster_sync();
}

// run: zeros:256:float32 --grid=4 --block=64
kernel cluster(4) void ended_before(float *out)
{
    shared float tile[N];
    tile[threadIdx.x] = (float)threadIdx.x;
    cluster_sync();
    const float *next = map_shared_rank(tile, (clusterrank + 3) % clustersize); // fault: which has exited
    out[grid(1)] = next[threadIdx.x];
    RIGHT(cluster_sync();)
}

// run: zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void ends_while_read(float *out)
{
    shared float tile[N];
    tile[threadIdx.x] = (float)threadIdx.x;
    cluster_sync();
    if (clusterrank == 0)
        out[threadIdx.x] = map_shared_rank(tile, 1)[threadIdx.x];
    // note: an access of another block of the cluster, which may come later
    RIGHT(cluster_sync();) WRONG(syncthreads();) // fault: the block ends while its shared memory may still be used
}
