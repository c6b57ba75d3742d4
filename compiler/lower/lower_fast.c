/* --fast-math, and functions marked so: arithmetic that may be reordered, and on the GPU the special-function unit
 * where nvcc -use_fast_math takes it ("CUDA C++ Programming Guide", intrinsic functions). */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { TANH_ISA = 70 };

/* Which stdlib/math/fastf.c has, as gpucc_fast_NAME. */
static bool has_fast_version(const char *name, int isa)
{
    static const char *const names[] = {"sinf", "cosf", "tanf", "sincosf", "expf", "exp2f", "exp10f", "logf", "log2f",
                                        "log10f", "powf", "sqrtf", "rsqrtf", "fdividef"};
    if (!strcmp(name, "tanhf"))
        return isa >= TANH_ISA;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function ? function : LLVMAddFunction(module, name, type);
}

/* The name behind "gpucc_" of the function that is called; null for what else this may be. */
static const char *library_call(LLVMValueRef instruction)
{
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    bool is_declared = called && LLVMIsAFunction(called) && LLVMIsDeclaration(called);
    return is_declared && !strncmp(name_of(called), "gpucc_", 6) ? name_of(called) + 6 : NULL;
}

static void replace_call(const struct options *options, LLVMModuleRef module, LLVMValueRef call, const char *name)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef fast = declare(module, arena_printf(options->arena, "gpucc_fast_%s", name), type);
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, fast);
}

static bool is_one(LLVMValueRef value)
{
    LLVMBool lost;
    return LLVMIsAConstantFP(value) && LLVMConstRealGetDouble(value, &lost) == 1.0;
}

static LLVMValueRef call_fast(LLVMModuleRef module, LLVMBuilderRef builder, const char *name, LLVMValueRef *arguments,
                              unsigned count)
{
    LLVMTypeRef number = LLVMFloatTypeInContext(LLVMGetModuleContext(module)), types[] = {number, number};
    LLVMTypeRef type = LLVMFunctionType(number, types, count, false);
    return LLVMBuildCall2(builder, type, declare(module, name, type), arguments, count, "");
}

/* x / y; 1 / y; 1 / sqrt(y) */
static void replace_division(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef division)
{
    LLVMValueRef operands[] = {LLVMGetOperand(division, 0), LLVMGetOperand(division, 1)}, result;
    const char *divisor = library_call(operands[1]);
    LLVMPositionBuilderBefore(builder, division);
    if (!is_one(operands[0])) {
        result = call_fast(module, builder, "gpucc_fast_fdividef", operands, 2);
    } else if (divisor && (!strcmp(divisor, "sqrtf") || !strcmp(divisor, "fast_sqrtf"))) {
        LLVMValueRef root = LLVMGetOperand(operands[1], 0);
        result = call_fast(module, builder, "gpucc_fast_rsqrtf", &root, 1);
    } else {
        result = call_fast(module, builder, "gpucc_fast_rcpf", &operands[1], 1);
    }
    LLVMReplaceAllUsesWith(division, result);
    LLVMInstructionEraseFromParent(division);
}

static void use_special_functions(const struct options *options, LLVMModuleRef module, LLVMBuilderRef builder,
                                  LLVMValueRef instruction, int isa)
{
    const char *called = library_call(instruction);
    if (called && has_fast_version(called, isa))
        replace_call(options, module, instruction, called);
    else if (LLVMGetInstructionOpcode(instruction) == LLVMFDiv &&
             LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMFloatTypeKind)
        replace_division(module, builder, instruction);
}

/* For a whole program also without denormals, which is a property of the entry. */
static void flush_denormals(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef unsafe = LLVMCreateStringAttribute(context, "unsafe-fp-math", 14, "true", 4);
    LLVMAttributeRef flush =
        LLVMCreateStringAttribute(context, "denormal-fp-math-f32", 20, "preserve-sign,preserve-sign", 27);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, unsafe);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, flush);
}

static void loosen(const struct options *options, enum target target, int isa, LLVMBuilderRef builder,
                   LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    FOR_BLOCKS(block, function) {
        FOR_INSTRUCTIONS(i, block) {
            if (LLVMCanValueUseFastMathFlags(i))
                LLVMSetFastMathFlags(i, LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros |
                                            LLVMFastMathAllowReciprocal | LLVMFastMathAllowContract |
                                            LLVMFastMathApproxFunc);
            if (target == TARGET_PTX)
                use_special_functions(options, module, builder, i, isa);
        }
    }
}

void lower_fast(const struct options *options, enum target target, int isa, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f) || (!options->fast_math && !has_mark(f, FAST_MATH_ATTRIBUTE)))
            continue;
        loosen(options, target, isa, builder, f);
        if (options->fast_math)
            flush_denormals(f);
    }
    LLVMDisposeBuilder(builder);
}
