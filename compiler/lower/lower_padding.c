/* Values that functions get and return by value, for PTX.  LLVM copies them element by element, as the types say that
 * Clang has for structs, and bytes between elements are lost.  Those of a union hold another member's value.  So these
 * types get elements everywhere. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <limits.h>
#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    struct arena *arena;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
};

/* A vector of two bytes is passed in the two lowest of four, of which the callee knows nothing. */
static bool is_two_bytes(const struct builder *t, LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMABISizeOfType(t->layout, type) == 2;
}

static LLVMTypeRef filled(const struct builder *t, LLVMTypeRef type)
{
    LLVMTypeRef two = LLVMInt16TypeInContext(LLVMGetTypeContext(type));
    if (is_two_bytes(t, type))
        return LLVMStructTypeInContext(LLVMGetTypeContext(type), &two, 1, false);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? passed_type(t->arena, t->layout, type, UINT_MAX) : type;
}

/* ---- parameters ---- */

static unsigned by_value(void)
{
    return LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
}

static unsigned aligned(void)
{
    return LLVMGetEnumAttributeKindForName("align", strlen("align"));
}

/* The attribute with a filled type in the place of `old`; null if that has no padding.  A packed struct's type in IR
 * may have a larger alignment than the struct, which `align` has, or null. */
static LLVMAttributeRef filled_attribute(const struct builder *t, LLVMAttributeRef old, LLVMAttributeRef align)
{
    LLVMTypeRef type = LLVMGetTypeAttributeValue(old);
    const unsigned at = align ? (unsigned)LLVMGetEnumAttributeValue(align) : UINT_MAX;
    LLVMTypeRef with = passed_type(t->arena, t->layout, type, at);
    return with == type ? NULL : LLVMCreateTypeAttribute(LLVMGetTypeContext(type), by_value(), with);
}

static void fill_parameters(const struct builder *t, LLVMValueRef function)
{
    for (unsigned k = 1; k <= LLVMCountParams(function); k++) {
        LLVMAttributeRef old = LLVMGetEnumAttributeAtIndex(function, k, by_value());
        LLVMAttributeRef align = LLVMGetEnumAttributeAtIndex(function, k, aligned());
        LLVMAttributeRef with = old ? filled_attribute(t, old, align) : NULL;
        if (with)
            LLVMAddAttributeAtIndex(function, k, with);
    }
}

static void fill_arguments(const struct builder *t, LLVMValueRef call)
{
    for (unsigned k = 1; k <= LLVMGetNumArgOperands(call); k++) {
        LLVMAttributeRef old = LLVMGetCallSiteEnumAttribute(call, k, by_value());
        LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, k, aligned());
        LLVMAttributeRef with = old ? filled_attribute(t, old, align) : NULL;
        if (with)
            LLVMAddCallSiteAttribute(call, k, with);
    }
}

/* ---- results ---- */

static LLVMTypeRef returning(const struct builder *t, LLVMTypeRef type)
{
    const unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *parameters = arena_alloc(t->arena, (count + 1) * sizeof *parameters);
    LLVMGetParamTypes(type, parameters);
    for (unsigned k = 0; k < count; k++)
        parameters[k] = is_two_bytes(t, parameters[k]) ? filled(t, parameters[k]) : parameters[k];
    return LLVMFunctionType(filled(t, LLVMGetReturnType(type)), parameters, count, LLVMIsFunctionVarArg(type));
}

/* A variable that holds the value. */
static LLVMValueRef variable_of(const struct builder *t, LLVMValueRef value)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(t->b));
    LLVMBuilderRef first = LLVMCreateBuilderInContext(LLVMGetModuleContext(t->module));
    LLVMPositionBuilderBefore(first, first_instruction(function));
    LLVMValueRef variable = LLVMBuildAlloca(first, LLVMTypeOf(value), "");
    LLVMDisposeBuilder(first);
    LLVMBuildStore(t->b, value, variable);
    return variable;
}

/* The address of the element that the instruction extracts from an aggregate which stands at `aggregate`. */
static LLVMValueRef address_of_element(const struct builder *t, LLVMValueRef extract, LLVMValueRef aggregate)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(extract, 0));
    const unsigned index = *LLVMGetIndices(extract);
    const uint64_t offset = LLVMGetTypeKind(type) == LLVMStructTypeKind
                                ? LLVMOffsetOfElement(t->layout, type, index)
                                : index * LLVMABISizeOfType(t->layout, LLVMGetElementType(type));
    LLVMContextRef context = LLVMGetModuleContext(t->module);
    LLVMValueRef bytes = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
    return LLVMBuildGEP2(t->b, LLVMInt8TypeInContext(context), aggregate, &bytes, 1, "");
}

/* Clang stores a result, or its elements one by one: copies of memory take the place of these stores. */
static void copy_stored(const struct builder *t, LLVMValueRef value, LLVMValueRef from)
{
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetModuleContext(t->module)),
                                     LLVMABISizeOfType(t->layout, LLVMTypeOf(value)), false);
    FOR_USES(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMPositionBuilderBefore(t->b, user);
        if (LLVMIsAStoreInst(user)) {
            LLVMBuildMemCpy(t->b, LLVMGetOperand(user, 1), LLVMGetAlignment(user), from, 1, size);
            LLVMInstructionEraseFromParent(user);
        } else if (LLVMIsAExtractValueInst(user) && LLVMGetNumIndices(user) == 1) {
            copy_stored(t, user, address_of_element(t, user, from));
        }
    }
}

/* Assembly and LLVM's own functions return registers. */
static bool returns_memory(LLVMValueRef callee)
{
    return !LLVMIsAInlineAsm(callee) && !(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee));
}

/* The call's arguments, as the function type has them. */
static LLVMValueRef *changed_arguments(const struct builder *t, LLVMValueRef call, LLVMTypeRef function_type)
{
    const unsigned count = LLVMGetNumArgOperands(call), typed = LLVMCountParamTypes(function_type);
    LLVMTypeRef *types = arena_alloc(t->arena, (typed + 1) * sizeof *types);
    LLVMValueRef *arguments = arena_alloc(t->arena, (count + 1) * sizeof *arguments);
    LLVMGetParamTypes(function_type, types);
    for (unsigned k = 0; k < count; k++) {
        arguments[k] = LLVMGetOperand(call, k);
        if (k < typed && types[k] != LLVMTypeOf(arguments[k]))
            arguments[k] = LLVMBuildLoad2(t->b, types[k], variable_of(t, arguments[k]), "");
    }
    return arguments;
}

/* The call, with the filled type. */
static void fill_call(const struct builder *t, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), function_type = returning(t, LLVMGetCalledFunctionType(call));
    if (function_type == LLVMGetCalledFunctionType(call) || !returns_memory(LLVMGetCalledValue(call)))
        return;
    LLVMPositionBuilderBefore(t->b, call);
    LLVMValueRef with = codegen_change_call(call, function_type, changed_arguments(t, call, function_type));
    if (LLVMTypeOf(with) == type) {
        LLVMReplaceAllUsesWith(call, with);
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMValueRef result = variable_of(t, with);
    copy_stored(t, call, result);
    LLVMPositionBuilderBefore(t->b, call);
    LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(t->b, type, result, ""));
    LLVMInstructionEraseFromParent(call);
}

static void fill_return(const struct builder *t, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), with;
    LLVMTypeRef type = filled(t, LLVMTypeOf(value));
    if (LLVMIsALoadInst(value)) {
        LLVMPositionBuilderBefore(t->b, value);
        with = LLVMBuildLoad2(t->b, type, LLVMGetOperand(value, 0), "");
        LLVMSetAlignment(with, LLVMGetAlignment(value));
        LLVMSetVolatile(with, LLVMGetVolatile(value));
    } else {
        LLVMPositionBuilderBefore(t->b, i);
        with = LLVMBuildLoad2(t->b, type, variable_of(t, value), "");
    }
    LLVMSetOperand(i, 0, with);
}

/* The function under another type: LLVM's cannot be changed. */
static void fill_result(const struct builder *t, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function), with = returning(t, type);
    if (type == with || !returns_memory(function))
        return;
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAReturnInst(i) && LLVMGetReturnType(type) != LLVMGetReturnType(with))
            fill_return(t, i);
    codegen_change_type(function, with);
}

void lower_padding(struct arena *arena, LLVMModuleRef module)
{
    const struct builder t = {.arena = arena, .module = module, .layout = LLVMGetModuleDataLayout(module),
                              .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    LLVMValueRef *calls = NULL;
    size_t count = 0;
    FOR_ALL_INSTRUCTIONS(i, module)
        if (LLVMIsACallInst(i)) {
            calls = arena_grow(arena, calls, count, sizeof *calls);
            calls[count++] = i;
        }
    for (size_t i = 0; i < count; i++) { /* what uses a call's result goes with it */
        fill_arguments(&t, calls[i]);
        fill_call(&t, calls[i]);
    }
    FOR_FUNCTIONS(f, module) {
        fill_parameters(&t, f);
        fill_result(&t, f);
    }
    LLVMDisposeBuilder(t.b);
}
