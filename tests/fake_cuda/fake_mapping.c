/* Addresses that are reserved, and memory of one or more devices that is mapped there.  A reservation becomes device
 * memory as a whole: once all of it is mapped and devices are given access, until it is unmapped. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

/* Memory of a device; it goes when it has been released and is mapped nowhere. */
struct piece {
    struct piece *next;
    size_t size;
    int device;
    bool released;
    int mapped;
};

/* The piece of memory at an address of a reservation. */
struct mapping {
    char *begin;
    struct piece *piece;
};

enum { MOST_MAPPINGS = 64 };
struct reservation {
    struct reservation *next;
    char *begin;
    size_t size;
    int count;
    struct mapping mappings[MOST_MAPPINGS];
    struct allocation *allocation; /* null before devices are given access */
};

static struct piece *pieces;
static struct reservation *reservations;

size_t mapping_used_on(int device)
{
    size_t used = 0;
    for (const struct piece *p = pieces; p; p = p->next)
        used += p->device == device ? p->size : 0;
    return used;
}

long mapping_live_count(void)
{
    long live = 0;
    for (const struct piece *p = pieces; p; p = p->next)
        live++;
    for (const struct reservation *r = reservations; r; r = r->next)
        live++;
    return live;
}

static void drop_unused(struct piece *piece)
{
    struct piece **p = &pieces;
    if (!piece->released || piece->mapped > 0)
        return;
    while (*p != piece)
        p = &(*p)->next;
    *p = piece->next;
    free(piece);
}

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
    for (struct piece *p = pieces; p; p = p->next)
        if ((uintptr_t)p == handle && !p->released)
            return p;
    die("%#llx is no memory that was made", handle);
}

static bool describes_memory(const CUmemAllocationProp *memory)
{
    return memory && memory->type == CU_MEM_ALLOCATION_TYPE_PINNED && memory->requestedHandleTypes == 0 &&
           memory->location.type == CU_MEM_LOCATION_TYPE_DEVICE && memory->location.id >= 0 &&
           memory->location.id < settings.devices;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *memory, int kind)
{
    ENTER("cuMemGetAllocationGranularity", CUDA_ERROR_UNKNOWN);
    if (!granularity || !describes_memory(memory) || kind != CU_MEM_ALLOC_GRANULARITY_MINIMUM)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = settings.page;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *memory,
                     unsigned long long flags)
{
    ENTER("cuMemCreate", CUDA_ERROR_OUT_OF_MEMORY);
    if (!handle || size == 0 || size % settings.page || !describes_memory(memory) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!memory_has_room(memory->location.id, size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct piece *piece = malloc(sizeof *piece);
    if (!piece)
        die("the host is out of memory");
    *piece = (struct piece){.next = pieces, .size = size, .device = memory->location.id};
    pieces = piece;
    *handle = (uintptr_t)piece;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    ENTER_RELEASE("cuMemRelease");
    struct piece *piece = piece_of(handle);
    piece->released = true;
    drop_unused(piece);
    return injected;
}

/* ---- addresses ---- */

static struct reservation *reservation_of(CUdeviceptr pointer, size_t size)
{
    for (struct reservation *r = reservations; r; r = r->next)
        if (pointer >= (uintptr_t)r->begin && pointer < (uintptr_t)r->begin + r->size &&
            size <= (uintptr_t)r->begin + r->size - pointer)
            return r;
    return NULL;
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    ENTER("cuMemAddressReserve", CUDA_ERROR_OUT_OF_MEMORY);
    if (!pointer || size == 0 || size % settings.page || alignment || wanted || flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *r = calloc(1, sizeof *r);
    char *begin = arena_allocate(size, settings.page);
    if (!r || !begin) {
        free(r);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *r = (struct reservation){.next = reservations, .begin = begin, .size = size};
    reservations = r;
    *pointer = (uintptr_t)begin;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size)
{
    ENTER_RELEASE("cuMemAddressFree");
    struct reservation **p = &reservations;
    while (*p && (uintptr_t)(*p)->begin != pointer)
        p = &(*p)->next;
    struct reservation *mine = *p;
    if (!mine || mine->size != size)
        return CUDA_ERROR_INVALID_VALUE;
    if (mine->count > 0)
        die("memory is still mapped at %p", (void *)mine->begin);
    *p = mine->next;
    free(mine);
    return injected;
}

/* ---- mapping ---- */

static bool overlaps(const struct mapping *mapping, CUdeviceptr pointer, size_t size)
{
    return (uintptr_t)mapping->begin < pointer + size && pointer < (uintptr_t)mapping->begin + mapping->piece->size;
}

CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    ENTER("cuMemMap", CUDA_ERROR_UNKNOWN);
    struct piece *piece = piece_of(handle);
    struct reservation *r = reservation_of(pointer, size);
    if (!r || pointer % settings.page || offset || flags || size != piece->size || r->count == MOST_MAPPINGS)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < r->count; i++)
        if (overlaps(&r->mappings[i], pointer, size))
            return CUDA_ERROR_INVALID_VALUE;
    r->mappings[r->count++] = (struct mapping){(char *)(uintptr_t)pointer, piece};
    piece->mapped++;
    return CUDA_SUCCESS;
}

static size_t mapped_bytes(const struct reservation *r)
{
    size_t bytes = 0;
    for (int i = 0; i < r->count; i++)
        bytes += r->mappings[i].piece->size;
    return bytes;
}

static bool is_all_on(const struct reservation *r, int device)
{
    for (int i = 0; i < r->count; i++)
        if (r->mappings[i].piece->device != device)
            return false;
    return true;
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *access, size_t count)
{
    ENTER("cuMemSetAccess", CUDA_ERROR_UNKNOWN);
    struct reservation *r = reservation_of(pointer, size);
    uint64_t devices = 0;
    if (!r || r->size != size || !access || mapped_bytes(r) != size)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const int device = access[i].location.id;
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || device < 0 || device >= settings.devices ||
            access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        if (!settings.peers && !is_all_on(r, device))
            return CUDA_ERROR_INVALID_DEVICE;
        devices |= (uint64_t)1 << device;
    }
    if (!r->allocation)
        r->allocation = allocation_map(r->begin, r->size);
    allocation_set_access(r->allocation, devices);
    return CUDA_SUCCESS;
}

/* Work that is still enqueued and uses the memory ends the process when the device comes to it. */
CUresult cuMemUnmap(CUdeviceptr pointer, size_t size)
{
    ENTER_RELEASE("cuMemUnmap");
    struct reservation *r = reservation_of(pointer, size);
    if (!r || (uintptr_t)r->begin != pointer)
        return CUDA_ERROR_INVALID_VALUE;
    if (mapped_bytes(r) != size)
        die("%zu bytes are mapped at %p, not the %zu that are unmapped", mapped_bytes(r), (void *)r->begin, size);
    if (r->allocation)
        memory_discard(r->allocation);
    r->allocation = NULL;
    while (r->count > 0) {
        struct piece *piece = r->mappings[--r->count].piece;
        piece->mapped--;
        drop_unused(piece);
    }
    return injected;
}
