/* IR that the command line names, and the math library, joined to the program's. */
#include "lower/lower_internal.h"
#include "bridge/bridge.h"
#include "ptx/ptx.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <string.h>

/* Structs of two files have names of their own. */
static bool same_type(LLVMTypeRef a, LLVMTypeRef b)
{
    if (a == b)
        return true;
    if (LLVMGetTypeKind(a) != LLVMGetTypeKind(b))
        return false;
    switch (LLVMGetTypeKind(a)) {
    case LLVMStructTypeKind: {
        unsigned count = LLVMCountStructElementTypes(a);
        bool same = count == LLVMCountStructElementTypes(b) && LLVMIsPackedStruct(a) == LLVMIsPackedStruct(b);
        for (unsigned i = 0; same && i < count; i++)
            same = same_type(LLVMStructGetTypeAtIndex(a, i), LLVMStructGetTypeAtIndex(b, i));
        return same;
    }
    case LLVMArrayTypeKind:
        return LLVMGetArrayLength2(a) == LLVMGetArrayLength2(b) &&
               same_type(LLVMGetElementType(a), LLVMGetElementType(b));
    default:
        return false;
    }
}

static bool same_function_type(LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTypeRef of_a[256], of_b[256];
    unsigned count = LLVMCountParamTypes(a);
    if (count != LLVMCountParamTypes(b) || count > sizeof of_a / sizeof *of_a ||
        LLVMIsFunctionVarArg(a) != LLVMIsFunctionVarArg(b))
        return false;
    LLVMGetParamTypes(a, of_a);
    LLVMGetParamTypes(b, of_b);
    bool same = same_type(LLVMGetReturnType(a), LLVMGetReturnType(b));
    for (unsigned i = 0; same && i < count; i++)
        same = same_type(of_a[i], of_b[i]);
    return same;
}

/* ---- the files of the program ---- */

static bool is_weak(LLVMValueRef global)
{
    return LLVMGetLinkage(global) == LLVMWeakAnyLinkage || LLVMGetLinkage(global) == LLVMWeakODRLinkage;
}

/* The other name of a function of the math library: "log1p" of "gpucc_log1p", which <math.h> makes of it, and that of
 * "log1p"; null of any other function. */
static const char *other_math_name(const struct build *build, LLVMValueRef f)
{
    const char *name = name_of(f), *plain = plain_name(name);
    const char *ours = plain != name ? name : arena_printf(build->options.arena, "gpucc_%s", name);
    if (!library_with(LLVMGetTarget(LLVMGetGlobalParent(f)), ours))
        return NULL;
    return plain != name ? plain : ours;
}

/* A file may define a function of the math library's name with <math.h> or without, and another file use it so. */
static void match_math_names(const struct build *build)
{
    struct names *defined = names_new(build->options.arena);
    for (size_t i = 0; i < build->order_count; i++)
        FOR_FUNCTIONS(f, build->modules[build->order[i]])
            if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
                *names_at(defined, name_of(f)) = 1;
    for (size_t i = 0; i < build->order_count; i++) {
        LLVMModuleRef module = build->modules[build->order[i]];
        FOR_FUNCTIONS(f, module) {
            const bool is_undefined = LLVMIsDeclaration(f) && !names_find(defined, name_of(f));
            const char *other = is_undefined ? other_math_name(build, f) : NULL;
            if (other && names_find(defined, other) && !LLVMGetNamedFunction(module, other))
                LLVMSetValueName2(f, other, strlen(other));
        }
    }
}

struct names *shared_names(const struct build *build)
{
    struct names *shared = names_new(build->options.arena);
    if (build->order_count > 1)
        match_math_names(build);
    for (size_t i = 0; i < build->order_count; i++) {
        LLVMModuleRef module = build->modules[build->order[i]];
        FOR_FUNCTIONS(f, module)
            if (LLVMIsDeclaration(f) || is_weak(f))
                *names_at(shared, name_of(f)) = NAME_SHARED;
    }
    return shared;
}

void hide_shared(const struct build *build, const struct names *shared)
{
    FOR_FUNCTIONS(f, build->module)
        if (!LLVMIsDeclaration(f) && names_find(shared, name_of(f)) == NAME_SHARED)
            LLVMSetLinkage(f, LLVMInternalLinkage);
    if (build->order_count > 1)
        run_passes(build->module, "globaldce", NULL);
}

/* A call of a declaration without a prototype gets the type that the definition has; false if that is another. */
static bool settle_call(LLVMValueRef call, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), types[256];
    const unsigned count = LLVMGetNumArgOperands(call);
    if (count != LLVMCountParamTypes(type) || count > sizeof types / sizeof *types || LLVMIsFunctionVarArg(type) ||
        !same_type(LLVMGetReturnType(type), LLVMTypeOf(call)))
        return false;
    LLVMGetParamTypes(type, types);
    LLVMValueRef arguments[256];
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetOperand(call, i);
        if (LLVMTypeOf(arguments[i]) != types[i])
            return false;
    }
    LLVMValueRef settled = codegen_change_call(call, type, arguments);
    LLVMReplaceAllUsesWith(call, settled);
    LLVMInstructionEraseFromParent(call);
    return true;
}

static bool report_other_types(const struct program *program, const char *name, const struct external *external,
                               struct diagnostics *diagnostics)
{
    const struct linkable *linkable = find_linkable(program->files->linkage, name);
    diagnose(diagnostics, SEVERITY_ERROR, external ? external->use : (struct place){0}, NULL,
             "'%s' is called with other types than its definition has", name);
    if (linkable)
        diagnose(diagnostics, SEVERITY_NOTE, linkable->definition->place, NULL, "it is defined here");
    return false;
}

/* A use of `f` that is not settled: an error, unless the lowering itself calls the math library's function, whose
 * integers of 128 bits the C ABI passes in two registers as well. */
static bool accept_unsettled(const struct program *program, LLVMValueRef f, struct diagnostics *diagnostics)
{
    const char *name = plain_name(name_of(f));
    const bool is_math = name != name_of(f);
    const struct external *external = find_external(program, name);
    return (is_math && !external) || report_other_types(program, name, external, diagnostics);
}

/* LLVM takes a call with another type than its function has for undefined. */
bool settle_calls(const struct program *program, LLVMModuleRef module, struct diagnostics *diagnostics)
{
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f))
            continue;
        FOR_USES(use, f) {
            LLVMValueRef call = LLVMGetUser(use);
            if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f &&
                LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(f) && !settle_call(call, f) &&
                !accept_unsettled(program, f, diagnostics))
                return false;
        }
    }
    return true;
}

/* ---- IR of the command line ---- */

/* A call with other types than the function has would be undefined, and vanish. */
static bool check_types(const struct program *program, const struct linked *linked, LLVMModuleRef module,
                        LLVMModuleRef other, struct diagnostics *diagnostics)
{
    bool same = true;
    FOR_FUNCTIONS(f, other) {
        size_t size;
        const char *name = LLVMGetValueName2(f, &size);
        LLVMValueRef declared = LLVMIsDeclaration(f) ? NULL : LLVMGetNamedFunction(module, name);
        if (!declared || same_function_type(LLVMGlobalGetValueType(declared), LLVMGlobalGetValueType(f)))
            continue;
        const struct external *external = find_external(program, name);
        char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(f));
        diagnose(diagnostics, SEVERITY_ERROR, external ? external->place : (struct place){.file = linked->path}, NULL,
                 "conflicting types for '%s': in '%s' it is '%s'", name, linked->path, type);
        LLVMDisposeMessage(type);
        same = false;
    }
    return same;
}

static bool link_one(const struct program *program, const struct linked *linked, LLVMModuleRef module,
                     struct diagnostics *diagnostics)
{
    LLVMModuleRef other = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(linked->code.data, linked->code.size, linked->path, false);
    if (LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &other, &message))
        fatal("%s: %s", linked->path, message);
    bool same = check_types(program, linked, module, other, diagnostics);
    LLVMDisposeModule(other);
    if (!same)
        return false;
    if (!codegen_link(module, linked->code.data, linked->code.size))
        fatal("'%s' cannot be linked to the program", linked->path);
    return true;
}

/* On a GPU a kernel ends its thread, and LLVM makes that of a call. */
static bool check_kernel_calls(LLVMModuleRef module, struct diagnostics *diagnostics)
{
    bool good = true;
    FOR_FUNCTIONS(f, module) {
        if (LLVMGetFunctionCallConv(f) != LLVMPTXKernelCallConv)
            continue;
        FOR_USES(use, f) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsAInstruction(user))
                continue;
            diagnose(diagnostics, SEVERITY_ERROR, (struct place){0}, NULL,
                     "'%s', which is linked, calls '%s', a kernel: it is launched, and device code cannot call it",
                     name_of(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))), name_of(f));
            good = false;
        }
    }
    return good;
}

bool link_modules(const struct program *program, enum target target, LLVMModuleRef module,
                  struct diagnostics *diagnostics)
{
    bool good = true;
    for (size_t i = 0; i < program->files->linked_count; i++) {
        const struct linked *linked = &program->files->linked[i];
        if (!linked->is_ptx && linked->target == target)
            good &= link_one(program, linked, module, diagnostics);
    }
    return good && check_kernel_calls(module, diagnostics);
}

/* ---- the math library ---- */

/* The library's own names, and those by which Clang calls complex arithmetic: __mulsc3, __divdc3 … */
static bool is_library_name(const char *name)
{
    bool complex = begins(name, "__mul") || begins(name, "__div");
    return begins(name, "gpucc_") || (complex && strlen(name) == 8 && !strcmp(name + 6, "c3"));
}

static bool is_ready(LLVMModuleRef module, const char *name)
{
    return begins(LLVMGetTarget(module), "nvptx64") && ptx_is_ready(name);
}

/* The file of the library that defines a function which is only declared so far; null if all are there. */
static const struct embedded_file *missing_library(LLVMModuleRef module, bool with_ready)
{
    const struct embedded_file *library = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !library; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && is_library_name(name_of(f)) && (with_ready || !is_ready(module, name_of(f))))
            library = library_with(LLVMGetTarget(module), name_of(f));
    return library;
}

static void link_missing(LLVMModuleRef module, bool with_ready)
{
    const struct embedded_file *library;
    while ((library = missing_library(module, with_ready)))
        if (!codegen_link(module, library->data, library->size))
            fatal("the math library inside this executable does not fit its LLVM");
}

void link_library(LLVMModuleRef module)
{
    link_missing(module, false);
}

void link_ready(LLVMModuleRef module)
{
    link_missing(module, true);
}
