/* Copies and fills: all of them rows of bytes, done when the device comes to it. */
#include "fake.h"

#include <string.h>

struct side {
    char *pointer;
    size_t pitch;
    struct allocation *allocation; /* null: the host's memory */
};

struct copy {
    struct side to, from;
    size_t width, height;
};

static struct {
    const char *begin, *end;
    size_t bytes;
} watched;

static void count_watched(const struct side *side, size_t size)
{
    if (!side->allocation && side->pointer >= watched.begin && side->pointer < watched.end)
        watched.bytes += size;
}

void fake_cuda_watch(const void *data, size_t size)
{
    ENTER_LOCK;
    watched.begin = data;
    watched.end = watched.begin + size;
    watched.bytes = 0;
}

size_t fake_cuda_watched(void)
{
    ENTER_LOCK;
    return watched.bytes;
}

static void run_copy(struct op *op)
{
    const struct copy *copy = (const struct copy *)(void *)op->data;
    if (copy->to.allocation)
        allocation_require(copy->to.allocation);
    if (copy->from.allocation)
        allocation_require(copy->from.allocation);
    count_watched(&copy->to, copy->width * copy->height);
    count_watched(&copy->from, copy->width * copy->height);
    for (size_t row = 0; row < copy->height; row++)
        memmove(copy->to.pointer + row * copy->to.pitch, copy->from.pointer + row * copy->from.pitch, copy->width);
}

void copies_check_host(const struct context *context, const char *base, size_t size)
{
    for (struct stream *s = NULL; (s = object_next(STREAM, context, s)) != NULL;)
        for (const struct op *op = s->first; op; op = op->next) {
            const struct copy *copy = (const struct copy *)(const void *)op->data;
            if (op->run != run_copy)
                continue;
            const struct side *host = copy->to.allocation ? &copy->from : &copy->to;
            if (!host->allocation && host->pointer >= base && host->pointer < base + size)
                die("a copy that has not been done yet uses the memory");
        }
}

/* Device memory must hold the whole of it; the host's is not ours to know, but it is no device address. */
static CUresult resolve(struct side *side, bool device, size_t width, size_t height)
{
    size_t extent = (height - 1) * side->pitch + width;
    if (side->pitch < width)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device && address_is_device((uintptr_t)side->pointer))
        die("host pointer %p is a device address", (void *)side->pointer);
    if (!device)
        return side->pointer && !range_is_mixed((uintptr_t)side->pointer, extent) ? CUDA_SUCCESS
                                                                                  : CUDA_ERROR_INVALID_VALUE;
    side->allocation = allocation_find((uintptr_t)side->pointer, extent);
    return side->allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult enqueue_copy(const char *call, struct copy *copy, bool to_device, bool from_device, CUstream handle)
{
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS || copy->width == 0 || copy->height == 0)
        return result;
    result = resolve(&copy->to, to_device, copy->width, copy->height);
    if (result == CUDA_SUCCESS)
        result = resolve(&copy->from, from_device, copy->width, copy->height);
    if (result == CUDA_SUCCESS)
        enqueue(stream, call, run_copy, copy, sizeof *copy);
    return result;
}

static struct copy flat(const void *to, const void *from, size_t size)
{
    return (struct copy){{(char *)(uintptr_t)to, size, NULL}, {(char *)(uintptr_t)from, size, NULL}, size, 1};
}

static const void *pointer_of(CUdeviceptr address)
{
    return (const void *)(uintptr_t)address;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    ENTER("cuMemcpyHtoDAsync", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(pointer_of(to), from, size);
    return enqueue_copy("cuMemcpyHtoDAsync", &copy, true, false, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER("cuMemcpyDtoHAsync", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(to, pointer_of(from), size);
    return enqueue_copy("cuMemcpyDtoHAsync", &copy, false, true, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER("cuMemcpyDtoDAsync", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(pointer_of(to), pointer_of(from), size);
    return enqueue_copy("cuMemcpyDtoDAsync", &copy, true, true, stream);
}

/* Each side is memory of the device that the caller says. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream)
{
    ENTER("cuMemcpyPeerAsync", CUDA_ERROR_UNKNOWN);
    const struct context *contexts[] = {(const struct context *)to_context, (const struct context *)from_context};
    const CUdeviceptr addresses[] = {to, from};
    for (int i = 0; i < 2; i++) {
        const struct allocation *allocation = allocation_find(addresses[i], size);
        if (object_check(contexts[i], CONTEXT, NULL) != CUDA_SUCCESS)
            return CUDA_ERROR_INVALID_CONTEXT;
        if (allocation && !allocation_is_on(allocation, contexts[i]->device))
            return CUDA_ERROR_INVALID_VALUE;
    }
    struct copy copy = flat(pointer_of(to), pointer_of(from), size);
    return enqueue_copy("cuMemcpyPeerAsync", &copy, true, true, stream);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *request, CUstream stream)
{
    ENTER("cuMemcpy2DAsync", CUDA_ERROR_UNKNOWN);
    enum { MAX_PITCH = 0x7fffffff };
    if (!request || request->srcPitch > MAX_PITCH || request->dstPitch > MAX_PITCH)
        return CUDA_ERROR_INVALID_VALUE;
    bool to_device = request->dstMemoryType == CU_MEMORYTYPE_DEVICE;
    bool from_device = request->srcMemoryType == CU_MEMORYTYPE_DEVICE;
    if ((!to_device && request->dstMemoryType != CU_MEMORYTYPE_HOST) ||
        (!from_device && request->srcMemoryType != CU_MEMORYTYPE_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    struct copy copy = {.width = request->WidthInBytes, .height = request->Height};
    copy.to.pitch = request->dstPitch ? request->dstPitch : copy.width;
    copy.from.pitch = request->srcPitch ? request->srcPitch : copy.width;
    copy.to.pointer = to_device ? (char *)(uintptr_t)request->dstDevice : request->dstHost;
    copy.from.pointer = from_device ? (char *)(uintptr_t)request->srcDevice : (char *)(uintptr_t)request->srcHost;
    copy.to.pointer += request->dstY * copy.to.pitch + request->dstXInBytes;
    copy.from.pointer += request->srcY * copy.from.pitch + request->srcXInBytes;
    return enqueue_copy("cuMemcpy2DAsync", &copy, to_device, from_device, stream);
}

/* ---- at once ---- */

static CUresult copy_now(const char *call, struct copy *copy, bool to_device, bool from_device)
{
    struct context *context;
    CUresult result = enqueue_copy(call, copy, to_device, from_device, NULL);
    if (result == CUDA_SUCCESS)
        result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    run_stream(context->null_stream);
    return context->error;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    ENTER("cuMemcpyHtoD", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(pointer_of(to), from, size);
    return copy_now("cuMemcpyHtoD", &copy, true, false);
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    ENTER("cuMemcpyDtoH", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(to, pointer_of(from), size);
    return copy_now("cuMemcpyDtoH", &copy, false, true);
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    ENTER("cuMemcpyDtoD", CUDA_ERROR_UNKNOWN);
    struct copy copy = flat(pointer_of(to), pointer_of(from), size);
    return copy_now("cuMemcpyDtoD", &copy, true, true);
}

/* ---- fills ---- */

struct fill {
    struct side to;
    size_t size;
    unsigned char value;
};

static void run_fill(struct op *op)
{
    const struct fill *fill = (const struct fill *)(void *)op->data;
    allocation_require(fill->to.allocation);
    memset(fill->to.pointer, fill->value, fill->size);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size, CUstream handle)
{
    ENTER("cuMemsetD8Async", CUDA_ERROR_UNKNOWN);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS || size == 0)
        return result;
    struct fill fill = {{(char *)(uintptr_t)to, size, NULL}, size, value};
    result = resolve(&fill.to, true, size, 1);
    if (result == CUDA_SUCCESS)
        enqueue(stream, "cuMemsetD8Async", run_fill, &fill, sizeof fill);
    return result;
}
