/* The order in memory of the outputs that a call makes. */
#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* An operand's stride along a dimension of the call's shape; 0 where it is repeated. */
static int64_t stride_along(const struct call *call, const gpucc_array *array, int dimension)
{
    int d = dimension - (call->ndim - array->ndim);
    return d < 0 || array->shape[d] == 1 ? 0 : llabs(array->strides[d]);
}

enum relation { UNDECIDED, INSIDE, OUTSIDE };

/* Whether a dimension belongs inside another that stands before it: the operands' strides say so; where they do not
 * agree, C order wins. */
static enum relation relate(const struct call *call, int inner, int outer)
{
    enum relation relation = UNDECIDED;
    for (int i = 0; i < call->operands + call->is_masked; i++) {
        const gpucc_array *array = call->given[i];
        if (!array)
            continue;
        int64_t of_inner = stride_along(call, array, inner), of_outer = stride_along(call, array, outer);
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
static void sort_as_operands(const struct call *call, int *order)
{
    int *from_inside = order; /* turned round at the end */
    for (int d = 0; d < call->ndim; d++)
        from_inside[d] = call->ndim - 1 - d;
    for (int at = 1; at < call->ndim; at++) {
        int dimension = from_inside[at], to = at;
        for (int k = at - 1; k >= 0; k--) {
            enum relation relation = relate(call, from_inside[k], dimension);
            if (relation == INSIDE)
                break;
            if (relation == OUTSIDE)
                to = k;
        }
        memmove(&from_inside[to + 1], &from_inside[to], (size_t)(at - to) * sizeof *from_inside);
        from_inside[to] = dimension;
    }
    for (int d = 0; d < call->ndim / 2; d++) {
        int other = order[call->ndim - 1 - d];
        order[call->ndim - 1 - d] = order[d];
        order[d] = other;
    }
}

static bool is_fortran(const gpucc_array *array)
{
    int64_t step = dtypes[array->dtype].size;
    for (int d = 0; d < array->ndim; d++) {
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

void order_of_outputs(const struct call *call, int *order)
{
    bool backwards = call->order == GPUCC_ORDER_F || (call->order == GPUCC_ORDER_A && all_are_fortran(call));
    for (int d = 0; d < call->ndim; d++)
        order[d] = backwards ? call->ndim - 1 - d : d;
    if (call->order == GPUCC_ORDER_K)
        sort_as_operands(call, order);
}

gpucc_status array_create_in_order(const struct call *call, gpucc_dtype dtype, const int *order, gpucc_array **out)
{
    gpucc_array *packed;
    int64_t shape[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS];
    bool is_c = true;
    for (int d = 0; d < call->ndim; d++) {
        shape[d] = call->shape[order[d]];
        is_c = is_c && order[d] == d;
    }
    gpucc_status status = array_create(call->context, call->stream, dtype, call->ndim, shape, &packed);
    if (status || is_c) {
        *out = status ? NULL : packed;
        return status;
    }
    for (int d = 0; d < call->ndim; d++)
        strides[order[d]] = packed->strides[d];
    status = gpucc_array_view(packed, call->ndim, call->shape, strides, 0, out);
    gpucc_array_release(packed);
    return status;
}
