/* Arrays in this process's memory: laid out as NumPy does, in memory of their own that comes zeroed. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "run/run_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

bool host_array_lay_out(struct host_array *array, enum dtype dtype, int ndim, const int64_t *shape, bool fortran)
{
    int64_t step = (int64_t)dtype_size(dtype);
    if (ndim < 0 || ndim > GPUCC_MAX_DIMS)
        return false;
    array->dtype = dtype;
    array->ndim = ndim;
    for (int k = 0; k < ndim; k++) {
        int d = fortran ? k : ndim - 1 - k;
        array->shape[d] = shape[d];
        array->strides[d] = step;
        if (shape[d] < 0 || __builtin_mul_overflow(step, shape[d] ? shape[d] : 1, &step))
            return false;
    }
    return true;
}

size_t host_array_count(const struct host_array *array)
{
    size_t count = 1;
    for (int d = 0; d < array->ndim; d++)
        if (!array->shape[d])
            return 0;
    for (int d = 0; d < array->ndim; d++)
        count *= (size_t)array->shape[d];
    return count;
}

size_t host_array_size(const struct host_array *array)
{
    return host_array_count(array) * dtype_size(array->dtype);
}

void host_array_allocate(struct host_array *array, const char *what)
{
    size_t size = host_array_size(array);
    void *memory = MAP_FAILED;
    if (size < PTRDIFF_MAX - HOST_ARRAY_HEADROOM)
        memory = mmap(NULL, size + HOST_ARRAY_HEADROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fatal("out of memory: %s requires %zu bytes", what, size);
    madvise(memory, size + HOST_ARRAY_HEADROOM, MADV_HUGEPAGE);
    array->mapping = memory;
    array->mapping_size = size + HOST_ARRAY_HEADROOM;
    array->data = (char *)memory + HOST_ARRAY_HEADROOM;
}

void host_array_free(struct host_array *array)
{
    if (array->mapping)
        munmap(array->mapping, array->mapping_size);
    array->mapping = array->data = NULL;
}

bool host_array_is_contiguous(const struct host_array *array)
{
    int64_t step = (int64_t)dtype_size(array->dtype);
    for (int d = array->ndim; d-- > 0;) {
        if (!array->shape[d])
            return true;
        if (array->shape[d] > 1 && array->strides[d] != step)
            return false;
        step *= array->shape[d];
    }
    return true;
}

const char *shape_spelling(struct arena *arena, int ndim, const int64_t *shape)
{
    struct text text = {.arena = arena};
    text_printf(&text, "(");
    for (int d = 0; d < ndim; d++)
        text_printf(&text, "%s%lld", d ? ", " : "", (long long)shape[d]);
    text_printf(&text, ndim == 1 ? ",)" : ")");
    return text.data;
}
