/* Reads and writes arrays from and to the host's memory, also split ones. */
#include "devices/launch_order.h"
#include "parts/in_parts.h"
#include <string.h>

/* ---- split arrays ---- */

static gpucc_status exchange_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    CUcontext previous;
    const bool read = *(const bool *)data;
    gpucc_context *context = views[0]->context;
    (void)member;
    (void)start;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = array_copy(&context->stream, views[read], views[!read]);
    context_leave(context, previous);
    return status;
}

/* Between a split array and one of the host's, each device by a copy of its own. */
static gpucc_status exchange_split(const gpucc_array *array, const gpucc_array *host, bool read)
{
    struct parts parts = {.context = array->context,
                          .stream = &array->context->stream,
                          .ndim = array->ndim,
                          .operands = 2,
                          .operand = {{.array = array}, {.array = host}},
                          .call = exchange_part,
                          .data = &read};
    memcpy(parts.shape, array->shape, (size_t)array->ndim * sizeof *parts.shape);
    for (int i = 0; i < 2; i++)
        parts_align(&parts, &parts.operand[i]);
    return parts_run(&parts);
}

/* ---- an array ---- */

static gpucc_status check_bytes(const gpucc_array *array, const char *call, size_t size)
{
    struct text text = {0};
    size_t needed = (size_t)array->count * dtypes[array->dtype].size;
    if (size == needed)
        return GPUCC_OK;
    return fail(GPUCC_INVALID_ARGUMENT, "%s: shape %s of %s takes %zu bytes, got %zu", call,
                shape_text(&text, array->ndim, array->shape), dtypes[array->dtype].name, needed, size);
}

/* The stream order of reading and writing in a context. */
struct place_in_order {
    gpucc_stream *stream;
    bool after_users; /* of the array, in all streams */
};

static gpucc_status begin_exchange(const gpucc_array *array, struct place_in_order place)
{
    if (place.after_users)
        return stream_join_users(place.stream, array->memory);
    memory_use(array->memory, place.stream);
    return stream_begin(place.stream);
}

/* Between `array` and C-ordered host memory. */
static gpucc_status exchange(const gpucc_array *array, struct place_in_order place, void *data, bool read)
{
    CUcontext previous;
    gpucc_array *host;
    gpucc_stream *stream = place.stream;
    gpucc_context *context = array->context;
    if (array->count == 0)
        return GPUCC_OK;
    TRACE(span, "array", read ? "read" : "write");
    trace_array(&span, array);
    gpucc_status status = gpucc_array_wrap(context, array->dtype, array->ndim, array->shape, NULL, data,
                                           GPUCC_MEMORY_HOST, &host);
    if (status)
        return status;
    status = context_enter(context, &previous);
    if (status)
        goto release_host;
    status = begin_exchange(array, place);
    if (!status)
        status = array_is_split(array) ? exchange_split(array, host, read)
                 : read                ? array_copy(stream, host, array)
                                       : array_copy(stream, array, host);
    if (!status)
        launches_await(context, &stream->known);
    context_leave(context, previous);
release_host:
    gpucc_array_release(host);
    return status;
}

static gpucc_status check_read(const gpucc_array *array, const char *call, const void *data, size_t size)
{
    if (!array || (!data && size > 0))
        return fail(GPUCC_INVALID_ARGUMENT, "%s: array or data is null", call);
    gpucc_status status = array_check_held(array, call);
    return status ? status : check_bytes(array, call, size);
}

static gpucc_status check_write(const gpucc_array *array, const char *call, const void *data, size_t size)
{
    gpucc_status status = check_read(array, call, data, size);
    if (!status && array->read_only)
        status = fail(GPUCC_INVALID_ARGUMENT, "%s: the array is read-only", call);
    if (!status && array_overlaps_itself(array))
        status = fail(GPUCC_BAD_SHAPE, "%s: the array overlaps itself: several of its elements share memory", call);
    return status;
}

static struct place_in_order after_users(const gpucc_array *array)
{
    return (struct place_in_order){array_stream(array), true};
}

gpucc_status gpucc_array_read(const gpucc_array *array, void *data, size_t size)
{
    gpucc_status status = check_read(array, "gpucc_array_read", data, size);
    return status ? status : exchange(array, after_users(array), data, true);
}

gpucc_status gpucc_array_write(gpucc_array *array, const void *data, size_t size)
{
    gpucc_status status = check_write(array, "gpucc_array_write", data, size);
    return status ? status : exchange(array, after_users(array), (void *)(uintptr_t)data, false);
}

/* All devices' streams have parts of a split array, which nothing but waiting for its users puts in order. */
static gpucc_status place_in_stream(const gpucc_array *array, gpucc_stream *stream, struct place_in_order *place)
{
    *place = (struct place_in_order){NULL, array_is_split(array)};
    return stream_resolve(array->context, stream, &place->stream);
}

gpucc_status gpucc_array_read_in_stream(const gpucc_array *array, void *data, size_t size, gpucc_stream *stream)
{
    struct place_in_order place;
    gpucc_status status = check_read(array, "gpucc_array_read_in_stream", data, size);
    if (!status)
        status = place_in_stream(array, stream, &place);
    return status ? status : exchange(array, place, data, true);
}

gpucc_status gpucc_array_write_in_stream(gpucc_array *array, const void *data, size_t size, gpucc_stream *stream)
{
    struct place_in_order place;
    gpucc_status status = check_write(array, "gpucc_array_write_in_stream", data, size);
    if (!status)
        status = place_in_stream(array, stream, &place);
    return status ? status : exchange(array, place, (void *)(uintptr_t)data, false);
}

gpucc_status gpucc_array_read_part(const gpucc_array *array, const int64_t *start, const int64_t *stop, void *data,
                                   size_t size)
{
    gpucc_array *part;
    int64_t shape[GPUCC_MAX_DIMS], offset = 0;
    if (!array || (!data && size > 0) || (array->ndim > 0 && (!start || !stop)))
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_read_part: array, start, stop or data is null");
    if (array_is_released(array))
        return array_check_held(array, "gpucc_array_read_part");
    for (int d = 0; d < array->ndim; d++) {
        if (start[d] < 0 || start[d] > stop[d] || stop[d] > array->shape[d])
            return fail(GPUCC_BAD_SHAPE,
                        "gpucc_array_read_part: [%lld, %lld) is out of bounds for dimension %d with size %lld",
                        (long long)start[d], (long long)stop[d], d, (long long)array->shape[d]);
        shape[d] = stop[d] - start[d];
        if (shape[d] > 0)
            offset += start[d] * array->strides[d];
    }
    gpucc_status status = gpucc_array_view(array, array->ndim, shape, array->strides, offset, &part);
    if (status)
        return status;
    status = gpucc_array_read(part, data, size);
    gpucc_array_release(part);
    return status;
}
