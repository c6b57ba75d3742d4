/* A ufunc applied in place to cells that indices name, one after another: what is named twice is worked on twice. */
#include "base/resolve.h"
#include "calls/calls.h"
#include "checks/operations.h"
#include "devices/device_operations.h"
#include "devices/trace.h"
#include "reductions/methods.h"
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

static gpucc_status check_operands(const gpucc_ufunc *ufunc, const gpucc_array *array, const gpucc_array *operand)
{
    if (ufunc->layout)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: at is not supported for gufuncs", ufunc->name);
    if (ufunc->inputs < 1 || ufunc->inputs > 2 || ufunc->outputs != 1)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s makes %d output%s from %d input%s; at requires a ufunc with one output and one or two inputs",
                    ufunc->name,
                    ufunc->outputs, ufunc->outputs == 1 ? "" : "s", ufunc->inputs,
                    ufunc->inputs == 1 ? "" : "s");
    gpucc_status status = call_check_operand(ufunc, array, "the array", -1);
    if (!status && ufunc->inputs == 2)
        status = call_check_operand(ufunc, operand, "the operand", -1);
    if (status)
        return status;
    if (ufunc->inputs == 1 && operand)
        return fail(GPUCC_INVALID_ARGUMENT, "%s has one input, but at got two operands", ufunc->name);
    if (array->ndim == 0)
        return fail(GPUCC_BAD_AXIS, "%s: a scalar has no axis for indices", ufunc->name);
    if (array->read_only)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the array is read-only", ufunc->name);
    if (array_overlaps_itself(array))
        return fail(GPUCC_BAD_SHAPE, "%s: the array overlaps itself: several of its elements share memory",
                    ufunc->name);
    return GPUCC_OK;
}

/* Whether all are from 0 to length - 1: whether no sign is seen of any number or of what is left up to the last one. */
static bool are_cells(const int64_t *indices, int64_t n, int64_t length)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    const uint64_t last = (uint64_t)length - 1;
    const pair most = {last, last};
    pair two, next, signs = {0}, next_signs = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        memcpy(&two, indices + i, sizeof two);
        memcpy(&next, indices + i + 2, sizeof next);
        signs |= two | (most - two);
        next_signs |= next | (most - next);
    }
    signs |= next_signs;
    uint64_t all = signs[0] | signs[1];
    for (; i < n; i++)
        all |= (uint64_t)indices[i] | (last - (uint64_t)indices[i]);
    return all >> 63 == 0;
}

/* Notes whether some count from the end. */
static gpucc_status check_part(struct scatter *scatter, const int64_t *indices, int64_t n)
{
    const int64_t length = scatter->array->shape[0];
    if (are_cells(indices, n, length))
        return GPUCC_OK;
    for (int64_t i = 0; i < n; i++)
        if (indices[i] < -length || indices[i] >= length)
            return scatter_fail_index(scatter, indices[i]);
    scatter->from_end = true;
    return GPUCC_OK;
}

/* Reads them where the loop cannot do so on its way. */
static gpucc_status read_indices(struct scatter *scatter, const gpucc_array *indices)
{
    gpucc_status status = indices_read(scatter->call.ufunc, indices, &scatter->copied);
    if (status)
        return status;
    status = check_part(scatter, scatter->copied, indices->count);
    if (!status && scatter->from_end)
        scatter_find_cells(scatter, scatter->copied, indices->count, scatter->copied);
    scatter->cells = scatter->copied;
    return status;
}

/* Before anything is changed all are checked, in parts that stay in a cache. */
static gpucc_status check_indices(struct scatter *scatter, const gpucc_array *indices)
{
    enum { PART = 1024 };
    int64_t buffer[PART];
    gpucc_status status = stream_join_users(scatter->call.stream, indices->memory);
    for (int64_t at = 0; !status && at < indices->count; at += PART) {
        const int64_t n = indices->count - at < PART ? indices->count - at : PART;
        status = check_part(scatter, indices_part(indices, (uint64_t)at, n, buffer), n);
    }
    scatter->indices = indices;
    return status;
}

/* Whether the CPU's loop reads them on its way: what it changes is no index. */
static bool cpu_reads_indices(const struct scatter *scatter, const gpucc_array *indices)
{
    return scatter->call.context->kind == GPUCC_DEVICE_CPU && indices->contiguous && !array_is_value(indices) &&
           !arrays_overlap(indices, scatter->array);
}

static gpucc_status find_loop(struct scatter *scatter, const gpucc_array *operand)
{
    struct call *call = &scatter->call;
    const struct input_type given[2] = {
        {.dtype = scatter->array->dtype},
        {.dtype = operand ? operand->dtype : GPUCC_BOOLEAN, .is_number = operand && operand->is_number}};
    const struct loop_request request = {.casting = GPUCC_CASTING_DEFAULT};
    call->loop = call_loop(call->ufunc, given, &request);
    return call->loop ? GPUCC_OK : call_fail_types(call->ufunc, given, &request);
}

/* ---- operands ---- */

/* Host operands are copied to a GPU, with the types that they have. */
static gpucc_status stage_array(struct scatter *scatter, const gpucc_array *array, gpucc_array **there)
{
    struct call *call = &scatter->call;
    *there = NULL;
    if (call->context->kind == GPUCC_DEVICE_CPU || array->where == GPUCC_MEMORY_DEVICE)
        return GPUCC_OK;
    gpucc_status status = array_create(call->context, call->stream, array->dtype, array->ndim, array->shape, there);
    if (status)
        return status;
    call->temporaries[call->temporary_count++] = *there;
    return array_copy(call->stream, *there, array);
}

static gpucc_status place_operand(struct scatter *scatter)
{
    gpucc_array *there;
    struct call *call = &scatter->call;
    if (call->ufunc->inputs == 1)
        return GPUCC_OK;
    const gpucc_array *operand = call->given[1];
    if (array_is_value(operand))
        return call_set_value(call, 1);
    gpucc_status status = stage_array(scatter, operand, &there);
    call->used[1] = there ? there : operand;
    if (!status && arrays_overlap(call->used[1], scatter->array))
        status = call_copy_input(call, 1);
    if (!status)
        memory_use(call->used[1]->memory, call->stream);
    return status;
}

/* The indices that a GPU is to read, while cells change. */
static gpucc_status place_indices(struct scatter *scatter, const gpucc_array *indices)
{
    gpucc_array *there;
    struct call *call = &scatter->call;
    gpucc_status status = stage_array(scatter, indices, &there);
    if (!status && !there && arrays_overlap(indices, scatter->array)) {
        status = call_make_temporary(call, indices->dtype, indices->ndim, indices->shape, &there);
        if (!status)
            status = array_copy(call->stream, there, indices);
    }
    scatter->indices = there ? there : indices;
    if (!status)
        status = stream_join_users(call->stream, scatter->indices->memory);
    memory_use(scatter->indices->memory, call->stream);
    return status;
}

static gpucc_status fail_broadcast(const struct scatter *scatter, const gpucc_array *operand, int ndim,
                                   const int64_t *shape)
{
    struct text wanted = {0}, given = {0};
    return fail(GPUCC_BAD_SHAPE, "%s: the operand of shape %s could not be broadcast to the cells' shape %s",
                scatter->call.ufunc->name, shape_text(&given, operand->ndim, operand->shape),
                shape_text(&wanted, ndim, shape));
}

/* The indices' dimensions and the cells', to which the operand broadcasts. */
static gpucc_status lay_out(struct scatter *scatter, const gpucc_array *indices)
{
    struct call *call = &scatter->call;
    const gpucc_array *array = scatter->array, *operand = call->ufunc->inputs == 2 ? call->given[1] : NULL;
    struct nest all;
    nest_begin(&all, indices->ndim + array->ndim - 1, 0);
    if (all.ndim > GPUCC_MAX_DIMS)
        return fail(GPUCC_BAD_SHAPE, "%s: indices and cells have %d dimensions together; at most %d are supported",
                    call->ufunc->name, all.ndim, GPUCC_MAX_DIMS);
    memcpy(all.shape, indices->shape, (size_t)indices->ndim * sizeof *all.shape);
    memcpy(all.shape + indices->ndim, array->shape + 1, (size_t)(array->ndim - 1) * sizeof *all.shape);
    if (operand && operand->ndim > all.ndim)
        return fail_broadcast(scatter, operand, all.ndim, all.shape);
    for (int d = 0; operand && d < operand->ndim; d++)
        if (operand->shape[d] != 1 && operand->shape[d] != all.shape[d + all.ndim - operand->ndim])
            return fail_broadcast(scatter, operand, all.ndim, all.shape);
    scatter->index_ndim = indices->ndim;
    memcpy(scatter->index_shape, indices->shape, (size_t)indices->ndim * sizeof *scatter->index_shape);
    memset(scatter->index_strides, 0, sizeof scatter->index_strides);
    return GPUCC_OK;
}

/* From the operands as the loop's device has them. */
static void point_to(struct scatter *scatter)
{
    const struct call *call = &scatter->call;
    const gpucc_array *array = scatter->array;
    struct nest *inner = &scatter->inner;
    nest_begin(inner, array->ndim - 1, call->ufunc->inputs);
    memcpy(inner->shape, array->shape + 1, (size_t)inner->ndim * sizeof *inner->shape);
    scatter->cell_step = array->strides[0];
    scatter->types[0] = array->dtype;
    nest_set(inner, 0, array->data, dtypes[array->dtype].size, array->ndim - 1, array->shape + 1, array->strides + 1);
    if (call->ufunc->inputs == 2 && (call->values >> 1 & 1)) {
        scatter->types[1] = call->loop->types[1];
        nest_set(inner, 1, (char *)(uintptr_t)call->value[1], dtypes[scatter->types[1]].size, 0, NULL, NULL);
    } else if (call->ufunc->inputs == 2) {
        const gpucc_array *operand = call->used[1];
        struct nest all;
        nest_begin(&all, scatter->index_ndim + inner->ndim, 1);
        scatter->types[1] = operand->dtype;
        nest_set(&all, 0, operand->data, dtypes[operand->dtype].size, operand->ndim, operand->shape, operand->strides);
        memcpy(scatter->index_strides, all.strides[0], (size_t)scatter->index_ndim * sizeof(int64_t));
        inner->data[1] = operand->data;
        inner->sizes[1] = dtypes[operand->dtype].size;
        memcpy(inner->strides[1], all.strides[0] + scatter->index_ndim, (size_t)inner->ndim * sizeof(int64_t));
    }
    nest_simplify(inner, 0);
}

/* Indices and operands of more dimensions than loops support are packed. */
static gpucc_status pack(struct scatter *scatter)
{
    gpucc_array *packed;
    struct call *call = &scatter->call;
    const gpucc_array *indices = scatter->indices, *array = scatter->array;
    struct nest all;
    nest_begin(&all, indices->ndim + array->ndim - 1, 2);
    gpucc_status status = call_make_temporary(call, indices->dtype, indices->ndim, indices->shape, &packed);
    if (status)
        return status;
    scatter->indices = packed;
    status = array_copy(call->stream, packed, indices);
    if (status || call->values >> 1 & 1)
        return status;
    const gpucc_array *operand = call->used[1];
    memcpy(all.shape, indices->shape, (size_t)indices->ndim * sizeof *all.shape);
    memcpy(all.shape + indices->ndim, array->shape + 1, (size_t)(array->ndim - 1) * sizeof *all.shape);
    status = call_make_temporary(call, operand->dtype, all.ndim, all.shape, &packed);
    if (status)
        return status;
    const size_t size = dtypes[operand->dtype].size;
    nest_set(&all, 0, packed->data, size, packed->ndim, packed->shape, packed->strides);
    nest_set(&all, 1, operand->data, size, operand->ndim, operand->shape, operand->strides);
    call->used[1] = packed;
    return stream_operations(call->stream)->convert(call->stream, &all, operand->dtype, operand->dtype);
}

static gpucc_status lay_out_indices(struct scatter *scatter)
{
    struct nest nest;
    scatter_index_nest(scatter, &nest);
    if (nest.ndim <= GPUCC_LOOP_DIMS)
        return GPUCC_OK;
    gpucc_status status = pack(scatter);
    if (!status)
        point_to(scatter);
    return status;
}

/* ---- the call ---- */

static gpucc_status run(struct scatter *scatter, gpucc_array *array, const gpucc_array *indices)
{
    gpucc_array *there;
    struct call *call = &scatter->call;
    call_report_host_arrays(call);
    gpucc_status status = stage_array(scatter, array, &there);
    if (status)
        return status;
    scatter->array = there ? there : array;
    status = place_operand(scatter);
    if (status)
        return status;
    memory_use(scatter->array->memory, call->stream);
    const bool on_cuda = call->context->kind == GPUCC_DEVICE_CUDA;
    if (on_cuda && !scatter->cells)
        status = place_indices(scatter, indices);
    if (status)
        return status;
    point_to(scatter);
    if (on_cuda && !scatter->cells)
        status = lay_out_indices(scatter);
    if (status)
        return status;
    status = stream_operations(call->stream)->run_scatter(scatter);
    return status || !there ? status : array_copy(call->stream, array, there);
}

static gpucc_status enter_and_run(struct scatter *scatter, gpucc_array *array, const gpucc_array *indices)
{
    CUcontext previous;
    struct call *call = &scatter->call;
    TRACE(span, "at", call->ufunc->name);
    gpucc_status status = context_enter(call->context, &previous);
    if (status)
        return status;
    status = stream_begin(call->stream);
    if (!status && scatter->count > 0 && array->count > 0)
        status = run(scatter, array, indices);
    call_release(call);
    context_leave(call->context, previous);
    return status;
}

static gpucc_status begin(struct scatter *scatter, gpucc_ufunc *ufunc, gpucc_array *array, const gpucc_array *indices,
                          const gpucc_array *operand, const gpucc_at_options *options)
{
    struct call *call = &scatter->call;
    gpucc_status status = CHECK_OPTIONS(ufunc->name, options);
    if (!status)
        status = check_operands(ufunc, array, operand);
    if (status)
        return status;
    call->ufunc = ufunc;
    call->context = ufunc->program->context;
    call->operands = ufunc->inputs + 1;
    call->is_masked = call->forwards = call->backwards = call->in_parts = call->is_split = false;
    call->values = call->shifted = 0;
    call->temporary_count = 0;
    call->given[0] = call->given[ufunc->inputs] = scatter->array = array;
    if (operand)
        call->given[1] = operand;
    status = stream_resolve(call->context, options && HAS_FIELD(options, stream) ? options->stream : NULL,
                            &call->stream);
    if (!status)
        status = find_loop(scatter, operand);
    if (!status)
        status = indices_check(ufunc, indices);
    if (status)
        return status;
    scatter->count = (uint64_t)indices->count;
    if (cpu_reads_indices(scatter, indices))
        status = check_indices(scatter, indices);
    else if (array->count == 0 || !call->context->operations->reads_indices(scatter))
        status = read_indices(scatter, indices);
    return status ? status : lay_out(scatter, indices);
}

static gpucc_status run_checked(struct scatter *scatter, gpucc_array *array, const gpucc_array *indices)
{
    struct findings findings;
    const gpucc_ufunc *ufunc = scatter->call.ufunc;
    if (!operations_checked(ufunc))
        return enter_and_run(scatter, array, indices);
    operations_begin(&findings);
    return operations_end(ufunc, &findings, enter_and_run(scatter, array, indices));
}

gpucc_status gpucc_ufunc_at(gpucc_ufunc *ufunc, gpucc_array *array, const gpucc_array *indices,
                            const gpucc_array *operand, const gpucc_at_options *options)
{
    struct scatter scatter;
    memset(&scatter, 0, offsetof(struct scatter, inner));
    if (!ufunc)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_ufunc_at: the ufunc is null");
    gpucc_status status = begin(&scatter, ufunc, array, indices, operand, options);
    if (!status)
        status = run_checked(&scatter, array, indices);
    free(scatter.copied);
    return recording_note(ufunc->program->context, status,
                          &(struct recorded){.kind = RECORDED_AT, .function = ufunc,
                                             .inputs = (const gpucc_array *const[]){array, indices, operand},
                                             .input_count = ufunc->inputs + 1, .options = options});
}
