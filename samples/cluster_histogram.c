/* How often each of the 65536 numbers of 16 bits occurs.  One block's shared memory does not hold that many counts, so
 * eight blocks that run together, a cluster, hold an eighth each, and every thread counts in the memory of all. */
#include <gpucc/cluster.h>

enum { BINS = 65536, BLOCKS = 8, SHARE = BINS / BLOCKS };

/* `counts` starts at zero. */
kernel cluster(BLOCKS)
void histogram(size_t n, const uint16 x[n], uint32 counts[BINS])
{
    shared uint32 own[SHARE];
    for (unsigned k = threadIdx.x; k < SHARE; k += blockDim.x)
        own[k] = 0;
    cluster_sync();
    for (size_t i = grid(1); i < n; i += gridsize(1))
        atomic_add(map_shared_rank(&own[x[i] % SHARE], x[i] / SHARE), 1);
    cluster_sync();
    for (unsigned k = threadIdx.x; k < SHARE; k += blockDim.x)
        if (own[k])
            atomic_add(&counts[clusterrank * SHARE + k], own[k]);
}
