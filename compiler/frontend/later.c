/* Annotated prototypes behind the body of their function.  Clang drops attributes that a body has none of the kind of;
 * so where a source has such prototypes every function gets an annotation that says nothing. */
#include "frontend/frontend_internal.h"

#include <string.h>

const char later_header[] =
    "#pragma clang attribute push(__attribute__((annotate(\"gpucc.later\"))), apply_to = function)\n";

/* Functions whose bodies have been visited. */
struct redeclared {
    const struct parse *parse;
    struct names *bodies;
    bool found;
};

static void see_declaration(CXCursor cursor, void *data)
{
    struct redeclared *redeclared = data;
    if (cursor.kind != CXCursor_FunctionDecl)
        return;
    size_t *has_body =
        names_at(redeclared->bodies, copy_string(redeclared->parse, clang_getCursorSpelling(cursor)));
    redeclared->found |= *has_body != 0;
    *has_body |= clang_isCursorDefinition(cursor) != 0;
}

/* Whether a prototype stands behind its function's body. */
static bool has_later_prototype(const struct parse *parse)
{
    struct redeclared redeclared = {parse, names_new(parse->arena), false};
    visit_children(clang_getTranslationUnitCursor(parse->tu), see_declaration, &redeclared);
    return redeclared.found;
}

/* Whether Clang warns where it drops an attribute. */
static bool has_warning(const struct options *options)
{
    bool on = !options->no_warnings;
    for (size_t i = 0; i < options->clang_argument_count; i++)
        on &= strcmp(options->clang_arguments[i], "-Wno-ignored-attributes") != 0;
    return on;
}

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
    return found || (!has_warning(parse->options) && has_later_prototype(parse));
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
