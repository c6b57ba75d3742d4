/* Everything that the command line names, read: sources, and what is linked to them. */
#include "semantics/semantics.h"

#include <stdlib.h>

#define LIBRARY "libdevice.10.bc"

/* Opens the first of the places where it may be under `path`: the file itself, its folder, a CUDA Toolkit. */
static const struct source *open_under(const struct options *options, const char *path, struct text *tried)
{
    static const char *const places[] = {"", "/" LIBRARY, "/nvvm/libdevice/" LIBRARY};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *name = arena_printf(options->arena, "%s%s", path, places[i]);
        const struct source *source = source_open(options->sources, name);
        if (source)
            return source;
        if (*places[i])
            text_printf(tried, "%s'%s'", tried->size ? ", " : "", name);
    }
    return NULL;
}

/* NVIDIA's math library, where that was asked for; ends the process where it is not there. */
static void read_libdevice(const struct options *options, struct files *files)
{
    struct text tried = {.arena = options->arena};
    const char *home = getenv("CUDA_HOME");
    const struct source *source = NULL;
    if (options->libdevice_path)
        source = open_under(options, options->libdevice_path, &tried);
    else if (home && *home)
        source = open_under(options, home, &tried);
    if (!source && !options->libdevice_path)
        source = open_under(options, "/usr/local/cuda", &tried);
    if (!source)
        fatal("--math=libdevice: there is no " LIBRARY "; looked for %s (--math=libdevice:PATH says where it is)",
              tried.data);
    files->libdevice = (struct bytes){source->text, source->size};
    files->libdevice_path = source->path;
}

/* Constant memory is the program's. */
static void check_constant_space(const struct files *files, struct diagnostics *diagnostics)
{
    size_t bytes = 0;
    for (size_t u = 0; u < files->unit_count; u++)
        for (size_t i = 0; i < files->units[u]->constant_count; i++) {
            const struct constant *constant = &files->units[u]->constants[i];
            bool told = bytes > GPUCC_CONSTANT_MEMORY;
            bytes = (bytes + constant->align - 1) / constant->align * constant->align + constant->size;
            if (told || bytes <= GPUCC_CONSTANT_MEMORY)
                continue;
            diagnose(diagnostics, SEVERITY_ERROR, constant->place, NULL,
                     "with '%s', the constant variables take %zu bytes; a program has at most %d (64 KiB)",
                     constant->name, bytes, GPUCC_CONSTANT_MEMORY);
            diagnose(diagnostics, SEVERITY_NOTE, constant->place, NULL,
                     "without 'constant' it stands in global memory, which is larger");
        }
}

struct files *read_files(const struct options *options, struct diagnostics *diagnostics)
{
    struct files *files = arena_alloc(options->arena, sizeof *files);
    files->units = arena_alloc(options->arena, options->input_count * sizeof *files->units);
    files->unit_count = options->input_count;
    bool read = read_linked(options, files, diagnostics);
    if (options->libdevice)
        read_libdevice(options, files);
    for (size_t i = 0; i < options->input_count; i++) {
        files->units[i] = frontend(options, options->inputs[i], NULL, false, diagnostics);
        read &= files->units[i] != NULL;
    }
    if (read)
        check_constant_space(files, diagnostics);
    return read ? files : NULL;
}
