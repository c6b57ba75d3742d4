/* A context's memory when the context is synchronized, and when it ends. */
#include "arrays/arrays.h"
#include "arrays/quarantine.h"
#include "devices/launch_order.h"

/* All its devices. */
static gpucc_status group_synchronize(gpucc_context *lead)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 1; !status && i < group_size(lead); i++)
        status = gpucc_context_synchronize(group_context(lead, i));
    return status;
}

gpucc_status gpucc_context_synchronize(gpucc_context *context)
{
    CUcontext previous;
    if (!context)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_synchronize: context is null");
    gpucc_status status = context_enter(context, &previous);
    if (!status && context->kind == GPUCC_DEVICE_CPU)
        launches_await_all(context);
    if (status || context->kind == GPUCC_DEVICE_CPU)
        return status;
    status = CU(context, cuCtxSynchronize);
    context_leave(context, previous);
    memories_release_unused(context);
    return status ? status : group_synchronize(context);
}

void context_release(gpucc_context *context)
{
    CUcontext previous;
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) > 1)
        return;
    context_begin_freeing(context, &previous);
    memories_destroy_all(context);
    quarantine_free(context);
    context_close(context, previous);
}
