/* Device memory: its own range of addresses, which only the working device may reach, with a page between allocations.
 * Addresses are never given twice.  What is behind an allocation's end, up to the page, is checked when it is freed. */
#define _GNU_SOURCE
#include "fake.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, ALIGNMENT = 256, FRESH = 0xcb, FENCE = 0xfe };
static const size_t ARENA = (size_t)1 << 36;

enum state { PLANNED, LIVE, FREED }; /* as the device sees it */

struct allocation {
    char *base;
    size_t size;
    char *pages;
    size_t page_bytes;
    struct context *context; /* null where it is mapped */
    uint64_t devices; /* a bit for each that reaches what is mapped */
    enum state state;
    bool ordered; /* comes and goes in the order of a stream */
    bool given_back; /* as the host sees it */
    atomic_bool reachable; /* until the device rests; all other pages stay protected, as that takes no time */
    size_t place;    /* in the list of those that are not freed */
};

struct pinned {
    struct pinned *next;
    char *base;
    size_t size;
    struct context *context;
    bool is_callers; /* registered; else allocated here */
};

static char *arena, *arena_next;
static struct allocation **allocations; /* by address */
static size_t count, capacity;
static struct allocation **present; /* those that are not freed */
static size_t present_count;
static struct pinned *pinned;
static bool open, is_opened_by_faults;

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* ---- the arena ---- */

bool address_is_device(uint64_t address)
{
    return arena && address >= (uintptr_t)arena && address < (uintptr_t)arena + ARENA;
}

static void protect(const struct allocation *allocation, int protection)
{
    if (mprotect(allocation->pages, allocation->page_bytes, protection) != 0)
        die("cannot protect device memory");
}

static void make_reachable(struct allocation *allocation)
{
    if (!allocation->reachable)
        protect(allocation, PROT_READ | PROT_WRITE);
    allocation->reachable = true;
}

static struct allocation *holder_of(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)allocations[middle]->pages <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? allocations[low - 1] : NULL;
}

/* Whether the working device may go on: it reached memory by an address that no parameter holds.  Its threads may come
 * here at once. */
static bool allows_device_access(uintptr_t address)
{
    struct allocation *a = open && address_is_device(address) ? holder_of(address) : NULL;
    if (!a || a->state != LIVE || address >= (uintptr_t)a->pages + a->page_bytes)
        return false;
    protect(a, PROT_READ | PROT_WRITE);
    a->reachable = true;
    return true;
}

/* Says who reached where he may not; the fault then happens again, and ends the process. */
static void on_fault(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (allows_device_access((uintptr_t)info->si_addr))
        return;
    if (address_is_device((uintptr_t)info->si_addr)) {
        char text[256];
        const char *kernel = running_kernel();
        int length = snprintf(text, sizeof text, "fake libcuda: %s reaches device address %p, %s\n",
                              kernel ? kernel : "the host", info->si_addr,
                              kernel ? "where nothing is allocated" : "which only the device may");
        (void)!write(STDERR_FILENO, text, (size_t)length);
    }
    signal(number, SIG_DFL);
}

static void arena_create(void)
{
    if (arena)
        return;
    void *memory = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        die("no address space for device memory");
    arena = arena_next = memory;
    struct sigaction before, action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        is_opened_by_faults = sigaction(SIGSEGV, &action, NULL) == 0;
}

void memory_open(void)
{
    open = true;
    for (size_t i = 0; i < present_count && !is_opened_by_faults; i++)
        if (present[i]->state == LIVE)
            make_reachable(present[i]);
}

void memory_close(void)
{
    open = false;
    for (size_t i = 0; i < present_count; i++) {
        if (present[i]->reachable)
            protect(present[i], PROT_NONE);
        present[i]->reachable = false;
    }
}

/* ---- allocations ---- */

static size_t used_on(int device)
{
    size_t used = mapping_used_on(device);
    for (size_t i = 0; i < present_count; i++)
        if (present[i]->context && present[i]->context->device == device)
            used += round_up(present[i]->size, ALIGNMENT);
    return used;
}

size_t fake_cuda_memory_used(void)
{
    ENTER_LOCK;
    size_t used = 0;
    for (int device = 0; device < settings.devices; device++)
        used += used_on(device);
    return used;
}

long memory_live_count(void)
{
    long live = mapping_live_count();
    for (size_t i = 0; i < count; i++)
        live += !allocations[i]->given_back;
    for (struct pinned *p = pinned; p; p = p->next)
        live++;
    return live;
}

struct allocation *allocation_find(CUdeviceptr address, size_t size)
{
    struct allocation *a = holder_of(address);
    if (!a || address < (uintptr_t)a->base || address > (uintptr_t)a->base + a->size ||
        size > (uintptr_t)a->base + a->size - address)
        return NULL;
    if (a->given_back)
        die("device address %#llx lies in memory that has been freed", address);
    return a;
}

struct allocation *allocation_live(uint64_t address)
{
    struct allocation *a = holder_of(address);
    const bool is_inside = a && address >= (uintptr_t)a->base && address < (uintptr_t)a->base + a->size;
    return is_inside && a->state == LIVE ? a : NULL;
}

static uint64_t pool_users[64]; /* of each device's pool, a bit for each device that has been given access */

bool allocation_is_on(const struct allocation *allocation, int device)
{
    return allocation->context ? allocation->context->device == device : allocation->devices >> device & 1;
}

bool allocation_is_reached(const struct allocation *allocation, const struct context *context)
{
    if (allocation_is_on(allocation, context->device) || !allocation->context)
        return allocation_is_on(allocation, context->device);
    const int owner = allocation->context->device;
    return allocation->ordered ? pool_users[owner] >> context->device & 1 : context->peers >> owner & 1;
}

void allocation_require(struct allocation *allocation)
{
    if (allocation->state != LIVE)
        die("the memory at %p is %s: its allocation or release is in another stream, and nothing keeps the order",
            (void *)allocation->base, allocation->state == PLANNED ? "not there yet" : "freed already");
    if (open)
        make_reachable(allocation);
}

static void list_allocation(struct allocation *allocation)
{
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        allocations = realloc(allocations, capacity * sizeof(struct allocation *));
        present = realloc(present, capacity * sizeof(struct allocation *));
    }
    if (!allocations || !present)
        die("the host is out of memory");
    size_t at = count++;
    for (; at > 0 && allocations[at - 1]->pages > allocation->pages; at--) /* what is mapped had its addresses before */
        allocations[at] = allocations[at - 1];
    allocations[at] = allocation;
    allocation->place = present_count;
    present[present_count++] = allocation;
}

static void set_freed(struct allocation *allocation)
{
    if (allocation->state == FREED)
        return;
    allocation->state = FREED;
    present[allocation->place] = present[--present_count];
    present[allocation->place]->place = allocation->place;
}

char *arena_allocate(size_t bytes, size_t alignment)
{
    arena_create();
    char *begin = (char *)round_up((uintptr_t)arena_next, alignment);
    if (begin < arena_next || bytes > ARENA || bytes + PAGE > (size_t)(arena + ARENA - begin))
        return NULL;
    arena_next = begin + bytes + PAGE;
    return begin;
}

static struct allocation *allocation_list(const struct allocation *allocation)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        die("the host is out of memory");
    *a = *allocation;
    list_allocation(a);
    return a;
}

/* The end touches the guard page, but for the alignment of the base. */
static struct allocation *allocation_new(struct context *context, size_t size)
{
    size_t padded = round_up(size, ALIGNMENT), bytes = round_up(padded, PAGE);
    if (padded < size || padded > settings.memory || used_on(context->device) > settings.memory - padded)
        return NULL;
    char *pages = arena_allocate(bytes, PAGE);
    if (!pages)
        die("no addresses are left for device memory");
    return allocation_list(&(struct allocation){
        .size = size, .pages = pages, .page_bytes = bytes, .context = context, .base = pages + bytes - padded});
}

bool memory_has_room(int device, size_t size)
{
    return size <= settings.memory && used_on(device) <= settings.memory - size;
}

/* Bytes of each device's pool, counted in the order in which the device works. */
static uint64_t pool_used[64], pool_most[64];

static void count_in_pool(const struct allocation *a, bool comes)
{
    const int device = a->ordered ? a->context->device : 0;
    if (!a->ordered)
        return;
    pool_used[device] += comes ? a->size : -a->size;
    if (pool_used[device] > pool_most[device])
        pool_most[device] = pool_used[device];
}

static void revive(struct allocation *a)
{
    count_in_pool(a, true);
    protect(a, PROT_READ | PROT_WRITE);
    memset(a->pages, FENCE, a->page_bytes);
    memset(a->base, FRESH, a->size);
    a->state = LIVE;
    a->reachable = open;
    if (!open)
        protect(a, PROT_NONE);
}

static void check_fences(const struct allocation *a)
{
    for (const char *p = a->pages; p < a->pages + a->page_bytes; p++)
        if ((p < a->base || p >= a->base + a->size) && *p != (char)FENCE)
            die("something was written %td bytes from the beginning of %zu bytes of device memory at %p", p - a->base,
                a->size, (void *)a->base);
}

static void pass_away(struct allocation *a)
{
    count_in_pool(a, false);
    protect(a, PROT_READ);
    check_fences(a);
    protect(a, PROT_NONE);
    madvise(a->pages, a->page_bytes, MADV_DONTNEED);
    a->reachable = false;
    set_freed(a);
    a->given_back = true;
}

struct allocation *allocation_map(char *pages, size_t bytes)
{
    struct allocation *a =
        allocation_list(&(struct allocation){.size = bytes, .pages = pages, .page_bytes = bytes, .base = pages});
    revive(a);
    return a;
}

void allocation_set_access(struct allocation *allocation, uint64_t devices)
{
    allocation->devices |= devices;
}

struct allocation *memory_place(struct context *context, size_t size, const void *bytes)
{
    struct allocation *a = allocation_new(context, size);
    if (!a)
        return NULL;
    revive(a);
    protect(a, PROT_READ | PROT_WRITE);
    memset(a->base, 0, size);
    if (bytes)
        memcpy(a->base, bytes, size);
    if (!open)
        protect(a, PROT_NONE);
    return a;
}

void memory_discard(struct allocation *allocation)
{
    if (allocation->state == LIVE)
        pass_away(allocation);
}

char *allocation_base(const struct allocation *allocation)
{
    return allocation->base;
}

size_t allocation_size(const struct allocation *allocation)
{
    return allocation->size;
}

void memory_fill(struct allocation *allocation, size_t from, const void *bytes)
{
    protect(allocation, PROT_READ | PROT_WRITE);
    if (bytes)
        memcpy((char *)allocation->base + from, bytes, allocation->size - from);
    else
        memset((char *)allocation->base + from, 0, allocation->size - from);
    if (!open)
        protect(allocation, PROT_NONE);
}

static void end_pinned(struct pinned *mine)
{
    if (!mine->is_callers)
        free(mine->base);
    free(mine);
}

long memory_drop(struct context *context)
{
    long dropped = 0;
    for (size_t i = 0; i < count; i++) {
        struct allocation *a = allocations[i];
        if (a->context != context)
            continue;
        dropped += !a->given_back;
        a->given_back = true;
        if (a->state == LIVE)
            pass_away(a);
        set_freed(a);
    }
    for (struct pinned **p = &pinned; *p;) {
        struct pinned *mine = *p;
        if (mine->context != context) {
            p = &mine->next;
            continue;
        }
        dropped++;
        *p = mine->next;
        end_pinned(mine);
    }
    return dropped;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    ENTER("cuMemGetInfo", CUDA_ERROR_UNKNOWN);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!free_bytes || !total)
        return CUDA_ERROR_INVALID_VALUE;
    *total = settings.memory;
    *free_bytes = settings.memory - used_on(context->device);
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size)
{
    ENTER("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = allocation_new(context, size);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    revive(a);
    *pointer = (uintptr_t)a->base;
    return CUDA_SUCCESS;
}

/* The allocation that begins here and that the host may free. */
static CUresult to_be_freed(CUdeviceptr pointer, struct allocation **out)
{
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    *out = allocation_find(pointer, 0);
    if (!*out || (uintptr_t)(*out)->base != pointer)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Waits for the device, as the driver does. */
CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    ENTER_RELEASE("cuMemFree");
    struct allocation *a;
    if (pointer == 0)
        return injected;
    CUresult result = to_be_freed(pointer, &a);
    if (result != CUDA_SUCCESS)
        return result;
    run_context(a->context);
    if (a->context->error == CUDA_SUCCESS)
        pass_away(a);
    return injected;
}

/* ---- allocations in the order of a stream ---- */

static void run_alloc(struct op *op)
{
    revive(*(struct allocation **)(void *)op->data);
}

static void run_free(struct op *op)
{
    struct allocation *a = *(struct allocation **)(void *)op->data;
    allocation_require(a);
    pass_away(a);
}

static bool pools_work(void)
{
    enum { POOLS_SINCE = 11020 };
    return settings.pools && settings.driver >= POOLS_SINCE;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t size, CUstream handle)
{
    ENTER("cuMemAllocAsync", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pools_work())
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!pointer || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = allocation_new(context, size);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->ordered = true;
    enqueue(stream, "cuMemAllocAsync", run_alloc, &a, sizeof(struct allocation *));
    *pointer = (uintptr_t)a->base;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle)
{
    ENTER_RELEASE("cuMemFreeAsync");
    struct context *context;
    struct stream *stream;
    struct allocation *a;
    CUresult result = stream_current(handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = to_be_freed(pointer, &a);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pools_work())
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!a->ordered)
        return CUDA_ERROR_INVALID_VALUE;
    a->given_back = true;
    enqueue(stream, "cuMemFreeAsync", run_free, &a, sizeof(struct allocation *));
    return injected;
}

static struct object *default_pools[64];

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device)
{
    ENTER("cuDeviceGetDefaultMemPool", CUDA_ERROR_UNKNOWN);
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= settings.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!pools_work())
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!default_pools[device])
        default_pools[device] = object_new(POOL, NULL, sizeof(struct object));
    *out = (CUmemoryPool)default_pools[device];
    return CUDA_SUCCESS;
}

enum { POOL_USED = 7, POOL_MOST = 8 }; /* CU_MEMPOOL_ATTR_USED_MEM_CURRENT, …_HIGH */

static int device_of_pool(CUmemoryPool pool)
{
    int device = 0;
    while ((CUmemoryPool)default_pools[device] != pool)
        device++;
    return device;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value)
{
    ENTER("cuMemPoolSetAttribute", CUDA_ERROR_UNKNOWN);
    if (object_check(pool, POOL, NULL) != CUDA_SUCCESS || !value || attribute < 1 || attribute > POOL_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == POOL_MOST) {
        if (*(uint64_t *)value != 0)
            return CUDA_ERROR_INVALID_VALUE;
        pool_most[device_of_pool(pool)] = pool_used[device_of_pool(pool)];
    }
    return CUDA_SUCCESS;
}

/* Supports those two attributes alone. */
EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value)
{
    ENTER("cuMemPoolGetAttribute", CUDA_ERROR_UNKNOWN);
    if (object_check(pool, POOL, NULL) != CUDA_SUCCESS || !value || (attribute != POOL_USED && attribute != POOL_MOST))
        return CUDA_ERROR_INVALID_VALUE;
    *(uint64_t *)value = (attribute == POOL_USED ? pool_used : pool_most)[device_of_pool(pool)];
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    ENTER("cuMemPoolSetAccess", CUDA_ERROR_UNKNOWN);
    if (object_check(pool, POOL, NULL) != CUDA_SUCCESS || !access)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id < 0 ||
            access[i].location.id >= settings.devices || access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
    if (!settings.peers)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    for (int device = 0; device < settings.devices; device++)
        for (size_t i = 0; default_pools[device] == (const struct object *)(const void *)pool && i < count; i++)
            pool_users[device] |= (uint64_t)1 << access[i].location.id;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    ENTER("cuMemPoolTrimTo", CUDA_ERROR_UNKNOWN);
    (void)keep;
    return object_check(pool, POOL, NULL) == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- pinned memory of the host ---- */

bool pinned_range(uint64_t address, uint64_t *begin, uint64_t *end)
{
    for (struct pinned *p = pinned; p; p = p->next)
        if (address >= (uintptr_t)p->base && address < (uintptr_t)p->base + p->size) {
            *begin = (uintptr_t)p->base;
            *end = *begin + p->size;
            return true;
        }
    return false;
}

bool address_is_pinned(uint64_t address)
{
    uint64_t begin, end;
    return pinned_range(address, &begin, &end);
}

bool range_is_mixed(uint64_t begin, uint64_t size)
{
    const uint64_t end = begin + size;
    for (const struct pinned *p = pinned; p; p = p->next) {
        const uint64_t first = (uintptr_t)p->base, last = first + p->size;
        if (first < end && begin < last && (begin < first || end > last))
            return true;
    }
    return false;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t size)
{
    ENTER("cuMemAllocHost", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct pinned *p = malloc(sizeof *p);
    char *base = size <= ARENA ? aligned_alloc(PAGE, round_up(size, PAGE)) : NULL;
    if (!p || !base) {
        free(p);
        free(base);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *p = (struct pinned){pinned, base, size, context, false};
    pinned = p;
    *pointer = base;
    return CUDA_SUCCESS;
}

/* The device must have done with it: nothing waits here. */
static CUresult unpin(void *pointer, bool is_callers, CUresult missing)
{
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    struct pinned **p = &pinned;
    while (*p && ((*p)->base != pointer || (*p)->is_callers != is_callers))
        p = &(*p)->next;
    if (!*p)
        return missing;
    struct pinned *mine = *p;
    for (struct context *each = NULL; (each = object_next(CONTEXT, NULL, each)) != NULL;)
        if (each->error == CUDA_SUCCESS)
            copies_check_host(each, mine->base, mine->size);
    *p = mine->next;
    end_pinned(mine);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer)
{
    ENTER_RELEASE("cuMemFreeHost");
    const CUresult result = unpin(pointer, false, CUDA_ERROR_INVALID_VALUE);
    return result ? result : injected;
}

/* Whole pages, as the driver pins them. */
static bool shares_pages(const struct pinned *p, uintptr_t begin, uintptr_t end)
{
    const uintptr_t first = (uintptr_t)p->base / PAGE * PAGE, last = round_up((uintptr_t)p->base + p->size, PAGE);
    return first < round_up(end, PAGE) && begin / PAGE * PAGE < last;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned flags)
{
    ENTER("cuMemHostRegister", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pointer || size == 0 || flags != CU_MEMHOSTREGISTER_PORTABLE || address_is_device((uintptr_t)pointer))
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct pinned *p = pinned; p; p = p->next)
        if (shares_pages(p, (uintptr_t)pointer, (uintptr_t)pointer + size))
            return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    struct pinned *mine = malloc(sizeof *mine);
    if (!mine)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *mine = (struct pinned){pinned, pointer, size, context, true};
    pinned = mine;
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer)
{
    ENTER_RELEASE("cuMemHostUnregister");
    const CUresult result = unpin(pointer, true, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    return result ? result : injected;
}

CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **values, CUdeviceptr address)
{
    ENTER("cuPointerGetAttributes", CUDA_ERROR_UNKNOWN);
    struct context *context;
    uint64_t begin = 0, end = 0;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const struct allocation *a = address_is_device(address) ? allocation_find(address, 1) : NULL;
    unsigned type = 0;
    if (a) {
        begin = (uintptr_t)a->base;
        end = begin + a->size;
        type = CU_MEMORYTYPE_DEVICE;
    } else if (pinned_range(address, &begin, &end)) {
        type = CU_MEMORYTYPE_HOST;
    }
    for (unsigned i = 0; i < count; i++)
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)values[i] = type; break;
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)values[i] = begin; break;
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)values[i] = end - begin; break;
        default: return CUDA_ERROR_INVALID_VALUE;
        }
    return CUDA_SUCCESS;
}
