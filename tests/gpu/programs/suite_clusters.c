/* Thread block clusters: where a block stands, barriers of the cluster, and one another's shared memory.  `in` and
 * `out` have an element for each thread of the grid; blocks have up to 256 threads in one dimension. */
#include <gpucc/cluster.h>

#define KERNEL(name, ...) kernel cluster(__VA_ARGS__) void name(const uint32 *in, uint32 *out)

enum { MOST = 256, BINS = 512 };

GPUCC_INLINE unsigned block_in_grid(void)
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

GPUCC_INLINE unsigned in_grid(void)
{
    return threadIdx.x + blockDim.x * block_in_grid();
}

GPUCC_INLINE unsigned packed(struct gpucc_index index)
{
    return index.x << 16 | index.y << 8 | index.z;
}

/* The first eight threads of each block write what it knows of itself. */
KERNEL(places, 2, 1, 3)
{
    const unsigned values[8] = {packed(clusterIdx),
                                packed(clusterGridDim),
                                packed(clusterBlockIdx),
                                packed(clusterDim),
                                clusterrank,
                                clustersize,
                                packed(blockIdx),
                                in[0]};
    unsigned value = 0;
    for (unsigned k = 0; k < 8; k++)
        value = threadIdx.x % 8 == k ? values[k] : value;
    out[in_grid()] = value;
}

/* Round the ring of the cluster's blocks, a place at each step. */
KERNEL(ring, 4)
{
    shared uint32 tile[MOST];
    unsigned t = threadIdx.x, i = in_grid(), x = in[i];
    for (unsigned step = 0; step < 7; step++) {
        tile[t] = x + step;
        cluster_sync();
        x = x * 3 + map_shared_rank(tile, (clusterrank + step) % clustersize)[blockDim.x - 1 - t];
        cluster_sync();
    }
    out[i] = x;
}

/* Blocks read data that other blocks have written to them. */
KERNEL(scatter, 2, 2)
{
    shared uint32 tile[4][MOST];
    unsigned t = threadIdx.x, i = in_grid(), mine = clusterrank, sum = 0;
    for (unsigned k = 0; k < 4; k++)
        tile[k][t] = 1000 + k;
    cluster_sync();
    for (unsigned k = 0; k < 4; k++)
        if (k != mine)
            map_shared_rank(&tile[mine][t], k)[0] = in[i] + k;
    cluster_sync();
    for (unsigned k = 0; k < 4; k++)
        sum = sum * 31 + tile[k][t];
    out[i] = sum;
}

/* A histogram whose bins are spread over the blocks' memory. */
KERNEL(histogram, 8)
{
    shared uint32 bins[BINS / 8];
    unsigned i = in_grid(), own = BINS / 8;
    for (unsigned k = threadIdx.x; k < own; k += blockDim.x)
        bins[k] = 0;
    cluster_sync();
    unsigned bin = in[i] % BINS;
    atomic_add(map_shared_rank(&bins[bin % own], bin / own), in[i] % 3 + 1);
    cluster_sync();
    out[i] = map_shared_rank(bins, i / own % 8)[i % own];
    cluster_sync();
}

struct pair {
    float64 sum;
    uint64 most;
    float32 least;
    int32 last;
};

/* Atomic operations of several types, and a struct read whole. */
KERNEL(atomics, 3)
{
    shared struct pair pair;
    unsigned i = in_grid(), next = (clusterrank + 1) % clustersize;
    if (threadIdx.x == 0)
        pair = (struct pair){0, 0, 1e30f, -1};
    cluster_sync();
    struct pair *other = map_shared_rank(&pair, next);
    atomic_add(&other->sum, (float64)(in[i] % 1024));
    atomic_max(&other->most, (uint64)in[i] << 20);
    atomic_min(&other->least, (float32)in[i]);
    for (int32 before = -1; before < (int32)threadIdx.x;) {
        int32 seen = atomic_cas(&other->last, before, (int32)threadIdx.x);
        if (seen == before)
            break;
        before = seen;
    }
    cluster_sync();
    struct pair copy = *map_shared_rank(&pair, (next + 1) % clustersize);
    out[i] = (uint32)copy.sum + (uint32)(copy.most >> 20) + (uint32)copy.least + (uint32)copy.last;
    cluster_sync();
}

/* Every 64-bit operation, from all threads of a block at once, on the memory of the next. */
KERNEL(wide_atomics, 3)
{
    enum { OPERATIONS = 8 };
    shared uint64 cells[OPERATIONS];
    unsigned i = in_grid(), t = threadIdx.x, next = (clusterrank + 1) % clustersize;
    if (t == 0)
        for (int k = 0; k < OPERATIONS; k++)
            cells[k] = k == 5 ? ~0ull : 0;
    cluster_sync();
    uint64 *other = map_shared_rank(cells, next), x = (uint64)in[i] << 30 | t;
    atomic_add(&other[0], x);
    atomic_sub(&other[1], x);
    atomic_max(&other[2], x);
    atomic_max((int64 *)&other[3], (int64)x);
    atomic_min((int64 *)&other[4], -(int64)x);
    atomic_and(&other[5], ~(x & 0x00ff00ff00ff00ff));
    atomic_or(&other[6], x);
    atomic_xor(&other[7], x);
    cluster_sync();
    uint64 sum = 0;
    for (int k = 0; k < OPERATIONS; k++)
        sum = sum * 1000003 + cells[k];
    out[i] = (uint32)(sum ^ sum >> 32);
    cluster_sync();
}

/* Work between the halves of the barrier, which some threads of a block come to late. */
KERNEL(halves, 2)
{
    shared uint32 tile[MOST];
    unsigned t = threadIdx.x, i = in_grid(), x = in[i];
    uint32 *other = map_shared_rank(tile, clusterrank ^ 1);
    for (unsigned round = 0; round < 5; round++) {
        tile[t] = x;
        cluster_arrive();
        unsigned y = x;
        for (unsigned k = 0; k < x % 50; k++)
            y = y * 1664525u + k;
        if (round % 2)
            syncthreads();
        cluster_wait();
        x = y ^ other[(t + round) % blockDim.x];
        cluster_sync();
    }
    cluster_sync();
    out[i] = x;
}

/* The barrier does not wait for threads that have ended. */
KERNEL(leavers, 4)
{
    shared uint32 tile[MOST];
    unsigned t = threadIdx.x, i = in_grid();
    tile[t] = in[i];
    if (t % 3 == 1 || (t >= 32 && t < 64)) {
        out[i] = 7;
        return;
    }
    cluster_sync();
    out[i] = map_shared_rank(tile, 3 - clusterrank)[t];
    cluster_sync();
}

/* Dynamic shared memory, and more blocks than every device takes. */
KERNEL(sixteen, 16)
{
    dynamic_shared(uint32, buffer);
    unsigned t = threadIdx.x, i = in_grid(), sum = 0;
    buffer[t] = in[i];
    cluster_sync();
    for (unsigned k = 0; k < clustersize; k++) {
        uint32 *other = map_shared_rank(buffer, k);
        sum += other[t] * (shared_rank(other) + 1);
    }
    out[i] = sum;
    cluster_sync();
}

/* Without cluster() a block is alone. */
kernel void alone(const uint32 *in, uint32 *out)
{
    shared uint32 tile[MOST];
    unsigned t = threadIdx.x;
    tile[t] = in[in_grid()];
    cluster_sync();
    out[in_grid()] = *map_shared_rank(&tile[blockDim.x - 1 - t], 0) + clustersize + clusterrank + packed(clusterIdx);
}

/* Barriers of the grid between those of clusters. */
KERNEL(both_barriers, 2)
{
    shared uint32 tile[MOST];
    unsigned t = threadIdx.x, i = in_grid(), blocks = gridDim.x * gridDim.y * gridDim.z, x = in[i];
    for (unsigned round = 0; round < 3; round++) {
        tile[t] = x;
        cluster_sync();
        x += map_shared_rank(tile, clusterrank ^ 1)[t];
        out[i] = x;
        grid_sync();
        x ^= out[(i + blockDim.x) % (blocks * blockDim.x)];
        grid_sync();
    }
    out[i] = x;
}
