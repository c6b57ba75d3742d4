/* Opens libcuda, and makes statuses of its errors. */
#define _GNU_SOURCE
#include "devices/trace.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct driver driver;

enum { NOBODY = ~0u };

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
static bool driver_ready;
static _Atomic unsigned driver_owner = NOBODY; /* process_forks of the process that has begun to use the driver */

/* The symbols, one behind the other, with a "?" before those that may be missing. */
static const char symbols[] =
#define DRIVER(need, name, symbol, parameters) MARK_##need #symbol "\0"
#define MARK_REQUIRED ""
#define MARK_OPTIONAL "?"
#include "devices/driver.def"
#undef DRIVER
    "";

/* A struct driver begins with the pointers, in the order of the list. */
static gpucc_status find_entries(void *library, const char *path, struct driver *found)
{
    char *place = (char *)found;
    for (const char *symbol = symbols; *symbol; symbol += strlen(symbol) + 1) {
        const bool is_optional = *symbol == '?';
        symbol += is_optional;
        void *entry = dlsym(library, symbol);
        memcpy(place, &entry, sizeof entry);
        place += sizeof entry;
        if (!entry && !is_optional)
            return fail(GPUCC_NO_DRIVER, "%s has no %s: the CUDA driver is too old", path, symbol);
    }
    return GPUCC_OK;
}

/* A library that fails to initialise is closed again, so that a later call can try afresh. */
static gpucc_status load(void)
{
    const char *path = secure_getenv("GPUCC_LIBCUDA");
    if (!path || !*path)
        path = "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(GPUCC_NO_DRIVER, "cannot open the CUDA driver: %s", dlerror());
    struct driver found = {0};
    gpucc_status status = find_entries(library, path, &found);
    if (status)
        goto close_library;
    driver = found;
    status = CU(NULL, cuInit, 0);
    if (status)
        goto close_library;
    status = CU(NULL, cuDriverGetVersion, &driver.version);
    if (status)
        goto close_library;
    trace_wrap(&driver);
    return GPUCC_OK;

close_library:
    memset(&driver, 0, sizeof driver);
    dlclose(library);
    return status;
}

/* CUDA is of no use to a child, and the lock may be held by a thread that the child has not. */
static gpucc_status own_driver(void)
{
    unsigned owner = NOBODY, self = atomic_load(&process_forks);
    gpucc_status status = process_watch();
    if (status || atomic_compare_exchange_strong(&driver_owner, &owner, self) || owner == self)
        return status;
    return fail(GPUCC_NO_DRIVER, "CUDA was used before fork(), so this child process cannot use it: start it by spawn "
                                 "or exec");
}

gpucc_status driver_open(void)
{
    gpucc_status status = own_driver();
    if (status)
        return status;
    pthread_mutex_lock(&driver_lock);
    status = driver_ready ? GPUCC_OK : load();
    driver_ready = status == GPUCC_OK;
    atomic_store(&driver_owner, status ? NOBODY : atomic_load(&process_forks));
    pthread_mutex_unlock(&driver_lock);
    return status;
}

/* After these errors nothing works in a device context any more. */
static bool is_final(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
        return true;
    default: /* hardware stack, illegal instruction, misaligned, address space, program counter, launch failed */
        return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED;
    }
}

const char *driver_error_name(CUresult result)
{
    const char *name = NULL;
    if (!driver.cuGetErrorName || driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        return "an unknown CUDA error";
    return name;
}

static gpucc_status status_of(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY: return GPUCC_NO_MEMORY;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE: return GPUCC_NO_DEVICE;
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: return GPUCC_NO_DRIVER;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return GPUCC_BAD_PROGRAM;
    case CUDA_ERROR_NOT_FOUND: return GPUCC_NOT_FOUND;
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE: return GPUCC_BAD_LAUNCH;
    case CUDA_ERROR_NOT_SUPPORTED: return GPUCC_UNSUPPORTED;
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: return GPUCC_UNSUPPORTED; /* the caller captures its stream */
    default: return GPUCC_DEVICE_ERROR;
    }
}

void driver_note(gpucc_context *context, CUresult result, const char *call)
{
    if (is_final(result))
        context_lost(context, result, call);
}

gpucc_status driver_failed(gpucc_context *context, CUresult result, const char *call)
{
    const char *text = NULL;
    if (!driver.cuGetErrorString || driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
        text = "an unknown error";
    if (context)
        driver_note(context, result, call);
    return fail(status_of(result), "%s failed with %s (%d): %s", call, driver_error_name(result), result, text);
}
