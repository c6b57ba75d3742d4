/* Cooperative groups: copies to shared memory by all threads of a group, each a part, as <gpucc/async.h> does them. */
#ifndef GPUCC_GROUP_COPIES_H
#define GPUCC_GROUP_COPIES_H

#include <cooperative_groups.h>

/* Each thread copies every size(group)th unit, of the most bytes that divide all, and commits what it has begun. */
#define GPUCC_DEFINE_GROUP_COPY(group_t)                                                                               \
    GPUCC_GROUP void gpucc_group_copy(group_t group, void *to, const void *from, size_t bytes)                         \
    {                                                                                                                  \
        const uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;                                                 \
        const size_t unit = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1, step = size(group) * unit;   \
        for (size_t at = thread_rank(group) * unit; at < bytes; at += step)                                            \
            gpucc_copy_async((char *)to + at, (const char *)from + at, unit, 0);                                       \
        gpucc_memcpy_async_commit();                                                                                   \
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

/* Of bytes; and of elements, as many as both sides have. */
#define GPUCC_COPY_BYTES(group, to, from, bytes) gpucc_group_copy(group, to, from, bytes)
#define GPUCC_COPY_ELEMENTS(group, to, room, from, count)                                                              \
    __extension__({                                                                                                    \
        const size_t gpucc_room = (room), gpucc_count = (count);                                                       \
        gpucc_group_copy(group, to, from, (gpucc_room < gpucc_count ? gpucc_room : gpucc_count) * sizeof *(to));       \
    })
#define GPUCC_PICK_COPY(_1, _2, _3, _4, _5, copy, ...) copy
#define memcpy_async(...)                                                                                              \
    GPUCC_PICK_COPY(__VA_ARGS__, GPUCC_COPY_ELEMENTS, GPUCC_COPY_BYTES, ~)(__VA_ARGS__)

#endif
