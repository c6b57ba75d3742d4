/* gpucc bench: how long a call takes, and how much of the device's bandwidth and arithmetic that is. */
#include "run/run_internal.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

struct figures {
    int repeats, warm_up;
    double fastest, quarter, median, three_quarters, slowest; /* seconds */
    uint64_t bytes;
    double operations; /* of one call; 0: not known */
    const char *source; /* of their number: "counted", "given" */
    struct device_limits roof;
};

/* ---- the calls ---- */

/* A GPU's clock rises with its work, and pages are given out at the first use. */
static int warm_up(struct run *run, gpucc_status (*work)(void *data), void *data, double *each)
{
    enum { CALLS = 5, MOST = 200 };
    const double enough = 0.1;
    double seconds[CALLS], sum = 0;
    int count = 0;
    progress_begin("warming up", CALLS);
    do {
        time_calls(run, work, data, seconds, CALLS);
        count += CALLS;
        for (int i = 0; i < CALLS; i++)
            sum += seconds[i];
    } while (sum < enough && count < MOST);
    progress_end();
    sort_seconds(seconds, CALLS);
    *each = seconds[CALLS / 2];
    return count;
}

static int choose_repeats(const struct run *run, double each)
{
    enum { LEAST = 20, MOST = 1000 };
    const double wanted = 0.5 / each;
    if (run->options->repeats)
        return run->options->repeats;
    return wanted < LEAST ? LEAST : wanted > MOST ? MOST : (int)wanted;
}

/* Announces calls that take long; a terminal shows a bar as well. */
static void announce(const struct run *run, int repeats, double each)
{
    const double patience = 2; /* seconds */
    if (repeats * each > patience)
        fprintf(stderr, "gpucc: note: timing %d calls of '%s', about %.0f s; --repeats=N sets their number\n", repeats,
                run->options->name, repeats * each);
}

static void time_all(struct run *run, gpucc_status (*work)(void *data), void *data, struct figures *figures)
{
    double each;
    figures->warm_up = warm_up(run, work, data, &each);
    figures->repeats = choose_repeats(run, each);
    double *seconds = arena_alloc(run->arena, (size_t)figures->repeats * sizeof *seconds);
    announce(run, figures->repeats, each);
    progress_begin("timing", (uint64_t)figures->repeats);
    time_calls(run, work, data, seconds, figures->repeats);
    progress_end();
    sort_seconds(seconds, figures->repeats);
    figures->fastest = seconds[0];
    figures->quarter = quantile(seconds, figures->repeats, 0.25);
    figures->median = quantile(seconds, figures->repeats, 0.5);
    figures->three_quarters = quantile(seconds, figures->repeats, 0.75);
    figures->slowest = seconds[figures->repeats - 1];
}

/* Counts for a ufunc whose code for one element has no loop; the user may know better. */
static void find_operations(const struct run *run, struct figures *figures)
{
    const long each = run->loop ? run->loop->operations : COUNT_UNKNOWN;
    if (run->options->operations > 0) {
        figures->operations = run->options->operations;
        figures->source = "given";
    } else if (each > 0 && run->evaluations > 0) {
        figures->operations = (double)each * (double)run->evaluations;
        figures->source = "counted";
    }
}

/* Chooses the type of the multiply-adds to compare with: double if any operand is. */
static enum dtype arithmetic_of(const struct run *run)
{
    const struct instance *loop = run->loop;
    bool wide = false;
    for (size_t i = 0; loop && i < loop->input_count; i++)
        wide |= loop->inputs[i] == DTYPE_float64 || loop->inputs[i] == DTYPE_complex128;
    for (size_t i = 0; loop && i < loop->output_count; i++)
        wide |= loop->outputs[i] == DTYPE_float64 || loop->outputs[i] == DTYPE_complex128;
    for (size_t i = 0; !loop && i < run->options->input_count; i++)
        wide |= run->options->inputs[i].array.dtype == DTYPE_float64 && run->options->inputs[i].kind != INPUT_NUMBER;
    return wide ? DTYPE_float64 : DTYPE_float32;
}

/* ---- for a reader ---- */

static const char *time_text(struct arena *arena, double seconds)
{
    return seconds < 1e-3 ? arena_printf(arena, "%.4g us", 1e6 * seconds)
           : seconds < 1  ? arena_printf(arena, "%.4g ms", 1e3 * seconds)
                          : arena_printf(arena, "%.4g s", seconds);
}

static void print_operations(const struct run *run, const struct figures *figures, FILE *file)
{
    const double performance = figures->operations / figures->median;
    if (figures->operations <= 0) {
        fprintf(file, "arithmetic  unknown: %s; set --operations=N\n",
                !run->loop || run->loop->layout ? "only operations of ufuncs are counted"
                : run->loop->operations == 0    ? "there are no floating-point operations"
                                                : "there is a loop, or a call, for each element");
        return;
    }
    fprintf(file, "arithmetic  %.4g GFLOP/s, %.3g %% of %.4g by multiply-adds on registers; %.4g operations a call, %s",
            1e-9 * performance, 100 * performance / figures->roof.operations, 1e-9 * figures->roof.operations,
            figures->operations, figures->source);
    if (!strcmp(figures->source, "counted"))
        fprintf(file, " (at most %ld an element)", run->loop->operations);
    const double intensity = figures->operations / (double)(figures->bytes ? figures->bytes : 1);
    fprintf(file, "\nroofline    %.3g operations a byte: bound by %s\n", intensity,
            intensity * figures->roof.bandwidth < figures->roof.operations ? "memory" : "arithmetic");
}

static void print_figures(const struct run *run, const struct figures *figures)
{
    FILE *file = report_file(run->options);
    const double bandwidth = (double)figures->bytes / figures->median;
    fprintf(file, "%s on %s\n", run->options->name, run->device.name);
    fprintf(file, "time        %s, median of %d calls after %d; half of them %s to %s, all %s to %s\n",
            time_text(run->arena, figures->median), figures->repeats, figures->warm_up,
            time_text(run->arena, figures->quarter), time_text(run->arena, figures->three_quarters),
            time_text(run->arena, figures->fastest), time_text(run->arena, figures->slowest));
    fprintf(file, "memory      %.4g GB/s, %.3g %% of a copy's %.4g%s; %llu bytes a call\n", 1e-9 * bandwidth,
            100 * bandwidth / figures->roof.bandwidth, 1e-9 * figures->roof.bandwidth,
            bandwidth > figures->roof.bandwidth ? ", so a cache holds the data" : "",
            (unsigned long long)figures->bytes);
    print_operations(run, figures, file);
}

/* ---- for a program ---- */

static void add_seconds(cJSON *root, const struct figures *figures)
{
    cJSON *seconds = cJSON_AddObjectToObject(root, "seconds");
    cJSON_AddNumberToObject(seconds, "median", figures->median);
    cJSON_AddNumberToObject(seconds, "fastest", figures->fastest);
    cJSON_AddNumberToObject(seconds, "quarter", figures->quarter);
    cJSON_AddNumberToObject(seconds, "three_quarters", figures->three_quarters);
    cJSON_AddNumberToObject(seconds, "slowest", figures->slowest);
    cJSON_AddNumberToObject(root, "repeats", figures->repeats);
    cJSON_AddNumberToObject(root, "warm_up", figures->warm_up);
}

static void add_device(cJSON *root, const struct run *run, const struct figures *figures)
{
    cJSON *device = cJSON_AddObjectToObject(root, "device");
    cJSON_AddStringToObject(device, "name", run->device.name);
    cJSON_AddStringToObject(device, "kind", run->device.kind == GPUCC_DEVICE_CPU ? "cpu" : "cuda");
    cJSON_AddNumberToObject(device, "copy_bytes_per_second", figures->roof.bandwidth);
    if (figures->roof.operations > 0)
        cJSON_AddNumberToObject(device, "multiply_add_operations_per_second", figures->roof.operations);
}

static void save_json(const struct run *run, const struct figures *figures)
{
    const struct run_options *options = run->options;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "gpucc", GPUCC_VERSION);
    cJSON_AddStringToObject(root, "source", options->compile.inputs[0]);
    cJSON_AddStringToObject(root, "function", options->name);
    if (run->loop)
        cJSON_AddStringToObject(root, "loop", run->loop->symbol);
    cJSON *inputs = cJSON_AddArrayToObject(root, "inputs");
    for (size_t i = 0; i < options->input_count; i++)
        cJSON_AddItemToArray(inputs, cJSON_CreateString(options->inputs[i].text));
    add_device(root, run, figures);
    add_seconds(root, figures);
    cJSON_AddNumberToObject(root, "bytes", (double)figures->bytes);
    cJSON_AddNumberToObject(root, "bytes_per_second", (double)figures->bytes / figures->median);
    if (figures->operations > 0) {
        cJSON_AddNumberToObject(root, "operations", figures->operations);
        cJSON_AddStringToObject(root, "operations_are", figures->source);
        cJSON_AddNumberToObject(root, "operations_per_second", figures->operations / figures->median);
    }
    char *text = cJSON_Print(root);
    const char *lines = arena_printf(run->arena, "%s\n", text);
    write_file(options->json, lines, strlen(lines), false);
    cJSON_free(text);
    cJSON_Delete(root);
}

static void save_picture(const struct run *run, const struct figures *figures)
{
    if (figures->operations <= 0 || !figures->bytes)
        usage_error("--svg: the operation count of '%s' is unknown; set it by --operations=N", run->options->name);
    const char *title = arena_printf(run->arena, "%s on %s", run->options->name, run->device.name);
    const struct bytes picture =
        draw_roofline(run->arena, title, &figures->roof, figures->operations / (double)figures->bytes,
                      figures->operations / figures->median);
    write_file(run->options->svg, picture.data, picture.size, false);
}

void bench(struct run *run, gpucc_status (*work)(void *data), void *data, uint64_t bytes)
{
    struct figures figures = {.bytes = bytes};
    time_all(run, work, data, &figures);
    find_operations(run, &figures);
    figures.roof = measure_device(run, figures.operations > 0 ? arithmetic_of(run) : DTYPE_NONE);
    if (run->options->svg)
        save_picture(run, &figures);
    if (run->options->json)
        save_json(run, &figures);
    print_figures(run, &figures);
}
