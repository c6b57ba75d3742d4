/* Runs a ufunc's native loop, on all workers where there is enough to do. */
#include "checks/operations.h"
#include "cpu/cpu_loops.h"

void cpu_run_native(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct loop *loop = data;
    intptr_t dimensions[1] = {(intptr_t)n};
    _Static_assert(sizeof(intptr_t) == sizeof(int64_t), "steps are passed as they are");
    if (call_findings != NULL)
        operations_run(loop, args, dimensions, (const intptr_t *)steps);
    else
        loop->native(args, dimensions, (const intptr_t *)steps, NULL);
}

gpucc_status cpu_check_native(const struct call *call)
{
    if (call->loop->native || call->loop->native_thread)
        return GPUCC_OK;
    return fail(GPUCC_UNSUPPORTED, "%s has no native code for these types", call->ufunc->name);
}

gpucc_status cpu_run_nest(const struct call *call, const struct nest *nest)
{
    gpucc_status status = cpu_check_native(call);
    if (!status)
        nest_run_in_tiles(call->context->pool, nest, cpu_run_native, (void *)(uintptr_t)call->loop);
    return status;
}

gpucc_status cpu_run_contiguous(const struct call *call, char *const *data, uint64_t n)
{
    struct nest nest;
    nest_begin(&nest, 1, call->operands);
    nest.shape[0] = (int64_t)n;
    for (int i = 0; i < call->operands; i++) {
        nest.data[i] = data[i];
        nest.sizes[i] = dtypes[call->loop->types[i]].size;
        nest.strides[i][0] = (int64_t)nest.sizes[i];
    }
    return cpu_run_nest(call, &nest);
}
