/* Arrays of indices, which the methods of a ufunc take from the host and from a GPU. */
#include "calls/calls.h"
#include "nests/convert.h"
#include "reductions/methods.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 };

gpucc_status indices_check(const gpucc_ufunc *ufunc, const gpucc_array *indices)
{
    gpucc_status status = call_check_operand(ufunc, indices, "the array of indices", -1);
    if (!status && indices->dtype == GPUCC_BOOLEAN)
        status = fail(GPUCC_BAD_TYPE, "%s: indices must be integers, not boolean: pass the indices at which the mask "
                                      "is true",
                      ufunc->name);
    else if (!status && !strchr("iu", dtypes[indices->dtype].kind))
        status = fail(GPUCC_BAD_TYPE, "%s: indices must be integers, not %s", ufunc->name,
                      dtypes[indices->dtype].name);
    return status;
}

gpucc_status indices_read(const gpucc_ufunc *ufunc, const gpucc_array *indices, int64_t **out)
{
    gpucc_status status = indices_check(ufunc, indices);
    if (status)
        return status;
    const int64_t size = dtypes[indices->dtype].size;
    const size_t bytes = (size_t)indices->count * (size_t)size;
    int64_t *numbers = malloc((size_t)(indices->count ? indices->count : 1) * sizeof *numbers);
    if (!numbers)
        return fail_memory((size_t)indices->count * sizeof *numbers, "indices");
    /* as they are at the end of the memory, and from there as int64 to its beginning */
    char *raw = (char *)(numbers + indices->count) - bytes;
    status = gpucc_array_read(indices, raw, bytes);
    if (status) {
        free(numbers);
        return status;
    }
    for (int64_t i = 0; size < (int64_t)sizeof *numbers && i < indices->count; i += BLOCK) {
        char block[BLOCK * sizeof *numbers];
        const int64_t n = indices->count - i < BLOCK ? indices->count - i : BLOCK;
        memcpy(block, raw + i * size, (size_t)(n * size));
        convert_row(GPUCC_INT64, (char *)&numbers[i], sizeof *numbers, indices->dtype, block, size, n);
    }
    indices_limit(indices, numbers, indices->count);
    *out = numbers;
    return GPUCC_OK;
}
