/* The numbers of calls in PTX: LLVM numbers those of all threads together, "{ // callseq 5, 0" … "} // callseq 5". */
#include "emit/emit_internal.h"

#include <stdlib.h>
#include <string.h>

/* A call between its two comments, with another number in the label of an indirect call's prototype. */
static void copy_call(struct text *out, const char *at, const char *end, long old, long number)
{
    const char *label = arena_printf(out->arena, "prototype_%ld", old);
    size_t length = strlen(label);
    for (const char *found; (found = strstr(at, label)) && found < end; at = found + length) {
        bool is_label = found[length] == ';' || found[length] == ' ';
        text_append(out, at, (size_t)(found - at));
        text_printf(out, "prototype_%ld", is_label ? number : old);
    }
    text_append(out, at, (size_t)(end - at));
}

struct bytes number_calls(struct arena *arena, struct bytes code)
{
    static const char mark[] = "// callseq ";
    struct text out = {.arena = arena};
    const char *at = code.data, *close;
    long number = 0;
    for (const char *open; (open = strstr(at, mark)) && (close = strstr(open + 1, mark)); number++) {
        char *rest;
        long old = strtol(open + strlen(mark), &rest, 10);
        text_append(&out, at, (size_t)(open + strlen(mark) - at));
        text_printf(&out, "%ld", number);
        copy_call(&out, rest, close + strlen(mark), old, number);
        text_printf(&out, "%ld", number);
        strtol(close + strlen(mark), &rest, 10);
        at = rest;
    }
    text_append(&out, at, (size_t)(code.data + code.size - at));
    return (struct bytes){out.data, out.size};
}
