/* DLPack: arrays that are tensors of other libraries and the other way round, without a copy.
 *
 * The structures are declared here, as DLPack's ABI has them: a dlpack.h that a user includes beside <gpucc/runtime.h>
 * may be of any version, and Debian's has no DLManagedTensorVersioned. */
#include "arrays/arrays.h"
#include <stdlib.h>
#include <string.h>

/* ---- DLPack's ABI ---- */

enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 0 };
enum { DLPACK_READ_ONLY = 1, DLPACK_IS_COPIED = 2 };
enum { DEVICE_CPU = 1, DEVICE_CUDA = 2, DEVICE_CUDA_HOST = 3, DEVICE_CUDA_MANAGED = 13 };
enum { TYPE_INT, TYPE_UINT, TYPE_FLOAT, TYPE_BFLOAT = 4, TYPE_COMPLEX, TYPE_BOOL, TYPE_E4M3 = 10, TYPE_E5M2 = 12 };

struct element {
    uint8_t code, bits;
    uint16_t lanes;
};

struct tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    struct element element;
    int64_t *shape, *strides; /* in elements; null: C order */
    uint64_t byte_offset;
};

struct DLManagedTensor {
    struct tensor tensor;
    void *owner;
    void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *owner;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    struct tensor tensor;
};

_Static_assert(sizeof(void *) != 8 || (sizeof(struct tensor) == 48 && sizeof(struct DLManagedTensor) == 64 &&
                                       sizeof(struct DLManagedTensorVersioned) == 80), "DLPack's ABI");

/* ---- element types ---- */

static struct element element_of(gpucc_dtype dtype)
{
    static const struct {
        char kind;
        uint8_t code;
    } codes[] = {{'b', TYPE_BOOL}, {'i', TYPE_INT}, {'u', TYPE_UINT}, {'f', TYPE_FLOAT}, {'c', TYPE_COMPLEX}};
    struct element element = {TYPE_BFLOAT, (uint8_t)(8 * dtypes[dtype].size), 1};
    if (dtype == GPUCC_FLOAT8_E4M3FN || dtype == GPUCC_FLOAT8_E5M2)
        element.code = dtype == GPUCC_FLOAT8_E4M3FN ? TYPE_E4M3 : TYPE_E5M2;
    else
        for (size_t i = 0; dtype != GPUCC_BFLOAT16 && i < sizeof codes / sizeof *codes; i++)
            if (codes[i].kind == dtypes[dtype].kind)
                element.code = codes[i].code;
    return element;
}

static gpucc_status find_dtype(struct element element, gpucc_dtype *dtype)
{
    if (element.lanes != 1)
        return fail(GPUCC_BAD_TYPE, "the tensor has elements of %d lanes; gpucc supports 1", element.lanes);
    for (*dtype = 0; *dtype < GPUCC_DTYPE_COUNT; ++*dtype) {
        const struct element known = element_of(*dtype);
        if (known.code == element.code && known.bits == element.bits)
            return GPUCC_OK;
    }
    return fail(GPUCC_BAD_TYPE, "the tensor has DLPack type code %d with %d bits, which gpucc does not support",
                element.code, element.bits);
}

/* ---- import ---- */

/* The kind that memory of that device has for the context. */
static gpucc_status find_memory(const gpucc_context *context, const struct tensor *tensor, gpucc_memory *where)
{
    const bool is_cpu = context->kind == GPUCC_DEVICE_CPU;
    *where = GPUCC_MEMORY_DEVICE;
    switch (tensor->device_type) {
    case DEVICE_CPU:
    case DEVICE_CUDA_HOST:
        *where = is_cpu ? GPUCC_MEMORY_DEVICE : GPUCC_MEMORY_HOST;
        return GPUCC_OK;
    case DEVICE_CUDA_MANAGED: return GPUCC_OK;
    case DEVICE_CUDA:
        if (!is_cpu && tensor->device_id == context->device.info.ordinal)
            return GPUCC_OK;
        if (is_cpu)
            return fail(GPUCC_INVALID_ARGUMENT, "the tensor is on cuda:%d, but the context is on the CPU",
                        (int)tensor->device_id);
        return fail(GPUCC_INVALID_ARGUMENT, "the tensor is on cuda:%d, but the context is on cuda:%d",
                    (int)tensor->device_id, context->device.info.ordinal);
    default:
        return fail(GPUCC_UNSUPPORTED,
                    "the tensor has DLPack device type %d; gpucc supports the memory of the CPU and of CUDA",
                    (int)tensor->device_type);
    }
}

/* In bytes.  The stride of a single element does not matter, and some producers write anything there. */
static gpucc_status find_strides(const struct tensor *tensor, size_t size, int64_t *strides)
{
    for (int d = 0; d < tensor->ndim; d++) {
        if (!__builtin_mul_overflow(tensor->strides[d], (int64_t)size, &strides[d]))
            continue;
        if (tensor->shape[d] > 1)
            return fail(GPUCC_BAD_SHAPE,
                        "the tensor's stride of dimension %d, %lld elements, exceeds the address space", d,
                        (long long)tensor->strides[d]);
        strides[d] = (int64_t)size;
    }
    return GPUCC_OK;
}

static gpucc_status find_data(const struct tensor *tensor, void **data)
{
    uintptr_t address = (uintptr_t)tensor->data;
    if (tensor->data && __builtin_add_overflow(address, tensor->byte_offset, &address))
        return fail(GPUCC_BAD_SHAPE, "the tensor's byte_offset, %llu, exceeds the address space",
                    (unsigned long long)tensor->byte_offset);
    *data = (void *)address;
    return GPUCC_OK;
}

static gpucc_status import(gpucc_context *context, const struct tensor *tensor, const gpucc_wrap_options *how,
                           gpucc_array **out)
{
    void *data = NULL;
    gpucc_dtype dtype;
    gpucc_memory where;
    int64_t strides[GPUCC_MAX_DIMS];
    gpucc_status status = find_dtype(tensor->element, &dtype);
    if (!status)
        status = array_check_shape(dtype, tensor->ndim, tensor->shape);
    if (!status)
        status = find_memory(context, tensor, &where);
    if (!status && tensor->strides)
        status = find_strides(tensor, dtypes[dtype].size, strides);
    if (!status)
        status = find_data(tensor, &data);
    return status ? status : gpucc_array_wrap_with(context, dtype, tensor->ndim, tensor->shape,
                                                   tensor->strides ? strides : NULL, data, where, how, out);
}

static gpucc_status import_options(const gpucc_import_options *options, const char *call, gpucc_wrap_options *how)
{
    *how = (gpucc_wrap_options){.size = sizeof *how};
    if (options && HAS_FIELD(options, cuda_stream))
        how->cuda_stream = options->cuda_stream;
    return CHECK_OPTIONS(call, options);
}

static void delete_versioned(void *data)
{
    struct DLManagedTensorVersioned *tensor = data;
    if (tensor->deleter)
        tensor->deleter(tensor);
}

gpucc_status gpucc_array_from_dlpack(gpucc_context *context, struct DLManagedTensorVersioned *tensor,
                                     const gpucc_import_options *options, gpucc_array **out)
{
    gpucc_wrap_options how;
    if (!context || !tensor || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_from_dlpack: context, tensor or out is null");
    *out = NULL;
    if (tensor->major != DLPACK_MAJOR) /* what lies behind the flags may be anything */
        return fail(GPUCC_UNSUPPORTED, "the tensor has DLPack version %u.%u; gpucc supports %d.x",
                    (unsigned)tensor->major,
                    (unsigned)tensor->minor, DLPACK_MAJOR);
    gpucc_status status = import_options(options, "gpucc_array_from_dlpack", &how);
    how.read_only = (tensor->flags & DLPACK_READ_ONLY) != 0;
    how.release = delete_versioned;
    how.release_data = tensor;
    return status ? status : import(context, &tensor->tensor, &how, out);
}

static void delete_unversioned(void *data)
{
    struct DLManagedTensor *tensor = data;
    if (tensor->deleter)
        tensor->deleter(tensor);
}

gpucc_status gpucc_array_from_dlpack_unversioned(gpucc_context *context, struct DLManagedTensor *tensor,
                                                 const gpucc_import_options *options, gpucc_array **out)
{
    gpucc_wrap_options how;
    if (!context || !tensor || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_from_dlpack_unversioned: context, tensor or out is null");
    *out = NULL;
    gpucc_status status = import_options(options, "gpucc_array_from_dlpack_unversioned", &how);
    how.release = delete_unversioned;
    how.release_data = tensor;
    return status ? status : import(context, &tensor->tensor, &how, out);
}

/* ---- export ---- */

/* A tensor that others hold, with the memory and the context that it keeps. */
struct export {
    union {
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor unversioned;
    };
    gpucc_context *context;
    struct memory *memory;
    int64_t extents[]; /* the shape, and behind it the strides */
};

/* On a thread of the consumer's, which has no other context current afterwards, and none of ours.  Of a parent's tensor
 * the child of fork() frees nothing. */
static void export_end(struct export *export)
{
    CUcontext previous;
    gpucc_context *context = export->context;
    if (!context_is_ours(context))
        return;
    const bool entered = context_enter(context, &previous) == GPUCC_OK;
    memory_release(export->memory);
    free(export);
    if (entered && context->kind == GPUCC_DEVICE_CUDA)
        driver.cuCtxSetCurrent(previous);
    context_release(context);
}

static void end_versioned(struct DLManagedTensorVersioned *tensor)
{
    if (tensor)
        export_end(CONTAINER(tensor, struct export, versioned));
}

static void end_unversioned(struct DLManagedTensor *tensor)
{
    if (tensor)
        export_end(CONTAINER(tensor, struct export, unversioned));
}

static bool is_on_gpu(const gpucc_array *array)
{
    return array->context->kind == GPUCC_DEVICE_CUDA && array->where == GPUCC_MEMORY_DEVICE;
}

/* DLPack counts strides in elements, and takes them for aligned. */
static gpucc_status check_layout(const gpucc_array *array)
{
    const struct dtype *type = &dtypes[array->dtype];
    const int64_t size = type->size;
    if (array->count == 0)
        return GPUCC_OK;
    for (int d = 0; d < array->ndim; d++)
        if (array->shape[d] > 1 && array->strides[d] % size != 0)
            return fail(GPUCC_BAD_SHAPE,
                        "the stride of dimension %d, %lld bytes, is not a multiple of the itemsize, %lld bytes of %s, "
                        "as DLPack requires: export a copy",
                        d, (long long)array->strides[d], (long long)size, type->name);
    if ((uintptr_t)array->data % dtype_alignment(array->dtype) != 0)
        return fail(GPUCC_BAD_SHAPE, "the array's address is not aligned for %s: export a copy", type->name);
    return GPUCC_OK;
}

/* The stride of what has no two elements is as in C order, which some consumers look for. */
static void fill(struct tensor *tensor, const gpucc_array *array, int64_t *extents)
{
    const int64_t size = dtypes[array->dtype].size;
    int64_t step = 1;
    *tensor = (struct tensor){
        .data = array->count > 0 ? array->data : NULL,
        .ndim = array->ndim,
        .element = element_of(array->dtype),
        .shape = extents,
        .strides = extents + array->ndim,
    };
    gpucc_array_dlpack_device(array, &tensor->device_type, &tensor->device_id);
    for (int d = array->ndim; d-- > 0;) {
        const bool matters = array->count > 0 && array->shape[d] > 1;
        extents[d] = array->shape[d];
        extents[array->ndim + d] = matters ? array->strides[d] / size : step;
        step *= array->shape[d] > 1 ? array->shape[d] : 1;
    }
}

/* A null stream is the legacy default one, as in Python's __dlpack__(). */
static gpucc_status order_consumer(const gpucc_array *array, void *stream)
{
    CUcontext previous;
    gpucc_context *context = array->context;
    if (!is_on_gpu(array))
        return GPUCC_OK;
    stream = stream ? stream : CU_STREAM_LEGACY;
    /* streams of ours keep order with the legacy default stream, so that freeing in theirs comes after its work */
    if (stream != CU_STREAM_LEGACY || context->stream.foreign)
        atomic_store(&array->memory->exported, true);
    if (stream == (void *)-1)
        return GPUCC_OK;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = stream_lead_foreign(array->memory, stream);
    context_leave(context, previous);
    return status;
}

static gpucc_status export_new(const gpucc_array *array, bool versioned, struct export **out)
{
    size_t size = sizeof(struct export) + 2 * (size_t)array->ndim * sizeof(int64_t);
    struct export *export = calloc(1, size);
    if (!export)
        return fail_memory(size, "a tensor");
    export->context = context_retain(array->context);
    export->memory = memory_retain(array->memory);
    fill(versioned ? &export->versioned.tensor : &export->unversioned.tensor, array, export->extents);
    *out = export;
    return GPUCC_OK;
}

static gpucc_status export(const gpucc_array *array, const gpucc_export_options *options, bool versioned,
                           struct export **out)
{
    gpucc_array *copy = NULL;
    gpucc_status status = CHECK_OPTIONS("the export", options);
    if (status)
        return status;
    void *stream = options && HAS_FIELD(options, cuda_stream) ? options->cuda_stream : NULL;
    const bool copies = options && HAS_FIELD(options, copy) && options->copy;
    if (array->read_only && !versioned && !copies)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "the array is read-only, which an unversioned DLPack tensor cannot express: export a versioned "
                    "tensor or a copy");
    status = copies ? array_duplicate(array, &copy) : check_layout(array);
    if (status)
        return status;
    array = copies ? copy : array;
    status = order_consumer(array, stream);
    if (!status)
        status = export_new(array, versioned, out);
    if (!status && versioned)
        (*out)->versioned.flags = (array->read_only ? DLPACK_READ_ONLY : 0) | (copies ? DLPACK_IS_COPIED : 0);
    gpucc_array_release(copy);
    return status;
}

gpucc_status gpucc_array_to_dlpack(const gpucc_array *array, const gpucc_export_options *options,
                                   struct DLManagedTensorVersioned **out)
{
    struct export *made;
    if (!array || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_to_dlpack: array or out is null");
    *out = NULL;
    gpucc_status status = array_check_held(array, "gpucc_array_to_dlpack");
    if (!status)
        status = export(array, options, true, &made);
    if (status)
        return status;
    made->versioned.major = DLPACK_MAJOR;
    made->versioned.minor = DLPACK_MINOR;
    made->versioned.deleter = end_versioned;
    *out = &made->versioned;
    return GPUCC_OK;
}

gpucc_status gpucc_array_to_dlpack_unversioned(const gpucc_array *array, const gpucc_export_options *options,
                                               struct DLManagedTensor **out)
{
    struct export *made;
    if (!array || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_to_dlpack_unversioned: array or out is null");
    *out = NULL;
    gpucc_status status = array_check_held(array, "gpucc_array_to_dlpack_unversioned");
    if (!status)
        status = export(array, options, false, &made);
    if (status)
        return status;
    made->unversioned.deleter = end_unversioned;
    *out = &made->unversioned;
    return GPUCC_OK;
}

gpucc_status gpucc_array_dlpack_device(const gpucc_array *array, int32_t *type, int32_t *id)
{
    if (!array || !type || !id)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_array_dlpack_device: array, type or id is null");
    if (array_is_released(array))
        return array_check_held(array, "gpucc_array_dlpack_device");
    *type = is_on_gpu(array) ? DEVICE_CUDA : DEVICE_CPU;
    *id = is_on_gpu(array) ? array->context->device.info.ordinal : 0;
    return GPUCC_OK;
}
