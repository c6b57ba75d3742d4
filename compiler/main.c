/* gpucc-compile, which gpucc starts for compilations (front.c).  It links nothing of the runtime that runs code, so a
 * change of the runtime changes neither its build ID nor what it compiles.  compile.c lists a compilation's stages. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "compile.h"
#include "startup.h"

#include <link.h>
#include <stdlib.h>

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
        log_copy_into(&said);
    const struct program *program = compile(&options, options_artefacts(&options));
    if (!program)
        return EXIT_INPUT;
    if (options.syntax_only && !options.deps_only)
        return EXIT_OK;
    struct products products = compile_products(&options, program);
    if (place) {
        add_libraries(&options, &products);
        products.said = (struct bytes){said.data, said.size};
        cache_store(place, &products);
    }
    write_outputs(&options, &products);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    startup();
    int status = command_compile(argc, argv);
    finish_standard_output();
    /* Nothing is left to do, and taking LLVM down takes as long as a compilation. */
    _Exit(status);
}
