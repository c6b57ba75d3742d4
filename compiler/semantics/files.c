/* Everything that the command line names, read: sources, and what is linked to them. */
#include "semantics/semantics.h"

#include <errno.h>
#include <string.h>

/* NVIDIA's math library, where that was asked for; ends the process where it is not there. */
static void read_libdevice(const struct options *options, struct files *files)
{
    struct text tried = {.arena = options->arena};
    const char *path = libdevice_find(options, &tried);
    const struct source *source = path ? source_open(options->sources, path) : NULL;
    if (path && !source)
        fatal("--math=libdevice: cannot read '%s': %s", path, strerror(errno));
    if (!source)
        fatal("--math=libdevice: there is no libdevice.10.bc; looked for %s (--math=libdevice:PATH says where it is)",
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
