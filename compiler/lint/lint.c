/* -Wperformance: goes over the kernels, and says where in the source what is slow stands. */
#include "emit/emit.h"
#include "lint/lint_internal.h"
#include "parallel/parallel.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#define OPTION "-Wperformance"

/* The lint runs on inlined and simplified IR, before any pass that only improves machine code. */
static const char pipeline[] =
    "globaldce,cgscc(inline<only-mandatory>,function(sroa,simplifycfg,early-cse)),globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-instsimplify,licm,loop-rotate,licm),simplifycfg,loop(indvars,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,gvn<no-pre;no-load-pre>,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/* ---- places ---- */

static const char *file_of(const struct linted *linted, LLVMMetadataRef location)
{
    unsigned length = 0;
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
    const char *text = file ? LLVMDIFileGetFilename(file, &length) : "";
    const char *path = arena_strndup(linted->arena, text, length);
    if (!file || *path == '/' || source_open(linted->sources, path))
        return path;
    text = LLVMDIFileGetDirectory(file, &length); /* with -g Clang cuts off what the path shares with it */
    return arena_printf(linted->arena, "%.*s/%s", (int)length, text, path);
}

/* The place where the user wrote it: for code of a header of the compiler's own, the use; for code that a statement
 * made, the statement. */
static struct place place_at(const struct linted *linted, LLVMMetadataRef at)
{
    const struct function *function = linted->instance->function;
    for (; at; at = LLVMDILocationGetInlinedAt(at)) {
        const char *file = file_of(linted, at);
        if (function->derivative_of && LLVMDILocationGetLine(at) == function->place.line)
            return function->place;
        if (strncmp(file, EMBEDDED_ROOT, strlen(EMBEDDED_ROOT)) && LLVMDILocationGetLine(at))
            return (struct place){.file = file, .line = LLVMDILocationGetLine(at),
                                  .column = LLVMDILocationGetColumn(at)};
    }
    return function->place;
}

static struct place place_of(const struct linted *linted, LLVMValueRef instruction)
{
    return place_at(linted, instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL);
}

bool same_source(LLVMValueRef a, LLVMValueRef b)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(a), other = LLVMInstructionGetDebugLoc(b);
    return at && other && LLVMDILocationGetLine(at) == LLVMDILocationGetLine(other) &&
           LLVMDILocationGetColumn(at) == LLVMDILocationGetColumn(other) &&
           LLVMDILocationGetScope(at) == LLVMDILocationGetScope(other);
}

/* Once, for the manifest: unrolled loops have an instruction many times. */
static void note(struct linted *linted, const char *text)
{
    struct instance *instance = linted->instance;
    const struct finding found = {linted->reported.line, linted->reported.column, text};
    for (size_t i = 0; i < instance->finding_count; i++) {
        const struct finding *known = &instance->findings[i];
        if (known->line == found.line && known->column == found.column && !strcmp(known->text, text))
            return;
    }
    instance->findings = arena_grow(linted->arena, instance->findings, instance->finding_count,
                                    sizeof *instance->findings);
    instance->findings[instance->finding_count++] = found;
}

static void report_at(struct linted *linted, struct place place, const char *text)
{
    linted->reported = place;
    note(linted, text);
    diagnose(linted->diagnostics, SEVERITY_WARNING, place, OPTION, "%s", text);
}

void report_slow(struct linted *linted, LLVMValueRef instruction, const char *format, ...)
{
    struct text text = {.arena = linted->arena};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    report_at(linted, place_of(linted, instruction), text.data);
}

void report_remedy(const struct linted *linted, LLVMValueRef instruction, const char *format, ...)
{
    struct text text = {.arena = linted->arena};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    diagnose(linted->diagnostics, SEVERITY_NOTE, instruction ? place_of(linted, instruction) : linted->reported, NULL,
             "%s",
             text.data);
}

/* ---- functions ---- */

/* The function that is looked at: what a block of threads runs, or what a gufunc has one thread run; else null. */
static LLVMValueRef function_of(const struct build *build, LLVMModuleRef module, const struct instance *instance)
{
    const char *entry = block_entry(build->options.arena, instance);
    const char *name = entry                                          ? entry
                       : instance->function->kind == FUNCTION_GUFUNC ? instance->function->name
                                                                      : NULL;
    LLVMValueRef function = name ? LLVMGetNamedFunction(module, name) : NULL;
    return function && !LLVMIsDeclaration(function) ? function : NULL;
}

typedef void visit_function(struct linted *linted);

static void for_each(struct build *build, LLVMModuleRef module, visit_function *visit)
{
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t k = 0; k < build->program.passes[p].instance_count; k++) {
            struct instance *instance = &build->program.passes[p].instances[k];
            struct linted linted = {.arena = build->options.arena, .diagnostics = build->diagnostics,
                                    .sources = build->options.sources, .instance = instance, .module = module};
            linted.function = function_of(build, module, instance);
            if (linted.function)
                visit(&linted);
        }
}

/* Why a loop of a gufunc is not shared by threads, or keeps the order of a sum. */
static void report_loop(void *data, LLVMMetadataRef at, const char *reason)
{
    struct linted *linted = data;
    const struct place place = place_at(linted, at);
    if (reason) {
        report_at(linted, place, arena_printf(linted->arena, "threads cannot share this loop: %s", reason));
        return;
    }
    report_at(linted, place, "a floating-point sum in C's order: a warp adds its terms one by one");
    report_remedy(linted, NULL, "mark '%s' 'reorderable' to add them in a tree that depends on their number alone",
                  linted->instance->function->name);
}

/* Whether threads may share the loops of the gufunc's calls; blocks share those of a product in another way. */
static bool has_plain_loops(const struct instance *instance)
{
    return instance->function->kind == FUNCTION_GUFUNC && !instance->by_block && !instance->function->tiles;
}

static void lint_loops(struct linted *linted)
{
    if (linted->instance->layout && has_plain_loops(linted->instance))
        explain_loops(linted->instance, linted->function, report_loop, linted);
}

static void make_external(struct linted *linted)
{
    LLVMSetLinkage(linted->function, LLVMExternalLinkage);
}

static void lint_function(struct linted *linted)
{
    linted->control = control_new(linted->arena, linted->function);
    if (!linted->control)
        return;
    lint_precision(linted);
    if (linted->instance->function->kind == FUNCTION_GUFUNC && !linted->instance->by_block) {
        if (!linted->instance->has_team && has_plain_loops(linted->instance))
            lint_serial(linted);
        return;
    }
    const struct accesses accesses = find_accesses(linted);
    lint_coalescing(linted, &accesses);
    lint_banks(linted, &accesses);
    lint_atomics(linted, &accesses);
    lint_barriers(linted);
}

bool lint(struct build *build)
{
    LLVMModuleRef module = build->user_code;
    if (!module)
        return true;
    build->user_code = NULL;
    FOR_FUNCTIONS(f, module)
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    for_each(build, module, make_external);
    for_each(build, module, lint_loops);
    run_passes(module, pipeline, NULL);
    for_each(build, module, lint_function);
    optimize_ptx(build, module);
    for_each(build, module, lint_local_arrays);
    LLVMDisposeModule(module);
    return true;
}
