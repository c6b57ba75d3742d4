/* Which cells a scatter works on, and where their operands lie. */
#include "nests/convert.h"
#include "records/scatter.h"
#include <string.h>

void indices_limit(const gpucc_array *indices, int64_t *numbers, int64_t n)
{
    for (int64_t i = 0; indices->dtype == GPUCC_UINT64 && i < n; i++)
        numbers[i] = numbers[i] < 0 ? INT64_MAX : numbers[i];
}

const int64_t *indices_part(const gpucc_array *indices, uint64_t first, int64_t n, int64_t *buffer)
{
    const int64_t size = dtypes[indices->dtype].size;
    char *const from = indices->data + first * (uint64_t)size;
    if (indices->dtype == GPUCC_INT64 && (uintptr_t)from % _Alignof(int64_t) == 0)
        return (const int64_t *)(const void *)from;
    convert_row(GPUCC_INT64, (char *)buffer, sizeof *buffer, indices->dtype, from, size, n);
    indices_limit(indices, buffer, n);
    return buffer;
}

gpucc_status scatter_fail_index(const struct scatter *scatter, int64_t index)
{
    return fail(GPUCC_BAD_INDEX, "%s: index %lld is out of bounds for axis with size %lld",
                scatter->call.ufunc->name, (long long)index, (long long)scatter->array->shape[0]);
}

void scatter_find_cells(const struct scatter *scatter, const int64_t *indices, int64_t n, int64_t *cells)
{
    const int64_t length = scatter->array->shape[0];
    for (int64_t i = 0; i < n; i++)
        cells[i] = indices[i] < 0 ? indices[i] + length : indices[i];
}

const int64_t *scatter_cells(const struct scatter *scatter, uint64_t first, int64_t n, int64_t *buffer)
{
    if (scatter->cells)
        return scatter->cells + first;
    const int64_t *indices = indices_part(scatter->indices, first, n, buffer);
    if (!scatter->from_end)
        return indices;
    scatter_find_cells(scatter, indices, n, buffer);
    return buffer;
}

int64_t scatter_offset(const struct scatter *scatter, uint64_t number)
{
    int64_t offset = 0;
    for (int d = scatter->index_ndim; d-- > 0;) {
        const uint64_t extent = (uint64_t)scatter->index_shape[d];
        offset += (int64_t)(number % extent) * scatter->index_strides[d];
        number /= extent;
    }
    return offset;
}

void scatter_index_nest(const struct scatter *scatter, struct nest *out)
{
    const gpucc_array *indices = scatter->indices;
    nest_begin(out, indices->ndim, 2);
    memcpy(out->shape, indices->shape, (size_t)indices->ndim * sizeof *out->shape);
    nest_set(out, 0, indices->data, dtypes[indices->dtype].size, indices->ndim, indices->shape, indices->strides);
    nest_set(out, 1, scatter->inner.data[1], 0, indices->ndim, indices->shape, scatter->index_strides);
    nest_merge(out);
}
