/* Textures on a GPU: the driver's arrays, in a layout of its own, and its objects. */
#include "arrays/texture.h"

static int format_of(gpucc_dtype dtype)
{
    switch (dtype) {
    case GPUCC_INT8: return CU_AD_FORMAT_SIGNED_INT8;
    case GPUCC_INT16: return CU_AD_FORMAT_SIGNED_INT16;
    case GPUCC_INT32: return CU_AD_FORMAT_SIGNED_INT32;
    case GPUCC_UINT8: return CU_AD_FORMAT_UNSIGNED_INT8;
    case GPUCC_UINT16: return CU_AD_FORMAT_UNSIGNED_INT16;
    case GPUCC_UINT32: return CU_AD_FORMAT_UNSIGNED_INT32;
    case GPUCC_FLOAT16: return CU_AD_FORMAT_HALF;
    default: return CU_AD_FORMAT_FLOAT;
    }
}

static int address_of(gpucc_address_mode mode)
{
    switch (mode) {
    case GPUCC_ADDRESS_BORDER: return CU_TR_ADDRESS_MODE_BORDER;
    case GPUCC_ADDRESS_WRAP: return CU_TR_ADDRESS_MODE_WRAP;
    case GPUCC_ADDRESS_MIRROR: return CU_TR_ADDRESS_MODE_MIRROR;
    default: return CU_TR_ADDRESS_MODE_CLAMP;
    }
}

static size_t texel_size(const struct cpu_image *image)
{
    return (size_t)image->channels * dtypes[image->dtype].size;
}

/* Missing dimensions are 0; the driver counts layers as depth. */
static gpucc_status create_array(gpucc_texture *texture)
{
    const struct cpu_image *image = &texture->read.image;
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = (size_t)image->extent[0],
        .Height = image->dims > 1 ? (size_t)image->extent[1] : 0,
        .Depth = (size_t)(image->dims > 2 ? image->extent[2] : image->layers),
        .Format = format_of(image->dtype),
        .NumChannels = (unsigned)image->channels,
        .Flags = (image->layers ? CUDA_ARRAY3D_LAYERED : 0u) | (texture->has_surface ? CUDA_ARRAY3D_SURFACE_LDST : 0u),
    };
    return CU(texture->context, cuArray3DCreate, &texture->array, &descriptor);
}

static CUDA_RESOURCE_DESC resource_of(const gpucc_texture *texture, const gpucc_array *array)
{
    const struct cpu_image *image = &texture->read.image;
    CUDA_RESOURCE_DESC resource = {.resType = image->linear ? CU_RESOURCE_TYPE_LINEAR : CU_RESOURCE_TYPE_ARRAY};
    if (!image->linear) {
        resource.res.array.hArray = texture->array;
        return resource;
    }
    resource.res.linear.devPtr = (CUdeviceptr)(uintptr_t)array->data;
    resource.res.linear.format = format_of(image->dtype);
    resource.res.linear.numChannels = (unsigned)image->channels;
    resource.res.linear.sizeInBytes = (size_t)image->extent[0] * texel_size(image);
    return resource;
}

static gpucc_status create_objects(gpucc_texture *texture, const gpucc_array *array)
{
    const struct cpu_texture *read = &texture->read;
    const CUDA_RESOURCE_DESC resource = resource_of(texture, array);
    const bool is_integer = dtypes[read->image.dtype].kind != 'f';
    CUDA_TEXTURE_DESC description = {
        .filterMode = read->filter == GPUCC_FILTER_LINEAR ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = (is_integer && !read->as_float ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (read->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u),
    };
    /* A GPU samples a line as a row at y = 0, half of which is beyond its edge: it must be the row there, too. */
    for (int d = 0; d < 3; d++)
        description.addressMode[d] = address_of(d < read->image.dims ? read->address[d] : GPUCC_ADDRESS_CLAMP);
    for (int c = 0; c < 4; c++)
        description.borderColor[c] = read->border[c];
    CUtexObject object;
    gpucc_status status = CU(texture->context, cuTexObjectCreate, &object, &resource, &description, NULL);
    if (status)
        return status;
    texture->object = object;
    if (!texture->has_surface)
        return GPUCC_OK;
    CUsurfObject surface;
    status = CU(texture->context, cuSurfObjectCreate, &surface, &resource);
    texture->surface = status ? 0 : surface;
    return status;
}

gpucc_status texture_open_cuda(gpucc_texture *texture, const gpucc_array *array)
{
    gpucc_status status = texture->read.image.linear ? GPUCC_OK : create_array(texture);
    if (!status)
        status = create_objects(texture, array);
    if (status)
        texture_close_cuda(texture);
    return status;
}

void texture_close_cuda(gpucc_texture *texture)
{
    if (texture->surface)
        CU_NOTE(texture->context, cuSurfObjectDestroy, texture->surface);
    if (texture->object)
        CU_NOTE(texture->context, cuTexObjectDestroy, texture->object);
    if (texture->array)
        CU_NOTE(texture->context, cuArrayDestroy, texture->array);
}

gpucc_status texture_copy_cuda(const gpucc_texture *texture, gpucc_stream *stream, const gpucc_array *packed,
                               bool to_texture)
{
    const struct cpu_image *image = &texture->read.image;
    const CUdeviceptr memory = (CUdeviceptr)(uintptr_t)packed->data;
    CUDA_MEMCPY3D how = {
        .WidthInBytes = (size_t)image->extent[0] * texel_size(image),
        .Height = (size_t)image->extent[1],
        .Depth = (size_t)(image->layers ? image->layers : image->extent[2]),
    };
    if (to_texture) {
        how.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        how.srcDevice = memory;
        how.srcPitch = how.WidthInBytes;
        how.srcHeight = how.Height;
        how.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        how.dstArray = texture->array;
    } else {
        how.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        how.srcArray = texture->array;
        how.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        how.dstDevice = memory;
        how.dstPitch = how.WidthInBytes;
        how.dstHeight = how.Height;
    }
    memory_use(packed->memory, stream);
    return CU(texture->context, cuMemcpy3DAsync, &how, stream->handle);
}
