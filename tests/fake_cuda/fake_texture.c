/* The driver's arrays, in device memory that only texture and surface objects reach, and these objects, which are what
 * native code takes for one (runtime/arrays/texture.h). */
#include "arrays/texture.h"
#include "base/cpu_tensor_map.h"
#include "fake.h"

#include <string.h>

struct array {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR is;
    size_t texel; /* bytes */
    struct allocation *memory;
};

struct texture {
    struct object object;
    uint64_t handle;         /* names `look` in the table that native code uses */
    uint64_t played;         /* names it in ours, which the player of PTX uses */
    struct cpu_texture view;
    struct array *array;     /* null: linear */
    struct allocation *memory;
};

/* ---- the table of objects: ours, unless the program hands over its own ---- */

static uint64_t (*register_object)(const struct cpu_texture *texture) = texture_object_register;
static void (*unregister_object)(uint64_t object) = texture_object_unregister;

void fake_cuda_use_textures(uint64_t (*register_one)(const struct cpu_texture *texture),
                            void (*unregister_one)(uint64_t object))
{
    ENTER_LOCK;
    register_object = register_one;
    unregister_object = unregister_one;
}

/* ---- arrays ---- */

static size_t at_least_1(size_t extent)
{
    return extent ? extent : 1;
}

static bool find_format(int format, gpucc_dtype *dtype, size_t *size)
{
    static const struct {
        int format;
        gpucc_dtype dtype;
        size_t size;
    } formats[] = {
        {CU_AD_FORMAT_SIGNED_INT8, GPUCC_INT8, 1},   {CU_AD_FORMAT_UNSIGNED_INT8, GPUCC_UINT8, 1},
        {CU_AD_FORMAT_SIGNED_INT16, GPUCC_INT16, 2}, {CU_AD_FORMAT_UNSIGNED_INT16, GPUCC_UINT16, 2},
        {CU_AD_FORMAT_SIGNED_INT32, GPUCC_INT32, 4}, {CU_AD_FORMAT_UNSIGNED_INT32, GPUCC_UINT32, 4},
        {CU_AD_FORMAT_HALF, GPUCC_FLOAT16, 2},       {CU_AD_FORMAT_FLOAT, GPUCC_FLOAT32, 4},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            *dtype = formats[i].dtype;
            *size = formats[i].size;
            return true;
        }
    return false;
}

static bool is_channels(unsigned count)
{
    return count == 1 || count == 2 || count == 4;
}

CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *is)
{
    ENTER("cuArray3DCreate", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    gpucc_dtype dtype;
    size_t size;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const bool layered = is && (is->Flags & CUDA_ARRAY3D_LAYERED);
    if (!out || !is || !is->Width || !find_format(is->Format, &dtype, &size) || !is_channels(is->NumChannels) ||
        (layered ? !is->Depth : is->Depth && !is->Height) ||
        (is->Flags & ~(unsigned)(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST)))
        return CUDA_ERROR_INVALID_VALUE;
    const size_t texel = size * is->NumChannels;
    struct allocation *memory =
        memory_place(context, is->Width * at_least_1(is->Height) * at_least_1(is->Depth) * texel, NULL);
    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct array *array = object_new(ARRAY, context, sizeof *array);
    array->is = *is;
    array->texel = texel;
    array->memory = memory;
    *out = (CUarray)array;
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray handle)
{
    ENTER_RELEASE("cuArrayDestroy");
    struct context *context;
    CUresult result = context_owning(handle, ARRAY, &context);
    if (result != CUDA_SUCCESS)
        return result;
    struct array *array = (struct array *)handle;
    for (struct texture *t = NULL; (t = object_next(TEXTURE, context, t)) != NULL;)
        if (t->array == array)
            die("the array is still that of a texture or surface object");
    run_context(context);
    memory_discard(array->memory);
    object_end(&array->object);
    return injected;
}

/* ---- copies ---- */

struct image_copy {
    struct allocation *to, *from;
    char *to_bytes;
    const char *from_bytes;
    size_t size;
};

static void run_image_copy(struct op *op)
{
    const struct image_copy *copy = (const struct image_copy *)(void *)op->data;
    allocation_require(copy->to);
    allocation_require(copy->from);
    memcpy(copy->to_bytes, copy->from_bytes, copy->size);
}

/* The whole of an array, to or from packed device memory. */
static CUresult check_image_copy(const CUDA_MEMCPY3D *how, const struct array *array, CUdeviceptr memory, size_t pitch,
                                 size_t height)
{
    const CUDA_ARRAY3D_DESCRIPTOR *is = &array->is;
    if (how->srcXInBytes || how->srcY || how->srcZ || how->dstXInBytes || how->dstY || how->dstZ)
        die("the fake copies whole arrays");
    if (how->WidthInBytes != is->Width * array->texel || how->Height != at_least_1(is->Height) ||
        how->Depth != at_least_1(is->Depth) || pitch != how->WidthInBytes || height != how->Height)
        return CUDA_ERROR_INVALID_VALUE;
    return allocation_find(memory, pitch * height * how->Depth) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *how, CUstream handle)
{
    ENTER("cuMemcpy3DAsync", CUDA_ERROR_UNKNOWN);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    const bool to_array = how->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    if ((to_array ? how->srcMemoryType : how->dstMemoryType) != CU_MEMORYTYPE_DEVICE ||
        (!to_array && how->srcMemoryType != CU_MEMORYTYPE_ARRAY))
        die("the fake copies between an array and device memory");
    struct array *array = (struct array *)(to_array ? how->dstArray : how->srcArray);
    const CUdeviceptr memory = to_array ? how->srcDevice : how->dstDevice;
    result = object_check(array, ARRAY, context);
    if (result == CUDA_SUCCESS)
        result = check_image_copy(how, array, memory, to_array ? how->srcPitch : how->dstPitch,
                                  to_array ? how->srcHeight : how->dstHeight);
    if (result != CUDA_SUCCESS)
        return result;
    struct allocation *bytes = allocation_find(memory, 0);
    char *texels = allocation_base(array->memory), *at = (char *)(uintptr_t)memory;
    const size_t size = how->WidthInBytes * how->Height * how->Depth;
    const struct image_copy copy = to_array ? (struct image_copy){array->memory, bytes, texels, at, size}
                                            : (struct image_copy){bytes, array->memory, at, texels, size};
    enqueue(stream, "cuMemcpy3DAsync", run_image_copy, &copy, sizeof copy);
    return CUDA_SUCCESS;
}

/* ---- objects ---- */

static CUresult view_array(struct texture *texture, CUarray handle, const struct context *context)
{
    gpucc_dtype dtype = GPUCC_DTYPE_COUNT;
    size_t size;
    CUresult result = object_check(handle, ARRAY, context);
    if (result != CUDA_SUCCESS)
        return result;
    struct array *array = (struct array *)handle;
    const CUDA_ARRAY3D_DESCRIPTOR *is = &array->is;
    const bool layered = is->Flags & CUDA_ARRAY3D_LAYERED;
    find_format(is->Format, &dtype, &size);
    texture->array = array;
    texture->memory = array->memory;
    texture->view.image = (struct cpu_image){
        .texels = allocation_base(array->memory),
        .dtype = dtype,
        .channels = (int)is->NumChannels,
        .dims = 1 + (is->Height > 0) + (is->Depth > 0 && !layered),
        .extent = {(int64_t)is->Width, (int64_t)at_least_1(is->Height), layered ? 1 : (int64_t)at_least_1(is->Depth)},
        .layers = layered ? (int64_t)is->Depth : 0,
    };
    return CUDA_SUCCESS;
}

static CUresult view_memory(struct texture *texture, const CUDA_RESOURCE_DESC *resource)
{
    gpucc_dtype dtype;
    size_t size, bytes = resource->res.linear.sizeInBytes;
    if (!find_format(resource->res.linear.format, &dtype, &size) || !is_channels(resource->res.linear.numChannels))
        return CUDA_ERROR_INVALID_VALUE;
    texture->memory = allocation_find(resource->res.linear.devPtr, bytes);
    if (!texture->memory || resource->res.linear.devPtr % size)
        return CUDA_ERROR_INVALID_VALUE;
    texture->view.image = (struct cpu_image){
        .texels = (char *)(uintptr_t)resource->res.linear.devPtr,
        .dtype = dtype,
        .channels = (int)resource->res.linear.numChannels,
        .dims = 1,
        .extent = {(int64_t)(bytes / (size * resource->res.linear.numChannels)), 1, 1},
        .linear = true,
    };
    return CUDA_SUCCESS;
}

static gpucc_address_mode address_of(int mode)
{
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP: return GPUCC_ADDRESS_WRAP;
    case CU_TR_ADDRESS_MODE_MIRROR: return GPUCC_ADDRESS_MIRROR;
    case CU_TR_ADDRESS_MODE_BORDER: return GPUCC_ADDRESS_BORDER;
    default: return GPUCC_ADDRESS_CLAMP;
    }
}

/* Integers of 32 bits are never numbers from 0 to 1, and only what is read as a number is filtered. */
static CUresult set_view(struct cpu_texture *view, const CUDA_TEXTURE_DESC *how)
{
    const gpucc_dtype dtype = view->image.dtype;
    const bool is_float = dtype == GPUCC_FLOAT16 || dtype == GPUCC_FLOAT32;
    view->normalized = how->flags & CU_TRSF_NORMALIZED_COORDINATES;
    view->as_float = !is_float && !(how->flags & CU_TRSF_READ_AS_INTEGER);
    view->filter = how->filterMode == CU_TR_FILTER_MODE_LINEAR ? GPUCC_FILTER_LINEAR : GPUCC_FILTER_NEAREST;
    for (int d = 0; d < 3; d++)
        view->address[d] = address_of(how->addressMode[d]);
    memcpy(view->border, how->borderColor, sizeof view->border);
    if (view->as_float && (dtype == GPUCC_INT32 || dtype == GPUCC_UINT32))
        return CUDA_ERROR_INVALID_VALUE;
    return view->filter == GPUCC_FILTER_LINEAR && !is_float && !view->as_float ? CUDA_ERROR_INVALID_VALUE
                                                                              : CUDA_SUCCESS;
}

/* `how` is null for a surface. */
static CUresult create_object(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how)
{
    struct context *context;
    struct texture made = {.view.is_surface = !how};
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS && (!out || !resource))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && resource->resType == CU_RESOURCE_TYPE_ARRAY)
        result = view_array(&made, resource->res.array.hArray, context);
    else if (result == CUDA_SUCCESS)
        result = how && resource->resType == CU_RESOURCE_TYPE_LINEAR ? view_memory(&made, resource)
                                                                     : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && how)
        result = set_view(&made.view, how);
    if (result == CUDA_SUCCESS && !how && !(made.array->is.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    struct texture *texture = object_new(TEXTURE, context, sizeof *texture);
    texture->view = made.view;
    texture->handle = register_object(&texture->view);
    texture->played = texture_object_register(&texture->view);
    texture->array = made.array;
    texture->memory = made.memory;
    *out = texture->handle;
    return texture->handle && texture->played ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how,
                           const void *view)
{
    ENTER("cuTexObjectCreate", CUDA_ERROR_UNKNOWN);
    return !how || view ? CUDA_ERROR_INVALID_VALUE : create_object(out, resource, how);
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    ENTER("cuSurfObjectCreate", CUDA_ERROR_UNKNOWN);
    return create_object(out, resource, NULL);
}

static CUresult destroy_object(uint64_t handle, bool is_surface)
{
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    for (struct texture *t = NULL; (t = object_next(TEXTURE, context, t)) != NULL;)
        if (t->handle == handle && t->view.is_surface == is_surface) {
            run_context(context);
            unregister_object(handle);
            texture_object_unregister(t->played);
            object_end(&t->object);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Plays it with a map of the CPU's, which native code reads. */
CUresult cuTensorMapEncodeTiled(gpucc_tensor_map *map, int type, uint32_t rank, void *data, const uint64_t *extents,
                                const uint64_t *pitches, const uint32_t *box, const uint32_t *element_strides,
                                int interleave, int swizzle, int promotion, int fill)
{
    static const gpucc_dtype kinds[] = {GPUCC_UINT8, GPUCC_UINT16,  GPUCC_UINT32,  GPUCC_INT32,   GPUCC_UINT64,
                                        GPUCC_INT64, GPUCC_FLOAT16, GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_BFLOAT16};
    static const uint8_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2}, row[] = {0, 32, 64, 128};
    struct cpu_tensor_map made = {.data = data, .rank = (uint8_t)rank};
    ENTER("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE);
    if (type < 0 || type >= (int)(sizeof kinds / sizeof *kinds) || rank < 1 || rank > TENSOR_RANKS || interleave != 0 ||
        swizzle < 0 || swizzle > 3 || promotion < 0 || fill != 0)
        return CUDA_ERROR_INVALID_VALUE;
    made.dtype = (uint8_t)kinds[type];
    made.element = element[type];
    made.swizzle = row[swizzle];
    for (uint32_t d = 0; d < rank; d++) {
        if (element_strides[d] != 1 || box[d] < 1 || box[d] > TENSOR_BOX || (d > 0 && pitches[d - 1] % 16 != 0))
            return CUDA_ERROR_INVALID_VALUE;
        made.extent[d] = (uint32_t)extents[d];
        made.box[d] = (uint16_t)box[d];
        made.pitch[d] = d == 0 ? made.element : pitches[d - 1];
    }
    made.magic = cpu_tensor_map_magic(&made);
    *map = (gpucc_tensor_map){0};
    memcpy(map, &made, sizeof made);
    return injected;
}

CUresult cuTexObjectDestroy(CUtexObject handle)
{
    ENTER_RELEASE("cuTexObjectDestroy");
    const CUresult result = destroy_object(handle, false);
    return result == CUDA_SUCCESS ? injected : result;
}

CUresult cuSurfObjectDestroy(CUsurfObject handle)
{
    ENTER_RELEASE("cuSurfObjectDestroy");
    const CUresult result = destroy_object(handle, true);
    return result == CUDA_SUCCESS ? injected : result;
}

static const struct texture *find_texture(const struct context *context, uint64_t handle)
{
    for (struct texture *t = NULL; (t = object_next(TEXTURE, context, t)) != NULL;)
        if (t->handle == handle)
            return t;
    return NULL;
}

struct allocation *texture_memory(const struct context *context, uint64_t handle)
{
    const struct texture *texture = find_texture(context, handle);
    return texture ? texture->memory : NULL;
}

uint64_t texture_played(const struct context *context, uint64_t handle)
{
    const struct texture *texture = find_texture(context, handle);
    return texture ? texture->played : 0;
}
