/* Runs each test of the source: all its cases on the CPU, checked, and on each GPU. */
#include "test/test_internal.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* "=address,race"; nothing if it is all of them. */
static const char *check_list(struct arena *arena, unsigned checks)
{
    static const char *const names[] = {
#define CHECK(id, name) name,
#include <gpucc/checks.def>
    };
    struct text text = {.arena = arena};
    text_append(&text, "", 0);
    for (int i = 0; i < CHECK_COUNT; i++)
        if (checks >> i & 1)
            text_printf(&text, "%s%s", text.size ? "," : "=", names[i]);
    return text.data;
}

/* ---- the command that shows a case again ---- */

static const char *path_of(const struct kernel_case *with, size_t i)
{
    return arena_printf(with->arena, "%s/%s.%s.npy", with->of->options->keep, with->of->symbol,
                        with->of->kernel->function->parameters[i].name);
}

static struct left_files list_inputs(const struct kernel_case *with)
{
    struct left_files files = {.arena = with->arena};
    for (size_t i = 0; i < with->of->kernel->function->parameter_count && !with->failure; i++) {
        const struct parameter_data *held = &with->held[i];
        const struct type *type = &with->of->kernel->function->parameters[i].type;
        const bool is_struct = type->kind != TYPE_SCALAR && type->kind != TYPE_POINTER;
        const int64_t bytes = is_struct ? (int64_t)type->size : (int64_t)parameter_data_size(held);
        if (is_struct)
            add_left_file(&files, path_of(with, i), DTYPE_uint8, 1, &bytes,
                          with->cells + with->of->test->arguments[i].value.cell);
        else if (held->data && held->dtype == DTYPE_NONE)
            add_left_file(&files, path_of(with, i), DTYPE_uint8, 1, &bytes, held->data);
        else if (held->data)
            add_left_file(&files, path_of(with, i), held->dtype, held->ndim, held->shape, held->data);
    }
    return files;
}

/* "--grid=4x2" */
static void print_extents(struct text *text, const char *option, const struct kernel_case *with,
                          const struct test_values *values)
{
    for (size_t d = 0; d < values->count; d++)
        text_printf(text, "%s%lld", d ? "x" : option, (long long)whole_of(with, values, d, 0));
}

static void print_run(struct text *text, const struct station *station, const struct kernel_case *with)
{
    const struct test *test = with->of->test;
    const struct function *kernel = with->of->kernel->function;
    text_printf(text, "gpucc run");
    print_sources(text, with->of->options);
    text_printf(text, " %s", with->of->kernel->symbol);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].type.kind == TYPE_SCALAR) {
            text_printf(text, " ");
            print_element(text, kernel->parameters[i].type.dtype, with->cells + test->arguments[i].value.cell);
        } else {
            print_word(text, path_of(with, i));
        }
    print_extents(text, " --threads=", with, &test->threads);
    print_extents(text, " --grid=", with, &test->grid);
    print_extents(text, " --block=", with, &test->block);
    print_extents(text, " --shared=", with, &test->shared);
    if (station->is_checked)
        text_printf(text, " --check%s --schedules=%llu --seed=%llu", check_list(with->arena, test->checks),
                    (unsigned long long)with->schedules, (unsigned long long)with->of->options->seed);
    else if (!station->adjoint)
        text_printf(text, " --device=%s", station->name);
    print_compilation(text, with->of->options, false);
    text_printf(text, "\n");
}

/* ---- one case ---- */

static void report_failure(const struct station *stations, const struct station *station,
                           const struct kernel_case *with,
                           const char *wrong, const struct left_files *expected, struct text *more)
{
    struct left_files files = list_inputs(with);
    text_printf(more, "%s", wrong);
    if (*with->label)
        text_printf(more, "with %s\n", with->label);
    if (with->failure)
        return; /* there has been no launch */
    for (size_t i = 0; i < expected->count; i++) {
        files.items = arena_grow(files.arena, files.items, files.count, sizeof *files.items);
        files.items[files.count++] = expected->items[i];
    }
    if (!leave_files(with->of->options->keep, files.items, files.count)) {
        text_printf(more, "these inputs cannot be saved in '%s': %s\n", with->of->options->keep, strerror(errno));
        return;
    }
    if (station->image)
        print_run(more, &stations[CPU_STATION], with);
    print_run(more, station, with);
}

static char **room_for_arrays(const struct kernel_case *with)
{
    return arena_alloc(with->arena, (with->of->kernel->function->parameter_count + 1) * sizeof(char *));
}

/* The CPU's results, if a GPU must give the same; else null. */
static char **cpu_results(const struct station *stations, const struct station *station, const struct kernel_case *with)
{
    const struct options *compile = &with->of->options->compile;
    const bool may_differ = with->of->kernel->function->fast_math || compile->fast_math || compile->libdevice;
    char **after = room_for_arrays(with);
    const bool compares = station->image && !may_differ && !launch_case(&stations[CPU_STATION], with, 0, after);
    return compares ? after : NULL;
}

const char *try_case(const struct station *stations, const struct station *station, const struct kernel_case *with,
                     struct attempt *attempt)
{
    const uint64_t orders = station->is_checked && with->schedules ? with->schedules : 1;
    const char *wrong = with->failure;
    if (station->adjoint)
        return wrong ? wrong : check_kernel_adjoint(stations, with, station->adjoint, attempt);
    char **usual = wrong ? NULL : cpu_results(stations, station, with);
    for (uint64_t k = 0; !wrong && k < orders; k++) {
        const uint64_t order = k ? with->of->options->seed * 1000003 + k : 0; /* as gpucc run has them */
        char **after = room_for_arrays(with);
        wrong = launch_case(station, with, order, after);
        attempt->is_launch = wrong != NULL;
        attempt->launches++;
        if (!wrong)
            wrong = check_claims(with, after, &attempt->expected);
        if (!wrong && usual)
            wrong = compare_launches(with, after, usual, station->is_checked ? "in the usual order" : "on the CPU");
        if (wrong && k)
            wrong = arena_printf(with->arena, "%swith blocks and threads in another order\n", wrong);
        usual = usual ? usual : station->is_checked ? after : NULL;
    }
    return wrong;
}

/* ---- all ---- */

void foresee_case(const struct station *station, const struct kernel_case *with, struct verdicts *verdicts)
{
    struct verdict verdict = {.symbol = with->of->symbol, .what = station->name};
    struct text more = {.arena = with->arena};
    const struct left_files files = list_inputs(with);
    if (*with->label)
        text_printf(&more, "with %s\n", with->label);
    if (!with->failure)
        print_run(&more, station, with);
    verdict.more = more.data;
    foresee_crash(verdicts, verdict, &files);
}

struct trial {
    const struct kernel_test *of;
    const struct station *stations, *station;
    struct verdicts *verdicts;
    uint64_t launches, compared;
};

/* Reports the smallest case that fails; `with` is the original one. */
static void report_smallest(const struct trial *trial, const struct kernel_case *with, bool is_launch,
                            struct text *more)
{
    struct kernel_choice choice = with->choice;
    struct kernel_case smallest;
    struct attempt attempt = {.expected = {.arena = with->arena}};
    const struct test *test = trial->of->test;
    const bool is_safe = !is_launch || (trial->station->is_checked &&
                                        (!test->checks || test->checks & CHECK_ADDRESS));
    const uint64_t launches = !with->failure && is_safe
                                  ? shrink_kernel(trial->of, trial->stations, trial->station, trial->verdicts,
                                                  with->arena, &choice)
                                  : 0;
    make_kernel_case(trial->of, &choice, with->arena, &smallest);
    const char *wrong = try_case(trial->stations, trial->station, &smallest, &attempt);
    if (wrong)
        report_failure(trial->stations, trial->station, &smallest, wrong, &attempt.expected, more);
    if (strcmp(with->label, smallest.label) != 0)
        text_printf(more, "found with %s, and reduced in %llu launches\n", with->label,
                    (unsigned long long)launches);
}

/* Whether the case fails, which is reported then; `damaged`: its launch has. */
static bool try_numbered(struct trial *trial, uint64_t number, struct text *more, bool *damaged)
{
    struct arena *arena = arena_new();
    struct kernel_choice choice;
    struct kernel_case with;
    struct attempt attempt = {.expected = {.arena = arena}};
    number_case(trial->of, number, arena, &choice);
    make_kernel_case(trial->of, &choice, arena, &with);
    foresee_case(trial->station, &with, trial->verdicts);
    const char *wrong = try_case(trial->stations, trial->station, &with, &attempt);
    const size_t size_before = more->size;
    if (wrong) {
        report_smallest(trial, &with, attempt.is_launch, more);
        *damaged = attempt.is_launch;
    }
    if (wrong && more->size == size_before) /* it fails sometimes */
        report_failure(trial->stations, trial->station, &with, wrong, &attempt.expected, more);
    trial->launches += attempt.launches;
    trial->compared += attempt.compared;
    forget_files(trial->verdicts);
    arena_free(arena);
    return wrong != NULL;
}

/* The first case that fails ends it. */
static struct verdict try_cases(struct trial *trial, bool *damaged)
{
    const struct kernel_test *of = trial->of;
    const uint64_t count = count_cases(of->test);
    uint64_t number = 0;
    struct arena *arena = trial->verdicts->arena;
    struct verdict verdict = {.symbol = of->symbol, .what = trial->station->name};
    struct text more = {.arena = arena};
    for (; number < count && verdict.kind == PASSED; number++)
        if (try_numbered(trial, number, &more, damaged))
            verdict.kind = FAILED;
    verdict.more = more.data;
    if (verdict.kind == PASSED && trial->station->adjoint && !trial->compared) {
        verdict.kind = SKIPPED;
        verdict.detail = "its differences do not settle";
        return verdict;
    }
    verdict.detail = verdict.kind == PASSED
                         ? arena_printf(arena, "%llu case%s, %llu launch%s", (unsigned long long)number,
                                        number == 1 ? "" : "s", (unsigned long long)trial->launches,
                                        trial->launches == 1 ? "" : "es")
                         : arena_printf(arena, "%s:%u: case %llu of %llu", of->test->place.file,
                                        of->test->place.line, (unsigned long long)number, (unsigned long long)count);
    return verdict;
}

void try_kernel(const struct kernel_test *of, const struct station *stations, size_t count, struct verdicts *verdicts)
{
    bool damaged = false;
    for (size_t i = 0; i < count; i++) {
        const double start = seconds_now();
        struct verdict verdict = {.kind = SKIPPED, .symbol = of->symbol, .what = stations[i].name};
        if (!count_cases(of->test)) {
            verdict.kind = FAILED;
            verdict.detail = "it has more than 100000 cases, the limit";
        } else if (stations[i].is_checked && of->test->unchecked) {
            verdict.detail = "checks(none)";
        } else if (i > CHECKED_STATION && damaged) {
            verdict.detail = "its checked launch fails";
        } else {
            bool failed = false;
            struct trial trial = {.of = of, .stations = stations, .station = &stations[i], .verdicts = verdicts};
            verdict = try_cases(&trial, &failed);
            damaged |= failed && stations[i].is_checked;
        }
        verdict.seconds = seconds_now() - start;
        add_verdict(verdicts, verdict);
    }
}
