/* Runs scenes (tests/random/scene.h) on the GPU and compares what comes out with what is expected. */
#include "scenes.h"
#include "natives.h"
#include "scene.h"
#include "suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, PATH_SIZE = 8192 };

/* How an operand lies in its memory: behind a guard of some elements, and with gaps between elements. */
struct layout {
    const char *name;
    size_t before, step; /* elements */
};

/* An operand on the GPU. */
struct buffer {
    struct layout layout;
    size_t element, size; /* bytes of an element and of all, guards included */
    char *image;          /* what is in it before, and then what should be */
    gpucc_array *whole, *part;
};

static int differences;
static const char *folder, *scene_name;

/* ---- memory ---- */

static char *place(const struct buffer *b, char *image, size_t index)
{
    return image + (b->layout.before + index * b->layout.step) * b->element;
}

static struct buffer buffer_make(const struct scene_operand *o, struct layout layout)
{
    struct buffer b = {.layout = layout, .element = gpucc_dtype_size(o->dtype)};
    const size_t elements = 2 * layout.before + o->count * layout.step;
    const int64_t bytes = (int64_t)(elements * b.element), count = (int64_t)o->count,
                  stride = (int64_t)(layout.step * b.element), all = (int64_t)elements;
    b.size = (size_t)bytes;
    b.image = suite_alloc(b.size);
    memset(b.image, GUARD_BYTE, b.size);
    for (size_t i = 0; o->initial && i < o->count; i++)
        memcpy(place(&b, b.image, i), o->initial + i * b.element, b.element);
    MUST(gpucc_array_from_host(suite.gpu, o->dtype, 1, &all, NULL, b.image, &b.whole));
    MUST(gpucc_array_view(b.whole, 1, &count, &stride, (int64_t)(layout.before * b.element), &b.part));
    return b;
}

static void buffer_free(struct buffer *b)
{
    gpucc_array_release(b->part);
    gpucc_array_release(b->whole);
    free(b->image);
}

/* ---- comparing ---- */

static void report_element(const struct scene_program *program, int operand, const char *found, size_t at)
{
    const struct scene_operand *o = &program->operands[operand];
    char one[40], other[40], input[40];
    printf("%s, operand %d, element %zu: expected %s, found %s;", program->name, operand, at,
           scene_element(o->dtype, o->expected, at, one), scene_element(o->dtype, found, at, other));
    for (int i = 0; i < program->inputs; i++)
        printf(" %s", scene_element(program->operands[i].dtype, program->operands[i].initial, at, input));
    printf("\n");
}

/* The expected elements move to their places in `found` and in the image, so that all other bytes can be compared. */
static void compare_result(const struct scene_program *program, int operand, struct buffer *b, char *found)
{
    const struct scene_operand *o = &program->operands[operand];
    char *elements = suite_alloc(o->size);
    for (size_t i = 0; i < o->count; i++) {
        const char *expected = o->expected + i * b->element;
        memcpy(elements + i * b->element, place(b, found, i), b->element);
        memcpy(place(b, found, i), expected, b->element);
        memcpy(place(b, b->image, i), expected, b->element);
    }
    size_t at = scene_difference(o->dtype, o->expected, elements, o->count);
    if (at < o->count) {
        differences++;
        printf("%s, %s: ", scene_name, b->layout.name);
        report_element(program, operand, elements, at);
    }
    free(elements);
}

static void compare_buffer(const struct scene_program *program, int operand, struct buffer *b)
{
    char *found = suite_alloc(b->size);
    MUST(gpucc_array_read(b->whole, found, b->size));
    if (program->operands[operand].is_result)
        compare_result(program, operand, b, found);
    if (memcmp(found, b->image, b->size)) {
        differences++;
        printf("%s, %s: %s, operand %d: what lies beside results, or an input, is changed\n", scene_name,
               b->layout.name, program->name, operand);
    }
    free(found);
}

/* ---- gufuncs ---- */

/* The whole memory of the operand between guards, and the operand as a view of it. */
static struct buffer core_make(const struct scene_program *program, const struct scene_operand *o, struct layout layout)
{
    struct buffer b = buffer_make(o, layout);
    const int64_t size = (int64_t)b.element;
    int64_t shape[1 + SCENE_RANK] = {(int64_t)program->count}, strides[1 + SCENE_RANK] = {o->step * size};
    for (int d = 0; d < o->rank; d++) {
        shape[1 + d] = (int64_t)program->extents[o->dimensions[d]];
        strides[1 + d] = o->strides[d] * size;
    }
    gpucc_array_release(b.part);
    MUST(gpucc_array_view(b.whole, 1 + o->rank, shape, strides, (int64_t)(GUARD + o->offset) * size, &b.part));
    return b;
}

/* ---- running ---- */

static void call_ufunc(gpucc_program *loaded, const struct scene_program *program, const struct buffer *buffers)
{
    const gpucc_array *inputs[SCENE_OPERANDS];
    gpucc_array *outputs[SCENE_OPERANDS];
    gpucc_ufunc *ufunc;
    for (int i = 0; i < program->operand_count; i++) {
        if (i < program->inputs)
            inputs[i] = buffers[i].part;
        else
            outputs[i - program->inputs] = buffers[i].part;
    }
    MUST(gpucc_program_ufunc(loaded, program->name, &ufunc));
    MUST(gpucc_ufunc_call(ufunc, inputs, outputs, NULL));
}

static void launch_kernel(gpucc_program *loaded, const struct scene_program *program, const struct buffer *buffers)
{
    const struct gpucc_index g = program->grid, b = program->block;
    const gpucc_launch launch = {.size = sizeof launch, .grid = {g.x, g.y, g.z}, .block = {b.x, b.y, b.z},
                                 .shared = program->shared};
    void *pointers[SCENE_OPERANDS], *parameters[SCENE_OPERANDS + 1];
    gpucc_kernel *kernel;
    int count = 0;
    if (program->kind == SCENE_MAP)
        parameters[count++] = (void *)&program->count;
    for (int i = 0; i < program->operand_count; i++) {
        const struct scene_operand *o = &program->operands[i];
        pointers[i] = o->is_value ? NULL : gpucc_array_data(buffers[i].part);
        parameters[count++] = o->is_value ? (void *)o->initial : &pointers[i];
    }
    MUST(gpucc_program_kernel(loaded, program->name, &kernel));
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
}

static void run_program(gpucc_program *loaded, const struct scene_program *program, struct layout layout)
{
    struct buffer buffers[SCENE_OPERANDS] = {0};
    for (int i = 0; i < program->operand_count; i++) {
        const struct scene_operand *o = &program->operands[i];
        if (program->kind == SCENE_GUFUNC)
            buffers[i] = core_make(program, o, layout);
        else if (!o->is_value)
            buffers[i] = buffer_make(o, layout);
    }
    if (program->kind == SCENE_UFUNC || program->kind == SCENE_GUFUNC)
        call_ufunc(loaded, program, buffers);
    else
        launch_kernel(loaded, program, buffers);
    MUST(gpucc_context_synchronize(suite.gpu));
    for (int i = 0; i < program->operand_count; i++)
        if (!program->operands[i].is_value) {
            compare_buffer(program, i, &buffers[i]);
            buffer_free(&buffers[i]);
        }
}

/* By one thread for each call, and by teams of each size that differs in kind. */
static void run_mappings(gpucc_program *loaded, const struct scene_program *program)
{
    static const char *const threads[] = {"1", "32", "64x2", "512"};
    static const char *const names[] = {"by one thread", "by 32", "by 64 x 2", "by 512"};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        setenv("GPUCC_GUFUNC_TEAM", threads[k], 1);
        run_program(loaded, program, (struct layout){names[k], GUARD, 1});
    }
    unsetenv("GPUCC_GUFUNC_TEAM");
}

/* A kernel's arrays are adjacent elements, aligned as allocations are. */
static void run_all(gpucc_program *loaded, const struct scene *scene)
{
    static const struct layout layouts[] = {
        {"aligned", GUARD, 1}, {"not aligned", GUARD - 1, 1}, {"strided", GUARD, 3}};
    for (size_t i = 0; i < scene->count; i++) {
        const struct scene_program *program = &scene->programs[i];
        if (program->kind == SCENE_GUFUNC) {
            run_mappings(loaded, program);
            continue;
        }
        run_program(loaded, program, layouts[0]);
        for (size_t k = 1; program->kind == SCENE_UFUNC && k < sizeof layouts / sizeof *layouts; k++)
            run_program(loaded, program, layouts[k]);
    }
}

/* ---- scenes ---- */

static const char *scene_path(char path[PATH_SIZE], const char *suffix)
{
    snprintf(path, PATH_SIZE, "%s/%s%s", suite_path(folder), scene_name, suffix);
    return path;
}

/* A file of the scene's program. */
static const char *program_path(char path[PATH_SIZE], const char *suffix)
{
    snprintf(path, PATH_SIZE, "%s/%.*s%s", suite_path(folder), (int)strcspn(scene_name, "."), scene_name, suffix);
    return path;
}

/* Returns the architecture of the PTX: 90 for sm_90. */
static int architecture(const char *path)
{
    char line[256];
    int arch = 0;
    FILE *file = fopen(path, "r");
    CHECK(file, "cannot open %s", path);
    while (!arch && fgets(line, sizeof line, file))
        (void)!sscanf(line, ".target sm_%d", &arch);
    fclose(file);
    return arch;
}

/* How many programs of it were run. */
static size_t run_scene(void)
{
    char stem[PATH_SIZE], ptx[PATH_SIZE], manifest[PATH_SIZE], natives[PATH_SIZE];
    struct scene scene;
    gpucc_program *loaded;
    const int arch = architecture(program_path(ptx, ".ptx"));
    if (arch > suite.device.arch) {
        printf("%s: left out, it is for sm_%d\n", scene_name, arch);
        return 0;
    }
    printf("%s\n", scene_name); /* which a call that fails does not tell */
    fflush(stdout);
    use_natives(program_path(natives, ".so"));
    CHECK(scene_read(&scene, scene_path(stem, ""), true), "%s", scene_name);
    MUST(gpucc_program_load_files(suite.gpu, ptx, program_path(manifest, ".json"), &loaded));
    run_all(loaded, &scene);
    gpucc_program_release(loaded);
    const size_t count = scene.count;
    scene_free(&scene);
    return count;
}

void scenes_run(const char *where, const char *prefix)
{
    suite_needs_cuda();
    size_t count = 0;
    struct dirent **entries;
    folder = where;
    differences = 0;
    int found = scandir(suite_path(folder), &entries, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        char *suffix = strstr(entries[i]->d_name, ".scene");
        if (suffix && !strncmp(entries[i]->d_name, prefix, strlen(prefix))) {
            *suffix = 0;
            scene_name = entries[i]->d_name;
            count += run_scene();
        }
    }
    for (int i = 0; i < found; i++)
        free(entries[i]);
    if (found >= 0)
        free(entries);
    if (count == 0)
        suite_skip("there are no such programs here");
    printf("%zu programs of %s/%s*\n", count, where, prefix);
    CHECK(differences == 0, "%d differences", differences);
}
