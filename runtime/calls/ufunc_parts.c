/* A ufunc's call in parts: boxes of the shape to which its operands broadcast. */
#include "calls/calls.h"
#include "devices/device_operations.h"
#include "parts/in_parts.h"
#include <string.h>

/* The bytes of given host arrays; and if there are any, those of the outputs to be created. */
static size_t host_bytes(const struct call *call)
{
    size_t bytes = 0, made = 0;
    for (int d = 0; d < call->ndim; d++)
        if (call->shape[d] == 0) /* there is nothing to do, however large an input is */
            return 0;
    for (int i = 0; i < call->operands + call->is_masked; i++)
        bytes += call->given[i] ? parts_host_bytes(call, call->given[i]) : 0;
    for (int o = call->ufunc->inputs; o < call->operands; o++) {
        size_t size = dtypes[call->loop->types[o]].size;
        for (int d = 0; d < call->ndim; d++)
            size *= (size_t)call->shape[d];
        made += call->given[o] ? 0 : size;
    }
    return bytes ? bytes + made : 0;
}

/* One device needs no parts for what it takes in chunks by itself. */
static bool is_staged_in_chunks(const struct call *call)
{
    for (int o = call->ufunc->inputs; o < call->operands; o++)
        if (!call->given[o])
            return false;
    return group_size(call->context) == 1 && !call->context->progress &&
           stream_operations(call->stream)->needs_staging(call);
}

/* Whether an output lies where another element of an input does, which the CPU takes in blocks by itself. */
static bool is_shifted(const struct call *call)
{
    for (int o = call->ufunc->inputs; o < call->operands; o++)
        for (int i = 0; call->given[o] && i < call->operands + call->is_masked; i++)
            if (i != o && arrays_overlap(call->given[o], call->given[i]) &&
                !arrays_are_same(call->given[o], call->given[i]))
                return true;
    return false;
}

gpucc_status call_needs_partition(const struct call *call, bool *wanted)
{
    if (*wanted)
        return GPUCC_OK;
    const size_t bytes = host_bytes(call);
    *wanted = parts_spare(call, bytes) && !is_shifted(call);
    if (*wanted)
        return GPUCC_OK;
    gpucc_status status = needs_partition(call->context, bytes, wanted);
    if (!status && *wanted)
        *wanted = !is_staged_in_chunks(call);
    return status;
}

/* ---- one part ---- */

struct ufunc_part {
    const struct call *call;
    gpucc_call_options options;
};

static gpucc_status call_part(void *data, int member, const int64_t *start, gpucc_array *const *views)
{
    (void)start;
    const struct ufunc_part *part = data;
    const struct call *call = part->call;
    const int inputs = call->ufunc->inputs;
    gpucc_array *outputs[GPUCC_LOOP_OPERANDS];
    gpucc_call_options options = part->options;
    memcpy(outputs, views + inputs, (size_t)call->ufunc->outputs * sizeof *outputs);
    options.stream = member == 0 ? call->stream : NULL;
    options.where = call->is_masked ? views[call->operands] : NULL;
    return ufunc_call(group_ufunc(call->ufunc, member), (const gpucc_array *const *)views, outputs, &options);
}

/* ---- operands ---- */

/* An input, or the mask, that another part writes is copied before. */
static gpucc_status separate(struct call *call, struct part_operand *operand, int i)
{
    for (int o = call->ufunc->inputs; o < call->operands; o++) {
        const gpucc_array *output = call->given[o];
        if (arrays_are_same(output, operand->array) || !arrays_overlap(output, operand->array))
            continue;
        return parts_duplicate(call, i, operand);
    }
    return GPUCC_OK;
}

static gpucc_status set_operand(struct call *call, struct parts *parts, int i)
{
    struct part_operand *operand = &parts->operand[i];
    operand->array = call->given[i];
    operand->size = parts_element(call, i);
    const bool is_output = i >= call->ufunc->inputs && i < call->operands;
    gpucc_status status = is_output ? call_check_apart(call, i) : separate(call, operand, i);
    parts_align(parts, operand);
    return status;
}

gpucc_status call_run_parts(struct call *call)
{
    struct parts parts = {.context = call->context, .stream = call->stream, .ndim = call->ndim};
    struct ufunc_part part = {.call = call,
                              .options = {.size = sizeof part.options,
                                          .casting = call->casting,
                                          .dtype = call->makes,
                                          .signature = call->signature,
                                          .order = call->order}};
    parts.operands = call->operands + call->is_masked;
    parts.call = call_part;
    parts.data = &part;
    memcpy(parts.shape, call->shape, sizeof parts.shape);
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < parts.operands; i++)
        status = set_operand(call, &parts, i);
    if (!status)
        status = group_share_variables(call->ufunc->program);
    if (!status)
        status = parts_run(&parts);
    call_release(call);
    return status;
}
