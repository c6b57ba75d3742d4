/* Calls: which rule derives each.  The math library has the rules of its functions, as functions of their arguments and
 * result: gpucc_d0_sinf(x, y) is the partial derivative of y = sinf(x) by its first argument. */
#include "derive/derive_internal.h"
#include "bridge/bridge.h"

#include <string.h>

/* Their derivatives are zero wherever they have one. */
static bool is_flat(const char *name)
{
    static const char *const names[] = {"floor", "ceil", "trunc", "round", "roundeven", "rint", "nearbyint", "logb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (!strncmp(name, names[i], length) && (!name[length] || !strcmp(name + length, "f")))
            return true;
    }
    return false;
}

static bool is_in_library(const struct deriving *d, const char *name)
{
    return library_with(LLVMGetTarget(d->module), name) != NULL;
}

/* ---- names ---- */

/* 'f' of the function for float, by whose rule 16 bits are derived as well; 0 for double, -1 for other types. */
static int suffix_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind: return 'f';
    case LLVMDoubleTypeKind: return 0;
    default: return -1;
    }
}

/* "fmaxf" of llvm.maxnum.f32; null for intrinsics that are no mathematical functions of scalars. */
static const char *name_of_intrinsic(struct arena *arena, const char *intrinsic, LLVMTypeRef type)
{
    static const struct {
        const char *intrinsic, *name;
    } others[] = {
        {"maxnum", "fmax"}, {"minnum", "fmin"}, {"maximum", "fmaximum"}, {"minimum", "fminimum"}, {"fmuladd", "fma"},
    };
    const char *first = intrinsic + strlen("llvm.");
    const int suffix = suffix_of(type);
    const char *name = arena_strndup(arena, first, strcspn(first, "."));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i].intrinsic))
            name = others[i].name;
    return suffix < 0 ? NULL : suffix ? arena_printf(arena, "%s%c", name, suffix) : name;
}

static const char *rule_name(struct arena *arena, const char *name, unsigned k)
{
    return arena_printf(arena, "gpucc_d%u_%s", k, name);
}

/* The C name of a function of the math library; null for other functions. */
static const char *math_name(const struct deriving *d, LLVMValueRef i, LLVMValueRef function)
{
    const char *name = name_of(function);
    if (begins(name, "llvm."))
        return name_of_intrinsic(d->arena, name, LLVMTypeOf(i));
    if (!begins(name, "gpucc_") || (!LLVMIsDeclaration(function) && !is_in_library(d, name)))
        return NULL;
    return arena_strdup(d->arena, name + strlen("gpucc_")); /* linking may free the declaration */
}

/* Whether it is a rule itself: "d0_sinf". */
static bool is_rule(const char *name)
{
    return name[0] == 'd' && name[1] >= '0' && name[1] <= '9' && name[2] == '_';
}

static bool has_rule(const struct deriving *d, const char *name, unsigned arguments)
{
    for (unsigned k = 0; k < arguments; k++)
        if (is_in_library(d, rule_name(d->arena, name, k)))
            return true;
    return false;
}

/* ---- calls ---- */

static bool begins_with_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins(name, names[i]))
            return true;
    return false;
}

static bool has_pointers(LLVMValueRef i)
{
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMPointerTypeKind)
            return true;
    return false;
}

/* Makes the library's definition of a function part of the module; linking may replace the declaration. */
static LLVMValueRef library_definition(struct deriving *d, LLVMValueRef function)
{
    const char *name = arena_strdup(d->arena, name_of(function));
    const struct embedded_file *library = library_with(LLVMGetTarget(d->module), name);
    if (!LLVMIsDeclaration(function))
        return function;
    if (!library || !codegen_link(d->module, library->data, library->size))
        fatal("the math library inside this executable does not fit its LLVM");
    return LLVMGetNamedFunction(d->module, name);
}

/* A function of the library with a body for derivatives, as it stores through pointers: made part of the module. */
static LLVMValueRef derivable_body(struct deriving *d, LLVMValueRef function, const char *name)
{
    const char *other = arena_printf(d->arena, "gpucc_derivable_%s", name);
    if (!is_in_library(d, other))
        return NULL;
    LLVMValueRef body = LLVMGetNamedFunction(d->module, other);
    if (!body)
        body = LLVMAddFunction(d->module, other, LLVMGlobalGetValueType(function));
    return library_definition(d, body);
}

static struct call call_of_math(struct deriving *d, LLVMValueRef i, LLVMValueRef function, const char *name)
{
    const bool is_number = has_numbers(LLVMTypeOf(i)) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    LLVMValueRef body = has_pointers(i) ? derivable_body(d, function, name) : NULL;
    if (body)
        return (struct call){.kind = CALL_DERIVED, .function = body};
    if (has_pointers(i))
        return (struct call){.kind = CALL_UNKNOWN};
    if (!is_number || is_flat(name))
        return (struct call){.kind = CALL_WITHOUT};
    if (has_rule(d, name, LLVMGetNumArgOperands(i)))
        return (struct call){.kind = CALL_MATH, .name = name};
    if (!is_rule(name))
        return (struct call){.kind = CALL_UNKNOWN};
    return (struct call){.kind = CALL_DERIVED, .function = library_definition(d, function)};
}

static const struct rule *find_rule(const struct deriving *d, LLVMValueRef function)
{
    for (const struct rule *rule = d->rules; rule; rule = rule->next)
        if (rule->function == function)
            return rule;
    return NULL;
}

/* A function of <gpucc/warp.h>: "gpucc_shfl_xor_float". */
static bool is_shuffle_of_number(const char *name)
{
    static const char *const modes[] = {"gpucc_shfl_idx_", "gpucc_shfl_up_", "gpucc_shfl_down_", "gpucc_shfl_xor_"};
    return begins_with_one_of(name, modes, sizeof modes / sizeof *modes);
}

struct call call_of(struct deriving *d, LLVMValueRef i)
{
    static const char *const without[] = {
        "llvm.lifetime", "llvm.dbg", "llvm.assume", "llvm.trap", SANITIZER_PREFIX,
    };
    LLVMValueRef function = called_function(i);
    const char *name = function ? name_of(function) : "";
    if (!function)
        return (struct call){.kind = CALL_UNKNOWN};
    const bool to_integer = begins(name, "llvm.") && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind;
    if (begins_with_one_of(name, without, sizeof without / sizeof *without) || (to_integer && !has_pointers(i)))
        return (struct call){.kind = CALL_WITHOUT};
    if (begins(name, "llvm.memcpy") || begins(name, "llvm.memmove"))
        return (struct call){.kind = CALL_COPY};
    if (begins(name, "llvm.memset"))
        return (struct call){.kind = CALL_SET};
    if (is_shuffle_of_number(name))
        return (struct call){.kind = CALL_SHUFFLE};
    const struct rule *rule = find_rule(d, function);
    if (rule)
        return (struct call){.kind = CALL_RULE, .rule = rule};
    const char *math = math_name(d, i, function);
    if (math)
        return call_of_math(d, i, function, math);
    return LLVMIsDeclaration(function) ? (struct call){.kind = CALL_UNKNOWN}
                                       : (struct call){.kind = CALL_DERIVED, .function = function};
}

/* ---- the library ---- */

LLVMValueRef partial_function(struct deriving *d, const char *name, unsigned k, LLVMTypeRef type, LLVMValueRef i)
{
    const char *rule = rule_name(d->arena, name, k);
    LLVMValueRef function = LLVMGetNamedFunction(d->module, rule);
    const unsigned count = LLVMGetNumArgOperands(i);
    if (function || !is_in_library(d, rule))
        return function;
    LLVMTypeRef *types = arena_alloc(d->arena, (count + 1) * sizeof *types);
    for (unsigned n = 0; n < count; n++) {
        types[n] = LLVMTypeOf(LLVMGetOperand(i, n));
        if (has_numbers(types[n]))
            types[n] = type;
    }
    types[count] = type;
    function = LLVMAddFunction(d->module, rule, LLVMFunctionType(type, types, count + 1, false));
    set_attribute(function, "nounwind");
    return function;
}
