/* A gufunc's native loop over a row of outer indices. */
#include "gufunc.h"

gpucc_status cpu_run_outer(const struct gufunc_call *gufunc, const struct nest *part)
{
    enum { STEPS = GPUCC_LOOP_OPERANDS * (1 + GPUCC_CORE_RANK) };
    const struct gufunc_layout *layout = gufunc->layout;
    const struct call *call = gufunc->call;
    intptr_t dimensions[1 + GPUCC_CORE_DIMS], steps[STEPS];
    char *args[GPUCC_LOOP_OPERANDS];
    int step = call->operands;
    dimensions[0] = (intptr_t)part->shape[0];
    for (int d = 0; d < layout->dimension_count; d++)
        dimensions[1 + d] = (intptr_t)gufunc->extents[d];
    for (int k = 0; k < call->operands; k++) {
        const struct core_operand *operand = &layout->operands[k];
        intptr_t stride = (intptr_t)dtypes[call->loop->types[k]].size;
        args[k] = part->data[k];
        steps[k] = (intptr_t)part->strides[k][0];
        for (int d = operand->rank; d-- > 0;) {
            steps[step + d] = stride;
            stride *= dimensions[1 + operand->dimensions[d]];
        }
        step += operand->rank;
    }
    call->loop->native(args, dimensions, steps, NULL);
    return GPUCC_OK;
}
