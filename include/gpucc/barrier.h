/* Barriers and fences; part of <gpucc.h>.
 *
 *   syncthreads_count(p)  syncthreads_and(p)  syncthreads_or(p)   a barrier of the block that returns how many
 *       threads have a nonzero predicate p, whether all have, whether any has.  Threads that have ended do not
 *       count.
 *   syncwarp() syncwarp(mask)   a barrier of the lanes in mask (default: all); their earlier writes are then
 *       visible to all of them.
 *   threadfence_block() threadfence() threadfence_system()   the block, the device, the whole system sees the
 *       thread's earlier writes before its later ones.
 *   grid_sync()   a barrier of all threads of the grid, each of which must call it; their earlier writes are then
 *       visible to all.  A kernel that calls it is launched cooperatively: all its blocks are resident at once.
 */
#ifndef GPUCC_BARRIER_H
#define GPUCC_BARRIER_H

/* The mask is optional: `+ 0` is an expression with and without it. */
#define GPUCC_MASK(...) (sizeof #__VA_ARGS__ == 1 ? 0xffffffffu : (unsigned)(__VA_ARGS__ + 0))

#if defined(__NVPTX__)
#define gpucc_syncthreads_count(predicate) __nvvm_bar0_popc((predicate) != 0)
#define gpucc_syncthreads_and(predicate) __nvvm_bar0_and((predicate) != 0)
#define gpucc_syncthreads_or(predicate) __nvvm_bar0_or((predicate) != 0)
#define gpucc_syncwarp(...) __nvvm_bar_warp_sync(GPUCC_MASK(__VA_ARGS__))
#define gpucc_threadfence_block() __nvvm_membar_cta()
#define gpucc_threadfence() __nvvm_membar_gl()
#define gpucc_threadfence_system() __nvvm_membar_sys()
#else
#define gpucc_syncthreads_count(predicate) ((int)gpucc_cpu_barrier_count(GPUCC_CPU_HERE, (predicate) != 0))
#define gpucc_syncthreads_and(predicate) (gpucc_cpu_barrier_count(GPUCC_CPU_HERE, (predicate) == 0) == 0)
#define gpucc_syncthreads_or(predicate) (gpucc_cpu_barrier_count(GPUCC_CPU_HERE, (predicate) != 0) != 0)
#define gpucc_syncwarp(...) gpucc_cpu_warp_sync(GPUCC_MASK(__VA_ARGS__))
#define gpucc_threadfence_block() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gpucc_threadfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gpucc_threadfence_system() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

#if defined(__NVPTX__)
/* The driver passes this, zeroed, to each cooperative launch: <cooperative_groups/details/driver_abi.h> of CUDA. */
struct gpucc_grid_workspace {
    unsigned size, barrier;
};

/* The workspace's address; null in launches that are not cooperative. */
GPUCC_INLINE struct gpucc_grid_workspace *gpucc_grid_workspace(void)
{
    struct gpucc_grid_workspace *workspace;
    __asm__("mov.b64 %0, {%%envreg2, %%envreg1};" : "=l"(workspace));
    return workspace;
}

GPUCC_INLINE unsigned gpucc_add_arrivals(volatile unsigned *counter, unsigned more)
{
    return __nvvm_atom_add_gen_i((int *)(void *)counter, more);
}
#else
GPUCC_INLINE unsigned gpucc_add_arrivals(volatile unsigned *counter, unsigned more)
{
    return __atomic_fetch_add(counter, more, __ATOMIC_SEQ_CST);
}
#endif

/* A barrier of so many blocks, which all run at once.  One thread of each adds to the counter.  The additions of one
 * barrier sum to 2^31, so the last one flips the top bit, which all blocks poll.  The counter may start at any value
 * and needs no reset between barriers. */
GPUCC_INLINE void gpucc_blocks_sync(volatile unsigned *counter, unsigned blocks, int is_first)
{
    unsigned before;
    gpucc_syncthreads();
    if (gpucc_linear_thread() == 0) {
        gpucc_threadfence();
        before = gpucc_add_arrivals(counter, is_first ? 0x80000001u - blocks : 1);
        while (((before ^ *counter) & 0x80000000u) == 0)
            ;
        gpucc_threadfence();
    }
    gpucc_syncthreads();
}

#if defined(__NVPTX__)
GPUCC_INLINE void gpucc_grid_sync(void)
{
    struct gpucc_index blocks = gpucc_gridDim, block = gpucc_blockIdx;
    struct gpucc_grid_workspace *workspace = gpucc_grid_workspace();
    if (!workspace)
        __builtin_trap();
    gpucc_blocks_sync(&workspace->barrier, blocks.x * blocks.y * blocks.z, (block.x | block.y | block.z) == 0);
}
#else
GPUCC_INLINE void gpucc_grid_sync(void)
{
    gpucc_cpu_barrier_grid();
}
#endif

#ifndef GPUCC_NO_SHORT_NAMES
#define grid_sync() gpucc_grid_sync()
#define syncthreads_count(predicate) gpucc_syncthreads_count(predicate)
#define syncthreads_and(predicate) gpucc_syncthreads_and(predicate)
#define syncthreads_or(predicate) gpucc_syncthreads_or(predicate)
#define syncwarp(...) gpucc_syncwarp(__VA_ARGS__)
#define threadfence_block() gpucc_threadfence_block()
#define threadfence() gpucc_threadfence()
#define threadfence_system() gpucc_threadfence_system()
#endif

#endif
