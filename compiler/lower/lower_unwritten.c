/* -fsanitize=uninitialized, for variables that registers will hold: where one is read that some way through the
 * function leaves unwritten, the executor is notified if it was.  Each such variable gets a shadow of as many bytes,
 * which its life's beginning clears and writes set; what is known of these when the program is compiled goes away with
 * the variable.  Functions are inlined by then, so a variable that one of them sets through a pointer is seen too.
 * Arrays with other indices than constants, and variables whose address leaves the kernel, are lower_watch()'s. */
#include "lower/lower_internal.h"

#include <gpucc/cpu.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { LARGEST = 256, LARGEST_READ = 16 /* bytes */, MOST_INDICES = 8, DEEPEST = 8 /* calls */ };

struct shadows {
    const struct options *options;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef byte, wide;
};

static uint64_t bytes_of(const struct shadows *s, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(s->module), type);
}

/* ---- which variables ---- */

/* Not what Clang makes of expressions, nor a result, which a caller need not use.  What is inlined has ".i" behind. */
static bool is_declared(LLVMValueRef variable)
{
    static const char *const made[] = {"retval", "tmp", "ref.tmp", "agg.tmp", "undef.", "coerce", "cleanup.", "saved_",
                                       "byval-temp", "gpucc_"};
    const char *name = name_of(variable);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (begins(name, made[k]))
            return false;
    return *name && *name != '.';
}

/* As the source has it. */
static const char *source_name(const struct shadows *s, LLVMValueRef variable)
{
    const char *name = name_of(variable), *dot = strchr(name, '.');
    return dot ? arena_strndup(s->options->arena, name, (size_t)(dot - name)) : name;
}

static bool has_constant_indices(LLVMValueRef element)
{
    FOR_OPERANDS(n, element)
        if (n > MOST_INDICES || (n > 0 && !LLVMIsAConstantInt(LLVMGetOperand(element, n))))
            return false;
    return true;
}

static bool is_call_of(LLVMValueRef i, const char *prefix)
{
    LLVMValueRef callee = called_function(i);
    return callee && begins(name_of(callee), prefix);
}

static bool is_seen(LLVMValueRef pointer, int depth);

/* The pointer is stored in a parameter of an inlined function, which nobody changes, and used as that. */
static bool is_seen_through(LLVMValueRef parameter, int depth)
{
    int stores = 0;
    if (!LLVMIsAAllocaInst(parameter) || depth == DEEPEST)
        return false;
    FOR_USES(use, parameter) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == parameter)
            stores++;
        else if (LLVMIsALoadInst(user) ? !is_seen(user, depth + 1) : !is_call_of(user, "llvm.lifetime."))
            return false;
    }
    return stores == 1;
}

/* Whether all that is done with the pointer is seen, at places that are known. */
static bool is_seen(LLVMValueRef pointer, int depth)
{
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad: break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == pointer && !is_seen_through(LLVMGetOperand(user, 1), depth))
                return false;
            break;
        case LLVMGetElementPtr:
            if (!has_constant_indices(user) || !is_seen(user, depth))
                return false;
            break;
        case LLVMCall:
            if (is_call_of(user, "llvm.lifetime."))
                break;
            if (!is_call_of(user, "llvm.mem") || !LLVMIsAConstantInt(LLVMGetOperand(user, 2)))
                return false;
            break;
        default: return false;
        }
    }
    return true;
}

/* ---- what is done with them ---- */

static void fill(const struct shadows *s, LLVMValueRef shadow, bool written, LLVMValueRef size)
{
    LLVMBuildMemSet(s->builder, shadow, LLVMConstInt(s->byte, written ? 0xff : 0, false), size, 1);
}

/* As one number of the shadow's. */
static LLVMTypeRef shadow_type(const struct shadows *s, LLVMTypeRef type)
{
    return LLVMIntTypeInContext(s->context,
                                8 * (unsigned)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(s->module), type));
}

/* void written(shadow, operation): notifies the executor if not all of it is set. */
static LLVMValueRef asker(const struct shadows *s, LLVMTypeRef type)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(s->context, 0), types[] = {pointer, s->wide, s->wide};
    LLVMTypeRef parameters[] = {type, pointer};
    const char *name = arena_printf(s->options->arena, "gpucc.written.%u", LLVMGetIntTypeWidth(type));
    LLVMValueRef function = LLVMGetNamedFunction(s->module, name), nothing = LLVMConstInt(s->wide, 0, false);
    if (function)
        return function;
    function = LLVMAddFunction(s->module, name,
                               LLVMFunctionType(LLVMVoidTypeInContext(s->context), parameters, 2, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    mark_inlined(function);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(s->context, function, "");
    LLVMBasicBlockRef on_fail = LLVMAppendBasicBlockInContext(s->context, function, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(s->context, function, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(s->context);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef is_set = LLVMBuildICmp(b, LLVMIntEQ, LLVMGetParam(function, 0), LLVMConstAllOnes(type), "");
    LLVMBuildCondBr(b, is_set, end, on_fail);
    LLVMPositionBuilderAtEnd(b, on_fail);
    LLVMValueRef arguments[] = {LLVMGetParam(function, 1), nothing, nothing};
    build_call(b, executors(s->module, "gpucc_cpu_undefined", types, 3), arguments, 3);
    LLVMBuildBr(b, end);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return function;
}

/* Checks a read of one scalar. Copies go unchecked, as a program may copy a struct that it has written in part. */
static void check_read(const struct shadows *s, LLVMValueRef load, LLVMValueRef shadow, const char *name)
{
    unsigned length = 0;
    const char *given = LLVMInstructionGetDebugLoc(load) ? LLVMGetDebugLocFilename(load, &length) : NULL;
    const char *path = given ? arena_strndup(s->options->arena, given, length) : "";
    LLVMTypeRef type = shadow_type(s, LLVMTypeOf(load));
    if (is_partial(load) || !is_users(path) || LLVMGetIntTypeWidth(type) > 8 * LARGEST_READ)
        return;
    const struct operation read = {.path = path, .line = LLVMGetDebugLocLine(load), .kind = UNDEFINED_UNWRITTEN,
                                   .column = LLVMGetDebugLocColumn(load), .name = name};
    LLVMPositionBuilderBefore(s->builder, load);
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(load));
    LLVMValueRef set = LLVMBuildLoad2(s->builder, type, shadow, "");
    LLVMSetAlignment(set, 1);
    LLVMValueRef arguments[] = {set, operation_constant(s->module, &read)};
    build_call(s->builder, asker(s, type), arguments, 2);
}

static void note_write(const struct shadows *s, LLVMValueRef store, LLVMValueRef shadow)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMPositionBuilderBefore(s->builder, store);
    const uint64_t size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(s->module), type);
    fill(s, shadow, true, LLVMConstInt(s->wide, size, false));
}

static void note_call(const struct shadows *s, LLVMValueRef call, LLVMValueRef pointer, LLVMValueRef shadow)
{
    LLVMPositionBuilderBefore(s->builder, call);
    if (is_call_of(call, "llvm.lifetime.start"))
        fill(s, shadow, false, LLVMGetOperand(call, 0));
    else if (is_call_of(call, "llvm.mem") && LLVMGetOperand(call, 0) == pointer)
        fill(s, shadow, true, LLVMGetOperand(call, 2));
}

static void follow(const struct shadows *s, LLVMValueRef pointer, LLVMValueRef shadow, const char *name);

/* The shadow goes the same way as the pointer. */
static void follow_through(const struct shadows *s, LLVMValueRef store, LLVMValueRef shadow, const char *name)
{
    LLVMValueRef parameter = LLVMGetOperand(store, 1);
    LLVMTypeRef type = LLVMTypeOf(shadow);
    LLVMPositionBuilderBefore(s->builder, parameter);
    LLVMValueRef beside = LLVMBuildAlloca(s->builder, type, "");
    LLVMPositionBuilderBefore(s->builder, store);
    LLVMBuildStore(s->builder, shadow, beside);
    FOR_USES(use, parameter) {
        LLVMValueRef load = LLVMGetUser(use);
        if (!LLVMIsALoadInst(load))
            continue;
        LLVMPositionBuilderBefore(s->builder, load);
        follow(s, load, LLVMBuildLoad2(s->builder, type, beside, ""), name);
    }
}

/* Goes over all that is done with the variable, or with a part of it. */
static void follow(const struct shadows *s, LLVMValueRef pointer, LLVMValueRef shadow, const char *name)
{
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use), indices[MOST_INDICES];
        const unsigned count = (unsigned)LLVMGetNumOperands(user) - 1;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad: check_read(s, user, shadow, name); break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == pointer)
                follow_through(s, user, shadow, name);
            else
                note_write(s, user, shadow);
            break;
        case LLVMCall: note_call(s, user, pointer, shadow); break;
        default:
            for (unsigned n = 0; n < count; n++)
                indices[n] = LLVMGetOperand(user, n + 1);
            LLVMPositionBuilderBefore(s->builder, user);
            follow(s, user, LLVMBuildGEP2(s->builder, LLVMGetGEPSourceElementType(user), shadow, indices, count, ""),
                   name);
        }
    }
}

static void add_shadow(const struct shadows *s, LLVMValueRef variable)
{
    const uint64_t size = bytes_of(s, LLVMGetAllocatedType(variable));
    if (size == 0 || size > LARGEST || !is_declared(variable) || !is_seen(variable, 0))
        return;
    LLVMPositionBuilderBefore(s->builder, variable);
    LLVMSetCurrentDebugLocation2(s->builder, NULL);
    LLVMValueRef shadow = LLVMBuildAlloca(s->builder, LLVMArrayType2(s->byte, size), "");
    fill(s, shadow, false, LLVMConstInt(s->wide, size, false));
    follow(s, variable, shadow, source_name(s, variable));
}

void lower_unwritten(const struct options *options, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct shadows s = {.options = options, .module = module, .context = context,
                              .builder = LLVMCreateBuilderInContext(context), .byte = LLVMInt8TypeInContext(context),
                              .wide = LLVMInt64TypeInContext(context)};
    FOR_FUNCTIONS(function, module) {
        if (LLVMIsDeclaration(function))
            continue;
        FOR_INSTRUCTIONS(i, LLVMGetEntryBasicBlock(function))
            if (LLVMIsAAllocaInst(i))
                add_shadow(&s, i);
    }
    LLVMDisposeBuilder(s.builder);
}
