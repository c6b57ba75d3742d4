/* From what Clang emitted to IR that means the same on every target: entries marked, shared and constant memory placed,
 * the math library linked in, and C's undefined numeric corners defined. */
#include "backend.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_SHARED = 3, ADDRESS_CONSTANT = 4 };

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static const char *name_of(LLVMValueRef value)
{
    size_t size;
    return LLVMGetValueName2(value, &size);
}

static bool has_section(LLVMValueRef global, const char *section)
{
    const char *name = LLVMGetSection(global);
    return name && !strcmp(name, section);
}

/* ---- entries ---- */

struct exports {
    struct arena *arena;
    const char **names;
    size_t count;
};

static void export(struct exports *exports, const char *name)
{
    exports->names = arena_grow(exports->arena, exports->names, exports->count, sizeof *exports->names);
    exports->names[exports->count++] = name;
}

static bool is_exported(const struct exports *exports, const char *name)
{
    for (size_t i = 0; i < exports->count; i++)
        if (!strcmp(exports->names[i], name))
            return true;
    return false;
}

static void export_native(struct exports *exports, LLVMModuleRef module, const char *symbol)
{
    const char *block = arena_printf(exports->arena, "%s_block", symbol);
    export(exports, arena_printf(exports->arena, "%s_thread", symbol));
    export(exports, block);
    mark_block(LLVMGetNamedFunction(module, block));
}

static void add_note(LLVMModuleRef module, LLVMValueRef function, const char *key, unsigned value)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef items[] = {LLVMValueAsMetadata(function), LLVMMDStringInContext2(context, key, strlen(key)),
                               LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), value, false))};
    LLVMAddNamedMetadataOperand(module, "nvvm.annotations",
                                LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, items, 3)));
}

static void mark_ptx_entry(const struct options *options, LLVMModuleRef module, const char *name,
                           const struct instance *instance)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    assert(function);
    LLVMSetFunctionCallConv(function, LLVMPTXKernelCallConv);
    add_note(module, function, "kernel", 1);
    if (instance->launch_threads)
        add_note(module, function, "maxntidx", instance->launch_threads);
    if (instance->launch_blocks)
        add_note(module, function, "minctasm", instance->launch_blocks);
    unsigned registers = instance->max_registers ? instance->max_registers : (unsigned)options->max_registers;
    if (registers)
        add_note(module, function, "maxnreg", registers);
    if (instance->cluster[0] * instance->cluster[1] * instance->cluster[2] > 1)
        add_note(module, function, "maxclusterrank", packed_cluster(instance->cluster));
}

/* From its C name to its final one, which says the types that type variables stand for. */
static void rename_function(LLVMModuleRef module, const struct instance *instance)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, instance->function->name);
    assert(function);
    LLVMSetValueName2(function, instance->symbol, strlen(instance->symbol));
}

static void ptx_entries(const struct options *options, LLVMModuleRef module, struct instance *instance,
                        struct exports *exports)
{
    static const char *const suffixes[] = {"", "_rows", "_strided"};
    switch (instance->function->kind) {
    case FUNCTION_UFUNC:
        for (int i = 0; i < 3; i++) {
            const char *name = arena_printf(options->arena, "%s%s", instance->symbol, suffixes[i]);
            export(exports, name);
            mark_ptx_entry(options, module, name, instance);
        }
        break;
    case FUNCTION_KERNEL:
        rename_function(module, instance);
        export(exports, instance->symbol);
        mark_ptx_entry(options, module, instance->symbol, instance);
        break;
    case FUNCTION_DEVICE:
        rename_function(module, instance);
        export(exports, instance->symbol);
        break;
    case FUNCTION_GUFUNC:
        break;
    }
}

static void cpu_entries(const struct options *options, LLVMModuleRef module, struct instance *instance,
                        struct exports *exports)
{
    switch (instance->function->kind) {
    case FUNCTION_UFUNC:
        export(exports, arena_printf(options->arena, "%s_loop", instance->symbol));
        if (options->emulate) {
            export_native(exports, module, instance->symbol);
            export_native(exports, module, arena_printf(options->arena, "%s_rows", instance->symbol));
            export_native(exports, module, arena_printf(options->arena, "%s_strided", instance->symbol));
        }
        break;
    case FUNCTION_KERNEL:
        export_native(exports, module, instance->symbol);
        break;
    case FUNCTION_DEVICE:
        rename_function(module, instance);
        export(exports, instance->symbol);
        break;
    case FUNCTION_GUFUNC:
        break;
    }
}

static bool is_visible_variable(LLVMValueRef global)
{
    return !LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage;
}

static bool is_host_visible(const struct global *globals, size_t count, LLVMValueRef variable)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(globals[i].name, name_of(variable)))
            return true;
    return false;
}

/* Variables that hosts see by name belong to their file's first pass; later passes refer to them.  Of others, that are
 * constant, each pass has its own; other files see the first one's. */
static void settle_globals(const struct pass *pass, LLVMModuleRef module)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global)) {
        if (!is_visible_variable(global))
            continue;
        bool visible = is_host_visible(pass->unit->globals, pass->unit->global_count, global);
        if (!visible && !pass->is_first)
            LLVMSetLinkage(global, LLVMInternalLinkage);
        else if (!pass->is_first)
            LLVMSetInitializer(global, NULL);
        else if (visible)
            LLVMSetExternallyInitialized(global, true);
    }
}

/* Once the files are linked, nobody needs the names of what hosts do not see. */
static void hide_globals(const struct program *program, LLVMModuleRef module)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        if (is_visible_variable(global) && !is_host_visible(program->globals, program->global_count, global))
            LLVMSetLinkage(global, LLVMInternalLinkage);
}

/* Linkage says from here on what is wanted; the list that kept static kernels would have PTX declare them twice. */
static void forget_used(LLVMModuleRef module)
{
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (list)
            LLVMDeleteGlobal(list);
    }
}

void lower_pass(const struct options *options, struct pass *pass, enum target target, LLVMModuleRef module)
{
    struct exports exports = {.arena = options->arena};
    lower_shared(module);
    take_annotations(pass, module);
    for (size_t i = 0; i < pass->instance_count; i++) {
        if (target == TARGET_PTX)
            ptx_entries(options, module, &pass->instances[i], &exports);
        else
            cpu_entries(options, module, &pass->instances[i], &exports);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, is_exported(&exports, name_of(f)) ? LLVMExternalLinkage : LLVMInternalLinkage);
    forget_used(module);
    settle_globals(pass, module);
}

/* ---- memory spaces on the GPU ---- */

static void move_to_space(LLVMModuleRef module, LLVMValueRef global, unsigned space)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    const bool is_shared = space == ADDRESS_SHARED;
    char name[256];
    snprintf(name, sizeof name, "%s", name_of(global));
    LLVMSetValueName2(global, "", 0);
    LLVMValueRef moved = LLVMAddGlobalInAddressSpace(module, type, name, space);
    LLVMSetAlignment(moved, LLVMGetAlignment(global));
    if (!LLVMIsDeclaration(global)) {
        LLVMSetLinkage(moved, LLVMGetLinkage(global));
        LLVMSetInitializer(moved, is_shared ? LLVMGetPoison(type) : LLVMGetInitializer(global));
        LLVMSetExternallyInitialized(moved, LLVMIsExternallyInitialized(global));
    }
    LLVMReplaceAllUsesWith(global, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(global)));
    LLVMDeleteGlobal(global);
}

static void place_memory(LLVMModuleRef module)
{
    LLVMValueRef next;
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = next) {
        next = LLVMGetNextGlobal(global);
        if (has_section(global, ".gpucc.shared") || has_section(global, ".gpucc.dynamic_shared"))
            move_to_space(module, global, ADDRESS_SHARED);
        else if (has_section(global, ".gpucc.constant"))
            move_to_space(module, global, ADDRESS_CONSTANT);
    }
}

/* ---- numbers ---- */

static LLVMValueRef intrinsic(LLVMModuleRef module, const char *name, LLVMTypeRef *types, size_t count)
{
    return LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), types, count);
}

static LLVMValueRef call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

/* Contraction was decided by the C expression; from here on it is a fused multiply-add on every target. */
static void fuse(LLVMModuleRef module)
{
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!starts_with(name_of(f), "llvm.fmuladd."))
            continue;
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f));
        LLVMReplaceAllUsesWith(f, intrinsic(module, "llvm.fma", &type, 1));
        LLVMDeleteFunction(f);
    }
}

/* Out of range saturates, NaN gives 0. */
static LLVMValueRef convert(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef i)
{
    const bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
    LLVMTypeRef types[] = {LLVMTypeOf(i), LLVMTypeOf(LLVMGetOperand(i, 0))};
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    return call(builder, intrinsic(module, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2), &operand, 1);
}

/* A shift by the width or more gives what shifting step by step would. */
static LLVMValueRef shift(LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef value = LLVMGetOperand(i, 0), amount = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMIsAConstant(amount) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return NULL;
    LLVMValueRef last = LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, false);
    LLVMValueRef over = LLVMBuildICmp(builder, LLVMIntUGT, amount, last, "");
    LLVMValueRef within = LLVMBuildSelect(builder, over, last, amount, "");
    if (opcode == LLVMAShr)
        return LLVMBuildAShr(builder, value, within, "");
    LLVMValueRef shifted = LLVMBuildBinOp(builder, opcode, value, within, "");
    return LLVMBuildSelect(builder, over, LLVMConstNull(type), shifted, "");
}

/* x / 0 is 0, x % 0 is 0 and INT_MIN / -1 is INT_MIN, as in NumPy; nothing traps. */
static LLVMValueRef divide(LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef value = LLVMGetOperand(i, 0), divisor = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMIsAConstant(divisor) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return NULL;
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, false);
    LLVMValueRef by_zero = LLVMBuildICmp(builder, LLVMIntEQ, divisor, zero, "");
    LLVMValueRef unsafe = by_zero, by_minus_one = NULL;
    if (opcode == LLVMSDiv || opcode == LLVMSRem) {
        by_minus_one = LLVMBuildICmp(builder, LLVMIntEQ, divisor, LLVMConstAllOnes(type), "");
        unsafe = LLVMBuildOr(builder, by_zero, by_minus_one, "");
    }
    LLVMValueRef safe = LLVMBuildSelect(builder, unsafe, one, divisor, "");
    LLVMValueRef result = LLVMBuildBinOp(builder, opcode, value, safe, "");
    if (opcode == LLVMSDiv) /* 0 - x wraps; x % 1 is already the 0 that x % -1 is */
        result = LLVMBuildSelect(builder, by_minus_one, LLVMBuildSub(builder, zero, value, ""), result, "");
    return LLVMBuildSelect(builder, by_zero, zero, result, "");
}

static LLVMValueRef defined(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPToSI:
    case LLVMFPToUI:
        return convert(module, builder, i);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        return shift(builder, i);
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return divide(builder, i);
    default:
        return NULL;
    }
}

/* Applies to the user's code; the library is written to need none of it. */
static void define_numbers(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMPositionBuilderBefore(builder, i);
                LLVMValueRef replacement = defined(module, builder, i);
                if (replacement) {
                    LLVMReplaceAllUsesWith(i, replacement);
                    LLVMInstructionEraseFromParent(i);
                }
            }
        }
    LLVMDisposeBuilder(builder);
}

/* ---- functions ---- */

static void set_attribute(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static bool calls_itself(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
            return true;
    }
    return false;
}

/* The target machine says for which processor code is made, in the library as in the user's functions. */
static void strip_processor(LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
}

/* Slow paths, and those among them that are right for all arguments and hold slow paths of their own. */
#define SLOW "gpucc_slow_"
#define WIDE "gpucc_slow_wide_"

/* A loop's S_careful stands out of line for its slow paths; where there are none, the call is not worth it. */
static void join_careful_code(LLVMModuleRef module)
{
    unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *suffix = strstr(name_of(f), "_careful");
        if (suffix && !suffix[8] && !LLVMIsDeclaration(f) && !reaches(f, SLOW))
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, noinline);
    }
}

/* The function's call of `flag`, which announces one; null where there is none. */
static LLVMValueRef announcement(LLVMValueRef function, const char *flag)
{
    LLVMValueRef announcer = LLVMGetNamedFunction(LLVMGetGlobalParent(function), flag);
    LLVMUseRef use = announcer ? LLVMGetFirstUse(announcer) : NULL;
    for (; use; use = LLVMGetNextUse(use))
        if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(use))) == function)
            return LLVMGetUser(use);
    return NULL;
}

#define SLOW_FLAG "gpucc_slow_flag"
#define WIDE_FLAG "gpucc_wide_flag"

/* The same of either flag. */
static LLVMValueRef any_announcement(LLVMValueRef function)
{
    LLVMValueRef call = announcement(function, SLOW_FLAG);
    return call ? call : announcement(function, WIDE_FLAG);
}

/* A loop's S_wide takes wide paths; where there are none, it is the S_fast that it names. */
static void join_wide_code(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        LLVMValueRef call = announcement(f, WIDE_FLAG);
        if (!call || reaches(f, WIDE))
            continue;
        LLVMReplaceAllUsesWith(f, LLVMGetOperand(call, 1));
        LLVMDeleteFunction(f);
    }
}

static void mark_inlined(LLVMValueRef function)
{
    if (LLVMGetFunctionCallConv(function) != LLVMPTXKernelCallConv && !has_attribute(function, "noinline") &&
        !calls_itself(function))
        set_attribute(function, "alwaysinline");
}

/* Device code is inlined whole, as every GPU compiler does, what is exported as well; slow paths stay out of line, as
 * do functions that were asked to.  Those that announce a flag follow when it has been raised. */
static void inline_everything(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        set_attribute(f, "nounwind");
        strip_processor(f);
        if (!any_announcement(f))
            mark_inlined(f);
    }
}

/* The instructions that a warp's lanes must come to together are written as assembly where LLVM has no intrinsic: they
 * stay where they are in the control flow, as the intrinsics do. */
static void pin_collective_assembly(LLVMModuleRef module)
{
    LLVMAttributeRef convergent = LLVMCreateEnumAttribute(
        LLVMGetModuleContext(module), LLVMGetEnumAttributeKindForName("convergent", strlen("convergent")), 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
                size_t size;
                LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
                if (called && LLVMIsAInlineAsm(called) && strstr(LLVMGetInlineAsmAsmString(called, &size), ".sync"))
                    LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, convergent);
            }
}

/* Callees first, and each one tidied before it is copied into its callers: that halves the work that follows. */
static void inline_marked(LLVMModuleRef module)
{
    static const char pipeline[] = "cgscc(inline<only-mandatory>,function(sroa,simplifycfg,early-cse)),globaldce";
    LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, pipeline, NULL, passes);
    LLVMDisposePassBuilderOptions(passes);
    if (error)
        fatal("%s", LLVMGetErrorMessage(error));
}

/* ---- slow paths ---- */

static LLVMValueRef called_function(LLVMValueRef instruction)
{
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return called && LLVMIsAFunction(called) ? called : NULL;
}

/* The branch by which alone `block` is entered, where it is a conditional one; else null. */
static LLVMValueRef only_branch_to(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef branch = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return branch && LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? branch : NULL;
}

/* `if (c) wide(); else fast();` becomes `wide();`, which is right for what fast() is right for, and is inlined. */
static bool always_wide(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    bool any = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (!called_function(i) || !starts_with(name_of(called_function(i)), WIDE))
                continue;
            LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
            LLVMValueRef branch = only_branch_to(block);
            if (branch)
                LLVMSetCondition(branch, LLVMConstInt(LLVMInt1TypeInContext(context),
                                                      LLVMGetSuccessor(branch, 0) == block, false));
            any = true;
        }
    return any;
}

/* In functions that announce it; where there are any, inlines again. */
static void take_wide_paths(LLVMModuleRef module)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (announcement(f, WIDE_FLAG))
            any |= always_wide(f);
    if (any)
        inline_marked(module);
}

static void raise_flag(LLVMBuilderRef builder, LLVMValueRef flag, LLVMValueRef when)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(when)));
    LLVMValueRef before = LLVMBuildLoad2(builder, type, flag, "");
    LLVMBuildStore(builder, LLVMBuildOr(builder, before, LLVMBuildZExt(builder, when, type, ""), ""), flag);
}

/* `if (c) slow(); else fast();` becomes `flag |= c; fast();`: what fast() gives is worthless where c holds, but it is
 * straight-line code now. */
static void always_fast(LLVMBuilderRef builder, LLVMValueRef branch, LLVMBasicBlockRef slow, LLVMValueRef flag)
{
    bool when_true = LLVMGetSuccessor(branch, 0) == slow;
    LLVMBasicBlockRef fast = LLVMGetSuccessor(branch, when_true ? 1 : 0);
    LLVMPositionBuilderBefore(builder, branch);
    LLVMValueRef condition = LLVMGetCondition(branch);
    raise_flag(builder, flag, when_true ? condition : LLVMBuildNot(builder, condition, ""));
    LLVMBuildBr(builder, fast);
    LLVMInstructionEraseFromParent(branch);
}

/* In a function that announces a flag, whatever would lead to a call of gpucc_slow_* raises the flag instead. */
static void flag_slow_calls(LLVMBuilderRef builder, LLVMValueRef function)
{
    LLVMValueRef call = any_announcement(function), next;
    if (!call)
        return;
    LLVMValueRef flag = LLVMGetOperand(call, 0);
    LLVMInstructionEraseFromParent(call);
    mark_inlined(function);
    LLVMTypeRef bit = LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(flag)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!called_function(i) || !starts_with(name_of(called_function(i)), SLOW))
                continue;
            LLVMValueRef branch = only_branch_to(block);
            if (branch) {
                always_fast(builder, branch, block, flag);
            } else {
                LLVMPositionBuilderBefore(builder, i);
                raise_flag(builder, flag, LLVMConstInt(bit, 1, false));
            }
            LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
}

/* The loops' fast code must hold the calls before these can become flags, so inlining comes first. */
static void flag_slow_paths(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        flag_slow_calls(builder, f);
    LLVMDisposeBuilder(builder);
}

/* The library's own names, and those by which Clang calls complex arithmetic: __mulsc3, __divdc3 … */
static bool is_library_name(const char *name)
{
    bool complex = starts_with(name, "__mul") || starts_with(name, "__div");
    return starts_with(name, "gpucc_") || (complex && strlen(name) == 8 && !strcmp(name + 6, "c3"));
}

/* The file of the library that defines a function which is only declared so far; null where all are there. */
static const struct embedded_file *missing_library(LLVMModuleRef module, enum target target)
{
    const struct embedded_file *library = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !library; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && is_library_name(name_of(f)))
            library = library_with(target, name_of(f));
    return library;
}

static void link_library(LLVMModuleRef module, enum target target)
{
    const struct embedded_file *library;
    while ((library = missing_library(module, target)))
        if (!codegen_link(module, library->data, library->size))
            fatal("the math library inside this executable does not fit its LLVM");
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && is_library_name(name_of(f)) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMInternalLinkage);
}

bool lower_program(const struct options *options, struct program *program, enum target target, int arch,
                   LLVMModuleRef module, struct diagnostics *diagnostics)
{
    if (options->checks && target == TARGET_CPU)
        lower_checks(options, module);
    if (!measure_kernels(options, program, target, module, diagnostics))
        return false;
    hide_globals(program, module);
    lower_wide(module);
    lower_half(module, target);
    if (target == TARGET_PTX) {
        lower_copies(module);
        lower_atomics(module);
        pin_collective_assembly(module);
    }
    define_numbers(module);
    lower_fast(options, target, target == TARGET_PTX ? program_isa(program, arch) : 0, module);
    if (target == TARGET_PTX && program->files->libdevice.data)
        link_libdevice(options, program, module);
    if (target == TARGET_PTX)
        lower_reflection(options, arch, module);
    stage_done(options, "lower");
    link_library(module, target);
    stage_done(options, "library");
    fuse(module);
    join_careful_code(module);
    join_wide_code(module);
    inline_everything(module);
    inline_marked(module);
    take_wide_paths(module);
    flag_slow_paths(module);
    bool right = check_constants(program, module, diagnostics);
    if (options->checks & CHECK_BOUNDS && target == TARGET_CPU)
        lower_limits(options, module);
    if (target == TARGET_PTX)
        place_memory(module);
    else
        lower_cpu(module);
    return right;
}
