/* Arrays that are used after gpucc_array_release(): an error that says so, and no crash. */
#include "sample_program.h"
#include "expect.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static gpucc_context *context;
static gpucc_array *array, *gone, *out;
static gpucc_ufunc *add;
static float numbers[3] = {1, 2, 3};

static void open_all(void)
{
    const int64_t three = 3;
    gpucc_program *program;
    context = sample_context(1);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_program_load(context, &sample_image, &program));
    OK(gpucc_program_ufunc(program, "add", &add));
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, &array));
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, &gone));
    gpucc_array_release(gone);
}

static void close_all(void)
{
    gpucc_context_destroy(context);
}

TestSuite(released, .init = open_all, .fini = close_all);

#define REFUSES(message, call) FAILS(GPUCC_INVALID_ARGUMENT, message, call)

Test(released, operands)
{
    const gpucc_array *inputs[] = {array, gone};
    REFUSES("add: input 1 has been released", gpucc_ufunc_call(add, inputs, &out, NULL));
    REFUSES("add: input 1 has been released", gpucc_ufunc_outer(add, inputs, &out, NULL));
    inputs[1] = array;
    REFUSES("add: output 0 has been released", gpucc_ufunc_call(add, inputs, &gone, NULL));
    gpucc_call_options how = {.size = sizeof how, .where = gone};
    REFUSES("add: where has been released", gpucc_ufunc_call(add, inputs, &out, &how));
    REFUSES("add: input 0 has been released", gpucc_ufunc_reduce(add, gone, &out, NULL));
    REFUSES("add: input 0 has been released", gpucc_ufunc_accumulate(add, gone, &out, NULL));
    REFUSES("add: the array of indices has been released", gpucc_ufunc_reduceat(add, array, gone, &out, NULL));
    REFUSES("add: the array has been released", gpucc_ufunc_at(add, gone, array, array, NULL));
    cr_expect_null(out);
}

Test(released, what_is_asked_of_an_array)
{
    const int64_t zero = 0, one = 1;
    gpucc_texture *texture = NULL;
    struct DLManagedTensorVersioned *tensor = NULL;
    struct DLManagedTensor *unversioned = NULL;
    int32_t type, id;
    REFUSES("gpucc_array_read: the array has been released", gpucc_array_read(gone, numbers, sizeof numbers));
    REFUSES("gpucc_array_write: the array has been released", gpucc_array_write(gone, numbers, sizeof numbers));
    REFUSES("gpucc_array_read_part: the array has been released",
            gpucc_array_read_part(gone, &zero, &one, numbers, sizeof *numbers));
    REFUSES("gpucc_array_view: the array has been released", gpucc_array_view(gone, 1, &one, NULL, 0, &out));
    REFUSES("gpucc_texture_create: the array has been released", gpucc_texture_create(gone, NULL, &texture));
    REFUSES("gpucc_array_to_dlpack: the array has been released", gpucc_array_to_dlpack(gone, NULL, &tensor));
    REFUSES("gpucc_array_to_dlpack_unversioned: the array has been released",
            gpucc_array_to_dlpack_unversioned(gone, NULL, &unversioned));
    REFUSES("gpucc_array_dlpack_device: the array has been released", gpucc_array_dlpack_device(gone, &type, &id));
    cr_expect(!out && !texture && !tensor && !unversioned);
}

Test(released, once_more)
{
    gpucc_array_release(gone);
    const gpucc_array *inputs[] = {array, array};
    OK(gpucc_ufunc_call(add, inputs, &out, NULL));
    OK(gpucc_array_read(out, numbers, sizeof numbers));
    cr_expect_eq(numbers[2], 6);
    gpucc_array_release(out);
}

/* Handles do not pile up: those of a context's last ones alone are left, and none after it. */
Test(released, many)
{
    const int64_t three = 3;
    for (int i = 0; i < 1000; i++) {
        OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, &out));
        gpucc_array_release(out);
    }
    REFUSES("has been released", gpucc_array_read(out, numbers, sizeof numbers));
}
