/* Reductions by a ufunc: which elements are combined, in what order, and where the results go. */
#include "base/resolve.h"
#include "calls/calls.h"
#include "checks/operations.h"
#include "devices/device_operations.h"
#include "devices/trace.h"
#include "nests/convert.h"
#include "parts/in_parts.h"
#include "programs/manifest.h"
#include "reductions/methods.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

gpucc_status request_add_axis(struct request *request, int axis)
{
    const char *name = request->call.ufunc->name;
    const int ndim = request->ndim, scalar = ndim == 0; /* of a number, axis 0 is no axis, as in NumPy */
    const int d = axis < 0 ? axis + ndim + scalar : axis;
    if (d < 0 || d >= ndim + scalar || (scalar && request->axes > 0))
        return fail(GPUCC_BAD_AXIS, "%s: axis %d is out of bounds for array of %d dimension%s", name, axis, ndim,
                    ndim == 1 ? "" : "s");
    request->axes++;
    if (scalar)
        return GPUCC_OK;
    if (request->reduced[d])
        return fail(GPUCC_BAD_SHAPE, "%s: axis %d is repeated", name, d);
    request->reduced[d] = true;
    return GPUCC_OK;
}

static gpucc_status read_axes(struct request *request, const int *axes, int count)
{
    const gpucc_ufunc *ufunc = request->call.ufunc;
    gpucc_status status = GPUCC_OK;
    const bool all = count == GPUCC_ALL_AXES;
    if (count < 0 && !all)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: %d axes", ufunc->name, count);
    if (count != 0 && !all && !axes)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the list of %d axes is null", ufunc->name, count);
    for (int d = 0; all && d < request->ndim; d++)
        status = request_add_axis(request, d);
    if (!all && !axes)
        status = request_add_axis(request, 0);
    for (int i = 0; !status && !all && axes && i < count; i++)
        status = request_add_axis(request, axes[i]);
    if (!status && request->axes > 1 && !ufunc->reorderable)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s: the operation is not reorderable, so at most one axis may be specified, not %d; if it is "
                    "associative, write 'reorderable' before it",
                    ufunc->name, request->axes);
    return status;
}

/* The shape of what comes out, as the call's; and how many elements each of it is made of. */
static void find_shape(struct request *request)
{
    struct call *call = &request->call;
    call->ndim = 0;
    request->length = 1;
    for (int d = 0; d < request->ndim; d++) {
        if (request->reduced[d])
            request->length *= (uint64_t)request->shape[d];
        if (!request->reduced[d] || request->keepdims)
            call->shape[call->ndim++] = request->reduced[d] ? 1 : request->shape[d];
    }
}

/* ---- types ---- */

static bool is_all(const struct loop *loop, gpucc_dtype dtype)
{
    return loop->types[0] == dtype && loop->types[1] == dtype && loop->types[2] == dtype;
}

gpucc_status request_find_loop(struct request *request, const gpucc_dtype *dtype, gpucc_dtype first)
{
    struct call *call = &request->call;
    const gpucc_ufunc *ufunc = call->ufunc;
    const gpucc_dtype from = request->input->dtype;
    const struct input_type mixed[2] = {{.dtype = first}, {.dtype = from}}, pair[2] = {{.dtype = from},
                                                                                       {.dtype = from}};
    const struct loop_request loop_request = {.casting = GPUCC_CASTING_DEFAULT};
    call->loop = dtype ? NULL : call_loop(ufunc, mixed, &loop_request);
    if (!dtype && !call->loop)
        call->loop = call_loop(ufunc, pair, &loop_request);
    for (int k = 0; dtype && !call->loop && k < ufunc->loop_count; k++)
        if (is_all(&ufunc->loops[k], *dtype))
            call->loop = &ufunc->loops[k];
    if (!call->loop)
        return dtype ? fail(GPUCC_BAD_TYPE, "%s has no loop whose operands are all %s", ufunc->name,
                            gpucc_dtype_name(*dtype))
                     : call_fail_types(ufunc, pair, &loop_request);
    const gpucc_dtype *types = call->loop->types;
    if (!is_all(call->loop, types[2]))
        return fail(GPUCC_BAD_TYPE, "%s makes %s from %s and %s: %s requires a loop of one type", ufunc->name,
                    dtypes[types[2]].name, dtypes[types[0]].name, dtypes[types[1]].name, request->what);
    if (types[2] == GPUCC_FLOAT8_E4M3FN || types[2] == GPUCC_FLOAT8_E5M2)
        return fail(GPUCC_BAD_TYPE, "%s: %s needs arithmetic, and %s has none: convert the elements to float32 first",
                    ufunc->name, request->what, dtypes[types[2]].name);
    return GPUCC_OK;
}

gpucc_status request_find_along(struct request *request, const gpucc_dtype *dtype, int axis, int *found)
{
    struct call *call = &request->call;
    const gpucc_array *input = request->input, *out = call->given[OUTPUT];
    if (input->ndim == 0)
        return fail(GPUCC_BAD_AXIS, "%s: a scalar has no axis for %s", call->ufunc->name, request->what);
    gpucc_status status = request_find_loop(request, dtype, out ? out->dtype : input->dtype);
    if (!status)
        status = request_add_axis(request, axis);
    if (status)
        return status;
    call->casting = GPUCC_CASTING_UNSAFE;
    call->ndim = input->ndim;
    memcpy(call->shape, input->shape, (size_t)input->ndim * sizeof *call->shape);
    request->keepdims = true;
    *found = axis < 0 ? axis + input->ndim : axis;
    request->length = (uint64_t)input->shape[*found];
    return GPUCC_OK;
}

/* ---- what stands for no elements ---- */

/* As NumPy packs it: a number without a type of its own becomes the loop's type by any rule, but no real one is made of
 * a complex one. */
static bool may_be_initial(const gpucc_array *initial, gpucc_dtype type)
{
    const bool is_real = dtypes[initial->dtype].kind != 'c' || dtypes[type].kind == 'c';
    return initial->is_number ? is_real : dtype_casts_same_kind(initial->dtype, type);
}

static gpucc_status read_initial(struct request *request)
{
    const gpucc_array *initial = request->initial;
    const gpucc_dtype type = request_type(request);
    const char *name = request->call.ufunc->name;
    uint64_t value[2];
    if (!initial)
        return GPUCC_OK;
    gpucc_status status = call_check_operand(request->call.ufunc, initial, "initial", -1);
    if (status)
        return status;
    if (initial->count != 1)
        return fail(GPUCC_BAD_SHAPE, "%s: initial has %lld elements, not one", name, (long long)initial->count);
    if (!may_be_initial(initial, type))
        return fail(GPUCC_BAD_TYPE, "%s: initial has dtype %s, but the loop has %s", name, dtypes[initial->dtype].name,
                    dtypes[type].name);
    status = call_check_number(request->call.ufunc, initial, "initial", -1, type);
    if (!status)
        status = gpucc_array_read(initial, value, dtypes[initial->dtype].size);
    if (!status)
        convert_value(type, request->start, initial->dtype, value);
    return status;
}

/* The ufunc's identity in the loop's type, for which the compiler has checked it. */
static void set_identity(struct request *request)
{
    const gpucc_dtype type = request_type(request);
    const char *text = request->call.ufunc->identity;
    double real = 0;
    (void)manifest_real(text, &real);
    int64_t whole = strtoll(text, NULL, 10);
    uint64_t magnitude = strtoull(text, NULL, 10);
    if (dtypes[type].kind == 'f' || dtypes[type].kind == 'c')
        convert_value(type, request->start, GPUCC_FLOAT64, &real);
    else if (dtypes[type].kind == 'i')
        convert_value(type, request->start, GPUCC_INT64, &whole);
    else
        convert_value(type, request->start, GPUCC_UINT64, &magnitude);
}

gpucc_status request_check_empty(struct request *request)
{
    struct text shape = {0};
    const struct call *call = &request->call;
    const bool may_be_none = request->length == 0 || request->where;
    if (!may_be_none || request->initial)
        return GPUCC_OK;
    if (call->ufunc->identity) {
        set_identity(request);
        return GPUCC_OK;
    }
    if (request->where)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s: the operation has no identity, so to use a where mask one has to specify initial",
                    call->ufunc->name);
    return fail(GPUCC_BAD_SHAPE,
                "%s: zero-size array of shape %s to a reduction operation which has no identity: pass initial",
                call->ufunc->name, shape_text(&shape, request->ndim, request->shape));
}

/* ---- the elements ---- */

/* Merges a dimension of what is reduced with the one before it where their elements are one row. */
static void add_reduced(struct reduction *reduction, int64_t extent, int64_t stride)
{
    int last = reduction->reduced_dims - 1;
    if (extent == 1)
        return;
    if (last >= 0 && reduction->reduced_strides[last] == stride * extent) {
        reduction->reduced_shape[last] *= extent;
        reduction->reduced_strides[last] = stride;
        return;
    }
    reduction->reduced_shape[last + 1] = extent;
    reduction->reduced_strides[last + 1] = stride;
    reduction->reduced_dims++;
}

/* Element [0,0,…] of the output, at the strides that its kept dimensions have in the input's order. */
static void add_kept_dimensions(struct nest *kept, const gpucc_array *input, const gpucc_array *output,
                                const bool *reduced, bool keepdims)
{
    int at = 0;
    kept->ndim = 0;
    for (int d = 0; d < input->ndim; d++) {
        if (!reduced[d]) {
            kept->shape[kept->ndim] = input->shape[d];
            kept->strides[0][kept->ndim] = input->strides[d];
            kept->strides[1][kept->ndim++] = output->strides[at];
        }
        at += !reduced[d] || keepdims;
    }
}

void request_lay_out(const struct request *request, struct reduction *reduction)
{
    const struct call *call = &request->call;
    const gpucc_array *input = call->used[INPUT], *output = call->used[OUTPUT];
    reduction->call = call;
    reduction->size = dtypes[call->loop->types[OUTPUT]].size;
    reduction->to = output->dtype;
    reduction->length = request->length;
    reduction->each_out = 0;
    reduction->slices = NULL;
    reduction->slice_count = 0;
    reduction->initial = !call->ufunc->reorderable && request->initial ? request->start : NULL;
    reduction->reduced_dims = 0;
    for (int d = 0; d < input->ndim; d++)
        if (request->reduced[d])
            add_reduced(reduction, input->shape[d], input->strides[d]);
    if (reduction->reduced_dims == 0) {
        reduction->reduced_dims = 1;
        reduction->reduced_shape[0] = 1;
        reduction->reduced_strides[0] = (int64_t)reduction->size;
    }
    struct nest *kept = &reduction->kept;
    kept->operands = 2;
    kept->values = 0;
    kept->data[0] = input->data;
    kept->data[1] = output->data;
    kept->sizes[0] = reduction->size;
    kept->sizes[1] = dtypes[output->dtype].size;
    add_kept_dimensions(kept, input, output, request->reduced, request->keepdims);
    reduction->outputs = (uint64_t)nest_count(kept);
    nest_simplify(kept, 0);
}

/* ---- the work ---- */

/* output = op(initial, output) */
static gpucc_status put_initial_before(const struct request *request)
{
    struct nest nest;
    const struct call *call = &request->call;
    const gpucc_array *output = call->used[OUTPUT];
    const size_t size = dtypes[call->loop->types[OUTPUT]].size;
    nest_begin(&nest, output->ndim, 3);
    nest.values = operand_bit(0);
    memcpy(nest.shape, output->shape, (size_t)output->ndim * sizeof *nest.shape);
    nest_set(&nest, 0, (char *)(uintptr_t)request->start, size, 0, NULL, NULL);
    for (int i = INPUT; i <= OUTPUT; i++)
        nest_set(&nest, i, output->data, size, output->ndim, output->shape, output->strides);
    nest_simplify(&nest, OUTPUT);
    return stream_operations(call->stream)->run_nest(call, &nest);
}

static gpucc_status combine(struct request *request)
{
    struct reduction reduction;
    const struct call *call = &request->call;
    if (request->length == 0)
        return array_fill(call->stream, call->used[OUTPUT], call->loop->types[OUTPUT], request->start);
    request_lay_out(request, &reduction);
    gpucc_status status = stream_operations(call->stream)->run_reduction(&reduction);
    if (!status && request->initial && call->ufunc->reorderable)
        status = put_initial_before(request);
    return status;
}

/* If results may replace the elements, these are converted or copied from the host in place, without memory of their
 * own. */
static gpucc_status place_input(struct call *call, bool in_place)
{
    const gpucc_array *input = call->given[INPUT], *output = call->used[OUTPUT];
    const bool away = call_is_away(call, input);
    if (!in_place || (!away && (input->dtype == call->loop->types[INPUT] || arrays_overlap(output, input))))
        return call_place_input(call, INPUT);
    call->used[INPUT] = output;
    memory_use(output->memory, call->stream);
    return away ? call_upload(call, INPUT, output) : array_copy(call->stream, output, input);
}

static gpucc_status place_operands(struct request *request, bool in_place)
{
    struct call *call = &request->call;
    /* For accumulations; the native loops' results are converted as they go. */
    const bool is_cpu = call->context->kind == GPUCC_DEVICE_CPU;
    const bool converts = is_cpu && request_converts_results(request);
    gpucc_status status = converts ? call_stage_output(call, OUTPUT, false) : call_place_output(call, OUTPUT);
    if (!status)
        status = place_input(call, in_place && !converts);
    if (status)
        return status;
    const gpucc_array *input = call->used[INPUT], *output = call->used[OUTPUT];
    if (arrays_overlap(output, input) && !(in_place && arrays_are_same(output, input)))
        status = call_copy_input(call, INPUT);
    for (int i = INPUT; !status && i <= OUTPUT; i++)
        memory_use(call->used[i]->memory, call->stream);
    return status;
}

static gpucc_status check_shape(const struct request *request, const gpucc_array *out)
{
    struct text wanted = {0}, given = {0};
    const struct call *call = &request->call;
    if (!out || (out->ndim == call->ndim &&
                 memcmp(out->shape, call->shape, (size_t)call->ndim * sizeof *call->shape) == 0))
        return GPUCC_OK;
    return fail(GPUCC_BAD_SHAPE, "%s: the output has shape %s, but %s makes %s", call->ufunc->name,
                shape_text(&given, out->ndim, out->shape), request->what,
                shape_text(&wanted, call->ndim, call->shape));
}

static gpucc_status run_whole(struct request *request, const struct request_run *how, gpucc_array **out)
{
    struct call *call = &request->call;
    call_report_host_arrays(call);
    gpucc_status status = how->places ? GPUCC_OK : place_operands(request, how->in_place);
    if (!status)
        status = how->work(request);
    return status ? status : call_deliver_outputs(call, out);
}

static gpucc_status choose_parts(struct request *request, const struct request_run *how)
{
    struct call *call = &request->call;
    if (!array_is_split(request->input))
        return needs_partition(call->context, (size_t)request->input->count * parts_element(call, INPUT),
                               &call->in_parts);
    call->in_parts = call->is_split = !parts_inside() && request_divides(request, how->combines);
    return GPUCC_OK;
}

/* The order in memory of the output's dimensions: that of the elements' as the inputs and the mask have them.  An axis
 * of slices has none there. */
static void find_order(const struct request *request, int *order)
{
    struct nest given;
    const struct call *call = &request->call;
    int all[GPUCC_MAX_DIMS], place[GPUCC_MAX_DIMS], count = 0;
    nest_begin(&given, request->ndim, 0);
    memcpy(given.shape, request->shape, (size_t)request->ndim * sizeof *given.shape);
    for (int i = 0; i < call->ufunc->inputs; i++)
        nest_set(&given, given.operands++, NULL, 0, call->given[i]->ndim, call->given[i]->shape,
                 call->given[i]->strides);
    if (request->where)
        nest_set(&given, given.operands++, NULL, 0, request->where->ndim, request->where->shape,
                 request->where->strides);
    for (int i = 0; request->slices && i < given.operands; i++)
        given.strides[i][request_axis(request)] = 0;
    nest_order(&given, all);
    for (int d = 0, at = 0; d < request->ndim; d++)
        place[d] = !request->reduced[d] || request->keepdims ? at++ : -1;
    for (int d = 0; d < request->ndim; d++)
        if (place[all[d]] >= 0)
            order[count++] = place[all[d]];
}

static gpucc_status make_output(struct request *request, gpucc_array **out, operand_set *made)
{
    struct call *call = &request->call;
    int order[GPUCC_MAX_DIMS];
    if (*out)
        return call_check_output(call, 0);
    find_order(request, order);
    gpucc_status status = array_create_in_order(call, request_type(request), call->ndim, call->shape, order, out);
    call->given[request_output(request)] = *out;
    *made = !status;
    return status;
}

static gpucc_status run_entered(struct request *request, const struct request_run *how, gpucc_array **out)
{
    operand_set made = 0;
    struct call *call = &request->call;
    gpucc_status status = check_shape(request, *out);
    if (!status && how->parts)
        status = choose_parts(request, how);
    if (!status)
        status = make_output(request, out, &made);
    if (!status && how->check)
        status = how->check(request);
    if (!status && (*out)->count > 0)
        status = call->in_parts && request->length > 0 ? how->parts(request) : run_whole(request, how, out);
    call_release(call);
    if (status && made) {
        gpucc_array_release(*out);
        *out = NULL;
    }
    return status;
}

static gpucc_status run_traced(struct request *request, const struct request_run *how, gpucc_array **out)
{
    CUcontext previous;
    gpucc_context *context = request->call.context;
    TRACE(span, request->what, request->call.ufunc->name);
    trace_array(&span, request->call.given[0]);
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = stream_begin(request->call.stream);
    if (!status)
        status = run_entered(request, how, out);
    trace_array(&span, *out);
    context_leave(context, previous);
    return status;
}

gpucc_status request_run(struct request *request, const struct request_run *how, gpucc_array **out)
{
    const gpucc_ufunc *ufunc = request->call.ufunc;
    gpucc_array *given = *out;
    struct findings findings;
    if (!operations_checked(ufunc))
        return run_traced(request, how, out);
    operations_begin(&findings);
    gpucc_status status = operations_end(ufunc, &findings, run_traced(request, how, out));
    if (status && *out != given) { /* where a fault is found, no output has been made */
        gpucc_array_release(*out);
        *out = given;
    }
    return status;
}

gpucc_status request_start(struct request *request, gpucc_ufunc *ufunc, const char *what, gpucc_array *out,
                           gpucc_stream *stream)
{
    struct call *call = &request->call;
    request->what = what;
    request->input = request->initial = request->where = NULL;
    request->slices = NULL;
    request->slice_count = 0;
    request->axes = 0;
    request->keepdims = false;
    memset(request->reduced, 0, sizeof request->reduced);
    memset(request->start, 0, sizeof request->start);
    call->ufunc = ufunc;
    call->context = ufunc->program->context;
    call->operands = ufunc->inputs + 1;
    call->casting = GPUCC_CASTING_DEFAULT;
    call->is_masked = call->forwards = call->backwards = call->in_parts = call->is_split = false;
    call->makes = NULL;
    call->values = call->shifted = 0;
    call->temporary_count = 0;
    call->given[ufunc->inputs] = out;
    gpucc_status status = out ? call_check_operand(ufunc, out, "output", 0) : GPUCC_OK;
    return status ? status : stream_resolve(call->context, stream, &call->stream);
}

gpucc_status request_begin(struct request *request, gpucc_ufunc *ufunc, const char *what, const gpucc_array *input,
                           gpucc_array *out, gpucc_stream *stream)
{
    gpucc_status status = call_check_elementwise(ufunc);
    if (status)
        return status;
    if (ufunc->layout)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: %s is not supported for gufuncs",
                    ufunc->name, what);
    if (ufunc->inputs != 2 || ufunc->outputs != 1)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s makes %d output%s from %d input%s; %s requires a ufunc with two inputs and one output",
                    ufunc->name,
                    ufunc->outputs, ufunc->outputs == 1 ? "" : "s", ufunc->inputs, ufunc->inputs == 1 ? "" : "s", what);
    status = call_check_operand(ufunc, input, "input", 0);
    if (!status)
        status = request_start(request, ufunc, what, out, stream);
    if (status)
        return status;
    request->call.given[0] = request->call.given[INPUT] = request->input = input;
    request->ndim = input->ndim;
    request->shape = input->shape;
    return GPUCC_OK;
}

/* As in NumPy the mask is broadcast to the elements, and not the other way round. */
static gpucc_status set_mask(struct request *request, const gpucc_array *where)
{
    struct text mask = {0}, elements = {0};
    int64_t shape[GPUCC_MAX_DIMS];
    int ndim = request->ndim;
    const gpucc_ufunc *ufunc = request->call.ufunc;
    request->where = request->call.given[request->call.operands] = where;
    gpucc_status status = where ? call_check_mask(ufunc, where) : GPUCC_OK;
    if (status || !where)
        return status;
    memcpy(shape, request->shape, (size_t)ndim * sizeof *shape);
    if (where->ndim <= ndim && broadcast(&ndim, shape, where->ndim, where->shape) &&
        memcmp(shape, request->shape, (size_t)ndim * sizeof *shape) == 0)
        return GPUCC_OK;
    return fail(GPUCC_BAD_SHAPE, "%s: where= of shape %s could not be broadcast to the elements' shape %s", ufunc->name,
                shape_text(&mask, where->ndim, where->shape),
                shape_text(&elements, request->ndim, request->shape));
}

gpucc_status request_set_options(struct request *request, const gpucc_reduce_options *options)
{
    request->keepdims = options && HAS_FIELD(options, keepdims) && options->keepdims;
    request->initial = options && HAS_FIELD(options, initial) ? options->initial : NULL;
    gpucc_status status = read_axes(request, options && HAS_FIELD(options, axes) ? options->axes : NULL,
                                    options && HAS_FIELD(options, axis_count) ? options->axis_count : 0);
    if (!status)
        status = set_mask(request, options && HAS_FIELD(options, where) ? options->where : NULL);
    find_shape(request);
    return status ? status : read_initial(request);
}

static gpucc_status begin(struct request *request, gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array *out,
                          const gpucc_reduce_options *options)
{
    gpucc_stream *stream = options && HAS_FIELD(options, stream) ? options->stream : NULL;
    gpucc_status status = CHECK_OPTIONS(ufunc->name, options);
    if (!status)
        status = request_begin(request, ufunc, "a reduction", input, out, stream);
    if (!status)
        status = request_find_loop(request, options && HAS_FIELD(options, dtype) ? options->dtype : NULL,
                                   out ? out->dtype : input->dtype);
    if (status)
        return status;
    request->call.casting = GPUCC_CASTING_UNSAFE;
    return request_set_options(request, options);
}

gpucc_status gpucc_ufunc_reduce(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                                const gpucc_reduce_options *options)
{
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_reduce: the ufunc is null");
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the pointer to the output is null", ufunc->name);
    return recording_note(ufunc->program->context, ufunc_reduce(ufunc, input, out, options),
                          &(struct recorded){.kind = RECORDED_REDUCE, .function = ufunc, .inputs = &input,
                                             .input_count = 1, .outputs = out, .output_count = 1,
                                             .options = options});
}

gpucc_status ufunc_reduce(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                          const gpucc_reduce_options *options)
{
    struct request request;
    struct request_run how = {
        .check = request_check_empty, .work = combine, .parts = reduce_in_parts, .combines = true};
    gpucc_status status = begin(&request, ufunc, input, *out, options);
    if (status)
        return status;
    if (request.where || request_converts_elements(&request) || request_converts_results(&request)) {
        how.work = request_gather;
        how.places = true;
    }
    if (request.where)
        how.parts = NULL;
    return request_run(&request, &how, out);
}
