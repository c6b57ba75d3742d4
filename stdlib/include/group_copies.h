/* Cooperative groups: copies to shared memory by all threads of a group, each a part, as <gpucc/async.h> does them. */
#ifndef GPUCC_GROUP_COPIES_H
#define GPUCC_GROUP_COPIES_H

#include <cooperative_groups.h>

/* Objects that track copies in place of a group's wait(): <cuda/barrier>, <cuda/pipeline> (cuda_async.h). */
typedef struct gpucc_block_barrier {
    unsigned expected, pending, phase;
} gpucc_block_barrier;
typedef struct gpucc_pipeline {
    unsigned stages, committed, waited; /* stages: 0 where each thread has a pipeline of its own */
} gpucc_pipeline;
struct gpucc_tracked {
    char none;
};
#define GPUCC_TRACKED(e)                                                                                               \
    _Generic((e), gpucc_block_barrier: (struct gpucc_tracked){0}, gpucc_pipeline: (struct gpucc_tracked){0},           \
             default: (e))

/* Each thread copies every size(group)th unit, of the most bytes that divide all, and commits what it has begun; not
 * where something else tracks it. */
#define GPUCC_DEFINE_GROUP_COPY(group_t)                                                                               \
    GPUCC_GROUP void gpucc_copy_by(size_t element, group_t group, void *to, const void *from, size_t bytes,            \
                                   struct gpucc_tracked tracked)                                                       \
    {                                                                                                                  \
        const uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;                                                 \
        const size_t unit = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1, step = size(group) * unit;   \
        (void)element, (void)tracked;                                                                                  \
        for (size_t at = thread_rank(group) * unit; at < bytes; at += step)                                            \
            gpucc_copy_async((char *)to + at, (const char *)from + at, unit, 0);                                       \
    }                                                                                                                  \
    GPUCC_GROUP void gpucc_copy_by(size_t element, group_t group, void *to, const void *from, size_t bytes)            \
    {                                                                                                                  \
        gpucc_copy_by(element, group, to, from, bytes, (struct gpucc_tracked){0});                                     \
        gpucc_memcpy_async_commit();                                                                                   \
    }                                                                                                                  \
    /* As many elements as both sides have. */                                                                         \
    GPUCC_GROUP void gpucc_copy_by(size_t element, group_t group, void *to, size_t room, const void *from,             \
                                   size_t count)                                                                       \
    {                                                                                                                  \
        gpucc_copy_by(element, group, to, from, (room < count ? room : count) * element);                              \
    }                                                                                                                  \
    GPUCC_GROUP void wait_prior(unsigned stages, group_t group)                                                        \
    {                                                                                                                  \
        gpucc_memcpy_async_wait(stages);                                                                               \
        sync(group);                                                                                                   \
    }                                                                                                                  \
    GPUCC_GROUP void wait(group_t group)                                                                               \
    {                                                                                                                  \
        wait_prior(0, group);                                                                                          \
    }
GPUCC_DEFINE_GROUP_COPY(thread_block)
GPUCC_DEFINE_GROUP_COPY(gpucc_tile)
GPUCC_DEFINE_GROUP_COPY(coalesced_group)
GPUCC_DEFINE_GROUP_COPY(thread_group)
/* By a thread alone. */
GPUCC_GROUP void gpucc_copy_by(size_t element, void *to, const void *from, size_t bytes, struct gpucc_tracked tracked)
{
    (void)element, (void)tracked;
    gpucc_copy_async(to, from, bytes, 0);
}

#define GPUCC_COPY_4(a, b, c, d) gpucc_copy_by(sizeof *(b), a, b, c, GPUCC_TRACKED(d))
#define GPUCC_COPY_5(a, b, c, d, e) gpucc_copy_by(sizeof *(b), a, b, c, d, GPUCC_TRACKED(e))
#define GPUCC_PICK_COPY(_1, _2, _3, _4, _5, copy, ...) copy
#define memcpy_async(...) GPUCC_PICK_COPY(__VA_ARGS__, GPUCC_COPY_5, GPUCC_COPY_4, ~)(__VA_ARGS__)

#endif
