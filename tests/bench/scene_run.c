/* Makes a scene's arrays, launches its kernel on them, and compares what that has written. */
#include "scene_run.h"

#include "bench.h"

#include <stdio.h>

void scene_run_begin(struct scene_run *run, gpucc_context *context, const struct scene *scene,
                     const struct gpucc_program_image *program, uint64_t abi, const char *suffix)
{
    char name[64];
    *run = (struct scene_run){.scene = scene, .context = context};
    snprintf(name, sizeof name, "%s%s", scene->shape->name, suffix);
    MUST(gpucc_context_kernel(context, program, abi, name, &run->kernel));
    for (int i = 0; i < scene->parameter_count; i++) {
        const struct scene_parameter *p = &scene->parameters[i];
        const int64_t bytes = (int64_t)p->bytes;
        run->parameters[i] = &p->number;
        if (bytes == 0)
            continue;
        MUST(gpucc_array_from_host(context, GPUCC_UINT8, 1, &bytes, NULL, p->contents, &run->arrays[i]));
        run->pointers[i] = gpucc_array_data(run->arrays[i]);
        run->parameters[i] = &run->pointers[i];
    }
}

void scene_run_launch(const struct scene_run *run)
{
    const struct scene *scene = run->scene;
    const gpucc_launch how = {.size = sizeof how,
                              .grid = {scene->grid[0], scene->grid[1], 1},
                              .block = {scene->shape->block[0], scene->shape->block[1], 1}};
    MUST(gpucc_kernel_launch(run->kernel, &how, (void *const *)run->parameters));
    MUST(gpucc_context_synchronize(run->context));
}

static void read_array(void *data, int parameter, void *result)
{
    const struct scene_run *run = data;
    MUST(gpucc_array_read(run->arrays[parameter], result, run->scene->parameters[parameter].bytes));
}

bool scene_run_check(struct scene_run *run)
{
    return scene_check_all(run->scene, read_array, run);
}

void scene_run_end(struct scene_run *run)
{
    for (int i = 0; i < run->scene->parameter_count; i++)
        gpucc_array_release(run->arrays[i]);
}
