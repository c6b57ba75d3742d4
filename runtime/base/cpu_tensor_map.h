/* A tensor map (<gpucc/tensor_map.h>) as the CPU device has it: gpucc_tensor_map_make() fills it in, and the executor's
 * copies read it.  Dimensions are innermost first. */
#ifndef GPUCC_BASE_CPU_TENSOR_MAP_H
#define GPUCC_BASE_CPU_TENSOR_MAP_H

#include <gpucc/tensor_map.h>

enum { TENSOR_RANKS = 5, TENSOR_BOX = 256 }; /* dimensions and elements of a box along one, at most */

#define CPU_TENSOR_MAP 0x7061d726f736e655ull /* in a map of the CPU's */

struct cpu_tensor_map {
    uint64_t magic;                /* cpu_tensor_map_magic() */
    char *data;
    uint64_t pitch[TENSOR_RANKS];  /* bytes to the next element along the dimension */
    uint32_t extent[TENSOR_RANKS]; /* of the array */
    uint16_t box[TENSOR_RANKS];    /* extents of a box, 1 to 256 */
    uint8_t rank;                  /* 1 to 5 */
    uint8_t dtype;                 /* gpucc_dtype */
    uint8_t element;               /* bytes */
    uint8_t swizzle;               /* bytes of a row: 0, 32, 64, 128 */
};
_Static_assert(sizeof(struct cpu_tensor_map) <= sizeof(gpucc_tensor_map), "a map of the CPU's fits");

/* Says that all else is as the host has made it: a kernel may not change it. */
static inline uint64_t cpu_tensor_map_magic(const struct cpu_tensor_map *map)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t sum = (uintptr_t)map->data;
    for (int d = 0; d < TENSOR_RANKS; d++)
        sum = ((sum * factor + map->pitch[d]) * factor + map->extent[d]) * factor + map->box[d];
    return CPU_TENSOR_MAP ^ (((sum * factor + map->rank) * factor + map->dtype) * factor + map->swizzle);
}

#endif
