/* Reductions of a GPU's elements of another type than the loop's.  Each piece is converted before it is reduced, so
 * that the copies take a bounded part of the device's memory.  A piece is some of the outputs, or, of one output, an
 * aligned run of a power of two of its elements, whose results are reduced again: then the bits do not depend on the
 * pieces. */
#include "methods.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 64 << 20, /* bytes of a converted piece … */
    SHARE = 256      /* … and no more than this part of the device's memory */
};

static int64_t piece_elements(const struct request *request)
{
    const uint64_t memory = request->call.context->device.info.memory / SHARE;
    return (int64_t)((memory < MOST ? memory : MOST) / dtypes[request_type(request)].size);
}

/* The kept dimension that is outermost in memory; -1 where one output is made. */
static int outermost_kept(const struct request *request)
{
    int found = -1;
    const gpucc_array *input = request->input;
    for (int d = 0; d < input->ndim; d++)
        if (!request->reduced[d] && input->shape[d] > 1 &&
            (found < 0 || llabs(input->strides[d]) > llabs(input->strides[found])))
            found = d;
    return found;
}

/* Whether the elements, in C order, are so many bytes apart. */
static bool find_step(const gpucc_array *input, int64_t *step)
{
    int64_t length = 1;
    *step = 0;
    for (int d = input->ndim; d-- > 0;) {
        if (input->shape[d] == 1)
            continue;
        if (length > 1 && input->strides[d] != *step * length)
            return false;
        if (length == 1)
            *step = input->strides[d];
        length *= input->shape[d];
    }
    return true;
}

bool request_goes_in_pieces(const struct request *request)
{
    int64_t step;
    const struct call *call = &request->call;
    const gpucc_array *input = request->input;
    if (call->context->kind != GPUCC_DEVICE_CUDA || input->where != GPUCC_MEMORY_DEVICE || array_is_split(input) ||
        input->dtype == request_type(request) || request->where || input->count <= piece_elements(request) ||
        arrays_overlap(call->given[OUTPUT], input))
        return false;
    return outermost_kept(request) >= 0 || (call->ufunc->reorderable && find_step(input, &step));
}

/* Indices [first, stop) of the input's dimension d alone. */
static gpucc_status view_along(const gpucc_array *array, int d, int64_t first, int64_t stop, gpucc_array **out)
{
    int64_t shape[GPUCC_MAX_DIMS];
    memcpy(shape, array->shape, (size_t)array->ndim * sizeof *shape);
    shape[d] = stop - first;
    return gpucc_array_view(array, array->ndim, shape, array->strides, first * array->strides[d], out);
}

static gpucc_status make_initial(const struct request *request, gpucc_array **out)
{
    *out = NULL;
    return request->initial ? gpucc_array_scalar(request->call.context, request_type(request), request->start, out)
                            : GPUCC_OK;
}

/* ---- some outputs ---- */

static int output_dimension(const struct request *request, int d)
{
    int found = 0;
    for (int k = 0; k < d; k++)
        found += !request->reduced[k] || request->keepdims;
    return found;
}

static gpucc_status reduce_outputs(const struct request *request, int d, int64_t first, int64_t stop,
                                   gpucc_reduce_options *options)
{
    gpucc_array *elements = NULL, *outputs = NULL;
    const struct call *call = &request->call;
    gpucc_status status = view_along(request->input, d, first, stop, &elements);
    if (!status)
        status = view_along(call->given[OUTPUT], output_dimension(request, d), first, stop, &outputs);
    if (!status)
        status = gpucc_ufunc_reduce(call->ufunc, elements, &outputs, options);
    gpucc_array_release(outputs);
    gpucc_array_release(elements);
    return status;
}

static gpucc_status run_outputs(const struct request *request, int d)
{
    int axes[GPUCC_MAX_DIMS];
    gpucc_array *initial;
    const int64_t extent = request->input->shape[d], each = request->input->count / extent;
    const int64_t most = piece_elements(request) / each, step = most > 0 ? most : 1;
    const gpucc_dtype type = request_type(request);
    gpucc_reduce_options options = {.size = sizeof options,
                                    .axes = axes,
                                    .keepdims = request->keepdims,
                                    .dtype = &type,
                                    .stream = request->call.stream};
    for (int k = 0; k < request->input->ndim; k++)
        if (request->reduced[k])
            axes[options.axis_count++] = k;
    gpucc_status status = make_initial(request, &initial);
    options.initial = initial;
    for (int64_t at = 0; !status && at < extent; at += step)
        status = reduce_outputs(request, d, at, extent - at < step ? extent : at + step, &options);
    gpucc_array_release(initial);
    return status;
}

/* ---- runs of elements ---- */

static gpucc_status reduce_run(const struct request *request, gpucc_array *results, int64_t number, int64_t run,
                               const gpucc_reduce_options *options)
{
    int64_t step = 0;
    gpucc_array *elements = NULL, *result = NULL;
    const gpucc_array *input = request->input;
    const int64_t first = number * run, left = input->count - first, length = left < run ? left : run;
    (void)find_step(input, &step);
    gpucc_status status = gpucc_array_view(input, 1, &length, &step, first * step, &elements);
    if (!status)
        status = gpucc_array_view(results, 0, NULL, NULL, number * results->strides[0], &result);
    if (!status)
        status = gpucc_ufunc_reduce(request->call.ufunc, elements, &result, options);
    gpucc_array_release(result);
    gpucc_array_release(elements);
    return status;
}

static gpucc_status combine_results(const struct request *request, const gpucc_array *results,
                                    gpucc_reduce_options *options)
{
    gpucc_array *initial = NULL, *output = NULL;
    const struct call *call = &request->call;
    gpucc_status status = make_initial(request, &initial);
    options->initial = initial;
    if (!status)
        status = gpucc_array_view(call->given[OUTPUT], 0, NULL, NULL, 0, &output);
    if (!status)
        status = gpucc_ufunc_reduce(call->ufunc, results, &output, options);
    gpucc_array_release(output);
    gpucc_array_release(initial);
    return status;
}

static gpucc_status run_elements(const struct request *request)
{
    gpucc_array *results;
    int64_t run = 1, count;
    const struct call *call = &request->call;
    const gpucc_dtype type = request_type(request);
    gpucc_reduce_options options = {.size = sizeof options, .dtype = &type, .stream = call->stream};
    while (2 * run <= piece_elements(request))
        run *= 2;
    count = (request->input->count + run - 1) / run;
    gpucc_status status = array_create(call->context, call->stream, type, 1, &count, &results);
    if (status)
        return status;
    for (int64_t number = 0; !status && number < count; number++)
        status = reduce_run(request, results, number, run, &options);
    if (!status)
        status = combine_results(request, results, &options);
    gpucc_array_release(results);
    return status;
}

gpucc_status reduce_in_pieces(const struct request *request)
{
    const int d = outermost_kept(request);
    return d >= 0 ? run_outputs(request, d) : run_elements(request);
}
