/* Files embedded in the executable: the device headers and the math library. */
#include "base/base.h"

#include <string.h>

#define LIBRARY EMBEDDED_ROOT "lib/"
#define PREFIX "gpucc_"

const struct embedded_file *embedded_find(const char *path)
{
    for (size_t i = 0; i < embedded_files_count; i++)
        if (!strcmp(embedded_files[i].path, path))
            return &embedded_files[i];
    return NULL;
}

size_t embedded_header_count(void)
{
    size_t count = 0;
    while (count < embedded_files_count && strncmp(embedded_files[count].path, LIBRARY, strlen(LIBRARY)) != 0)
        count++;
    return count;
}

/* Whether a line of `names` is this one. */
static bool has_line(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

/* Whether the path is in the math library for the machine: LIBRARY "x86_64/expf.bc", for "x86_64-unknown-linux-gnu" */
static bool is_for(const char *path, const char *triple)
{
    const size_t root = strlen(LIBRARY), length = strcspn(triple, "-");
    return !strncmp(path + root, triple, length) && path[root + length] == '/';
}

const struct embedded_file *library_with(const char *triple, const char *name)
{
    for (size_t i = embedded_header_count(); i + 1 < embedded_files_count; i++)
        if (is_for(embedded_files[i].path, triple) && strstr(embedded_files[i + 1].path, ".names") &&
            has_line(embedded_files[i + 1].data, name))
            return &embedded_files[i];
    return NULL;
}

const char *library_name(struct arena *arena, const char *triple, const char *name)
{
    const size_t length = strlen(name);
    const char *ours = arena_printf(arena, PREFIX "%s", name);
    if (library_with(triple, ours))
        return ours;
    if (!length || name[length - 1] != 'l')
        return NULL;
    ours = arena_printf(arena, PREFIX "%.*s", (int)length - 1, name);
    return library_with(triple, ours) ? ours : NULL;
}

const char *plain_name(const char *name)
{
    return begins(name, PREFIX) ? name + strlen(PREFIX) : name;
}
