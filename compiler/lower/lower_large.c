/* Functions too large to be copied into every loop around a ufunc or a gufunc: each is one body, out of line, which the
 * loops call.
 *
 * Callees come first.  A function above the bound is inlined and simplified before it is measured again, as a constant
 * argument may leave a fraction of it.  Programs without such functions stay as they are, byte for byte. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* In instructions.  The largest function of the math library has 521.  Native loops hold a fifth of the copies that
 * the GPU's do, and lose their vectors with a call; branches, of which vectors go both ways, count for more there. */
enum { MOST_COPIED = 1000, MOST_COPIED_NATIVE = 4000, NATIVE_BRANCH = 8 };
/* A function that is called: above that, it calls in turn what it would hold several copies of, if these are not
 * small. */
enum { MOST_IN_BODY = 8000, LEAST_SHARED = 100 };

struct parting {
    struct build *build;
    size_t most;                /* instructions that are copied */
    struct pointer_map sizes;   /* of functions that are done, + 1 */
    struct pointer_map begun;
};

/* ---- sizes ---- */

static bool is_noinline(LLVMValueRef call)
{
    const unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, noinline) != NULL;
}

/* The function that a call will be a copy of, or null. */
static LLVMValueRef copied_function(const struct parting *parting, LLVMValueRef i)
{
    LLVMValueRef called = called_function(i);
    const bool is_copied = called && map_get(&parting->sizes, called) && !has_attribute(called, "noinline") &&
                           !calls_itself(called) && !is_noinline(i);
    return is_copied ? called : NULL;
}

static size_t size_of(const struct parting *parting, LLVMValueRef function)
{
    return (size_t)(uintptr_t)map_get(&parting->sizes, function) - 1;
}

static bool is_variable_access(LLVMValueRef i)
{
    return (LLVMIsALoadInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 0))) ||
           (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1)));
}

/* Instructions as they are once variables are in registers. */
static size_t weight(const struct parting *parting, LLVMValueRef i)
{
    LLVMValueRef called = called_function(i), copied = copied_function(parting, i);
    if (copied)
        return size_of(parting, copied);
    if (called && LLVMGetIntrinsicID(called) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return 0; /* for debuggers, or where a variable's life begins */
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca:
    case LLVMPHI:
    case LLVMRet:
    case LLVMUnreachable: return 0;
    case LLVMBr:
    case LLVMSwitch:
        return (LLVMGetNumSuccessors(i) - 1) * (parting->build->target == TARGET_CPU ? NATIVE_BRANCH : 1);
    default: return !is_variable_access(i);
    }
}

static size_t measure(const struct parting *parting, LLVMValueRef function)
{
    size_t size = 0;
    FOR_INSTRUCTIONS_IN(i, function)
        size += weight(parting, i);
    return size;
}

/* ---- what is inlined ---- */

/* A call of a large function with a constant by which it goes one way or another. */
static bool chooses_part(LLVMValueRef call)
{
    LLVMValueRef called = called_function(call);
    if (!called || !has_mark(called, LARGE_MARK) || LLVMGetNumArgOperands(call) != LLVMCountParams(called))
        return false;
    for (unsigned k = 0; k < LLVMCountParams(called); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        if ((LLVMIsAConstantInt(argument) || LLVMIsAConstantFP(argument)) && is_compared(LLVMGetParam(called, k)))
            return true;
    }
    return false;
}

static bool has_choice(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (chooses_part(i))
            return true;
    return false;
}

static void tidy(LLVMValueRef function, const char *passes)
{
    if (!codegen_run_passes(function, passes))
        fatal("this LLVM does not have the passes %s", passes);
}

/* Copies in so many rounds what calls call; functions that call one another never come to an end. */
static void inline_calls(const struct parting *parting, LLVMValueRef function)
{
    enum { MOST_ROUNDS = 8, MOST_GROWTH = 16 };
    bool any = true;
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        any = false;
        FOR_INSTRUCTIONS_IN(i, function) {
            const bool chosen = chooses_part(i) && measure(parting, function) < MOST_GROWTH * parting->most;
            LLVMValueRef copied = copied_function(parting, i);
            if ((chosen || copied) && called_function(i) != function)
                any |= codegen_inline_call(i);
        }
    }
}

/* ---- what is shared ---- */

struct shared_callee {
    LLVMValueRef function;
    size_t count; /* of calls */
};

static void count_call(struct arena *arena, struct shared_callee **callees, size_t *count, LLVMValueRef called)
{
    for (size_t n = 0; n < *count; n++)
        if ((*callees)[n].function == called) {
            (*callees)[n].count++;
            return;
        }
    *callees = arena_grow(arena, *callees, *count, sizeof **callees);
    (*callees)[(*count)++] = (struct shared_callee){called, 1};
}

/* The one whose copies would take most of the function, or null. */
static LLVMValueRef most_copied(const struct parting *parting, LLVMValueRef function)
{
    struct shared_callee *callees = NULL;
    size_t count = 0, most = 0;
    LLVMValueRef found = NULL;
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef copied = copied_function(parting, i);
        if (copied && size_of(parting, copied) >= LEAST_SHARED)
            count_call(parting->build->options.arena, &callees, &count, copied);
    }
    for (size_t n = 0; n < count; n++) {
        const size_t saved = (callees[n].count - 1) * size_of(parting, callees[n].function);
        if (saved > most) {
            most = saved;
            found = callees[n].function;
        }
    }
    return found;
}

static void share_callees(const struct parting *parting, LLVMValueRef function)
{
    LLVMAttributeRef noinline = attribute(LLVMGetModuleContext(parting->build->module), "noinline");
    LLVMValueRef shared;
    while (measure(parting, function) > MOST_IN_BODY && (shared = most_copied(parting, function)))
        FOR_INSTRUCTIONS_IN(i, function)
            if (called_function(i) == shared)
                LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, noinline);
}

/* ---- warnings ---- */

static struct place place_of(const struct parting *parting, LLVMValueRef function)
{
    const struct program *program = &parting->build->program;
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++)
            if (!strcmp(program->passes[p].instances[i].function->name, name_of(function)))
                return program->passes[p].instances[i].function->place;
    LLVMValueRef known = LLVMGetNamedFunction(parting->build->user_code, name_of(function));
    LLVMMetadataRef debug = known ? LLVMGetSubprogram(known) : NULL;
    LLVMMetadataRef file = debug ? LLVMDIScopeGetFile(debug) : NULL;
    unsigned length = 0;
    if (!file)
        return (struct place){0};
    const char *path = LLVMDIFileGetFilename(file, &length);
    return (struct place){.file = arena_strndup(parting->build->options.arena, path, length),
                          .line = LLVMDISubprogramGetLine(debug), .column = 1};
}

/* Only functions that are called count: a constant may have selected one part in each call. */
static void report_large(const struct parting *parting, LLVMValueRef function)
{
    if (!has_mark(function, LARGE_MARK) || !LLVMGetFirstUse(function))
        return;
    const struct place place = place_of(parting, function);
    diagnose(parting->build->diagnostics, SEVERITY_WARNING, place, "-Wperformance",
             "'%s' has about %zu instructions, but ufunc loops inline at most %zu: they call it",
             name_of(function), size_of(parting, function), parting->most);
    diagnose(parting->build->diagnostics, SEVERITY_NOTE, place, NULL,
             "replace repeated code by a table or a loop to have it inlined");
}

/* ---- order ---- */

static void part(struct parting *parting, LLVMValueRef function);

static void part_callees(struct parting *parting, LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (called_function(i) && !LLVMIsDeclaration(called_function(i)))
            part(parting, called_function(i));
}

static void set_size(struct parting *parting, LLVMValueRef function, size_t size)
{
    map_put(&parting->sizes, function, (void *)(uintptr_t)(size + 1));
}

static void part(struct parting *parting, LLVMValueRef function)
{
    if (map_get(&parting->begun, function))
        return;
    map_put(&parting->begun, function, function);
    part_callees(parting, function);
    size_t size = measure(parting, function);
    set_size(parting, function, size);
    if (has_attribute(function, "noinline") || (size <= parting->most && !has_choice(function)))
        return;
    tidy(function, "sroa,early-cse");
    share_callees(parting, function);
    inline_calls(parting, function);
    tidy(function, "sroa,simplifycfg,early-cse");
    set_size(parting, function, size = measure(parting, function));
    if (size <= parting->most)
        return;
    set_attribute(function, "noinline");
    set_mark(function, LARGE_MARK);
}

static void part_instance(struct parting *parting, const struct instance *instance)
{
    struct arena *arena = parting->build->options.arena;
    const char *const names[] = {arena_printf(arena, "gpucc_callee_%s", instance->symbol),
                                 arena_printf(arena, "gpucc_callee_%s_by", instance->symbol)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef callee = LLVMGetNamedFunction(parting->build->module, names[i]);
        if (!callee)
            continue;
        FOR_INSTRUCTIONS_IN(call, callee)
            if (called_function(call) && !LLVMIsDeclaration(called_function(call)))
                part(parting, called_function(call));
    }
}

void part_large_functions(struct build *build)
{
    struct arena *arena = build->options.arena;
    struct parting parting = {.build = build, .sizes.arena = arena, .begun.arena = arena,
                              .most = build->target == TARGET_CPU ? MOST_COPIED_NATIVE : MOST_COPIED};
    if (shows_variables(build) || (build->target == TARGET_CPU && build->options.checks))
        return; /* where each call is inlined, to be watched */
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            const struct instance *instance = &build->program.passes[p].instances[i];
            if (has_loops(instance) && !instance->by_block)
                part_instance(&parting, instance);
        }
    FOR_FUNCTIONS(f, build->module)
        if (build->user_code) /* only with -Wperformance */
            report_large(&parting, f);
}
