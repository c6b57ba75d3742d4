/* Replaces calls of a C library, to which Clang lowers some builtins: a GPU has none, and a CPU's has bits of its own.
 * The math library has such a function, or the call is an error. */
#include "lower/lower_internal.h"

#include <string.h>

struct builder {
    const struct build *build;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef f32, i32, i64;
};

static bool is_narrow(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMValueRef our_function(const struct builder *t, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name);
    return function ? function : LLVMAddFunction(t->module, name, type);
}

/* ---- functions called by name ---- */

/* A linked function of that name takes precedence. */
static void lower_declaration(const struct builder *t, LLVMValueRef function)
{
    const char *name = name_of(function);
    const char *ours = linked_with(t->build->program.files, name, true, true)
                           ? NULL
                           : library_name(t->build->options.arena, LLVMGetTarget(t->module), name);
    if (!ours)
        return;
    LLVMReplaceAllUsesWith(function, our_function(t, ours, LLVMGlobalGetValueType(function)));
    LLVMDeleteFunction(function);
}

/* ---- instructions and intrinsics that back ends make calls of, or expand with other bits ---- */

static const struct {
    const char *intrinsic, *ours;
    bool narrow; /* of 16-bit numbers only: the others are at home everywhere */
} list[] = {
    {"acos", "acos", false},       {"asin", "asin", false},     {"atan", "atan", false},
    {"canonicalize", "", false},   {"cos", "cos", false},       {"cosh", "cosh", false},
    {"exp", "exp", false},         {"exp10", "exp10", false},   {"exp2", "exp2", false},
    {"frexp", "frexp", false},     {"ldexp", "ldexp", false},   {"llrint", "llrint", false},
    {"llround", "llround", false}, {"log", "log", false},       {"log10", "log10", false},
    {"log2", "log2", false},       {"lrint", "lrint", false},   {"lround", "lround", false},
    {"maxnum", "fmax", true},      {"minnum", "fmin", true},    {"pow", "pow", false},
    {"powi", "pown", false},       {"sin", "sin", false},       {"sinh", "sinh", false},
    {"tan", "tan", false},         {"tanh", "tanh", false},
};

static bool has_narrow(LLVMTypeRef type)
{
    return is_narrow(is_vector(type) ? LLVMGetElementType(type) : type);
}

/* "sin" for a call of llvm.sin.v2f32, "" for what is only its operand, null for what stays as it is. */
static const char *function_of(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    const char *name = callee ? name_of(callee) : "";
    if (LLVMGetInstructionOpcode(i) == LLVMFRem)
        return "fmod";
    for (size_t k = 0; !strncmp(name, "llvm.", 5) && k < sizeof list / sizeof *list; k++) {
        size_t length = strlen(list[k].intrinsic);
        if (!strncmp(name + 5, list[k].intrinsic, length) && name[5 + length] == '.')
            return !list[k].narrow || has_narrow(LLVMTypeOf(i)) ? list[k].ours : NULL;
    }
    return NULL;
}

static LLVMValueRef on_stack(const struct builder *t, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(t->b));
    LLVMBuilderRef first = LLVMCreateBuilderInContext(LLVMGetModuleContext(t->module));
    LLVMPositionBuilderBefore(first, first_instruction(function));
    LLVMValueRef variable = LLVMBuildAlloca(first, type, "");
    LLVMDisposeBuilder(first);
    return variable;
}

/* For float or double. */
static LLVMValueRef call_ours(const struct builder *t, const char *name, LLVMValueRef *operands, unsigned count,
                              LLVMTypeRef result)
{
    LLVMTypeRef types[2], number = LLVMTypeOf(operands[0]);
    if (!strcmp(name, "pown"))
        operands[1] = LLVMBuildSExt(t->b, operands[1], t->i64, "");
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(operands[k]);
    const char *full = arena_printf(t->build->options.arena, "gpucc_%s%s", name, number == t->f32 ? "f" : "");
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    return LLVMBuildCall2(t->b, type, our_function(t, full, type), operands, count, "");
}

/* The fraction, of type `number`, and the exponent, which the library writes through a pointer, as a pair. */
static LLVMValueRef call_frexp(const struct builder *t, LLVMValueRef x, LLVMTypeRef number, LLVMTypeRef pair)
{
    LLVMValueRef operands[] = {x, on_stack(t, t->i32)};
    LLVMValueRef fraction = call_ours(t, "frexp", operands, 2, LLVMTypeOf(x));
    if (number != LLVMTypeOf(x))
        fraction = LLVMBuildFPTrunc(t->b, fraction, number, "");
    LLVMValueRef result = LLVMBuildInsertValue(t->b, LLVMGetPoison(pair), fraction, 0, "");
    return LLVMBuildInsertValue(t->b, result, LLVMBuildLoad2(t->b, t->i32, operands[1], ""), 1, "");
}

/* For one number; 16-bit ones are computed in float. */
static LLVMValueRef scalar(const struct builder *t, const char *name, LLVMValueRef *operands, unsigned count,
                           LLVMTypeRef result)
{
    LLVMTypeRef number = LLVMTypeOf(operands[0]);
    if (!*name)
        return operands[0];
    for (unsigned k = 0; k < count; k++)
        if (is_narrow(LLVMTypeOf(operands[k])))
            operands[k] = LLVMBuildFPExt(t->b, operands[k], t->f32, "");
    if (!strcmp(name, "frexp"))
        return call_frexp(t, operands[0], number, result);
    if (!is_narrow(result))
        return call_ours(t, name, operands, count, result);
    return LLVMBuildFPTrunc(t->b, call_ours(t, name, operands, count, t->f32), result, "");
}

static LLVMValueRef each_lane(const struct builder *t, const char *name, LLVMValueRef *operands, unsigned count,
                              LLVMTypeRef type)
{
    LLVMValueRef result = LLVMGetPoison(type), lanes[2];
    for (unsigned lane = 0; lane < LLVMGetVectorSize(type); lane++) {
        LLVMValueRef index = LLVMConstInt(t->i32, lane, false);
        for (unsigned k = 0; k < count; k++)
            lanes[k] = is_vector(LLVMTypeOf(operands[k])) ? LLVMBuildExtractElement(t->b, operands[k], index, "")
                                                          : operands[k];
        result =
            LLVMBuildInsertElement(t->b, result, scalar(t, name, lanes, count, LLVMGetElementType(type)), index, "");
    }
    return result;
}

static void lower_instruction(const struct builder *t, LLVMValueRef i)
{
    const char *name = function_of(i);
    if (!name)
        return;
    LLVMValueRef operands[2];
    unsigned count = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : 2;
    for (unsigned k = 0; k < count; k++)
        operands[k] = LLVMGetOperand(i, k);
    LLVMPositionBuilderBefore(t->b, i);
    LLVMReplaceAllUsesWith(i, is_vector(LLVMTypeOf(i)) ? each_lane(t, name, operands, count, LLVMTypeOf(i))
                                                       : scalar(t, name, operands, count, LLVMTypeOf(i)));
    LLVMInstructionEraseFromParent(i);
}

void lower_builtins(const struct build *build)
{
    LLVMModuleRef module = build->module;
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct builder t = {.build = build, .module = module, .b = LLVMCreateBuilderInContext(context),
                              .f32 = LLVMFloatTypeInContext(context), .i32 = LLVMInt32TypeInContext(context),
                              .i64 = LLVMInt64TypeInContext(context)};
    FOR_FUNCTIONS(f, module)
        if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f))
            lower_declaration(&t, f);
    FOR_ALL_INSTRUCTIONS(i, module)
        lower_instruction(&t, i);
    LLVMDisposeBuilder(t.b);
}

/* ---- what is left ---- */

/* Functions that a driver, or the host's library, provides. */
static bool is_provided(enum target target, const char *name)
{
    static const char *const on_gpu[] = {"vprintf", "malloc", "free", "__assertfail"};
    static const char *const on_cpu[] = {"printf", "malloc", "free", "abort"};
    const char *const *list = target == TARGET_PTX ? on_gpu : on_cpu;
    for (size_t i = 0; i < sizeof on_gpu / sizeof *on_gpu; i++)
        if (!strcmp(list[i], name))
            return true;
    return !strncmp(name, "gpucc_", 6);
}

/* Returns the place in device code of the builtin that calls the function; no file if there is none. */
static struct place builtin_place(const struct program *program, const char *name)
{
    static const char prefix[] = "__builtin_";
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].unit->builtin_count; i++) {
            const struct builtin *builtin = &program->passes[p].unit->builtins[i];
            if (!strncmp(builtin->name, prefix, strlen(prefix)) && !strcmp(builtin->name + strlen(prefix), name))
                return builtin->use;
        }
    return (struct place){0};
}

/* Linked files may refer to files that are linked later. */
static bool check_function(const struct build *build, const char *name)
{
    struct place place = builtin_place(&build->program, name);
    if (place.file)
        diagnose(build->diagnostics, SEVERITY_ERROR, place, NULL,
                 "'__builtin_%s' requires a C library, which device code does not have, and gpucc does not provide "
                 "'%s'", name,
                 name);
    else if (!build->program.files->linked_count)
        diagnose(build->diagnostics, SEVERITY_ERROR, (struct place){0}, NULL,
                 "undefined reference to '%s' in %s", name, build_name(build));
    return !place.file && build->program.files->linked_count;
}

bool check_builtins(const struct build *build)
{
    bool good = true;
    FOR_FUNCTIONS(f, build->module)
        if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f) &&
            !is_provided(build->target, name_of(f)))
            good &= check_function(build, name_of(f));
    return good;
}
