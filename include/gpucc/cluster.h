/* Thread block clusters, on GPUs from sm_90 and on the CPU: blocks that are resident at once, share barriers of their
 * own and access one another's shared memory.  Include it by itself.
 *
 *   kernel cluster(4) launch_bounds(256)
 *   void sum(size_t n, const float x[n], float *total)
 *   {
 *       shared float part;
 *       …                                     each block adds up its elements in `part`
 *       cluster_sync();                       all blocks have
 *       if (clusterrank == 0 && threadIdx.x < clustersize)
 *           atomic_add(total, *map_shared_rank(&part, threadIdx.x));
 *       cluster_sync();                       no block ends while others read its memory
 *   }
 *
 *   cluster(x) cluster(x, y) cluster(x, y, z)   before a kernel: blocks of a cluster, constants.  Every device with
 *       clusters supports 8 blocks; some support 16.  The grid must be a multiple of it in each dimension.
 *   clusterIdx clusterGridDim     the cluster's index in the grid, and their number: .x .y .z, unsigned
 *   clusterBlockIdx clusterDim    the block's index in the cluster, and their number
 *   clusterrank clustersize       the same as one number, x fastest
 *   cluster_sync()                a barrier of all threads of the cluster that have not ended; their
 *       earlier writes to memory are then visible to all
 *   cluster_arrive() … cluster_wait()   its two halves, for independent work between them
 *   map_shared_rank(pointer, rank)   the address of the same shared variable in the block of that rank, for loads,
 *       stores and atomic operations.  That block must have started, as it has after the first cluster_sync(), and
 *       must not have ended.
 *   shared_rank(pointer)          the rank of the block in whose shared memory it points
 *
 * A kernel without cluster() is a cluster of one block.  Code for GPUs before sm_90 has none of this: there cluster()
 * has no effect, and using the others is an error.
 */
#ifndef GPUCC_CLUSTER_H
#define GPUCC_CLUSTER_H

#include <gpucc.h>

#define gpucc_cluster(...) GPUCC_ANNOTATE("gpucc.cluster", __VA_ARGS__)

#if !defined(__NVPTX__)

#define gpucc_clusterDim (gpucc_cpu_self()->cluster_dim)
#define gpucc_clusterIdx gpucc_divide_index(gpucc_blockIdx, gpucc_clusterDim)
#define gpucc_clusterGridDim gpucc_divide_index(gpucc_gridDim, gpucc_clusterDim)
#define gpucc_clusterBlockIdx gpucc_cluster_block()
#define gpucc_clusterrank gpucc_cluster_rank()
#define gpucc_clustersize gpucc_cluster_size()
#define gpucc_cluster_arrive() gpucc_cpu_cluster_arrive()
#define gpucc_cluster_wait() gpucc_cpu_cluster_wait()
#define gpucc_cluster_map(pointer, rank) gpucc_cpu_cluster_map(pointer, rank)
#define gpucc_shared_rank(pointer) gpucc_cpu_cluster_rank(pointer)

GPUCC_INLINE struct gpucc_index gpucc_divide_index(struct gpucc_index a, struct gpucc_index b)
{
    return (struct gpucc_index){a.x / b.x, a.y / b.y, a.z / b.z};
}

GPUCC_INLINE struct gpucc_index gpucc_cluster_block(void)
{
    struct gpucc_index a = gpucc_blockIdx, b = gpucc_clusterDim;
    return (struct gpucc_index){a.x % b.x, a.y % b.y, a.z % b.z};
}

GPUCC_INLINE unsigned gpucc_cluster_rank(void)
{
    struct gpucc_index block = gpucc_cluster_block(), n = gpucc_clusterDim;
    return block.x + n.x * (block.y + n.y * block.z);
}

GPUCC_INLINE unsigned gpucc_cluster_size(void)
{
    struct gpucc_index n = gpucc_clusterDim;
    return n.x * n.y * n.z;
}

#elif __CUDA_ARCH__ >= 900

#define gpucc_clusterDim GPUCC_SREG(cluster_nctaid)
#define gpucc_clusterIdx GPUCC_SREG(clusterid)
#define gpucc_clusterGridDim GPUCC_SREG(nclusterid)
#define gpucc_clusterBlockIdx GPUCC_SREG(cluster_ctaid)
#define gpucc_clusterrank ((unsigned)__nvvm_read_ptx_sreg_cluster_ctarank())
#define gpucc_clustersize ((unsigned)__nvvm_read_ptx_sreg_cluster_nctarank())
#define gpucc_cluster_arrive() __nvvm_barrier_cluster_arrive()
#define gpucc_cluster_wait() __nvvm_barrier_cluster_wait()

/* Inline assembly, because LLVM assumes that its intrinsic's result does not alias the variable. */
GPUCC_INLINE void *gpucc_cluster_map(const volatile void *pointer, unsigned rank)
{
    void *mapped;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(pointer), "r"(rank));
    return mapped;
}

GPUCC_INLINE unsigned gpucc_shared_rank(const volatile void *pointer)
{
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(pointer));
    return rank;
}

#else

struct gpucc_index gpucc_needs_sm_90(void)
    __attribute__((diagnose_if(1,
                               "thread block clusters need sm_90 or newer, and this is code for " __GPUCC_ARCH__ ": "
                               "compile with --arch=sm_90, or put it under '#if __CUDA_ARCH__ >= 900'",
                               "error")));
#define gpucc_clusterDim gpucc_needs_sm_90()
#define gpucc_clusterIdx gpucc_needs_sm_90()
#define gpucc_clusterGridDim gpucc_needs_sm_90()
#define gpucc_clusterBlockIdx gpucc_needs_sm_90()
#define gpucc_clusterrank (gpucc_needs_sm_90().x)
#define gpucc_clustersize (gpucc_needs_sm_90().x)
#define gpucc_cluster_arrive() ((void)gpucc_needs_sm_90())
#define gpucc_cluster_wait() ((void)gpucc_needs_sm_90())
#define gpucc_cluster_map(pointer, rank) ((void)gpucc_needs_sm_90(), (void)(rank), (void *)(pointer))
#define gpucc_shared_rank(pointer) ((void)(pointer), gpucc_needs_sm_90().x)

#endif

#define gpucc_cluster_sync() (gpucc_cluster_arrive(), gpucc_cluster_wait())
#define gpucc_map_shared_rank(pointer, rank)                                                                           \
    GPUCC_ONCE(pointer, (__typeof__(gpucc_x))gpucc_cluster_map(gpucc_x, rank))

#ifndef GPUCC_NO_SHORT_NAMES
#define cluster(...) gpucc_cluster(__VA_ARGS__)
#define clusterDim gpucc_clusterDim
#define clusterIdx gpucc_clusterIdx
#define clusterGridDim gpucc_clusterGridDim
#define clusterBlockIdx gpucc_clusterBlockIdx
#define clusterrank gpucc_clusterrank
#define clustersize gpucc_clustersize
#define cluster_arrive() gpucc_cluster_arrive()
#define cluster_wait() gpucc_cluster_wait()
#define cluster_sync() gpucc_cluster_sync()
#define map_shared_rank(pointer, rank) gpucc_map_shared_rank(pointer, rank)
#define shared_rank(pointer) gpucc_shared_rank(pointer)
#endif

#endif
