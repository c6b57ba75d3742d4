/* The order in memory of the outputs that a call makes. */
#include "calls/calls.h"
#include <stdlib.h>
#include <string.h>

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
        nest_order(&given, order);
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
