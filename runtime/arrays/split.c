/* Memory that several devices share: one range of addresses, the pages of which lie on one device after another and are
 * reached by all of them.  So an array there has one address for every device, and which of them works on which part of
 * it is a question of speed alone. */
#include "arrays/split.h"
#include <stdlib.h>
#include <string.h>

static CUmemAllocationProp memory_on(const gpucc_context *context)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, context->device.handle}};
}

static bool driver_maps(void)
{
    return driver.cuMemGetAllocationGranularity && driver.cuMemAddressReserve && driver.cuMemAddressFree &&
           driver.cuMemCreate && driver.cuMemRelease && driver.cuMemMap && driver.cuMemUnmap && driver.cuMemSetAccess;
}

/* 0: the device has no memory that is mapped. */
static size_t page_of(const gpucc_context *context)
{
    enum {
        CAN_MAP = CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        LEAST = CU_MEM_ALLOC_GRANULARITY_MINIMUM,
    };
    int can = 0;
    size_t page = 0;
    const CUmemAllocationProp memory = memory_on(context);
    if (driver.cuDeviceGetAttribute(&can, CAN_MAP, context->device.handle) != CUDA_SUCCESS || !can)
        return 0;
    return driver.cuMemGetAllocationGranularity(&page, &memory, LEAST) == CUDA_SUCCESS ? page : 0;
}

size_t split_page(const struct group *group)
{
    size_t largest = 0;
    if (!driver_maps())
        return 0;
    for (int i = 0; i < group->count; i++) {
        const size_t page = page_of(group->members[i]);
        if (page == 0)
            return 0;
        largest = page > largest ? page : largest; /* they are powers of two */
    }
    return largest;
}

bool split_is_worth(const gpucc_context *context, size_t size)
{
    const struct group *group = context->group;
    return group && group->page && size >= group->page * (size_t)group->count;
}

/* ---- which device has what ---- */

/* Each gets as many of the rows as the others, to the nearest page.  The ends grow, and the last one is that of all. */
static void find_ends(const struct group *group, size_t size, size_t row, struct split_memory *split)
{
    const size_t rows = row ? size / row : 0, page = group->page;
    const size_t pages = size / page + (size % page != 0);
    for (int i = 0; i < group->count; i++) {
        const size_t parts = (size_t)group->count, part = (size_t)i + 1;
        const size_t before = rows / parts * part + rows % parts * part / parts; /* rows */
        const size_t end = (before * row + page / 2) / page;
        split->ends[i] = page * (part == parts || end > pages ? pages : end);
    }
}

/* ---- its life ---- */

static gpucc_status fail_room(gpucc_context *member, CUresult result, size_t size)
{
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return driver_failed(member, result, "cuMemCreate");
    return fail(GPUCC_NO_MEMORY, "cuMemCreate failed with %s (%d): no room on device %d for %zu bytes",
                driver_error_name(result), result, member->device.info.ordinal, size);
}

/* The memory lives as long as it is mapped. */
static gpucc_status map_part(gpucc_context *member, CUdeviceptr pointer, size_t size)
{
    CUmemGenericAllocationHandle handle;
    const CUmemAllocationProp memory = memory_on(member);
    const CUresult result = driver.cuMemCreate(&handle, size, &memory, 0);
    if (result != CUDA_SUCCESS)
        return fail_room(member, result, size);
    const gpucc_status status = CU(member, cuMemMap, pointer, size, 0, handle, 0);
    driver.cuMemRelease(handle);
    return status;
}

static gpucc_status set_access(const struct group *group, CUdeviceptr pointer, size_t size)
{
    CUmemAccessDesc access[MAX_DEVICES];
    for (int i = 0; i < group->count; i++)
        access[i] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, group->members[i]->device.handle},
                                      CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return CU(group->members[0], cuMemSetAccess, pointer, size, access, (size_t)group->count);
}

gpucc_status split_create(gpucc_context *lead, size_t size, size_t row, struct split_memory **out, char **base)
{
    const struct group *group = lead->group;
    CUdeviceptr pointer;
    size_t mapped = 0;
    struct split_memory *split = malloc(sizeof *split + (size_t)group->count * sizeof *split->ends);
    if (!split)
        return fail_memory(sizeof *split, "a split array");
    find_ends(group, size, row, split);
    split->count = group->count;
    const size_t all = split->ends[group->count - 1];
    gpucc_status status = CU(lead, cuMemAddressReserve, &pointer, all, 0, 0, 0);
    if (status)
        goto free_split;
    for (int i = 0; !status && i < group->count; i++) {
        const size_t part = split->ends[i] - mapped;
        if (part > 0)
            status = map_part(group->members[i], pointer + mapped, part);
        mapped += status ? 0 : part;
    }
    if (!status)
        status = set_access(group, pointer, all);
    if (status)
        goto unmap;
    *out = split;
    *base = (char *)(uintptr_t)pointer;
    return GPUCC_OK;

unmap:
    if (mapped > 0)
        driver.cuMemUnmap(pointer, mapped);
    driver.cuMemAddressFree(pointer, all);
free_split:
    free(split);
    return status;
}

void split_destroy(struct split_memory *split, const char *base)
{
    const size_t all = split->ends[split->count - 1];
    const CUdeviceptr pointer = (CUdeviceptr)(uintptr_t)base;
    driver.cuMemUnmap(pointer, all);
    driver.cuMemAddressFree(pointer, all);
    free(split);
}

/* ---- what of an array lies where ---- */

/* For n indices so many bytes apart from `data` on: how many of the lowest addresses lie below `end`. */
static int64_t count_below(const char *lowest, int64_t n, int64_t step, const char *end)
{
    if (end <= lowest)
        return 0;
    const uint64_t below = divide_up((uint64_t)(end - lowest), (uint64_t)step);
    return below < (uint64_t)n ? (int64_t)below : n;
}

void split_range(const gpucc_array *array, int d, int member, int64_t *start, int64_t *stop)
{
    const struct split_memory *split = array->memory->split;
    const int64_t n = array->shape[d], stride = array->strides[d], step = llabs(stride);
    const char *base = array->memory->base, *lowest = array->data + (stride < 0 ? (n - 1) * stride : 0);
    const int64_t from = member > 0 ? count_below(lowest, n, step, base + split->ends[member - 1]) : 0;
    const int64_t to = member + 1 < split->count ? count_below(lowest, n, step, base + split->ends[member]) : n;
    *start = stride < 0 ? n - to : from;
    *stop = stride < 0 ? n - from : to;
}

int split_dimension(const gpucc_array *array)
{
    int found = -1;
    for (int d = 0; d < array->ndim; d++)
        if (array->shape[d] > 1 && array->strides[d] != 0 &&
            (found < 0 || llabs(array->strides[d]) > llabs(array->strides[found])))
            found = d;
    return found;
}
