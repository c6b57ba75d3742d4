/* A ufunc's call whose operands are not simply adjacent elements of the loop's types: broadcasting, conversions,
 * temporaries, and outputs delivered where they belong. */
#include "base/resolve.h"
#include "calls/calls.h"
#include "devices/device_operations.h"
#include "nests/convert.h"
#include "parts/in_parts.h"
#include "records/loop_records.h"
#include <stdlib.h>
#include <string.h>

static bool is_cuda(const struct call *call)
{
    return call->context->kind == GPUCC_DEVICE_CUDA;
}

static void add_temporary(struct call *call, gpucc_array *array)
{
    call->temporaries[call->temporary_count++] = array;
}

gpucc_status call_make_temporary(struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                 gpucc_array **out)
{
    gpucc_status status = array_create(call->context, call->stream, dtype, ndim, shape, out);
    if (!status)
        add_temporary(call, *out);
    return status;
}

/* ---- shapes ---- */

/* Inputs up to `last` do not broadcast against one another. */
static gpucc_status fail_broadcast(const struct call *call, int last)
{
    struct text so_far = {0}, other = {0};
    int64_t shape[GPUCC_MAX_DIMS];
    int ndim = 0;
    for (int i = 0; i < last; i++)
        broadcast(&ndim, shape, call->given[i]->ndim, call->given[i]->shape);
    return fail(GPUCC_BAD_SHAPE, "%s: operands could not be broadcast together with shapes %s %s", call->ufunc->name,
                shape_text(&so_far, ndim, shape),
                shape_text(&other, call->given[last]->ndim, call->given[last]->shape));
}

static gpucc_status fail_mask_shape(const struct call *call)
{
    struct text inputs = {0}, mask = {0};
    int64_t shape[GPUCC_MAX_DIMS];
    int ndim = 0;
    for (int i = 0; i < call->ufunc->inputs; i++)
        broadcast(&ndim, shape, call->given[i]->ndim, call->given[i]->shape);
    const gpucc_array *where = call->given[call->operands];
    return fail(GPUCC_BAD_SHAPE, "%s: where= of shape %s could not be broadcast to the inputs' shape %s",
                call->ufunc->name, shape_text(&mask, where->ndim, where->shape), shape_text(&inputs, ndim, shape));
}

static gpucc_status fail_output_shape(const struct call *call, int index, const gpucc_array *array)
{
    struct text wanted = {0}, given = {0};
    return fail(GPUCC_BAD_SHAPE, "%s: output %d has shape %s, but the inputs broadcast to %s", call->ufunc->name, index,
                shape_text(&given, array->ndim, array->shape), shape_text(&wanted, call->ndim, call->shape));
}

/* The mask and the given outputs take part, as in NumPy: an input may be repeated to fill them. */
static gpucc_status broadcast_operands(struct call *call)
{
    call->ndim = 0;
    for (int i = 0; i < call->ufunc->inputs; i++) {
        if (!broadcast(&call->ndim, call->shape, call->given[i]->ndim, call->given[i]->shape))
            return fail_broadcast(call, i);
    }
    const gpucc_array *where = call->is_masked ? call->given[call->operands] : NULL;
    if (where && !broadcast(&call->ndim, call->shape, where->ndim, where->shape))
        return fail_mask_shape(call);
    for (int i = call->ufunc->inputs; i < call->operands; i++) {
        int ndim = call->ndim;
        int64_t shape[GPUCC_MAX_DIMS];
        const gpucc_array *output = call->given[i];
        memcpy(shape, call->shape, sizeof shape);
        if (!output)
            continue;
        if (!broadcast(&ndim, shape, output->ndim, output->shape))
            return fail_output_shape(call, i - call->ufunc->inputs, output);
        call->ndim = ndim;
        memcpy(call->shape, shape, sizeof shape);
    }
    return GPUCC_OK;
}

gpucc_status call_check_output(const struct call *call, int index)
{
    const gpucc_array *array = call->given[call->ufunc->inputs + index];
    gpucc_dtype type = call->loop->types[call->ufunc->inputs + index];
    const char *name = call->ufunc->name;
    for (int d = 0; d < array->ndim; d++) {
        if (array->count > 0 && array->shape[d] > 1 && array->strides[d] == 0)
            return fail(GPUCC_BAD_SHAPE, "%s: output %d is broadcast: its stride is 0 along dimension %d",
                        name, index, d);
    }
    if (array_overlaps_itself(array))
        return fail(GPUCC_BAD_SHAPE, "%s: output %d overlaps itself: several of its elements share memory",
                    name, index);
    if (array->read_only)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: output %d is read-only", name, index);
    if (array->memory->kind == MEMORY_VALUE)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: output %d is a scalar; an output must be an array", name, index);
    if (dtype_casts(type, array->dtype, call->casting))
        return GPUCC_OK;
    return fail(GPUCC_BAD_TYPE, "%s: cannot cast output %d from %s to %s with casting='%s'",
                name, index, dtypes[type].name, dtypes[array->dtype].name, casting_name(call->casting));
}

static gpucc_status check_output(const struct call *call, int index)
{
    const gpucc_array *array = call->given[call->ufunc->inputs + index];
    if (array->ndim != call->ndim || memcmp(array->shape, call->shape, (size_t)call->ndim * sizeof *call->shape) != 0)
        return fail_output_shape(call, index, array);
    return call_check_output(call, index);
}

/* ---- inputs ---- */

/* A host array's elements in C order and of another type, around new memory: free *memory after *out. */
static gpucc_status convert_on_host(gpucc_stream *stream, const gpucc_array *from, gpucc_dtype dtype, void **memory,
                                    gpucc_array **out)
{
    size_t size = (size_t)from->count * dtypes[dtype].size;
    *memory = malloc(size ? size : 1);
    if (!*memory)
        return fail_memory(size, "a conversion");
    gpucc_status status = gpucc_array_wrap(from->context, dtype, from->ndim, from->shape, NULL, *memory,
                                           GPUCC_MEMORY_HOST, out);
    if (status)
        goto free_memory;
    status = array_copy(stream, *out, from);
    if (status)
        goto release;
    return GPUCC_OK;

release:
    gpucc_array_release(*out);
free_memory:
    free(*memory);
    return status;
}

gpucc_status call_upload(struct call *call, int i, const gpucc_array *to)
{
    void *memory;
    gpucc_array *converted;
    const gpucc_array *from = call->given[i];
    if (from->dtype == to->dtype)
        return array_copy(call->stream, to, from);
    gpucc_status status = convert_on_host(call->stream, from, to->dtype, &memory, &converted);
    if (status)
        return status;
    status = array_copy(call->stream, to, converted);
    gpucc_array_release(converted);
    free(memory);
    return status;
}

static void report_host_copy(gpucc_context *context, const gpucc_ufunc *ufunc)
{
    if (atomic_exchange(&context->reported_host_copy, true))
        return;
    context_log(context, GPUCC_LOG_WARNING,
                "%s was called with a host array, which is copied to the GPU and back at each call; arrays made by "
                "gpucc_array_from_host() stay there (this is said once)",
                ufunc->name);
}

void call_report_host_arrays(const struct call *call)
{
    if (call->in_parts || parts_inside() || call->stream->graph) /* there is no other way, or none at all */
        return;
    for (int i = 0; i < call->operands; i++)
        if (call_is_away(call, call->given[i]) && !array_is_value(call->given[i]))
            report_host_copy(call->context, call->ufunc);
}

gpucc_status call_place_input(struct call *call, int i)
{
    const gpucc_array *array = call->given[i];
    gpucc_dtype type = call->loop->types[i];
    gpucc_array *temporary;
    call->used[i] = array;
    bool away = call_is_away(call, array);
    if (!away && array->dtype == type)
        return GPUCC_OK;
    gpucc_status status = call_make_temporary(call, type, array->ndim, array->shape, &temporary);
    if (status)
        return status;
    call->used[i] = temporary;
    return away ? call_upload(call, i, temporary) : array_copy(call->stream, temporary, array);
}

/* Puts operand i, or the mask, where the loop can use it; `reads`: with what it holds. */
static gpucc_status stage_operand(struct call *call, int i, bool reads)
{
    gpucc_array *there;
    const gpucc_array *array = call->given[i];
    call->used[i] = array;
    if (!call_is_away(call, array))
        return GPUCC_OK;
    gpucc_status status = call_make_temporary(call, array->dtype, array->ndim, array->shape, &there);
    if (status)
        return status;
    call->used[i] = there;
    return reads ? array_copy(call->stream, there, array) : GPUCC_OK;
}

gpucc_status call_stage_input(struct call *call, int i)
{
    return stage_operand(call, i, true);
}

gpucc_status call_stage_output(struct call *call, int o, bool reads)
{
    return stage_operand(call, o, reads);
}

gpucc_status call_place_mask(struct call *call)
{
    return stage_operand(call, call->operands, true);
}

/* The loop converts what it reads. */
static gpucc_status prepare_input(struct call *call, int i)
{
    return array_is_value(call->given[i]) ? call_set_value(call, i) : stage_operand(call, i, true);
}

/* ---- overlap ---- */

gpucc_status call_copy_input(struct call *call, int i)
{
    int64_t low, high;
    gpucc_array *bytes, *copy;
    const gpucc_array *array = call->used[i];
    array_extent(array->ndim, array->shape, array->strides, dtypes[array->dtype].size, &low, &high);
    int64_t size = high - low;
    gpucc_status status = call_make_temporary(call, GPUCC_UINT8, 1, &size, &bytes);
    if (status)
        return status;
    if (stream_is_dry(call->stream))
        status = GPUCC_OK;
    else if (is_cuda(call))
        status = CU(call->context, cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)bytes->data,
                    (CUdeviceptr)(uintptr_t)(array->data + low), (size_t)size, call->stream->handle);
    else
        memcpy(bytes->data, array->data + low, (size_t)size);
    if (!status)
        status = gpucc_array_wrap(call->context, array->dtype, array->ndim, array->shape, array->strides,
                                  bytes->data - low, GPUCC_MEMORY_DEVICE, &copy);
    if (status)
        return status;
    add_temporary(call, copy);
    call->used[i] = copy;
    return GPUCC_OK;
}

/* Copies the mask if an output overlaps it. */
static gpucc_status separate_mask(struct call *call, const gpucc_array *output)
{
    const gpucc_array *mask = call->used[call->operands];
    if (arrays_are_same(output, mask) || !arrays_overlap(output, mask))
        return GPUCC_OK;
    return call_copy_input(call, call->operands);
}

/* Whether both are rows whose elements are as far apart, so that each reaches into the other's by so many bytes. */
static bool are_shifted(const struct call *call, const gpucc_array *output, const gpucc_array *input)
{
    const int64_t in = (int64_t)dtypes[input->dtype].size, out = (int64_t)dtypes[output->dtype].size;
    return call->ndim == 1 && input->ndim == 1 && input->shape[0] == output->shape[0] &&
           input->strides[0] == output->strides[0] && llabs(input->strides[0]) >= (in > out ? in : out);
}

/* If the output begins below the input in memory, an element that is written has been read, as have all below it, if
 * one goes upwards by address; and the other way round.  The loop goes upwards in the first output, and with
 * `backwards` downwards. */
static bool can_shift(struct call *call, const gpucc_array *output, const gpucc_array *input)
{
    if (is_cuda(call) || !are_shifted(call, output, input))
        return false;
    const gpucc_array *leader = call->used[call->ufunc->inputs];
    const bool ascends = (output->strides[0] > 0) == (leader->strides[0] > 0);
    const bool forwards = (output->data <= input->data) == ascends;
    if (forwards ? call->backwards : call->forwards)
        return false;
    call->forwards |= forwards;
    call->backwards |= !forwards;
    return true;
}

/* Reads of input i from an output's memory happen before the output's elements are written. */
static gpucc_status separate_input(struct call *call, int i, const gpucc_array *output)
{
    const gpucc_array *input = call->used[i];
    if (arrays_are_same(output, input) || !arrays_overlap(output, input))
        return GPUCC_OK;
    if (!can_shift(call, output, input))
        return call_copy_input(call, i);
    call->shifted |= operand_bit(i);
    return GPUCC_OK;
}

gpucc_status call_check_apart(const struct call *call, int o)
{
    const int inputs = call->ufunc->inputs;
    for (int p = inputs; p < o; p++)
        if (arrays_overlap(call->given[o], call->given[p]))
            return fail(GPUCC_INVALID_ARGUMENT, "%s: outputs %d and %d share memory", call->ufunc->name, p - inputs,
                        o - inputs);
    return GPUCC_OK;
}

static gpucc_status separate_operands(struct call *call)
{
    int inputs = call->ufunc->inputs;
    gpucc_status status = GPUCC_OK;
    for (int o = inputs; !status && o < call->operands; o++) {
        status = call_check_apart(call, o);
        for (int i = 0; !status && i < inputs; i++)
            if (!(call->values >> i & 1))
                status = separate_input(call, i, call->used[o]);
        if (!status && call->is_masked)
            status = separate_mask(call, call->given[o]);
    }
    return status;
}

/* ---- outputs ---- */

/* Outputs are checked where they are given and made where not: then bit i of *made says so of output i. */
static gpucc_status make_outputs(struct call *call, gpucc_array **outputs, operand_set *made)
{
    static const uint64_t zero[2];
    int order[GPUCC_MAX_DIMS];
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < call->ufunc->outputs; i++) {
        int o = call->ufunc->inputs + i;
        if (outputs[i]) {
            status = check_output(call, i);
            continue;
        }
        if (!*made) /* what is made has one order */
            order_of_outputs(call, order);
        status = array_create_in_order(call, call->loop->types[o], call->ndim, call->shape, order, &outputs[i]);
        if (!status)
            *made |= operand_bit(i);
        call->given[o] = outputs[i];
        if (!status && call->is_masked) /* a graph's output is one that is given, at each launch */
            status = array_fill(stream_is_dry(call->stream) ? &call->context->stream : call->stream, outputs[i],
                                call->loop->types[o], zero);
    }
    return status;
}

void call_drop_outputs(const struct call *call, gpucc_array **outputs, operand_set made)
{
    for (int i = 0; i < call->ufunc->outputs; i++) {
        if (made >> i & 1) {
            gpucc_array_release(outputs[i]);
            outputs[i] = NULL;
        }
    }
}

gpucc_status call_place_output(struct call *call, int o)
{
    gpucc_array *temporary;
    const gpucc_array *array = call->given[o];
    call->used[o] = array;
    if (!call_is_away(call, array) && array->dtype == call->loop->types[o])
        return GPUCC_OK;
    gpucc_status status = call_make_temporary(call, call->loop->types[o], array->ndim, array->shape, &temporary);
    if (!status)
        call->used[o] = temporary;
    return status;
}

/* From the GPU, and of another type. */
static gpucc_status download_converted(struct call *call, gpucc_array *to, const gpucc_array *from)
{
    gpucc_array *host;
    size_t size = (size_t)from->count * dtypes[from->dtype].size;
    void *memory = malloc(size ? size : 1);
    if (!memory)
        return fail_memory(size, "a conversion");
    gpucc_status status =
        gpucc_array_wrap(call->context, from->dtype, from->ndim, from->shape, NULL, memory, GPUCC_MEMORY_HOST, &host);
    if (status)
        goto free_memory;
    status = array_copy(call->stream, host, from);
    if (!status)
        status = array_copy(call->stream, to, host);
    gpucc_array_release(host);
free_memory:
    free(memory);
    return status;
}

gpucc_status call_deliver_outputs(struct call *call, gpucc_array **outputs)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < call->ufunc->outputs; i++) {
        const gpucc_array *used = call->used[call->ufunc->inputs + i];
        if (used == outputs[i])
            continue;
        bool converts = call_is_away(call, outputs[i]) && used->dtype != outputs[i]->dtype;
        status = converts ? download_converted(call, outputs[i], used) : array_copy(call->stream, outputs[i], used);
    }
    return status;
}

/* ---- the loop ---- */

static void fill_nest(struct call *call, struct nest *nest)
{
    nest->ndim = call->ndim;
    nest->operands = call->operands;
    nest->values = call->values;
    memcpy(nest->shape, call->shape, (size_t)call->ndim * sizeof *nest->shape);
    for (int i = 0; i < nest->operands; i++) {
        const gpucc_array *array = call->used[i];
        if (call->values >> i & 1)
            nest_set(nest, i, (char *)call->value[i], dtypes[call->loop->types[i]].size, 0, NULL, NULL);
        else
            nest_set(nest, i, array->data, dtypes[array->dtype].size, array->ndim, array->shape, array->strides);
    }
    if (call->is_masked)
        nest_add_mask(nest, call->used[call->operands]);
    nest_simplify(nest, call->ufunc->inputs);
}

static gpucc_status run_loop(struct call *call)
{
    struct nest nest;
    for (int i = 0; i < call->operands + call->is_masked; i++)
        memory_use(call->used[i]->memory, call->stream);
    fill_nest(call, &nest);
    return stream_operations(call->stream)->run_call(call, &nest);
}

void call_release(struct call *call)
{
    while (call->temporary_count > 0)
        gpucc_array_release(call->temporaries[--call->temporary_count]);
}

static gpucc_status run_with_copies(struct call *call, gpucc_array **outputs)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < call->ufunc->inputs; i++)
        status = prepare_input(call, i);
    for (int o = call->ufunc->inputs; !status && o < call->operands; o++)
        status = stage_operand(call, o, call->is_masked); /* what the mask leaves as it is comes back */
    if (!status && call->is_masked)
        status = call_place_mask(call);
    if (!status)
        status = separate_operands(call);
    if (!status)
        status = run_loop(call);
    if (!status)
        status = call_deliver_outputs(call, outputs);
    call_release(call);
    return status;
}

gpucc_status call_run(struct call *call, gpucc_array **outputs)
{
    operand_set made = 0;
    const struct device_operations *operations = stream_operations(call->stream);
    gpucc_status status = broadcast_operands(call);
    if (!status) {
        call->in_parts = call->is_split = parts_are_split(call);
        status = call_needs_partition(call, &call->in_parts);
    }
    if (!status)
        status = make_outputs(call, outputs, &made);
    if (!status)
        call_report_host_arrays(call);
    if (!status)
        status = call->in_parts                    ? call_run_parts(call)
                 : operations->needs_staging(call) ? operations->run_staged(call)
                                                   : run_with_copies(call, outputs);
    if (status)
        call_drop_outputs(call, outputs, made);
    return status;
}
