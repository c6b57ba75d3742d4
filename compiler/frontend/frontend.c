/* The source through libclang: annotated functions, type variables, files read, Clang's diagnostics. */
#define _XOPEN_SOURCE 700
#include "frontend/frontend_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers for all of the front end ---- */

const char *copy_string(const struct parse *parse, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = text ? arena_strdup(parse->arena, text) : "";
    clang_disposeString(string);
    return copy;
}

struct place place_of(const struct parse *parse, CXSourceLocation location, size_t *offset)
{
    struct place place = {0};
    CXFile file;
    unsigned position;
    clang_getFileLocation(location, &file, &place.line, &place.column, &position);
    if (file)
        place.file = copy_string(parse, clang_getFileName(file));
    const bool is_main = file && clang_File_isEqual(file, parse->main_file);
    if (is_main && position > parse->unit->source_size) {
        CXString name; /* behind the source: what was written there says what of the source it is of */
        clang_getPresumedLocation(location, &name, &place.line, &place.column);
        place.file = copy_string(parse, name);
    } else {
        place.column = spelling_column(parse->unit->spelling, place.file, place.line, place.column);
        position = (unsigned)spelling_offset(parse->unit->spelling, place.file, position);
    }
    if (offset)
        *offset = position;
    return place;
}

struct place place_of_cursor(const struct parse *parse, CXCursor cursor)
{
    struct place place = place_of(parse, clang_getCursorLocation(cursor), NULL);
    place.length = (unsigned)strlen(copy_string(parse, clang_getCursorSpelling(cursor)));
    return place;
}

bool same_place(const struct place *a, const struct place *b)
{
    return a->file && b->file && a->line == b->line && a->column == b->column && !strcmp(a->file, b->file);
}

bool is_embedded(const char *file)
{
    return !strncmp(file, EMBEDDED_ROOT, sizeof EMBEDDED_ROOT - 1);
}

struct visit {
    visit_function *function;
    void *data;
};

static enum CXChildVisitResult visit_one(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const struct visit *visit = data;
    visit->function(cursor, visit->data);
    return CXChildVisit_Continue;
}

void visit_children(CXCursor cursor, visit_function *function, void *data)
{
    struct visit visit = {function, data};
    clang_visitChildren(cursor, visit_one, &visit);
}

CXType desugar(const struct parse *parse, CXType type, const char **variable)
{
    for (;;) {
        if (type.kind == CXType_Elaborated) {
            type = clang_Type_getNamedType(type);
        } else if (type.kind == CXType_Typedef) {
            const struct typevar *typevar = find_typevar(parse->unit, copy_string(parse, clang_getTypedefName(type)));
            if (typevar && variable)
                *variable = typevar->name;
            type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
        } else {
            return type;
        }
    }
}

/* ---- type variables ---- */

static void report_unknown_typevar_type(struct parse *parse, struct typevar *typevar, const char *name,
                                        struct place place)
{
    const char *c_meaning = c_type_meaning(name), *near = nearest_type_name(name, parse->unit);
    parse->reported = arena_grow(parse->arena, parse->reported, parse->reported_count, sizeof *parse->reported);
    parse->reported[parse->reported_count++] = place;
    if (c_meaning)
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "type variable '%s' cannot be '%s'; write '%s'", typevar->name, name, c_meaning);
    else if (near)
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL, "unknown type '%s'; did you mean '%s'?", name, near);
    else
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL, "unknown type '%s'", name);
}

static void add_typevar_type(struct parse *parse, struct typevar *typevar, const char *name, struct place place)
{
    enum dtype dtype = dtype_from_name(name, strlen(name));
    if (dtype == DTYPE_NONE) {
        report_unknown_typevar_type(parse, typevar, name, place);
        return;
    }
    for (size_t i = 0; i < typevar->dtype_count; i++)
        if (typevar->dtypes[i] == dtype) {
            diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL, "type variable '%s' lists '%s' twice",
                     typevar->name, name);
            return;
        }
    typevar->dtypes = arena_grow(parse->arena, typevar->dtypes, typevar->dtype_count, sizeof *typevar->dtypes);
    typevar->dtypes[typevar->dtype_count++] = dtype;
}

static void add_typevar(struct parse *parse, CXCursor cursor, const struct annotation *annotation)
{
    struct unit *unit = parse->unit;
    struct typevar typevar = {.name = copy_string(parse, clang_getCursorSpelling(cursor))};
    const char *stringized = arena_printf(parse->arena, "%s, %s", typevar.name, annotation->text);
    struct place start;
    const char *text = annotation_text(parse, annotation, stringized, &start);
    typevar.place = annotation->place;
    typevar.place.length = (unsigned)strlen("typevar");
    const char *p = text + strcspn(text, ",");
    while (*p == ',') {
        p = skip_space(p + 1);
        size_t length = strcspn(p, ", \t\r\n\\/");
        struct place place = place_in_text(text, p, start);
        place.length = start.length ? start.length : (unsigned)length;
        add_typevar_type(parse, &typevar, arena_strndup(parse->arena, p, length), place);
        p = skip_space(p + length);
    }
    unit->typevars = arena_grow(parse->arena, unit->typevars, unit->typevar_count, sizeof *unit->typevars);
    unit->typevars[unit->typevar_count++] = typevar;
}

/* ---- tests ---- */

/* Its name and text; read_tests() reads the rest, when all functions are known. */
static void add_test(struct parse *parse, const struct annotation *annotation)
{
    struct unit *unit = parse->unit;
    struct test test = {.place = annotation->place};
    test.text = annotation_text(parse, annotation, annotation->text, &test.start);
    test.place.length = (unsigned)strlen("test");
    unit->tests = arena_grow(parse->arena, unit->tests, unit->test_count, sizeof *unit->tests);
    unit->tests[unit->test_count++] = test;
}

/* ---- functions ---- */

static struct {
    const char *name;
    enum function_kind kind;
} const function_kinds[] = {
    {"vectorize", FUNCTION_UFUNC},
    {"guvectorize", FUNCTION_GUFUNC},
    {"kernel", FUNCTION_KERNEL},
    {"device", FUNCTION_DEVICE},
};

/* The annotation that makes this a function of ours, or null; reports a second one. */
static const struct annotation *main_annotation(struct parse *parse, const struct annotations *list,
                                                struct function *function)
{
    const struct annotation *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct annotation *annotation = &list->items[i];
        for (size_t k = 0; k < sizeof function_kinds / sizeof *function_kinds; k++) {
            if (strcmp(annotation->name, function_kinds[k].name))
                continue;
            struct place place = annotation->place;
            place.length = (unsigned)strlen(annotation->name);
            if (found && (function->kind != function_kinds[k].kind || strcmp(found->text, annotation->text)))
                diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                         "'%s' is annotated twice: with '%s' and with '%s'", function->name, found->name,
                         annotation->name);
            function->kind = function_kinds[k].kind;
            found = annotation;
        }
    }
    return found;
}

static void add_parameters(const struct parse *parse, CXCursor cursor, struct function *function)
{
    int count = clang_Cursor_getNumArguments(cursor);
    function->parameter_count = count > 0 ? (size_t)count : 0;
    function->parameters = arena_alloc(parse->arena, function->parameter_count * sizeof *function->parameters);
    for (size_t i = 0; i < function->parameter_count; i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        function->parameters[i] = (struct parameter){
            .name = copy_string(parse, clang_getCursorSpelling(argument)),
            .type = type_of(parse, clang_getCursorType(argument)),
            .place = place_of_cursor(parse, argument),
        };
        settle_extents(parse, argument, &function->parameters[i].type);
    }
}

/* The code of a function without a prototype takes promoted types, which are not those that its parameters show. */
static void check_promotions(const struct parse *parse, CXCursor cursor, struct function *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        const CXType type = clang_getCursorType(clang_Cursor_getArgument(cursor, (unsigned)i));
        const CXType taken = clang_getArgType(clang_getCursorType(cursor), (unsigned)i);
        const enum CXTypeKind kind = clang_getCanonicalType(taken).kind;
        if ((kind != CXType_Double && kind != CXType_Int) || clang_getCanonicalType(type).kind == kind)
            continue;
        diagnose(parse->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "'%s' has no prototype, so its callers pass '%s' as '%s' instead of '%s': write the parameters' types "
                 "between the parentheses",
                 function->name, function->parameters[i].name, copy_string(parse, clang_getTypeSpelling(taken)),
                 copy_string(parse, clang_getTypeSpelling(type)));
        function->invalid = true;
        return;
    }
}

void check_symbol(const struct parse *parse, const char *name, struct place place)
{
    for (const char *c = name; *c; c++)
        if (*c & 0x80) {
            diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                     "'%s' is not a valid PTX symbol: use ASCII letters, digits, '_' and '$'", name);
            return;
        }
}

/* C makes no code, or none that others can reach, of a static or an inline function.  A kernel is marked as used. */
static void check_visible(const struct parse *parse, CXCursor cursor, const struct function *function)
{
    const char *what = clang_Cursor_getStorageClass(cursor) == CX_SC_Static ? "static"
                       : clang_Cursor_isFunctionInlined(cursor)              ? "inline"
                                                                             : NULL;
    if (what)
        diagnose(parse->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "device function '%s' is visible outside this file, so it must not be '%s'", function->name,
                 what);
}

static struct place place_of_word(const struct annotation *annotation, const char *word)
{
    struct place place = annotation ? annotation->place : (struct place){0};
    place.length = (unsigned)strlen(word);
    return place;
}

/* The properties of functions: identity(…) and `reorderable` for reductions, `cooperative` and reference(…). */
static void add_properties(const struct parse *parse, const struct annotations *list, struct function *function)
{
    const struct annotation *identity = find_annotation(list, "identity");
    const struct annotation *reorderable = find_annotation(list, "reorderable");
    if (identity)
        function->identity = annotation_text(parse, identity, identity->text, &function->identity_place);
    function->identity_place = place_of_word(identity, "identity");
    function->reorderable_place = place_of_word(reorderable, "reorderable");
    function->cooperative_place = place_of_word(find_annotation(list, "cooperative"), "cooperative");
    const struct annotation *tiled = find_annotation(list, "tiled");
    const struct annotation *warpgroups = find_annotation(list, "warpgroups");
    function->tiles = tiled ? arena_strndup(parse->arena, tiled->text, strlen(tiled->text)) : NULL;
    function->warpgroups = warpgroups ? arena_strndup(parse->arena, warpgroups->text, strlen(warpgroups->text)) : NULL;
    function->multiplies_tf32 = find_annotation(list, "tf32");
    function->multiplies_plain = find_annotation(list, "plain");
    const struct annotation *reference = find_annotation(list, "reference");
    struct place start;
    const char *text = reference ? annotation_text(parse, reference, reference->text, &start) : NULL;
    function->reference = text ? read_reference(parse, text, start, function->name) : NULL;
    read_partials(parse, find_annotation(list, "derivative"), function);
}

/* A declaration may say again what another says, and nothing else. */
static void check_once(const struct parse *parse, const struct annotations *list, const struct annotation *first,
                       const char *function)
{
    for (size_t i = 0; first && i < list->count; i++)
        if (!strcmp(list->items[i].name, first->name) && strcmp(list->items[i].text, first->text) != 0)
            diagnose(parse->diagnostics, SEVERITY_ERROR, place_of_word(&list->items[i], first->name), NULL,
                     "'%s' already has %s(%s): at most one is allowed", function, first->name, first->text);
}

/* Properties are for ufuncs, for gufuncs or for both; `kind` is null if the function is nothing of ours. */
static void check_properties(const struct parse *parse, const struct annotations *list, const char *function,
                             const enum function_kind *kind)
{
    enum { UFUNC = 1 << FUNCTION_UFUNC, GUFUNC = 1 << FUNCTION_GUFUNC };
    static const struct {
        const char *name, *says, *with;
        unsigned kinds;
    } properties[] = {
        {"identity", "how a ufunc is reduced", "vectorize(…)", UFUNC},
        {"derivative", "what the partial derivatives of a ufunc are", "vectorize(…)", UFUNC},
        {"reorderable", "how a ufunc or gufunc combines numbers", "vectorize(…) and guvectorize(…)",
         UFUNC | GUFUNC},
        {"cooperative", "that a thread block runs each call of a gufunc", "guvectorize(…)", GUFUNC},
        {"reference", "what a ufunc or gufunc is compared with", "vectorize(…) and guvectorize(…)", UFUNC | GUFUNC},
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const char *name = properties[i].name;
        const struct annotation *annotation = find_annotation(list, name);
        if (annotation && !(kind && properties[i].kinds >> *kind & 1))
            diagnose(parse->diagnostics, SEVERITY_ERROR, place_of_word(annotation, name), NULL,
                     "'%s' says %s, but '%s' is not one: it applies to %s", name, properties[i].says, function,
                     properties[i].with);
        check_once(parse, list, annotation, function);
    }
}

static void check_annotations(const struct parse *parse, const struct function *function,
                              const struct annotations *list)
{
    static const char *const kernels_only[] = {"launch_bounds", "max_registers", "cluster"};
    for (size_t i = 0; i < sizeof kernels_only / sizeof *kernels_only && function->kind != FUNCTION_KERNEL; i++) {
        const struct annotation *annotation = find_annotation(list, kernels_only[i]);
        if (annotation)
            diagnose(parse->diagnostics, SEVERITY_WARNING, place_of_word(annotation, kernels_only[i]),
                     "-Wignored-attributes",
                     "'%s' has no effect on '%s', which is not a kernel", annotation->name, function->name);
    }
}

struct collector {
    struct parse *parse;
    struct place *annotated; /* the annotations that belong to something */
    size_t annotated_count;
    struct place *uses; /* of the annotation macros */
    size_t *use_offsets, use_count;
};

static void note_annotations(struct collector *collector, const struct annotations *list)
{
    for (size_t i = 0; i < list->count; i++) {
        collector->annotated = arena_grow(collector->parse->arena, collector->annotated, collector->annotated_count,
                                          sizeof *collector->annotated);
        collector->annotated[collector->annotated_count++] = list->items[i].place;
    }
}

/* `annotation` is null for a plain function, which has its text; the body is null if it is in another file. */
static void add_function(struct parse *parse, CXCursor cursor, CXCursor body, const struct annotations *list,
                         const struct annotation *annotation, struct function function)
{
    struct unit *unit = parse->unit;
    function.place = function.annotation_place = place_of_cursor(parse, cursor);
    if (annotation)
        function.annotation = annotation_text(parse, annotation, annotation->text, &function.annotation_place);
    function.is_plain = !annotation;
    function.doc = documentation(parse, cursor, list);
    function.result = type_of(parse, clang_getCursorResultType(cursor));
    function.prototype = prototype_of(parse, cursor);
    add_properties(parse, list, &function);
    function.expect_low_occupancy = find_annotation(list, "expect_low_occupancy");
    function.has_launch_bounds = find_annotation(list, "launch_bounds");
    function.has_max_registers = find_annotation(list, "max_registers");
    function.has_cluster = find_annotation(list, "cluster");
    function.fast_math = find_annotation(list, "fast_math");
    function.invalid = clang_isInvalidDeclaration(cursor);
    add_parameters(parse, cursor, &function);
    if (annotation)
        check_promotions(parse, cursor, &function);
    check_symbol(parse, function.name, function.place);
    if (function.kind == FUNCTION_KERNEL)
        check_kernel(parse, &function);
    if (function.kind == FUNCTION_DEVICE)
        check_visible(parse, cursor, &function);
    check_annotations(parse, &function, list);
    function.is_declared = clang_Cursor_isNull(body);
    if (!function.is_declared)
        check_reachable(parse->reach, body, &function, NULL);
    else if (function.kind != FUNCTION_KERNEL)
        note_prototype(parse->reach, cursor, &function);
    if (!function.is_plain)
        note_declaration(parse, cursor, function.place);
    unit->functions = arena_grow(parse->arena, unit->functions, unit->function_count, sizeof *unit->functions);
    unit->functions[unit->function_count++] = function;
}

/* These are about the code of a body, which is made where that stands. */
static void check_bodys_own(const struct parse *parse, const struct annotations *list, const char *function,
                            CXCursor body)
{
    static const char *const names[] = {"kernel", "fast_math"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct annotation *annotation = find_annotation(list, names[i]);
        if (!annotation)
            continue;
        diagnose(parse->diagnostics, SEVERITY_ERROR, place_of_word(annotation, names[i]), NULL,
                 "'%s' does not reach the body of '%s': write it before that", names[i], function);
        diagnose(parse->diagnostics, SEVERITY_NOTE, place_of_cursor(parse, body), NULL, "the body is here");
    }
}

static bool has_function(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (!strcmp(unit->functions[i].name, name))
            return true;
    return false;
}

/* An annotated prototype stands for its function where the body has no annotation, or is in another file. */
static void see_prototype(struct parse *parse, CXCursor cursor, const struct annotations *list,
                          const struct annotation *annotation, struct function function)
{
    CXCursor body = clang_getCursorDefinition(cursor);
    const bool has_body = !clang_Cursor_isNull(body);
    if (function.kind == FUNCTION_DEVICE || (has_body && has_annotation(parse, body, annotation->name)))
        return;
    check_properties(parse, list, function.name, &function.kind);
    if (has_body)
        check_bodys_own(parse, list, function.name, body);
    if (!has_function(parse->unit, function.name))
        add_function(parse, cursor, body, list, annotation, function);
}

static void see_function(struct collector *collector, CXCursor cursor)
{
    struct parse *parse = collector->parse;
    struct annotations list = annotations_of(parse, cursor);
    struct function function = {.name = copy_string(parse, clang_getCursorSpelling(cursor))};
    note_annotations(collector, &list);
    parse->unit->fast_math |= find_annotation(&list, "fast_math") != NULL;
    const struct annotation *annotation = main_annotation(parse, &list, &function);
    if (!clang_isCursorDefinition(cursor)) {
        if (annotation)
            see_prototype(parse, cursor, &list, annotation, function);
        return;
    }
    add_definition(parse, cursor);
    check_properties(parse, &list, function.name, annotation ? &function.kind : NULL);
    if (annotation)
        add_function(parse, cursor, cursor, &list, annotation, function);
}

struct search {
    const struct parse *parse;
    const char *name;
    struct function found;
};

static void see_definition(CXCursor cursor, void *data)
{
    struct search *search = data;
    const struct parse *parse = search->parse;
    if (cursor.kind != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor) ||
        strcmp(copy_string(parse, clang_getCursorSpelling(cursor)), search->name) != 0)
        return;
    search->found = (struct function){.name = search->name, .place = place_of_cursor(parse, cursor)};
    search->found.result = type_of(parse, clang_getCursorResultType(cursor));
    add_parameters(parse, cursor, &search->found);
}

struct function plain_function(const struct parse *parse, const char *name)
{
    struct search search = {.parse = parse, .name = name};
    visit_children(clang_getTranslationUnitCursor(parse->tu), see_definition, &search);
    return search.found;
}

/* Resolves references once all their targets are known; a reference and its target have the same kind and layout. */
static void see_reference(CXCursor cursor, void *data)
{
    struct collector *collector = data;
    struct parse *parse = collector->parse;
    if (cursor.kind != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor))
        return;
    struct annotations list = annotations_of(parse, cursor);
    struct function function = {.name = copy_string(parse, clang_getCursorSpelling(cursor))};
    const struct function *compared = compared_with(parse->unit, function.name);
    if (!compared || main_annotation(parse, &list, &function))
        return;
    function.kind = compared->kind;
    function.annotation = compared->kind == FUNCTION_GUFUNC ? compared->annotation : "";
    add_function(parse, cursor, cursor, &list, NULL, function);
}

bool is_annotation_name(const char *name, size_t length)
{
    static const char *const names[] = {"vectorize", "guvectorize", "kernel", "device", "identity", "reorderable",
                                        "cooperative", "reference", "launch_bounds", "max_registers", "cluster",
                                        "fast_math", "expect_low_occupancy", "typevar", "fuse", "test",
                                        "gradient", "tangent", "adjoint", "derivative",
                                        "__global__", "__launch_bounds__", "__cluster_dims__"};
    size_t prefix = length > 6 && !strncmp(name, "gpucc_", 6) ? 6 : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length - prefix && !strncmp(names[i], name + prefix, length - prefix))
            return true;
    return false;
}

/* Whether a macro's use is an annotation: one of ours, not the user's macro of the same name. */
static bool is_annotation(const struct parse *parse, CXCursor use)
{
    CXString spelling = clang_getCursorSpelling(use);
    const char *name = clang_getCString(spelling);
    bool found = is_annotation_name(name, strlen(name));
    clang_disposeString(spelling);
    if (!found)
        return false;
    struct place definition = place_of(parse, clang_getCursorLocation(clang_getCursorReferenced(use)), NULL);
    return definition.file && is_embedded(definition.file);
}

static void note_macro_use(struct collector *collector, CXCursor cursor)
{
    struct parse *parse = collector->parse;
    size_t offset;
    if (!is_annotation(parse, cursor))
        return;
    struct place place = place_of(parse, clang_getCursorLocation(cursor), &offset);
    if (!place.file || is_embedded(place.file))
        return;
    collector->uses = arena_grow(parse->arena, collector->uses, collector->use_count, sizeof *collector->uses);
    collector->use_offsets =
        arena_grow(parse->arena, collector->use_offsets, collector->use_count, sizeof *collector->use_offsets);
    collector->uses[collector->use_count] = place;
    collector->use_offsets[collector->use_count++] = offset;
}

static void see_functions(CXCursor cursor, void *data)
{
    struct collector *collector = data;
    if (cursor.kind == CXCursor_FunctionDecl) {
        see_function(collector, cursor);
    } else if (cursor.kind == CXCursor_VarDecl) {
        note_global(collector->parse, cursor);
        note_constant(collector->parse, cursor);
        if (defines_variable(cursor))
            add_definition(collector->parse, cursor);
    }
}

/* Collects what must be known before function bodies are inspected. */
static void see_declarations(CXCursor cursor, void *data)
{
    struct collector *collector = data;
    if (cursor.kind == CXCursor_MacroExpansion) {
        note_macro_use(collector, cursor);
    } else if (cursor.kind == CXCursor_TypedefDecl) {
        struct annotations list = annotations_of(collector->parse, cursor);
        const struct annotation *typevar = find_annotation(&list, "typevar");
        enum fuse_kind kind;
        const struct annotation *fuse = find_fuse(&list, &kind);
        const struct annotation *test = last_annotation(&list, "test"); /* a typedef has its predecessor's as well */
        if (!typevar && !fuse && !test)
            return;
        note_annotations(collector, &list);
        if (typevar)
            add_typevar(collector->parse, cursor, typevar);
        else if (fuse)
            add_fuse(collector->parse, cursor, &list, fuse, kind);
        else
            add_test(collector->parse, test);
    }
}

void report_stray_annotation(const struct parse *parse, struct place place, size_t offset)
{
    const struct source *source = source_open(parse->options->sources, place.file);
    if (!source)
        return;
    place.length = name_length(source, offset);
    const char *name = arena_strndup(parse->arena, source->text + offset, place.length);
    const char *statement = NULL;
    const char *plain = plain_name(name);
    for (enum fuse_kind kind = FUSE_EXPRESSION; kind <= FUSE_ADJOINT; kind++)
        statement = strcmp(plain, fuse_kind_name(kind)) ? statement : fuse_kind_name(kind);
    bool is_test = !strcmp(plain, "test");
    bool is_typevar = statement || is_test || !strcmp(plain, "typevar");
    diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
             is_typevar ? "'%s' is not at file scope" : "'%s' is not directly before a function", name);
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
             statement || is_test ? "'%s' must be at file scope"
             : is_typevar         ? "'typevar' must be at file scope, before its first use"
                                  : "an annotation belongs directly before a function's definition, at file scope",
             statement ? statement : "test");
}

/* Annotations that no function carries: before a variable, a struct, a statement, or before nothing. */
static void report_stray_annotations(struct collector *collector)
{
    for (size_t i = 0; i < collector->use_count; i++) {
        bool carried = false;
        for (size_t k = 0; k < collector->annotated_count && !carried; k++)
            carried = same_place(&collector->annotated[k], &collector->uses[i]);
        if (!carried)
            report_stray_annotation(collector->parse, collector->uses[i], collector->use_offsets[i]);
    }
}

static void report_nothing_annotated(const struct parse *parse)
{
    diagnose(parse->diagnostics, SEVERITY_WARNING, (struct place){.file = parse->unit->path},
             "-Wempty-translation-unit",
             "no function is annotated: write vectorize(), guvectorize(…) or kernel before one");
}

static void collect(struct parse *parse, bool quiet)
{
    struct collector collector = {.parse = parse};
    CXCursor file = clang_getTranslationUnitCursor(parse->tu);
    visit_children(file, see_declarations, &collector);
    report_clang_diagnostics(parse, quiet);
    if (parse->clang_gave_up)
        return;
    parse->reach = reach_new(parse);
    visit_children(file, see_functions, &collector);
    if (parse->options->tests)
        visit_children(file, see_reference, &collector);
    check_references(parse);
    check_partials(parse);
    if (!parse->clang_found_errors)
        read_tests(parse);
    /* After a syntax error, what follows an annotation may just not have been understood. */
    if (!parse->clang_found_errors)
        report_stray_annotations(&collector);
    if (!parse->unit->function_count && !parse->unit->fuse_count && !quiet && !diagnostics_errors(parse->diagnostics) &&
        parse->options->input_count == 1)
        report_nothing_annotated(parse);
}

static void report_binding(const struct parse *parse, const struct binding *binding)
{
    struct text text = {.arena = parse->arena};
    for (size_t i = 0; i < binding->count; i++)
        text_printf(&text, "%s%s = %s", i ? ", " : "", binding->variables[i].name,
                    dtype_name(binding->variables[i].dtype));
    if (text.size)
        diagnose(parse->diagnostics, SEVERITY_NOTE, (struct place){.file = parse->unit->path}, NULL,
                 "where %s", text.data);
}

/* Parses the text once; returns null if Clang has no translation unit for it. */
static struct unit *read_text(struct parse *parse, struct unit text, const struct binding *binding, bool quiet)
{
    parse->unit = arena_alloc(parse->arena, sizeof *parse->unit);
    *parse->unit = text;
    parse->reach = NULL;
    parse->index = index_new();
    bool parsed = parse_source(parse, parse->index, binding);
    if (parsed) {
        note_inclusions(parse);
        collect(parse, quiet);
        parse->unit->parse = parse;
        if (parse->options->input_count == 1 || !parse->reach)
            close_unit(parse->unit);
    } else {
        clang_disposeIndex(parse->index);
    }
    return parsed ? parse->unit : NULL;
}

/* The unit with its fused functions, and with its tests' drivers where they are wanted, which are read with the source
 * in front of them once their types are known. */
static struct unit *with_written(struct parse *parse, struct unit *unit, const struct binding *binding)
{
    struct text text = {.arena = parse->arena};
    text_append(&text, unit->text, unit->text_size);
    if (!write_fused_functions(parse, &text))
        return unit;
    if (parse->options->tests)
        write_test_drivers(parse, &text);
    const struct unit more = {
        .path = unit->path, .text = text.data, .text_size = text.size, .namespaces = unit->namespaces,
        .own_names = unit->own_names, .own_functions = unit->own_functions,
        .source_size = unit->text_size, .spelling = unit->spelling,
        .lookups = unit->lookups, .is_bare_cuda = unit->is_bare_cuda,
        .has_later_annotations = unit->has_later_annotations, .tiles = unit->tiles};
    close_unit(unit);
    struct unit *whole = read_text(parse, more, binding, true);
    if (whole)
        settle_fused(whole, unit);
    return whole;
}

static struct unit unit_of(const char *path, const struct c_source *spelled)
{
    return (struct unit){
        .path = path, .text = spelled->text, .text_size = spelled->text_size, .source_size = spelled->text_size,
        .spelling = spelled->spelling, .namespaces = spelled->namespaces, .lookups = spelled->lookups,
        .is_bare_cuda = spelled->is_bare_cuda, .own_names = spelled->own_names};
}

struct unit *frontend(const struct options *options, const char *path, const struct binding *binding, bool quiet,
                      struct diagnostics *diagnostics)
{
    struct parse *parse = arena_alloc(options->arena, sizeof *parse);
    *parse = (struct parse){.options = options, .diagnostics = diagnostics, .arena = options->arena};
    size_t errors_before = diagnostics_errors(diagnostics);
    const struct source *source = source_open(options->sources, path);
    if (!source)
        fatal("cannot open '%s': %s", path, file_error(errno));
    if (!quiet)
        report_unknown_warnings(options, diagnostics);
    const struct c_source spelled = spell_as_c(options, source, parse->arena);
    struct unit named = unit_of(path, &spelled);
    parse->unit = &named;
    struct unit *unit = read_text(parse, named, binding, quiet);
    const bool writes = unit && (unit->fuse_count || (options->tests && unit->test_count));
    if (writes && diagnostics_errors(diagnostics) == errors_before)
        unit = with_written(parse, unit, binding);
    if (binding && diagnostics_errors(diagnostics) > errors_before)
        report_binding(parse, binding);
    return unit;
}

struct parse *open_plain(const struct options *options, const char *path, struct diagnostics *diagnostics)
{
    struct parse *parse = arena_alloc(options->arena, sizeof *parse);
    *parse = (struct parse){.options = options, .diagnostics = diagnostics, .arena = options->arena};
    const size_t errors_before = diagnostics_errors(diagnostics);
    const struct source *source = source_open(options->sources, path);
    if (!source)
        fatal("cannot open '%s': %s", path, file_error(errno));
    const struct c_source spelled = spell_as_c(options, source, parse->arena);
    parse->unit = arena_alloc(parse->arena, sizeof *parse->unit);
    *parse->unit = unit_of(path, &spelled);
    parse->index = index_new();
    if (!parse_source(parse, parse->index, NULL)) {
        clang_disposeIndex(parse->index);
        return NULL;
    }
    note_inclusions(parse);
    report_clang_diagnostics(parse, true);
    if (diagnostics_errors(diagnostics) == errors_before)
        return parse;
    close_plain(parse);
    return NULL;
}

void close_plain(struct parse *parse)
{
    clang_disposeTranslationUnit(parse->tu);
    clang_disposeIndex(parse->index);
}
