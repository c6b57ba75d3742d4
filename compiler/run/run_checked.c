/* gpucc run --check: faults that a kernel's checked code finds are diagnostics. */
#include "../runtime/devices/checked.h"
#include "run/run_internal.h"

#include <stdlib.h>
#include <string.h>

void prepare_check(struct run_options *options)
{
    if (!options->checked && options->schedules)
        usage_error("--schedules requires --check");
    if (!options->checked)
        return;
    if (options->device && strcmp(options->device, "cpu") && strcmp(options->device, "auto"))
        usage_error("--check runs on the CPU, not on --device=%s", options->device);
    if (options->repeats)
        usage_error("--time cannot be combined with --check, which slows the code");
    options->device = "cpu";
}

static void report_finding(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *text)
{
    const struct run *run = data;
    struct place where = {0};
    if (place)
        where = (struct place){place->file, (unsigned)place->line, (unsigned)place->column, 0};
    diagnose(run->diagnostics, is_note ? SEVERITY_NOTE : SEVERITY_ERROR, where, NULL, "%s", text);
}

void watch_run(struct run *run)
{
    const struct options *compile = &run->options->compile;
    if (!run->options->checked)
        return;
    run->diagnostics = diagnostics_new(&(struct diagnostic_settings){
        .arena = run->arena, .sources = compile->sources, .arguments = compile->clang_arguments,
        .argument_count = compile->clang_argument_count, .json = compile->json_diagnostics});
    struct watch_settings *settings = arena_alloc(run->arena, sizeof *settings);
    *settings = (struct watch_settings){.seed = run->schedule, .report = report_finding, .data = run};
    context_watch(run->context, settings);
}

void end_if_faulty(const struct run *run)
{
    if (!run->diagnostics || !diagnostics_errors(run->diagnostics))
        return;
    diagnostics_flush(run->diagnostics);
    diagnostics_summary(run->diagnostics);
    discard_files();
    exit(EXIT_INPUT);
}

static char **copy_arrays(struct arena *arena, gpucc_array *const *arrays, size_t count)
{
    char **copies = arena_alloc(arena, (count + 1) * sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const size_t size = arrays[i] ? array_bytes(arrays[i]) : 0;
        copies[i] = arena_alloc(arena, size + 1);
        if (size)
            memcpy(copies[i], gpucc_array_data(arrays[i]), size);
    }
    return copies;
}

static gpucc_status launch_once(struct run *run, gpucc_status (*work)(void *data), void *data, uint64_t seed)
{
    run->schedule = seed;
    watch_run(run);
    gpucc_status status = work(data);
    end_if_faulty(run);
    return status;
}

gpucc_status launch_checked(struct run *run, gpucc_status (*work)(void *data), void *data, gpucc_array *const *arrays,
                            size_t count)
{
    const struct run_options *options = run->options;
    const uint64_t others = options->schedules ? options->schedules - 1 : 0;
    char **copies = others ? copy_arrays(run->arena, arrays, count) : NULL;
    for (uint64_t k = 0; k < others; k++) {
        gpucc_status status = launch_once(run, work, data, options->seed * 1000003 + k + 1);
        if (status)
            return status;
        for (size_t i = 0; i < count; i++)
            if (arrays[i])
                memcpy(gpucc_array_data(arrays[i]), copies[i], array_bytes(arrays[i]));
        load_program(run); /* static variables as well begin anew */
    }
    return launch_once(run, work, data, 0);
}
