/* Places in spaces of several dimensions, and indices that name cells, for loops and for the runtime's own kernels. */
#ifndef GPUCC_LOOPS_INDICES_H
#define GPUCC_LOOPS_INDICES_H

#include <stdint.h>
#include <gpucc/loops.h>

/* Returns the offset in bytes of element number `index` of a space with `dims` dimensions. */
static inline __attribute__((always_inline)) int64_t gpucc_offset(uint64_t index, unsigned dims, const uint64_t *shape,
                                                                  const int64_t *strides)
{
    int64_t offset = 0;
    _Pragma("nounroll") for (unsigned d = dims - 1; d > 0; d--)
    {
        const uint64_t outer = index / shape[d];
        offset += (int64_t)(index - outer * shape[d]) * strides[d];
        index = outer;
    }
    return offset + (int64_t)index * strides[0];
}

/* The same with the strides of two operands. */
static inline __attribute__((always_inline)) void gpucc_offsets(uint64_t index, unsigned dims, const uint64_t *shape,
                                                                const int64_t *strides_a, const int64_t *strides_b,
                                                                int64_t *a, int64_t *b)
{
    *a = *b = 0;
    _Pragma("nounroll") for (unsigned d = dims - 1; d > 0; d--)
    {
        const uint64_t outer = index / shape[d];
        *a += (int64_t)(index - outer * shape[d]) * strides_a[d];
        *b += (int64_t)(index - outer * shape[d]) * strides_b[d];
        index = outer;
    }
    *a += (int64_t)index * strides_a[0];
    *b += (int64_t)index * strides_b[0];
}

/* The index that was read as `raw`, with nothing above it; one that no int64_t holds is the largest that does. */
static inline __attribute__((always_inline)) int64_t gpucc_index_of(const struct gpucc_indices *it, uint64_t raw)
{
    const unsigned unused = 64 - 8 * it->size;
    const int64_t extended = (int64_t)(raw << unused) >> unused;
    return it->is_signed ? extended : raw > INT64_MAX ? INT64_MAX : (int64_t)raw;
}

enum { GPUCC_INDICES_MOST = 4 };

#define GPUCC_LOAD_INDICES(type)                                                                                       \
    _Pragma("unroll") for (int k = 0; k < count; k++) raw[k] = *(const type *)from[k];                                 \
    break;

/* Reads `count` indices, a constant up to GPUCC_INDICES_MOST, by independent loads. */
static inline __attribute__((always_inline)) void gpucc_read_indices(const struct gpucc_indices *it, int count,
                                                                     const char *const *from, int64_t *out)
{
    uint64_t raw[GPUCC_INDICES_MOST];
    switch (it->size) {
    case 1: GPUCC_LOAD_INDICES(uint8_t)
    case 2: GPUCC_LOAD_INDICES(uint16_t)
    case 4: GPUCC_LOAD_INDICES(uint32_t)
    default: GPUCC_LOAD_INDICES(uint64_t)
    }
    _Pragma("unroll") for (int k = 0; k < count; k++) out[k] = gpucc_index_of(it, raw[k]);
}

/* The cells that these name, which are in range. */
static inline __attribute__((always_inline)) void gpucc_read_cells(const struct gpucc_indices *it, int count,
                                                                   const char *const *from, int64_t *out)
{
    gpucc_read_indices(it, count, from, out);
    _Pragma("unroll") for (int k = 0; k < count; k++) out[k] += out[k] < 0 ? (int64_t)it->cells : 0;
}

#undef GPUCC_LOAD_INDICES
#endif
