/* Arrays: what a shape, a type and memory make, views of them, and reading and writing their elements. */
#include "arrays/split.h"
#include "arrays/unwritten.h"
#include "devices/launch_order.h"
#include "devices/trace.h"
#include <stdlib.h>
#include <string.h>

static gpucc_status fail_shape(int ndim, const int64_t *shape, gpucc_dtype dtype, const char *problem)
{
    struct text text = {0};
    return fail(GPUCC_BAD_SHAPE, "shape %s of %s %s", shape_text(&text, ndim, shape), dtypes[dtype].name, problem);
}

gpucc_status array_check_shape(gpucc_dtype dtype, int ndim, const int64_t *shape)
{
    if (!dtype_valid(dtype))
        return fail(GPUCC_INVALID_ARGUMENT, "invalid dtype %d", (int)dtype);
    if (ndim < 0 || ndim > GPUCC_MAX_DIMS)
        return fail(GPUCC_BAD_SHAPE, "an array has 0 to %d dimensions, got %d", GPUCC_MAX_DIMS, ndim);
    if (ndim > 0 && !shape)
        return fail(GPUCC_INVALID_ARGUMENT, "the shape is null");
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return fail_shape(ndim, shape, dtype, "has a negative extent");
    }
    return GPUCC_OK;
}

/* C-order strides; *count is the number of elements.  Extents of 0 count as 1 in strides, as in NumPy. */
static gpucc_status lay_out(gpucc_dtype dtype, int ndim, const int64_t *shape, int64_t *strides, int64_t *count)
{
    int64_t step = dtypes[dtype].size;
    *count = 1;
    for (int d = ndim; d-- > 0;) {
        strides[d] = step;
        *count *= shape[d] != 0;
        if (__builtin_mul_overflow(step, shape[d] ? shape[d] : 1, &step))
            return fail_shape(ndim, shape, dtype, "exceeds the address space");
    }
    *count *= step / dtypes[dtype].size;
    return GPUCC_OK;
}

bool array_extent(int ndim, const int64_t *shape, const int64_t *strides, size_t size, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = (int64_t)size;
    for (int d = 0; d < ndim; d++) {
        int64_t reach;
        if (shape[d] == 0) {
            *low = *high = 0;
            return true;
        }
        int64_t *end = strides[d] < 0 ? low : high;
        if (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) || __builtin_add_overflow(*end, reach, end))
            return false;
    }
    int64_t bytes;
    return !__builtin_sub_overflow(*high, *low, &bytes);
}

/* True where `strides` address the elements as C order does; those of extents up to 1 do not matter. */
static bool is_contiguous(const gpucc_array *array)
{
    int64_t step = dtypes[array->dtype].size;
    for (int d = array->ndim; d-- > 0;) {
        if (array->shape[d] == 0)
            return true;
        if (array->shape[d] > 1 && array->strides[d] != step)
            return false;
        step *= array->shape[d];
    }
    return true;
}

/* A GPU's accesses to misaligned elements end the device context. */
static gpucc_status check_alignment(const gpucc_array *array, const void *data, gpucc_memory where)
{
    const size_t alignment = dtype_alignment(array->dtype);
    uintptr_t misaligned = (uintptr_t)data;
    if (array->context->kind == GPUCC_DEVICE_CPU || where == GPUCC_MEMORY_HOST || array->count == 0)
        return GPUCC_OK;
    for (int d = 0; d < array->ndim; d++)
        misaligned |= array->shape[d] > 1 ? (uintptr_t)array->strides[d] : 0;
    if (misaligned % alignment == 0)
        return GPUCC_OK;
    return fail(GPUCC_INVALID_ARGUMENT,
                "the address or a stride of an array of %s on the GPU is not aligned to %zu bytes",
                dtypes[array->dtype].name, alignment);
}

/* A handle without memory, not in the context's list yet.  `strides` null: C order. */
static gpucc_status array_new(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                              const int64_t *strides, gpucc_array **out)
{
    gpucc_status status = context_check(context);
    if (!status)
        status = array_check_shape(dtype, ndim, shape);
    if (status)
        return status;
    size_t size = sizeof(gpucc_array) + 2 * (size_t)ndim * sizeof(int64_t);
    gpucc_array *array = malloc(size);
    if (!array)
        return fail_memory(size, "an array");
    memset(array, 0, sizeof *array);
    array->context = context;
    array->dtype = dtype;
    array->ndim = ndim;
    array->strides = array->shape + ndim;
    for (int d = 0; d < ndim; d++)
        array->shape[d] = shape[d];
    status = lay_out(dtype, ndim, shape, array->strides, &array->count);
    if (status) {
        free(array);
        return status;
    }
    for (int d = 0; strides && d < ndim; d++)
        array->strides[d] = strides[d];
    array->contiguous = is_contiguous(array);
    *out = array;
    return GPUCC_OK;
}

/* Takes over the reference to `memory` and shows the handle to the context. */
static void array_publish(gpucc_array *array, struct memory *memory, void *data, gpucc_memory where)
{
    array->memory = memory;
    array->data = data;
    array->where = where;
    pthread_mutex_lock(&array->context->lock);
    list_insert(&array->context->arrays, &array->link);
    pthread_mutex_unlock(&array->context->lock);
}

/* The new handle over new device memory; or, where making that failed, no handle. */
static gpucc_status array_settle(gpucc_array *array, gpucc_status status, struct memory *memory, gpucc_array **out)
{
    if (status) {
        free(array);
        return status;
    }
    array_publish(array, memory, memory->base, GPUCC_MEMORY_DEVICE);
    *out = array;
    return GPUCC_OK;
}

gpucc_status array_create(gpucc_context *context, gpucc_stream *stream, gpucc_dtype dtype, int ndim,
                          const int64_t *shape, gpucc_array **out)
{
    gpucc_array *array;
    struct memory *memory = NULL;
    gpucc_status status = array_new(context, dtype, ndim, shape, NULL, &array);
    if (status)
        return status;
    status = memory_create(context, stream, (size_t)array->count * dtypes[dtype].size, &memory);
    return array_settle(array, status, memory, out);
}

gpucc_status array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                gpucc_array **out)
{
    gpucc_array *array;
    struct memory *memory = NULL;
    gpucc_status status = array_new(context, dtype, ndim, shape, NULL, &array);
    if (status)
        return status;
    const int outermost = split_dimension(array);
    const size_t size = (size_t)array->count * dtypes[dtype].size;
    status = memory_create_split(context, size, outermost < 0 ? size : (size_t)array->strides[outermost], &memory);
    return array_settle(array, status, memory, out);
}

gpucc_status gpucc_array_create_split(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                      gpucc_array **out)
{
    if (!context || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_create_split: context or out is null");
    *out = NULL;
    const gpucc_status status = array_create_split(context, dtype, ndim, shape, out);
    if (!status)
        unwritten_fill((*out)->memory);
    return status;
}

gpucc_status gpucc_array_part(const gpucc_array *array, int device, int64_t *start, int64_t *stop)
{
    if (!array || !start || !stop)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_part: array, start or stop is null");
    if (array->ndim == 0)
        return fail(GPUCC_BAD_SHAPE, "gpucc_array_part: a 0-dimensional array cannot be sliced");
    if (device < 0 || device >= group_size(array->context))
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_part: device %d is out of range: the context has %d", device,
                    group_size(array->context));
    const bool is_divided = array_is_split(array) && array->count > 0 && split_dimension(array) == 0;
    *start = 0;
    *stop = device == 0 ? array->shape[0] : 0;
    if (is_divided)
        split_range(array, 0, device, start, stop);
    return GPUCC_OK;
}

gpucc_status gpucc_array_create(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                gpucc_array **out)
{
    if (!context || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_create: context or out is null");
    *out = NULL;
    const gpucc_status status = array_create(context, &context->stream, dtype, ndim, shape, out);
    if (!status)
        unwritten_fill((*out)->memory);
    return status;
}

/* The beginning and size in bytes of the memory that the array reaches.  Below `data`, and behind it, are enough
 * addresses. */
static gpucc_status find_reach(const gpucc_array *array, const char *data, char **base, size_t *size)
{
    int64_t low, high;
    const uintptr_t address = (uintptr_t)data;
    if (!array_extent(array->ndim, array->shape, array->strides, dtypes[array->dtype].size, &low, &high) ||
        address < (uintptr_t)-low || address > UINTPTR_MAX - (uintptr_t)high)
        return fail_shape(array->ndim, array->shape, array->dtype, "with these strides exceeds the address space");
    *base = data ? (char *)(address + (uintptr_t)low) : NULL; /* which may be address 0 */
    *size = (size_t)(high - low);
    return GPUCC_OK;
}

gpucc_status gpucc_array_wrap(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                              const int64_t *strides, void *pointer, gpucc_memory where, gpucc_array **out)
{
    return gpucc_array_wrap_with(context, dtype, ndim, shape, strides, pointer, where, NULL, out);
}

/* Memory for a new handle; takes what the options say of it but for `release`. */
static gpucc_status wrap_memory(gpucc_array *array, void *pointer, gpucc_memory where,
                                const gpucc_wrap_options *options, struct memory **out)
{
    char *base = NULL;
    size_t size = 0;
    gpucc_context *context = array->context;
    const bool on_gpu = context->kind == GPUCC_DEVICE_CUDA && where == GPUCC_MEMORY_DEVICE;
    if (!pointer && array->count > 0)
        return fail(GPUCC_INVALID_ARGUMENT, "the pointer to the array's memory is null");
    gpucc_status status = find_reach(array, pointer, &base, &size);
    if (!status)
        status = check_alignment(array, pointer, where);
    if (!status && on_gpu)
        status = stream_follow_foreign(context, HAS_FIELD(options, cuda_stream) ? options->cuda_stream : NULL);
    return status ? status : memory_wrap(context, on_gpu ? &context->stream : NULL, base, size, out);
}

gpucc_status gpucc_array_wrap_with(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                   const int64_t *strides, void *pointer, gpucc_memory where,
                                   const gpucc_wrap_options *options, gpucc_array **out)
{
    static const gpucc_wrap_options nothing = {.size = sizeof nothing};
    gpucc_array *array;
    struct memory *memory;
    if (!context || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_wrap: context or out is null");
    *out = NULL;
    options = options ? options : &nothing;
    gpucc_status status = CHECK_OPTIONS("gpucc_array_wrap", options);
    if (status)
        return status;
    if (where != GPUCC_MEMORY_HOST && where != GPUCC_MEMORY_DEVICE)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_wrap: invalid kind of memory %d", (int)where);
    status = array_new(context, dtype, ndim, shape, strides, &array);
    if (status)
        return status;
    status = wrap_memory(array, pointer, where, options, &memory);
    if (status) {
        free(array);
        return status;
    }
    memory->release = HAS_FIELD(options, release) ? options->release : NULL;
    memory->release_data = HAS_FIELD(options, release_data) ? options->release_data : NULL;
    array->read_only = HAS_FIELD(options, read_only) && options->read_only;
    array_publish(array, memory, pointer, where);
    *out = array;
    return GPUCC_OK;
}

gpucc_status gpucc_array_scalar(gpucc_context *context, gpucc_dtype dtype, const void *value, gpucc_array **out)
{
    gpucc_array *array = NULL;
    struct memory *memory;
    if (!context || !out || !value)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_scalar: context, value or out is null");
    *out = NULL;
    gpucc_status status = array_new(context, dtype, 0, NULL, NULL, &array);
    if (status)
        return status;
    status = memory_store_value(context, value, dtypes[dtype].size, &memory);
    if (status) {
        free(array);
        return status;
    }
    array_publish(array, memory, memory->base, GPUCC_MEMORY_HOST);
    *out = array;
    return GPUCC_OK;
}

gpucc_status gpucc_array_number(gpucc_context *context, gpucc_dtype dtype, const void *value, gpucc_array **out)
{
    if (dtype != GPUCC_INT64 && dtype != GPUCC_UINT64 && dtype != GPUCC_FLOAT64 && dtype != GPUCC_COMPLEX128)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_array_number: a weak scalar is int64, uint64, float64 or complex128, not %s",
                    gpucc_dtype_name(dtype));
    gpucc_status status = gpucc_array_scalar(context, dtype, value, out);
    if (!status)
        (*out)->is_number = true;
    return status;
}

static gpucc_status fail_view(const gpucc_array *view, int64_t offset, size_t size)
{
    struct text text = {0};
    return fail(GPUCC_BAD_SHAPE,
                "gpucc_array_view: shape %s with these strides at byte offset %lld exceeds the memory of %zu bytes",
                shape_text(&text, view->ndim, view->shape), (long long)offset, size);
}

static gpucc_status check_view(const gpucc_array *array, const gpucc_array *view, int64_t offset)
{
    int64_t low, high, start;
    const struct memory *memory = array->memory;
    int64_t origin = array->data - memory->base;
    bool fits = array_extent(view->ndim, view->shape, view->strides, dtypes[view->dtype].size, &low, &high) &&
                !__builtin_add_overflow(origin, offset, &start) && !__builtin_add_overflow(low, start, &low) &&
                !__builtin_add_overflow(high, start, &high) && low >= 0 && high <= (int64_t)memory->size;
    return fits ? GPUCC_OK : fail_view(view, offset, memory->size);
}

gpucc_status gpucc_array_view(const gpucc_array *array, int ndim, const int64_t *shape, const int64_t *strides,
                              int64_t offset, gpucc_array **out)
{
    gpucc_array *view;
    if (!array || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_view: array or out is null");
    *out = NULL;
    gpucc_status status = array_check_held(array, "gpucc_array_view");
    if (!status)
        status = array_new(array->context, array->dtype, ndim, shape, strides, &view);
    if (status)
        return status;
    status = check_view(array, view, offset);
    if (!status)
        status = check_alignment(view, array->data + offset, array->where);
    if (status) {
        free(view);
        return status;
    }
    view->read_only = array->read_only;
    array_publish(view, memory_retain(array->memory), array->data + offset, array->where);
    *out = view;
    return GPUCC_OK;
}

gpucc_status array_share(const gpucc_array *array, gpucc_array **out)
{
    gpucc_status status = gpucc_array_view(array, array->ndim, array->shape, array->strides, 0, out);
    if (!status)
        (*out)->is_number = array->is_number;
    return status;
}

gpucc_status gpucc_array_from_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                   const int64_t *strides, const void *data, gpucc_array **out)
{
    CUcontext previous;
    gpucc_array *host, *array = NULL;
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_from_host: out is null");
    *out = NULL;
    /* the data is only read */
    gpucc_status status =
        gpucc_array_wrap(context, dtype, ndim, shape, strides, (void *)(uintptr_t)data, GPUCC_MEMORY_HOST, &host);
    if (status)
        return status;
    TRACE(span, "array", "from host");
    trace_array(&span, host);
    status = context_enter(context, &previous);
    if (status)
        goto release_host;
    status = array_create(context, &context->stream, dtype, ndim, shape, &array);
    if (status)
        goto leave;
    status = array_copy(&context->stream, array, host);
    launches_await(context, &context->stream.known);
    if (status)
        gpucc_array_release(array);
    else
        *out = array;
leave:
    context_leave(context, previous);
release_host:
    gpucc_array_release(host);
    return status;
}

void gpucc_array_release(gpucc_array *array)
{
    if (!array || array_is_released(array) || !context_is_ours(array->context))
        return;
    gpucc_context *context = array->context;
    struct memory *memory = array->memory;
    pthread_mutex_lock(&context->lock);
    list_remove(&array->link);
    array->context = NULL;
    gpucc_array **place = &context->released[context->released_next++ % KEPT_RELEASED];
    gpucc_array *oldest = *place;
    *place = array;
    pthread_mutex_unlock(&context->lock);
    memory_release(memory);
    free(oldest);
}

gpucc_status array_check_held(const gpucc_array *array, const char *call)
{
    return array_is_released(array) ? fail(GPUCC_INVALID_ARGUMENT, "%s: the array has been released", call) : GPUCC_OK;
}

void arrays_destroy_all(gpucc_context *context)
{
    while (context->arrays.next != &context->arrays)
        gpucc_array_release(CONTAINER(context->arrays.next, gpucc_array, link));
    for (int i = 0; i < KEPT_RELEASED; i++) {
        free(context->released[i]);
        context->released[i] = NULL;
    }
}

bool array_is_value(const gpucc_array *array)
{
    if (array->where != GPUCC_MEMORY_HOST)
        return false;
    for (int d = 0; d < array->ndim; d++) {
        if (array->shape[d] > 1 && array->strides[d] != 0)
            return false;
    }
    return array->count > 0;
}

/* ---- copies ---- */

gpucc_status array_create_on_host(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                  gpucc_array **out)
{
    int64_t strides[GPUCC_MAX_DIMS], count;
    gpucc_status status = lay_out(dtype, ndim, shape, strides, &count);
    if (status)
        return status;
    const size_t size = (size_t)count * dtypes[dtype].size;
    gpucc_wrap_options how = {.size = sizeof how, .release = free, .release_data = malloc(size ? size : 1)};
    if (!how.release_data)
        return fail_memory(size, "an array on the host");
    status = gpucc_array_wrap_with(context, dtype, ndim, shape, NULL, how.release_data, GPUCC_MEMORY_HOST, &how, out);
    if (status)
        free(how.release_data);
    return status;
}

/* Memory of the same kind, in C order; in stream order where it is a GPU's. */
static gpucc_status create_beside(const gpucc_array *array, gpucc_stream *stream, gpucc_array **out)
{
    gpucc_context *context = array->context;
    if (array_is_split(array))
        return array_create_split(context, array->dtype, array->ndim, array->shape, out);
    return context->kind == GPUCC_DEVICE_CPU || array->where == GPUCC_MEMORY_DEVICE
               ? array_create(context, stream, array->dtype, array->ndim, array->shape, out)
               : array_create_on_host(context, array->dtype, array->ndim, array->shape, out);
}

gpucc_status array_duplicate(const gpucc_array *array, gpucc_array **out)
{
    CUcontext previous;
    gpucc_array *copy = NULL;
    gpucc_stream *stream = array_stream(array);
    TRACE(span, "array", "copy");
    trace_array(&span, array);
    gpucc_status status = context_enter(array->context, &previous);
    if (status)
        return status;
    status = create_beside(array, stream, &copy);
    if (!status)
        status = stream_join_users(stream, array->memory);
    if (!status)
        status = array_copy(stream, copy, array);
    context_leave(array->context, previous);
    if (status)
        gpucc_array_release(copy);
    *out = status ? NULL : copy;
    return status;
}

/* ---- what an array is ---- */

void gpucc_array_set_read_only(gpucc_array *array)
{
    if (array)
        array->read_only = true;
}

int gpucc_array_is_read_only(const gpucc_array *array)
{
    return array && array->read_only;
}

gpucc_context *gpucc_array_context(const gpucc_array *array)
{
    return array ? array->context : NULL;
}

gpucc_dtype gpucc_array_dtype(const gpucc_array *array)
{
    return array ? array->dtype : GPUCC_DTYPE_COUNT;
}

int gpucc_array_ndim(const gpucc_array *array)
{
    return array ? array->ndim : 0;
}

const int64_t *gpucc_array_shape(const gpucc_array *array)
{
    return array ? array->shape : NULL;
}

const int64_t *gpucc_array_strides(const gpucc_array *array)
{
    return array ? array->strides : NULL;
}

int64_t gpucc_array_count(const gpucc_array *array)
{
    return array ? array->count : 0;
}

gpucc_memory gpucc_array_memory(const gpucc_array *array)
{
    return array ? array->where : GPUCC_MEMORY_HOST;
}

void *gpucc_array_data(const gpucc_array *array)
{
    return array ? array->data : NULL;
}
