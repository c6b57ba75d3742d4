/* A launch of a test's kernel on one device: its arrays there, the program as it is loaded, what is found. */
#include "test/test_internal.h"

#include <string.h>

/* ---- the launch ---- */

struct launching {
    const struct station *station;
    const struct kernel_case *with;
    gpucc_array **arrays;
    void **parameters;
    gpucc_program *loaded;
    struct jit *code; /* of the CPU */
};

static gpucc_status load(struct launching *launching)
{
    const struct station *station = launching->station;
    const struct gpucc_program_image *image = station->image;
    if (!image) {
        launching->code = jit_load(station->program->made[ARTEFACT_OBJECT], false);
        image = jit_symbol(launching->code,
                           arena_printf(launching->with->arena, "gpucc_program_%s", station->program->stem));
    }
    return gpucc_program_load(station->context, image, &launching->loaded);
}

static gpucc_status place_arrays(struct launching *launching)
{
    const struct kernel_case *with = launching->with;
    for (size_t i = 0; i < with->of->kernel->function->parameter_count; i++) {
        const struct parameter_data *held = &with->held[i];
        launching->parameters[i] = with->cells + with->of->test->arguments[i].value.cell;
        if (!held->data)
            continue;
        const int64_t bytes = (int64_t)parameter_data_size(held);
        const bool typed = held->dtype != DTYPE_NONE;
        gpucc_status status = gpucc_array_from_host(launching->station->context,
                                                    typed ? (gpucc_dtype)held->dtype : GPUCC_UINT8,
                                                    typed ? held->ndim : 1, typed ? held->shape : &bytes, NULL,
                                                    held->data, &launching->arrays[i]);
        if (status)
            return status;
        void **pointer = arena_alloc(with->arena, sizeof *pointer);
        *pointer = gpucc_array_data(launching->arrays[i]);
        launching->parameters[i] = pointer;
    }
    return GPUCC_OK;
}

static gpucc_status launch(const struct launching *launching)
{
    gpucc_kernel *kernel;
    const struct kernel_case *with = launching->with;
    gpucc_status status = gpucc_program_kernel(launching->loaded, with->of->kernel->symbol, &kernel);
    if (!status)
        status = gpucc_kernel_launch(kernel, &with->launch, launching->parameters);
    return status ? status : gpucc_context_synchronize(launching->station->context);
}

static gpucc_status fetch(const struct launching *launching, char **after)
{
    const struct kernel_case *with = launching->with;
    gpucc_status status = GPUCC_OK;
    for (size_t i = 0; i < with->of->kernel->function->parameter_count && !status; i++) {
        const size_t size = parameter_data_size(&with->held[i]);
        after[i] = launching->arrays[i] ? arena_alloc(with->arena, size + 1) : NULL;
        if (launching->arrays[i])
            status = gpucc_array_read(launching->arrays[i], after[i], size);
    }
    return status;
}

static void clean(const struct launching *launching)
{
    for (size_t i = 0; i < launching->with->of->kernel->function->parameter_count; i++)
        gpucc_array_release(launching->arrays[i]);
    if (launching->loaded)
        gpucc_program_release(launching->loaded);
    if (launching->code)
        jit_free(launching->code);
}

const char *launch_case(const struct station *station, const struct kernel_case *with, uint64_t order, char **after)
{
    const size_t count = with->of->kernel->function->parameter_count;
    struct launching launching = {.station = station, .with = with};
    struct faults faults = {.text = {.arena = with->arena}};
    const struct watch_settings settings = {.seed = order, .report = report_fault, .data = &faults};
    launching.arrays = arena_alloc(with->arena, (count + 1) * sizeof *launching.arrays);
    launching.parameters = arena_alloc(with->arena, (count + 1) * sizeof *launching.parameters);
    if (station->is_checked)
        context_watch(station->context, &settings);
    if (!station->image)
        guard(with->of->kernel->symbol);
    gpucc_status status = load(&launching);
    status = status ? status : place_arrays(&launching);
    status = status ? status : launch(&launching);
    status = status ? status : fetch(&launching, after);
    if (status && !faults.count)
        text_printf(&faults.text, "the launch on %s fails: %s\n", station->image ? station->name : "cpu",
                    gpucc_last_error());
    if (station->is_checked)
        context_watch(station->context, NULL);
    clean(&launching);
    return faults.text.data;
}
