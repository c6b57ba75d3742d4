/* Runs random programs: what gcc made of them once, what gpucc made of them in several ways, and compares every byte.
 *
 *   replay [--only=NAME] [--save] STEM REFERENCE.so LABEL=NATIVE.so…
 *
 * STEM names the scene (scene.h); --save writes what the reference gives as STEM.expected.  Prints a line before each
 * run, so that the last one tells where it came to a bad end, and one for each difference:
 *   run NAME LABEL HOW
 *   FAIL NAME LABEL HOW: …
 *   ENDLESS NAME         the reference itself took longer than half a second, or stopped at what C leaves undefined;
 *                        nothing else was run
 * Exit status 0 where everything agrees, 1 where something differs, 3 where something is lacking.  A program that takes
 * longer than twenty seconds ends by SIGALRM.
 */
#include "arrays/arrays.h"
#include "checks/operations.h"
#include "checks/watch_launch.h"
#include "core_call.h"
#include "scene.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, SECONDS = 20, REFERENCE_MICROSECONDS = 500000 };

typedef void function_reference(char **operands, size_t n);
typedef void kernel_reference(void **parameters, const unsigned grid[3], const unsigned block[3]);
typedef void native_loop(char **arguments, const intptr_t *dimensions, const intptr_t *steps, void *data);
typedef void native_kernel(void **parameters);

struct build {
    const char *label;
    void *library;
};

/* The memory of one run: every operand between guards. */
struct buffers {
    char *memory[SCENE_OPERANDS]; /* what is free()d */
    char *at[SCENE_OPERANDS];
    size_t size[SCENE_OPERANDS];
    int count;
};

static struct pool *pool;
static gpucc_context *context; /* of the CPU, for checked launches */
static int differences;

static void *find(void *library, const char *name, const char *suffix)
{
    char symbol[256];
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    return dlsym(library, symbol);
}

/* ---- memory ---- */

/* `spread` elements' room for each element, of which the first is the element. */
static struct buffers buffers_make(const struct scene_program *program, size_t spread)
{
    struct buffers b = {.count = program->operand_count};
    for (int i = 0; i < b.count; i++) {
        const struct scene_operand *o = &program->operands[i];
        const size_t size = o->size / (o->count ? o->count : 1), whole = o->size * spread;
        b.size[i] = whole;
        b.memory[i] = aligned_alloc(GUARD, (whole + 2 * GUARD + GUARD - 1) / GUARD * GUARD);
        b.at[i] = b.memory[i] + GUARD;
        memset(b.memory[i], GUARD_BYTE, whole + 2 * GUARD);
        if (o->initial && spread == 1)
            memcpy(b.at[i], o->initial, o->size);
        else if (o->initial)
            for (size_t k = 0; k < o->count; k++)
                memcpy(b.at[i] + k * spread * size, o->initial + k * size, size);
    }
    return b;
}

static void buffers_free(struct buffers *b)
{
    for (int i = 0; i < b->count; i++)
        free(b->memory[i]);
}

static bool guards_stand(const struct buffers *b, int i)
{
    for (int k = 0; k < GUARD; k++)
        if ((unsigned char)b->memory[i][k] != GUARD_BYTE ||
            (unsigned char)b->at[i][b->size[i] + (size_t)k] != GUARD_BYTE)
            return false;
    return true;
}

/* ---- comparing ---- */

static void report_inputs(const struct scene_program *program, size_t index)
{
    char text[40];
    for (int i = 0; i < program->inputs; i++)
        printf(" %s", scene_element(program->operands[i].dtype, program->operands[i].initial, index, text));
}

static void compare_operand(const struct scene_program *program, const struct build *build, const char *how, int i,
                            const char *found)
{
    const struct scene_operand *o = &program->operands[i];
    char one[40], other[40];
    size_t at = scene_difference(o->dtype, o->expected, found, o->count);
    if (at == o->count)
        return;
    differences++;
    printf("FAIL %s %s %s: operand %d, element %zu: expected %s, found %s;", program->name, build->label, how, i, at,
           scene_element(o->dtype, o->expected, at, one), scene_element(o->dtype, found, at, other));
    report_inputs(program, at);
    printf("\n");
}

static struct findings findings; /* of all programs, one after the other */

static void report_operation(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *text)
{
    (void)data;
    printf("%s%s:%d:%d: %s", is_note ? "; " : " ", place->file, place->line, place->column, text);
}

/* Reports undefined operations, by code compiled with -fsanitize=undefined: the programs have none. */
static void check_operations(const struct scene_program *program, const struct build *build, const char *how)
{
    const struct watch_settings settings = {.report = report_operation};
    const int count = operations_report(&findings, &settings);
    if (count > 0)
        printf("\nFAIL %s %s %s: %d undefined operation%s\n", program->name, build->label, how, count,
               count == 1 ? "" : "s");
    differences += count;
}

static void compare(const struct scene_program *program, const struct build *build, const char *how,
                    const struct buffers *b)
{
    check_operations(program, build, how);
    for (int i = 0; i < b->count; i++) {
        if (program->operands[i].is_result)
            compare_operand(program, build, how, i, b->at[i]);
        if (!guards_stand(b, i)) {
            differences++;
            printf("FAIL %s %s %s: operand %d: written outside\n", program->name, build->label, how, i);
        }
    }
}

static void announce(const struct scene_program *program, const char *label, const char *how)
{
    printf("run %s %s %s\n", program->name, label, how);
    fflush(stdout);
    alarm(SECONDS);
}

/* ---- functions ---- */

static intptr_t element_size(const struct scene_operand *o)
{
    return (intptr_t)(o->size / o->count);
}

static void run_contiguous(const struct scene_program *program, const struct build *build, native_loop *loop)
{
    struct buffers b = buffers_make(program, 1);
    intptr_t n = (intptr_t)program->count, steps[SCENE_OPERANDS];
    for (int i = 0; i < b.count; i++)
        steps[i] = element_size(&program->operands[i]);
    announce(program, build->label, "contiguous");
    loop(b.at, &n, steps, NULL);
    compare(program, build, "contiguous", &b);
    buffers_free(&b);
}

static void run_one_by_one(const struct scene_program *program, const struct build *build, native_loop *loop)
{
    struct buffers b = buffers_make(program, 1);
    intptr_t one = 1, steps[SCENE_OPERANDS];
    for (int i = 0; i < b.count; i++)
        steps[i] = element_size(&program->operands[i]);
    announce(program, build->label, "one-by-one");
    for (size_t k = 0; k < program->count; k++) {
        char *at[SCENE_OPERANDS];
        for (int i = 0; i < b.count; i++)
            at[i] = b.at[i] + (intptr_t)k * steps[i];
        loop(at, &one, steps, NULL);
    }
    compare(program, build, "one-by-one", &b);
    buffers_free(&b);
}

/* Outputs with gaps between their elements, and inputs alike. */
static void run_strided(const struct scene_program *program, const struct build *build, native_loop *loop)
{
    enum { SPREAD = 3 };
    struct buffers b = buffers_make(program, SPREAD);
    intptr_t n = (intptr_t)program->count, steps[SCENE_OPERANDS];
    for (int i = 0; i < b.count; i++)
        steps[i] = SPREAD * element_size(&program->operands[i]);
    announce(program, build->label, "strided");
    loop(b.at, &n, steps, NULL);
    for (int i = program->inputs; i < b.count; i++)
        for (intptr_t k = 1, size = steps[i] / SPREAD; k < n; k++)
            memmove(b.at[i] + k * size, b.at[i] + k * steps[i], (size_t)size);
    compare(program, build, "strided", &b);
    buffers_free(&b);
}

static void run_ufunc(const struct scene_program *program, const struct build *build)
{
    native_loop *loop = (native_loop *)find(build->library, program->symbol, "_loop");
    if (!loop) {
        differences++;
        printf("FAIL %s %s: there is no %s_loop\n", program->name, build->label, program->symbol);
        return;
    }
    run_contiguous(program, build, loop);
    run_one_by_one(program, build, loop);
    run_strided(program, build, loop);
}

/* ---- gufuncs ---- */

static void run_gufunc(struct scene_program *program, const struct build *build)
{
    native_loop *loop = (native_loop *)find(build->library, program->symbol, "_loop");
    if (!loop) {
        differences++;
        printf("FAIL %s %s: there is no %s_loop\n", program->name, build->label, program->symbol);
        return;
    }
    struct buffers b = buffers_make(program, 1);
    struct core_call call;
    core_call_fill(&call, program, b.at);
    announce(program, build->label, "at-once");
    loop(call.at, call.dimensions, call.steps, NULL);
    if (program->rounds) /* every build and every mapping give what the first one gave */
        for (int i = program->inputs; i < b.count; i++)
            memcpy(program->operands[i].expected, b.at[i], program->operands[i].size);
    program->rounds = false;
    compare(program, build, "at-once", &b);
    buffers_free(&b);
    b = buffers_make(program, 1);
    core_call_fill(&call, program, b.at);
    announce(program, build->label, "one-by-one");
    for (call.dimensions[0] = 1; call.calls-- > 0; core_call_advance(&call))
        loop(call.at, call.dimensions, call.steps, NULL);
    compare(program, build, "one-by-one", &b);
    buffers_free(&b);
}

/* ---- kernels ---- */

/* Makes the array of pointers to a kernel's parameter values. */
static void point_parameters(const struct scene_program *program, struct buffers *b, void **parameters)
{
    int k = 0;
    if (program->kind == SCENE_MAP)
        parameters[k++] = (void *)&program->count;
    for (int i = 0; i < b->count; i++)
        parameters[k++] = program->operands[i].is_value ? (void *)b->at[i] : (void *)&b->at[i];
}

static void run_launch(const struct scene_program *program, const struct build *build, native_kernel *thread,
                       native_kernel *block, const char *how)
{
    struct buffers b = buffers_make(program, 1);
    void *parameters[SCENE_OPERANDS + 1];
    point_parameters(program, &b, parameters);
    const struct cpu_launch launch = {.name = program->name, .grid = program->grid, .block = program->block,
                                      .shared = 1 << 16, .dynamic_shared = program->shared, .run_thread = thread,
                                      .run_block = block, .parameters = parameters};
    announce(program, build->label, how);
    if (cpu_launch_run(pool, &launch) != GPUCC_OK) {
        differences++;
        printf("FAIL %s %s %s: %s\n", program->name, build->label, how, gpucc_last_error());
    } else {
        compare(program, build, how, &b);
    }
    buffers_free(&b);
}

/* With all accesses watched, to arrays that the context knows: neither the kernel nor the check may find anything. */
static void run_checked(const struct scene_program *program, const struct build *build, native_kernel *thread)
{
    gpucc_array *arrays[SCENE_OPERANDS] = {0};
    gpucc_program of = {.context = context};
    const gpucc_kernel kernel = {.program = &of, .name = program->name};
    struct buffers b = buffers_make(program, 1);
    void *parameters[SCENE_OPERANDS + 1];
    point_parameters(program, &b, parameters);
    struct cpu_launch launch = {.name = program->name, .grid = program->grid, .block = program->block,
                                .shared = 1 << 16, .dynamic_shared = program->shared, .run_thread = thread,
                                .parameters = parameters};
    gpucc_status status = GPUCC_OK;
    for (int i = 0; i < b.count && !status; i++)
        if (!program->operands[i].is_value)
            status = gpucc_array_wrap(context, GPUCC_UINT8, 1, (int64_t[]){(int64_t)program->operands[i].size}, NULL,
                                      b.at[i], GPUCC_MEMORY_DEVICE, &arrays[i]);
    announce(program, build->label, "checked");
    if (!status)
        status = watch_begin(context, &kernel, &context->stream, WATCH_MEMORY | WATCH_UNDEFINED, &launch);
    if (!status)
        status = watch_end(launch.watch, program->name, cpu_launch_run(pool, &launch));
    if (status) {
        differences++;
        printf("FAIL %s %s checked: %s\n", program->name, build->label, gpucc_last_error());
    } else {
        compare(program, build, "checked", &b);
    }
    for (int i = 0; i < b.count; i++)
        gpucc_array_release(arrays[i]);
    buffers_free(&b);
}

static void run_kernel(const struct scene_program *program, const struct build *build)
{
    native_kernel *thread = (native_kernel *)find(build->library, program->symbol, "_thread");
    native_kernel *block = (native_kernel *)find(build->library, program->symbol, "_block");
    if (!thread) {
        differences++;
        printf("FAIL %s %s: there is no %s_thread\n", program->name, build->label, program->symbol);
        return;
    }
    if (!strcmp(build->label, "checked")) {
        run_checked(program, build, thread);
        return;
    }
    if (!block || !program->is_once)
        run_launch(program, build, thread, NULL, "threads");
    if (block)
        run_launch(program, build, thread, block, "blocks");
}

/* ---- the reference ---- */

static sigjmp_buf reference_end;

static void end_reference(int signal)
{
    (void)signal;
    siglongjmp(reference_end, 1);
}

static void limit_reference(int microseconds)
{
    const struct itimerval timer = {.it_value.tv_usec = microseconds};
    signal(SIGVTALRM, end_reference);
    signal(SIGILL, microseconds ? end_reference : SIG_DFL);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* False where it does not come to its end. */
static bool run_reference(const struct scene_program *program, void *library)
{
    void *reference = find(library, program->name, "_reference");
    if (!reference) {
        fprintf(stderr, "replay: there is no %s_reference\n", program->name);
        exit(3);
    }
    struct buffers b = buffers_make(program, 1);
    announce(program, "reference", "once");
    if (sigsetjmp(reference_end, 1)) {
        limit_reference(0);
        printf("ENDLESS %s\n", program->name);
        buffers_free(&b);
        return false;
    }
    limit_reference(REFERENCE_MICROSECONDS);
    if (program->kind == SCENE_GUFUNC) {
        core_call_reference(program, b.at, (gufunc_reference *)reference);
    } else if (program->kind == SCENE_KERNEL) {
        void *parameters[SCENE_OPERANDS];
        point_parameters(program, &b, parameters);
        ((kernel_reference *)reference)(parameters, &program->grid.x, &program->block.x);
    } else {
        ((function_reference *)reference)(b.at, program->count);
    }
    limit_reference(0);
    for (int i = 0; i < b.count; i++)
        if (program->operands[i].is_result)
            memcpy(program->operands[i].expected, b.at[i], program->operands[i].size);
    buffers_free(&b);
    return true;
}

/* ---- the command ---- */

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "replay: %s\n", dlerror());
        exit(3);
    }
    return library;
}

static void run_program(struct scene_program *program, void *reference, const struct build *builds, int count)
{
    if (!run_reference(program, reference))
        return;
    for (int i = 0; i < count; i++) {
        if (program->kind == SCENE_GUFUNC)
            run_gufunc(program, &builds[i]);
        else if (program->kind == SCENE_UFUNC)
            run_ufunc(program, &builds[i]);
        else
            run_kernel(program, &builds[i]);
    }
    alarm(0);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    bool save = false;
    int first = 1;
    for (; first < argc && !strncmp(argv[first], "--", 2); first++) {
        if (!strncmp(argv[first], "--only=", 7))
            only = argv[first] + 7;
        else
            save = !strcmp(argv[first], "--save");
    }
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    struct scene scene;
    struct build builds[16];
    int build_count = argc - first - 2;
    operations_begin(&findings);
    if (build_count < 0 || build_count > 16 || !scene_read(&scene, argv[first], false) || pool_create(1, &pool) ||
        gpucc_context_create(&options, &context))
        return 3;
    void *reference = open_library(argv[first + 1]);
    for (int i = 0; i < build_count; i++) {
        char *word = argv[first + 2 + i], *equals = strchr(word, '=');
        if (!equals)
            return 3;
        *equals = 0;
        builds[i] = (struct build){word, open_library(equals + 1)};
    }
    for (size_t i = 0; i < scene.count; i++)
        if (!only || !strcmp(only, scene.programs[i].name))
            run_program(&scene.programs[i], reference, builds, build_count);
    bool good = !save || scene_write_expected(&scene, argv[first]);
    gpucc_context_destroy(context);
    pool_destroy(pool);
    scene_free(&scene);
    return !good ? 3 : differences != 0;
}
