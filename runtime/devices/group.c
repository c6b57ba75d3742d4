/* Several devices that share the work of one context: each has a context of its own, and the first one leads. */
#include "devices/devices.h"

/* If the devices reach each other's memory, copies between them take the direct way; else the driver stages them. */
static bool enable_peer_access(gpucc_context *from, const gpucc_context *to)
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

bool group_connect(const struct group *group)
{
    bool all = true;
    for (int i = 0; i < group->count; i++)
        for (int k = 0; k < group->count; k++)
            if (i != k)
                all = enable_peer_access(group->members[i], group->members[k]) && all;
    return all;
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
