/* Calls of ufuncs: the types are resolved, and operands that are simply adjacent elements go straight to the loop. */
#include "base/resolve.h"
#include "calls/calls.h"
#include "checks/launches.h"
#include "checks/operations.h"
#include "devices/device_operations.h"
#include "devices/launch_order.h"
#include "devices/trace.h"
#include "parts/in_parts.h"
#include "programs/layout.h"
#include <string.h>

/* ---- what it is ---- */

const char *gpucc_ufunc_name(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->name : "";
}

const char *gpucc_ufunc_doc(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->doc : "";
}

const char *gpucc_ufunc_layout(const gpucc_ufunc *ufunc)
{
    return ufunc && ufunc->layout ? ufunc->layout->text : NULL;
}

int gpucc_ufunc_reorderable(const gpucc_ufunc *ufunc)
{
    return ufunc && ufunc->reorderable;
}

const char *gpucc_ufunc_identity(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->identity : NULL;
}

int gpucc_ufunc_loop_count(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->loop_count : 0;
}

const gpucc_dtype *gpucc_ufunc_loop_types(const gpucc_ufunc *ufunc, int loop)
{
    return ufunc && loop >= 0 && loop < ufunc->loop_count ? ufunc->loops[loop].types : NULL;
}

int gpucc_ufunc_input_count(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->inputs : 0;
}

int gpucc_ufunc_output_count(const gpucc_ufunc *ufunc)
{
    return ufunc ? ufunc->outputs : 0;
}

/* ---- which loop ---- */

static void append_signature(struct text *rule, const gpucc_ufunc *ufunc, const gpucc_dtype *signature)
{
    append(rule, " and signature");
    for (int i = 0; i < ufunc->inputs + ufunc->outputs; i++)
        append(rule, "%s%s", i == 0 ? " " : i == ufunc->inputs ? " to " : ", ",
               signature[i] == GPUCC_DTYPE_COUNT ? "any" : dtypes[signature[i]].name);
}

gpucc_status call_fail_types(const gpucc_ufunc *ufunc, const struct input_type *given,
                             const struct loop_request *request)
{
    struct text types_given = {0}, had = {0};
    const bool is_asked = request->makes || request->signature;
    for (int i = 0; i < ufunc->inputs; i++)
        append(&types_given, "%s%s", i ? ", " : "", dtypes[given[i].dtype].name);
    for (int k = 0; k < ufunc->loop_count; k++) {
        const gpucc_dtype *types = ufunc->loops[k].types;
        append(&had, k ? "; " : "");
        for (int i = 0; i < ufunc->inputs; i++)
            append(&had, "%s%s", i ? ", " : "", dtypes[types[i]].name);
        for (int i = ufunc->inputs; is_asked && i < ufunc->inputs + ufunc->outputs; i++)
            append(&had, "%s%s", i > ufunc->inputs ? ", " : " to ", dtypes[types[i]].name);
    }
    struct text rule = {0};
    if (request->casting != GPUCC_CASTING_DEFAULT || is_asked)
        append(&rule, " with casting='%s'", casting_name(request->casting));
    if (request->makes)
        append(&rule, " and dtype=%s", dtypes[*request->makes].name);
    if (request->signature)
        append_signature(&rule, ufunc, request->signature);
    return fail(GPUCC_BAD_TYPE, "%s has no loop matching types (%s)%s; its loops are: %s", ufunc->name,
                types_given.s,
                rule.used ? rule.s : " with casting='safe'", had.used ? had.s : "nothing");
}

const struct loop *call_loop(const gpucc_ufunc *ufunc, const struct input_type *given,
                             const struct loop_request *request)
{
    const struct choice choice = {.types = ufunc->loops[0].types, .stride = sizeof *ufunc->loops,
                                  .count = ufunc->loop_count, .inputs = ufunc->inputs, .outputs = ufunc->outputs,
                                  .makes = request->makes, .signature = request->signature};
    int k = resolve_loop(&choice, given, request->casting);
    return k < 0 ? NULL : &ufunc->loops[k];
}

static gpucc_status read_loop_request(const gpucc_ufunc *ufunc, const gpucc_call_options *options,
                                      struct loop_request *request)
{
    request->casting = options && HAS_FIELD(options, casting) ? options->casting : GPUCC_CASTING_DEFAULT;
    request->makes = options && HAS_FIELD(options, dtype) ? options->dtype : NULL;
    request->signature = options && HAS_FIELD(options, signature) ? options->signature : NULL;
    if (!casting_valid(request->casting))
        return fail(GPUCC_INVALID_ARGUMENT, "%s: invalid casting rule %d", ufunc->name, (int)request->casting);
    if (request->makes && !dtype_valid(*request->makes))
        return fail(GPUCC_INVALID_ARGUMENT, "%s: invalid dtype %d", ufunc->name, (int)*request->makes);
    for (int i = 0; request->signature && i < ufunc->inputs + ufunc->outputs; i++)
        if (request->signature[i] != GPUCC_DTYPE_COUNT && !dtype_valid(request->signature[i]))
            return fail(GPUCC_INVALID_ARGUMENT, "%s: invalid dtype %d", ufunc->name, (int)request->signature[i]);
    return CHECK_OPTIONS(ufunc->name, options);
}

gpucc_status gpucc_ufunc_resolve(const gpucc_ufunc *ufunc, const gpucc_dtype *inputs,
                                 const gpucc_call_options *options, int *loop)
{
    struct loop_request request;
    struct input_type given[GPUCC_LOOP_OPERANDS];
    if (!ufunc || !loop || (!inputs && ufunc->inputs > 0))
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_resolve: ufunc, inputs or loop is null");
    gpucc_status status = read_loop_request(ufunc, options, &request);
    for (int i = 0; !status && i < ufunc->inputs; i++) {
        given[i] = (struct input_type){.dtype = inputs[i]};
        if (!dtype_valid(inputs[i]))
            status = fail(GPUCC_INVALID_ARGUMENT, "%s: invalid dtype %d", ufunc->name, (int)inputs[i]);
    }
    const struct loop *found = status ? NULL : call_loop(ufunc, given, &request);
    if (!status && !found)
        return call_fail_types(ufunc, given, &request);
    if (found)
        *loop = (int)(found - ufunc->loops);
    return status;
}

/* ---- a call ---- */

/* Reports an operand that is invalid by itself; `index` is negative where there is one of its role. */
static gpucc_status fail_operand(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index)
{
    const char *problem = !array                     ? "is null"
                          : array_is_released(array) ? "has been released"
                                                     : "belongs to another context";
    if (index < 0)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: %s %s", ufunc->name, role, problem);
    return fail(GPUCC_INVALID_ARGUMENT, "%s: %s %d %s", ufunc->name, role, index, problem);
}

gpucc_status call_check_operand(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index)
{
    return array && array->context == ufunc->program->context ? GPUCC_OK : fail_operand(ufunc, array, role, index);
}

gpucc_status call_check_mask(const gpucc_ufunc *ufunc, const gpucc_array *where)
{
    if (where->context != ufunc->program->context)
        return fail_operand(ufunc, where, "where", -1);
    if (where->dtype != GPUCC_BOOLEAN)
        return fail(GPUCC_BAD_TYPE, "%s: where= must be boolean, not %s", ufunc->name, dtypes[where->dtype].name);
    return GPUCC_OK;
}

gpucc_status call_check_elementwise(const gpucc_ufunc *ufunc)
{
    if (!ufunc->by)
        return GPUCC_OK;
    return fail(GPUCC_INVALID_ARGUMENT, "%s is a reduction by %s, which gpucc_reduction_call() does, and nothing else",
                ufunc->name, ufunc->by->name);
}

/* Options that only gufuncs support. */
static gpucc_status check_no_core(const gpucc_ufunc *ufunc, const gpucc_call_options *options)
{
    const char *name = !options                                                  ? NULL
                       : HAS_FIELD(options, axes) && options->axes               ? "axes"
                       : HAS_FIELD(options, axis) && options->axis               ? "axis"
                       : HAS_FIELD(options, keepdims) && options->keepdims       ? "keepdims"
                                                                                 : NULL;
    return name ? fail(GPUCC_INVALID_ARGUMENT, "%s: %s is supported for gufuncs only", ufunc->name, name)
                : GPUCC_OK;
}

static gpucc_status set_options(struct call *call, const gpucc_call_options *options, struct loop_request *request)
{
    const gpucc_ufunc *ufunc = call->ufunc;
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    const gpucc_array *where = options && HAS_FIELD(options, where) ? options->where : NULL;
    gpucc_status status = read_loop_request(ufunc, options, request);
    if (!status && !ufunc->layout)
        status = check_no_core(ufunc, options);
    call->casting = request->casting;
    call->order = options && HAS_FIELD(options, order) ? options->order : GPUCC_ORDER_K;
    call->is_masked = where != NULL;
    call->given[call->operands] = where;
    if (!status && (unsigned)call->order > GPUCC_ORDER_A)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: invalid order %d", ufunc->name, (int)call->order);
    if (!status)
        status = stream_resolve(call->context, stream, &call->stream);
    return status || !where ? status : call_check_mask(ufunc, where);
}

static gpucc_status call_begin(struct call *call, gpucc_ufunc *ufunc, const gpucc_array *const *inputs,
                               gpucc_array **outputs, const gpucc_call_options *options)
{
    struct loop_request request;
    struct input_type given[GPUCC_LOOP_OPERANDS];
    call->ufunc = ufunc;
    call->context = ufunc->program->context;
    call->operands = ufunc->inputs + ufunc->outputs;
    call->values = call->shifted = 0;
    call->forwards = call->backwards = call->in_parts = call->is_split = false;
    call->temporary_count = 0;
    gpucc_status status = call_check_elementwise(ufunc);
    if (!status)
        status = set_options(call, options, &request);
    call->makes = request.makes;
    call->signature = request.signature;
    for (int i = 0; !status && i < ufunc->inputs; i++) {
        call->given[i] = inputs[i];
        status = call_check_operand(ufunc, inputs[i], "input", i);
        if (!status)
            given[i] = (struct input_type){.dtype = inputs[i]->dtype, .is_number = inputs[i]->is_number};
    }
    for (int i = 0; !status && i < ufunc->outputs; i++) {
        call->given[ufunc->inputs + i] = outputs[i];
        if (outputs[i])
            status = call_check_operand(ufunc, outputs[i], "output", i);
    }
    if (status)
        return status;
    call->loop = call_loop(ufunc, given, &request);
    return call->loop ? GPUCC_OK : call_fail_types(ufunc, given, &request);
}

/* True if the operands, all given and unmasked, are as many adjacent elements of the loop's types on the loop's
 * device, and each output is the same elements as an input or shares none with it.  A group's may be split. */
static bool is_direct(const struct call *call)
{
    const gpucc_array *first = call->given[call->operands - 1];
    bool is_cpu = call->context->kind == GPUCC_DEVICE_CPU;
    if (!first || call->is_masked || (call->context->group && !parts_inside()))
        return false;
    for (int i = 0; i < call->operands; i++) {
        const gpucc_array *array = call->given[i];
        if (!array || array->dtype != call->loop->types[i] || !array->contiguous || array->count != first->count ||
            array->ndim != first->ndim || (array->read_only && i >= call->ufunc->inputs) ||
            (is_cpu ? dtype_misaligned(array->dtype, array->data) : array->where == GPUCC_MEMORY_HOST) ||
            memcmp(array->shape, first->shape, (size_t)first->ndim * sizeof *first->shape) != 0)
            return false;
    }
    for (int o = call->ufunc->inputs; o < call->operands; o++) {
        for (int i = 0; i < o; i++) {
            const gpucc_array *a = call->given[o], *b = call->given[i];
            bool same = a->data == b->data && dtypes[a->dtype].size == dtypes[b->dtype].size && i < call->ufunc->inputs;
            if (!same && a->data < b->data + b->count * dtypes[b->dtype].size &&
                b->data < a->data + a->count * dtypes[a->dtype].size)
                return false;
        }
    }
    return true;
}

static gpucc_status run_direct(const struct call *call)
{
    char *data[GPUCC_LOOP_OPERANDS];
    for (int i = 0; i < call->operands; i++) {
        data[i] = call->given[i]->data;
        memory_use(call->given[i]->memory, call->stream);
    }
    uint64_t n = (uint64_t)call->given[0]->count;
    return stream_operations(call->stream)->run_contiguous(call, data, n);
}

static gpucc_status call_plainly(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                 const gpucc_call_options *options)
{
    struct call call;
    CUcontext previous;
    gpucc_status status = call_begin(&call, ufunc, inputs, outputs, options);
    if (!status)
        status = context_enter(call.context, &previous);
    if (status)
        return status;
    status = stream_begin(call.stream);
    if (!status)
        status = ufunc->layout     ? gufunc_call(&call, outputs, options)
                 : is_direct(&call) ? run_direct(&call)
                                    : call_run(&call, outputs);
    if (!status && launches_are_watched(call.context) && !call.stream->graph)
        status = launches_call(call.stream, ufunc->name, inputs, ufunc->inputs, outputs, ufunc->outputs);
    context_leave(call.context, previous);
    return status;
}

static gpucc_status call_traced(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                const gpucc_call_options *options)
{
    TRACE(span, "ufunc", ufunc->name);
    gpucc_status status = call_plainly(ufunc, inputs, outputs, options);
    for (int i = 0; !status && i < ufunc->inputs + ufunc->outputs; i++)
        trace_array(&span, i < ufunc->inputs ? inputs[i] : outputs[i - ufunc->inputs]);
    return status;
}

/* After a failure no output has been created. */
static gpucc_status call_checked(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                                 const gpucc_call_options *options)
{
    gpucc_array *given[GPUCC_LOOP_OPERANDS];
    memcpy(given, outputs, (size_t)ufunc->outputs * sizeof *given);
    struct findings findings;
    operations_begin(&findings);
    gpucc_status status = operations_end(ufunc, &findings, call_traced(ufunc, inputs, outputs, options));
    for (int i = 0; status && i < ufunc->outputs; i++) {
        if (outputs[i] != given[i])
            gpucc_array_release(outputs[i]);
        outputs[i] = given[i];
    }
    return status;
}

gpucc_status ufunc_call(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                        const gpucc_call_options *options)
{
    if (__builtin_expect(operations_checked(ufunc) || launches_are_watched(ufunc->program->context), 0))
        return call_checked(ufunc, inputs, outputs, options);
    return tracing() ? call_traced(ufunc, inputs, outputs, options) : call_plainly(ufunc, inputs, outputs, options);
}

gpucc_status gpucc_ufunc_call(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                              const gpucc_call_options *options)
{
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_call: the ufunc is null");
    if (!outputs)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: a pointer to an output is null", ufunc->name);
    if (!inputs && ufunc->inputs > 0)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the inputs are null", ufunc->name);
    if (__builtin_expect(!recording_in(ufunc->program->context), 1))
        return ufunc_call(ufunc, inputs, outputs, options);
    return recording_note(ufunc->program->context, ufunc_call(ufunc, inputs, outputs, options),
                          &(struct recorded){.kind = RECORDED_CALL, .function = ufunc, .inputs = inputs,
                                             .input_count = ufunc->inputs, .outputs = outputs,
                                             .output_count = ufunc->outputs, .options = options});
}
