/* gpucc run --at: a ufunc in place on elements of its first input. */
#include "run/run_internal.h"

struct at {
    gpucc_ufunc *ufunc;
    gpucc_array *array, *indices, *operand;
};

static gpucc_status at(void *data)
{
    struct at *at = data;
    return gpucc_ufunc_at(at->ufunc, at->array, at->indices, at->operand, NULL);
}

/* The input's data, which may be a file's, in memory that may be written. */
static gpucc_array *copy_of(struct run *run, const gpucc_array *array)
{
    gpucc_array *copy;
    const size_t size = (size_t)array_bytes(array);
    void *data = arena_alloc(run->arena, size ? size : 1);
    check(gpucc_array_read(array, data, size), "--at");
    check(gpucc_array_from_host(run->context, gpucc_array_dtype(array), gpucc_array_ndim(array),
                                gpucc_array_shape(array), NULL, data, &copy),
          "--at");
    return copy;
}

/* The own type, if it has one: results are cast to it. */
static gpucc_array *own_array(struct run *run, size_t k, const struct instance *loop)
{
    struct input *input = &run->options->inputs[k];
    return device_array(run, input, input->dtype == DTYPE_NONE ? loop->inputs[k] : input->dtype);
}

void run_at(struct run *run)
{
    struct run_options *options = run->options;
    const struct instance *loop = choose_loop(run);
    if (loop->input_count > 2 || loop->output_count != 1)
        usage_error("--at requires a ufunc with one or two inputs and one output, but '%s' has %zu and %zu",
                    options->name,
                    loop->input_count, loop->output_count);
    check_ufunc_options(run, 1);
    gpucc_array *first = own_array(run, 0, loop);
    struct at data = {.array = copy_of(run, first), .indices = indices_array(run)};
    data.operand = loop->input_count == 2 ? own_array(run, 1, loop) : NULL;
    check(gpucc_program_ufunc(run->loaded, options->name, &data.ufunc), options->name);
    guarded(run, at, &data);
    save_variables(run);
    gpucc_array *once = options->repeats || options->is_bench ? copy_of(run, data.array) : data.array;
    measure(run, at, &data, 2 * array_bytes(data.indices));
    result(run, "out", once, output_path(options, 0));
    if (once != data.array)
        gpucc_array_release(once);
    gpucc_array_release(data.array);
    gpucc_array_release(data.indices);
    gpucc_array_release(data.operand);
    gpucc_array_release(first);
}
