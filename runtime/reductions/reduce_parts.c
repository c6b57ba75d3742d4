/* Reductions and accumulations in parts.  Where outputs lie behind one another in memory, a part is some of them.  Else
 * the elements go in aligned runs of a power of two, as the fixed tree has them, whose results are reduced again: then
 * the bits do not depend on the parts. */
#include "arrays/split.h"
#include "calls/calls.h"
#include "parts/in_parts.h"
#include "reductions/methods.h"
#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 16 }; /* elements: the results of shorter ones are too many */

/* ---- parts that are outputs ---- */

/* The input's other dimensions are the space. */
static void set_operands(const struct request *request, struct parts *parts)
{
    struct part_operand *in = &parts->operand[0], *out = &parts->operand[1];
    int at = 0;
    parts->operands = 2;
    parts->ndim = 0;
    for (int d = 0; d < request->input->ndim; d++) {
        const bool reduced = request->reduced[d];
        in->dims[d] = (signed char)(reduced ? -1 : parts->ndim);
        if (!reduced || request->keepdims)
            out->dims[at++] = in->dims[d];
        if (!reduced)
            parts->shape[parts->ndim++] = request->input->shape[d];
    }
}

/* Elements are read before they are written, in other parts too. */
static gpucc_status run_outputs(struct request *request, bool in_place, part_call *part)
{
    struct call *call = &request->call;
    struct parts parts = {.context = call->context, .stream = call->stream, .call = part, .data = request};
    set_operands(request, &parts);
    for (int i = INPUT; i <= OUTPUT; i++) {
        parts.operand[i - 1].array = call->given[i];
        parts.operand[i - 1].size = parts_element(call, i);
    }
    const gpucc_array *in = call->given[INPUT], *out = call->given[OUTPUT];
    gpucc_status status = GPUCC_OK;
    if (arrays_overlap(out, in) && !(in_place && arrays_are_same(out, in)))
        status = parts_duplicate(call, INPUT, &parts.operand[0]);
    return status ? status : parts_run(&parts);
}

/* The value before the first element, on that device; null if there is none. */
static gpucc_status make_initial(const struct request *request, gpucc_context *context, gpucc_array **out)
{
    *out = NULL;
    return request->initial ? gpucc_array_scalar(context, request->call.loop->types[OUTPUT], request->start, out)
                            : GPUCC_OK;
}

static gpucc_status reduce_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    const struct request *request = data;
    const struct call *call = &request->call;
    gpucc_array *initial, *output = views[1];
    int axes[GPUCC_MAX_DIMS];
    gpucc_reduce_options options = {.size = sizeof options,
                                    .axes = axes,
                                    .keepdims = request->keepdims,
                                    .dtype = &call->loop->types[OUTPUT],
                                    .stream = member == 0 ? call->stream : NULL};
    (void)start;
    for (int d = 0; d < request->input->ndim; d++)
        if (request->reduced[d])
            axes[options.axis_count++] = d;
    gpucc_status status = make_initial(request, group_context(call->context, member), &initial);
    options.initial = initial;
    if (!status)
        status = ufunc_reduce(group_ufunc(call->ufunc, member), views[0], &output, &options);
    gpucc_array_release(initial);
    return status;
}

static gpucc_status accumulate_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    const struct request *request = data;
    const struct call *call = &request->call;
    gpucc_array *output = views[1];
    gpucc_accumulate_options options = {.size = sizeof options,
                                        .dtype = &call->loop->types[OUTPUT],
                                        .stream = member == 0 ? call->stream : NULL};
    (void)start;
    while (!request->reduced[options.axis])
        options.axis++;
    return ufunc_accumulate(group_ufunc(call->ufunc, member), views[0], &output, &options);
}

/* ---- parts that are runs of elements ---- */

struct runs {
    struct request *request;
    struct reduction reduction; /* of the operands as the caller sees them */
    int64_t run, count;         /* elements in one, and how many there are */
    size_t bytes;               /* of the results of one */
    gpucc_array *results;       /* on the host: of each run, a result for every output */
};

/* The elements of a run, one behind the other, in memory to be freed. */
static void pack_row(void *data, char **args, int64_t n, const int64_t *steps)
{
    const size_t size = *(const size_t *)data;
    for (int64_t i = 0; i < n; i++)
        memcpy(args[1] + i * steps[1], args[0] + i * steps[0], size);
}

static char *pack_run(const struct runs *runs, uint64_t first, int64_t length)
{
    const struct reduction *reduction = &runs->reduction;
    const struct nest *kept = &reduction->kept;
    size_t size = dtypes[runs->request->input->dtype].size;
    char *packed = malloc((size_t)length * reduction->outputs * size);
    if (!packed)
        return NULL;
    struct nest nest;
    nest_begin(&nest, reduction->reduced_dims + kept->ndim, 2);
    nest.sizes[0] = nest.sizes[1] = size;
    int64_t step = (int64_t)size;
    for (int d = nest.ndim; d-- > 0;) {
        const int of_kept = d - reduction->reduced_dims;
        nest.shape[d] = of_kept < 0 ? reduction->reduced_shape[d] : kept->shape[of_kept];
        nest.strides[0][d] = of_kept < 0 ? reduction->reduced_strides[d] : kept->strides[0][of_kept];
        nest.strides[1][d] = step;
        step *= nest.shape[d];
    }
    nest.data[0] = kept->data[0];
    nest.data[1] = (char *)((uintptr_t)packed - first * reduction->outputs * size);
    nest_walk(&nest, first * reduction->outputs, (first + (uint64_t)length) * reduction->outputs, pack_row, &size);
    return packed;
}

/* An array of the run's elements, its dimension 0, for every output.  *packed is to be freed when it is released. */
static gpucc_status wrap_run(const struct runs *runs, int member, int64_t number, char **packed, gpucc_array **out)
{
    const struct reduction *reduction = &runs->reduction;
    const struct nest *kept = &reduction->kept;
    const gpucc_array *input = runs->request->input;
    const int64_t first = number * runs->run, left = (int64_t)reduction->length - first;
    int64_t shape[GPUCC_MAX_DIMS + 1], strides[GPUCC_MAX_DIMS + 1];
    shape[0] = left < runs->run ? left : runs->run;
    strides[0] = reduction->reduced_strides[0];
    memcpy(shape + 1, kept->shape, (size_t)kept->ndim * sizeof *shape);
    memcpy(strides + 1, kept->strides[0], (size_t)kept->ndim * sizeof *strides);
    char *data = kept->data[0] + first * strides[0];
    *packed = NULL;
    if (reduction->reduced_dims > 1) {
        *packed = data = pack_run(runs, (uint64_t)first, shape[0]);
        if (!data)
            return fail_memory((size_t)shape[0] * reduction->outputs * dtypes[input->dtype].size, "a part");
    }
    return gpucc_array_wrap(group_context(input->context, member), input->dtype, 1 + kept->ndim, shape,
                            *packed ? NULL : strides, data, GPUCC_MEMORY_HOST, out);
}

/* `initial` is on the same device, or null. */
static gpucc_status reduce_run(const struct runs *runs, int member, int64_t number, const gpucc_array *initial,
                               gpucc_array *results)
{
    char *packed;
    gpucc_array *elements = NULL;
    const struct call *call = &runs->request->call;
    const gpucc_reduce_options options = {
        .size = sizeof options, .initial = initial, .dtype = &call->loop->types[OUTPUT]};
    gpucc_status status = wrap_run(runs, member, number, &packed, &elements);
    if (!status)
        status = ufunc_reduce(group_ufunc(call->ufunc, member), elements, &results, &options);
    gpucc_array_release(elements);
    free(packed);
    return status;
}

static gpucc_status tree_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    gpucc_array *results;
    const struct runs *runs = data;
    const struct nest *kept = &runs->reduction.kept;
    const struct call *call = &runs->request->call;
    (void)views;
    gpucc_status status = gpucc_array_wrap(group_context(call->context, member), call->loop->types[OUTPUT], kept->ndim,
                                           kept->shape, NULL, runs->results->data + (size_t)start[0] * runs->bytes,
                                           GPUCC_MEMORY_HOST, &results);
    if (status)
        return status;
    status = reduce_run(runs, member, start[0], NULL, results);
    gpucc_array_release(results);
    return status;
}

/* The output as the reduction sees it: its dimensions in the order of the results'. */
static gpucc_status view_output(const struct runs *runs, gpucc_array **out)
{
    const struct nest *kept = &runs->reduction.kept;
    const gpucc_array *output = runs->request->call.given[OUTPUT];
    return gpucc_array_view(output, kept->ndim, kept->shape, kept->strides[1], kept->data[1] - output->data, out);
}

/* From the left: what the elements so far have made comes before the next ones. */
static gpucc_status fold_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    gpucc_array *initial = NULL, *output = NULL;
    const struct runs *runs = data;
    const struct request *request = runs->request;
    gpucc_context *context = request->call.context;
    const gpucc_array *before = runs->results;
    (void)views;
    gpucc_status status = start[0] > 0 ? gpucc_array_scalar(context, before->dtype, before->data, &initial)
                                       : make_initial(request, context, &initial);
    if (!status && start[0] + 1 == runs->count)
        status = view_output(runs, &output);
    if (!status)
        status = reduce_run(runs, member, start[0], initial, output ? output : runs->results);
    gpucc_array_release(output);
    gpucc_array_release(initial);
    return status;
}

static gpucc_status run_runs(struct runs *runs, part_call *part, bool in_order)
{
    static const int64_t one = 1;
    const struct parts parts = {.context = runs->request->call.context,
                                .stream = runs->request->call.stream,
                                .ndim = 1,
                                .shape = {runs->count},
                                .extents = &one,
                                .in_order = in_order,
                                .call = part,
                                .data = runs};
    return parts_run(&parts);
}

static gpucc_status combine_results(const struct runs *runs)
{
    gpucc_array *output = NULL, *initial = NULL;
    const struct call *call = &runs->request->call;
    gpucc_status status = make_initial(runs->request, call->context, &initial);
    const gpucc_reduce_options options = {
        .size = sizeof options, .stream = call->stream, .initial = initial, .dtype = &call->loop->types[OUTPUT]};
    if (!status)
        status = view_output(runs, &output);
    if (!status)
        status = ufunc_reduce(call->ufunc, runs->results, &output, &options);
    gpucc_array_release(output);
    gpucc_array_release(initial);
    return status;
}

static gpucc_status reduce_in_tree(struct runs *runs)
{
    const struct nest *kept = &runs->reduction.kept;
    const struct call *call = &runs->request->call;
    int64_t shape[GPUCC_MAX_DIMS + 1] = {runs->count};
    memcpy(shape + 1, kept->shape, (size_t)kept->ndim * sizeof *shape);
    gpucc_status status =
        array_create_on_host(call->context, call->loop->types[OUTPUT], 1 + kept->ndim, shape, &runs->results);
    if (status)
        return status;
    runs->bytes = runs->reduction.outputs * dtypes[call->loop->types[OUTPUT]].size;
    status = run_runs(runs, tree_part, false);
    if (!status)
        status = combine_results(runs);
    gpucc_array_release(runs->results);
    return status;
}

static gpucc_status fold_in_order(struct runs *runs)
{
    const struct call *call = &runs->request->call;
    gpucc_status status = array_create_on_host(call->context, call->loop->types[OUTPUT], 0, NULL, &runs->results);
    if (status)
        return status;
    status = run_runs(runs, fold_part, true);
    gpucc_array_release(runs->results);
    return status;
}

/* ---- parts that are what devices have of a split array ---- */

enum {
    RUNS_EACH = 64, /* that a device has at least: then none has much more than its share */
};

/* The one dimension along which the elements follow one another, with the dimensions inside it that are reduced too;
 * -1 if the output has one between them. */
static int reduced_dimension(const struct request *request)
{
    int first = -1, last = -1;
    const gpucc_array *input = request->input;
    for (int d = 0; d < input->ndim; d++) {
        if (!request->reduced[d] || input->shape[d] == 1)
            continue;
        if (last >= 0 && input->strides[last] != input->strides[d] * input->shape[d])
            return -1;
        first = first < 0 ? d : first;
        last = d;
    }
    return first;
}

static int64_t power_of_two_to(double most)
{
    int64_t power = 1;
    while (2 * (double)power <= most)
        power *= 2;
    return power;
}

static int64_t choose_split_run(const struct request *request)
{
    return power_of_two_to((double)request->length / (RUNS_EACH * group_size(request->call.context)));
}

bool request_divides(const struct request *request, bool combines)
{
    const int d = split_dimension(request->input);
    if (d < 0 || request->length == 0)
        return false;
    if (!request->reduced[d])
        return true;
    return combines && request->call.ufunc->reorderable && reduced_dimension(request) == d &&
           choose_split_run(request) >= SHORT_RUN;
}

/* So many runs from `first` on: their elements, [runs, elements, kept…], as the member sees them. */
static gpucc_status view_runs(const struct runs *runs, int member, int64_t first, int64_t count, int64_t length,
                              gpucc_array **out)
{
    const struct reduction *reduction = &runs->reduction;
    const struct nest *kept = &reduction->kept;
    const gpucc_array *input = runs->request->call.used[INPUT];
    int64_t shape[GPUCC_MAX_DIMS + 2] = {count, length}, strides[GPUCC_MAX_DIMS + 2];
    strides[0] = runs->run * reduction->reduced_strides[0];
    strides[1] = reduction->reduced_strides[0];
    memcpy(shape + 2, kept->shape, (size_t)kept->ndim * sizeof *shape);
    memcpy(strides + 2, kept->strides[0], (size_t)kept->ndim * sizeof *strides);
    return gpucc_array_wrap(group_context(input->context, member), input->dtype, 2 + kept->ndim, shape, strides,
                            kept->data[0] + first * strides[0], GPUCC_MEMORY_DEVICE, out);
}

/* Their results, in the memory of the first device, which all reach. */
static gpucc_status view_results(const struct runs *runs, int member, int64_t first, int64_t count, gpucc_array **out)
{
    const struct nest *kept = &runs->reduction.kept;
    int64_t shape[GPUCC_MAX_DIMS + 1] = {count};
    memcpy(shape + 1, kept->shape, (size_t)kept->ndim * sizeof *shape);
    return gpucc_array_wrap(group_context(runs->results->context, member), runs->results->dtype, 1 + kept->ndim, shape,
                            NULL, runs->results->data + (size_t)first * runs->bytes, GPUCC_MEMORY_DEVICE, out);
}

static gpucc_status reduce_runs(const struct runs *runs, int member, int64_t first, int64_t count, int64_t length)
{
    static const int axis = 1;
    gpucc_array *elements = NULL, *results = NULL;
    const struct call *call = &runs->request->call;
    const gpucc_reduce_options options = {.size = sizeof options,
                                          .axes = &axis,
                                          .axis_count = 1,
                                          .stream = member == 0 ? call->stream : NULL,
                                          .dtype = &call->loop->types[OUTPUT]};
    if (count == 0)
        return GPUCC_OK;
    gpucc_status status = view_runs(runs, member, first, count, length, &elements);
    if (!status)
        status = view_results(runs, member, first, count, &results);
    if (!status)
        status = ufunc_reduce(group_ufunc(call->ufunc, member), elements, &results, &options);
    gpucc_array_release(results);
    gpucc_array_release(elements);
    return status;
}

/* The last run may be shorter. */
static gpucc_status reduce_device(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    const struct runs *runs = data;
    const int64_t length = (int64_t)runs->reduction.length, whole = length / runs->run, left = length % runs->run;
    const int64_t first = start[0], stop = first + views[0]->shape[0], end = stop < whole ? stop : whole;
    gpucc_status status = reduce_runs(runs, member, first, end - first, runs->run);
    return status || stop <= whole ? status : reduce_runs(runs, member, whole, 1, left);
}

/* The first elements of all runs say which device has which. */
static gpucc_status run_devices(struct runs *runs)
{
    gpucc_array *firsts;
    const struct call *call = &runs->request->call;
    const int64_t stride = runs->run * runs->reduction.reduced_strides[0];
    struct parts parts = {.context = call->context,
                          .stream = call->stream,
                          .ndim = 1,
                          .shape = {runs->count},
                          .operands = 1,
                          .call = reduce_device,
                          .data = runs};
    gpucc_status status = gpucc_array_view(call->used[INPUT], 1, &runs->count, &stride,
                                           runs->reduction.kept.data[0] - call->used[INPUT]->data, &firsts);
    if (status)
        return status;
    parts.operand[0] = (struct part_operand){.array = firsts};
    status = parts_run(&parts);
    gpucc_array_release(firsts);
    return status;
}

static gpucc_status reduce_split(struct runs *runs)
{
    const struct nest *kept = &runs->reduction.kept;
    const struct call *call = &runs->request->call;
    const gpucc_dtype type = call->loop->types[OUTPUT];
    int64_t shape[GPUCC_MAX_DIMS + 1] = {runs->count};
    memcpy(shape + 1, kept->shape, (size_t)kept->ndim * sizeof *shape);
    gpucc_status status = array_create(call->context, call->stream, type, 1 + kept->ndim, shape, &runs->results);
    if (status)
        return status;
    runs->bytes = runs->reduction.outputs * dtypes[type].size;
    status = run_devices(runs);
    if (!status)
        status = combine_results(runs);
    gpucc_array_release(runs->results);
    return status;
}

/* ---- which ---- */

static int64_t largest_stride(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t largest = 0;
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && llabs(strides[d]) > largest)
            largest = llabs(strides[d]);
    return largest;
}

static bool outputs_are_outermost(const struct reduction *reduction)
{
    const struct nest *kept = &reduction->kept;
    return largest_stride(kept->ndim, kept->shape, kept->strides[0]) >
           largest_stride(reduction->reduced_dims, reduction->reduced_shape, reduction->reduced_strides);
}

/* Elements of every output that go together; 0: a part is whole outputs. */
static int64_t choose_run(const struct request *request, const struct reduction *reduction, double size)
{
    const double element = (double)parts_element(&request->call, INPUT), length = (double)reduction->length;
    const double most = size / (element * (double)reduction->outputs);
    const bool fits = length * element <= size;
    const bool are_many = reduction->outputs >= 2 * (uint64_t)group_size(request->call.context);
    if (!request->call.ufunc->reorderable)
        return reduction->outputs == 1 ? (int64_t)(most < 1 ? 1 : most) : 0;
    if ((fits && are_many && outputs_are_outermost(reduction)) || most < SHORT_RUN)
        return reduction->outputs == 1 ? SHORT_RUN : 0;
    return power_of_two_to(most);
}

/* Reduces a split array, by the devices that have it. */
static gpucc_status reduce_where_it_is(struct runs *runs)
{
    struct request *request = runs->request;
    gpucc_status status = group_share_variables(request->call.ufunc->program);
    if (status)
        return status;
    if (!request->reduced[split_dimension(request->input)])
        return run_outputs(request, false, reduce_part);
    runs->run = choose_split_run(request);
    runs->count = (int64_t)divide_up(runs->reduction.length, (uint64_t)runs->run);
    return reduce_split(runs);
}

gpucc_status reduce_in_parts(struct request *request)
{
    double size;
    struct call *call = &request->call;
    struct runs runs = {.request = request};
    call->used[INPUT] = call->given[INPUT];
    call->used[OUTPUT] = call->given[OUTPUT];
    request_lay_out(request, &runs.reduction);
    if (call->is_split)
        return reduce_where_it_is(&runs);
    gpucc_status status =
        parts_size(call->context, (double)call->given[INPUT]->count * (double)parts_element(call, INPUT), &size);
    if (!status)
        status = group_share_variables(call->ufunc->program);
    if (status)
        return status;
    runs.run = choose_run(request, &runs.reduction, size);
    if (runs.run == 0)
        return run_outputs(request, false, reduce_part);
    runs.count = (int64_t)divide_up(runs.reduction.length, (uint64_t)runs.run);
    return call->ufunc->reorderable ? reduce_in_tree(&runs) : fold_in_order(&runs);
}

gpucc_status accumulate_in_parts(struct request *request)
{
    gpucc_status status = group_share_variables(request->call.ufunc->program);
    return status ? status : run_outputs(request, true, accumulate_part);
}
