/* Memory accesses of a function, and where they go: what the addresses are sums of. */
#include "lint/lint_internal.h"

#include <llvm-c/Target.h>
#include <string.h>

/* Returns the base of a pointer: a parameter, a variable, a pointer loaded from memory; null if it may be one of
 * several. */
static LLVMValueRef root_of(LLVMValueRef address)
{
    for (unsigned depth = 0; depth < 1000; depth++) {
        if (LLVMIsAPHINode(address)) { /* a pointer that a loop moves on */
            LLVMValueRef first = LLVMGetIncomingValue(address, 0);
            for (unsigned k = 1; k < LLVMCountIncoming(address); k++) {
                LLVMValueRef next = LLVMGetIncomingValue(address, k);
                if (!LLVMIsAGetElementPtrInst(next) || LLVMGetOperand(next, 0) != address)
                    return NULL;
            }
            address = first;
            continue;
        }
        const bool is_constant = LLVMIsAConstantExpr(address) != NULL;
        if (!is_constant && !LLVMIsAInstruction(address))
            return address;
        const LLVMOpcode opcode = is_constant ? LLVMGetConstOpcode(address) : LLVMGetInstructionOpcode(address);
        if (opcode != LLVMGetElementPtr && opcode != LLVMAddrSpaceCast)
            return opcode == LLVMSelect ? NULL : address;
        address = LLVMGetOperand(address, 0);
    }
    return NULL;
}

static bool is_by_value(LLVMValueRef parameter)
{
    static const char name[] = "byval";
    LLVMValueRef function = LLVMGetParamParent(parameter);
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetParam(function, i) == parameter)
            return LLVMGetEnumAttributeAtIndex(function, i + 1, kind) != NULL;
    return false;
}

static enum space space_of(LLVMValueRef root)
{
    if (!root)
        return SPACE_OTHER;
    if (LLVMIsAGlobalVariable(root))
        return is_in_section(root, ".gpucc.shared") || is_in_section(root, ".gpucc.dynamic_shared") ? SPACE_SHARED
               : is_in_section(root, ".gpucc.constant") || LLVMIsGlobalConstant(root)              ? SPACE_OTHER
                                                                                                   : SPACE_GLOBAL;
    if (LLVMIsAArgument(root))
        return is_by_value(root) ? SPACE_OTHER : SPACE_GLOBAL;
    return LLVMIsALoadInst(root) ? SPACE_GLOBAL : SPACE_OTHER;
}

/* ---- sums ---- */

static void add_term(struct access *access, LLVMValueRef value, int64_t factor)
{
    for (size_t i = 0; i < access->term_count && i < MOST_TERMS; i++)
        if (access->terms[i].value == value) {
            access->terms[i].factor += factor;
            return;
        }
    if (access->term_count < MOST_TERMS)
        access->terms[access->term_count] = (struct term){value, factor};
    access->term_count++;
}

static void add_sum(struct access *access, LLVMTargetDataRef layout, LLVMValueRef value, int64_t factor);

static void add_indices(struct access *access, LLVMTargetDataRef layout, LLVMValueRef address, int64_t factor)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(address); k++) {
        LLVMValueRef index = LLVMGetOperand(address, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            const unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            access->offset += factor * (int64_t)LLVMOffsetOfElement(layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = k > 1 ? LLVMGetElementType(type) : type;
            add_sum(access, layout, index, factor * (int64_t)LLVMABISizeOfType(layout, type));
        }
    }
}

static void add_sum(struct access *access, LLVMTargetDataRef layout, LLVMValueRef value, int64_t factor)
{
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64) {
        access->offset += factor * LLVMConstIntGetSExtValue(value);
        return;
    }
    const bool is_constant = LLVMIsAConstantExpr(value) != NULL;
    if (!is_constant && !LLVMIsAInstruction(value)) {
        add_term(access, value, factor);
        return;
    }
    LLVMValueRef a = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    LLVMValueRef b = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    const LLVMOpcode opcode = is_constant ? LLVMGetConstOpcode(value) : LLVMGetInstructionOpcode(value);
    const int64_t number = b && LLVMIsAConstantInt(b) ? LLVMConstIntGetSExtValue(b) : 0;
    if (opcode == LLVMGetElementPtr) {
        add_sum(access, layout, a, factor);
        add_indices(access, layout, value, factor);
    } else if (opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(value))) {
        add_sum(access, layout, a, factor);
        add_sum(access, layout, b, factor);
    } else if (opcode == LLVMSExt || opcode == LLVMZExt || opcode == LLVMAddrSpaceCast) {
        add_sum(access, layout, a, factor);
    } else if (opcode == LLVMMul && number) {
        add_sum(access, layout, a, factor * number);
    } else if (opcode == LLVMShl && number > 0 && number < 32) {
        add_sum(access, layout, a, factor * ((int64_t)1 << number));
    } else {
        add_term(access, value, factor);
    }
}

bool is_near(const struct access *a, const struct access *b)
{
    if (a->term_count > MOST_TERMS || a->term_count != b->term_count)
        return false;
    for (size_t i = 0; i < a->term_count; i++) {
        bool found = false;
        for (size_t k = 0; k < b->term_count && !found; k++)
            found = a->terms[i].value == b->terms[k].value && a->terms[i].factor == b->terms[k].factor;
        if (!found)
            return false;
    }
    return true;
}

/* ---- accesses ---- */

static LLVMValueRef address_of(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return LLVMGetOperand(i, 0);
    case LLVMStore: return LLVMGetOperand(i, 1);
    default: return callee && !strncmp(name_of(callee), "llvm.nvvm.atomic.", 17) ? LLVMGetOperand(i, 0) : NULL;
    }
}

static LLVMTypeRef accessed_type(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore: return LLVMTypeOf(LLVMGetOperand(i, 0));
    case LLVMAtomicCmpXchg: return LLVMTypeOf(LLVMGetOperand(i, 1));
    default: return LLVMTypeOf(i);
    }
}

struct accesses find_accesses(const struct linted *linted)
{
    struct accesses accesses = {0};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(linted->module);
    FOR_INSTRUCTIONS_IN(i, linted->function) {
        LLVMValueRef address = address_of(i);
        if (!address)
            continue;
        accesses.items = arena_grow(linted->arena, accesses.items, accesses.count, sizeof *accesses.items);
        struct access *access = &accesses.items[accesses.count++];
        *access = (struct access){.instruction = i, .address = address, .root = root_of(address)};
        access->space = space_of(access->root);
        access->bytes = LLVMStoreSizeOfType(layout, accessed_type(i));
        access->is_store = LLVMIsAStoreInst(i) != NULL;
        access->is_atomic = !access->is_store && !LLVMIsALoadInst(i);
        add_sum(access, layout, address, 1);
    }
    return accesses;
}

uint64_t root_bytes(const struct linted *linted, const struct access *access)
{
    if (access->space != SPACE_SHARED || is_in_section(access->root, ".gpucc.dynamic_shared"))
        return 0;
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(linted->module), LLVMGlobalGetValueType(access->root));
}
