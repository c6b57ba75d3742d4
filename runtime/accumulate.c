/* Accumulations by a ufunc: a reduction along one axis that keeps every partial result. */
#include "methods.h"
#include <string.h>

static gpucc_status accumulate(struct request *request)
{
    struct reduction reduction;
    const struct call *call = &request->call;
    int axis = 0;
    while (!request->reduced[axis])
        axis++;
    request_lay_out(request, &reduction);
    reduction.each_out = call->used[OUTPUT]->strides[axis];
    return call->context->kind == GPUCC_DEVICE_CUDA ? cuda_run_accumulation(&reduction)
                                                    : cpu_run_accumulation(&reduction);
}

/* As in NumPy the output's type has a say in which loop runs, and whatever is said makes any conversion right. */
static gpucc_status begin(struct request *request, gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array *out,
                          const gpucc_accumulate_options *options)
{
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    gpucc_status status = request_begin(request, ufunc, "an accumulation", input, out, stream);
    if (status)
        return status;
    if (input->ndim == 0)
        return fail(GPUCC_BAD_SHAPE, "%s: a scalar has no axis to accumulate along", ufunc->name);
    const gpucc_dtype first = out ? out->dtype : input->dtype;
    status = request_find_loop(request, options && HAS_FIELD(options, dtype) ? options->dtype : NULL, first);
    if (!status)
        status = request_add_axis(request, options && HAS_FIELD(options, axis) ? options->axis : 0);
    if (status)
        return status;
    struct call *call = &request->call;
    call->casting = GPUCC_CASTING_UNSAFE;
    call->ndim = input->ndim;
    memcpy(call->shape, input->shape, (size_t)input->ndim * sizeof *call->shape);
    request->keepdims = true;
    for (int d = 0; d < input->ndim; d++)
        if (request->reduced[d])
            request->length = (uint64_t)input->shape[d];
    return GPUCC_OK;
}

gpucc_status gpucc_ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                    const gpucc_accumulate_options *options)
{
    struct request request;
    const struct request_run how = {.work = accumulate, .in_place = true};
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_accumulate: the ufunc is null");
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the pointer to where the output goes is null", ufunc->name);
    gpucc_status status = begin(&request, ufunc, input, *out, options);
    return status ? status : request_run(&request, &how, out);
}
