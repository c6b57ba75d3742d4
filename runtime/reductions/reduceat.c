/* Reductions of slices along one axis, which indices say. */
#include "devices/device_operations.h"
#include "reductions/methods.h"
#include <stdlib.h>

static gpucc_status reduce_slices(struct request *request)
{
    struct reduction reduction;
    const struct call *call = &request->call;
    request_lay_out(request, &reduction);
    reduction.each_out = call->used[OUTPUT]->strides[request_axis(request)];
    reduction.slices = request->slices;
    reduction.slice_count = request->slice_count;
    return stream_operations(call->stream)->run_slices(&reduction);
}

/* From one index to the next, which is for the last the length; the element itself where that is no way forward. */
static gpucc_status make_slices(struct request *request, const int64_t *indices)
{
    const uint64_t count = request->slice_count;
    const int64_t length = (int64_t)request->length;
    request->slices = malloc((count ? count : 1) * sizeof *request->slices);
    if (!request->slices)
        return fail_memory(count * sizeof *request->slices, "slices");
    for (uint64_t k = 0; k < count; k++) {
        const int64_t begin = indices[k], end = k + 1 < count ? indices[k + 1] : length;
        if (begin < 0 || begin >= length)
            return fail(GPUCC_BAD_INDEX, "%s: index %lld is out of bounds for axis with size %lld",
                        request->call.ufunc->name, (long long)begin, (long long)length);
        request->slices[k] = (struct gpucc_slice){(uint64_t)begin, end > begin ? (uint64_t)(end - begin) : 1, k};
    }
    return GPUCC_OK;
}

static gpucc_status begin(struct request *request, gpucc_ufunc *ufunc, const gpucc_array *input,
                          const gpucc_array *indices, gpucc_array *out, const gpucc_reduceat_options *options)
{
    int axis;
    int64_t *numbers = NULL;
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    gpucc_status status = CHECK_OPTIONS(ufunc->name, options);
    if (!status)
        status = request_begin(request, ufunc, "reduceat", input, out, stream);
    if (status)
        return status;
    status = request_find_along(request, options && HAS_FIELD(options, dtype) ? options->dtype : NULL,
                                options && HAS_FIELD(options, axis) ? options->axis : 0, &axis);
    if (!status)
        status = indices_read(ufunc, indices, &numbers);
    if (!status && indices->ndim != 1)
        status = fail(GPUCC_BAD_SHAPE, "%s: the indices must have one dimension, not %d", ufunc->name, indices->ndim);
    if (!status) {
        request->slice_count = (uint64_t)indices->count;
        request->call.shape[axis] = indices->count;
        status = make_slices(request, numbers);
    }
    free(numbers);
    return status;
}

gpucc_status gpucc_ufunc_reduceat(gpucc_ufunc *ufunc, const gpucc_array *input, const gpucc_array *indices,
                                  gpucc_array **out, const gpucc_reduceat_options *options)
{
    struct request request = {.slices = NULL};
    struct request_run how = {.work = reduce_slices};
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_reduceat: the ufunc is null");
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the pointer to the output is null", ufunc->name);
    gpucc_status status = begin(&request, ufunc, input, indices, *out, options);
    if (!status && (request_converts_elements(&request) || request_converts_results(&request))) {
        how.work = request_gather;
        how.places = true;
    }
    if (!status)
        status = request_run(&request, &how, out);
    free(request.slices);
    return recording_note(ufunc->program->context, status,
                          &(struct recorded){.kind = RECORDED_REDUCEAT, .function = ufunc,
                                             .inputs = (const gpucc_array *const[]){input, indices}, .input_count = 2,
                                             .outputs = out, .output_count = 1, .options = options});
}
