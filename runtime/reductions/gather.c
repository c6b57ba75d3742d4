/* Reductions of elements that are gathered: those of a fused reduction, which are computed on the way, those that a
 * mask lets take part, and those of another type.  How they are reduced is gather_cpu.c's and gather_cuda.c's. */
#include "base/resolve.h"
#include "calls/calls.h"
#include "devices/device_operations.h"
#include "reductions/methods.h"
#include <string.h>

enum {
    SHORT = 16,     /* elements of a result: of more, it is no matter that it is read again to be converted, … */
    ASIDE = 1 << 20 /* … which is so where all take so few bytes */
};

/* ---- operands ---- */

/* A fused reduction's inputs come first among its operands; that of a ufunc is its second. */
static int first_input(const struct request *request)
{
    return request->call.ufunc->by ? 0 : INPUT;
}

static int input_count(const struct request *request)
{
    return request->call.ufunc->by ? request->call.ufunc->inputs : 1;
}

static bool shares_memory(const struct request *request, const gpucc_array *out)
{
    const int first = first_input(request);
    for (int i = first; i < first + input_count(request); i++)
        if (arrays_overlap(out, request->call.given[i]))
            return true;
    return request->where && arrays_overlap(out, request->where);
}

bool request_converts_elements(const struct request *request)
{
    return request->input && request->input->dtype != request_type(request);
}

bool request_converts_results(const struct request *request)
{
    const gpucc_dtype type = request_type(request);
    const gpucc_array *out = request->call.given[request_output(request)];
    if (!out || out->dtype == type || shares_memory(request, out))
        return false;
    const uint64_t results = (uint64_t)out->count;
    uint64_t elements = 1;
    for (int d = 0; d < request->ndim; d++)
        elements *= (uint64_t)request->shape[d];
    return results >= elements / SHORT || results * dtypes[type].size > ASIDE;
}

/* On the device, apart from the output, and of the type that it has. */
static gpucc_status place_input(struct request *request, int i)
{
    struct call *call = &request->call;
    if (call->ufunc->by && array_is_value(call->given[i]))
        return call_set_value(call, i);
    gpucc_status status = call_stage_input(call, i);
    if (!status && arrays_overlap(call->used[request_output(request)], call->used[i]))
        status = call_copy_input(call, i);
    return status;
}

static gpucc_status place_operands(struct request *request)
{
    struct call *call = &request->call;
    const int first = first_input(request), output = request_output(request), mask = call->operands;
    gpucc_status status =
        request_converts_results(request) ? call_stage_output(call, output, false) : call_place_output(call, output);
    for (int i = first; !status && i < first + input_count(request); i++)
        status = place_input(request, i);
    if (!status && request->where)
        status = call_place_mask(call);
    if (!status && request->where && arrays_overlap(call->used[output], call->used[mask]))
        status = call_copy_input(call, mask);
    for (int i = first; !status && i <= mask; i++)
        if (i < mask || request->where)
            memory_use(call->used[i]->memory, call->stream);
    return status;
}

/* ---- dimensions ---- */

/* All operands but the output, as seen from the elements' shape. */
static void fill_elements(const struct request *request, struct nest *nest)
{
    const struct call *call = &request->call;
    const int first = first_input(request), inputs = input_count(request);
    nest->ndim = request->ndim;
    nest->operands = inputs + (request->where != NULL);
    nest->values = 0;
    memcpy(nest->shape, request->shape, (size_t)request->ndim * sizeof *nest->shape);
    for (int k = 0; k < nest->operands; k++) {
        const int i = k < inputs ? first + k : call->operands;
        const gpucc_array *array = call->used[i];
        if (i < call->operands && (call->values >> i & 1)) {
            nest->values |= operand_bit(k);
            nest_set(nest, k, (char *)(uintptr_t)call->value[i], dtypes[call->loop->types[i]].size, 0, NULL, NULL);
        } else {
            nest_set(nest, k, array->data, dtypes[array->dtype].size, array->ndim, array->shape, array->strides);
        }
    }
}

static void begin_nest(struct nest *nest, const struct nest *elements, int operands)
{
    nest->ndim = 0;
    nest->operands = operands;
    nest->values = elements->values;
    memcpy(nest->data, elements->data, sizeof nest->data);
    memcpy(nest->sizes, elements->sizes, sizeof nest->sizes);
}

static void add_dimension(struct nest *nest, const struct nest *elements, int d)
{
    nest->shape[nest->ndim] = elements->shape[d];
    for (int k = 0; k < elements->operands; k++)
        nest->strides[k][nest->ndim] = elements->strides[k][d];
    nest->ndim++;
}

/* Dimensions that are kept, with the output, and those that are reduced, whose order stays. */
static void lay_out(const struct request *request, struct gathering *gathering)
{
    struct nest elements, *kept = &gathering->kept, *reduced = &gathering->reduced;
    const gpucc_array *output = request->call.used[request_output(request)];
    int at = 0;
    fill_elements(request, &elements);
    const int out = elements.operands;
    begin_nest(kept, &elements, out + 1);
    begin_nest(reduced, &elements, out);
    kept->data[out] = output->data;
    kept->sizes[out] = dtypes[gathering->to].size;
    for (int d = 0; d < request->ndim; d++) {
        add_dimension(request->reduced[d] ? reduced : kept, &elements, d);
        if (!request->reduced[d])
            kept->strides[out][kept->ndim - 1] = output->strides[at];
        at += !request->reduced[d] || request->keepdims;
    }
    gathering->outputs = (uint64_t)nest_count(kept);
    nest_simplify(kept, 0);
    nest_merge(reduced);
    if (nest_count(reduced) != 1)
        return;
    for (int k = 0; k < out; k++)
        reduced->strides[k][0] = (int64_t)reduced->sizes[k];
}

gpucc_status request_gather(struct request *request)
{
    struct gathering gathering;
    struct call *call = &request->call;
    gpucc_status status = place_operands(request);
    if (status)
        return status;
    const gpucc_ufunc *by = call->ufunc->by;
    const gpucc_dtype type = request_type(request), pair[3] = {type, type, type};
    if (request->length == 0)
        return array_fill(call->stream, call->used[request_output(request)], type, request->start);
    gathering.call = call;
    gathering.map = by ? call->loop : NULL;
    gathering.by = by ? NULL : call->loop;
    for (int k = 0; by && k < by->loop_count && !gathering.by; k++)
        if (memcmp(by->loops[k].types, pair, sizeof pair) == 0)
            gathering.by = &by->loops[k];
    if (!gathering.by)
        return fail(GPUCC_BAD_PROGRAM, "%s: %s has no loop whose operands are all %s", call->ufunc->name, by->name,
                    dtypes[type].name);
    gathering.is_tree = call->ufunc->reorderable;
    gathering.is_masked = request->where != NULL;
    gathering.inputs = input_count(request);
    gathering.length = request->length;
    gathering.size = dtypes[type].size;
    gathering.type = type;
    gathering.to = call->used[request_output(request)]->dtype;
    for (int k = 0; k < gathering.inputs; k++) {
        const int i = first_input(request) + k;
        gathering.from[k] = call->values >> i & 1 ? call->loop->types[i] : call->used[i]->dtype;
    }
    gathering.slices = request->slices;
    gathering.slice_count = request->slice_count;
    gathering.each_out =
        request->slices ? call->used[request_output(request)]->strides[request_axis(request)] : 0;
    gathering.has_initial = request->initial != NULL;
    memcpy(gathering.start, request->start, sizeof gathering.start);
    lay_out(request, &gathering);
    return stream_operations(call->stream)->run_gathering(&gathering);
}

/* ---- fused reductions ---- */

static gpucc_status set_inputs(struct request *request, const gpucc_array *const *inputs)
{
    struct call *call = &request->call;
    gpucc_status status = GPUCC_OK;
    request->ndim = 0;
    request->shape = request->shape_;
    for (int i = 0; !status && i < call->ufunc->inputs; i++) {
        struct text so_far = {0}, other = {0};
        int64_t before[GPUCC_MAX_DIMS];
        const int ndim = request->ndim;
        memcpy(before, request->shape_, sizeof before);
        call->given[i] = inputs[i];
        status = call_check_operand(call->ufunc, inputs[i], "input", i);
        if (!status && !broadcast(&request->ndim, request->shape_, inputs[i]->ndim, inputs[i]->shape))
            status = fail(GPUCC_BAD_SHAPE, "%s: operands could not be broadcast together with shapes %s %s",
                          call->ufunc->name, shape_text(&so_far, ndim, before),
                          shape_text(&other, inputs[i]->ndim, inputs[i]->shape));
    }
    return status;
}

static gpucc_status find_loop(struct request *request, const gpucc_dtype *dtype)
{
    struct call *call = &request->call;
    struct input_type given[GPUCC_LOOP_OPERANDS];
    const struct loop_request loop_request = {.casting = GPUCC_CASTING_DEFAULT, .makes = dtype};
    if (dtype && !dtype_valid(*dtype))
        return fail(GPUCC_INVALID_ARGUMENT, "%s: invalid dtype %d", call->ufunc->name, (int)*dtype);
    for (int i = 0; i < call->ufunc->inputs; i++)
        given[i] = (struct input_type){.dtype = call->given[i]->dtype, .is_number = call->given[i]->is_number};
    call->loop = call_loop(call->ufunc, given, &loop_request);
    return call->loop ? GPUCC_OK : call_fail_types(call->ufunc, given, &loop_request);
}

gpucc_status gpucc_reduction_call(gpucc_ufunc *reduction, const gpucc_array *const *inputs, gpucc_array **out,
                                  const gpucc_reduce_options *options)
{
    struct request request;
    const struct request_run how = {.check = request_check_empty, .work = request_gather, .places = true};
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    if (!reduction)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_reduction_call: the reduction is null");
    if (!reduction->by)
        return fail(GPUCC_INVALID_ARGUMENT, "%s is no fused reduction, which is what gpucc_reduction_call() is for",
                    reduction->name);
    if (!inputs || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the inputs or the pointer to the output is null",
                    reduction->name);
    gpucc_status status = CHECK_OPTIONS(reduction->name, options);
    if (!status)
        status = request_start(&request, reduction, "a reduction", *out, stream);
    if (!status)
        status = set_inputs(&request, inputs);
    if (!status)
        status = find_loop(&request, options && HAS_FIELD(options, dtype) ? options->dtype : NULL);
    if (!status)
        status = request_set_options(&request, options);
    if (!status)
        status = request_run(&request, &how, out);
    return recording_note(reduction->program->context, status,
                          &(struct recorded){.kind = RECORDED_FUSED, .function = reduction, .inputs = inputs,
                                             .input_count = reduction->inputs, .outputs = out, .output_count = 1,
                                             .options = options});
}
