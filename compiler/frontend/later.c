/* Annotated prototypes behind the body of their function.  Clang drops attributes that a body has none of the kind of;
 * so where a source has such prototypes every function gets an annotation that says nothing. */
#include "frontend/frontend_internal.h"

#include <string.h>

const char later_header[] =
    "#pragma clang attribute push(__attribute__((annotate(\"gpucc.later\"))), apply_to = function)\n";

/* Whether Clang has dropped an attribute of the user's. */
static bool drops_attribute(const struct parse *parse)
{
    bool found = false;
    for (unsigned i = 0; !found && i < clang_getNumDiagnostics(parse->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(parse->tu, i);
        found = !strcmp(copy_string(parse, clang_getDiagnosticSpelling(diagnostic)),
                        "attribute declaration must precede definition");
        clang_disposeDiagnostic(diagnostic);
    }
    return found;
}

bool allow_later_annotations(struct parse *parse)
{
    struct unit *unit = parse->unit;
    if (unit->has_later_annotations || !drops_attribute(parse))
        return false;
    struct text text = {.arena = parse->arena};
    text_append(&text, unit->text, unit->text_size);
    text_printf(&text, "\n#pragma clang attribute pop\n");
    unit->text = text.data;
    unit->text_size = text.size;
    unit->has_later_annotations = true;
    return true;
}
