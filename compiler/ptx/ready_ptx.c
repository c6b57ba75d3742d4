/* Functions of the math library that need no compilation, as they stand inside the executable as PTX that fits all
 * architectures: programs declare them, and their PTX gets the text. */
#include "ptx/ptx.h"

#include <string.h>

#define TRIPLE "nvptx64-nvidia-cuda"

/* The PTX of the library's file that defines the function: beside LIBRARY "nvptx64/conversions.bc" its ".ptx". */
static const struct embedded_file *ready_file(const char *name)
{
    const struct embedded_file *library = library_with(TRIPLE, name);
    const size_t stem = library ? strlen(library->path) - strlen(".bc") : 0;
    for (size_t i = 0; library && i < embedded_ptx_count; i++)
        if (!strncmp(embedded_ptx[i].path, library->path, stem) && !strcmp(embedded_ptx[i].path + stem, ".ptx"))
            return &embedded_ptx[i];
    return NULL;
}

bool ptx_is_ready(const char *name)
{
    return ready_file(name) != NULL;
}

/* LLVM begins a function with this, and ends it with a bracket at the begin of a line. */
static const char function_begin[] = "\n.visible .func", function_end[] = "\n}\n";

/* Returns the text between `.visible` and the end of the function's body.  The file's list of names says that the
 * function is in it. */
static struct bytes function_text(const char *source, const char *name)
{
    const char *at = source, *token;
    const size_t shown = strlen("\n.visible ");
    size_t length;
    while ((at = strstr(at, function_begin))) {
        const char *begin = at + shown;
        at += strlen(function_begin);
        if ((token = ptx_token(&at, &length)) && *token == '(') {
            at += strcspn(at, ")") + 1;
            token = ptx_token(&at, &length);
        }
        if (token && length == strlen(name) && !memcmp(token, name, length))
            return (struct bytes){begin, (size_t)(strstr(at, function_end) + strlen(function_end) - begin)};
    }
    return (struct bytes){0};
}

struct bytes ptx_with_ready(struct arena *arena, struct bytes code)
{
    const struct ptx_text program = ptx_read(arena, code.data);
    struct text out = {.arena = arena};
    const char *from = code.data;
    for (size_t i = 0; i < program.count; i++) {
        const struct ptx_statement *statement = &program.statements[i];
        const struct embedded_file *file =
            statement->kind == PTX_FUNCTION && statement->is_extern ? ready_file(statement->name) : NULL;
        if (!file)
            continue;
        const struct bytes function = function_text(file->data, statement->name);
        text_append(&out, from, (size_t)(statement->begin - from));
        text_append(&out, function.data, function.size);
        from = statement->end;
    }
    text_append(&out, from, (size_t)(code.data + code.size - from));
    return (struct bytes){out.data, out.size};
}
