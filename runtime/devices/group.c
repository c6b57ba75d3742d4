/* Several devices that share the work of one context: each has a context of its own, and the first one leads. */
#include "arrays/split.h"
#include "programs/programs.h"
#include <stdlib.h>
#include <string.h>

/* ---- from peer to peer ---- */

/* Where the devices reach each other's memory, copies between them take the direct way; else the driver stages them. */
static bool open_way(gpucc_context *from, const gpucc_context *to)
{
    int can = 0;
    bool reached = true;
    CUcontext previous;
    const CUmemAccessDesc access = {
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, from->device.handle}, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (driver.cuDeviceCanAccessPeer(&can, from->device.handle, to->device.handle) != CUDA_SUCCESS || !can ||
        context_enter(from, &previous))
        return false;
    const CUresult result = driver.cuCtxEnablePeerAccess(to->cuda, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        reached = false;
    if (to->device.has_pools) /* what is allocated there has no other access */
        reached = to->memory_pool && driver.cuMemPoolSetAccess && reached &&
                  driver.cuMemPoolSetAccess(to->memory_pool, &access, 1) == CUDA_SUCCESS;
    context_leave(from, previous);
    return reached;
}

/* Whether every device reaches what every other has. */
static bool open_ways(const struct group *group)
{
    bool all = true;
    for (int i = 0; i < group->count; i++)
        for (int k = 0; k < group->count; k++)
            if (i != k)
                all = open_way(group->members[i], group->members[k]) && all;
    return all;
}

/* ---- its life ---- */

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
        status = context_open(&one, choice->kind, choice->ordinals[group->count], &group->members[group->count]);
        if (!status)
            group->members[group->count++]->sharers = choice->count;
    }
    return status;
}

gpucc_status group_open(const gpucc_context_options *options, const struct device_choice *choice, gpucc_context **out)
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
    group->page = open_ways(group) ? split_page(group) : 0;
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

void group_close(gpucc_context *lead)
{
    struct group *group = lead->group;
    if (!group)
        return;
    pool_destroy(group->lanes);
    close_others(group);
    free(group);
    lead->group = NULL;
}

gpucc_status group_synchronize(gpucc_context *lead)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 1; !status && i < group_size(lead); i++)
        status = gpucc_context_synchronize(group_context(lead, i));
    return status;
}

int group_arch(const gpucc_context *lead)
{
    int arch = lead->device.info.arch;
    for (int i = 1; i < group_size(lead); i++)
        if (lead->group->members[i]->device.info.arch < arch)
            arch = lead->group->members[i]->device.info.arch;
    return arch;
}

int gpucc_context_device_count(const gpucc_context *context)
{
    return context ? group_size(context) : 0;
}

/* ---- programs ---- */

gpucc_program *group_program(gpucc_program *program, int member)
{
    return member > 0 ? program->others[member - 1] : program;
}

gpucc_ufunc *group_ufunc(gpucc_ufunc *ufunc, int member)
{
    return group_program(ufunc->program, member)->ufuncs + (ufunc - ufunc->program->ufuncs);
}

static gpucc_status share_variable(gpucc_program *program, const char *name)
{
    gpucc_array *from = NULL, *to;
    gpucc_status status = gpucc_program_global(program, name, &from);
    for (int i = 1; !status && i < group_size(program->context); i++) {
        status = gpucc_program_global(group_program(program, i), name, &to);
        if (status)
            break;
        status = array_copy_to_peer(to, from);
        gpucc_array_release(to);
    }
    gpucc_array_release(from);
    return status;
}

gpucc_status group_share_variables(gpucc_program *program)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && program->others && i < program->manifest->global_count; i++)
        status = share_variable(program, program->manifest->globals[i].name);
    return status;
}
