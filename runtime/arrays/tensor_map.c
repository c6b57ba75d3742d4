/* gpucc_tensor_map_make(): an array described to the copy engine. */
#include "arrays/arrays.h"
#include "base/cpu_tensor_map.h"

#include <string.h>

/* The CPU has the hardware's limits, so that a program that runs there runs on a GPU. */
enum { ALIGNMENT = 16 }; /* of addresses, of rows of the array, and of a row of a box, in bytes */
#define MOST_EXTENT ((int64_t)1 << 32)
#define MOST_PITCH ((int64_t)1 << 40)

static gpucc_status refuse(const gpucc_array *array, const char *problem)
{
    struct text text = {0};
    return fail(GPUCC_BAD_SHAPE, "gpucc_tensor_map_make: an array of shape %s %s",
                shape_text(&text, array->ndim, array->shape), problem);
}

static gpucc_status check_array(const gpucc_array *array)
{
    const int last = array->ndim - 1;
    const int64_t size = (int64_t)dtypes[array->dtype].size;
    if (array->where == GPUCC_MEMORY_HOST && array->context->kind == GPUCC_DEVICE_CUDA)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_tensor_map_make: the array is in the host's memory, but the copy "
                                            "engine reads the device's");
    if (array->ndim < 1 || array->ndim > TENSOR_RANKS)
        return refuse(array, "does not have 1 to 5 dimensions");
    if (array->count == 0)
        return refuse(array, "has no elements");
    if (array->shape[last] > 1 && array->strides[last] != size)
        return refuse(array, "is not contiguous along its last dimension");
    if ((uintptr_t)array->data % ALIGNMENT != 0)
        return refuse(array, "does not begin at a multiple of 16 bytes");
    for (int d = 0; d < last; d++)
        if (array->strides[d] % ALIGNMENT != 0 || array->strides[d] < 0 || array->strides[d] >= MOST_PITCH)
            return refuse(array, "has a stride that is negative or not a multiple of 16 bytes: copy it to an array "
                                 "with padded rows");
    for (int d = 0; d <= last; d++)
        if (array->shape[d] >= MOST_EXTENT)
            return refuse(array, "has a dimension of 2^32 elements or more");
    return GPUCC_OK;
}

static gpucc_status check_box(const gpucc_array *array, const size_t *box, int swizzle)
{
    const size_t row = box[array->ndim - 1] * dtypes[array->dtype].size;
    for (int d = 0; d < array->ndim; d++)
        if (box[d] < 1 || box[d] > TENSOR_BOX)
            return fail(GPUCC_INVALID_ARGUMENT,
                        "gpucc_tensor_map_make: box[%d] is %zu: expected 1 to %d elements", d, box[d], TENSOR_BOX);
    if (row % ALIGNMENT != 0)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_tensor_map_make: a row of the box has %zu bytes: expected a multiple of 16", row);
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_tensor_map_make: swizzle is %d: expected 0, 32, 64 or 128 bytes",
                    swizzle);
    if (swizzle != 0 && row != (size_t)swizzle)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_tensor_map_make: a row of the box has %zu bytes: expected the %d of the swizzle", row,
                    swizzle);
    return GPUCC_OK;
}

static struct cpu_tensor_map describe(const gpucc_array *array, const size_t *box, int swizzle)
{
    struct cpu_tensor_map map = {.data = array->data, .rank = (uint8_t)array->ndim,
                                 .dtype = (uint8_t)array->dtype, .element = (uint8_t)dtypes[array->dtype].size,
                                 .swizzle = (uint8_t)swizzle};
    for (int d = 0; d < array->ndim; d++) {
        const int from = array->ndim - 1 - d;
        map.extent[d] = (uint32_t)array->shape[from];
        map.pitch[d] = d == 0 ? map.element : (uint64_t)array->strides[from];
        map.box[d] = (uint16_t)box[from];
    }
    map.magic = cpu_tensor_map_magic(&map);
    return map;
}

/* -1: the copy engine has no such type. */
static int data_type_of(gpucc_dtype dtype)
{
    switch (dtype) {
    case GPUCC_BOOLEAN:
    case GPUCC_INT8:
    case GPUCC_FLOAT8_E4M3FN:
    case GPUCC_FLOAT8_E5M2:
    case GPUCC_UINT8: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case GPUCC_INT16:
    case GPUCC_UINT16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case GPUCC_INT32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case GPUCC_UINT32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case GPUCC_INT64: return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case GPUCC_UINT64:
    case GPUCC_COMPLEX64: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case GPUCC_FLOAT16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case GPUCC_BFLOAT16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case GPUCC_FLOAT32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case GPUCC_FLOAT64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    default: return -1;
    }
}

gpucc_status tensor_map_encode(gpucc_context *context, const struct cpu_tensor_map *map, gpucc_tensor_map *out)
{
    CUcontext previous;
    uint64_t extent[TENSOR_RANKS], pitch[TENSOR_RANKS];
    uint32_t box[TENSOR_RANKS], every[TENSOR_RANKS];
    const int swizzle = map->swizzle == 0 ? 0 : map->swizzle == 32 ? 1 : map->swizzle == 64 ? 2 : 3;
    for (int d = 0; d < map->rank; d++) {
        extent[d] = map->extent[d];
        box[d] = map->box[d];
        every[d] = 1;
        if (d > 0)
            pitch[d - 1] = map->pitch[d];
    }
    if (!driver.cuTensorMapEncodeTiled)
        return fail(GPUCC_UNSUPPORTED, "gpucc_tensor_map_make: the driver has no copy engine's tensor maps: it is "
                                       "older than CUDA 12.0");
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = CU(context, cuTensorMapEncodeTiled, out, data_type_of((gpucc_dtype)map->dtype), map->rank, map->data,
                extent, pitch, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    context_leave(context, previous);
    return status;
}

gpucc_status gpucc_tensor_map_make(const gpucc_array *array, const size_t *box, int swizzle, gpucc_tensor_map *out)
{
    if (!array || !box || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_tensor_map_make: array, box or out is null");
    if (array_is_released(array))
        return array_check_held(array, "gpucc_tensor_map_make");
    if (data_type_of(array->dtype) < 0)
        return fail(GPUCC_BAD_TYPE, "gpucc_tensor_map_make: the copy engine has no type for %s",
                    dtypes[array->dtype].name);
    gpucc_status status = check_array(array);
    if (!status)
        status = check_box(array, box, swizzle);
    if (status)
        return status;
    const struct cpu_tensor_map map = describe(array, box, swizzle);
    if (array->context->kind == GPUCC_DEVICE_CUDA)
        return tensor_map_encode(array->context, &map, out);
    *out = (gpucc_tensor_map){0};
    memcpy(out, &map, sizeof map);
    return GPUCC_OK;
}
