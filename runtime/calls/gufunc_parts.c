/* A gufunc's call in parts: boxes of the outer dimensions, in which the operands' own stay whole. */
#include "calls/calls.h"
#include "calls/gufunc.h"
#include "parts/in_parts.h"
#include <string.h>

struct gufunc_part {
    const struct call *call;
    gpucc_call_options options;
};

static gpucc_status call_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    const struct gufunc_part *part = data;
    const struct call *call = part->call;
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    gpucc_call_options options = part->options;
    (void)start;
    memcpy(outputs, views + call->ufunc->inputs, (size_t)call->ufunc->outputs * sizeof *outputs);
    options.stream = member == 0 ? call->stream : NULL;
    return ufunc_call(group_ufunc(call->ufunc, member), (const gpucc_array *const *)views, outputs, &options);
}

gpucc_status gufunc_needs_partition(const struct gufunc_call *gufunc, bool *wanted)
{
    struct call *call = gufunc->call;
    size_t bytes = 0;
    int64_t count = 1;
    for (int i = 0; i < call->operands; i++)
        bytes += call->given[i] ? (size_t)call->given[i]->count * parts_element(call, i) : 0;
    for (int d = 0; d < call->ndim; d++)
        count *= call->shape[d];
    call->is_split = count > 1 && parts_are_split(call);
    *wanted = call->is_split || (count > 1 && parts_spare(call, bytes));
    return count > 1 && !*wanted ? needs_partition(call->context, bytes, wanted) : GPUCC_OK;
}

/* The outer dimensions of an operand are the space's last. */
static void set_dimensions(const struct gufunc_call *gufunc, int i, struct part_operand *operand)
{
    int axes[GPUCC_MAX_DIMS];
    const int ndim = operand->array->ndim, outer = ndim - gufunc->cores[i].behind;
    gufunc_axes(&gufunc->cores[i], ndim, axes);
    for (int k = 0; k < ndim; k++) {
        const bool is_outer = k < outer && operand->array->shape[axes[k]] != 1;
        operand->dims[axes[k]] = (signed char)(is_outer ? k + gufunc->call->ndim - outer : -1);
    }
}

static gpucc_status set_operand(const struct gufunc_call *gufunc, struct parts *parts, int i)
{
    struct call *call = gufunc->call;
    struct part_operand *operand = &parts->operand[i];
    gpucc_status status = GPUCC_OK;
    operand->array = call->given[i];
    operand->size = parts_element(call, i);
    set_dimensions(gufunc, i, operand);
    if (i >= call->ufunc->inputs)
        return call_check_apart(call, i);
    for (int o = call->ufunc->inputs; !status && operand->array == call->given[i] && o < call->operands; o++)
        if (arrays_overlap(call->given[o], call->given[i]))
            status = parts_duplicate(call, i, operand);
    return status;
}

gpucc_status gufunc_run_parts(const struct gufunc_call *gufunc, const gpucc_call_options *options)
{
    struct call *call = gufunc->call;
    struct gufunc_part part = {.call = call, .options = {.size = sizeof part.options}};
    struct parts parts = {.context = call->context,
                          .stream = call->stream,
                          .ndim = call->ndim,
                          .operands = call->operands,
                          .call = call_part,
                          .data = &part};
    if (options)
        memcpy(&part.options, options, options->size < sizeof *options ? options->size : sizeof *options);
    part.options.size = sizeof part.options;
    memcpy(parts.shape, call->shape, sizeof parts.shape);
    gpucc_status status = group_share_variables(call->ufunc->program);
    for (int i = 0; !status && i < call->operands; i++)
        status = set_operand(gufunc, &parts, i);
    if (!status)
        status = parts_run(&parts);
    call_release(call);
    return status;
}
