/* The PTX of programs with ufuncs in two parts, each optimised and emitted in a thread of its own: the loops over rows,
 * which are the longest, and everything else.  The parts are the same on every machine, so the text is too. */
#define _XOPEN_SOURCE 700
#include "backend.h"
#include "ptx_text.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* The second part, in its thread. */
struct part {
    struct options options; /* with an arena of its own */
    const struct program *program;
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef bitcode; /* of the whole module */
    struct diagnostics *diagnostics;
    struct bytes code;
};

static bool is_row_loop(const struct program *program, const char *name)
{
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++) {
            const struct instance *instance = &program->passes[p].instances[i];
            size_t length = strlen(instance->symbol);
            if (instance->function->kind == FUNCTION_UFUNC && !strncmp(name, instance->symbol, length) &&
                !strcmp(name + length, "_rows"))
                return true;
        }
    return false;
}

static bool is_inlined(LLVMValueRef function)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

/* How arguments are passed to a private function depends on whether its address is taken, which only one part might
 * see. */
static bool has_address_taken(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage || is_inlined(f))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (!LLVMIsACallInst(LLVMGetUser(use)) || LLVMGetCalledValue(LLVMGetUser(use)) != f)
                return true;
    }
    return false;
}

bool has_parts(const struct options *options, const struct program *program, LLVMModuleRef module)
{
    bool found = false;
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++)
            found |= program->passes[p].instances[i].function->kind == FUNCTION_UFUNC;
    return found && options->optimization > 1 && options->debug == DEBUG_NONE && !has_address_taken(module);
}

static void add_attribute(LLVMContextRef context, LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
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
    add_attribute(context, function, "optnone");
    add_attribute(context, function, "noinline");
}

/* Functions out of line belong to the first part.  Optimising begins with the removal of what nobody calls. */
static void keep_part(const struct program *program, LLVMModuleRef module, bool rows)
{
    size_t size;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_inlined(f) &&
            is_row_loop(program, LLVMGetValueName2(f, &size)) != rows)
            replace_body(module, f);
}

static LLVMModuleRef read_module(LLVMContextRef context, LLVMMemoryBufferRef bitcode)
{
    LLVMModuleRef module;
    if (LLVMParseBitcodeInContext2(context, bitcode, &module))
        fatal("LLVM cannot read the bitcode that it wrote");
    return module;
}

static void *make_part(void *data)
{
    struct part *part = data;
    LLVMContextRef context = build_context(part->diagnostics);
    LLVMModuleRef module = read_module(context, part->bitcode);
    keep_part(part->program, module, true);
    optimize(&part->options, TARGET_PTX, part->machine, module);
    part->code = emit_assembly(&part->options, part->machine, module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return NULL;
}

static void *run_part(void *data)
{
    static char stack[CRASH_STACK]; /* there is one such thread at a time */
    crash_guard_thread(stack);
    return make_part(data);
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

/* `first`, and what it does not hold of `second`: not the functions, which are the first part's.  No data where they
 * are not there, or something else of that name differs. */
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
        if (!there && !is_function)
            text_printf(&out, "%.*s\n", (int)(statement->end - statement->begin), statement->begin);
        else if (!there || !(is_function || same_text(there, statement)))
            return (struct bytes){0};
    }
    return (struct bytes){out.data, out.size};
}

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

/* LLVM numbers the calls of all threads together: "{ // callseq 5, 0" … "} // callseq 5".  Here they are numbered as
 * they stand in the text. */
static struct bytes number_calls(struct arena *arena, struct bytes code)
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

struct bytes emit_parts(const struct options *options, const struct program *program, int arch,
                        LLVMTargetMachineRef machine, LLVMModuleRef module, struct diagnostics *diagnostics)
{
    struct part second = {.options = *options, .program = program, .bitcode = LLVMWriteBitcodeToMemoryBuffer(module),
                          .diagnostics = diagnostics};
    pthread_t thread;
    second.options.arena = arena_new();
    second.machine = target_machine(options, TARGET_PTX, arch, program_isa(program, arch));
    bool threaded = may_thread(options) && thread_start(&thread, run_part, &second);
    keep_part(program, module, false);
    optimize(options, TARGET_PTX, machine, module);
    stage_done(options, "optimize");
    struct bytes first = emit_assembly(options, machine, module);
    if (threaded)
        pthread_join(thread, NULL);
    else
        make_part(&second);
    struct bytes code = join(options->arena, first, second.code);
    if (!code.data) { /* as one, then */
        LLVMModuleRef whole = read_module(LLVMGetModuleContext(module), second.bitcode);
        optimize(options, TARGET_PTX, machine, whole);
        code = emit_assembly(options, machine, whole);
        LLVMDisposeModule(whole);
    }
    LLVMDisposeTargetMachine(second.machine);
    LLVMDisposeMemoryBuffer(second.bitcode);
    arena_free(second.options.arena);
    return number_calls(options->arena, code);
}
