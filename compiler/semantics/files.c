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
        fatal("--math=libdevice: cannot find libdevice.10.bc; searched %s (set its path by --math=libdevice:PATH)",
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
            bool reported = bytes > GPUCC_CONSTANT_MEMORY;
            bytes = (bytes + constant->align - 1) / constant->align * constant->align + constant->size;
            if (reported || bytes <= GPUCC_CONSTANT_MEMORY)
                continue;
            diagnose(diagnostics, SEVERITY_ERROR, constant->place, NULL,
                     "with '%s', the constant variables take %zu bytes; a program has at most %d (64 KiB)",
                     constant->name, bytes, GPUCC_CONSTANT_MEMORY);
            diagnose(diagnostics, SEVERITY_NOTE, constant->place, NULL,
                     "remove 'constant' to place it in global memory, which is larger");
        }
}

/* One file may be there for its variables alone. */
static void check_annotated(const struct files *files, struct diagnostics *diagnostics)
{
    for (size_t u = 0; u < files->unit_count; u++)
        if (files->units[u]->function_count || files->units[u]->global_count)
            return;
    diagnose(diagnostics, SEVERITY_WARNING, (struct place){.file = files->units[0]->path}, "-Wempty-translation-unit",
             "no function of the program's files is annotated, so there is nothing to make; write vectorize(), "
             "guvectorize(…) or kernel before one");
}

static void link_files(struct files *files, struct diagnostics *diagnostics)
{
    files->linkage = link_units(files->arena, files->units, files->unit_count, diagnostics);
    for (size_t u = 0; u < files->unit_count; u++)
        follow_unit(files->linkage, files->units, files->unit_count, files->units[u]);
    check_across(files, diagnostics);
    if (files->unit_count > 1)
        check_annotated(files, diagnostics);
}

void close_files(struct files *files)
{
    for (size_t u = 0; u < files->unit_count; u++)
        if (files->units[u])
            close_unit(files->units[u]);
}

struct files *read_files(const struct options *options, struct diagnostics *diagnostics)
{
    struct files *files = arena_alloc(options->arena, sizeof *files);
    files->arena = options->arena;
    files->units = arena_alloc(options->arena, options->input_count * sizeof *files->units);
    files->unit_count = options->input_count;
    bool read = read_linked(options, files, diagnostics);
    if (options->libdevice)
        read_libdevice(options, files);
    for (size_t i = 0; i < options->input_count; i++) {
        files->units[i] = frontend(options, options->inputs[i], NULL, false, diagnostics);
        read &= files->units[i] != NULL;
    }
    if (!read) {
        close_files(files);
        return NULL;
    }
    check_constant_space(files, diagnostics);
    link_files(files, diagnostics);
    return files;
}
