/* Copies of calls: their operands and options outlive the caller's. */
#include "graphs/graphs.h"
#include <stdlib.h>
#include <string.h>

static gpucc_context *context_of(enum recorded_kind kind, const void *function)
{
    return kind == RECORDED_LAUNCH ? ((const gpucc_kernel *)function)->program->context
                                   : ((const gpucc_ufunc *)function)->program->context;
}

gpucc_context *graph_call_context(const struct graph_call *call)
{
    return context_of(call->kind, call->function);
}

/* ---- options ---- */

/* Copies what the options point to behind one another, and points them there. */
struct numbers {
    int *next;
};

static void *copy_numbers(struct numbers *numbers, const void *from, int count)
{
    int *to = numbers->next;
    if (!from || count <= 0)
        return NULL;
    memcpy(to, from, (size_t)count * sizeof *to);
    numbers->next += count;
    return to;
}

_Static_assert(sizeof(gpucc_dtype) == sizeof(int), "dtypes are copied as numbers");

static gpucc_status share(const gpucc_array *from, const gpucc_array **in_options, gpucc_array **out)
{
    gpucc_status status = from ? array_share(from, out) : GPUCC_OK;
    *in_options = status ? NULL : *out;
    return status;
}

static gpucc_status copy_call_options(struct graph_call *call, struct numbers *numbers)
{
    gpucc_call_options *options = &call->options.call;
    options->dtype = copy_numbers(numbers, options->dtype, 1);
    options->signature = copy_numbers(numbers, options->signature, call->operands);
    options->axes = copy_numbers(numbers, options->axes, options->axis_count);
    options->axis = copy_numbers(numbers, options->axis, 1);
    return share(options->where, &options->where, &call->mask);
}

static gpucc_status copy_reduce_options(struct graph_call *call, struct numbers *numbers)
{
    gpucc_reduce_options *options = &call->options.reduce;
    options->dtype = copy_numbers(numbers, options->dtype, 1);
    options->axes = copy_numbers(numbers, options->axes, options->axis_count);
    gpucc_status status = share(options->where, &options->where, &call->mask);
    return status ? status : share(options->initial, &options->initial, &call->initial);
}

static size_t options_size(enum recorded_kind kind)
{
    switch (kind) {
    case RECORDED_CALL:
    case RECORDED_OUTER: return sizeof(gpucc_call_options);
    case RECORDED_REDUCE:
    case RECORDED_FUSED: return sizeof(gpucc_reduce_options);
    case RECORDED_ACCUMULATE: return sizeof(gpucc_accumulate_options);
    case RECORDED_REDUCEAT: return sizeof(gpucc_reduceat_options);
    case RECORDED_AT: return sizeof(gpucc_at_options);
    default: return sizeof(gpucc_launch);
    }
}

/* How many numbers the options point to. */
static int count_numbers(const struct graph_call *call)
{
    switch (call->kind) {
    case RECORDED_CALL:
    case RECORDED_OUTER: return 2 + call->operands + (call->options.call.axes ? call->options.call.axis_count : 0);
    case RECORDED_REDUCE:
    case RECORDED_FUSED: return 1 + (call->options.reduce.axes ? call->options.reduce.axis_count : 0);
    default: return 1;
    }
}

static gpucc_status copy_options(struct graph_call *call, const void *options)
{
    const size_t size = options_size(call->kind);
    if (options)
        memcpy(&call->options, options, *(const size_t *)options < size ? *(const size_t *)options : size);
    call->options.size = size;
    call->numbers = calloc((size_t)count_numbers(call), sizeof *call->numbers);
    if (!call->numbers)
        return fail_memory((size_t)count_numbers(call) * sizeof *call->numbers, "a graph");
    struct numbers numbers = {call->numbers};
    switch (call->kind) {
    case RECORDED_CALL:
    case RECORDED_OUTER: return copy_call_options(call, &numbers);
    case RECORDED_REDUCE:
    case RECORDED_FUSED: return copy_reduce_options(call, &numbers);
    case RECORDED_ACCUMULATE:
        call->options.accumulate.dtype = copy_numbers(&numbers, call->options.accumulate.dtype, 1);
        return GPUCC_OK;
    case RECORDED_REDUCEAT:
        call->options.reduceat.dtype = copy_numbers(&numbers, call->options.reduceat.dtype, 1);
        return GPUCC_OK;
    case RECORDED_LAUNCH: call->options.launch.sizes = NULL; return GPUCC_OK;
    default: return GPUCC_OK;
    }
}

/* ---- operands ---- */

static gpucc_status copy_arrays(struct graph_call *call, const struct recorded *from)
{
    gpucc_status status = GPUCC_OK;
    call->inputs = from->input_count;
    call->operands = from->input_count + from->output_count;
    call->arrays = calloc((size_t)call->operands + 1, sizeof *call->arrays);
    if (!call->arrays)
        return fail_memory((size_t)call->operands * sizeof *call->arrays, "a graph");
    for (int i = 0; !status && i < call->operands; i++) {
        const gpucc_array *array = i < call->inputs ? from->inputs[i] : from->outputs[i - call->inputs];
        if (array)
            status = array_share(array, &call->arrays[i]);
    }
    return status;
}

/* Every value at the alignment that any parameter has. */
static gpucc_status copy_parameters(struct graph_call *call, void *const *parameters)
{
    enum { ALIGNMENT = 128 }; /* of a tensor map, and more than any other's */
    const gpucc_kernel *kernel = call->function;
    size_t size = 0;
    for (int i = 0; i < kernel->parameter_count; i++)
        size += (kernel->parameters[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    call->values = aligned_alloc(ALIGNMENT, size ? size : ALIGNMENT);
    call->parameters = calloc((size_t)kernel->parameter_count + 1, sizeof *call->parameters);
    if (!call->values || !call->parameters)
        return fail_memory(size, "a graph");
    char *next = call->values;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const size_t bytes = kernel->parameters[i].size;
        memcpy(next, parameters[i], bytes);
        call->parameters[i] = next;
        next += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return GPUCC_OK;
}

gpucc_status graph_call_copy(const struct recorded *recorded, struct graph_call **out)
{
    struct graph_call *call = calloc(1, sizeof *call);
    if (!call)
        return fail_memory(sizeof *call, "a graph");
    call->kind = recorded->kind;
    call->function = recorded->function;
    gpucc_status status = copy_arrays(call, recorded);
    if (!status)
        status = copy_options(call, recorded->options);
    if (!status && call->kind == RECORDED_LAUNCH)
        status = copy_parameters(call, recorded->parameters);
    if (status)
        graph_call_free(call);
    else
        *out = call;
    return status;
}

void graph_call_free(struct graph_call *call)
{
    for (int i = 0; call->arrays && i < call->operands; i++)
        gpucc_array_release(call->arrays[i]);
    gpucc_array_release(call->mask);
    gpucc_array_release(call->initial);
    for (int i = 0; i < call->memory_count; i++)
        memory_release(call->memories[i]);
    free(call->arrays);
    free(call->memories);
    free(call->numbers);
    free(call->values);
    free(call->parameters);
    free(call->data);
    free(call->steps);
    free(call);
}

/* ---- the call again ---- */

gpucc_status graph_call_make(const struct graph_call *call, gpucc_stream *stream)
{
    union graph_options options = call->options;
    const gpucc_array *const *inputs = (const gpucc_array *const *)call->arrays;
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    memcpy(outputs, call->arrays + call->inputs, (size_t)(call->operands - call->inputs) * sizeof *outputs);
    switch (call->kind) {
    case RECORDED_CALL:
        options.call.stream = stream;
        return gpucc_ufunc_call(call->function, inputs, outputs, &options.call);
    case RECORDED_OUTER:
        options.call.stream = stream;
        return gpucc_ufunc_outer(call->function, inputs, outputs, &options.call);
    case RECORDED_REDUCE:
        options.reduce.stream = stream;
        return gpucc_ufunc_reduce(call->function, inputs[0], outputs, &options.reduce);
    case RECORDED_FUSED:
        options.reduce.stream = stream;
        return gpucc_reduction_call(call->function, inputs, outputs, &options.reduce);
    case RECORDED_ACCUMULATE:
        options.accumulate.stream = stream;
        return gpucc_ufunc_accumulate(call->function, inputs[0], outputs, &options.accumulate);
    case RECORDED_REDUCEAT:
        options.reduceat.stream = stream;
        return gpucc_ufunc_reduceat(call->function, inputs[0], inputs[1], outputs, &options.reduceat);
    case RECORDED_AT:
        options.at.stream = stream;
        return gpucc_ufunc_at(call->function, call->arrays[0], inputs[1], call->inputs > 2 ? inputs[2] : NULL,
                              &options.at);
    default:
        options.launch.stream = stream;
        return gpucc_kernel_launch(call->function, &options.launch, call->parameters);
    }
}
