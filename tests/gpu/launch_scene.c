/* launch_scene PROGRAM SCENE [VARIABLE=BYTES…]: one launch on the first GPU, for compute-sanitizer to look at.
 *
 * PROGRAM.ptx and PROGRAM.json are the program, SCENE.scene and SCENE.data (tests/random/scene.h) the launch, whose
 * arrays have the sizes that it says and nothing around them; bytes are in hexadecimal.  Exit status 0, or 1 after a
 * message. */
#include "natives.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static void must(gpucc_status status)
{
    if (status == GPUCC_OK)
        return;
    fprintf(stderr, "%s\n", gpucc_last_error());
    exit(1);
}

static gpucc_program *load(gpucc_context *context, const char *stem)
{
    char ptx[PATH_SIZE], manifest[PATH_SIZE], native[PATH_SIZE];
    gpucc_program *program;
    snprintf(ptx, sizeof ptx, "%s.ptx", stem);
    snprintf(manifest, sizeof manifest, "%s.json", stem);
    snprintf(native, sizeof native, "%s.so", stem);
    use_natives(native);
    must(gpucc_program_load_files(context, ptx, manifest, &program));
    return program;
}

static void set_variable(gpucc_program *program, char *text)
{
    unsigned char bytes[64] = {0};
    gpucc_array *variable;
    char *digits = strchr(text, '=');
    size_t size = 0;
    for (*digits++ = 0; size < sizeof bytes && sscanf(digits + 2 * size, "%2hhx", &bytes[size]) == 1;)
        size++;
    must(gpucc_program_global(program, text, &variable));
    must(gpucc_array_write(variable, bytes, size));
    gpucc_array_release(variable);
}

static gpucc_array *make_array(gpucc_context *context, const struct scene_operand *operand)
{
    const int64_t count = (int64_t)operand->count;
    gpucc_array *array;
    must(operand->is_empty
             ? gpucc_array_create(context, operand->dtype, 1, &count, &array)
             : gpucc_array_from_host(context, operand->dtype, 1, &count, NULL, operand->initial, &array));
    return array;
}

static void launch(gpucc_context *context, gpucc_program *program, const struct scene_program *scene)
{
    const struct gpucc_index g = scene->grid, b = scene->block;
    const gpucc_launch how = {.size = sizeof how, .grid = {g.x, g.y, g.z}, .block = {b.x, b.y, b.z},
                              .shared = scene->shared};
    gpucc_array *arrays[SCENE_OPERANDS] = {0};
    void *pointers[SCENE_OPERANDS], *parameters[SCENE_OPERANDS];
    gpucc_kernel *kernel;
    for (int i = 0; i < scene->operand_count; i++) {
        const struct scene_operand *operand = &scene->operands[i];
        arrays[i] = operand->is_value ? NULL : make_array(context, operand);
        pointers[i] = gpucc_array_data(arrays[i]);
        parameters[i] = operand->is_value ? (void *)operand->initial : &pointers[i];
    }
    must(gpucc_program_kernel(program, scene->name, &kernel));
    must(gpucc_kernel_launch(kernel, &how, parameters));
    must(gpucc_context_synchronize(context));
    for (int i = 0; i < scene->operand_count; i++)
        gpucc_array_release(arrays[i]);
}

int main(int argc, char **argv)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cuda:0"};
    gpucc_context *context;
    struct scene scene;
    if (argc < 3)
        return fprintf(stderr, "launch_scene PROGRAM SCENE [VARIABLE=BYTES…]\n"), 1;
    if (!scene_read(&scene, argv[2], false))
        return 1;
    must(gpucc_context_create(&options, &context));
    gpucc_program *program = load(context, argv[1]);
    for (int i = 3; i < argc; i++)
        set_variable(program, argv[i]);
    for (size_t i = 0; i < scene.count; i++)
        launch(context, program, &scene.programs[i]);
    gpucc_context_destroy(context);
    scene_free(&scene);
    return 0;
}
