/* The order in memory of the outputs that a call makes. */
#include "calls/calls.h"
#include <stdlib.h>
#include <string.h>

enum relation { UNDECIDED, INSIDE, OUTSIDE };

/* Whether a dimension belongs inside another that stands before it: the operands' strides say so, which are 0 where one
 * is repeated; where they do not agree, C order wins. */
static enum relation relate(const struct nest *given, int inner, int outer)
{
    enum relation relation = UNDECIDED;
    for (int i = 0; i < given->operands; i++) {
        int64_t of_inner = llabs(given->strides[i][inner]), of_outer = llabs(given->strides[i][outer]);
        if (of_inner == 0 || of_outer == 0)
            continue;
        if (of_inner <= of_outer)
            return INSIDE;
        relation = OUTSIDE;
    }
    return relation;
}

/* Insertion sort, from the innermost dimension on, as NumPy's iterator sorts: where nothing is decided between two
 * dimensions one goes on to the next, so that the result for strides that do not agree is NumPy's too. */
void order_as_operands(const struct nest *given, int *order)
{
    const int ndim = given->ndim;
    int *from_inside = order; /* turned round at the end */
    for (int d = 0; d < ndim; d++)
        from_inside[d] = ndim - 1 - d;
    for (int at = 1; at < ndim; at++) {
        int dimension = from_inside[at], to = at;
        for (int k = at - 1; k >= 0; k--) {
            enum relation relation = relate(given, from_inside[k], dimension);
            if (relation == INSIDE)
                break;
            if (relation == OUTSIDE)
                to = k;
        }
        memmove(&from_inside[to + 1], &from_inside[to], (size_t)(at - to) * sizeof *from_inside);
        from_inside[to] = dimension;
    }
    for (int d = 0; d < ndim / 2; d++) {
        int other = order[ndim - 1 - d];
        order[ndim - 1 - d] = order[d];
        order[d] = other;
    }
}

static bool is_fortran(const gpucc_array *array)
{
    int64_t step = dtypes[array->dtype].size;
    for (int d = 0; d < array->ndim && array->count > 0; d++) {
        if (array->shape[d] > 1 && array->strides[d] != step)
            return false;
        step *= array->shape[d];
    }
    return true;
}

static bool all_are_fortran(const struct call *call)
{
    for (int i = 0; i < call->operands + call->is_masked; i++)
        if (call->given[i] && !is_fortran(call->given[i]))
            return false;
    return true;
}

bool order_is_fortran(const struct call *call)
{
    return call->order == GPUCC_ORDER_F || (call->order == GPUCC_ORDER_A && all_are_fortran(call));
}

void order_of_outputs(const struct call *call, int *order)
{
    if (call->order == GPUCC_ORDER_K) {
        struct nest given;
        nest_begin(&given, call->ndim, 0);
        for (int i = 0; i < call->operands + call->is_masked; i++) {
            const gpucc_array *array = call->given[i];
            if (array)
                nest_set(&given, given.operands++, NULL, 0, array->ndim, array->shape, array->strides);
        }
        order_as_operands(&given, order);
        return;
    }
    const bool backwards = order_is_fortran(call);
    for (int d = 0; d < call->ndim; d++)
        order[d] = backwards ? call->ndim - 1 - d : d;
}

gpucc_status array_create_in_order(const struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                   const int *order, gpucc_array **out)
{
    gpucc_array *packed;
    int64_t sorted[GPUCC_MAX_DIMS] = {0}, strides[GPUCC_MAX_DIMS];
    bool is_c = true;
    for (int d = 0; d < ndim; d++) {
        sorted[d] = shape[order[d]];
        is_c = is_c && order[d] == d;
    }
    gpucc_status status = call->is_split ? array_create_split(call->context, dtype, ndim, sorted, &packed)
                          : call->in_parts && call->context->kind == GPUCC_DEVICE_CUDA
                              ? array_create_on_host(call->context, dtype, ndim, sorted, &packed)
                              : array_create(call->context, call->stream, dtype, ndim, sorted, &packed);
    if (status || is_c) {
        *out = status ? NULL : packed;
        return status;
    }
    for (int d = 0; d < ndim; d++)
        strides[order[d]] = packed->strides[d];
    status = gpucc_array_view(packed, ndim, shape, strides, 0, out);
    gpucc_array_release(packed);
    return status;
}
