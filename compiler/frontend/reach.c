/* Collects what a function uses, itself and through its callees: type variables, shared memory, and constructs that
 * device code cannot have.  Each declaration is visited once, and becomes a node of a graph that functions share. */
#include "frontend/frontend_internal.h"

#include <string.h>

enum { ATOMIC_LIMIT = 8, BUCKETS = 1024 };

struct shared_variable {
    const char *name;
    struct place place;
    size_t size, align;
};

struct use {
    struct node *node;
    CXCursor cursor; /* where */
};

struct node {
    CXCursor cursor;             /* the definition where there is one */
    struct node *next_in_bucket;
    struct use *uses;
    size_t use_count;
    const char **externals;
    size_t external_count;
    const struct chain *chain;   /* by which the first walk came here */
    struct shared_variable *shared;
    size_t shared_count;
    size_t local_bytes;          /* of its own variables */
    const char *variable;        /* the type variable that this declaration is, or null */
    struct place assembly;       /* the first use of inline assembly; no file: none */
    const char *for_kernels;     /* what it uses that only threads of a grid have, or null */
    bool for_launches;           /* it uses what a launch of blocks alone gives: their places, and clusters */
    struct place static_write;   /* the first write of a static or global variable, which is `written`; no file: none */
    const char *written;
    struct place const_cast;     /* the first cast that drops `const` from what a pointer points to; no file: none */
    bool scanned, noted, has_reported_cast;
    size_t seen;                 /* the number of the last walk that came here */
};

struct reach {
    struct parse *parse;
    struct node *buckets[BUCKETS];
    size_t walk_count;
};

struct scan {
    struct reach *reach;
    struct node *node;
};

/* One walk from an annotated function. */
struct walk {
    size_t number;
    struct function *function;
    struct names *externals;
    size_t shared_bytes;
    bool reported_shared, reported_for_kernels;
};

struct reach *reach_new(struct parse *parse)
{
    struct reach *reach = arena_alloc(parse->arena, sizeof *reach);
    reach->parse = parse;
    return reach;
}

static struct node *node_for(struct reach *reach, CXCursor cursor)
{
    struct node **bucket = &reach->buckets[clang_hashCursor(cursor) % BUCKETS];
    for (struct node *node = *bucket; node; node = node->next_in_bucket)
        if (clang_equalCursors(node->cursor, cursor))
            return node;
    struct node *node = arena_alloc(reach->parse->arena, sizeof *node);
    node->cursor = cursor;
    node->next_in_bucket = *bucket;
    return *bucket = node;
}

/* ---- looking into one declaration ---- */

static void store_first(CXCursor cursor, void *first)
{
    if (clang_Cursor_isNull(*(CXCursor *)first))
        *(CXCursor *)first = cursor;
}

/* A builtin is declared where it is first used, without a type before its name. */
static bool is_builtin(CXCursor callee)
{
    return clang_equalLocations(clang_getRangeStart(clang_getCursorExtent(callee)), clang_getCursorLocation(callee));
}

static void note_builtin(struct reach *reach, const char *name, struct place use)
{
    struct unit *unit = reach->parse->unit;
    use.length = (unsigned)strlen(name);
    unit->builtins = arena_grow(reach->parse->arena, unit->builtins, unit->builtin_count, sizeof *unit->builtins);
    unit->builtins[unit->builtin_count++] = (struct builtin){name, use};
}

static void add_external(const struct scan *scan, struct external external, CXCursor callee)
{
    const struct parse *parse = scan->reach->parse;
    struct unit *unit = parse->unit;
    external.use.length = external.place.length = (unsigned)strlen(external.name);
    external.chain = scan->node->chain;
    external.prototype = prototype_of(parse, callee);
    external.is_math = !external.is_variable && is_math_function(parse, external.name);
    unit->externals = arena_grow(parse->arena, unit->externals, unit->external_count, sizeof *unit->externals);
    unit->externals[unit->external_count++] = external;
}

/* A function first declared in one of the compiler's own headers stays theirs, whoever declares it again. */
static bool is_own(const struct parse *parse, CXCursor callee)
{
    struct place first = place_of(parse, clang_getCursorLocation(clang_getCanonicalCursor(callee)), NULL);
    return !first.file || is_embedded(first.file);
}

/* A function of the math library: another file may define one of its name. */
static bool may_be_elsewhere(const struct parse *parse, CXCursor callee)
{
    return callee.kind == CXCursor_FunctionDecl && parse->options->input_count > 1 &&
           is_math_function(parse, copy_string(parse, clang_getCursorSpelling(callee)));
}

/* A function or variable that this file only declares. */
static void note_external(struct scan *scan, CXCursor callee, CXCursor use)
{
    const struct parse *parse = scan->reach->parse;
    struct node *from = scan->node;
    struct external external = {
        .name = copy_string(parse, clang_getCursorSpelling(callee)),
        .place = place_of(parse, clang_getCursorLocation(callee), NULL),
        .use = place_of(parse, clang_getCursorLocation(use), NULL),
        .is_variable = callee.kind == CXCursor_VarDecl,
        .is_annotated = clang_equalCursors(callee, use),
    };
    struct node *node = node_for(scan->reach, clang_getCanonicalCursor(callee));
    external.is_host = has_annotation(parse, callee, "host");
    const bool is_ours = is_own(parse, callee);
    if (!external.place.file || (is_ours && !external.is_host && !may_be_elsewhere(parse, callee)))
        return;
    if (!external.is_variable && !is_ours && is_builtin(callee)) {
        if (!node->noted)
            note_builtin(scan->reach, external.name, external.use);
        node->noted = true;
        return;
    }
    from->externals = arena_grow(parse->arena, from->externals, from->external_count, sizeof *from->externals);
    from->externals[from->external_count++] = external.name;
    if (!node->noted && !has_error_at(parse, &external.use)) /* else it is declared nowhere, as Clang has said */
        add_external(scan, external, callee);
    node->noted = true;
}

static bool is_file_scope(CXCursor variable)
{
    return clang_getCursorSemanticParent(variable).kind == CXCursor_TranslationUnit;
}

/* `extern` alone; CUDA's `extern __shared__` is no variable of anybody's. */
static bool is_external(const struct parse *parse, CXCursor variable)
{
    return clang_Cursor_getStorageClass(variable) == CX_SC_Extern && !has_annotation(parse, variable, "shared");
}

static void add_use(struct scan *scan, CXCursor used, CXCursor use)
{
    struct node *node = scan->node;
    node->uses = arena_grow(scan->reach->parse->arena, node->uses, node->use_count, sizeof *node->uses);
    node->uses[node->use_count++] = (struct use){node_for(scan->reach, used), use};
}

static void see_alloca(struct scan *scan, CXCursor use, CXCursor callee)
{
    const struct parse *parse = scan->reach->parse;
    const char *name = copy_string(parse, clang_getCursorSpelling(callee));
    struct place place = place_of(parse, clang_getCursorLocation(use), NULL);
    place.length = (unsigned)strlen(name);
    if (!strncmp(name, "__builtin_alloca", 16))
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "device code cannot allocate on the stack with '%s': use an array of fixed size, or shared memory",
                 name);
}

/* A kernel has no return address: on a GPU it ends its thread. */
static void see_kernel(const struct scan *scan, CXCursor use, CXCursor callee)
{
    const struct parse *parse = scan->reach->parse;
    const char *caller = copy_string(parse, clang_getCursorSpelling(scan->node->cursor));
    if (!has_annotation(parse, callee, "kernel") || begins(caller, "gpucc_primal_"))
        return; /* an adjoint's function, whose calls are replaced */
    struct place place = place_of(parse, clang_getCursorLocation(use), NULL);
    const char *name = copy_string(parse, clang_getCursorSpelling(callee));
    place.length = (unsigned)strlen(name);
    diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
             "'%s' is a kernel: it is launched, and device code cannot call it", name);
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
             "move its body to a device function, and call that from both places");
}

/* Functions of the CPU's executor (<gpucc/cpu.h>), in terms of which the front end sees all of this. */
static void see_kernels_own(struct scan *scan, CXCursor callee)
{
    const char *name = copy_string(scan->reach->parse, clang_getCursorSpelling(callee));
    if (!strncmp(name, "gpucc_cpu_barrier", 17) || !strncmp(name, "gpucc_cpu_warp_", 15) ||
        !strncmp(name, "gpucc_cpu_cluster_", 18))
        scan->node->for_kernels = "barriers and warp operations";
    else if (!strncmp(name, "gpucc_cpu_mbarrier_", 19) || !strncmp(name, "gpucc_cpu_tensor_", 17) ||
             !strncmp(name, "gpucc_cpu_bulk_", 15))
        scan->node->for_kernels = "mbarriers and copies of tiles";
    else if (!strcmp(name, "gpucc_cpu_self"))
        scan->node->for_kernels = "thread indices and launch dimensions";
    scan->node->for_launches |= !strncmp(name, "gpucc_cpu_cluster_", 18);
}

/* Members of struct gpucc_cpu_thread. */
static void see_member(struct scan *scan, CXCursor field)
{
    const struct parse *parse = scan->reach->parse;
    const char *name = copy_string(parse, clang_getCursorSpelling(field));
    const char *record = copy_string(parse, clang_getCursorSpelling(clang_getCursorSemanticParent(field)));
    if (!strcmp(record, "gpucc_cpu_thread"))
        scan->node->for_launches |=
            !strcmp(name, "block_index") || !strcmp(name, "grid_dim") || !strcmp(name, "cluster_dim");
}

/* ---- atomic operations: others than these would need a library's locks ---- */

static void check_atomic_size(const struct scan *scan, CXCursor use, CXType type)
{
    const struct parse *parse = scan->reach->parse;
    const long long size = clang_Type_getSizeOf(type);
    struct place place = place_of(parse, clang_getCursorLocation(use), NULL);
    const char *name = copy_string(parse, clang_getTypeSpelling(type));
    if (size > ATOMIC_LIMIT)
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "atomic operations support at most %d bytes, and '%s' has %lld", ATOMIC_LIMIT, name, size);
    else if (size > 0 && size & (size - 1))
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "atomic operations support 1, 2, 4 or 8 bytes, and '%s' has %lld", name, size);
}

/* In a packed struct. */
static void check_atomic_member(const struct scan *scan, CXCursor use, CXType type)
{
    const struct parse *parse = scan->reach->parse;
    CXCursor member = clang_getCursorReferenced(use);
    CXCursor parent = clang_getCursorSemanticParent(member);
    const long long align = clang_Type_getAlignOf(clang_getCursorType(parent)), size = clang_Type_getSizeOf(type);
    if (align <= 0 || align >= size || size > ATOMIC_LIMIT)
        return;
    diagnose(parse->diagnostics, SEVERITY_ERROR, place_of(parse, clang_getCursorLocation(use), NULL), NULL,
             "atomic operations need an address that is a multiple of %lld, and '%s' is aligned to %lld in its struct",
             size, copy_string(parse, clang_getCursorSpelling(member)), align);
}

static void see_atomic(const struct scan *scan, CXCursor expression)
{
    CXType type = clang_getCursorType(expression);
    if (clang_getCanonicalType(type).kind != CXType_Atomic)
        return;
    check_atomic_size(scan, expression, type);
    if (expression.kind == CXCursor_MemberRefExpr)
        check_atomic_member(scan, expression, type);
}

/* Clang's name for __sync_fetch_and_add() of 16 bytes is __sync_fetch_and_add_16. */
static void see_old_atomic(const struct scan *scan, CXCursor use, CXCursor callee)
{
    const struct parse *parse = scan->reach->parse;
    const char *name = copy_string(parse, clang_getCursorSpelling(callee)), *size = strrchr(name, '_');
    if (!strncmp(name, "__sync_", strlen("__sync_")) && size && !strcmp(size, "_16"))
        diagnose(parse->diagnostics, SEVERITY_ERROR, place_of(parse, clang_getCursorLocation(use), NULL), NULL,
                 "atomic operations support at most %d bytes, and '%.*s' is called for 16", ATOMIC_LIMIT,
                 (int)(size - name), name);
}

/* The text from where the expression is really written, or null. */
static const char *written_text(const struct parse *parse, CXCursor expression)
{
    CXFile file;
    unsigned offset;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(expression)), &file, NULL, NULL, &offset);
    const char *path = file ? copy_string(parse, clang_getFileName(file)) : NULL;
    const struct source *source = path ? source_open(parse->options->sources, path) : NULL;
    offset = (unsigned)spelling_offset(parse->unit->spelling, path, offset);
    return source && offset < source->size ? source->text + offset : NULL;
}

/* __atomic_fetch_add() and kin are expressions of their own, which libclang shows by their operands alone, the address
 * first; a conversion around one begins where it does. */
static void see_atomic_builtin(const struct scan *scan, CXCursor expression)
{
    static const char *const prefixes[] = {"__atomic_", "__c11_atomic_", "__scoped_atomic_"};
    const struct parse *parse = scan->reach->parse;
    CXCursor address = clang_getNullCursor();
    visit_children(expression, store_first, &address);
    CXType type = clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(address)));
    if (clang_Cursor_isNull(address) || type.kind == CXType_Invalid ||
        clang_equalLocations(clang_getRangeStart(clang_getCursorExtent(address)),
                             clang_getRangeStart(clang_getCursorExtent(expression))))
        return;
    const char *text = written_text(parse, expression);
    for (size_t i = 0; text && i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
            check_atomic_size(scan, expression, type);
}

static void see_reference(struct scan *scan, CXCursor use)
{
    CXCursor used = clang_getCursorReferenced(use);
    CXCursor definition = clang_getCursorDefinition(used);
    switch (used.kind) {
    case CXCursor_FunctionDecl:
        see_alloca(scan, use, used);
        see_kernel(scan, use, used);
        see_old_atomic(scan, use, used);
        see_kernels_own(scan, used);
        if (clang_Cursor_isNull(definition))
            note_external(scan, used, use);
        else
            add_use(scan, definition, use);
        break;
    case CXCursor_VarDecl:
        if (is_file_scope(used) && clang_Cursor_isNull(definition) && is_external(scan->reach->parse, used))
            note_external(scan, used, use);
        else if (is_file_scope(used))
            add_use(scan, clang_Cursor_isNull(definition) ? used : definition, use);
        break;
    case CXCursor_TypedefDecl:
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
        add_use(scan, clang_Cursor_isNull(definition) ? used : definition, use);
        break;
    default:
        break;
    }
}

/* Whether the variable is in a section of that name: libclang shows attributes as printed source only. */
static bool is_in_section(const struct parse *parse, CXCursor variable, const char *section)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    if (!clang_Cursor_hasAttrs(variable) || storage == CX_SC_Auto || storage == CX_SC_Register)
        return false;
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(variable);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_SuppressInitializers, 1);
    const char *text = copy_string(parse, clang_getCursorPrettyPrinted(variable, policy));
    clang_PrintingPolicy_dispose(policy);
    return strstr(text, arena_printf(parse->arena, "section(\"%s\")", section)) != NULL;
}

static void add_shared(struct scan *scan, CXCursor variable, long long size)
{
    const struct parse *parse = scan->reach->parse;
    struct node *node = scan->node;
    long long align = clang_Type_getAlignOf(clang_getCursorType(variable));
    node->for_kernels = "shared variables";
    node->shared = arena_grow(parse->arena, node->shared, node->shared_count, sizeof *node->shared);
    node->shared[node->shared_count++] = (struct shared_variable){
        .name = copy_string(parse, clang_getCursorSpelling(variable)),
        .place = place_of_cursor(parse, variable),
        .size = size > 0 ? (size_t)size : 0,
        .align = align > 0 ? (size_t)align : 1,
    };
}

static void check_uninitialized(const struct parse *parse, CXCursor variable)
{
    struct place place = place_of_cursor(parse, variable);
    if (clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable)))
        return;
    diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL, "'%s' is shared memory, which cannot have an initializer",
             copy_string(parse, clang_getCursorSpelling(variable)));
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL, "let one thread of the block set it, then call "
                                                             "syncthreads()");
}

/* A thread's own variables; those of scopes that exclude each other are counted too. */
static void add_local(struct scan *scan, CXCursor variable, long long size)
{
    const struct parse *parse = scan->reach->parse;
    struct node *node = scan->node;
    bool reported = node->local_bytes > GPUCC_LOCAL_MEMORY;
    node->local_bytes += size > 0 ? (size_t)size : 0;
    if (reported || node->local_bytes <= GPUCC_LOCAL_MEMORY)
        return;
    struct place place = place_of_cursor(parse, variable);
    diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
             "with '%s', the local variables of '%s' take %zu bytes; a thread has at most %d (512 KiB)",
             copy_string(parse, clang_getCursorSpelling(variable)),
             copy_string(parse, clang_getCursorSpelling(node->cursor)), node->local_bytes, GPUCC_LOCAL_MEMORY);
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
             "each thread has its own copy: pass large data as a parameter, or share it within the block with "
             "'shared'");
}

static void see_variable(struct scan *scan, CXCursor variable)
{
    const struct parse *parse = scan->reach->parse;
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    bool is_marked = has_annotation(parse, variable, "shared"); /* CUDA's __shared__ */
    bool is_dynamic = is_marked && clang_Cursor_getStorageClass(variable) == CX_SC_Extern;
    if (is_in_section(parse, variable, ".gpucc.shared") || (is_marked && !is_dynamic)) {
        check_uninitialized(parse, variable);
        add_shared(scan, variable, clang_Type_getSizeOf(type));
        return;
    }
    if (type.kind != CXType_VariableArray) {
        if (!is_file_scope(variable) && clang_Cursor_getStorageClass(variable) != CX_SC_Static)
            add_local(scan, variable, clang_Type_getSizeOf(type));
        return;
    }
    struct place place = place_of_cursor(parse, variable);
    diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
             "'%s' is a variable length array, which device code does not support",
             copy_string(parse, clang_getCursorSpelling(variable)));
    diagnose(parse->diagnostics, SEVERITY_NOTE, place, NULL,
             "give it a fixed size; or, for memory that a block's threads share, use 'shared', or "
             "dynamic_shared(type, name) where the launch decides the size");
}

/* CUDA's printf() prints the directives of arguments beyond these as they stand. */
static void see_printing(const struct scan *scan, CXCursor call)
{
    enum { MOST_ARGUMENTS = 32 };
    const struct parse *parse = scan->reach->parse;
    const char *name = copy_string(parse, clang_getCursorSpelling(call));
    const int count = clang_Cursor_getNumArguments(call) - 1;
    if (count <= MOST_ARGUMENTS || (strcmp(name, "__builtin_printf") && strcmp(name, "printf")))
        return;
    diagnose(parse->diagnostics, SEVERITY_WARNING, place_of(parse, clang_getCursorLocation(call), NULL), "-Wformat",
             "printf() prints at most %d values on a GPU, and this call has %d", MOST_ARGUMENTS, count);
}

/* GNU C has structs of no bytes, which PTX cannot pass. */
static void check_passed(const struct parse *parse, CXCursor cursor, CXType type)
{
    if (clang_getCanonicalType(type).kind != CXType_Record || clang_Type_getSizeOf(type) != 0)
        return;
    diagnose(parse->diagnostics, SEVERITY_ERROR, place_of_cursor(parse, cursor), NULL,
             "'%s' passes '%s' by value, which has no bytes: device code passes no empty types",
             copy_string(parse, clang_getCursorSpelling(cursor)), copy_string(parse, clang_getTypeSpelling(type)));
}

static void see_jump(const struct scan *scan, CXCursor jump)
{
    const struct parse *parse = scan->reach->parse;
    diagnose(parse->diagnostics, SEVERITY_ERROR, place_of(parse, clang_getCursorLocation(jump), NULL), NULL,
             "device code does not support computed goto; use a 'switch'");
}

static bool is_pointer(CXCursor expression)
{
    return clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer;
}

static bool is_array(CXCursor expression)
{
    return clang_getArrayElementType(clang_getCursorType(expression)).kind != CXType_Invalid;
}

/* The operand, without parentheses and conversions that are not written. */
static CXCursor first_operand(CXCursor expression)
{
    do {
        CXCursor first = clang_getNullCursor();
        visit_children(expression, store_first, &first);
        expression = first;
    } while (expression.kind == CXCursor_ParenExpr || expression.kind == CXCursor_UnexposedExpr);
    return expression;
}

static bool writes(CXCursor expression)
{
    enum CXBinaryOperatorKind binary = clang_getCursorBinaryOperatorKind(expression);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(expression);
    return (binary >= CXBinaryOperator_Assign && binary <= CXBinaryOperator_OrAssign) ||
           (unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec);
}

/* The variable that an assignment, increment or decrement writes to, or to an element or member of; else null. */
static CXCursor written_by(CXCursor expression)
{
    if (!writes(expression))
        return clang_getNullCursor();
    for (CXCursor target = first_operand(expression);; target = first_operand(target)) {
        CXCursor base = first_operand(target);
        if (target.kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(target);
        bool within = target.kind == CXCursor_MemberRefExpr ? !is_pointer(base)
                    : target.kind == CXCursor_ArraySubscriptExpr && is_array(base);
        if (!within)
            return clang_getNullCursor();
    }
}

/* Returns whether the variable has static storage and is the user's. */
static bool is_static(const struct parse *parse, CXCursor variable)
{
    const bool lives = is_file_scope(variable) || clang_Cursor_getStorageClass(variable) == CX_SC_Static;
    return lives && !is_in_section(parse, variable, ".gpucc.shared") && !has_annotation(parse, variable, "shared") &&
           !is_own(parse, variable);
}

static void see_write(const struct scan *scan, CXCursor expression)
{
    const struct parse *parse = scan->reach->parse;
    struct node *node = scan->node;
    CXCursor variable = written_by(expression);
    if (variable.kind != CXCursor_VarDecl)
        return;
    if (!node->static_write.file && is_static(parse, variable)) {
        node->static_write = place_of(parse, clang_getCursorLocation(expression), NULL);
        node->written = copy_string(parse, clang_getCursorSpelling(variable));
    }
    if (!is_file_scope(variable) || !has_annotation(parse, variable, "constant"))
        return;
    diagnose(parse->diagnostics, SEVERITY_ERROR, place_of(parse, clang_getCursorLocation(expression), NULL), NULL,
             "cannot write '%s': constant memory is set by the host and read-only in device code",
             copy_string(parse, clang_getCursorSpelling(variable)));
}

static void record_last(CXCursor cursor, void *last)
{
    *(CXCursor *)last = cursor;
}

static bool points_to_const(CXCursor expression)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(expression));
    CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type) : type; /* or an array parameter */
    /* A canonical array has its elements' qualifiers. */
    while (!clang_isConstQualifiedType(pointee) && clang_getArrayElementType(pointee).kind != CXType_Invalid)
        pointee = clang_getArrayElementType(pointee);
    return clang_isConstQualifiedType(pointee);
}

static void see_cast(const struct scan *scan, CXCursor cast)
{
    CXCursor operand = clang_getNullCursor();
    visit_children(cast, record_last, &operand);
    if (scan->node->const_cast.file || clang_Cursor_isNull(operand) || !is_pointer(cast) || points_to_const(cast))
        return;
    while (operand.kind == CXCursor_ParenExpr || operand.kind == CXCursor_UnexposedExpr)
        operand = first_operand(operand);
    if (!clang_Cursor_isNull(operand) && points_to_const(operand))
        scan->node->const_cast = place_of(scan->reach->parse, clang_getCursorLocation(cast), NULL);
}

/* Whether the statement's first string, where it is really written, is "": that hides a value from the optimiser, on
 * every target. */
static bool is_empty_assembly(const struct parse *parse, CXCursor statement)
{
    const char *text = written_text(parse, statement), *quote = text ? strchr(text, '"') : NULL;
    return quote && quote[1] == '"';
}

static void see_assembly(const struct scan *scan, CXCursor statement)
{
    const struct parse *parse = scan->reach->parse;
    if (!scan->node->assembly.file && !is_empty_assembly(parse, statement))
        scan->node->assembly = place_of(parse, clang_getCursorLocation(statement), NULL);
}

static void see_global(struct scan *scan, CXCursor variable)
{
    const struct parse *parse = scan->reach->parse;
    see_variable(scan, variable);
    if (clang_Cursor_getStorageClass(variable) != CX_SC_Static)
        check_symbol(parse, copy_string(parse, clang_getCursorSpelling(variable)), place_of_cursor(parse, variable));
}

static void scan_cursor(CXCursor cursor, void *data)
{
    struct scan *scan = data;
    if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_TypeRef)
        see_reference(scan, cursor);
    else if (cursor.kind == CXCursor_MemberRefExpr)
        see_member(scan, clang_getCursorReferenced(cursor));
    else if (cursor.kind == CXCursor_VarDecl)
        see_variable(scan, cursor);
    else if (cursor.kind == CXCursor_ParmDecl)
        check_passed(scan->reach->parse, cursor, clang_getCursorType(cursor));
    else if (cursor.kind == CXCursor_CallExpr)
        see_printing(scan, cursor);
    else if (cursor.kind == CXCursor_UnexposedExpr)
        see_atomic_builtin(scan, cursor);
    else if (cursor.kind == CXCursor_CStyleCastExpr)
        see_cast(scan, cursor);
    else if (cursor.kind == CXCursor_IndirectGotoStmt)
        see_jump(scan, cursor);
    else if (cursor.kind == CXCursor_GCCAsmStmt || cursor.kind == CXCursor_MSAsmStmt)
        see_assembly(scan, cursor);
    else if (cursor.kind == CXCursor_BinaryOperator || cursor.kind == CXCursor_CompoundAssignOperator ||
             cursor.kind == CXCursor_UnaryOperator)
        see_write(scan, cursor);
    if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_MemberRefExpr ||
        cursor.kind == CXCursor_UnaryOperator || cursor.kind == CXCursor_ArraySubscriptExpr)
        see_atomic(scan, cursor);
    visit_children(cursor, scan_cursor, data);
}

static void scan_node(struct reach *reach, struct node *node)
{
    const struct parse *parse = reach->parse;
    struct scan scan = {reach, node};
    if (node->scanned)
        return;
    node->scanned = true;
    if (node->cursor.kind == CXCursor_TypedefDecl) {
        const struct typevar *typevar =
            find_typevar(parse->unit, copy_string(parse, clang_getCursorSpelling(node->cursor)));
        node->variable = typevar ? typevar->name : NULL;
    }
    if (node->cursor.kind == CXCursor_FunctionDecl && clang_Cursor_isVariadic(node->cursor))
        diagnose(parse->diagnostics, SEVERITY_ERROR, place_of_cursor(parse, node->cursor), NULL,
                 "'%s' takes a variable number of arguments, which device code does not support",
                 copy_string(parse, clang_getCursorSpelling(node->cursor)));
    if (node->cursor.kind == CXCursor_FunctionDecl)
        check_passed(parse, node->cursor, clang_getCursorResultType(node->cursor));
    if (node->cursor.kind == CXCursor_VarDecl)
        see_global(&scan, node->cursor);
    visit_children(node->cursor, scan_cursor, &scan);
}

/* ---- walking from a function ---- */

static void add_variable(const struct parse *parse, struct function *function, const char *variable)
{
    for (size_t i = 0; i < function->variable_count; i++)
        if (!strcmp(function->variables[i], variable))
            return;
    function->variables =
        arena_grow(parse->arena, function->variables, function->variable_count, sizeof *function->variables);
    function->variables[function->variable_count++] = variable;
}

static void add_shared_bytes(const struct parse *parse, struct walk *walk, const struct shared_variable *variable)
{
    size_t aligned = (walk->shared_bytes + variable->align - 1) / variable->align * variable->align;
    walk->shared_bytes = aligned + variable->size;
    if (walk->shared_bytes <= GPUCC_STATIC_SHARED || walk->reported_shared)
        return;
    walk->reported_shared = true;
    diagnose(parse->diagnostics, SEVERITY_ERROR, variable->place, NULL,
             "with '%s', '%s' declares %zu bytes of shared memory; more than %d (48 KiB) cannot be declared",
             variable->name, walk->function->name, walk->shared_bytes, GPUCC_STATIC_SHARED);
    diagnose(parse->diagnostics, SEVERITY_NOTE, variable->place, NULL,
             "dynamic_shared(type, name) can be larger: each launch sets its size, up to the GPU's limit");
}

bool report_for_kernels(const struct function *function, const char *what, struct diagnostics *diagnostics)
{
    const bool is_ufunc = function->kind == FUNCTION_UFUNC;
    if (!is_ufunc && !(function->kind == FUNCTION_GUFUNC && !function->cooperative_place.file))
        return false;
    diagnose(diagnostics, SEVERITY_ERROR, function->place, NULL,
             is_ufunc ? "'%s' runs on one thread for each element: %s are for kernels"
                      : "'%s' runs on one thread for each loop index: %s are for kernels, and for gufuncs marked "
                        "'cooperative'",
             function->name, what);
    return true;
}

/* How many blocks there are, and which does what, is the runtime's choice. */
static void report_for_launches(const struct parse *parse, struct walk *walk)
{
    const struct function *function = walk->function;
    if (function->kind != FUNCTION_GUFUNC)
        return;
    walk->reported_for_kernels = true;
    diagnose(parse->diagnostics, SEVERITY_ERROR, function->place, NULL,
             "'%s' runs on one block for each loop index: it may use threadIdx and blockDim; blockIdx, gridDim and "
             "clusters are for kernels",
             function->name);
}

static void add_walk_externals(const struct parse *parse, struct walk *walk, const struct node *node)
{
    struct function *function = walk->function;
    for (size_t i = 0; i < node->external_count; i++) {
        size_t *seen = names_at(walk->externals, node->externals[i]);
        if ((*seen)++)
            continue;
        function->externals =
            arena_grow(parse->arena, function->externals, function->external_count, sizeof *function->externals);
        function->externals[function->external_count++] = node->externals[i];
    }
}

bool report_static_write(struct function *function, const struct function *writer, struct diagnostics *diagnostics)
{
    const bool is_cooperative = function->kind == FUNCTION_GUFUNC && function->cooperative_place.file;
    if ((function->kind != FUNCTION_UFUNC && function->kind != FUNCTION_GUFUNC) || is_cooperative ||
        !writer->static_write.file)
        return false;
    diagnose(diagnostics, SEVERITY_WARNING, writer->static_write, "-Wstatic-write",
             "'%s' reaches this write of '%s', which all its elements share: they are computed in any order, many at "
             "once",
             function->name, writer->written);
    return true;
}

static void report_const_cast(const struct parse *parse, const struct function *function, struct node *node)
{
    if (!node->const_cast.file || is_embedded(node->const_cast.file) || node->has_reported_cast ||
        function->kind != FUNCTION_GUFUNC)
        return;
    node->has_reported_cast = true;
    diagnose(parse->diagnostics, SEVERITY_WARNING, node->const_cast, "-Wcast-qual",
             "'%s' casts 'const' away here: other elements may read this input while it is written", function->name);
}

static void note_in_function(struct reach *reach, struct node *node, struct walk *walk)
{
    struct function *function = walk->function;
    if (node->variable)
        add_variable(reach->parse, function, node->variable);
    if (node->assembly.file && !function->assembly.file) {
        function->assembly = node->assembly;
        function->assembly_in = copy_string(reach->parse, clang_getCursorSpelling(node->cursor));
    }
    if (node->for_kernels && !function->for_kernels)
        function->for_kernels = node->for_kernels;
    if (node->for_kernels && !walk->reported_for_kernels)
        walk->reported_for_kernels = report_for_kernels(function, node->for_kernels, reach->parse->diagnostics);
    if (node->for_launches && !walk->reported_for_kernels)
        report_for_launches(reach->parse, walk);
    if (node->static_write.file && !function->static_write.file) {
        function->static_write = node->static_write;
        function->written = node->written;
        report_static_write(function, function, reach->parse->diagnostics);
    }
    report_const_cast(reach->parse, function, node);
    for (size_t i = 0; i < node->shared_count; i++)
        add_shared_bytes(reach->parse, walk, &node->shared[i]);
    add_walk_externals(reach->parse, walk, node);
}

/* The call is in what `from` ends with. */
static const struct chain *chain_to(const struct parse *parse, const struct use *use, const struct chain *from)
{
    if (use->node->cursor.kind != CXCursor_FunctionDecl)
        return from;
    struct chain *chain = arena_alloc(parse->arena, sizeof *chain);
    *chain = (struct chain){.function = copy_string(parse, clang_getCursorSpelling(use->node->cursor)), .next = from,
                            .call = place_of(parse, clang_getCursorLocation(use->cursor), NULL)};
    chain->call.length = (unsigned)strlen(chain->function);
    return chain;
}

static void walk_from(struct reach *reach, struct node *node, struct walk *walk)
{
    if (node->seen == walk->number)
        return;
    node->seen = walk->number;
    scan_node(reach, node);
    note_in_function(reach, node, walk);
    for (size_t i = 0; i < node->use_count; i++) {
        struct node *used = node->uses[i].node;
        if (!used->seen)
            used->chain = chain_to(reach->parse, &node->uses[i], node->chain);
        walk_from(reach, used, walk);
    }
}

static void walk_function(struct reach *reach, struct node *node, struct function *function)
{
    struct walk walk = {.number = ++reach->walk_count, .function = function,
                        .externals = names_new(reach->parse->arena)};
    walk_from(reach, node, &walk);
}

void check_reachable(struct reach *reach, CXCursor cursor, struct function *function, const struct external *from)
{
    struct node *node = node_for(reach, cursor);
    if (!node->seen) {
        struct chain *chain = arena_alloc(reach->parse->arena, sizeof *chain);
        *chain = (struct chain){function->name, from ? from->use : (struct place){0}, from ? from->chain : NULL};
        node->chain = chain;
    }
    walk_function(reach, node, function);
}

void note_prototype(struct reach *reach, CXCursor prototype, struct function *function)
{
    struct node *node = node_for(reach, prototype);
    struct scan scan = {reach, node};
    node->scanned = true;
    note_external(&scan, prototype, prototype);
    walk_function(reach, node, function);
}
