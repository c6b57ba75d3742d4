/* What only native code needs: shared variables, which are per block and not per program, at offsets in the memory that
 * the executor gives each block; and the rounding of bfloat16. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <string.h>

static bool is_in_section(LLVMValueRef global, const char *name)
{
    const char *section = LLVMGetSection(global);
    return section && !strcmp(section, name);
}

static bool is_shared(LLVMValueRef global)
{
    return is_in_section(global, ".gpucc.shared");
}

static size_t align_up(size_t offset, size_t align)
{
    return align ? (offset + align - 1) / align * align : offset;
}

static size_t shared_end(LLVMModuleRef module, LLVMValueRef global, size_t offset)
{
    return offset + LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(global));
}

size_t cpu_shared_bytes(LLVMModuleRef module)
{
    size_t bytes = 0;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        if (is_shared(global))
            bytes = shared_end(module, global, align_up(bytes, LLVMGetAlignment(global)));
    return bytes;
}

/* Where in struct gpucc_cpu_thread the addresses of static and of dynamic shared memory are. */
enum { SHARED = 4 * 3 * sizeof(unsigned), DYNAMIC_SHARED = SHARED + sizeof(char *) };

/* A variable's place in shared memory. */
struct shared_place {
    unsigned field; /* SHARED or DYNAMIC_SHARED */
    size_t offset;
};

/* gpucc_cpu_self()->field + offset, where the builder stands */
static LLVMValueRef shared_address(LLVMModuleRef module, LLVMBuilderRef builder, struct shared_place place)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), byte = LLVMInt8TypeInContext(context);
    LLVMTypeRef type = LLVMFunctionType(pointer, NULL, 0, false);
    LLVMValueRef self = LLVMGetNamedFunction(module, "gpucc_cpu_self");
    if (!self) {
        self = LLVMAddFunction(module, "gpucc_cpu_self", type);
        unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6); /* 0: touches none */
        LLVMAddAttributeAtIndex(self, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, memory, 0));
    }
    LLVMTypeRef size_type = LLVMInt64TypeInContext(context);
    LLVMValueRef thread = LLVMBuildCall2(builder, type, self, NULL, 0, "");
    LLVMValueRef at = LLVMConstInt(size_type, place.field, false);
    LLVMValueRef field = LLVMBuildInBoundsGEP2(builder, byte, thread, &at, 1, "");
    LLVMValueRef base = LLVMBuildLoad2(builder, pointer, field, "");
    LLVMValueRef by = LLVMConstInt(size_type, place.offset, false);
    return LLVMBuildInBoundsGEP2(builder, byte, base, &by, 1, "");
}

/* The instruction that computes what constant expression `value`, based on `global`, is when the global is at `base`. */
static LLVMValueRef rebase(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef global, LLVMValueRef base)
{
    if (value == global)
        return base;
    if (!LLVMIsAConstantExpr(value))
        return value;
    LLVMValueRef operand = rebase(builder, LLVMGetOperand(value, 0), global, base);
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    if (opcode == LLVMGetElementPtr) {
        LLVMValueRef indices[16];
        int count = LLVMGetNumOperands(value) - 1;
        for (int k = 0; k < count && k < 16; k++)
            indices[k] = LLVMGetOperand(value, k + 1);
        return LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(value), operand, indices, (unsigned)count, "");
    }
    if (LLVMGetNumOperands(value) == 1)
        return LLVMBuildCast(builder, opcode, operand, LLVMTypeOf(value), "");
    return LLVMBuildBinOp(builder, opcode, operand, rebase(builder, LLVMGetOperand(value, 1), global, base), "");
}

static void rebase_operand(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef user, int k, LLVMValueRef used,
                           LLVMValueRef global, struct shared_place place)
{
    if (LLVMIsAPHINode(user))
        LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, (unsigned)k)));
    else
        LLVMPositionBuilderBefore(builder, user);
    LLVMSetOperand(user, (unsigned)k, rebase(builder, used, global, shared_address(module, builder, place)));
}

/* Rewrites every instruction that uses `used`, the global itself or a constant built on it. */
static void rebase_uses(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef used, LLVMValueRef global,
                        struct shared_place place)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(used); use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAConstant(user)) {
            rebase_uses(module, builder, user, global, place);
            continue;
        }
        /* One use at a time: the same user may come again for its other operand. */
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, k) == used) {
                rebase_operand(module, builder, user, k, used, global, place);
                break;
            }
    }
}

static void place_shared(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef next;
    size_t offset = 0;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = next) {
        next = LLVMGetNextGlobal(global);
        if (is_in_section(global, ".gpucc.dynamic_shared"))
            rebase_uses(module, builder, global, global, (struct shared_place){DYNAMIC_SHARED, 0});
        if (!is_shared(global))
            continue;
        offset = align_up(offset, LLVMGetAlignment(global));
        rebase_uses(module, builder, global, global, (struct shared_place){SHARED, offset});
        offset = shared_end(module, global, offset);
    }
    LLVMDisposeBuilder(builder);
}

/* ---- bfloat16: the processor has no such arithmetic, and LLVM would call a library for each rounding ---- */

struct types {
    LLVMTypeRef i16, i32, bfloat, f32, f64;
};

static LLVMValueRef fabs_of(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID("llvm.fabs", 9), &type, 1);
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, &value, 1, "");
}

/* A double to a float, rounded so that a second rounding gives what a single one would: towards zero, with the last
 * bit set where anything was lost (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). */
static LLVMValueRef round_to_odd(const struct types *t, LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef wide)
{
    LLVMValueRef near = LLVMBuildFPTrunc(b, wide, t->f32, ""), back = LLVMBuildFPExt(b, near, t->f64, "");
    LLVMValueRef lost = LLVMBuildFCmp(b, LLVMRealONE, back, wide, "");
    LLVMValueRef beyond = LLVMBuildFCmp(b, LLVMRealOGT, fabs_of(module, b, back), fabs_of(module, b, wide), "");
    LLVMValueRef bits = LLVMBuildBitCast(b, near, t->i32, "");
    LLVMValueRef toward_zero = LLVMBuildSub(b, bits, LLVMBuildZExt(b, beyond, t->i32, ""), "");
    LLVMValueRef odd = LLVMBuildOr(b, toward_zero, LLVMConstInt(t->i32, 1, false), "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, lost, odd, bits, ""), t->f32, "");
}

/* To nearest, ties to even; NaN becomes the quiet one. */
static LLVMValueRef round_to_bfloat(const struct types *t, LLVMBuilderRef b, LLVMValueRef value)
{
    LLVMValueRef half = LLVMConstInt(t->i32, 16, false), one = LLVMConstInt(t->i32, 1, false);
    LLVMValueRef bits = LLVMBuildBitCast(b, value, t->i32, "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, half, ""), one, "");
    LLVMValueRef up = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, LLVMConstInt(t->i32, 0x7fff, false), ""), odd, "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, up, half, ""), t->i16, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
    LLVMValueRef chosen = LLVMBuildSelect(b, is_nan, LLVMConstInt(t->i16, 0x7fc0, false), high, "");
    return LLVMBuildBitCast(b, chosen, t->bfloat, "");
}

/* The float in which `i`, an operation whose result is a bfloat16, is computed exactly enough to be rounded once;
 * null where the operation needs no rounding. */
static LLVMValueRef in_float(const struct types *t, LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef first = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    switch (opcode) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
        return LLVMBuildBinOp(b, opcode, LLVMBuildFPExt(b, first, t->f32, ""),
                              LLVMBuildFPExt(b, LLVMGetOperand(i, 1), t->f32, ""), "");
    case LLVMFPTrunc:
        return LLVMTypeOf(first) == t->f64 ? round_to_odd(t, module, b, first) : first;
    case LLVMSIToFP:
    case LLVMUIToFP:
        return round_to_odd(t, module, b, LLVMBuildCast(b, opcode, first, t->f64, ""));
    default:
        return NULL;
    }
}

static void round_bfloats(LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    const struct types t = {LLVMInt16TypeInContext(c), LLVMInt32TypeInContext(c), LLVMBFloatTypeInContext(c),
                            LLVMFloatTypeInContext(c), LLVMDoubleTypeInContext(c)};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(c);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMTypeOf(i) != t.bfloat)
                    continue;
                LLVMPositionBuilderBefore(builder, i);
                LLVMValueRef value = in_float(&t, module, builder, i);
                if (value) {
                    LLVMReplaceAllUsesWith(i, round_to_bfloat(&t, builder, value));
                    LLVMInstructionEraseFromParent(i);
                }
            }
        }
    LLVMDisposeBuilder(builder);
}

void lower_cpu(LLVMModuleRef module)
{
    place_shared(module);
    round_bfloats(module);
}
