/* Functions copied instruction by instruction, which is what LLVM's C API has. */
#include "derive/derive_internal.h"
#include "bridge/bridge.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMValueRef copied(const struct copy *copy, LLVMValueRef value)
{
    LLVMValueRef known = map_get(&copy->values, value);
    return known ? known : value;
}

LLVMBasicBlockRef copied_block(const struct copy *copy, LLVMBasicBlockRef block)
{
    return map_get(&copy->values, block);
}

/* ---- blocks ---- */

struct walk {
    struct pointer_map seen;
    LLVMBasicBlockRef *blocks;
    size_t count;
};

/* Blocks behind their successors; the stack is of its own, as functions may have many blocks. */
static void walk_blocks(struct walk *walk, LLVMBasicBlockRef entry, struct arena *arena, size_t most)
{
    struct {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = arena_alloc(arena, (most + 1) * sizeof *stack);
    size_t depth = 0;
    stack[depth].block = entry;
    stack[depth++].next = 0;
    map_put(&walk->seen, entry, entry);
    while (depth) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(stack[depth - 1].block);
        if (!end || stack[depth - 1].next == LLVMGetNumSuccessors(end)) {
            walk->blocks[walk->count++] = stack[--depth].block;
            continue;
        }
        LLVMBasicBlockRef successor = LLVMGetSuccessor(end, stack[depth - 1].next++);
        if (map_get(&walk->seen, successor))
            continue;
        map_put(&walk->seen, successor, successor);
        stack[depth].block = successor;
        stack[depth++].next = 0;
    }
}

LLVMBasicBlockRef *ordered_blocks(struct arena *arena, LLVMValueRef function, size_t *count)
{
    const size_t most = LLVMCountBasicBlocks(function);
    struct walk walk = {.seen.arena = arena, .blocks = arena_alloc(arena, most * sizeof *walk.blocks)};
    walk_blocks(&walk, LLVMGetEntryBasicBlock(function), arena, most);
    LLVMBasicBlockRef *ordered = arena_alloc(arena, walk.count * sizeof *ordered);
    for (size_t i = 0; i < walk.count; i++)
        ordered[i] = walk.blocks[walk.count - 1 - i];
    *count = walk.count;
    return ordered;
}

void copy_blocks(struct copy *copy, LLVMValueRef to, LLVMBasicBlockRef *blocks, size_t count)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(to));
    for (size_t i = 0; i < count; i++)
        map_put(&copy->values, blocks[i], LLVMAppendBasicBlockInContext(context, to, ""));
}

/* ---- instructions ---- */

LLVMValueRef copy_instruction(struct copy *copy, LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMValueRef made;
    if (LLVMIsAPHINode(i)) {
        made = LLVMBuildPhi(builder, LLVMTypeOf(i), "");
    } else {
        made = LLVMInstructionClone(i);
        FOR_OPERANDS(n, i) {
            LLVMValueRef operand = LLVMGetOperand(i, n);
            LLVMValueRef other = LLVMValueIsBasicBlock(operand)
                                     ? LLVMBasicBlockAsValue(copied_block(copy, LLVMValueAsBasicBlock(operand)))
                                     : copied(copy, operand);
            LLVMSetOperand(made, n, other);
        }
        LLVMInsertIntoBuilder(builder, made);
    }
    map_put(&copy->values, i, made);
    return made;
}

void complete_phi(const struct copy *copy, LLVMValueRef phi)
{
    LLVMValueRef made = copied(copy, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = copied_block(copy, LLVMGetIncomingBlock(phi, k));
        LLVMValueRef value = copied(copy, LLVMGetIncomingValue(phi, k));
        if (from)
            LLVMAddIncoming(made, &value, &from, 1);
    }
}

/* ---- attributes ---- */

static void copy_attributes_at(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index)
{
    LLVMAttributeRef attributes[64];
    const unsigned count = LLVMGetAttributeCountAtIndex(from, index);
    if (count > sizeof attributes / sizeof *attributes)
        fatal("a function has too many attributes");
    LLVMGetAttributesAtIndex(from, index, attributes);
    for (unsigned i = 0; i < count; i++)
        LLVMAddAttributeAtIndex(to, index, attributes[i]);
}

void copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned parameters)
{
    copy_attributes_at(from, to, LLVMAttributeFunctionIndex);
    for (unsigned k = 1; k <= parameters; k++)
        copy_attributes_at(from, to, k);
}

/* Attributes by which a parameter is the result; a derived function returns more. */
static const char *const of_results[] = {"sret", "returned"};

static unsigned kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool is_of_results(LLVMAttributeRef attribute)
{
    for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++)
        if (!LLVMIsStringAttribute(attribute) && LLVMGetEnumAttributeKind(attribute) == kind_of(of_results[i]))
            return true;
    return false;
}

void mark_pure(struct deriving *d, LLVMValueRef call)
{
    static const char *const names[] = {"nounwind", "willreturn", "memory"}; /* none */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute(d->context, names[k]));
}

void remove_results(LLVMValueRef function, unsigned parameters)
{
    for (unsigned k = 1; k <= parameters; k++)
        for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++)
            LLVMRemoveEnumAttributeAtIndex(function, k, kind_of(of_results[i]));
}

void copy_call_attributes(LLVMValueRef from, LLVMValueRef to, unsigned parameters)
{
    LLVMAttributeRef attributes[64];
    for (unsigned k = 1; k <= parameters; k++) {
        const unsigned count = LLVMGetCallSiteAttributeCount(from, k);
        if (count > sizeof attributes / sizeof *attributes)
            fatal("a call has too many attributes");
        LLVMGetCallSiteAttributes(from, k, attributes);
        for (unsigned i = 0; i < count; i++)
            if (!is_of_results(attributes[i]))
                LLVMAddCallSiteAttribute(to, k, attributes[i]);
    }
}

/* ---- functions ---- */

void drop_places(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        LLVMInstructionSetDebugLoc(i, NULL);
}

LLVMValueRef registers_copy(struct deriving *d, LLVMValueRef function)
{
    LLVMValueRef known = map_get(&d->bodies, function);
    if (known)
        return known;
    const unsigned parameters = LLVMCountParams(function);
    LLVMValueRef made = LLVMAddFunction(d->module, "gpucc_registers", LLVMGlobalGetValueType(function));
    LLVMSetLinkage(made, LLVMInternalLinkage);
    copy_attributes(function, made, parameters);
    set_mark(made, REGISTERS_MARK);
    struct copy copy = {.values.arena = d->arena};
    for (unsigned k = 0; k < parameters; k++)
        map_put(&copy.values, LLVMGetParam(function, k), LLVMGetParam(made, k));
    size_t count;
    LLVMBasicBlockRef *blocks = ordered_blocks(d->arena, function, &count);
    copy_blocks(&copy, made, blocks, count);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    for (size_t b = 0; b < count; b++) {
        LLVMPositionBuilderAtEnd(builder, copied_block(&copy, blocks[b]));
        FOR_INSTRUCTIONS(i, blocks[b])
            copy_instruction(&copy, builder, i);
    }
    for (size_t b = 0; b < count; b++)
        FOR_INSTRUCTIONS(i, blocks[b])
            if (LLVMIsAPHINode(i))
                complete_phi(&copy, i);
    LLVMDisposeBuilder(builder);
    if (!codegen_run_passes(made, "mem2reg"))
        fatal("this LLVM does not have mem2reg");
    map_put(&d->bodies, function, made);
    return made;
}
