/* libFuzzer target: any bytes as a .npy file.  What is taken lies within the bytes and says what it takes. */
#include "base/base.h"
#include "run/run_internal.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const struct npy_header *header, size_t size)
{
    struct host_array array;
    if (header->dtype >= DTYPE_COUNT || header->ndim < 0 || header->ndim > NPY_MAX_DIMS)
        abort();
    for (int d = 0; d < header->ndim; d++) {
        if (header->shape[d] < 0)
            abort();
    }
    if (header->offset > size || header->size > size - header->offset)
        abort();
    if (!host_array_lay_out(&array, header->dtype, header->ndim, header->shape, header->fortran) ||
        host_array_size(&array) != header->size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy_header header;
    char reason[NPY_REASON] = "";
    if (npy_parse(data, size, &header, reason))
        check_header(&header, size);
    else if (!reason[0] || !memchr(reason, 0, sizeof reason))
        abort();
    return 0;
}
