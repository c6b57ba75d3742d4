/* -fsanitize=bounds and =alignment.  Clang compares indices with the extents that the arrays' types tell, and
 * addresses with what their types need, and calls UBSan's handlers with a description: { { file, line, column }, type
 * of the array, type of the index } or { { file, line, column }, type, log2(alignment), … }, where a type is { kind,
 * 2 * log2(bits) + signed, "'float[18]'" } (Clang's UndefinedBehaviorSanitizer, ubsan_value.h, ubsan_handlers.h).  Here
 * the handlers become the executor's, which gets the array's name too: it stands in the source where the
 * description points.  Clang does not look at atomic operations. */
#include "lower/lower_internal.h"
#include "bridge/bridge.h"

#include <ctype.h>
#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    const struct options *options;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
};

static LLVMValueRef field(LLVMValueRef global, unsigned index)
{
    return LLVMGetAggregateElement(LLVMGetInitializer(global), index);
}

static unsigned number(LLVMValueRef aggregate, unsigned index)
{
    return (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(aggregate, index));
}

static size_t word_end(const char *text, size_t from, size_t length)
{
    while (from < length && is_word(text[from]))
        from++;
    return from;
}

/* The identifier that stands there, with those of members: `a`, `s.x`, `p->x`; or "". */
static const char *name_at(const struct options *options, const char *path, unsigned line, unsigned column)
{
    const struct source *source = source_open(options->sources, path);
    const char *text;
    size_t length, begin = column - 1;
    if (!source || !column || !source_line(source, line, &text, &length) || begin >= length)
        return "";
    size_t end = word_end(text, begin, length);
    for (;;) {
        size_t dot = length - end >= 1 && text[end] == '.'               ? 1
                     : length - end >= 2 && !memcmp(text + end, "->", 2) ? 2
                                                                         : 0;
        size_t next = word_end(text, end + dot, length);
        if (dot == 0 || next == end + dot)
            return arena_strndup(options->arena, text + begin, end - begin);
        end = next;
    }
}

/* As 64 bits, with its sign. */
static LLVMValueRef widened(const struct builder *b, LLVMValueRef index, LLVMValueRef type)
{
    unsigned info = number(LLVMGetInitializer(type), 1), bits = 1u << (info >> 1);
    LLVMTypeRef wide = LLVMInt64TypeInContext(b->context);
    if (bits >= 64 || !(info & 1))
        return index;
    return LLVMBuildSExt(b->builder, LLVMBuildTrunc(b->builder, index, LLVMIntTypeInContext(b->context, bits), ""),
                         wide, "");
}

/* A function of the executor with these parameters. */
static LLVMValueRef declare(const struct builder *b, const char *name, LLVMTypeRef *parameters, unsigned count,
                            bool returns, LLVMTypeRef *type)
{
    static const char *const attributes[] = {"nounwind", "cold", "noreturn"};
    *type = LLVMFunctionType(LLVMVoidTypeInContext(b->context), parameters, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(b->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(b->module, name, *type);
    for (size_t i = 0; i < (returns ? 1 : 3); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(b->context, kind, 0));
    }
    return function;
}

static void call(const struct builder *b, const char *name, LLVMValueRef *arguments, unsigned count, bool returns)
{
    LLVMTypeRef type, parameters[5];
    for (unsigned i = 0; i < count; i++)
        parameters[i] = LLVMTypeOf(arguments[i]);
    LLVMValueRef function = declare(b, name, parameters, count, returns, &type);
    LLVMBuildCall2(b->builder, type, function, arguments, count, "");
}

static LLVMValueRef type_name(const struct builder *b, LLVMValueRef type)
{
    size_t size;
    return private_text(b->module, LLVMGetAsString(LLVMGetAggregateElement(LLVMGetInitializer(type), 2), &size));
}

/* The file's, of a place as Clang describes it. */
static const char *path_at(LLVMValueRef place)
{
    size_t size;
    return LLVMGetAsString(LLVMGetInitializer(LLVMGetAggregateElement(place, 0)), &size);
}

static void report_bounds(const struct builder *b, LLVMValueRef handler)
{
    LLVMValueRef description = LLVMGetOperand(handler, 0), index = LLVMGetOperand(handler, 1);
    LLVMValueRef place = field(description, 0);
    const char *path = path_at(place);
    LLVMValueRef arguments[] = {private_text(b->module, name_at(b->options, path, number(place, 1), number(place, 2))),
                                type_name(b, field(description, 1)), widened(b, index, field(description, 2)),
                                private_text(b->module, shown_name(path)),
                                LLVMGetAggregateElement(place, 1)};
    call(b, "gpucc_cpu_out_of_bounds", arguments, 5, false);
}

static void report_alignment(const struct builder *b, LLVMValueRef handler)
{
    LLVMValueRef description = LLVMGetOperand(handler, 0), address = LLVMGetOperand(handler, 1);
    LLVMValueRef place = field(description, 0);
    unsigned align = 1u << LLVMConstIntGetZExtValue(field(description, 2));
    LLVMValueRef arguments[] = {type_name(b, field(description, 1)), address,
                                LLVMConstInt(LLVMInt32TypeInContext(b->context), align, false),
                                private_text(b->module, shown_name(path_at(place))), LLVMGetAggregateElement(place, 1)};
    call(b, "gpucc_cpu_misaligned", arguments, 5, false);
}

/* For __builtin_assume_aligned(): { place, place of the assumption, type }. */
static void report_assumption(const struct builder *b, LLVMValueRef handler)
{
    LLVMValueRef description = LLVMGetOperand(handler, 0), place = field(description, 0);
    LLVMTypeRef word = LLVMInt32TypeInContext(b->context);
    LLVMValueRef arguments[] = {type_name(b, field(description, 2)), LLVMGetOperand(handler, 1),
                                LLVMBuildTrunc(b->builder, LLVMGetOperand(handler, 2), word, ""),
                                private_text(b->module, shown_name(path_at(place))), LLVMGetAggregateElement(place, 1)};
    call(b, "gpucc_cpu_misaligned", arguments, 5, false);
}

static void replace_handler(const struct builder *b, const char *name,
                            void (*report)(const struct builder *, LLVMValueRef handler))
{
    LLVMValueRef function = LLVMGetNamedFunction(b->module, name);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetFirstUse(function)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMPositionBuilderBefore(b->builder, user);
        report(b, user);
        LLVMInstructionEraseFromParent(user);
    }
    if (function)
        LLVMDeleteFunction(function);
}

/* ---- atomic operations ---- */

/* The type of what an atomic operation accesses; null if the instruction is none. */
static LLVMTypeRef atomic_type(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAtomicRMW:
        return LLVMTypeOf(LLVMGetOperand(i, 1));
    case LLVMAtomicCmpXchg:
        return LLVMTypeOf(LLVMGetOperand(i, 1));
    case LLVMLoad:
        return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ? NULL : LLVMTypeOf(i);
    case LLVMStore:
        return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ? NULL : LLVMTypeOf(LLVMGetOperand(i, 0));
    default:
        return NULL;
    }
}

static void check_atomic(const struct builder *b, LLVMValueRef i, LLVMTypeRef type)
{
    unsigned length, line = LLVMGetDebugLocLine(i);
    const char *path = LLVMGetDebugLocFilename(i, &length);
    LLVMTypeRef word = LLVMInt32TypeInContext(b->context);
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(b->module), type);
    LLVMPositionBuilderBefore(b->builder, i);
    LLVMValueRef arguments[] = {LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0), LLVMConstInt(word, size, false),
                                private_text(b->module, path ? arena_strndup(b->options->arena, path, length) : "?"),
                                LLVMConstInt(word, line, false)};
    call(b, "gpucc_cpu_check_atomic", arguments, 4, true);
}

static void check_atomics(const struct builder *b)
{
    FOR_ALL_INSTRUCTIONS(i, b->module)
        if (atomic_type(i))
            check_atomic(b, i, atomic_type(i));
}

void lower_checks(const struct options *options, LLVMModuleRef module)
{
    struct builder b = {options, module, LLVMGetModuleContext(module), NULL};
    b.builder = LLVMCreateBuilderInContext(b.context);
    replace_handler(&b, "__ubsan_handle_out_of_bounds_abort", report_bounds);
    replace_handler(&b, "__ubsan_handle_type_mismatch_v1_abort", report_alignment);
    replace_handler(&b, "__ubsan_handle_alignment_assumption_abort", report_assumption);
    if (options->checks & CHECK_ALIGNMENT)
        check_atomics(&b);
    LLVMDisposeBuilder(b.builder);
}

/* ---- accesses through pointers, where the code determines their targets ---- */

static bool is_trap(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &size), "llvm.trap");
}

/* Notifies the executor in the place of a trap that LLVM has put there. */
static void report_beyond(const struct builder *b, LLVMValueRef trap)
{
    unsigned length, line = LLVMGetDebugLocLine(trap);
    const char *path = LLVMGetDebugLocFilename(trap, &length);
    LLVMPositionBuilderBefore(b->builder, trap);
    LLVMValueRef arguments[] = {private_text(b->module, "access beyond the array that the pointer points into"),
                                private_text(b->module, path ? arena_strndup(b->options->arena, path, length) : "?"),
                                LLVMConstInt(LLVMInt32TypeInContext(b->context), line, false)};
    call(b, "gpucc_cpu_fail", arguments, 3, false);
}

struct traps {
    LLVMValueRef *items;
    size_t count;
};

static struct traps traps_of(const struct builder *b, LLVMValueRef function)
{
    struct traps traps = {0};
    FOR_INSTRUCTIONS_IN(i, function)
        if (is_trap(i)) {
            traps.items = arena_grow(b->options->arena, traps.items, traps.count, sizeof *traps.items);
            traps.items[traps.count++] = i;
        }
    return traps;
}

static bool has_trap(const struct traps *traps, LLVMValueRef trap)
{
    for (size_t i = 0; i < traps->count; i++)
        if (traps->items[i] == trap)
            return true;
    return false;
}

/* Arrays whose alignments are less for a while. */
struct lowered {
    LLVMValueRef *items;
    unsigned *alignments;
    size_t count;
};

/* LLVM's check counts what an alignment adds to an array's size as part of it. */
static void lower_alignment(const struct builder *b, struct lowered *lowered, LLVMValueRef array, LLVMTypeRef type)
{
    struct arena *arena = b->options->arena;
    lowered->items = arena_grow(arena, lowered->items, lowered->count, sizeof *lowered->items);
    lowered->alignments = arena_grow(arena, lowered->alignments, lowered->count, sizeof *lowered->alignments);
    lowered->items[lowered->count] = array;
    lowered->alignments[lowered->count++] = LLVMGetAlignment(array);
    LLVMSetAlignment(array, LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(b->module), type));
}

static void restore_alignments(const struct lowered *lowered)
{
    for (size_t i = 0; i < lowered->count; i++)
        LLVMSetAlignment(lowered->items[i], lowered->alignments[i]);
}

/* The user's own traps, as they were before, are left. */
static void check_limits(const struct builder *b, LLVMValueRef function)
{
    struct traps own = traps_of(b, function);
    struct lowered lowered = {0};
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAAllocaInst(i))
            lower_alignment(b, &lowered, i, LLVMGetAllocatedType(i));
    if (!codegen_run_passes(function, "bounds-checking"))
        fatal("this LLVM does not have the pass bounds-checking");
    restore_alignments(&lowered);
    struct traps all = traps_of(b, function);
    for (size_t i = 0; i < all.count; i++)
        if (!has_trap(&own, all.items[i])) {
            report_beyond(b, all.items[i]);
            LLVMInstructionEraseFromParent(all.items[i]);
        }
}

void lower_limits(const struct options *options, LLVMModuleRef module)
{
    struct builder b = {options, module, LLVMGetModuleContext(module), NULL};
    struct lowered lowered = {0};
    b.builder = LLVMCreateBuilderInContext(b.context);
    FOR_GLOBALS(global, module)
        if (!LLVMIsDeclaration(global))
            lower_alignment(&b, &lowered, global, LLVMGlobalGetValueType(global));
    FOR_FUNCTIONS(f, module)
        if (!LLVMIsDeclaration(f))
            check_limits(&b, f);
    restore_alignments(&lowered);
    LLVMDisposeBuilder(b.builder);
}
