/* Reads identity(…): a number that elements of all of the function's types can hold. */
#include "semantics/semantics.h"

#include <string.h>

bool folds(const enum dtype *inputs, size_t input_count, const enum dtype *outputs, size_t output_count)
{
    return input_count == 2 && output_count == 1 && inputs[0] == inputs[1] && inputs[0] == outputs[0] &&
           !dtype_is_stored(inputs[0]);
}

/* Without the space around it, and parentheses. */
static const char *bare(struct arena *arena, const char *text)
{
    size_t length;
    for (;;) {
        text += strspn(text, " \t\r\n");
        length = strlen(text);
        while (length && strchr(" \t\r\n", text[length - 1]))
            length--;
        text = arena_strndup(arena, text, length);
        if (length < 2 || *text != '(' || text[length - 1] != ')')
            return text;
        text = arena_strndup(arena, text + 1, length - 2);
    }
}

const char *read_identity(const struct function *function, struct arena *arena, struct diagnostics *diagnostics)
{
    const char *text = bare(arena, function->identity);
    if (!strcmp(text, "none"))
        return NULL;
    const char *number = number_text(arena, text);
    if (!number)
        diagnose(diagnostics, SEVERITY_ERROR, function->identity_place, NULL,
                 "identity(%s) for '%s': expected a number, such as 0, -1.5, INFINITY, INT32_MIN or true, or none",
                 text, function->name);
    return number;
}

bool check_identity(const struct function *function, const char *identity, enum dtype dtype,
                    struct diagnostics *diagnostics)
{
    if (dtype_represents(dtype, identity))
        return true;
    diagnose(diagnostics, SEVERITY_ERROR, function->identity_place, NULL,
             "identity(%s) for '%s': %s cannot represent that number", function->identity, function->name,
             dtype_name(dtype));
    return false;
}
