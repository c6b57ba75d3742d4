/* DLPack on the CPU: tensors as arrays and arrays as tensors, whose memory it is, and what hostile producers make. */
#include "dlpack_abi.h"

#include "sample_program.h"
#include "expect.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static gpucc_context *context;

static void open_context(void)
{
    context = sample_context(2);
    cr_assert(context, "%s", gpucc_last_error());
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(dlpack, .init = open_context, .fini = close_context);

/* ---- a producer ---- */

static float numbers[6];
static int deleted;

static void count_versioned(DLManagedTensorVersioned *tensor)
{
    deleted++;
    cr_assert_eq(tensor->manager_ctx, numbers);
}

static void count_unversioned(DLManagedTensor *tensor)
{
    deleted++;
    cr_assert_eq(tensor->manager_ctx, numbers);
}

static int64_t two_by_three[] = {2, 3};

static DLTensor tensor_of_numbers(void)
{
    for (int i = 0; i < 6; i++)
        numbers[i] = (float)i;
    return (DLTensor){.data = numbers, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1},
                      .shape = two_by_three};
}

static DLManagedTensorVersioned versioned_numbers(void)
{
    return (DLManagedTensorVersioned){.version = {1, 1}, .manager_ctx = numbers, .deleter = count_versioned,
                                      .dl_tensor = tensor_of_numbers()};
}

static DLManagedTensor unversioned_numbers(void)
{
    return (DLManagedTensor){.dl_tensor = tensor_of_numbers(), .manager_ctx = numbers, .deleter = count_unversioned};
}

static void check_elements(const gpucc_array *array, int count, const float *expected)
{
    float found[6];
    OK(gpucc_array_read(array, found, (size_t)count * sizeof *found));
    for (int i = 0; i < count; i++)
        cr_assert_eq(found[i], expected[i], "element %d is %g", i, (double)found[i]);
}

/* ---- import ---- */

Test(dlpack, tensors_become_arrays_without_a_copy)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    gpucc_array *array, *view;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    cr_assert_eq(gpucc_array_data(array), numbers);
    cr_assert_eq(gpucc_array_memory(array), GPUCC_MEMORY_DEVICE);
    cr_assert_not(gpucc_array_is_read_only(array));
    check_elements(array, 6, (float[]){0, 1, 2, 3, 4, 5});
    OK(gpucc_array_write(array, (float[]){9, 8, 7, 6, 5, 4}, sizeof numbers));
    cr_assert_eq(numbers[5], 4);
    numbers[0] = 3;
    check_elements(array, 6, (float[]){3, 8, 7, 6, 5, 4});
    OK(gpucc_array_view(array, 1, &(int64_t){2}, NULL, 4, &view));
    gpucc_array_release(array);
    cr_assert_eq(deleted, 0, "a view looks at it still");
    gpucc_array_release(view);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, unversioned_tensors_too)
{
    DLManagedTensor tensor = unversioned_numbers();
    gpucc_array *array;
    OK(gpucc_array_from_dlpack_unversioned(context, &tensor, NULL, &array));
    cr_assert_eq(gpucc_array_data(array), numbers);
    check_elements(array, 6, (float[]){0, 1, 2, 3, 4, 5});
    gpucc_array_release(array);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, tensors_have_strides_and_offsets)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    gpucc_array *array;
    tensor.dl_tensor.shape = (int64_t[]){3, 2};
    tensor.dl_tensor.strides = (int64_t[]){-1, 3}; /* columns, from the last */
    tensor.dl_tensor.byte_offset = 8;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    check_elements(array, 6, (float[]){2, 5, 1, 4, 0, 3});
    gpucc_array_release(array);
    tensor.dl_tensor.shape = (int64_t[]){1, 2};
    tensor.dl_tensor.strides = (int64_t[]){INT64_MAX, 0}; /* a single element's stride may be anything */
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    check_elements(array, 2, (float[]){2, 2});
    gpucc_array_release(array);
    tensor.dl_tensor.ndim = 0;
    tensor.dl_tensor.shape = tensor.dl_tensor.strides = NULL;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    check_elements(array, 1, (float[]){2});
    gpucc_array_release(array);
    cr_assert_eq(deleted, 3);
}

Test(dlpack, tensors_may_be_empty)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    gpucc_array *array;
    tensor.dl_tensor.shape = (int64_t[]){2, 0};
    tensor.dl_tensor.data = NULL;
    tensor.dl_tensor.byte_offset = 64;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    cr_assert_eq(gpucc_array_count(array), 0);
    gpucc_array_release(array);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, memory_that_the_host_reaches)
{
    static const DLDeviceType types[] = {kDLCPU, kDLCUDAHost, kDLCUDAManaged};
    for (int i = 0; i < 3; i++) {
        DLManagedTensorVersioned tensor = versioned_numbers();
        gpucc_array *array;
        tensor.dl_tensor.device = (DLDevice){types[i], i};
        OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
        check_elements(array, 6, (float[]){0, 1, 2, 3, 4, 5});
        gpucc_array_release(array);
    }
}

Test(dlpack, read_only_tensors_make_read_only_arrays)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    gpucc_array *array;
    tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    cr_assert(gpucc_array_is_read_only(array));
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_array_write(array, (float[6]){0}, sizeof numbers));
    gpucc_array_release(array);
    tensor.flags = DLPACK_FLAG_BITMASK_IS_COPIED;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    cr_assert_not(gpucc_array_is_read_only(array));
    gpucc_array_release(array);
}

Test(dlpack, a_deleter_may_be_missing)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    DLManagedTensor old = unversioned_numbers();
    gpucc_array *array;
    tensor.deleter = NULL;
    old.deleter = NULL;
    OK(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    gpucc_array_release(array);
    OK(gpucc_array_from_dlpack_unversioned(context, &old, NULL, &array));
    gpucc_array_release(array);
}

/* ---- what is refused, and stays the caller's ---- */

#define REFUSES(status, words)                                                                                         \
    do {                                                                                                               \
        gpucc_array *array = (gpucc_array *)&tensor;                                                                   \
        FAILS(status, words, gpucc_array_from_dlpack(context, &tensor, NULL, &array));                                 \
        cr_assert_null(array);                                                                                         \
        cr_assert_eq(deleted, 0);                                                                                      \
        tensor = versioned_numbers();                                                                                  \
    } while (0)

Test(dlpack, other_versions_are_not_looked_into)
{
    DLManagedTensorVersioned tensor;
    memset(&tensor, 0xa5, sizeof tensor);
    tensor.version = (DLPackVersion){2, 7};
    REFUSES(GPUCC_UNSUPPORTED, "DLPack version 2.7; gpucc supports 1.x");
    tensor.version = (DLPackVersion){0, 8};
    REFUSES(GPUCC_UNSUPPORTED, "DLPack version 0.8");
}

Test(dlpack, refuses_types_that_gpucc_has_not)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    tensor.dl_tensor.dtype.lanes = 4;
    REFUSES(GPUCC_BAD_TYPE, "elements of 4 lanes");
    tensor.dl_tensor.dtype.lanes = 0;
    REFUSES(GPUCC_BAD_TYPE, "elements of 0 lanes");
    tensor.dl_tensor.dtype = (DLDataType){kDLFloat8_e4m3, 8, 1};
    REFUSES(GPUCC_BAD_TYPE, "type code 8 with 8 bits");
    tensor.dl_tensor.dtype = (DLDataType){kDLOpaqueHandle, 64, 1};
    REFUSES(GPUCC_BAD_TYPE, "type code 3 with 64 bits");
    tensor.dl_tensor.dtype = (DLDataType){kDLInt, 4, 1};
    REFUSES(GPUCC_BAD_TYPE, "type code 0 with 4 bits");
    tensor.dl_tensor.dtype = (DLDataType){kDLBfloat, 32, 1};
    REFUSES(GPUCC_BAD_TYPE, "type code 4 with 32 bits");
    tensor.dl_tensor.dtype = (DLDataType){kDLBool, 1, 1};
    REFUSES(GPUCC_BAD_TYPE, "type code 6 with 1 bits");
}

Test(dlpack, refuses_devices_out_of_reach)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    tensor.dl_tensor.device = (DLDevice){kDLCUDA, 3};
    REFUSES(GPUCC_INVALID_ARGUMENT, "the tensor is on cuda:3, but the context is on the CPU");
    tensor.dl_tensor.device.device_type = kDLOpenCL;
    REFUSES(GPUCC_UNSUPPORTED, "DLPack device type 4");
    tensor.dl_tensor.device.device_type = (DLDeviceType)-1;
    REFUSES(GPUCC_UNSUPPORTED, "DLPack device type -1");
}

Test(dlpack, refuses_layouts_that_are_none)
{
    DLManagedTensorVersioned tensor = versioned_numbers();
    tensor.dl_tensor.ndim = INT32_MAX;
    REFUSES(GPUCC_BAD_SHAPE, "2147483647");
    tensor.dl_tensor.ndim = -1;
    REFUSES(GPUCC_BAD_SHAPE, "-1");
    tensor.dl_tensor.shape = NULL;
    REFUSES(GPUCC_INVALID_ARGUMENT, "shape is null");
    tensor.dl_tensor.shape = (int64_t[]){2, -3};
    REFUSES(GPUCC_BAD_SHAPE, "(2, -3) of float32 has a negative extent");
    tensor.dl_tensor.shape = (int64_t[]){INT64_MAX, 3};
    REFUSES(GPUCC_BAD_SHAPE, "exceeds the address space");
    tensor.dl_tensor.data = NULL;
    REFUSES(GPUCC_INVALID_ARGUMENT, "memory is null");
    tensor.dl_tensor.byte_offset = UINT64_MAX;
    REFUSES(GPUCC_BAD_SHAPE, "byte_offset");
    tensor.dl_tensor.byte_offset = UINT64_MAX - (uintptr_t)numbers - 8;
    REFUSES(GPUCC_BAD_SHAPE, "address space");
    tensor.dl_tensor.strides = (int64_t[]){INT64_MAX / 2, 1};
    REFUSES(GPUCC_BAD_SHAPE, "dimension 0");
    tensor.dl_tensor.strides = (int64_t[]){INT64_MIN / 4, 1};
    REFUSES(GPUCC_BAD_SHAPE, "address space");
    tensor.dl_tensor.strides = (int64_t[]){-((int64_t)1 << 60), 1};
    REFUSES(GPUCC_BAD_SHAPE, "address space");
}

Test(dlpack, refuses_options_without_a_size)
{
    DLManagedTensorVersioned tensor = versioned_numbers(), *made;
    DLManagedTensor old = unversioned_numbers();
    gpucc_array *array;
    FAILS(GPUCC_INVALID_ARGUMENT, "size",
          gpucc_array_from_dlpack(context, &tensor, &(gpucc_import_options){0}, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "size",
          gpucc_array_from_dlpack_unversioned(context, &old, &(gpucc_import_options){0}, &array));
    cr_assert_eq(deleted, 0);
    OK(gpucc_array_create(context, GPUCC_INT8, 0, NULL, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "size", gpucc_array_to_dlpack(array, &(gpucc_export_options){0}, &made));
    cr_assert_null(made);
}

/* ---- export ---- */

Test(dlpack, arrays_become_tensors_without_a_copy)
{
    const int64_t shape[] = {2, 3}, strides[] = {4, 8};
    gpucc_array *array, *view;
    DLManagedTensorVersioned *tensor;
    int32_t type, id;
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &(int64_t){6}, NULL, (float[]){0, 1, 2, 3, 4, 5}, &array));
    OK(gpucc_array_view(array, 2, shape, strides, 0, &view));
    OK(gpucc_array_dlpack_device(view, &type, &id));
    cr_assert(type == kDLCPU && id == 0);
    OK(gpucc_array_to_dlpack(view, NULL, &tensor));
    const DLTensor *t = &tensor->dl_tensor;
    cr_assert(tensor->version.major == 1 && tensor->flags == 0);
    cr_assert(t->device.device_type == kDLCPU && t->device.device_id == 0 && t->ndim == 2 && t->byte_offset == 0);
    cr_assert(t->shape[0] == 2 && t->shape[1] == 3 && t->strides[0] == 1 && t->strides[1] == 2);
    cr_assert_eq(t->data, gpucc_array_data(array));
    ((float *)t->data)[5] = 50;
    check_elements(view, 6, (float[]){0, 2, 4, 1, 3, 50});
    gpucc_array_release(view);
    gpucc_array_release(array);
    ((float *)t->data)[0] = 7; /* the tensor keeps it */
    tensor->deleter(tensor);
}

Test(dlpack, every_type_survives_a_round_trip)
{
    static const DLDataType types[GPUCC_DTYPE_COUNT] = {
        [GPUCC_BOOLEAN] = {kDLBool, 8, 1}, [GPUCC_INT8] = {kDLInt, 8, 1}, [GPUCC_UINT8] = {kDLUInt, 8, 1},
        [GPUCC_INT16] = {kDLInt, 16, 1}, [GPUCC_UINT16] = {kDLUInt, 16, 1}, [GPUCC_INT32] = {kDLInt, 32, 1},
        [GPUCC_UINT32] = {kDLUInt, 32, 1}, [GPUCC_INT64] = {kDLInt, 64, 1}, [GPUCC_UINT64] = {kDLUInt, 64, 1},
        [GPUCC_FLOAT16] = {kDLFloat, 16, 1}, [GPUCC_BFLOAT16] = {kDLBfloat, 16, 1}, [GPUCC_FLOAT32] = {kDLFloat, 32, 1},
        [GPUCC_FLOAT64] = {kDLFloat, 64, 1}, [GPUCC_COMPLEX64] = {kDLComplex, 64, 1},
        [GPUCC_COMPLEX128] = {kDLComplex, 128, 1},      [GPUCC_FLOAT8_E4M3FN] = {kDLFloat8_e4m3fn, 8, 1},
        [GPUCC_FLOAT8_E5M2] = {kDLFloat8_e5m2, 8, 1},
    };
    for (gpucc_dtype dtype = 0; dtype < GPUCC_DTYPE_COUNT; dtype++) {
        gpucc_array *array, *back;
        DLManagedTensor *tensor;
        OK(gpucc_array_create(context, dtype, 1, &(int64_t){5}, &array));
        OK(gpucc_array_to_dlpack_unversioned(array, NULL, &tensor));
        cr_assert_arr_eq(&tensor->dl_tensor.dtype, &types[dtype], sizeof types[dtype], "%s", gpucc_dtype_name(dtype));
        OK(gpucc_array_from_dlpack_unversioned(context, tensor, NULL, &back));
        cr_assert_eq(gpucc_array_dtype(back), dtype);
        cr_assert_eq(gpucc_array_data(back), gpucc_array_data(array));
        gpucc_array_release(array);
        gpucc_array_release(back);
    }
}

Test(dlpack, read_only_arrays_make_read_only_tensors)
{
    gpucc_array *array;
    DLManagedTensorVersioned *tensor;
    DLManagedTensor *old;
    const gpucc_export_options copied = {.size = sizeof copied, .copy = 1};
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &(int64_t){3}, NULL, (float[]){1, 2, 3}, &array));
    gpucc_array_set_read_only(array);
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    cr_assert_eq(tensor->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    tensor->deleter(tensor);
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_array_to_dlpack_unversioned(array, NULL, &old));
    cr_assert_null(old);
    OK(gpucc_array_to_dlpack_unversioned(array, &copied, &old));
    cr_assert_neq(old->dl_tensor.data, gpucc_array_data(array));
    cr_assert_eq(((float *)old->dl_tensor.data)[2], 3);
    old->deleter(old);
    OK(gpucc_array_to_dlpack(array, &copied, &tensor));
    cr_assert_eq(tensor->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
    tensor->deleter(tensor);
    gpucc_array_release(array);
}

static void check_only_copied(void *pointer, int64_t stride, const char *words)
{
    gpucc_array *array;
    DLManagedTensorVersioned *tensor;
    const gpucc_export_options copied = {.size = sizeof copied, .copy = 1};
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &(int64_t){3}, &stride, pointer, GPUCC_MEMORY_HOST, &array));
    FAILS(GPUCC_BAD_SHAPE, words, gpucc_array_to_dlpack(array, NULL, &tensor));
    cr_assert_null(tensor);
    OK(gpucc_array_to_dlpack(array, &copied, &tensor));
    float found[3];
    OK(gpucc_array_read(array, found, sizeof found));
    cr_assert_arr_eq(tensor->dl_tensor.data, found, sizeof found);
    cr_assert_eq(tensor->dl_tensor.strides[0], 1);
    tensor->deleter(tensor);
    gpucc_array_release(array);
}

Test(dlpack, a_copy_exports_arrays_beyond_dlpack)
{
    _Alignas(8) char bytes[32] = {0};
    check_only_copied(bytes, 6, "6 bytes, is not a multiple of the itemsize, 4 bytes of float32");
    check_only_copied(bytes + 16, -5, "dimension 0");
    check_only_copied(bytes + 2, 4, "not aligned");
}

Test(dlpack, strides_that_do_not_matter_do_not_hinder)
{
    gpucc_array *array;
    DLManagedTensorVersioned *tensor;
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 3, (int64_t[]){1, 3, 1}, (int64_t[]){7, 4, 3}, numbers,
                        GPUCC_MEMORY_HOST, &array));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    cr_assert_arr_eq(tensor->dl_tensor.strides, ((int64_t[]){3, 1, 1}), 3 * sizeof(int64_t));
    tensor->deleter(tensor);
    gpucc_array_release(array);
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, (int64_t[]){0, 3}, (int64_t[]){7, 3}, numbers, GPUCC_MEMORY_HOST,
                        &array));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    cr_assert_null(tensor->dl_tensor.data);
    tensor->deleter(tensor);
    gpucc_array_release(array);
}

Test(dlpack, scalars_are_tensors_of_no_dimension)
{
    gpucc_array *array;
    DLManagedTensorVersioned *tensor;
    OK(gpucc_array_scalar(context, GPUCC_FLOAT64, &(double){2.5}, &array));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    gpucc_array_release(array);
    cr_assert_eq(tensor->dl_tensor.ndim, 0);
    cr_assert_eq(*(double *)tensor->dl_tensor.data, 2.5);
    tensor->deleter(tensor);
}

/* ---- lifetimes ---- */

Test(dlpack, memory_outlives_its_context)
{
    gpucc_context *other = sample_context(1);
    gpucc_array *array;
    DLManagedTensorVersioned *first;
    DLManagedTensor *second;
    OK(gpucc_array_from_host(other, GPUCC_FLOAT32, 1, &(int64_t){3}, NULL, (float[]){1, 2, 3}, &array));
    OK(gpucc_array_to_dlpack(array, NULL, &first));
    OK(gpucc_array_to_dlpack_unversioned(array, NULL, &second));
    gpucc_context_destroy(other);
    ((float *)first->dl_tensor.data)[2] = 30;
    first->deleter(first);
    cr_assert_eq(((float *)second->dl_tensor.data)[2], 30);
    second->deleter(second);
}

/* From the producer to us, to another context, back to us, and to a consumer; contexts go before it all is let go. */
Test(dlpack, memory_passes_through_many_owners)
{
    gpucc_context *one = sample_context(1), *two = sample_context(1);
    DLManagedTensorVersioned tensor = versioned_numbers(), *passed;
    gpucc_array *array;
    OK(gpucc_array_from_dlpack(one, &tensor, NULL, &array));
    for (int i = 0; i < 4; i++) {
        OK(gpucc_array_to_dlpack(array, NULL, &passed));
        gpucc_array_release(array);
        OK(gpucc_array_from_dlpack(i % 2 ? one : two, passed, NULL, &array));
    }
    OK(gpucc_array_to_dlpack(array, NULL, &passed));
    gpucc_context_destroy(one);
    gpucc_context_destroy(two);
    cr_assert_eq(deleted, 0);
    cr_assert_eq(((float *)passed->dl_tensor.data)[5], 5);
    passed->deleter(passed);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, an_array_that_is_its_own_contexts_tensor)
{
    gpucc_context *other = sample_context(1);
    gpucc_array *array, *same;
    DLManagedTensorVersioned *tensor;
    OK(gpucc_array_from_host(other, GPUCC_FLOAT32, 1, &(int64_t){3}, NULL, (float[]){1, 2, 3}, &array));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    OK(gpucc_array_from_dlpack(other, tensor, NULL, &same));
    gpucc_context_destroy(other); /* the leak checker looks at what is left */
}

Test(dlpack, a_child_frees_nothing)
{
    gpucc_array *array;
    DLManagedTensorVersioned *tensor;
    int status;
    OK(gpucc_array_create(context, GPUCC_FLOAT64, 1, &(int64_t){100}, &array));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    gpucc_array_release(array);
    pid_t child = fork();
    if (child == 0) {
        tensor->deleter(tensor);
        _exit(0);
    }
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    ((double *)tensor->dl_tensor.data)[99] = 1;
    tensor->deleter(tensor);
}

/* ---- random tensors ---- */

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
}

enum { MOST_DIMS = 6, MOST_BYTES = 1 << 20 };

/* Strides in elements of every kind: permuted, with gaps, backwards, repeated; returns the elements reached, of which
 * *origin comes before element [0,0,…]. */
static int64_t random_layout(int ndim, const int64_t *shape, int64_t *strides, int64_t *origin)
{
    int order[MOST_DIMS];
    int64_t step = 1;
    *origin = 0;
    for (int d = 0; d < ndim; d++) {
        int at = (int)random_below((uint64_t)d + 1);
        order[d] = d;
        order[d] = order[at];
        order[at] = d;
    }
    for (int k = 0; k < ndim; k++) {
        const int d = order[k];
        strides[d] = 0;
        if (random_below(8) == 0)
            continue;
        step *= random_below(3) == 0 ? 2 : 1;
        strides[d] = random_below(3) == 0 ? -step : step;
        step *= shape[d] ? shape[d] : 1;
        if (strides[d] < 0 && shape[d] > 0)
            *origin -= (shape[d] - 1) * strides[d];
    }
    return step;
}

struct walk {
    int ndim;
    const int64_t *shape, *strides; /* in elements */
    size_t size;
    const char *first;
};

/* Element number i in C order. */
static const char *element_at(const struct walk *walk, int64_t i)
{
    const char *at = walk->first;
    for (int d = walk->ndim; d-- > 0;) {
        at += i % walk->shape[d] * walk->strides[d] * (int64_t)walk->size;
        i /= walk->shape[d];
    }
    return at;
}

static void check_array(const gpucc_array *array, const struct walk *walk)
{
    const int64_t count = gpucc_array_count(array);
    char *found = malloc((size_t)count * walk->size + 1);
    OK(gpucc_array_read(array, found, (size_t)count * walk->size));
    for (int64_t i = 0; i < count; i++)
        cr_assert_arr_eq(found + (size_t)i * walk->size, element_at(walk, i), walk->size, "element %lld", (long long)i);
    free(found);
}

static void check_tensor(const DLTensor *tensor, const struct walk *walk, bool copied)
{
    const struct walk there = {tensor->ndim, tensor->shape, tensor->strides, walk->size, tensor->data};
    int64_t count = 1;
    cr_assert_eq(tensor->ndim, walk->ndim);
    for (int d = 0; d < walk->ndim; d++) {
        cr_assert_eq(tensor->shape[d], walk->shape[d]);
        count *= walk->shape[d];
    }
    for (int64_t i = 0; i < count; i++) {
        const char *here = element_at(walk, i), *other = element_at(&there, i);
        cr_assert_arr_eq(other, here, walk->size);
        cr_assert(copied || other == here);
    }
}

static void random_round_trip(void)
{
    int64_t shape[MOST_DIMS], strides[MOST_DIMS], origin, count = 1;
    const gpucc_dtype dtype = (gpucc_dtype)random_below(GPUCC_DTYPE_COUNT);
    struct walk walk = {(int)random_below(MOST_DIMS + 1), shape, strides, gpucc_dtype_size(dtype), NULL};
    for (int d = 0; d < walk.ndim; d++)
        count *= shape[d] = random_below(12) == 0 ? 0 : 1 + (int64_t)random_below(4);
    int64_t elements = random_layout(walk.ndim, shape, strides, &origin);
    if ((size_t)elements * walk.size > MOST_BYTES)
        return;
    uint8_t *memory = malloc((size_t)elements * walk.size);
    for (size_t i = 0; i < (size_t)elements * walk.size; i++)
        memory[i] = (uint8_t)random_below(dtype == GPUCC_BOOLEAN ? 2 : 256);
    walk.first = (char *)memory + (size_t)origin * walk.size;
    DLManagedTensorVersioned given = versioned_numbers(), *made;
    DLManagedTensor *old, given_old = unversioned_numbers();
    gpucc_array *source, *array, *back;
    OK(gpucc_array_create(context, dtype, 0, NULL, &source)); /* for the element type */
    OK(gpucc_array_to_dlpack_unversioned(source, NULL, &old));
    const uint64_t offset = random_below(2) ? (uint64_t)origin * walk.size : 0;
    given.dl_tensor = (DLTensor){(void *)(uintptr_t)(walk.first - offset), {kDLCPU, 0}, walk.ndim,
                                 old->dl_tensor.dtype, shape, strides, offset};
    given_old.dl_tensor = given.dl_tensor;
    old->deleter(old);
    gpucc_array_release(source);
    const bool versioned = random_below(2), copied = random_below(2);
    const gpucc_export_options how = {.size = sizeof how, .copy = copied};
    if (versioned)
        OK(gpucc_array_from_dlpack(context, &given, NULL, &array));
    else
        OK(gpucc_array_from_dlpack_unversioned(context, &given_old, NULL, &array));
    cr_assert_eq(gpucc_array_count(array), count);
    check_array(array, &walk);
    if (versioned) {
        OK(gpucc_array_to_dlpack(array, &how, &made));
        check_tensor(&made->dl_tensor, &walk, copied);
        OK(gpucc_array_from_dlpack(context, made, NULL, &back));
    } else {
        OK(gpucc_array_to_dlpack_unversioned(array, &how, &old));
        check_tensor(&old->dl_tensor, &walk, copied);
        OK(gpucc_array_from_dlpack_unversioned(context, old, NULL, &back));
    }
    gpucc_array_release(array);
    check_array(back, &walk);
    cr_assert_eq(deleted, copied);
    gpucc_array_release(back);
    cr_assert_eq(deleted, 1);
    deleted = 0;
    free(memory);
}

Test(dlpack, random_tensors_go_round)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        random_state = seed << 32;
        random_round_trip();
    }
}

static int64_t random_extreme(void)
{
    static const int64_t values[] = {0, 1, 2, 3, 4, 7, 8, 64, 65, -1, -2, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                                     INT64_MAX / 4, INT64_MIN / 4, INT64_MAX / 8 - 1, (int64_t)1 << 40};
    return values[random_below(sizeof values / sizeof *values)];
}

/* No field is to be trusted; what is taken says where it lies, and goes back.  Its elements are not looked at. */
Test(dlpack, random_fields_are_imported_or_refused)
{
    int taken = 0;
    for (uint64_t seed = 0; seed < 200000; seed++) {
        int64_t shape[64], strides[64];
        DLManagedTensorVersioned tensor = versioned_numbers();
        DLTensor *t = &tensor.dl_tensor;
        gpucc_array *array;
        random_state = seed << 32;
        for (int d = 0; d < 64; d++) {
            shape[d] = random_below(2) ? (int64_t)random_below(4) : random_extreme();
            strides[d] = random_extreme();
        }
        t->shape = random_below(16) ? shape : NULL;
        t->strides = random_below(4) ? strides : NULL;
        t->ndim = random_below(4) ? (int32_t)random_below(4) : (int32_t)random_extreme();
        t->data = random_below(4) ? numbers : (void *)(uintptr_t)random_extreme();
        t->byte_offset = random_below(2) ? 0 : (uint64_t)random_extreme();
        if (random_below(4) == 0)
            t->dtype = (DLDataType){(uint8_t)random_below(10), (uint8_t)(1u << random_below(8)),
                                    (uint16_t)random_below(3)};
        if (random_below(8) == 0)
            t->device = (DLDevice){(DLDeviceType)random_below(20), (int32_t)random_extreme()};
        tensor.version.major = random_below(16) ? 1 : (uint32_t)random_extreme();
        tensor.flags = random_below(2) ? 0 : (uint64_t)random_extreme();
        gpucc_status status = gpucc_array_from_dlpack(context, &tensor, NULL, &array);
        cr_assert((status == GPUCC_OK) == (array != NULL), "seed %llu", (unsigned long long)seed);
        cr_assert_eq(deleted, 0);
        gpucc_array_release(array);
        cr_assert_eq(deleted, status == GPUCC_OK);
        taken += deleted;
        deleted = 0;
    }
    cr_assert_gt(taken, 1000);
}
