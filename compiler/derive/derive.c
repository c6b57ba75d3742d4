/* Derivatives of the program's functions, in place of the bodies that the front end wrote for them. */
#include "derive/derive_internal.h"
#include "derive/reverse_internal.h"

#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <string.h>

/* ---- errors ---- */

static struct place place_in_file(const struct deriving *d, LLVMMetadataRef file, unsigned line, unsigned column)
{
    unsigned length = 0;
    const char *text = file ? LLVMDIFileGetFilename(file, &length) : "";
    const char *path = arena_strndup(d->arena, text, length);
    if (file && *path != '/' && !source_open(d->build->options.sources, path)) {
        text = LLVMDIFileGetDirectory(file, &length); /* with -g Clang cuts off what the path shares with it */
        path = arena_printf(d->arena, "%.*s/%s", (int)length, text, path);
    }
    return (struct place){.file = *path ? path : NULL, .line = line, .column = column};
}

/* Code that a statement made has its line, and columns that nobody wrote: the place is the statement. */
static struct place place_of_statement(const struct deriving *d, struct place place)
{
    const struct program *program = &d->build->program;
    for (size_t i = 0; place.file && i < program->written_count; i++) {
        const struct function *function = written_instance(program, i)->function;
        if (function->derivative_of && function->place.line == place.line &&
            !strcmp(function->place.file, place.file))
            return function->place;
    }
    return place;
}

/* An instruction's place in the user's text, for code of the compiler's own headers that of its use; no file if there
 * is none. */
static struct place place_of(const struct deriving *d, LLVMValueRef instruction)
{
    LLVMMetadataRef at = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
    for (; at; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(at));
        const unsigned line = LLVMDILocationGetLine(at);
        const struct place place = place_in_file(d, file, line, LLVMDILocationGetColumn(at));
        if (line && place.file && !begins(place.file, EMBEDDED_ROOT))
            return place_of_statement(d, place);
    }
    return (struct place){0};
}

static struct place place_of_function(const struct deriving *d, LLVMValueRef function)
{
    LLVMMetadataRef described = LLVMGetSubprogram(function);
    return described ? place_in_file(d, LLVMDIScopeGetFile(described), LLVMDISubprogramGetLine(described), 1)
                     : (struct place){0};
}

static const char *shown_function(LLVMValueRef function)
{
    const char *name = name_of(function);
    return begins(name, DERIVED_PREFIX) ? name + strlen(DERIVED_PREFIX) : name;
}

void refuse(struct deriving *d, const struct derived *s, LLVMValueRef instruction, const char *format, ...)
{
    struct text text = {.arena = d->arena};
    struct place place = place_of(d, instruction);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    diagnose(d->build->diagnostics, SEVERITY_ERROR, place.file ? place : d->statement, NULL,
             "'%s' cannot be derived: %s", s->name ? s->name : shown_function(s->function), text.data);
    diagnose(d->build->diagnostics, SEVERITY_NOTE, d->statement, NULL, "its derivative is requested here");
    d->failed = true;
}

/* ---- rules by hand ---- */

static size_t callees_of(LLVMValueRef function, LLVMValueRef *callees, size_t most)
{
    size_t count = 0;
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = called_function(i);
        if (callee && !begins(name_of(callee), "llvm.") && !begins(name_of(callee), SANITIZER_PREFIX) && count < most)
            callees[count++] = callee;
    }
    return count;
}

static bool is_number(LLVMTypeRef type)
{
    return has_numbers(type) && LLVMGetTypeKind(type) != LLVMPointerTypeKind;
}

static void add_rule(struct deriving *d, LLVMValueRef marker)
{
    enum { MOST = 1 + 64 };
    LLVMValueRef callees[MOST];
    const size_t count = callees_of(marker, callees, MOST);
    struct rule *rule = arena_alloc(d->arena, sizeof *rule);
    const unsigned parameters = LLVMCountParams(callees[0]);
    *rule = (struct rule){.next = d->rules, .function = callees[0]};
    rule->partials = arena_alloc(d->arena, (parameters + 1) * sizeof *rule->partials);
    size_t next = 1;
    for (unsigned k = 0; k < parameters; k++) {
        const bool has_partial = next < count && is_number(LLVMTypeOf(LLVMGetParam(callees[0], k)));
        rule->partials[k] = has_partial ? callees[next++] : NULL;
    }
    d->rules = rule;
}

/* ---- the functions that are asked for ---- */

static bool is_marker(LLVMValueRef function)
{
    const char *name = name_of(function);
    return !LLVMIsDeclaration(function) &&
           (begins(name, TANGENT_PREFIX) || begins(name, JACOBIAN_PREFIX) || begins(name, FORWARD_PREFIX) ||
            begins(name, REVERSE_PREFIX)) &&
           !has_mark(function, DERIVED_MARK);
}

/* A function that is asked for, whose parameters are: inputs; of tangents, those of the floating ones; pointers to
 * outputs; for each direction, pointers to the outputs' tangents. */
struct wanted {
    LLVMValueRef made, function; /* the function with the new body, and the one that is derived */
    unsigned inputs, outputs, numbers, directions;
    bool is_tangent;
};

static struct derived *requested_derivative(struct deriving *d, const struct wanted *w)
{
    const unsigned count = LLVMCountParams(w->function);
    directions *masks = arena_alloc(d->arena, (count + 1) * sizeof *masks);
    unsigned number = 0;
    for (unsigned k = 0; k < count; k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(w->function, k));
        if (k >= w->inputs)
            masks[k] = (1u << w->directions) - 1;
        else
            masks[k] = !is_number(type) ? 0 : w->is_tangent ? 1 : 1u << number++;
    }
    struct derived *s = derived_of(d, w->function, masks);
    settle_activity(d);
    return s;
}

static struct wanted describe(LLVMValueRef marker, LLVMValueRef made, LLVMValueRef function)
{
    struct wanted w = {.made = made, .function = function, .is_tangent = begins(name_of(marker), TANGENT_PREFIX)};
    const unsigned count = LLVMCountParams(function);
    while (w.inputs < count && LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, w.inputs))) != LLVMPointerTypeKind)
        w.numbers += is_number(LLVMTypeOf(LLVMGetParam(function, w.inputs++)));
    const bool returns = LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) != LLVMVoidTypeKind;
    w.outputs = returns ? 1 : count - w.inputs;
    w.directions = w.is_tangent ? 1 : w.numbers;
    return w;
}

/* Pointers to outputs, and behind them those to their tangents. */
static LLVMValueRef output(const struct wanted *w, unsigned k)
{
    return LLVMGetParam(w->made, w->inputs + (w->is_tangent ? w->numbers : 0) + k);
}

static unsigned add_arguments(const struct wanted *w, LLVMValueRef *values)
{
    const unsigned count = LLVMCountParams(w->function);
    unsigned filled = count, number = 0;
    for (unsigned k = 0; k < w->inputs; k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(w->function, k));
        values[k] = LLVMGetParam(w->made, k);
        if (!is_number(type))
            continue;
        values[filled++] = w->is_tangent ? LLVMGetParam(w->made, w->inputs + number++) : LLVMConstReal(type, 1);
    }
    for (unsigned k = w->inputs; k < count; k++) {
        values[k] = output(w, k - w->inputs);
        for (unsigned n = 0; n < w->directions; n++)
            values[filled++] = output(w, w->outputs * (n + 1) + k - w->inputs);
    }
    return filled;
}

/* The body: a call of the derived function, and stores of its results. */
static void define_wanted(struct deriving *d, const struct wanted *w)
{
    struct derived *s = requested_derivative(d, w);
    const size_t most = (DIRECTIONS + 1) * (LLVMCountParams(w->function) + 1);
    LLVMValueRef *values = arena_alloc(d->arena, most * sizeof *values);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(d->context, w->made, ""));
    LLVMValueRef call = build_call(builder, derived_function(d, s), values, add_arguments(w, values));
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind) {
        unsigned element = 1;
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(w->function));
        LLVMBuildStore(builder, LLVMBuildExtractValue(builder, call, 0, ""), output(w, 0));
        for (unsigned n = 0; n < w->directions; n++) {
            LLVMValueRef tangent = s->result >> n & 1 ? LLVMBuildExtractValue(builder, call, element++, "")
                                                      : LLVMConstNull(type);
            LLVMBuildStore(builder, tangent, output(w, n + 1));
        }
    }
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    define_derived(d);
}

/* The body of a function with the derived one's parameters: a call of it. */
static void define_forward(struct deriving *d, const char *roles, LLVMValueRef made, LLVMValueRef function)
{
    const unsigned count = LLVMCountParams(function), all = LLVMCountParams(made);
    directions *masks = arena_alloc(d->arena, (count + 1) * sizeof *masks);
    LLVMValueRef *values = arena_alloc(d->arena, (all + 1) * sizeof *values);
    for (unsigned k = 0; k < count; k++)
        masks[k] = roles[k] == 't';
    LLVMGetParams(made, values);
    struct derived *s = derived_of(d, function, masks);
    settle_activity(d);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(d->context, made, ""));
    build_call(builder, derived_function(d, s), values, all);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    define_derived(d);
}

static void fill(struct deriving *d, LLVMValueRef marker);

/* First the functions that this one reaches and that are derivatives themselves. */
static void fill_reached(struct deriving *d, LLVMValueRef function, struct pointer_map *seen)
{
    if (map_get(seen, function) || LLVMIsDeclaration(function))
        return;
    map_put(seen, function, function);
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = called_function(i);
        if (callee && is_marker(callee))
            fill(d, callee);
        else if (callee)
            fill_reached(d, callee, seen);
    }
}

static LLVMValueRef primal_of(LLVMValueRef marker)
{
    FOR_INSTRUCTIONS_IN(i, marker)
        if (called_function(i) && begins(name_of(called_function(i)), PRIMAL_PREFIX))
            return called_function(i);
    fatal("a derivative has lost its function");
}

static void fill(struct deriving *d, LLVMValueRef marker)
{
    const struct place statement = d->statement;
    struct pointer_map seen = {.arena = d->arena};
    LLVMValueRef function = primal_of(marker);
    fill_reached(d, function, &seen);
    d->statement = place_of_function(d, marker);
    LLVMValueRef made = LLVMAddFunction(d->module, "", LLVMGlobalGetValueType(marker));
    LLVMSetLinkage(made, LLVMInternalLinkage);
    copy_attributes(marker, made, LLVMCountParams(marker));
    set_mark(made, DERIVED_MARK);
    if (begins(name_of(marker), REVERSE_PREFIX)) {
        reverse_marker(d, marker, made);
    } else if (begins(name_of(marker), FORWARD_PREFIX)) {
        define_forward(d, arena_strdup(d->arena, name_of(marker) + strlen(FORWARD_PREFIX)), made, function);
    } else {
        const struct wanted w = describe(marker, made, function);
        define_wanted(d, &w);
    }
    LLVMReplaceAllUsesWith(marker, made);
    LLVMDeleteFunction(marker);
    d->statement = statement;
}

static LLVMValueRef next_marker(const struct deriving *d)
{
    FOR_FUNCTIONS(f, d->module)
        if (is_marker(f))
            return f;
    return NULL;
}

static bool has_own_prefix(const char *name)
{
    return begins(name, RULE_PREFIX) || begins(name, CARRIED_PREFIX) || begins(name, PRIMAL_PREFIX);
}

/* Copies and rules have served; what remains has no place, as LLVM expects places of a function's own. */
static void clean_up(struct deriving *d)
{
    for (struct derived *s = d->first; s; s = s->next)
        if (s->made)
            drop_places(s->made);
    FOR_FUNCTIONS(f, d->module)
        if (has_mark(f, REGISTERS_MARK) || (!LLVMGetFirstUse(f) && has_own_prefix(name_of(f))))
            LLVMDeleteFunction(f);
    if (d->build->options.debug == DEBUG_NONE && !d->build->options.lints && !d->build->options.checks)
        LLVMStripModuleDebugInfo(d->module);
}

bool derive(const struct build *build, LLVMModuleRef module)
{
    struct deriving d = {.build = build, .arena = build->options.arena, .module = module,
                         .context = LLVMGetModuleContext(module), .layout = LLVMGetModuleDataLayout(module)};
    d.last = &d.first;
    d.bodies.arena = d.arena;
    if (!next_marker(&d))
        return true;
    FOR_FUNCTIONS(f, module)
        if (begins(name_of(f), RULE_PREFIX))
            add_rule(&d, f);
    for (LLVMValueRef marker; (marker = next_marker(&d));)
        fill(&d, marker);
    clean_up(&d);
    return !d.failed;
}
