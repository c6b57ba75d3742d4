/* -fsanitize=undefined and =float: operations whose result is a fault by itself.  Clang calls UBSan's handlers where an
 * operation is one that C leaves undefined, with a description that begins with { { file, line, column }, type of the
 * operands }; here these become the executor's.  Whether a NaN or an infinity comes out of finite operands is asked
 * here, behind each operation of the user's on floating-point numbers; a call of the math library is one, too. */
#include "lower/lower_internal.h"

#include <gpucc/cpu.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

struct faults {
    const struct options *options;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef pointer, word, wide, real;
};

static struct faults faults_new(const struct options *options, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    return (struct faults){.options = options, .module = module, .context = context,
                           .builder = LLVMCreateBuilderInContext(context),
                           .pointer = LLVMPointerTypeInContext(context, 0), .word = LLVMInt32TypeInContext(context),
                           .wide = LLVMInt64TypeInContext(context), .real = LLVMDoubleTypeInContext(context)};
}

bool is_users(const char *path)
{
    return *path && strcmp(path, "<loops>") != 0 && !begins(path, EMBEDDED_ROOT "loops/");
}

LLVMValueRef operation_constant(LLVMModuleRef module, const struct operation *operation)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    const unsigned numbers[] = {operation->kind, operation->bits, operation->is_signed, operation->operands};
    LLVMValueRef fields[8] = {private_text(module, shown_name(operation->path)),
                              LLVMConstInt(word, operation->line, false), LLVMConstInt(word, operation->column, false),
                              private_text(module, operation->name)};
    for (unsigned k = 0; k < 4; k++)
        fields[4 + k] = LLVMConstInt(word, numbers[k], false);
    return private_global(module, LLVMConstStructInContext(LLVMGetModuleContext(module), fields, 8, false), true);
}

LLVMValueRef executors(LLVMModuleRef module, const char *name, LLVMTypeRef *parameters, unsigned count)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (function)
        return function;
    LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
    function = LLVMAddFunction(module, name, LLVMFunctionType(nothing, parameters, count, false));
    set_attribute(function, "nounwind");
    set_attribute(function, "cold");
    return function;
}

/* ---- what is undefined ---- */

static LLVMValueRef field_of(LLVMValueRef description, unsigned index)
{
    return LLVMGetAggregateElement(LLVMGetInitializer(description), index);
}

/* Returns the operands' type, { kind, 2 * log2(bits) + signed, "'int'" }; null if the description has none. */
static LLVMValueRef type_in(LLVMValueRef description)
{
    LLVMValueRef field = LLVMGetNumOperands(LLVMGetInitializer(description)) > 1 ? field_of(description, 1) : NULL;
    return field && LLVMIsAGlobalVariable(field) && LLVMGetNumOperands(LLVMGetInitializer(field)) == 3
               ? LLVMGetInitializer(field)
               : NULL;
}

static LLVMValueRef describe(const struct faults *f, LLVMValueRef description, unsigned kind, unsigned values)
{
    size_t size;
    LLVMValueRef place = field_of(description, 0), type = type_in(description);
    LLVMValueRef file = LLVMGetAggregateElement(place, 0);
    const char *path = LLVMIsAGlobalVariable(file) ? LLVMGetAsString(LLVMGetInitializer(file), &size) : "";
    const unsigned info = type ? (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(type, 1)) : 0;
    if (!is_users(path))
        return NULL;
    const struct operation operation = {
        .path = path, .line = (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(place, 1)),
        .column = (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(place, 2)), .kind = kind,
        .name = type ? LLVMGetAsString(LLVMGetAggregateElement(type, 2), &size) : "",
        .bits = info >> 1 ? 1u << (info >> 1) : 0, .is_signed = info & 1, .operands = values};
    return operation_constant(f->module, &operation);
}

/* An offset that comes of indices of at most 32 bits. */
static bool is_short(LLVMValueRef offset)
{
    LLVMValueRef product = LLVMIsAExtractValueInst(offset) ? LLVMGetOperand(offset, 0) : NULL;
    if (LLVMIsAConstantInt(offset))
        return llabs(LLVMConstIntGetSExtValue(offset)) <= INT32_MAX;
    if (LLVMIsASExtInst(offset) || LLVMIsAZExtInst(offset))
        return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(offset, 0))) <= 32;
    return product && called_function(product) && begins(name_of(called_function(product)), "llvm.smul.with.") &&
           is_short(LLVMGetOperand(product, 0)) && is_short(LLVMGetOperand(product, 1));
}

/* Whether the address is a variable's, or that of an element of it at such an index. */
static bool is_in_variable(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer)) {
        FOR_OPERANDS(n, pointer)
            if (n > 0 && !is_short(LLVMGetOperand(pointer, n)))
                return false;
        pointer = LLVMGetOperand(pointer, 0);
    }
    return LLVMIsAGlobalVariable(pointer) || LLVMIsAAllocaInst(pointer);
}

/* Variables lie farther from both ends of memory than an element of theirs can be by a short index, so that nothing
 * wraps: asking would cost most where arrays of a block are read in loops. */
static bool can_wrap(LLVMValueRef call)
{
    LLVMValueRef from = LLVMGetOperand(call, 1), to = LLVMGetOperand(call, 2);
    const bool is_sum = LLVMIsABinaryOperator(to) && LLVMGetInstructionOpcode(to) == LLVMAdd &&
                        LLVMGetOperand(to, 0) == from;
    const bool is_address = LLVMIsAPtrToIntInst(from) ||
                            (LLVMIsAConstantExpr(from) && LLVMGetConstOpcode(from) == LLVMPtrToInt);
    return !is_sum || !is_address || !is_short(LLVMGetOperand(to, 1)) || !is_in_variable(LLVMGetOperand(from, 0));
}

static void report_undefined(const struct faults *f, LLVMValueRef call, unsigned kind, unsigned values)
{
    LLVMTypeRef parameters[] = {f->pointer, f->wide, f->wide};
    LLVMValueRef nothing = LLVMConstInt(f->wide, 0, false);
    const bool is_sure = kind == UNDEFINED_POINTER && !can_wrap(call);
    LLVMValueRef operation = is_sure ? NULL : describe(f, LLVMGetOperand(call, 0), kind, values);
    LLVMValueRef arguments[] = {operation, values > 0 ? LLVMGetOperand(call, 1) : nothing,
                                values > 1 ? LLVMGetOperand(call, 2) : nothing};
    LLVMPositionBuilderBefore(f->builder, call);
    if (operation)
        build_call(f->builder, executors(f->module, "gpucc_cpu_undefined", parameters, 3), arguments, 3);
    LLVMInstructionEraseFromParent(call);
}

static void replace_handler(const struct faults *f, const char *name, unsigned kind, unsigned values)
{
    LLVMValueRef handler = LLVMGetNamedFunction(f->module, name);
    for (LLVMUseRef use = handler ? LLVMGetFirstUse(handler) : NULL; use; use = LLVMGetFirstUse(handler))
        report_undefined(f, LLVMGetUser(use), kind, values);
    if (handler)
        LLVMDeleteFunction(handler);
}

/* The most negative number divided by -1 has a value here. */
static void drop_handler(const struct faults *f, const char *name)
{
    LLVMValueRef handler = LLVMGetNamedFunction(f->module, name);
    for (LLVMUseRef use = handler ? LLVMGetFirstUse(handler) : NULL; use; use = LLVMGetFirstUse(handler))
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    if (handler)
        LLVMDeleteFunction(handler);
}

void lower_undefined(const struct options *options, LLVMModuleRef module)
{
    const struct faults f = faults_new(options, module);
#define UNDEFINED(id, handler, values) replace_handler(&f, "__ubsan_handle_" handler, UNDEFINED_##id, values);
#include <gpucc/undefined.def>
    drop_handler(&f, "__ubsan_handle_divrem_overflow");
    LLVMDisposeBuilder(f.builder);
}

/* ---- what is not finite ---- */

static LLVMTypeRef element_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_real(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(element_type(type))) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    default: return false;
    }
}

/* How an operation is written: its sign, or a function's name; null if there is nothing to ask. */
static const char *operation_name(LLVMValueRef i)
{
    LLVMValueRef callee;
    const char *name;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd: return "+";
    case LLVMFSub: return "-";
    case LLVMFMul: return "*";
    case LLVMFDiv: return "/";
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP: return "";
    case LLVMCall:
        callee = called_function(i);
        name = callee && LLVMIsDeclaration(callee) ? name_of(callee) : "";
        if (!*name || begins(name, "gpucc_cpu_") || LLVMGetNumArgOperands(i) == 0 ||
            !is_real(LLVMTypeOf(LLVMGetOperand(i, 0))))
            return NULL;
        return begins(name, "llvm.fmuladd.") || begins(name, "llvm.fma.") ? "fma"
               : begins(name, "llvm.")                                    ? NULL
                                                                          : plain_name(name);
    default: return NULL;
    }
}

/* void finite(result, a, b, c, operation): notifies the executor if the result has all bits of the exponent set. */
static LLVMValueRef asker(const struct faults *f, LLVMTypeRef type)
{
    LLVMTypeRef parameters[] = {type, f->real, f->real, f->real, f->pointer};
    LLVMTypeRef types[] = {f->pointer, f->real, f->real, f->real, f->real};
    LLVMTypeRef signature = LLVMFunctionType(LLVMVoidTypeInContext(f->context), parameters, 5, false);
    const char *name = arena_printf(f->options->arena, "gpucc.finite.%d", (int)LLVMGetTypeKind(type));
    LLVMValueRef function = LLVMGetNamedFunction(f->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(f->module, name, signature);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    mark_inlined(function);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(f->context, function, "");
    LLVMBasicBlockRef on_fail = LLVMAppendBasicBlockInContext(f->context, function, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(f->context, function, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->context);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMTypeRef bits = LLVMIntTypeInContext(f->context, LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(f->module), type));
    LLVMValueRef infinity = LLVMConstRealOfString(type, "inf"), result = LLVMGetParam(function, 0);
    LLVMValueRef exponent = LLVMConstBitCast(infinity, bits);
    LLVMValueRef own = LLVMBuildAnd(b, LLVMBuildBitCast(b, result, bits, ""), exponent, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, own, exponent, ""), on_fail, end);
    LLVMPositionBuilderAtEnd(b, on_fail);
    LLVMValueRef arguments[] = {LLVMGetParam(function, 4),
                                type == f->real ? result : LLVMBuildFPExt(b, result, f->real, ""),
                                LLVMGetParam(function, 1), LLVMGetParam(function, 2), LLVMGetParam(function, 3)};
    build_call(b, executors(f->module, "gpucc_cpu_nonfinite", types, 5), arguments, 5);
    LLVMBuildBr(b, end);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return function;
}

/* An operand, or a lane of it, as a double; 0 for what is no number. */
static LLVMValueRef operand_value(const struct faults *f, LLVMValueRef operand, LLVMValueRef lane, bool is_signed)
{
    if (lane && LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMVectorTypeKind)
        operand = LLVMBuildExtractElement(f->builder, operand, lane, "");
    LLVMTypeRef type = LLVMTypeOf(operand);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
        return is_signed ? LLVMBuildSIToFP(f->builder, operand, f->real, "")
                         : LLVMBuildUIToFP(f->builder, operand, f->real, "");
    if (!is_real(type) || LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMConstNull(f->real);
    return type == f->real ? operand : LLVMBuildFPExt(f->builder, operand, f->real, "");
}

static void emit_fault_query(const struct faults *f, LLVMValueRef i, LLVMValueRef result, LLVMValueRef lane,
                             unsigned operands, LLVMValueRef operation)
{
    LLVMValueRef value = lane ? LLVMBuildExtractElement(f->builder, result, lane, "") : result;
    LLVMValueRef arguments[5] = {value};
    for (unsigned k = 0; k < 3; k++)
        arguments[1 + k] = k < operands ? operand_value(f, LLVMGetOperand(i, k), lane, !LLVMIsAUIToFPInst(i))
                                        : LLVMConstNull(f->real);
    arguments[4] = operation;
    build_call(f->builder, asker(f, LLVMTypeOf(value)), arguments, 5);
}

/* The values of a floating-point number; an integer is passed as a double. */
static unsigned operand_bits(LLVMValueRef i)
{
    switch (LLVMGetTypeKind(element_type(LLVMTypeOf(LLVMGetOperand(i, 0))))) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    default: return 64;
    }
}

static void check_finite(const struct faults *f, LLVMValueRef i, const char *name)
{
    unsigned length = 0, operands = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
    const char *given = LLVMGetDebugLocFilename(i, &length);
    const char *path = given ? arena_strndup(f->options->arena, given, length) : "";
    LLVMTypeRef type = LLVMTypeOf(i);
    if (!is_users(path))
        return;
    operands = operands < 3 ? operands : 3;
    LLVMPositionBuilderBefore(f->builder, LLVMGetNextInstruction(i));
    LLVMSetCurrentDebugLocation2(f->builder, LLVMInstructionGetDebugLoc(i));
    const struct operation description = {path, LLVMGetDebugLocLine(i), LLVMGetDebugLocColumn(i), UNDEFINED_KINDS, name,
                                          operand_bits(i), true, operands};
    LLVMValueRef operation = operation_constant(f->module, &description);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        emit_fault_query(f, i, i, NULL, operands, operation);
        return;
    }
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++)
        emit_fault_query(f, i, i, LLVMConstInt(f->word, k, false), operands, operation);
}

void lower_nonfinite(const struct options *options, LLVMModuleRef module)
{
    const struct faults f = faults_new(options, module);
    FOR_FUNCTIONS(function, module) {
        if (begins(name_of(function), "gpucc.finite."))
            continue;
        FOR_INSTRUCTIONS_IN(i, function) {
            const char *name = is_real(LLVMTypeOf(i)) ? operation_name(i) : NULL;
            if (name)
                check_finite(&f, i, name);
        }
    }
    LLVMDisposeBuilder(f.builder);
}
