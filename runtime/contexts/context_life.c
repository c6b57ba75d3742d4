/* Contexts and groups of them: created for the devices that the options name, and destroyed with all that they own. */
#include "arrays/split.h"
#include "checks/launches.h"
#include "cpu/cpu_loops.h"
#include "cuda/cuda_loops.h"
#include "graphs/graphs.h"
#include <stdlib.h>
#include <string.h>

static gpucc_status open_one(const gpucc_context_options *options, gpucc_device_kind kind, int ordinal,
                             gpucc_context **out)
{
    return context_open(options, kind == GPUCC_DEVICE_CPU ? &cpu_device : &cuda_device, kind, ordinal, out);
}

/* ---- several devices ---- */

static void close_others(struct group *group)
{
    while (group->count > 1)
        gpucc_context_destroy(group->members[--group->count]);
}

static gpucc_status open_members(const gpucc_context_options *options, const struct device_choice *choice,
                                 struct group *group)
{
    gpucc_status status = GPUCC_OK;
    gpucc_context_options one = *options;
    while (!status && group->count < choice->count) {
        if (group->count > 0)
            one.cuda_stream = NULL; /* it is the lead's */
        status = open_one(&one, choice->kind, choice->ordinals[group->count], &group->members[group->count]);
        if (!status)
            group->members[group->count++]->sharers = choice->count;
    }
    return status;
}

static gpucc_status group_open(const gpucc_context_options *options, const struct device_choice *choice,
                               gpucc_context **out)
{
    const size_t size = sizeof(struct group) + (size_t)choice->count * sizeof(gpucc_context *);
    struct group *group = calloc(1, size);
    if (!group)
        return fail_memory(size, "a context");
    gpucc_status status = open_members(options, choice, group);
    if (!status)
        status = pool_create(choice->count, &group->lanes);
    if (status)
        goto close;
    group->page = group_connect(group) ? split_page(group) : 0;
    *out = group->members[0];
    (*out)->group = group;
    return GPUCC_OK;

close:
    close_others(group);
    if (group->count)
        gpucc_context_destroy(group->members[0]);
    free(group);
    return status;
}

/* All but the lead, whose turn is next; nothing to do for a context that leads none. */
static void group_close(gpucc_context *lead)
{
    struct group *group = lead->group;
    if (!group)
        return;
    pool_destroy(group->lanes);
    close_others(group);
    free(group);
    lead->group = NULL;
}

/* ---- one context ---- */

gpucc_status gpucc_context_create(const gpucc_context_options *options, gpucc_context **out)
{
    static const gpucc_context_options defaults = {.size = sizeof defaults};
    gpucc_context_options o = defaults;
    struct device_choice choice = {.kind = GPUCC_DEVICE_CUDA, .count = 1};
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_create: out is null");
    *out = NULL;
    gpucc_status status = CHECK_OPTIONS("gpucc_context_create", options);
    if (status)
        return status;
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    status = process_watch();
    if (!status && !o.cuda_context)
        status = device_choose(o.device, &choice);
    if (status)
        return status;
    return choice.count > 1 ? group_open(&o, &choice, out) : open_one(&o, choice.kind, choice.ordinals[0], out);
}

/* Frees objects that no handle reaches any more; memory that others hold tensors of stays. */
static void destroy_objects(gpucc_context *context)
{
    staging_destroy(context);
    graphs_destroy_all(context);
    textures_destroy_all(context);
    arrays_destroy_all(context);
    if (context->kind == GPUCC_DEVICE_CUDA)
        driver.cuCtxSynchronize();
    pins_destroy_all(context);
    memories_release_unused(context);
    launches_free(context);
    programs_destroy_all(context);
    pthread_mutex_lock(&context->lock);
    memories_leave_stream(context, NULL);
    pthread_mutex_unlock(&context->lock);
    streams_destroy_all(context);
    lookup_destroy(context);
    if (context->pool)
        pool_destroy(context->pool);
    context->pool = NULL;
}

void gpucc_context_destroy(gpucc_context *context)
{
    CUcontext previous;
    if (!context || !context_is_ours(context))
        return;
    group_close(context);
    context_begin_freeing(context, &previous);
    destroy_objects(context);
    context_end_freeing(context, previous);
    context_release(context);
}
