/* Pinned memory of the host: devices copy to and from it directly, so no chunks of it go through buffers.  The callers'
 * memory that gpucc_context_pin() pins is listed here; the driver knows about other pinned memory. */
#include "devices/devices.h"
#include <stdlib.h>
#include <unistd.h>

struct pin {
    struct pin *next;
    void *data;           /* as the caller has it */
    uintptr_t begin, end; /* whole pages of it: the first and last ones may be shared with other memory */
    gpucc_context *context;
    bool is_registered; /* with the driver; the CPU has nothing to register, nor has memory without a whole page */
};

static pthread_mutex_t pins_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pin *pins; /* of all contexts: pinned memory is pinned for each device */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A child of fork() has none of its parent's pins, and another thread of the parent's may have held the lock. */
static void in_child(void)
{
    pthread_mutex_init(&pins_lock, NULL);
    pins = NULL;
}

static void watch(void)
{
    static struct fork_handler handler = {.in_child = in_child};
    process_on_fork(&handler);
}

static void lock_pins(void)
{
    pthread_once(&once, watch);
    pthread_mutex_lock(&pins_lock);
}

/* ---- pin and unpin ---- */

static gpucc_status register_memory(gpucc_context *context, void *data, size_t size)
{
    CUcontext previous;
    if (!driver.cuMemHostRegister || !driver.cuMemHostUnregister)
        return fail(GPUCC_UNSUPPORTED, "this CUDA driver does not pin memory: update the driver");
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    const CUresult result = driver.cuMemHostRegister(data, size, CU_MEMHOSTREGISTER_PORTABLE);
    if (result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        status = fail(GPUCC_INVALID_ARGUMENT, "part of the %zu bytes at %p is pinned already", size, data);
    else if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_PERMITTED)
        status = fail(GPUCC_UNSUPPORTED,
                      "cuMemHostRegister failed with %s (%d): the %zu bytes at %p cannot be pinned; map files "
                      "privately and writable",
                      driver_error_name(result), result, size, data);
    else if (result != CUDA_SUCCESS)
        status = driver_failed(context, result, "cuMemHostRegister");
    context_leave(context, previous);
    return status;
}

static void add_pin(struct pin *pin)
{
    lock_pins();
    pin->next = pins;
    pins = pin;
    pthread_mutex_unlock(&pins_lock);
}

gpucc_status gpucc_context_pin(gpucc_context *context, void *data, size_t size)
{
    if (!context || !data || size == 0 || size > UINTPTR_MAX - (uintptr_t)data)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_pin: context or data is null, or size is out of range");
    gpucc_status status = context_check(context);
    if (status)
        return status;
    struct pin *pin = malloc(sizeof *pin);
    if (!pin)
        return fail_memory(sizeof *pin, "pinned memory");
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)data, last = first + size;
    *pin = (struct pin){.data = data,
                        .begin = first + (page - first % page) % page,
                        .end = last - last % page,
                        .context = context};
    pin->is_registered = context->kind == GPUCC_DEVICE_CUDA && pin->begin < pin->end;
    if (pin->is_registered)
        status = register_memory(context, (void *)pin->begin, pin->end - pin->begin);
    if (status) {
        free(pin);
        return status;
    }
    add_pin(pin);
    return GPUCC_OK;
}

/* The context's pin that begins there, or any of its pins, taken off the list; null if there is none. */
static struct pin *remove_pin(const gpucc_context *context, const void *data)
{
    struct pin *found = NULL;
    lock_pins();
    for (struct pin **at = &pins; *at; at = &(*at)->next) {
        if ((*at)->context != context || (data && (*at)->data != data))
            continue;
        found = *at;
        *at = found->next;
        break;
    }
    pthread_mutex_unlock(&pins_lock);
    return found;
}

/* Calls on host arrays return when their copies are done, but not all that fail. */
static void wait_for_devices(gpucc_context *lead)
{
    CUcontext previous;
    for (int i = 0; i < group_size(lead); i++) {
        gpucc_context *context = group_context(lead, i);
        if (context_enter(context, &previous))
            continue;
        CU_NOTE(context, cuCtxSynchronize);
        context_leave(context, previous);
    }
}

/* The caller frees the memory whatever happens: if the context cannot be entered, the pin covers no byte any more, and
 * the context's end or another try unregisters it. */
static gpucc_status unregister_memory(gpucc_context *context, struct pin *pin)
{
    CUcontext previous;
    wait_for_devices(context);
    gpucc_status status = context_enter(context, &previous);
    if (status) {
        pin->end = pin->begin;
        add_pin(pin);
        return status;
    }
    status = CU(context, cuMemHostUnregister, (void *)pin->begin);
    context_leave(context, previous);
    free(pin);
    return status;
}

gpucc_status gpucc_context_unpin(gpucc_context *context, void *data)
{
    if (!context || !data)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_unpin: context or data is null");
    gpucc_status status = context_check(context);
    if (status)
        return status;
    struct pin *pin = remove_pin(context, data);
    if (!pin)
        return fail(GPUCC_INVALID_ARGUMENT, "this context has pinned no memory that begins at %p", data);
    if (pin->is_registered)
        return unregister_memory(context, pin);
    free(pin);
    return GPUCC_OK;
}

void pins_destroy_all(gpucc_context *context)
{
    struct pin *pin;
    while ((pin = remove_pin(context, NULL)) != NULL) {
        if (pin->is_registered)
            driver.cuMemHostUnregister((void *)pin->begin);
        free(pin);
    }
}

/* ---- look up ---- */

enum part { NONE, PART, WHOLE };

/* How much of the memory one pin of gpucc_context_pin() covers. */
static enum part find_pin(uintptr_t begin, uintptr_t end)
{
    enum part found = NONE;
    lock_pins();
    for (const struct pin *pin = pins; pin && !found; pin = pin->next)
        if (pin->is_registered && pin->begin < end && begin < pin->end)
            found = pin->begin <= begin && end <= pin->end ? WHOLE : PART;
    pthread_mutex_unlock(&pins_lock);
    return found;
}

bool pinned_in_part(const void *data, size_t size)
{
    return find_pin((uintptr_t)data, (uintptr_t)data + size) == PART;
}

/* Memory that another library has pinned, as PyTorch's pin_memory() does. Of memory that it does not know, the driver
   says zeros. */
static gpucc_status is_known(gpucc_context *context, uintptr_t begin, uintptr_t end, bool *known)
{
    unsigned type = 0;
    uintptr_t first = 0;
    size_t size = 0;
    const int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                              CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *values[] = {&type, &first, &size};
    if (!driver.cuPointerGetAttributes)
        return GPUCC_OK;
    const CUresult result =
        driver.cuPointerGetAttributes(sizeof attributes / sizeof *attributes, attributes, values, begin);
    *known = !result && type == CU_MEMORYTYPE_HOST && first && begin >= first && end - first <= size;
    return driver_status(context, result, "cuPointerGetAttributes");
}

gpucc_status pinned_find(gpucc_context *context, const void *data, size_t size, bool *is_pinned)
{
    const uintptr_t begin = (uintptr_t)data, end = begin + size;
    *is_pinned = find_pin(begin, end) == WHOLE;
    return *is_pinned ? GPUCC_OK : is_known(context, begin, end, is_pinned);
}
