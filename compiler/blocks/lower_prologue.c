/* Uniform values of a block are computed once, before all regions. */
#include "blocks/blocks_internal.h"

#include <gpucc/cpu.h>
#include <string.h>

enum { INDEX_SIZE = sizeof(struct gpucc_index) };

/* ---- where a pointer points ---- */

/* The bytes from `pointer`'s operand to itself; -1 if they are not known. */
static long step_of(const struct kernel_block *k, LLVMValueRef pointer)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(k->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    unsigned count = LLVMGetNumIndices(pointer);
    for (unsigned n = 1; n <= count; n++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(pointer, n)))
            return -1;
    unsigned long long first = LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 1));
    if (count == 1)
        return (long)(first * LLVMABISizeOfType(layout, type));
    if (count != 2 || first != 0 || LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return -1;
    return (long)LLVMOffsetOfElement(layout, type, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 2)));
}

/* The place in the thread's record, or -1. */
static long place_in_record(const struct kernel_block *k, LLVMValueRef pointer)
{
    if (pointer == k->self)
        return 0;
    if (!LLVMIsAGetElementPtrInst(pointer))
        return -1;
    long base = place_in_record(k, LLVMGetOperand(pointer, 0)), step = base < 0 ? -1 : step_of(k, pointer);
    return step < 0 ? -1 : base + step;
}

static bool is_int32(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

int index_loaded(const struct kernel_block *k, LLVMValueRef instruction)
{
    if (!LLVMIsALoadInst(instruction) || !is_int32(LLVMTypeOf(instruction)))
        return -1;
    long place = place_in_record(k, LLVMGetOperand(instruction, 0));
    return place >= 0 && place < INDEX_SIZE ? (int)place : -1;
}

/* How often memory was read from `void **parameters` to this pointer; -1 if it comes from elsewhere. */
static int level_of(const struct kernel_block *k, LLVMValueRef pointer)
{
    if (pointer == LLVMGetParam(k->function, 0))
        return 0;
    if (LLVMIsAGetElementPtrInst(pointer))
        return level_of(k, LLVMGetOperand(pointer, 0));
    int level = LLVMIsALoadInst(pointer) ? level_of(k, LLVMGetOperand(pointer, 0)) : -1;
    return level < 0 ? -1 : level + 1;
}

bool is_parameter(const struct kernel_block *k, LLVMValueRef value)
{
    return level_of(k, value) >= 2;
}

long place_in_shared(const struct kernel_block *k, LLVMValueRef pointer)
{
    if (LLVMIsALoadInst(pointer))
        return place_in_record(k, LLVMGetOperand(pointer, 0)) == offsetof(struct gpucc_cpu_thread, shared) ? 0 : -1;
    if (!LLVMIsAGetElementPtrInst(pointer))
        return -1;
    long base = place_in_shared(k, LLVMGetOperand(pointer, 0)), step = base < 0 ? -1 : step_of(k, pointer);
    return step < 0 ? -1 : base + step;
}

bool is_dynamic_shared(const struct kernel_block *k, LLVMValueRef pointer)
{
    return LLVMIsALoadInst(pointer) &&
           place_in_record(k, LLVMGetOperand(pointer, 0)) == offsetof(struct gpucc_cpu_thread, dynamic_shared);
}

/* ---- what is moved ---- */

bool is_steady(const struct kernel_block *k, LLVMValueRef value)
{
    return !LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) == k->prologue;
}

bool is_simple(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMGetElementPtr:
        return true;
    default:
        return false;
    }
}

/* The parameters and what the record says of the block stay what they are while a block runs. */
static bool is_steady_load(const struct kernel_block *k, LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    long place = place_in_record(k, pointer);
    int level = level_of(k, pointer);
    if (LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
        return false;
    return place >= INDEX_SIZE || level == 0 || level == 1;
}

static bool belongs_in_prologue(const struct kernel_block *k, LLVMValueRef i)
{
    if (!is_simple(i) && !(LLVMIsALoadInst(i) && is_steady_load(k, i)))
        return false;
    FOR_OPERANDS(n, i)
    if (!is_steady(k, LLVMGetOperand(i, n)) || LLVMIsAAllocaInst(LLVMGetOperand(i, n)))
        return false;
    return true;
}

static void move_to_prologue(const struct kernel_block *k, LLVMValueRef i)
{
    LLVMInstructionRemoveFromParent(i);
    LLVMPositionBuilderBefore(k->builder, LLVMGetBasicBlockTerminator(k->prologue));
    LLVMInsertIntoBuilder(k->builder, i);
}

static void move_variables(struct kernel_block *k)
{
    FOR_INSTRUCTIONS(i, k->body) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        move_to_prologue(k, i);
        LLVMTypeRef type = LLVMGetAllocatedType(i);
        struct object object = {.variable = i, .size = LLVMABISizeOfType(LLVMGetModuleDataLayout(k->module), type)};
        uint64_t align = LLVMGetAlignment(i);
        object.size = (object.size + align - 1) / align * align;
        k->objects = arena_grow(k->arena, k->objects, k->object_count, sizeof *k->objects);
        k->objects[k->object_count++] = object;
    }
}

static void move_steady(struct kernel_block *k)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block)) {
            FOR_INSTRUCTIONS(i, block) {
                if (belongs_in_prologue(k, i)) {
                    move_to_prologue(k, i);
                    moved = true;
                }
            }
        }
    }
}

/* ---- the record ---- */

static bool is_call_of(LLVMValueRef i, const char *name)
{
    size_t size;
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return called && LLVMIsAFunction(called) && !strcmp(LLVMGetValueName2(called, &size), name);
}

static bool is_lifetime(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return called && LLVMIsAFunction(called) && !strncmp(LLVMGetValueName2(called, &size), "llvm.lifetime.", 14);
}

/* One call of gpucc_cpu_self() for all.  What is said of variables' lifetimes is not said of arrays of them. */
static void load_record(struct kernel_block *k)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(k->context, 0), type = LLVMFunctionType(pointer, NULL, 0, false);
    LLVMValueRef self = LLVMGetNamedFunction(k->module, "gpucc_cpu_self");
    if (!self)
        self = LLVMAddFunction(k->module, "gpucc_cpu_self", type);
    LLVMPositionBuilderBefore(k->builder, LLVMGetBasicBlockTerminator(k->prologue));
    k->self = LLVMBuildCall2(k->builder, type, self, NULL, 0, "");
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        FOR_INSTRUCTIONS(i, block) {
            if (is_call_of(i, "gpucc_cpu_self"))
                LLVMReplaceAllUsesWith(i, k->self);
            if (is_call_of(i, "gpucc_cpu_self") || is_lifetime(i))
                LLVMInstructionEraseFromParent(i);
        }
}

/* Whether a use of a pointer into the record is a load of one element of thread_index, or of something else. */
static bool is_plain_use(const struct kernel_block *k, LLVMValueRef user, LLVMValueRef pointer)
{
    if (!LLVMIsALoadInst(user))
        return LLVMIsAGetElementPtrInst(user) && place_in_record(k, user) >= 0;
    return place_in_record(k, pointer) >= INDEX_SIZE || is_int32(LLVMTypeOf(user));
}

static bool has_plain_uses(const struct kernel_block *k, LLVMValueRef pointer)
{
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!is_plain_use(k, user, pointer) || (LLVMIsAGetElementPtrInst(user) && !has_plain_uses(k, user)))
            return false;
    }
    return true;
}

void make_prologue(struct kernel_block *k)
{
    k->body = LLVMGetEntryBasicBlock(k->function);
    k->prologue = LLVMInsertBasicBlockInContext(k->context, k->body, "");
    LLVMPositionBuilderAtEnd(k->builder, k->prologue);
    LLVMBuildBr(k->builder, k->body);
    move_variables(k);
    load_record(k);
    k->reads_index_in_memory = !has_plain_uses(k, k->self);
    move_steady(k);
}
