/* The memory behind arrays: counted references, freed in stream order. */
#define _POSIX_C_SOURCE 200809L
#include "arrays/quarantine.h"
#include "arrays/split.h"
#include "devices/launch_order.h"
#include "devices/recording.h"
#include <stdlib.h>
#include <string.h>

enum { HOST_ALIGNMENT = 64 };

/* Other threads see it in the context's list from then on, and look at its home. */
static struct memory *memory_new(gpucc_context *context, enum memory_kind kind, gpucc_stream *home, void *base,
                                 size_t size)
{
    memories_release_unused(context);
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        fail_memory(sizeof *memory, "an array");
        return NULL;
    }
    memory->context = context;
    memory->kind = kind;
    memory->home = home;
    memory->base = base;
    memory->size = size;
    atomic_init(&memory->references, 1);
    pthread_mutex_lock(&context->lock);
    list_insert(&context->memories, &memory->link);
    pthread_mutex_unlock(&context->lock);
    return memory;
}

static void memory_delete(struct memory *memory)
{
    pthread_mutex_lock(&memory->context->lock);
    list_remove(&memory->link);
    pthread_mutex_unlock(&memory->context->lock);
    free(memory->unwritten);
    free(memory);
}

static gpucc_status allocate_host(struct memory *memory)
{
    size_t size = (memory->size + HOST_ALIGNMENT - 1) / HOST_ALIGNMENT * HOST_ALIGNMENT;
    memory->kind = MEMORY_HOST;
    memory->base = size < memory->size ? NULL : aligned_alloc(HOST_ALIGNMENT, size ? size : HOST_ALIGNMENT);
    return memory->base ? GPUCC_OK : fail_memory(memory->size, "an array");
}

/* Freed memory may still be waiting in the pool for streams that have not got that far. */
static void reclaim(gpucc_context *context)
{
    CU_NOTE(context, cuCtxSynchronize);
    if (context->memory_pool && driver.cuMemPoolTrimTo)
        driver.cuMemPoolTrimTo(context->memory_pool, 0);
}

/* Whole words, as atomic operations on one or two bytes access the word that these lie in; the driver allocates no zero
 * bytes. */
static CUresult allocate_device_once(struct memory *memory, gpucc_stream *home, CUdeviceptr *pointer)
{
    enum { WORD = 4 };
    const size_t words = memory->size / WORD + (memory->size % WORD || !memory->size);
    const size_t size = words > SIZE_MAX / WORD ? SIZE_MAX : words * WORD;
    return memory->kind == MEMORY_POOL ? driver.cuMemAllocAsync(pointer, size, home->handle)
                                       : driver.cuMemAlloc(pointer, size);
}

static gpucc_status allocate_device(struct memory *memory, gpucc_stream *home)
{
    gpucc_context *context = memory->context;
    CUdeviceptr pointer = 0;
    memory->kind = context->device.has_pools ? MEMORY_POOL : MEMORY_DEVICE;
    const char *call = memory->kind == MEMORY_POOL ? "cuMemAllocAsync" : "cuMemAlloc";
    CUresult result = allocate_device_once(memory, home, &pointer);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        reclaim(context);
        result = allocate_device_once(memory, home, &pointer);
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return fail(GPUCC_NO_MEMORY, "%s failed with %s (%d): no room on the device for %zu bytes", call,
                    driver_error_name(result), result, memory->size);
    if (result != CUDA_SUCCESS)
        return driver_failed(context, result, call);
    memory->base = (char *)(uintptr_t)pointer;
    return GPUCC_OK;
}

/* Captured work uses the memory at each launch. */
static gpucc_status retain_for_graph(struct graph_work *work, struct memory *memory)
{
    if (work->memory_count == work->memory_room) {
        const int room = work->memory_room ? 2 * work->memory_room : 4;
        struct memory **more = realloc(work->memories, (size_t)room * sizeof(struct memory *));
        if (!more)
            return fail_memory((size_t)room * sizeof(struct memory *), "a graph");
        work->memories = more;
        work->memory_room = room;
    }
    work->memories[work->memory_count++] = memory_retain(memory);
    return GPUCC_OK;
}

/* The memory of a stream of a graph's belongs to the default stream. */
static gpucc_status create_for_graph(gpucc_context *context, struct graph_work *work, size_t size, struct memory **out)
{
    gpucc_status status = memory_create(context, &context->stream, size, out);
    if (status || work->dry)
        return status;
    status = retain_for_graph(work, *out);
    if (status)
        memory_release(*out);
    return status;
}

gpucc_status memory_create(gpucc_context *context, gpucc_stream *home, size_t size, struct memory **out)
{
    if (home->graph)
        return create_for_graph(context, home->graph, size, out);
    CUcontext previous;
    const bool is_cpu = context->kind == GPUCC_DEVICE_CPU;
    struct memory *memory = memory_new(context, MEMORY_HOST, is_cpu ? NULL : home, NULL, size);
    if (!memory)
        return GPUCC_NO_MEMORY;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        goto free_memory;
    status = is_cpu ? allocate_host(memory) : allocate_device(memory, home);
    context_leave(context, previous);
    if (status)
        goto free_memory;
    if (home == &context->stream)
        atomic_fetch_add_explicit(&context->generation, 1, memory_order_release);
    *out = memory;
    return GPUCC_OK;

free_memory:
    memory_delete(memory);
    return status;
}

gpucc_status memory_create_split(gpucc_context *context, size_t size, size_t row, struct memory **out)
{
    CUcontext previous;
    gpucc_stream *home = &context->stream;
    if (context->group && !context->group->page)
        return fail(GPUCC_UNSUPPORTED, "a split array requires peer access between all devices of the context, and "
                                       "some pairs lack it");
    if (!split_is_worth(context, size))
        return memory_create(context, home, size, out);
    struct memory *memory = memory_new(context, MEMORY_SPLIT, home, NULL, size);
    if (!memory)
        return GPUCC_NO_MEMORY;
    gpucc_status status = context_enter(context, &previous);
    if (!status) {
        status = split_create(context, size, row, &memory->split, &memory->base);
        context_leave(context, previous);
    }
    if (status)
        memory_delete(memory);
    else
        *out = memory;
    return status;
}

gpucc_status memory_wrap(gpucc_context *context, gpucc_stream *home, void *base, size_t size, struct memory **out)
{
    *out = memory_new(context, MEMORY_FOREIGN, home, base, size);
    return *out ? GPUCC_OK : GPUCC_NO_MEMORY;
}

gpucc_status memory_store_value(gpucc_context *context, const void *value, size_t size, struct memory **out)
{
    struct memory *memory = memory_new(context, MEMORY_VALUE, NULL, NULL, size);
    if (!memory)
        return GPUCC_NO_MEMORY;
    memcpy(memory->value, value, size);
    memory->base = (char *)memory->value;
    *out = memory;
    return GPUCC_OK;
}

struct memory *memory_retain(struct memory *memory)
{
    atomic_fetch_add_explicit(&memory->references, 1, memory_order_relaxed);
    return memory;
}

static bool free_device(struct memory *memory)
{
    CUcontext previous;
    gpucc_context *context = memory->context;
    CUdeviceptr pointer = (CUdeviceptr)(uintptr_t)memory->base;
    if (context_enter(context, &previous))
        return false;
    const bool in_order = memory->kind == MEMORY_POOL && !atomic_load(&memory->exported);
    /* what the driver answers is about earlier work: the memory is given back in any case */
    if (in_order && stream_join_users(memory->home, memory) == GPUCC_OK) {
        CU_NOTE(context, cuMemFreeAsync, pointer, memory->home->handle);
    } else {
        CU_NOTE(context, cuCtxSynchronize);
        driver.cuMemFree(pointer);
    }
    context_leave(context, previous);
    return true;
}

static void wait_for_device(gpucc_context *context)
{
    CUcontext previous;
    if (atomic_load(&context->lost) || context_enter(context, &previous))
        return;
    CU_NOTE(context, cuCtxSynchronize);
    context_leave(context, previous);
}

/* No context holds what is mapped, so that it does not go with a lost one. */
static void free_split(struct memory *memory)
{
    for (int i = 0; i < group_size(memory->context); i++)
        wait_for_device(group_context(memory->context, i));
    split_destroy(memory->split, memory->base);
}

/* Puts an event behind all work that may use the memory. */
static gpucc_status mark_use(struct memory *memory)
{
    gpucc_context *context = memory->context;
    gpucc_status status = stream_join_users(memory->home, memory);
    if (!status)
        status = CU(context, cuEventCreate, &memory->used, CU_EVENT_DISABLE_TIMING);
    if (status)
        return status;
    status = CU(context, cuEventRecord, memory->used, memory->home->handle);
    if (status)
        driver.cuEventDestroy(memory->used);
    return status;
}

/* Its owner may free it at once, so a GPU must have finished with it; the caller does not wait for that. */
static bool lend_on(struct memory *memory)
{
    CUcontext previous;
    gpucc_context *context = memory->context;
    if (!memory->home || context_enter(context, &previous))
        return false; /* it is the host's, or the GPU does nothing any more */
    bool marked = !atomic_load(&memory->exported) && mark_use(memory) == GPUCC_OK;
    if (!marked)
        CU_NOTE(context, cuCtxSynchronize);
    context_leave(context, previous);
    if (!marked)
        return false;
    pthread_mutex_lock(&context->lock);
    list_remove(&memory->link);
    list_insert(&context->lent, &memory->link);
    pthread_mutex_unlock(&context->lock);
    atomic_fetch_add(&context->lent_count, 1);
    memories_release_unused(context);
    return true;
}

/* Takes the oldest out of the list, unless work uses it; events are reached in their order. */
static struct memory *remove_unused(gpucc_context *context)
{
    CUcontext previous;
    struct memory *memory = NULL;
    bool entered = context_enter(context, &previous) == GPUCC_OK;
    pthread_mutex_lock(&context->lock);
    struct link *oldest = context->lent.previous;
    if (oldest != &context->lent)
        memory = CONTAINER(oldest, struct memory, link);
    if (memory && driver.cuEventQuery(memory->used) == CUDA_ERROR_NOT_READY)
        memory = NULL;
    if (memory)
        list_remove(&memory->link);
    pthread_mutex_unlock(&context->lock);
    if (memory)
        driver.cuEventDestroy(memory->used);
    if (entered)
        context_leave(context, previous);
    return memory;
}

void memories_release_unused(gpucc_context *context)
{
    struct memory *memory;
    while (atomic_load_explicit(&context->lent_count, memory_order_relaxed) > 0 &&
           (memory = remove_unused(context)) != NULL) {
        atomic_fetch_sub(&context->lent_count, 1);
        memory->release(memory->release_data);
        free(memory);
    }
}

static bool free_foreign(struct memory *memory)
{
    launches_forget_memory(memory->context, memory->base, memory->size);
    if (!memory->release)
        return true;
    if (lend_on(memory))
        return false;
    memory->release(memory->release_data);
    return true;
}

static void free_host(struct memory *memory)
{
    (void)stream_join_users(&memory->context->stream, memory);
    if (!quarantine_add(memory->context, memory->base, memory->size))
        free(memory->base);
}

static bool free_base(struct memory *memory)
{
    switch (memory->kind) {
    case MEMORY_FOREIGN: return free_foreign(memory);
    case MEMORY_HOST: free_host(memory); return true;
    case MEMORY_POOL:
    case MEMORY_DEVICE: return free_device(memory);
    case MEMORY_SPLIT: free_split(memory); return true;
    default: return true;
    }
}

/* Nothing can report that freeing failed: the memory stays in the context's list, which is freed with the context. */
void memory_release(struct memory *memory)
{
    if (atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) > 1)
        return;
    if (free_base(memory))
        memory_delete(memory);
}

void memories_destroy_all(gpucc_context *context)
{
    memories_release_unused(context);
    while (context->memories.next != &context->memories) {
        struct memory *memory = CONTAINER(context->memories.next, struct memory, link);
        if (memory->kind == MEMORY_FOREIGN)
            memory->home = NULL; /* the GPU has finished with it */
        free_base(memory);
        memory_delete(memory);
    }
}
