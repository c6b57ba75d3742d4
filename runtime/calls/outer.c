/* A ufunc applied to every combination of its inputs' elements: a call with inputs that have more dimensions. */
#include "calls/calls.h"
#include "devices/recording.h"
#include <string.h>

/* The array with dimensions of one element behind its own; as in NumPy a number has its type here. */
static gpucc_status spread(const gpucc_array *array, int behind, gpucc_array **out)
{
    int64_t shape[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS];
    for (int d = 0; d < array->ndim + behind; d++) {
        shape[d] = d < array->ndim ? array->shape[d] : 1;
        strides[d] = d < array->ndim ? array->strides[d] : 0;
    }
    return gpucc_array_view(array, array->ndim + behind, shape, strides, 0, out);
}

static gpucc_status check(const gpucc_ufunc *ufunc, const gpucc_array *const *inputs)
{
    int ndim = 0;
    gpucc_status status = GPUCC_OK;
    if (ufunc->layout)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: outer is not supported for gufuncs",
                    ufunc->name);
    if (ufunc->inputs < 2)
        return fail(GPUCC_INVALID_ARGUMENT, "%s has %d input%s; outer requires a ufunc with two or more",
                    ufunc->name, ufunc->inputs, ufunc->inputs == 1 ? "" : "s");
    for (int i = 0; !status && i < ufunc->inputs; i++) {
        status = call_check_operand(ufunc, inputs[i], "input", i);
        ndim += status ? 0 : inputs[i]->ndim;
    }
    if (!status && ndim > GPUCC_MAX_DIMS)
        return fail(GPUCC_BAD_SHAPE,
                    "%s: the result of outer would have %d dimensions; at most %d are supported", ufunc->name,
                    ndim, GPUCC_MAX_DIMS);
    return status;
}

gpucc_status gpucc_ufunc_outer(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                               const gpucc_call_options *options)
{
    int behind = 0;
    gpucc_array *views[GPUCC_LOOP_OPERANDS] = {NULL};
    const gpucc_array *operands[GPUCC_LOOP_OPERANDS];
    if (!ufunc || !inputs)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_outer: ufunc or inputs is null");
    if (!outputs)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: a pointer to an output is null", ufunc->name);
    gpucc_status status = check(ufunc, inputs);
    for (int i = ufunc->inputs; !status && i-- > 0;) {
        status = spread(inputs[i], behind, &views[i]);
        operands[i] = views[i];
        behind += inputs[i]->ndim;
    }
    if (!status)
        status = ufunc_call(ufunc, operands, outputs, options);
    for (int i = 0; i < ufunc->inputs; i++)
        gpucc_array_release(views[i]);
    return recording_note(ufunc->program->context, status,
                          &(struct recorded){.kind = RECORDED_OUTER, .function = ufunc, .inputs = inputs,
                                             .input_count = ufunc->inputs, .outputs = outputs,
                                             .output_count = ufunc->outputs, .options = options});
}
