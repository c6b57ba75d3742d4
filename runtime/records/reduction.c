/* The layout of a reduction's elements. */
#include "records/reduction.h"

int64_t reduction_offset(const struct reduction *reduction, uint64_t index)
{
    int64_t offset = 0;
    for (int d = reduction->reduced_dims; d-- > 0;) {
        uint64_t extent = (uint64_t)reduction->reduced_shape[d];
        offset += (int64_t)(index % extent) * reduction->reduced_strides[d];
        index /= extent;
    }
    return offset;
}
