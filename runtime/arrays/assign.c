/* Assignment between arrays of one context: broadcast, converted, after all enqueued work that uses either. */
#include "arrays/arrays.h"
#include <string.h>

/* `from` with the shape of `to`. */
static gpucc_status broadcast_to(const gpucc_array *to, const gpucc_array *from, gpucc_array **out)
{
    struct text ours = {0}, theirs = {0};
    int64_t strides[GPUCC_MAX_DIMS] = {0};
    const int missing = to->ndim - from->ndim;
    bool fits = missing >= 0;
    for (int d = 0; fits && d < from->ndim; d++) {
        fits = from->shape[d] == to->shape[missing + d] || from->shape[d] == 1;
        strides[missing + d] = from->shape[d] == 1 ? 0 : from->strides[d];
    }
    if (!fits)
        return fail(GPUCC_BAD_SHAPE, "gpucc_array_copy: shape %s could not be broadcast to shape %s",
                    shape_text(&theirs, from->ndim, from->shape), shape_text(&ours, to->ndim, to->shape));
    return gpucc_array_view(from, to->ndim, to->shape, strides, 0, out);
}

static bool on_host(const gpucc_array *array)
{
    return array->where == GPUCC_MEMORY_HOST || array->context->kind == GPUCC_DEVICE_CPU;
}

/* Between the host and a GPU elements keep their type: they are converted on the side from which they come. */
static gpucc_status copy_converted(gpucc_stream *stream, const gpucc_array *to, const gpucc_array *from)
{
    gpucc_array *converted;
    if (on_host(to) == on_host(from) || to->dtype == from->dtype)
        return array_copy(stream, to, from);
    gpucc_status status = on_host(from)
                              ? array_create_on_host(to->context, to->dtype, to->ndim, to->shape, &converted)
                              : array_create(to->context, stream, to->dtype, to->ndim, to->shape, &converted);
    if (status)
        return status;
    status = array_copy(stream, converted, from);
    if (!status)
        status = array_copy(stream, to, converted);
    gpucc_array_release(converted);
    return status;
}

static gpucc_status copy_apart(gpucc_stream *stream, const gpucc_array *to, const gpucc_array *from)
{
    gpucc_array *copy;
    if (array_is_value(from))
        return array_fill(stream, to, from->dtype, from->data);
    if (arrays_are_same(to, from) || !arrays_overlap(to, from))
        return copy_converted(stream, to, from);
    gpucc_status status = array_duplicate(from, &copy);
    if (status)
        return status;
    status = copy_converted(stream, to, copy);
    gpucc_array_release(copy);
    return status;
}

static gpucc_status check(const gpucc_array *to, const gpucc_array *from)
{
    if (!to || !from)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_copy: an array is null");
    gpucc_status status = array_check_held(to, "gpucc_array_copy");
    if (!status)
        status = array_check_held(from, "gpucc_array_copy");
    if (!status && to->context != from->context)
        status = fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_copy: the arrays belong to two contexts");
    if (!status && (to->read_only || to->memory->kind == MEMORY_VALUE))
        status = fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_copy: the array is read-only");
    if (!status && array_overlaps_itself(to))
        status = fail(GPUCC_BAD_SHAPE, "gpucc_array_copy: the array overlaps itself: several of its elements share "
                                       "memory");
    return status;
}

gpucc_status gpucc_array_copy(gpucc_array *to, const gpucc_array *from)
{
    CUcontext previous;
    gpucc_array *view;
    gpucc_status status = check(to, from);
    if (!status)
        status = broadcast_to(to, from, &view);
    if (status || to->count == 0) {
        if (!status)
            gpucc_array_release(view);
        return status;
    }
    gpucc_context *context = to->context;
    status = context_enter(context, &previous);
    if (!status) {
        gpucc_stream *stream = &context->stream;
        status = stream_join_users(stream, to->memory);
        if (!status)
            status = stream_join_users(stream, from->memory);
        if (!status)
            status = copy_apart(stream, to, view);
        atomic_fetch_add_explicit(&context->generation, 1, memory_order_release);
        context_leave(context, previous);
    }
    gpucc_array_release(view);
    return status;
}
