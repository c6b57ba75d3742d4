/* Textures: what they may be made of, their memory on the CPU, and copies of their elements. */
#include "arrays/texture.h"
#include "devices/launch_order.h"

#include <stdlib.h>
#include <string.h>

/* ---- what may be a texture ---- */

/* The most texels along x, y and z, and layers, that GPUs from sm_60 on have for each number of dimensions. */
static const struct {
    int64_t extent[3], layers;
} limits[] = {
    {{131072, 1, 1}, 2048},
    {{131072, 65536, 1}, 2048},
    {{16384, 16384, 16384}, 0},
};
enum { LAYERED_LIMIT = 32768, LINEAR_LIMIT = 1 << 27 };

static gpucc_status check_element(const gpucc_array *array, const gpucc_texture_options *options)
{
    switch (array->dtype) {
    case GPUCC_INT8:
    case GPUCC_INT16:
    case GPUCC_UINT8:
    case GPUCC_UINT16: break;
    case GPUCC_INT32:
    case GPUCC_UINT32:
        if (options->as_float)
            return fail(GPUCC_BAD_TYPE,
                        "gpucc_texture_create: only integers of 8 and 16 bits can be read as float, not %s",
                        dtypes[array->dtype].name);
        break;
    case GPUCC_FLOAT16:
    case GPUCC_FLOAT32: return GPUCC_OK;
    default:
        return fail(GPUCC_BAD_TYPE,
                    "gpucc_texture_create: the dtype must be an integer of up to 32 bits, float16 or float32, not %s",
                    dtypes[array->dtype].name);
    }
    if (options->filter == GPUCC_FILTER_LINEAR && !options->as_float)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_texture_create: %s read as integers cannot be filtered linearly: set as_float",
                    dtypes[array->dtype].name);
    for (int c = 0; c < 4; c++)
        if (!options->as_float && options->border[c] != 0)
            return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: the border of an integer texture must be 0");
    return GPUCC_OK;
}

static gpucc_status check_options(const gpucc_texture_options *options)
{
    if (options->channels != 0 && options->channels != 1 && options->channels != 2 && options->channels != 4)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: a texel has 1, 2 or 4 channels, not %d",
                    options->channels);
    if ((unsigned)options->filter > GPUCC_FILTER_LINEAR)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: invalid filter %d", (int)options->filter);
    for (int d = 0; d < 3; d++) {
        const gpucc_address_mode mode = options->address[d];
        if ((unsigned)mode > GPUCC_ADDRESS_MIRROR)
            return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: invalid address mode %d", (int)mode);
        if (mode >= GPUCC_ADDRESS_WRAP && !options->normalized)
            return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: the address modes wrap and mirror require "
                                                "normalized coordinates");
    }
    if (options->linear && (options->layered || options->surface || options->normalized || options->filter))
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_texture_create: a linear texture cannot have layers, a surface, normalized coordinates or a "
                    "filter");
    return GPUCC_OK;
}

static gpucc_status fail_texture_shape(const gpucc_array *array, const char *problem)
{
    struct text text = {0};
    return fail(GPUCC_BAD_SHAPE, "gpucc_texture_create: an array of shape %s %s",
                shape_text(&text, array->ndim, array->shape), problem);
}

static gpucc_status check_extents(const gpucc_array *array, const struct cpu_image *image)
{
    bool fits = image->linear ? image->extent[0] <= LINEAR_LIMIT : image->layers <= limits[image->dims - 1].layers;
    for (int d = 0; d < image->dims && !image->linear; d++) {
        const int64_t most = limits[image->dims - 1].extent[d];
        fits &= image->extent[d] <= (image->layers && most > LAYERED_LIMIT ? LAYERED_LIMIT : most);
    }
    if (array->count == 0)
        return fail_texture_shape(array, "has no texels");
    return fits ? GPUCC_OK : fail_texture_shape(array, "exceeds the largest texture of so many dimensions");
}

/* Reads the array's dimensions, which are [layer], [z], [y], x, [channel]. */
static gpucc_status find_image(const gpucc_array *array, const gpucc_texture_options *options, struct cpu_image *image)
{
    const int first = options->layered != 0, dims = array->ndim - first - (options->channels != 0);
    if (dims < 1 || dims > (options->layered ? 2 : 3))
        return fail_texture_shape(array, options->layered ? "does not have layers of 1 or 2 dimensions"
                                                          : "does not have a texture's 1, 2 or 3 dimensions");
    if (options->channels && array->shape[array->ndim - 1] != options->channels)
        return fail_texture_shape(array, "has a last dimension that differs from the number of channels");
    *image = (struct cpu_image){
        .dtype = array->dtype,
        .channels = options->channels ? options->channels : 1,
        .dims = dims,
        .extent = {1, 1, 1},
        .layers = options->layered ? array->shape[0] : 0,
        .linear = options->linear != 0,
    };
    for (int d = 0; d < dims; d++)
        image->extent[d] = array->shape[first + dims - 1 - d];
    if (options->linear && (dims != 1 || !array->contiguous ||
                            (array->where == GPUCC_MEMORY_HOST && array->context->kind == GPUCC_DEVICE_CUDA)))
        return fail_texture_shape(array, "is not one-dimensional and contiguous on the device, as a linear texture "
                                         "requires");
    return check_extents(array, image);
}

/* ---- memory on the CPU ---- */

static void close_cpu(gpucc_texture *texture)
{
    texture_object_unregister(texture->object);
    texture_object_unregister(texture->surface);
    if (!texture->read.image.linear)
        free(texture->read.image.texels);
}

static gpucc_status open_cpu(gpucc_texture *texture, const gpucc_array *array)
{
    struct cpu_image *image = &texture->read.image;
    const size_t size = (size_t)array->count * dtypes[array->dtype].size;
    image->texels = image->linear ? array->data : malloc(size);
    if (!image->texels)
        return fail_memory(size, "a texture");
    texture->written.image = *image;
    texture->written.is_surface = true;
    texture->object = texture_object_register(&texture->read);
    texture->surface = texture->has_surface ? texture_object_register(&texture->written) : 0;
    if (texture->object && (texture->surface || !texture->has_surface))
        return GPUCC_OK;
    close_cpu(texture);
    return fail_memory(sizeof *texture, "a texture's objects");
}

/* ---- copies ---- */

static gpucc_status copy_cpu(const gpucc_texture *texture, const gpucc_array *array, bool to_texture)
{
    gpucc_array *texels;
    gpucc_context *context = texture->context;
    gpucc_status status = gpucc_array_wrap(context, array->dtype, texture->ndim, texture->shape, NULL,
                                           texture->read.image.texels, GPUCC_MEMORY_HOST, &texels);
    if (status)
        return status;
    status = to_texture ? array_copy(&context->stream, texels, array) : array_copy(&context->stream, array, texels);
    gpucc_array_release(texels);
    return status;
}

/* Through an array that is packed, which the driver can copy to and from its own layout. */
static gpucc_status copy_on_gpu(const gpucc_texture *texture, const gpucc_array *array, bool to_texture)
{
    gpucc_context *context = texture->context;
    gpucc_stream *stream = &context->stream;
    gpucc_array *made = NULL;
    const gpucc_array *packed = array;
    gpucc_status status = CU(context, cuCtxSynchronize);
    if (!status && (!array->contiguous || array->where == GPUCC_MEMORY_HOST)) {
        status = array_create(context, stream, array->dtype, array->ndim, array->shape, &made);
        packed = made;
    }
    if (!status && made && to_texture)
        status = array_copy(stream, made, array);
    if (!status)
        status = texture_copy_cuda(texture, stream, packed, to_texture);
    if (!status && made && !to_texture)
        status = array_copy(stream, array, made);
    if (!status)
        status = CU(context, cuStreamSynchronize, stream->handle);
    gpucc_array_release(made);
    return status;
}

/* The context has been entered. */
static gpucc_status copy(const gpucc_texture *texture, const gpucc_array *array, bool to_texture)
{
    if (texture->read.image.linear)
        return GPUCC_OK;
    launches_await_all(texture->context);
    return texture->context->kind == GPUCC_DEVICE_CPU ? copy_cpu(texture, array, to_texture)
                                                      : copy_on_gpu(texture, array, to_texture);
}

static gpucc_status exchange(const gpucc_texture *texture, const gpucc_array *array, bool to_texture, const char *call)
{
    CUcontext previous;
    if (!texture || !array)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: texture or array is null", call);
    if (array_is_released(array))
        return array_check_held(array, call);
    if (array->context != texture->context)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the array belongs to another context", call);
    if (texture->read.image.linear)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: a linear texture shares its array's memory: use the array", call);
    if (array->dtype != texture->read.image.dtype || array->ndim != texture->ndim ||
        memcmp(array->shape, texture->shape, (size_t)array->ndim * sizeof *array->shape) != 0) {
        struct text has = {0}, given = {0};
        return fail(GPUCC_BAD_SHAPE, "%s: the texture has dtype %s and shape %s, but the array has dtype %s and shape "
                                     "%s", call,
                    dtypes[texture->read.image.dtype].name, shape_text(&has, texture->ndim, texture->shape),
                    dtypes[array->dtype].name, shape_text(&given, array->ndim, array->shape));
    }
    gpucc_status status = context_enter(texture->context, &previous);
    if (status)
        return status;
    status = copy(texture, array, to_texture);
    context_leave(texture->context, previous);
    return status;
}

gpucc_status gpucc_texture_write(gpucc_texture *texture, const gpucc_array *from)
{
    return exchange(texture, from, true, "gpucc_texture_write");
}

gpucc_status gpucc_texture_read(const gpucc_texture *texture, gpucc_array *to)
{
    if (to && to->read_only)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_read: the array is read-only");
    if (to && array_overlaps_itself(to))
        return fail(GPUCC_BAD_SHAPE, "gpucc_texture_read: the array overlaps itself: several of its elements share "
                                     "memory");
    return exchange(texture, to, false, "gpucc_texture_read");
}

/* ---- making and releasing ---- */

static gpucc_status open_texture(gpucc_texture *texture, const gpucc_array *array)
{
    CUcontext previous;
    gpucc_context *context = texture->context;
    const bool is_cpu = context->kind == GPUCC_DEVICE_CPU;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = is_cpu ? open_cpu(texture, array) : texture_open_cuda(texture, array);
    if (!status) {
        status = copy(texture, array, true);
        if (status)
            is_cpu ? close_cpu(texture) : texture_close_cuda(texture);
    }
    context_leave(context, previous);
    return status;
}

gpucc_status gpucc_texture_create(const gpucc_array *array, const gpucc_texture_options *options, gpucc_texture **out)
{
    gpucc_texture_options o = {.size = sizeof o};
    struct cpu_image image;
    if (!array || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_texture_create: array or out is null");
    *out = NULL;
    gpucc_status status = CHECK_OPTIONS("gpucc_texture_create", options);
    if (status)
        return status;
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    status = array_check_held(array, "gpucc_texture_create");
    if (!status)
        status = check_options(&o);
    if (!status)
        status = check_element(array, &o);
    if (!status)
        status = find_image(array, &o, &image);
    if (status)
        return status;
    gpucc_texture *texture = calloc(1, sizeof *texture);
    if (!texture)
        return fail_memory(sizeof *texture, "a texture");
    texture->context = array->context;
    texture->read = (struct cpu_texture){
        .image = image, .normalized = o.normalized != 0, .as_float = o.as_float != 0, .filter = o.filter};
    memcpy(texture->read.address, o.address, sizeof o.address);
    memcpy(texture->read.border, o.border, sizeof o.border);
    texture->has_surface = o.surface != 0;
    texture->ndim = array->ndim;
    memcpy(texture->shape, array->shape, (size_t)array->ndim * sizeof *array->shape);
    status = open_texture(texture, array);
    if (status) {
        free(texture);
        return status;
    }
    texture->memory = image.linear ? memory_retain(array->memory) : NULL;
    pthread_mutex_lock(&texture->context->lock);
    list_insert(&texture->context->textures, &texture->link);
    pthread_mutex_unlock(&texture->context->lock);
    *out = texture;
    return GPUCC_OK;
}

/* The context is current. */
static void texture_free(gpucc_texture *texture)
{
    pthread_mutex_lock(&texture->context->lock);
    list_remove(&texture->link);
    pthread_mutex_unlock(&texture->context->lock);
    if (texture->context->kind == GPUCC_DEVICE_CPU)
        close_cpu(texture);
    else
        texture_close_cuda(texture);
    if (texture->memory)
        memory_release(texture->memory);
    free(texture);
}

/* Nothing can report that the device cannot be reached: the texture stays in the context's list. */
void gpucc_texture_release(gpucc_texture *texture)
{
    CUcontext previous;
    if (!texture || !context_is_ours(texture->context) || context_enter(texture->context, &previous))
        return;
    gpucc_context *context = texture->context;
    if (context->kind == GPUCC_DEVICE_CUDA)
        CU_NOTE(context, cuCtxSynchronize);
    launches_await_all(context);
    texture_free(texture);
    context_leave(context, previous);
}

void textures_destroy_all(gpucc_context *context)
{
    while (context->textures.next != &context->textures)
        texture_free(CONTAINER(context->textures.next, gpucc_texture, link));
}

uint64_t gpucc_texture_object(const gpucc_texture *texture)
{
    return texture ? texture->object : 0;
}

uint64_t gpucc_texture_surface(const gpucc_texture *texture)
{
    return texture ? texture->surface : 0;
}
