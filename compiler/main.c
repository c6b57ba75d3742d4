/* The compiler, which gpucc starts (front.c).  What a compilation does, in order, is in compile.c. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "compile.h"
#include "emit/emit.h"
#include "inspect/inspect.h"
#include "run/run.h"
#include "test/test.h"

#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct seen {
    struct arena *arena;
    struct lookups *lookups;
};

/* The libraries that this process has loaded: other ones may compile otherwise. */
static int add_library(struct dl_phdr_info *library, size_t size, void *data)
{
    struct seen *seen = data;
    (void)size;
    if (*library->dlpi_name == '/') /* else it is this program, or what the kernel gives */
        lookups_add(seen->arena, seen->lookups, LOOKUP_PROGRAM, library->dlpi_name);
    return 0;
}

static void add_libraries(const struct options *options, struct products *products)
{
    struct seen seen = {options->arena, &products->lookups};
    dl_iterate_phdr(add_library, &seen);
}

static int command_compile(int argc, char **argv)
{
    struct options options = {0};
    struct text said = {0};
    options_parse(&options, argc, argv);
    struct cached *place = cache_place(&options, "/proc/self/exe");
    said.arena = options.arena;
    if (place)
        say_into(&said);
    const struct program *program = compile(&options, options_artefacts(&options));
    if (!program)
        return EXIT_INPUT;
    if (options.syntax_only && !options.deps_only)
        return EXIT_OK;
    struct products products = compile_products(&options, program);
    if (place) {
        add_libraries(&options, &products);
        products.said = (struct bytes){said.data, said.size};
        cache_keep(place, &products);
    }
    write_outputs(&options, &products);
    return EXIT_OK;
}

/* Clang recurses over deeply nested expressions: a generated file may nest very deep. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* A compilation is over before it would have given memory back; asking for a little more again and again takes
 * longer. */
static void grow_heap_in_large_steps(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
}

/* Of Clang's two halves only the driver, which reads syntax trees, would heed these. */
static void forget_clang_variables(void)
{
    static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", command_run}, {"bench", command_run}, {"test", command_test},
                  {"inspect", command_inspect}, {"devices", command_devices}};
    raise_stack_limit();
    grow_heap_in_large_steps();
    forget_clang_variables();
    crash_install();
    optimize_setup();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    int status = command_compile(argc, argv);
    finish_standard_output();
    /* Nothing is left to do, and taking LLVM down takes as long as a compilation. */
    _Exit(status);
}
