/* Accumulations by a ufunc: a reduction along one axis that keeps every partial result. */
#include "devices/device_operations.h"
#include "reductions/methods.h"

static gpucc_status accumulate(struct request *request)
{
    struct reduction reduction;
    const struct call *call = &request->call;
    request_lay_out(request, &reduction);
    reduction.each_out = call->used[OUTPUT]->strides[request_axis(request)];
    return stream_operations(call->stream)->run_accumulation(&reduction);
}

static gpucc_status begin(struct request *request, gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array *out,
                          const gpucc_accumulate_options *options)
{
    int axis;
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    gpucc_status status = CHECK_OPTIONS(ufunc->name, options);
    if (!status)
        status = request_begin(request, ufunc, "an accumulation", input, out, stream);
    return status ? status
                  : request_find_along(request, options && HAS_FIELD(options, dtype) ? options->dtype : NULL,
                                       options && HAS_FIELD(options, axis) ? options->axis : 0, &axis);
}

gpucc_status gpucc_ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                    const gpucc_accumulate_options *options)
{
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_accumulate: the ufunc is null");
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the pointer to the output is null", ufunc->name);
    return recording_note(ufunc->program->context, ufunc_accumulate(ufunc, input, out, options),
                          &(struct recorded){.kind = RECORDED_ACCUMULATE, .function = ufunc, .inputs = &input,
                                             .input_count = 1, .outputs = out, .output_count = 1,
                                             .options = options});
}

gpucc_status ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                              const gpucc_accumulate_options *options)
{
    struct request request;
    struct request_run how = {.work = accumulate, .in_place = true};
    gpucc_status status = begin(&request, ufunc, input, *out, options);
    if (status)
        return status;
    if ((uint64_t)input->count > request.length) /* a single row of results is made as a whole */
        how.parts = accumulate_in_parts;
    return request_run(&request, &how, out);
}
