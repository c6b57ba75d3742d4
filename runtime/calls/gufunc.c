/* Calls of gufuncs: functions of whole arrays, the core dimensions of their operands, at every outer index. */
#include "calls/gufunc.h"
#include <string.h>

/* ---- outputs ---- */

/* The order in memory of the outer dimensions, as the operands that are given have them. */
static void order_outer(const struct gufunc_call *gufunc, int *order)
{
    struct nest nest;
    const struct call *call = gufunc->call;
    nest_begin(&nest, call->ndim, 0);
    for (int k = 0; k < call->operands; k++)
        if (call->given[k])
            gufunc_nest_set(&nest, nest.operands++, &gufunc->cores[k], call->given[k]);
    nest_order(&nest, order);
}

/* For an output with all its dimensions, the core ones last. */
static void order_output(const struct gufunc_call *gufunc, int ndim, int *order)
{
    const bool backwards = order_is_fortran(gufunc->call);
    for (int d = 0; d < ndim; d++)
        order[d] = backwards ? ndim - 1 - d : d;
    if (gufunc->call->order == GPUCC_ORDER_K)
        order_outer(gufunc, order);
}

/* Seen with each dimension where the axes say. */
static gpucc_status make_output(const struct gufunc_call *gufunc, int o, gpucc_array **out)
{
    gpucc_array *array;
    int order[GPUCC_MAX_DIMS], axes[GPUCC_MAX_DIMS];
    int64_t shape[GPUCC_MAX_DIMS], seen[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS];
    const int ndim = gufunc_output_shape(gufunc, o, shape);
    order_output(gufunc, ndim, order);
    gpucc_status status =
        array_create_in_order(gufunc->call, gufunc->call->loop->types[o], ndim, shape, order, &array);
    if (status)
        return status;
    gufunc_axes(&gufunc->cores[o], ndim, axes);
    for (int d = 0; d < ndim; d++) {
        seen[axes[d]] = array->shape[d];
        strides[axes[d]] = array->strides[d];
    }
    status = gpucc_array_view(array, ndim, seen, strides, 0, out);
    gpucc_array_release(array);
    return status;
}

static gpucc_status make_outputs(struct gufunc_call *gufunc, gpucc_array **outputs, operand_set *made)
{
    struct call *call = gufunc->call;
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < call->ufunc->outputs; i++) {
        if (outputs[i]) {
            status = call_check_output(call, i);
            continue;
        }
        status = make_output(gufunc, call->ufunc->inputs + i, &outputs[i]);
        if (!status)
            *made |= operand_bit(i);
    }
    for (int i = 0; i < call->ufunc->outputs; i++)
        call->given[call->ufunc->inputs + i] = outputs[i];
    return status;
}

/* ---- operands where the function finds them ---- */

static gpucc_status place_input(struct gufunc_call *gufunc, int i)
{
    struct call *call = gufunc->call;
    if (gufunc->layout->operands[i].rank == 0 && array_is_value(call->given[i])) /* else the loop takes an address */
        return call_set_value(call, i);
    return call_stage_input(call, i);
}

static gpucc_status place_output(struct gufunc_call *gufunc, int o)
{
    struct call *call = gufunc->call;
    return call_stage_output(call, o, true); /* what the function does not write stays */
}

/* The function reads all of an input while it writes outputs. */
static gpucc_status separate(struct gufunc_call *gufunc)
{
    struct call *call = gufunc->call;
    gpucc_status status = GPUCC_OK;
    for (int o = call->ufunc->inputs; !status && o < call->operands; o++) {
        status = call_check_apart(call, o);
        for (int i = 0; !status && i < call->ufunc->inputs; i++)
            if (!(call->values >> i & 1) && arrays_overlap(call->used[o], call->used[i]))
                status = call_copy_input(call, i);
    }
    return status;
}

static gpucc_status place_and_run(struct gufunc_call *gufunc, gpucc_array **outputs, operand_set made)
{
    struct call *call = gufunc->call;
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < call->ufunc->inputs; i++)
        status = place_input(gufunc, i);
    for (int o = call->ufunc->inputs; !status && o < call->operands; o++)
        status = place_output(gufunc, o);
    if (!status)
        status = separate(gufunc);
    if (!status)
        status = gufunc_run(gufunc, made);
    if (!status)
        status = call_deliver_outputs(call, outputs);
    call_release(call);
    return status;
}

gpucc_status gufunc_call(struct call *call, gpucc_array **outputs, const gpucc_call_options *options)
{
    operand_set made = 0;
    struct gufunc_call gufunc = {.call = call, .layout = call->ufunc->layout};
    if (call->is_masked)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: where= is not supported for gufuncs", call->ufunc->name);
    gpucc_status status = gufunc_bind(&gufunc, options);
    if (!status)
        status = gufunc_needs_partition(&gufunc, &call->in_parts);
    if (!status)
        status = make_outputs(&gufunc, outputs, &made);
    if (!status) {
        call_report_host_arrays(call);
        status = call->in_parts ? gufunc_run_parts(&gufunc, options) : place_and_run(&gufunc, outputs, made);
    }
    if (status)
        call_drop_outputs(call, outputs, made);
    return status;
}
