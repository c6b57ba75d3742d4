/* A native object as a shared one, which dlopen() takes: by gpucc's own linker, or by the system's where linked IR has
 * something that this one does not know, such as thread-local variables.  What it needs of libgpucc is left open: the
 * process that opens it has that already. */
#define _XOPEN_SOURCE 700
#include "emit/emit_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name of a new file. */
static char *temporary_file(struct arena *arena)
{
    char *path = arena_printf(arena, "%s/gpucc-XXXXXX", temporary_directory());
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        fatal("cannot make a temporary file in '%s': %s", temporary_directory(), strerror(errno));
    close(descriptor);
    return path;
}

static const char *find_linker(const struct options *options)
{
    const char *name = linker_name(options), *linker = child_find(options->arena, name);
    if (!linker)
        fatal("a shared object requires the linker '%s', which is not on PATH (Debian's package binutils%s)",
              name, strcmp(name, "ld") ? " for that machine" : "");
    return linker;
}

static struct bytes link_by_system(const struct options *options, struct bytes object)
{
    const char *linker = find_linker(options), *said;
    char *path = temporary_file(options->arena);
    char *arguments[] = {(char *)linker, "-shared", "--hash-style=gnu", "-o", path, "/dev/stdin", NULL};
    const bool done = child_run(options->arena, arguments, object, &said);
    struct bytes made = {0};
    if (done)
        made.data = file_read(options->arena, path, &made.size);
    unlink(path);
    if (!made.size)
        fatal("%s failed to link a shared object: %s", linker, *said ? said : "it printed no message");
    return made;
}

struct bytes link_shared_object(const struct options *options, struct bytes object)
{
    struct bytes made = elf_link(options->arena, object);
    if (!made.data)
        made = link_by_system(options, object);
    stage_done("link");
    return made;
}
