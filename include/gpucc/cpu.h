/* What native kernel code asks of the CPU executor (runtime/executor.c): where the running thread stands in the
 * grid, its block's shared memory, and barriers.  The annotations in <gpucc.h> expand to these on the CPU.
 *
 * For a kernel K the compiler makes two native functions, both with the parameters that cuLaunchKernel takes (an
 * array of pointers to the values):
 *   void K_thread(void **parameters)   runs the one thread that gpucc_cpu_self() stands for
 *   void K_block(void **parameters)    runs all threads of the current block in turn, setting threadIdx itself;
 *                                      made only for kernels without barriers
 */
#ifndef GPUCC_CPU_H
#define GPUCC_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

struct gpucc_index {
    unsigned x, y, z;
};

/* The executor keeps one of these for each running thread of a block.  Kernel code reads it; K_block alone also
 * writes thread_index. */
struct gpucc_cpu_thread {
    struct gpucc_index thread_index, block_index, block_dim, grid_dim;
    char *shared;         /* the kernel's static shared variables: `shared` bytes of the manifest, 128-aligned */
    char *dynamic_shared; /* the bytes asked for at the launch, 128-aligned */
};

/* The running thread's record.  `const` is true within one thread of a block: every one has its own stack, or
 * runs to its end before the next starts. */
#if defined(__GNUC__)
__attribute__((const))
#endif
struct gpucc_cpu_thread *gpucc_cpu_self(void);

/* __syncthreads(): returns when every thread of the block that has not ended has called it. */
void gpucc_cpu_barrier(void);

#ifdef __cplusplus
}
#endif
#endif
