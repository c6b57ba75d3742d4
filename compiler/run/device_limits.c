/* Measures the device's limits: a copy, and multiply-adds in registers, by ufuncs shipped with the compiler. */
#include "run/run_internal.h"

#include <string.h>

struct baseline {
    gpucc_ufunc *ufunc;
    gpucc_array *input, *output;
};

enum { CALLS = 10, OPERATIONS_EACH = 512 }; /* of multiply_add, for an element */

static gpucc_status call(void *data)
{
    struct baseline *baseline = data;
    return gpucc_ufunc_call(baseline->ufunc, (const gpucc_array *const *)&baseline->input, &baseline->output, NULL);
}

/* Free *arena after the program. */
static struct jit *load(struct run *run, const char *name, gpucc_program **out, struct arena **arena)
{
    static const char path[] = EMBEDDED_ROOT "lib/baseline.c";
    char *words[] = {(char[]){"bench"}, NULL};
    int count = 1;
    const bool is_cpu = run->device.kind == GPUCC_DEVICE_CPU;
    struct options options = {0};
    struct jit *jit = NULL;
    options_extract(&options, &count, words);
    options_add_input(&options, path);
    options.only = name;
    options.arch_count = is_cpu ? 0 : 1;
    options.archs[0] = run->options->compile.archs[0];
    options.native_targets = run->options->compile.native_targets;
    struct run other = *run;
    other.program = compile(&options, 1u << (is_cpu ? ARTEFACT_OBJECT : ARTEFACT_PTX));
    if (!other.program)
        fatal("cannot measure the device: %s does not compile", path);
    if (is_cpu)
        jit = jit_load(other.program->made[ARTEFACT_OBJECT], false);
    const struct gpucc_program_image *image =
        jit ? jit_symbol(jit, "gpucc_program_baseline") : describe_images(&other);
    check(gpucc_program_load(run->context, image, out), "the measurement of the device's limits");
    sources_free(options.sources);
    *arena = options.arena;
    return jit;
}

/* Returns the best of several calls on `count` elements, so that other work on the machine does not count. */
static double best_time(struct run *run, const char *name, enum dtype dtype, int64_t count)
{
    double seconds[CALLS];
    gpucc_program *program;
    struct arena *arena;
    struct baseline baseline = {0};
    struct jit *jit = load(run, name, &program, &arena);
    check(gpucc_program_ufunc(program, name, &baseline.ufunc), name);
    check(gpucc_array_create(run->context, (gpucc_dtype)dtype, 1, &count, &baseline.input),
          "the measurement of the device's limits");
    if (run->device.kind == GPUCC_DEVICE_CPU) /* unwritten pages would all be the zero page */
        memset(gpucc_array_data(baseline.input), 0, array_bytes(baseline.input));
    for (int i = 0; i < 2; i++)
        check(call(&baseline), name);
    time_calls(run, call, &baseline, seconds, CALLS);
    sort_seconds(seconds, CALLS);
    gpucc_array_release(baseline.output);
    gpucc_array_release(baseline.input);
    gpucc_program_release(program);
    if (jit)
        jit_free(jit);
    arena_free(arena);
    return seconds[0];
}

struct device_limits measure_device(struct run *run, enum dtype dtype)
{
    enum { PART = 8, CPU_SHIFT = 18, CUDA_SHIFT = 24 };
    const bool is_cpu = run->device.kind == GPUCC_DEVICE_CPU;
    struct device_limits found = {.copied = is_cpu ? (size_t)1 << 28 : (size_t)1 << 30};
    struct run own = *run;
    own.on_host = false; /* the arrays of this measurement are on the device */
    gpucc_device_info info = {.size = sizeof info};
    check(gpucc_context_info(run->context, &info), run->device.name);
    while (found.copied > info.memory_free / PART && found.copied > 1 << 20)
        found.copied /= 2;
    found.bandwidth = 2 * (double)found.copied / best_time(&own, "copy", DTYPE_float32, (int64_t)(found.copied / 4));
    if (dtype != DTYPE_NONE) {
        int64_t count = (int64_t)1 << (is_cpu ? CPU_SHIFT : CUDA_SHIFT);
        while ((uint64_t)count * sizeof(double) > info.memory_free / PART)
            count /= 2;
        found.operations = OPERATIONS_EACH * (double)count / best_time(&own, "multiply_add", dtype, count);
    }
    return found;
}
