/* Files of the system that a compilation reads without a path on the command line. */
#define _XOPEN_SOURCE 700
#include "command/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIBDEVICE "libdevice.10.bc"

const char *ptxas_find(struct arena *arena)
{
    const char *found = child_find(arena, "ptxas");
    const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes && !found; i++)
        if (homes[i])
            found = child_file(arena, homes[i], strlen(homes[i]), "bin/ptxas");
    return found;
}

const char *linker_name(const struct options *options)
{
    const bool is_aarch64 = options->native_targets >> GPUCC_NATIVE_AARCH64 & 1;
#ifdef __aarch64__
    return is_aarch64 ? "ld" : "x86_64-linux-gnu-ld";
#else
    return is_aarch64 ? "aarch64-linux-gnu-ld" : "ld";
#endif
}

/* The first of the places where it may be under `path`: the file itself, its folder, a CUDA Toolkit. */
static const char *libdevice_under(struct arena *arena, const char *path, struct text *tried)
{
    static const char *const places[] = {"", "/" LIBDEVICE, "/nvvm/libdevice/" LIBDEVICE};
    struct stat status;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *name = arena_printf(arena, "%s%s", path, places[i]);
        if (!stat(name, &status) && !S_ISDIR(status.st_mode))
            return name;
        if (*places[i])
            text_printf(tried, "%s'%s'", tried->size ? ", " : "", name);
    }
    return NULL;
}

const char *libdevice_find(const struct options *options, struct text *tried)
{
    const char *home = getenv("CUDA_HOME"), *found = NULL;
    if (options->libdevice_path)
        return libdevice_under(options->arena, options->libdevice_path, tried);
    if (home && *home)
        found = libdevice_under(options->arena, home, tried);
    return found ? found : libdevice_under(options->arena, "/usr/local/cuda", tried);
}
