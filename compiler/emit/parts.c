/* The PTX of programs with ufuncs in two parts, each optimised and emitted in a thread of its own: the loops over rows
 * and those that convert, which are the longest, with accumulations, and everything else.  The parts are the same on
 * every machine, so the text is too. */
#define _XOPEN_SOURCE 700
#include "emit/emit_internal.h"
#include "bridge/bridge.h"
#include "ir/ir.h"
#include "ptx/ptx.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* Each in its thread. */
struct part {
    struct build build;          /* the whole one; the second part's has an arena of its own */
    LLVMMemoryBufferRef bitcode; /* the second part's: of the whole module */
    struct bytes code;
};

/* Null: whether there is anything in it. */
static bool is_of_second_part(const struct build *build, const char *name)
{
    static const enum gpu_loop_kind kinds[] = {GPU_LOOP_ROWS, GPU_LOOP_CONVERTED, GPU_LOOP_CONVERTED_PACKED,
                                               GPU_LOOP_SCAN_ALONG, GPU_LOOP_SCAN_ACROSS, GPU_LOOP_SCAN_PACKED};
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            const struct instance *instance = &build->program.passes[p].instances[i];
            for (size_t k = 0; instance->function->kind == FUNCTION_UFUNC && k < sizeof kinds / sizeof *kinds; k++)
                if (gpu_loop(instance, kinds[k]).is_made &&
                    (!name || !strcmp(name, gpu_loop_entry(build->options.arena, instance, kinds[k]))))
                    return true;
        }
    return false;
}

/* How arguments are passed to a private function depends on whether its address is taken, which only one part might
 * see. */
static bool has_address_taken(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage || has_attribute(f, "alwaysinline"))
            continue;
        FOR_USES(use, f)
            if (!LLVMIsACallInst(LLVMGetUser(use)) || LLVMGetCalledValue(LLVMGetUser(use)) != f)
                return true;
    }
    return false;
}

bool has_parts(const struct build *build)
{
    return is_of_second_part(build, NULL) && build->target == TARGET_PTX && build->options.optimization > 1 &&
           build->options.debug == DEBUG_NONE && !has_address_taken(build->module);
}

/* A private function must keep a body, or calls would pass arguments as to one that others can call too: one that is
 * soon compiled, and tells nothing. */
static void replace_body(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    bool is_private = LLVMGetLinkage(function) == LLVMInternalLinkage;
    codegen_drop_body(function);
    if (!is_private)
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMBuildUnreachable(builder);
    LLVMDisposeBuilder(builder);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    set_attribute(function, "optnone");
    set_attribute(function, "noinline");
}

/* Whether a function stays out of line, and one of the second part's calls it. */
static bool serves_second(const struct build *build, LLVMValueRef function)
{
    size_t size;
    bool serves = false;
    if (!has_attribute(function, "noinline"))
        return false;
    FOR_USES(use, function) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user))
            continue;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        serves = serves || is_of_second_part(build, LLVMGetValueName2(caller, &size));
    }
    return serves;
}

/* The first part has them, even where it does not call them itself: until it has been optimised, it seems that others
 * may. */
static LLVMValueRef *externalize_functions(const struct build *build, LLVMModuleRef module, size_t *count)
{
    LLVMValueRef *held = NULL;
    *count = 0;
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage || !serves_second(build, f))
            continue;
        held = arena_grow(build->options.arena, held, *count, sizeof *held);
        held[(*count)++] = f;
        LLVMSetLinkage(f, LLVMExternalLinkage);
    }
    return held;
}

/* Functions out of line belong to the first part.  Optimising begins with the removal of what nobody calls. */
static void select_part(const struct build *build, LLVMModuleRef module, bool second)
{
    size_t size;
    FOR_FUNCTIONS(f, module)
        if (!LLVMIsDeclaration(f) && !has_attribute(f, "alwaysinline") &&
            is_of_second_part(build, LLVMGetValueName2(f, &size)) != second)
            replace_body(module, f);
}

static void *make_second_part(void *data)
{
    struct part *part = data;
    LLVMContextRef context = llvm_context_new(part->build.diagnostics);
    LLVMModuleRef module = llvm_module_read(context, part->bitcode);
    LLVMTargetMachineRef machine = ptx_machine(&part->build);
    select_part(&part->build, module, true);
    run_pipeline(&part->build, machine, module);
    part->code = emit_assembly(&part->build, machine, module);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return NULL;
}

/* ---- joining ---- */

static const struct ptx_statement *find_statement(const struct ptx_text *text, const char *name, bool with_body)
{
    for (size_t i = 0; i < text->count; i++) {
        const struct ptx_statement *statement = &text->statements[i];
        if (statement->name && !strcmp(statement->name, name) && (!with_body || statement->end[-1] == '}'))
            return statement;
    }
    return NULL;
}

static bool same_text(const struct ptx_statement *a, const struct ptx_statement *b)
{
    size_t size = (size_t)(a->end - a->begin);
    return size == (size_t)(b->end - b->begin) && !memcmp(a->begin, b->begin, size);
}

/* `first`, and what it does not hold of `second`: not the bodies of functions, which are the first part's.  No data
 * where they are not there, or something else of that name differs. */
static struct bytes join(struct arena *arena, struct bytes first, struct bytes second)
{
    struct ptx_text ours = ptx_read(arena, first.data), theirs = ptx_read(arena, second.data);
    struct text out = {.arena = arena};
    text_append(&out, first.data, first.size);
    for (size_t i = 0; i < theirs.count; i++) {
        const struct ptx_statement *statement = &theirs.statements[i];
        bool is_function = statement->kind == PTX_FUNCTION;
        const struct ptx_statement *there =
            statement->name ? find_statement(&ours, statement->name, is_function && !statement->is_extern) : NULL;
        if (!there && (!is_function || statement->is_extern))
            text_printf(&out, "%.*s\n", (int)(statement->end - statement->begin), statement->begin);
        else if (!there || !(is_function || same_text(there, statement)))
            return (struct bytes){0};
    }
    return (struct bytes){out.data, out.size};
}

static void *make_first_part(void *data)
{
    struct part *part = data;
    struct build *build = &part->build;
    size_t held_count;
    LLVMValueRef *held = externalize_functions(build, build->module, &held_count);
    select_part(build, build->module, false);
    run_pipeline(build, build->machine, build->module);
    for (size_t i = 0; i < held_count; i++)
        LLVMSetLinkage(held[i], LLVMInternalLinkage);
    part->code = emit_assembly(build, build->machine, build->module);
    return NULL;
}

struct bytes emit_parts(struct build *build)
{
    struct arena *arena = build->options.arena;
    struct part first = {.build = *build}, second = first;
    pthread_t thread;
    second.bitcode = LLVMWriteBitcodeToMemoryBuffer(build->module);
    second.build.options.arena = arena_new();
    second.build.diagnostics = diagnostics_deferred(second.build.options.arena, build->diagnostics);
    bool threaded = options_threads(&build->options) && thread_start(&thread, make_second_part, &second);
    job_guard(make_first_part, &first);
    if (threaded)
        pthread_join(thread, NULL);
    job_check();
    if (!threaded)
        make_second_part(&second);
    diagnostics_release(second.build.diagnostics);
    for (size_t i = 0; i < first.build.table_count; i++)
        note_table(build, first.build.tables[i]);
    for (size_t i = 0; i < second.build.table_count; i++)
        note_table(build, second.build.tables[i]);
    struct bytes code = join(arena, first.code, second.code);
    if (!code.data) { /* as one, then */
        LLVMModuleRef whole = llvm_module_read(LLVMGetModuleContext(build->module), second.bitcode);
        run_pipeline(build, build->machine, whole);
        code = emit_assembly(build, build->machine, whole);
        LLVMDisposeModule(whole);
    }
    LLVMDisposeMemoryBuffer(second.bitcode);
    arena_free(second.build.options.arena);
    return code;
}
