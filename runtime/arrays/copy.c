/* Copies between host and device, and between arrays of any layouts. */
#include "arrays/arrays.h"
#include "devices/device_operations.h"
#include "nests/convert.h"
#include <stdlib.h>
#include <string.h>

static CUdeviceptr address(const void *device)
{
    return (CUdeviceptr)(uintptr_t)device;
}

/* Waits, also where enqueueing failed: earlier copies may still be at work on the host's memory. */
static gpucc_status finish(gpucc_stream *stream, gpucc_status status)
{
    if (!status)
        return CU(stream->context, cuStreamSynchronize, stream->handle);
    CU_NOTE(stream->context, cuStreamSynchronize, stream->handle);
    return status;
}

gpucc_status copy_to_device(gpucc_stream *stream, void *device, const void *host, size_t size)
{
    if (size >= STAGING_MIN || pinned_in_part(host, size)) {
        struct staged bytes = {.host = (void *)(uintptr_t)host, .device = device, .size = 1, .input = true};
        return staging_run(stream, &bytes, 1, size, NULL, NULL);
    }
    gpucc_status status = stream_check_live(stream, HOST_COPIES);
    if (status || size == 0)
        return status;
    return finish(stream, CU(stream->context, cuMemcpyHtoDAsync, address(device), host, size, stream->handle));
}

gpucc_status copy_to_host(gpucc_stream *stream, void *host, const void *device, size_t size)
{
    if (size >= STAGING_MIN || pinned_in_part(host, size)) {
        struct staged bytes = {.host = host, .device = (void *)(uintptr_t)device, .size = 1, .output = true};
        return staging_run(stream, &bytes, 1, size, NULL, NULL);
    }
    gpucc_status status = stream_check_live(stream, HOST_COPIES);
    if (status || size == 0)
        return status;
    return finish(stream, CU(stream->context, cuMemcpyDtoHAsync, host, address(device), size, stream->handle));
}

/* ---- layouts: operand 0 of the nest is the device's, operand 1 the host's ---- */

enum direction { TO_DEVICE, TO_HOST };

/* `height` rows of `width` bytes. */
static gpucc_status copy_rows(gpucc_stream *stream, enum direction direction, char *device, size_t device_pitch,
                              char *host, size_t host_pitch, size_t width, size_t height)
{
    CUDA_MEMCPY2D copy = {.WidthInBytes = width, .Height = height};
    if (direction == TO_DEVICE) {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.srcPitch = host_pitch;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = address(device);
        copy.dstPitch = device_pitch;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = address(device);
        copy.srcPitch = device_pitch;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = host;
        copy.dstPitch = host_pitch;
    }
    return CU(stream->context, cuMemcpy2DAsync, &copy, stream->handle);
}

/* The two innermost dimensions, or one, that the driver copies in one call. */
struct tile {
    size_t width, height;
    int64_t device_pitch, host_pitch;
    int dims;
};

static struct tile tile_of(const struct nest *nest)
{
    enum { MAX_PITCH = INT32_MAX };
    int64_t size = (int64_t)nest->sizes[0];
    int d = nest->ndim - 1;
    struct tile tile = {(size_t)size, 1, size, size, 0};
    if (d >= 0 && nest->strides[0][d] == size && nest->strides[1][d] == size) {
        tile.width *= (size_t)nest->shape[d--];
        tile.dims++;
    }
    tile.device_pitch = tile.host_pitch = (int64_t)tile.width;
    if (d >= 0 && nest->strides[0][d] >= (int64_t)tile.width && nest->strides[1][d] >= (int64_t)tile.width &&
        nest->strides[0][d] <= MAX_PITCH && nest->strides[1][d] <= MAX_PITCH) {
        tile.height = (size_t)nest->shape[d];
        tile.device_pitch = nest->strides[0][d];
        tile.host_pitch = nest->strides[1][d];
        tile.dims++;
    }
    return tile;
}

struct tile_copy {
    gpucc_stream *stream;
    enum direction direction;
    struct tile tile;
    gpucc_status status;
};

static void copy_tiles(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct tile_copy *copy = data;
    const struct tile *tile = &copy->tile;
    for (int64_t k = 0; k < n && !copy->status; k++)
        copy->status = copy_rows(copy->stream, copy->direction, args[0] + k * steps[0], (size_t)tile->device_pitch,
                                 args[1] + k * steps[1], (size_t)tile->host_pitch, tile->width, tile->height);
}

static gpucc_status copy_layout(gpucc_stream *stream, enum direction direction, const struct nest *nest)
{
    struct tile_copy copy = {stream, direction, tile_of(nest), GPUCC_OK};
    struct nest outer;
    nest_copy(&outer, nest);
    outer.ndim -= copy.tile.dims;
    nest_run(NULL, &outer, copy_tiles, &copy);
    return finish(stream, copy.status);
}

/* The operand becomes C-ordered memory of our own, at the strides that the nest's order gives. */
static void pack(struct nest *nest, int operand, char *buffer)
{
    int64_t step = (int64_t)nest->sizes[operand];
    nest->data[operand] = buffer;
    for (int d = nest->ndim; d-- > 0;) {
        nest->strides[operand][d] = step;
        step *= nest->shape[d];
    }
}

static void copy_on_host(struct pool *pool, const struct nest *to, const struct nest *from, gpucc_dtype dtype)
{
    struct nest nest;
    nest_begin(&nest, to->ndim, 2);
    memcpy(nest.shape, to->shape, sizeof nest.shape);
    nest_set(&nest, 0, to->data[1], to->sizes[1], to->ndim, to->shape, to->strides[1]);
    nest_set(&nest, 1, from->data[1], from->sizes[1], from->ndim, from->shape, from->strides[1]);
    convert_nest(pool, &nest, dtype, dtype);
}

/* Through a packed copy of the host's side, which the driver can move in rows or at once. */
static gpucc_status copy_packed(gpucc_stream *stream, enum direction direction, const struct nest *nest,
                                gpucc_dtype dtype)
{
    struct pool *pool;
    struct nest packed, moved;
    size_t size = (size_t)nest_count(nest) * nest->sizes[1];
    gpucc_status status = context_pool(stream->context, &pool);
    if (status)
        return status;
    char *buffer = malloc(size);
    if (!buffer)
        return fail_memory(size, "a copy between layouts");
    nest_copy(&packed, nest);
    pack(&packed, 1, buffer);
    if (direction == TO_DEVICE)
        copy_on_host(pool, &packed, nest, dtype);
    nest_copy(&moved, &packed);
    nest_simplify(&moved, 0);
    bool flat = moved.ndim <= 1 && (moved.ndim == 0 || moved.strides[0][0] == (int64_t)moved.sizes[0]);
    if (!flat)
        status = copy_layout(stream, direction, &packed);
    else if (direction == TO_DEVICE)
        status = copy_to_device(stream, packed.data[0], buffer, size);
    else
        status = copy_to_host(stream, buffer, packed.data[0], size);
    if (direction == TO_HOST && !status)
        copy_on_host(pool, nest, &packed, dtype);
    free(buffer);
    return status;
}

static bool is_packed(const struct nest *nest, int operand)
{
    int64_t step = (int64_t)nest->sizes[operand];
    for (int d = nest->ndim; d-- > 0;) {
        if (nest->strides[operand][d] != step)
            return false;
        step *= nest->shape[d];
    }
    return true;
}

static gpucc_status copy_across(gpucc_stream *stream, enum direction direction, struct nest *nest, gpucc_dtype dtype);

/* Many short rows on the device: the driver takes them one by one. */
static bool needs_gathering(const gpucc_context *context, const struct nest *nest)
{
    enum { SHORT_ROW = 256, MANY_ROWS = 64 };
    struct tile tile = tile_of(nest);
    size_t rows = (size_t)nest_count(nest) * nest->sizes[0] / tile.width;
    return tile.width < SHORT_ROW && rows > MANY_ROWS && context->operations->can_convert();
}

/* Through packed memory of the device, where a kernel changes the layout. */
static gpucc_status copy_gathered(gpucc_stream *stream, enum direction direction, const struct nest *nest,
                                  gpucc_dtype dtype)
{
    struct memory *memory;
    struct nest across, within;
    nest_copy(&across, nest);
    nest_copy(&within, nest);
    gpucc_status status =
        memory_create(stream->context, stream, (size_t)nest_count(nest) * nest->sizes[0], &memory);
    if (status)
        return status;
    pack(&across, 0, memory->base);
    int packed = direction == TO_DEVICE ? 1 : 0; /* of the nest whose operand 1 goes to operand 0 */
    pack(&within, packed, memory->base);
    within.data[1 - packed] = nest->data[0];
    memcpy(within.strides[1 - packed], nest->strides[0], sizeof within.strides[0]);
    if (direction == TO_HOST)
        status = stream_operations(stream)->convert(stream, &within, dtype, dtype);
    if (!status)
        status = copy_across(stream, direction, &across, dtype);
    if (!status && direction == TO_DEVICE)
        status = finish(stream, stream_operations(stream)->convert(stream, &within, dtype, dtype));
    memory_release(memory);
    return status;
}

static gpucc_status copy_across(gpucc_stream *stream, enum direction direction, struct nest *nest, gpucc_dtype dtype)
{
    nest_simplify(nest, 0);
    size_t size = (size_t)nest_count(nest) * nest->sizes[0];
    if (size == 0)
        return GPUCC_OK;
    if (!is_packed(nest, 0) && needs_gathering(stream->context, nest)) {
        gpucc_status status = copy_gathered(stream, direction, nest, dtype);
        if (status != GPUCC_NO_MEMORY) /* else slowly */
            return status;
    }
    if (!is_packed(nest, 1) || (!is_packed(nest, 0) && pinned_in_part(nest->data[1], size)))
        return copy_packed(stream, direction, nest, dtype);
    if (!is_packed(nest, 0))
        return copy_layout(stream, direction, nest);
    return direction == TO_DEVICE ? copy_to_device(stream, nest->data[0], nest->data[1], size)
                                  : copy_to_host(stream, nest->data[1], nest->data[0], size);
}

static void set_from_array(struct nest *nest, int operand, const gpucc_array *array)
{
    nest_set(nest, operand, array->data, dtypes[array->dtype].size, array->ndim, array->shape, array->strides);
}

static bool on_host(const gpucc_array *array)
{
    return array->where == GPUCC_MEMORY_HOST || array->context->kind == GPUCC_DEVICE_CPU;
}

gpucc_status array_copy(gpucc_stream *stream, const gpucc_array *to, const gpucc_array *from)
{
    struct nest nest;
    const bool crosses = on_host(to) != on_host(from), is_cuda = stream->context->kind == GPUCC_DEVICE_CUDA;
    gpucc_status live = crosses || (is_cuda && on_host(to)) ? stream_check_live(stream, HOST_COPIES) : GPUCC_OK;
    if (live || stream_is_dry(stream))
        return live;
    nest_begin(&nest, to->ndim, 2);
    memcpy(nest.shape, to->shape, (size_t)to->ndim * sizeof *nest.shape);
    if (on_host(to) && on_host(from)) {
        struct pool *pool;
        gpucc_status status = context_pool(stream->context, &pool);
        if (status)
            return status;
        set_from_array(&nest, 0, to);
        set_from_array(&nest, 1, from);
        convert_nest(pool, &nest, to->dtype, from->dtype);
        return GPUCC_OK;
    }
    if (!on_host(to) && !on_host(from)) {
        set_from_array(&nest, 0, to);
        set_from_array(&nest, 1, from);
        memory_use(to->memory, stream);
        memory_use(from->memory, stream);
        return stream_operations(stream)->convert(stream, &nest, to->dtype, from->dtype);
    }
    enum direction direction = on_host(from) ? TO_DEVICE : TO_HOST;
    set_from_array(&nest, 0, direction == TO_DEVICE ? to : from);
    set_from_array(&nest, 1, direction == TO_DEVICE ? from : to);
    return copy_across(stream, direction, &nest, to->dtype);
}

/* In the default streams, which others follow where they have got work. */
gpucc_status array_copy_to_peer(const gpucc_array *to, const gpucc_array *from)
{
    CUcontext previous;
    gpucc_stream *target = &to->context->stream, *source = &from->context->stream;
    const size_t size = (size_t)from->count * dtypes[from->dtype].size;
    if (size == 0)
        return GPUCC_OK;
    gpucc_status status = context_enter(from->context, &previous);
    if (status)
        return status;
    status = stream_join_users(source, from->memory);
    context_leave(from->context, previous);
    if (!status)
        status = stream_follow_peer(target, source);
    if (!status)
        status = context_enter(to->context, &previous);
    if (status)
        return status;
    status = stream_join_users(target, to->memory);
    if (!status)
        status = CU(to->context, cuMemcpyPeerAsync, address(to->data), to->context->cuda, address(from->data),
                    from->context->cuda, size, target->handle);
    atomic_fetch_add_explicit(&to->context->generation, 1, memory_order_release);
    context_leave(to->context, previous);
    if (!status)
        status = stream_follow_peer(source, target);
    atomic_fetch_add_explicit(&from->context->generation, 1, memory_order_release);
    return status;
}

gpucc_status array_fill(gpucc_stream *stream, const gpucc_array *array, gpucc_dtype dtype, const void *value)
{
    gpucc_array *scalar;
    uint64_t element[2] = {0};
    struct nest nest;
    if (on_host(array) || !array->context->operations->can_convert()) {
        gpucc_status status = gpucc_array_scalar(array->context, dtype, value, &scalar);
        if (status)
            return status;
        status = array_copy(stream, array, scalar);
        gpucc_array_release(scalar);
        return status;
    }
    nest_begin(&nest, array->ndim, 2);
    nest.values = operand_bit(1);
    memcpy(nest.shape, array->shape, (size_t)array->ndim * sizeof *nest.shape);
    convert_value(array->dtype, element, dtype, value);
    set_from_array(&nest, 0, array);
    nest_set(&nest, 1, (char *)element, dtypes[array->dtype].size, 0, NULL, NULL);
    memory_use(array->memory, stream);
    return stream_operations(stream)->convert(stream, &nest, array->dtype, array->dtype);
}
