/* The headers that most sources begin with, <gpucc.h> and <math.h>, as what Clang makes of them: precompiled headers,
 * made when gpucc is built (precompile.c) and read by the Clang that wrote them.  Whether a pass uses them is
 * decided by what is known: the first lines of the text include these and nothing else, and nothing on the command
 * line could make other headers of them. */
#define _GNU_SOURCE /* memfd_create */
#include "frontend/frontend.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* C headers that <gpucc.h> includes: naming one beside it adds nothing, and one of them may come with it. A folder may
 * have other headers of these names. */
static const char *const c_headers[] = {"stddef.h", "stdint.h", "math.h"};
/* The language's own headers that it includes, and itself. */
static const char *const own_headers[] = {"gpucc.h",        "gpucc/cpu.h",     "gpucc/barrier.h", "gpucc/warp.h",
                                          "gpucc/atomic.h", "gpucc/memory.h",  "gpucc/async.h",   "gpucc/integer.h",
                                          "gpucc/debug.h",  "gpucc/float8.h"};

/* Whether two lines may be one, so that a comment ends elsewhere: by a backslash, or what a trigraph has for it. */
static bool may_splice(const char *at, const char *end)
{
    const char *trigraph = strstr(at, "?\?/");
    return memchr(at, '\\', (size_t)(end - at)) || (trigraph && trigraph < end);
}

/* Behind white space and comments. */
static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\n");
        const bool is_line = begins(at, "//"), is_block = begins(at, "/*");
        const char *end = is_line ? strchr(at, '\n') : is_block ? strstr(at + 2, "*/") : NULL;
        if (!end || may_splice(at, end))
            return at;
        at = end + (is_line ? 1 : 2);
    }
}

/* The name in a line `#include <name>` and no more, and what follows the line; null for any other. */
static const char *included(const char *at, const char **next, size_t *length)
{
    static const char include[] = "#include <";
    if (!begins(at, include))
        return NULL;
    const char *name = at + strlen(include);
    *length = strcspn(name, ">\n");
    *next = name + *length + 1;
    return name[*length] == '>' && **next == '\n' ? name : NULL;
}

static bool is_listed(const char *name, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && begins(name, list[i]))
            return true;
    return false;
}

#define IS_LISTED(name, length, list) is_listed(name, length, list, sizeof(list) / sizeof *(list))

/* "gpucc" or "math", the headers with which the text begins, the latter behind or before the former; else null. */
static const char *first_headers(const char *text)
{
    bool has_gpucc = false, has_math = false;
    const char *next;
    size_t length;
    for (const char *at = skip_blanks(text), *name; (name = included(at, &next, &length)); at = skip_blanks(next)) {
        const bool is_gpucc = is_listed(name, length, own_headers, 1);
        if (!is_gpucc && !IS_LISTED(name, length, c_headers))
            break;
        has_gpucc |= is_gpucc;
        has_math |= length == strlen("math.h") && begins(name, "math.h");
    }
    return !has_gpucc ? NULL : has_math ? "math" : "gpucc";
}

/* Whether a folder that is searched before the compiler's own has one of C's headers. */
static bool has_c_header(const struct options *options, const char *folder)
{
    for (size_t i = 0; i < sizeof c_headers / sizeof *c_headers; i++) {
        const char *path = arena_printf(options->arena, "%s/%s", folder, c_headers[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static bool has_c_header_in_memory(const struct options *options)
{
    for (size_t i = 0; options->in_library && i < options->header_count; i++)
        for (size_t k = 0; begins(options->headers[i].path, MEMORY_ROOT) && k < sizeof c_headers / sizeof *c_headers;
             k++)
            if (!strcmp(options->headers[i].path + strlen(MEMORY_ROOT), c_headers[k]))
                return true;
    return false;
}

/* Whether the headers are what they are without the command line's arguments: folders that do not come between, and
 * warnings, of which none is about the compiler's own headers. */
static bool can_use_precompiled(const struct options *options)
{
    if (options->no_short_names || options->fast_math || options->no_contraction || options->checks ||
        options->debug != DEBUG_NONE)
        return false;
    for (size_t i = 0; i < options->clang_argument_count; i++) {
        const char *argument = options->clang_arguments[i];
        const bool is_folder = !strcmp(argument, "-I"), is_behind = !strcmp(argument, "-isystem");
        if (!is_folder && !is_behind && !begins(argument, "-W") && strcmp(argument, "-w") != 0)
            return false;
        i += is_folder || is_behind;
        if (is_folder && has_c_header(options, options->clang_arguments[i]))
            return false;
    }
    return !has_c_header_in_memory(options);
}

const struct embedded_file *precompiled_find(const char *name)
{
    for (size_t i = 0; i < embedded_precompiled_count; i++)
        if (!strcmp(embedded_precompiled[i].path + strlen(PRECOMPILED_ROOT), name))
            return &embedded_precompiled[i];
    return NULL;
}

const struct embedded_file *precompiled_headers(const struct options *options, const struct unit *unit,
                                                const char *pass_name)
{
    const char *headers = first_headers(unit->text);
    if (!headers || unit->spelling || unit->own_names || unit->own_functions || unit->has_later_annotations ||
        unit->is_bare_cuda || !can_use_precompiled(options))
        return NULL;
    return precompiled_find(arena_printf(options->arena, "%s-%s.pch", pass_name, headers));
}

bool precompiled_has(const struct embedded_file *file, const char *header)
{
    if (!strcmp(header, "math.h"))
        return strstr(file->path, "-math.pch") != NULL;
    return IS_LISTED(header, strlen(header), own_headers) || IS_LISTED(header, strlen(header), c_headers);
}

int file_in_memory(const struct embedded_file *file)
{
    int descriptor = memfd_create("gpucc", MFD_CLOEXEC);
    if (descriptor < 0)
        return -1;
    for (size_t done = 0; done < file->size;) {
        ssize_t count = write(descriptor, file->data + done, file->size - done);
        if (count <= 0) {
            close(descriptor);
            return -1;
        }
        done += (size_t)count;
    }
    return descriptor;
}
