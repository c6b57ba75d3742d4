/* Times checked execution: the ten kernels on one core, unchecked, with -fsanitize=address, =undefined, both, =float,
 * and address,race,uninitialized.
 *
 *   bench_checked [KERNEL…]
 *
 * Values are checked first.  Times are the processor's, the shortest of several launches; ratios are to unchecked. */
#include "bench.h"
#include "scene_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ten_kernels.h>
#include <ten_kernels_address.h>
#include <ten_kernels_all.h>
#include <ten_kernels_both.h>
#include <ten_kernels_float.h>
#include <ten_kernels_undefined.h>

enum { FORMS = 6, MOST_ROUNDS = 12 };
static const double MOST_SECONDS = 2;

static const struct form {
    const char *suffix, *checks; /* of its kernels' names; what it is called */
    const struct gpucc_program_image *program;
    uint64_t abi;
} forms[FORMS] = {
    {"", "unchecked, ms", &gpucc_program_ten_kernels, GPUCC_ABI_ten_kernels},
    {"_address", "address", &gpucc_program_ten_kernels_address, GPUCC_ABI_ten_kernels_address},
    {"_undefined", "undefined", &gpucc_program_ten_kernels_undefined, GPUCC_ABI_ten_kernels_undefined},
    {"_both", "both", &gpucc_program_ten_kernels_both, GPUCC_ABI_ten_kernels_both},
    {"_float", "float", &gpucc_program_ten_kernels_float, GPUCC_ABI_ten_kernels_float},
    {"_all", "all", &gpucc_program_ten_kernels_all, GPUCC_ABI_ten_kernels_all},
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double launch(const struct scene_run *run)
{
    const double start = processor_seconds();
    scene_run_launch(run);
    return processor_seconds() - start;
}

/* The shortest launch in seconds; NAN where a value is wrong. */
static double measure(gpucc_context *context, const struct scene *scene, const struct form *form)
{
    struct scene_run run;
    scene_run_begin(&run, context, scene, form->program, form->abi, form->suffix);
    double best = launch(&run), sum = best;
    if (!scene_run_check(&run))
        best = NAN;
    for (int i = 0; i < MOST_ROUNDS && sum < MOST_SECONDS; i++) {
        const double seconds = launch(&run);
        best = fmin(best, seconds);
        sum += seconds;
    }
    scene_run_end(&run);
    return best;
}

static void print_heads(void)
{
    printf("%-14s", "");
    for (int f = 0; f < FORMS; f++)
        printf(f == 0 ? " %14s" : " %9s", forms[f].checks);
    printf("\n");
}

/* Prints a kernel's ratios to its unchecked time, or the mean of all, for which `unchecked` is NAN. */
static void print_line(const char *name, double unchecked, const double *ratios)
{
    printf("%-14s", name);
    if (isnan(unchecked))
        printf(" %14s", "");
    else
        printf(" %14.3f", 1e3 * unchecked);
    for (int f = 1; f < FORMS; f++)
        printf(" %7.2f x", ratios[f]);
    printf("\n");
    fflush(stdout);
}

/* False where a value is wrong; adds to `logarithms`. */
static bool compare(gpucc_context *context, int kernel, double *logarithms)
{
    struct scene scene = {0};
    double seconds = NAN, ratios[FORMS];
    bool right = true;
    scene_make(kernel, &scene);
    for (int f = 0; f < FORMS; f++) {
        const double form_seconds = measure(context, &scene, &forms[f]);
        seconds = f == 0 ? form_seconds : seconds;
        ratios[f] = form_seconds / seconds;
        right = right && !isnan(form_seconds);
        logarithms[f] += log(ratios[f]);
    }
    print_line(scene.shape->name, seconds, ratios);
    scene_free(&scene);
    return right;
}

int main(int argc, char **argv)
{
    double logarithms[FORMS] = {0}, means[FORMS];
    int count = 0;
    bool right = true;
    gpucc_context *context;
    bench_arguments(argc, argv);
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 1};
    MUST(gpucc_context_create(&options, &context));
    print_heads();
    for (int i = 0; i < TEN_KERNELS; i++)
        if (bench_section(ten_shapes[i].name)) {
            right = compare(context, i, logarithms) && right;
            count++;
        }
    for (int f = 0; f < FORMS; f++)
        means[f] = exp(logarithms[f] / count);
    if (count > 1)
        print_line("geometric mean", NAN, means);
    gpucc_context_destroy(context);
    return right ? 0 : 1;
}
