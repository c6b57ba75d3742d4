/* Devices, errors in words, and which context is current on which thread. */
#include "fake.h"

#include <stdio.h>

static bool initialised;

/* ---- devices ---- */

CUresult cuInit(unsigned flags)
{
    ENTER("cuInit", CUDA_ERROR_UNKNOWN);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (settings.devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    ENTER("cuDriverGetVersion", CUDA_ERROR_UNKNOWN);
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = settings.driver;
    return CUDA_SUCCESS;
}

static CUresult device_check(int device, const void *result)
{
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (device < 0 || device >= settings.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    return result ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    ENTER("cuDeviceGetCount", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(0, count);
    if (result == CUDA_SUCCESS)
        *count = settings.devices;
    return result;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER("cuDeviceGet", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(ordinal, device);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return result;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER("cuDeviceGetName", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(device, name);
    if (result == CUDA_SUCCESS && size <= 0)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)size, "Fake GPU %d", device);
    return result;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    ENTER("cuDeviceTotalMem", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(device, bytes);
    if (result == CUDA_SUCCESS)
        *bytes = settings.memory;
    return result;
}

int device_arch(int device)
{
    return device ? settings.other_arch : settings.arch;
}

static bool attribute(CUdevice device, int number, int *value)
{
    const int arch = device_arch(device);
    const struct {
        int attribute, value;
    } known[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_DEFAULT},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, settings.multiprocessors},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, MULTIPROCESSOR_THREADS},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, arch / 10},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, arch % 10},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, MULTIPROCESSOR_SHARED},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, MULTIPROCESSOR_REGISTERS},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, SHARED_OPTIN},
        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, settings.pools},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == number) {
            *value = known[i].value;
            return true;
        }
    return false;
}

CUresult cuDeviceGetAttribute(int *value, int number, CUdevice device)
{
    enum { POOLS_SINCE = 11020 };
    ENTER("cuDeviceGetAttribute", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(device, value);
    if (result != CUDA_SUCCESS)
        return result;
    if (number == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED && settings.driver < POOLS_SINCE)
        return CUDA_ERROR_INVALID_VALUE;
    if (number >= 1 && number <= 150 && !attribute(device, number, value))
        die("device attribute %d is none that the fake knows", number);
    return attribute(device, number, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER("cuDeviceCanAccessPeer", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(device, can);
    if (result == CUDA_SUCCESS)
        result = device_check(peer, can);
    if (result == CUDA_SUCCESS)
        *can = settings.peers && device != peer;
    return result;
}

/* ---- errors ---- */

static const struct {
    CUresult result;
    const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult describe(CUresult result, const char **text, bool name)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].result == result) {
            *text = name ? errors[i].name : errors[i].text;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    ENTER("cuGetErrorName", CUDA_ERROR_INVALID_VALUE);
    return describe(result, name, true);
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
    ENTER("cuGetErrorString", CUDA_ERROR_INVALID_VALUE);
    return describe(result, text, false);
}

/* ---- contexts ---- */

static struct context *primaries[64];

enum { CONTEXT_STACK = 32 };
static _Thread_local struct {
    struct context *contexts[CONTEXT_STACK];
    int depth;
} stack;

static struct context *top(void)
{
    return stack.depth > 0 ? stack.contexts[stack.depth - 1] : NULL;
}

CUresult context_current(struct context **out)
{
    struct context *context = top();
    *out = NULL;
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->object.live)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *out = context;
    return context->error;
}

CUresult context_owning(const void *handle, enum kind kind, struct context **out)
{
    CUresult result = context_current(out);
    return result == CUDA_SUCCESS ? object_check(handle, kind, *out) : result;
}

static struct context *context_new(int device)
{
    struct context *context = object_new(CONTEXT, NULL, sizeof *context);
    context->device = device;
    context->null_stream = object_new(STREAM, context, sizeof *context->null_stream);
    context->null_stream->blocking = true;
    context->null_stream->last = &context->null_stream->first;
    return context;
}

static long objects_drop(struct context *context)
{
    static const enum kind kinds[] = {STREAM, EVENT, MODULE, FUNCTION, TEXTURE, ARRAY, GRAPH, EXECUTABLE};
    long count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (struct object *o; (o = object_next(kinds[i], context, NULL)) != NULL; object_end(o))
            count += kinds[i] != FUNCTION;
    return count - 1; /* the null stream */
}

/* Work that is still waiting is done first. */
static void context_end(struct context *context)
{
    if (context->error == CUDA_SUCCESS)
        run_context(context);
    count_leak(context, memory_drop(context) + objects_drop(context));
    object_end(&context->object);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    ENTER("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
    CUresult result = device_check(device, out);
    if (result != CUDA_SUCCESS)
        return result;
    if (!primaries[device])
        primaries[device] = context_new(device);
    primaries[device]->retained++;
    *out = (CUcontext)primaries[device];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    ENTER_RELEASE("cuDevicePrimaryCtxRelease");
    CUresult result = device_check(device, &device);
    if (result != CUDA_SUCCESS)
        return result;
    if (!primaries[device])
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--primaries[device]->retained == 0) {
        context_end(primaries[device]);
        primaries[device] = NULL;
    }
    return injected;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    ENTER("cuDevicePrimaryCtxGetState", CUDA_ERROR_UNKNOWN);
    CUresult result = device_check(device, active);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags)
        *flags = 0;
    *active = primaries[device] != NULL;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    ENTER("cuCtxCreate", CUDA_ERROR_OUT_OF_MEMORY);
    (void)flags;
    CUresult result = device_check(device, out);
    if (result != CUDA_SUCCESS)
        return result;
    if (stack.depth == CONTEXT_STACK)
        die("%d contexts are on this thread's stack", CONTEXT_STACK);
    struct context *context = context_new(device);
    stack.contexts[stack.depth++] = context;
    *out = (CUcontext)context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext handle);
CUresult cuCtxDestroy_v2(CUcontext handle)
{
    ENTER_RELEASE("cuCtxDestroy");
    struct context *context = (struct context *)handle;
    if (object_check(context, CONTEXT, NULL) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == primaries[context->device])
        return CUDA_ERROR_INVALID_CONTEXT;
    context_end(context);
    if (top() == context)
        stack.depth--;
    return injected;
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
    ENTER("cuCtxGetCurrent", CUDA_ERROR_UNKNOWN);
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUcontext)top();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle)
{
    ENTER("cuCtxSetCurrent", CUDA_ERROR_UNKNOWN);
    struct context *context = (struct context *)handle;
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (context)
        (void)object_check(context, CONTEXT, NULL);
    if (stack.depth > 0)
        stack.depth--;
    if (context)
        stack.contexts[stack.depth++] = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext handle);
CUresult cuCtxPushCurrent_v2(CUcontext handle)
{
    ENTER("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
    if (!initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (object_check(handle, CONTEXT, NULL) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (stack.depth == CONTEXT_STACK)
        die("%d contexts are on this thread's stack", CONTEXT_STACK);
    stack.contexts[stack.depth++] = (struct context *)handle;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out);
CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    ENTER_RELEASE("cuCtxPopCurrent");
    if (!top())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (out)
        *out = (CUcontext)top();
    stack.depth--;
    return injected;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER("cuCtxGetDevice", CUDA_ERROR_UNKNOWN);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags)
{
    ENTER("cuCtxEnablePeerAccess", CUDA_ERROR_UNKNOWN);
    struct context *context;
    const struct context *peer = (const struct context *)handle;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, CONTEXT, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!settings.peers || peer->device == context->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (context->peers >> peer->device & 1)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context->peers |= (uint64_t)1 << peer->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    ENTER("cuCtxSynchronize", CUDA_ERROR_LAUNCH_FAILED);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    run_context(context);
    return context->error;
}
