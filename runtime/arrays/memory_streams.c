/* The order of streams that use the same memory. */
#include "arrays/arrays.h"
#include "devices/launch_order.h"

gpucc_status stream_join_users(gpucc_stream *stream, const struct memory *memory)
{
    return stream_join_others(stream, memory && atomic_load(&memory->shared));
}

gpucc_status stream_lead_foreign(const struct memory *memory, CUstream foreign)
{
    gpucc_stream theirs = {.context = memory->context, .handle = foreign};
    gpucc_status status = stream_follow(&theirs, memory->home); /* it may not be allocated yet */
    return status ? status : stream_join_users(&theirs, memory);
}

void memories_leave_stream(gpucc_context *context, const gpucc_stream *stream)
{
    for (struct link *l = context->memories.next; l != &context->memories; l = l->next) {
        struct memory *memory = CONTAINER(l, struct memory, link);
        if (memory->home && (!stream || memory->home == stream))
            memory->home = &context->stream;
    }
}

void gpucc_stream_destroy(gpucc_stream *stream)
{
    CUcontext previous;
    if (!stream || !context_is_ours(stream->context))
        return;
    gpucc_context *context = stream->context;
    bool entered = context_enter(context, &previous) == GPUCC_OK;
    if (context->kind == GPUCC_DEVICE_CUDA)
        CU_NOTE(context, cuStreamSynchronize, stream->handle);
    launches_await(context, &stream->known);
    pthread_mutex_lock(&context->lock);
    list_remove(&stream->link);
    memories_leave_stream(context, stream);
    pthread_mutex_unlock(&context->lock);
    stream_close(stream);
    if (entered)
        context_leave(context, previous);
    free(stream);
}
