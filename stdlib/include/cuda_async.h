/* <cuda/barrier> and <cuda/pipeline>: barrier<thread_scope_block>, and pipelines of a thread or of a block.
 * `bar.arrive()` and `pipe.producer_commit()` are read as gpucc_member_arrive(bar), gpucc_member_producer_commit(pipe).
 * A thread's copies are done when it arrives at a barrier. */
#ifndef GPUCC_CUDA_ASYNC_H
#define GPUCC_CUDA_ASYNC_H

#include <group_copies.h>

enum gpucc_thread_scope { thread_scope_block = 1, thread_scope_thread = 3 };
/* aligned_size_t<16>(bytes) */
#define aligned_size_t(align, ...) ((size_t)(__VA_ARGS__))
#define move(...) (__VA_ARGS__)

/* ---- barriers ---- */

/* barrier<thread_scope_block>; others have no type. */
#define barrier(scope) GPUCC_BARRIER_OF_##scope
#define GPUCC_BARRIER_OF_thread_scope_block gpucc_block_barrier

typedef unsigned arrival_token; /* barrier<…>::arrival_token: a phase */

/* By one thread, before a barrier of the block. */
GPUCC_GROUP void init(gpucc_block_barrier *barrier, size_t expected)
{
    *barrier = (gpucc_block_barrier){(unsigned)expected, (unsigned)expected, 0};
}

/* The last of so many that are expected begins the next phase. */
GPUCC_INLINE unsigned gpucc_barrier_arrive(gpucc_block_barrier *barrier, unsigned drop)
{
    gpucc_memcpy_async_commit();
    gpucc_memcpy_async_wait(0);
    const unsigned phase = gpucc_atomic_add(&barrier->phase, 0u);
    gpucc_threadfence_block();
    if (drop)
        gpucc_atomic_sub(&barrier->expected, 1u);
    if (gpucc_atomic_sub(&barrier->pending, 1u) == 1) {
        gpucc_atomic_exch(&barrier->pending, gpucc_atomic_add(&barrier->expected, 0u));
        gpucc_threadfence_block();
        gpucc_atomic_add(&barrier->phase, 1u);
    }
    return phase;
}
GPUCC_INLINE void gpucc_barrier_wait(gpucc_block_barrier *barrier, unsigned phase)
{
    while (gpucc_atomic_add(&barrier->phase, 0u) == phase)
        gpucc_nanosleep(20);
    gpucc_threadfence_block();
}
#define gpucc_member_arrive(barrier) gpucc_barrier_arrive(&(barrier), 0)
#define gpucc_member_wait(barrier, ...) gpucc_barrier_wait(&(barrier), __VA_ARGS__)
#define gpucc_member_arrive_and_drop(barrier) ((void)gpucc_barrier_arrive(&(barrier), 1))
#define gpucc_member_arrive_and_wait(barrier)                                                                          \
    __extension__({                                                                                                    \
        gpucc_block_barrier *const gpucc_barrier = &(barrier);                                                         \
        gpucc_barrier_wait(gpucc_barrier, gpucc_barrier_arrive(gpucc_barrier, 0));                                     \
    })

/* ---- pipelines ---- */

#define pipeline(scope) gpucc_pipeline
/* pipeline_shared_state<thread_scope_block, 2>: how many stages there are. */
#define pipeline_shared_state(scope, count)                                                                            \
    struct {                                                                                                           \
        char gpucc_stages[count];                                                                                      \
    }
/* make_pipeline(), and make_pipeline(block, &state), whose threads all produce and consume. */
#define make_pipeline(...)                                                                                             \
    GPUCC_PICK_PIPELINE(~ __VA_OPT__(, ) __VA_ARGS__, GPUCC_PIPELINE_2, ~, GPUCC_PIPELINE_0, ~)(__VA_ARGS__)
#define GPUCC_PICK_PIPELINE(_1, _2, _3, pipeline, ...) pipeline
#define GPUCC_PIPELINE_0() ((gpucc_pipeline){0, 0, 0})
#define GPUCC_PIPELINE_2(group, state) gpucc_pipeline_of(group, sizeof (state)->gpucc_stages)
GPUCC_INLINE gpucc_pipeline gpucc_pipeline_of(thread_block block, size_t stages)
{
    (void)block;
    return (gpucc_pipeline){(unsigned)stages, 0, 0};
}

/* A block's stage is free when all threads have released what was in it: they have, who come here again. */
GPUCC_INLINE void gpucc_pipeline_acquire(gpucc_pipeline *pipeline)
{
    if (pipeline->stages && pipeline->committed >= pipeline->stages)
        __syncthreads();
}
GPUCC_INLINE void gpucc_pipeline_commit(gpucc_pipeline *pipeline)
{
    gpucc_memcpy_async_commit();
    pipeline->committed++;
}
/* For all stages but the newest `left`; what other threads of a block have copied is seen then too. */
GPUCC_INLINE void gpucc_pipeline_wait(gpucc_pipeline *pipeline, unsigned left)
{
    gpucc_memcpy_async_wait(left);
    if (pipeline->stages)
        __syncthreads();
}
/* For the oldest stage that was not waited for. */
GPUCC_INLINE void gpucc_pipeline_consume(gpucc_pipeline *pipeline)
{
    pipeline->waited++;
    gpucc_pipeline_wait(pipeline, pipeline->committed - pipeline->waited);
}
#define gpucc_member_producer_acquire(pipe) gpucc_pipeline_acquire(&(pipe))
#define gpucc_member_producer_commit(pipe) gpucc_pipeline_commit(&(pipe))
#define gpucc_member_consumer_wait(pipe) gpucc_pipeline_consume(&(pipe))
#define gpucc_member_consumer_release(pipe) ((void)&(pipe))
#define pipeline_consumer_wait_prior(left, pipe) gpucc_pipeline_wait(&(pipe), left)

#endif
