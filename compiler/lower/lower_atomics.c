/* Memory orders for PTX.  LLVM 19 knows relaxed operations alone there: it drops the order of an atomicrmw and has
 * nothing for fences and ordered loads and stores.  So these become PTX's own instructions, and everything else a
 * relaxed operation between fences (Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory
 * Consistency Model", 2019, has the mapping).  The scope is the device. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
};

static bool acquires(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

static bool releases(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

/* A call of assembly that other accesses do not move across. */
static LLVMValueRef build_assembly(const struct builder *t, const char *text, const char *constraints, LLVMTypeRef type,
                                   LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef assembly = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                             LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(t->b, type, assembly, arguments, count, "");
}

static void build_fence(const struct builder *t, const char *text)
{
    build_assembly(t, text, "~{memory}", LLVMFunctionType(LLVMVoidTypeInContext(t->context), NULL, 0, false), NULL, 0);
}

/* ---- loads and stores ---- */

/* How a value of `bits` moves: PTX has no registers of 8 bits. */
struct word {
    unsigned bits;
    const char *letter;
    LLVMTypeRef memory, in_register;
};

static struct word word_for(const struct builder *t, LLVMTypeRef type)
{
    const unsigned bits = 8 * (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(t->module), type);
    return (struct word){.bits = bits,
                         .letter = bits == 64 ? "l" : bits == 32 ? "r" : "h",
                         .memory = LLVMIntTypeInContext(t->context, bits),
                         .in_register = LLVMIntTypeInContext(t->context, bits < 16 ? 16 : bits)};
}

static LLVMValueRef ordered_load(const struct builder *t, LLVMValueRef load, LLVMAtomicOrdering order)
{
    char text[64], constraints[32];
    LLVMTypeRef type = LLVMTypeOf(load), pointer = LLVMPointerTypeInContext(t->context, 0);
    const struct word word = word_for(t, type);
    LLVMValueRef from = LLVMGetOperand(load, 0);
    snprintf(text, sizeof text, "ld.acquire.gpu.b%u $0, [$1];", word.bits);
    snprintf(constraints, sizeof constraints, "=%s,l,~{memory}", word.letter);
    if (order == LLVMAtomicOrderingSequentiallyConsistent)
        build_fence(t, "fence.sc.gpu;");
    LLVMValueRef value =
        build_assembly(t, text, constraints, LLVMFunctionType(word.in_register, &pointer, 1, false), &from, 1);
    value = LLVMBuildTruncOrBitCast(t->b, value, word.memory, "");
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(t->b, value, type, "")
                                                        : LLVMBuildBitCast(t->b, value, type, "");
}

static void ordered_store(const struct builder *t, LLVMValueRef store, LLVMAtomicOrdering order)
{
    char text[64], constraints[32];
    LLVMValueRef value = LLVMGetOperand(store, 0), to = LLVMGetOperand(store, 1);
    LLVMTypeRef type = LLVMTypeOf(value);
    const struct word word = word_for(t, type);
    snprintf(text, sizeof text, "st.release.gpu.b%u [$0], $1;", word.bits);
    snprintf(constraints, sizeof constraints, "l,%s,~{memory}", word.letter);
    if (order == LLVMAtomicOrderingSequentiallyConsistent)
        build_fence(t, "fence.sc.gpu;");
    value = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildPtrToInt(t->b, value, word.memory, "")
                                                         : LLVMBuildBitCast(t->b, value, word.memory, "");
    value = LLVMBuildZExtOrBitCast(t->b, value, word.in_register, "");
    LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(t->context, 0), word.in_register};
    build_assembly(t, text, constraints,
                   LLVMFunctionType(LLVMVoidTypeInContext(t->context), parameters, 2, false),
                   (LLVMValueRef[]){to, value}, 2);
}

/* ---- everything else ---- */

/* The fences around an operation that becomes relaxed. */
static void fence_around(const struct builder *t, LLVMValueRef i, LLVMAtomicOrdering order)
{
    if (releases(order))
        build_fence(t, order == LLVMAtomicOrderingSequentiallyConsistent ? "fence.sc.gpu;" : "fence.acq_rel.gpu;");
    LLVMPositionBuilderBefore(t->b, LLVMGetNextInstruction(i));
    if (acquires(order))
        build_fence(t, "fence.acq_rel.gpu;");
}

static void lower_fence(const struct builder *t, LLVMValueRef i)
{
    LLVMAtomicOrdering order = LLVMGetOrdering(i);
    if (LLVMIsAtomicSingleThread(i)) /* between a thread and itself: the optimiser alone need know */
        build_fence(t, "");
    else
        build_fence(t, order == LLVMAtomicOrderingSequentiallyConsistent ? "fence.sc.gpu;" : "fence.acq_rel.gpu;");
    LLVMInstructionEraseFromParent(i);
}

static void lower_compare_exchange(const struct builder *t, LLVMValueRef i)
{
    LLVMAtomicOrdering order = LLVMGetCmpXchgSuccessOrdering(i), failure = LLVMGetCmpXchgFailureOrdering(i);
    if (acquires(failure) && !acquires(order))
        order = releases(order) ? LLVMAtomicOrderingAcquireRelease : LLVMAtomicOrderingAcquire;
    if (failure == LLVMAtomicOrderingSequentiallyConsistent)
        order = failure;
    fence_around(t, i, order);
    LLVMSetCmpXchgSuccessOrdering(i, LLVMAtomicOrderingMonotonic);
    LLVMSetCmpXchgFailureOrdering(i, LLVMAtomicOrderingMonotonic);
}

static void lower_instruction(const struct builder *t, LLVMValueRef i)
{
    LLVMAtomicOrdering order;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        order = LLVMGetOrdering(i);
        if (acquires(order)) {
            LLVMReplaceAllUsesWith(i, ordered_load(t, i, order));
            LLVMInstructionEraseFromParent(i);
        }
        break;
    case LLVMStore:
        order = LLVMGetOrdering(i);
        if (releases(order)) {
            ordered_store(t, i, order);
            LLVMInstructionEraseFromParent(i);
        }
        break;
    case LLVMAtomicRMW:
        fence_around(t, i, LLVMGetOrdering(i));
        LLVMSetOrdering(i, LLVMAtomicOrderingMonotonic);
        break;
    case LLVMAtomicCmpXchg:
        lower_compare_exchange(t, i);
        break;
    case LLVMFence:
        lower_fence(t, i);
        break;
    default:
        break;
    }
}

void lower_atomics(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct builder t = {.module = module, .context = context, .b = LLVMCreateBuilderInContext(context)};
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMPositionBuilderBefore(t.b, i);
        lower_instruction(&t, i);
    }
    LLVMDisposeBuilder(t.b);
}

/* ---- shared memory of other blocks ---- */

/* Whether an instruction asks for an address in the shared memory of another block of the cluster. */
static bool maps_shared_memory(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef called = LLVMGetInstructionOpcode(i) == LLVMCall ? LLVMGetCalledValue(i) : NULL;
    return called && LLVMIsAInlineAsm(called) && strstr(LLVMGetInlineAsmAsmString(called, &size), "mapa");
}

/* A kernel's pointer parameters point to global memory. */
static bool is_global(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) ||
           (LLVMIsAArgument(pointer) && LLVMGetFunctionCallConv(LLVMGetParamParent(pointer)) == LLVMPTXKernelCallConv);
}

/* The operation that goes from the old value to the new one, where ptxas has no right code for it. */
static const char *broken_operation(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMAtomicRMW || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(i)) != 64 || is_global(LLVMGetOperand(i, 0)))
        return NULL;
    switch (LLVMGetAtomicRMWBinOp(i)) {
    case LLVMAtomicRMWBinOpAdd: return "add.u64";
    case LLVMAtomicRMWBinOpSub: return "sub.u64";
    case LLVMAtomicRMWBinOpAnd: return "and.b64";
    case LLVMAtomicRMWBinOpOr: return "or.b64";
    case LLVMAtomicRMWBinOpXor: return "xor.b64";
    case LLVMAtomicRMWBinOpMax: return "max.s64";
    case LLVMAtomicRMWBinOpMin: return "min.s64";
    case LLVMAtomicRMWBinOpUMax: return "max.u64";
    case LLVMAtomicRMWBinOpUMin: return "min.u64";
    default: return NULL;
    }
}

static void expand_operation(const struct builder *t, LLVMValueRef i, const char *operation)
{
    char text[512];
    LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(t->context, 0), LLVMTypeOf(i)};
    LLVMValueRef arguments[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    snprintf(text, sizeof text,
             "{ .reg .b64 seen, next; .reg .pred differs; ld.relaxed.gpu.b64 $0, [$1]; again: mov.b64 seen, $0; "
             "%s next, seen, $2; atom.relaxed.gpu.cas.b64 $0, [$1], seen, next; setp.ne.b64 differs, $0, seen; "
             "@differs bra again; }",
             operation);
    LLVMPositionBuilderBefore(t->b, i);
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(i), parameters, 2, false);
    LLVMValueRef old = build_assembly(t, text, "=&l,l,l,~{memory}", type, arguments, 2);
    LLVMReplaceAllUsesWith(i, old);
    LLVMInstructionEraseFromParent(i);
}

static bool any_instruction(LLVMModuleRef module, bool (*is)(LLVMValueRef))
{
    FOR_ALL_INSTRUCTIONS(i, module)
        if (is(i))
            return true;
    return false;
}

void expand_cluster_atomics(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct builder t = {.module = module, .context = context, .b = LLVMCreateBuilderInContext(context)};
    if (any_instruction(module, maps_shared_memory))
        FOR_ALL_INSTRUCTIONS(i, module) {
            const char *operation = broken_operation(i);
            if (operation)
                expand_operation(&t, i, operation);
        }
    LLVMDisposeBuilder(t.b);
}

void pin_collective_assembly(LLVMModuleRef module)
{
    LLVMAttributeRef convergent = LLVMCreateEnumAttribute(
        LLVMGetModuleContext(module), LLVMGetEnumAttributeKindForName("convergent", strlen("convergent")), 0);
    FOR_ALL_INSTRUCTIONS(i, module) {
        size_t size;
        LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (called && LLVMIsAInlineAsm(called) && strstr(LLVMGetInlineAsmAsmString(called, &size), ".sync"))
            LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, convergent);
    }
}
