/* Kernels of others, which tests/public_runs.py has cut out of public collections and compiled into a folder:
 *
 *   bench_public FOLDER [NAME…]         gpucc's PTX on the GPU, and nvcc's machine code
 *   bench_public --cpu FOLDER [NAME…]   gpucc's native code on the CPU device, and that of a C++ compiler
 *
 * Both sides begin with the same arrays, whose contents are compared afterwards.  Prints for each its kind, the largest
 * relative difference ("bits": none) and, of the GPU, the medians in microseconds and their ratio, whose geometric mean
 * is the last line.  A result that is farther off than cases.txt allows makes the exit status 1. */
#include "bench_device.h"
#include "foreign_launch.h"
#include "public_case.h"

#include <dlfcn.h>
#include <gpucc/program.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };

typedef void reference_function(const unsigned grid[3], const unsigned block[3], size_t shared, void **parameters);

static gpucc_context *context;
static bool on_cpu;
static const char *folder;

/* A case while it runs.  What is drawn stays on the host; arrays are the device's. */
static struct run {
    struct public_case *of;
    void *drawn[PUBLIC_ARGUMENTS], *results[2][PUBLIC_ARGUMENTS];
    gpucc_array *arrays[PUBLIC_ARGUMENTS];
    void *addresses[PUBLIC_ARGUMENTS], *parameters[PUBLIC_ARGUMENTS];
    struct foreign_launch foreign[2]; /* on the GPU */
    void *modules[2], *libraries[2];
    gpucc_program *program; /* on the CPU */
    gpucc_kernel *kernel;
    reference_function *reference;
} run;

static const char *path_of(const char *suffix)
{
    static char path[1024];
    if (snprintf(path, sizeof path, "%s/%s%s", folder, run.of->name, suffix) >= (int)sizeof path)
        exit(2);
    return path;
}

static void *must_find(void *found)
{
    if (found)
        return found;
    fprintf(stderr, "%s: %s\n", run.of->name, dlerror());
    exit(1);
}

static void load_native(void)
{
    char name[160];
    struct gpucc_program_image *image;
    for (int who = 0; who < 2; who++)
        run.libraries[who] = must_find(dlopen(path_of(who ? ".reference.so" : ".so"), RTLD_NOW | RTLD_LOCAL));
    snprintf(name, sizeof name, "gpucc_program_%s", run.of->name);
    image = must_find(dlsym(run.libraries[0], name));
    MUST(gpucc_program_load(context, image, &run.program));
    MUST(gpucc_program_kernel(run.program, run.of->kernel, &run.kernel));
    *(void **)&run.reference = must_find(dlsym(run.libraries[1], "public_reference"));
}

static void load_foreign(void)
{
    for (int who = 0; who < 2; who++) {
        struct foreign_launch *launch = &run.foreign[who];
        *launch = (struct foreign_launch){.shared = run.of->shared,
                                          .stream = gpucc_context_cuda_stream(context),
                                          .parameters = run.parameters};
        memcpy(launch->grid, run.of->grid, sizeof launch->grid);
        memcpy(launch->block, run.of->block, sizeof launch->block);
        if (!foreign_load_file(&run.modules[who], path_of(who ? ".cubin" : ".ptx")) ||
            !foreign_find(launch, run.modules[who], who ? run.of->entry : run.of->kernel))
            exit(1);
    }
}

static void draw(void)
{
    int parameter = 0;
    for (int i = 0; i < run.of->count; i++) {
        struct public_argument *argument = &run.of->arguments[i];
        const int64_t bytes = (int64_t)public_argument_size(argument);
        void **slot = argument->variable[0] ? NULL : &run.parameters[parameter++];
        if (argument->count == 0) {
            *slot = &argument->value;
            continue;
        }
        run.drawn[i] = public_argument_draw(argument, (uint64_t)i + 1);
        if (!slot)
            continue;
        MUST(gpucc_array_create(context, GPUCC_UINT8, 1, &bytes, &run.arrays[i]));
        run.addresses[i] = gpucc_array_data(run.arrays[i]);
        *slot = &run.addresses[i];
    }
}

static void write_variable(int who, const struct public_argument *argument, const void *elements)
{
    gpucc_array *variable;
    const size_t size = public_argument_size(argument);
    if (!on_cpu) {
        if (!foreign_write_variable(run.modules[who], argument->variable, elements, size))
            exit(1);
    } else if (who == 0) {
        MUST(gpucc_program_global(run.program, argument->variable, &variable));
        MUST(gpucc_array_write(variable, elements, size));
        gpucc_array_release(variable);
    } else
        memcpy(must_find(dlsym(run.libraries[1], argument->variable)), elements, size);
}

static void restore(int who)
{
    for (int i = 0; i < run.of->count; i++) {
        const struct public_argument *argument = &run.of->arguments[i];
        if (argument->variable[0])
            write_variable(who, argument, run.drawn[i]);
        else if (argument->count)
            MUST(gpucc_array_write(run.arrays[i], run.drawn[i], public_argument_size(argument)));
    }
    MUST(gpucc_context_synchronize(context)); /* of the driver's own launches the runtime does not know */
}

static void launch_foreign(void *data)
{
    foreign_launch(data);
}

static void launch_native(int who)
{
    gpucc_launch launch = {.size = sizeof launch, .shared = run.of->shared};
    memcpy(launch.grid, run.of->grid, sizeof launch.grid);
    memcpy(launch.block, run.of->block, sizeof launch.block);
    if (who == 0)
        MUST(gpucc_kernel_launch(run.kernel, &launch, run.parameters));
    else
        run.reference(run.of->grid, run.of->block, run.of->shared, run.parameters);
}

static void run_side(int who)
{
    restore(who);
    if (on_cpu)
        launch_native(who);
    else
        foreign_launch(&run.foreign[who]);
    MUST(gpucc_context_synchronize(context));
    for (int i = 0; i < run.of->count; i++)
        if (run.arrays[i]) {
            const size_t size = public_argument_size(&run.of->arguments[i]);
            run.results[who][i] = malloc(size);
            if (!run.results[who][i])
                exit(3);
            MUST(gpucc_array_read(run.arrays[i], run.results[who][i], size));
        }
}

/* The largest difference; says where one is too large, or where nothing was written. */
static bool compare(double *largest)
{
    bool good = true, written = false;
    *largest = 0;
    for (int i = 0; i < run.of->count; i++) {
        const struct public_argument *argument = &run.of->arguments[i];
        size_t where = 0;
        if (!run.arrays[i])
            continue;
        const void *ours = run.results[0][i], *theirs = run.results[1][i];
        const double difference = public_difference(argument, ours, theirs, &where);
        written = written || memcmp(theirs, run.drawn[i], public_argument_size(argument)) != 0;
        *largest = fmax(*largest, difference);
        if (!(difference <= run.of->tolerance)) {
            good = false;
            fprintf(stderr, "%s: argument %d, element %zu: %s, and by the reference %s\n", run.of->name, i + 1, where,
                    public_element(argument, ours, where), public_element(argument, theirs, where));
        }
    }
    if (!written)
        fprintf(stderr, "%s: nothing was written\n", run.of->name);
    return good && written;
}

/* Launches that begin with the same arrays, one at a time. */
static void time_once(double medians[2])
{
    double times[2][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int who = 0; who < 2; who++) {
            restore(who);
            times[who][round] = bench_device_once(context, launch_foreign, &run.foreign[who], 1);
        }
    for (int who = 0; who < 2; who++)
        medians[who] = bench_median(times[who], ROUNDS);
}

static void release(void)
{
    for (int i = 0; i < run.of->count; i++) {
        free(run.drawn[i]);
        for (int who = 0; who < 2; who++)
            free(run.results[who][i]);
        if (run.arrays[i])
            gpucc_array_release(run.arrays[i]);
    }
    if (run.program)
        gpucc_program_release(run.program);
    for (int who = 0; who < 2; who++)
        if (run.libraries[who])
            dlclose(run.libraries[who]);
}

/* Adds the logarithm of the ratio to *logs. */
static bool run_case(struct public_case *of, double *logs)
{
    double largest, medians[2] = {0, 0};
    char difference[32] = "bits";
    run = (struct run){.of = of};
    if (on_cpu)
        load_native();
    else
        load_foreign();
    draw();
    for (int who = 0; who < 2; who++)
        run_side(who);
    const bool good = compare(&largest);
    if (largest > 0)
        snprintf(difference, sizeof difference, "%.1e", largest);
    printf("%-24s %-14s %-6s %-8s", of->name, of->kind, good ? "ok" : "WRONG", difference);
    if (!on_cpu) {
        if (of->once)
            time_once(medians);
        else
            bench_device_in_turn(context, launch_foreign, (void *[]){&run.foreign[0], &run.foreign[1]}, medians);
        printf(" %10.2f %10.2f %7.3f", medians[0], medians[1], medians[0] / medians[1]);
        *logs += log(medians[0] / medians[1]);
    }
    printf("\n");
    fflush(stdout);
    release();
    return good;
}

static bool is_chosen(const struct public_case *of, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], of->name) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    static struct public_case of;
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    char path[1024];
    int cases = 0, wrong = 0;
    double logs = 0;
    on_cpu = argc > 1 && strcmp(argv[1], "--cpu") == 0;
    argc -= 1 + on_cpu;
    argv += 1 + on_cpu;
    folder = argc > 0 ? argv[0] : "";
    snprintf(path, sizeof path, "%s/%s", folder, on_cpu ? "cases-cpu.txt" : "cases.txt");
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "usage: bench_public [--cpu] FOLDER [NAME...]: cannot read '%s'\n", path);
        return 2;
    }
    if (on_cpu)
        MUST(gpucc_context_create(&options, &context));
    else
        context = bench_device();
    while (public_case_read(file, &of))
        if (is_chosen(&of, argv + 1, argc - 1)) {
            wrong += !run_case(&of, &logs);
            cases++;
        }
    fclose(file);
    if (!on_cpu && cases)
        printf("geometric mean of %d: %.3f\n", cases, exp(logs / cases));
    printf("%d kernels, %d wrong\n", cases, wrong);
    gpucc_context_destroy(context);
    return wrong != 0;
}
