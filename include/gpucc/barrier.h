/* Barriers and fences; part of <gpucc.h>.
 *
 *   syncthreads_count(p)  syncthreads_and(p)  syncthreads_or(p)   a barrier of the block that also tells how many of its
 *       threads have a predicate p that is not 0, whether all have, whether any has.  Threads that have ended do not count.
 *   syncwarp() syncwarp(mask)   a barrier of the lanes that mask names (all); what they wrote before is then seen by all.
 *   threadfence_block() threadfence() threadfence_system()   what the thread wrote before is seen by the block, the device,
 *       the whole system before what it writes afterwards.
 */
#ifndef GPUCC_BARRIER_H
#define GPUCC_BARRIER_H

/* A mask given or left out: `+ 0` is a value in both cases. */
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
#define gpucc_syncthreads_count(predicate) ((int)gpucc_cpu_barrier_count((predicate) != 0))
#define gpucc_syncthreads_and(predicate) (gpucc_cpu_barrier_count((predicate) == 0) == 0)
#define gpucc_syncthreads_or(predicate) (gpucc_cpu_barrier_count((predicate) != 0) != 0)
#define gpucc_syncwarp(...) gpucc_cpu_warp_sync(GPUCC_MASK(__VA_ARGS__))
#define gpucc_threadfence_block() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gpucc_threadfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gpucc_threadfence_system() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

#ifndef GPUCC_NO_SHORT_NAMES
#define syncthreads_count(predicate) gpucc_syncthreads_count(predicate)
#define syncthreads_and(predicate) gpucc_syncthreads_and(predicate)
#define syncthreads_or(predicate) gpucc_syncthreads_or(predicate)
#define syncwarp(...) gpucc_syncwarp(__VA_ARGS__)
#define threadfence_block() gpucc_threadfence_block()
#define threadfence() gpucc_threadfence()
#define threadfence_system() gpucc_threadfence_system()
#endif

#endif
