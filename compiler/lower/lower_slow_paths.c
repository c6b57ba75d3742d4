/* Slow paths of the math library, which become flags in loops, so that their fast code is straight-line. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"
#include "ptx/ptx.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Slow paths, and those among them that are right for all arguments and hold slow paths of their own. */
#define SLOW "gpucc_slow_"
#define WIDE "gpucc_slow_wide_"

void join_careful_code(LLVMModuleRef module)
{
    unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    FOR_FUNCTIONS(f, module) {
        const char *suffix = strstr(name_of(f), "_careful");
        if (suffix && !suffix[8] && !LLVMIsDeclaration(f) && !reaches(f, SLOW))
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, noinline);
    }
}

void choose_slow_loops(struct build *build)
{
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            struct instance *instance = &build->program.passes[p].instances[i];
            if (!instance->ready)
                continue;
            LLVMValueRef apart = LLVMGetNamedFunction(build->module, READY_APART(build->options.arena, instance));
            if (reaches(apart, SLOW))
                instance->ready = ready_loops_with_slow_paths(instance->ready);
            else
                LLVMDeleteFunction(apart);
        }
}

/* The function's call of `flag`, which announces one; null if there is none. */
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

LLVMValueRef any_announcement(LLVMValueRef function)
{
    LLVMValueRef call = announcement(function, SLOW_FLAG);
    return call ? call : announcement(function, WIDE_FLAG);
}

void join_wide_code(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module) {
        LLVMValueRef call = announcement(f, WIDE_FLAG);
        if (!call || reaches(f, WIDE))
            continue;
        LLVMReplaceAllUsesWith(f, LLVMGetOperand(call, 1));
        LLVMDeleteFunction(f);
    }
}

static unsigned has_slow(LLVMValueRef function)
{
    return reaches(function, SLOW);
}

void answer_questions(LLVMModuleRef module)
{
    answer_question(module, "gpucc_has_slow", has_slow);
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
    FOR_BLOCKS(block, function)
        FOR_INSTRUCTIONS(i, block) {
            if (!called_function(i) || !begins(name_of(called_function(i)), WIDE))
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

void choose_wide_paths(LLVMModuleRef module, bool as_written)
{
    bool any = false;
    FOR_FUNCTIONS(f, module)
        if (announcement(f, WIDE_FLAG))
            any |= always_wide(f);
    if (any)
        inline_marked(module, as_written);
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

static bool is_access_to_array(LLVMValueRef instruction)
{
    if (!LLVMIsALoadInst(instruction) && !LLVMIsAStoreInst(instruction))
        return false;
    LLVMValueRef base = LLVMGetOperand(instruction, LLVMIsAStoreInst(instruction) ? 1 : 0);
    while (LLVMIsAGetElementPtrInst(base))
        base = LLVMGetOperand(base, 0);
    return LLVMIsAArgument(base) || LLVMIsAGlobalVariable(base);
}

/* A loop marked vectorize(assume_safety) has independent rounds as far as arrays go.  A round's own variables that are
 * not in registers are the same memory in all rounds, which Clang's mark denies; and whether vectors are worth while is
 * for LLVM to find out. */
static void make_marks_precise(LLVMValueRef function)
{
    unsigned group = LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)),
                                              "llvm.access.group", 17);
    FOR_BLOCKS(block, function) {
        FOR_INSTRUCTIONS(i, block)
            if (LLVMGetMetadata(i, group) && !is_access_to_array(i))
                LLVMSetMetadata(i, group, NULL);
        codegen_leave_vectorising(LLVMGetBasicBlockTerminator(block));
    }
}

/* In a function that announces a flag, whatever would lead to a call of gpucc_slow_* raises the flag instead. */
static void flag_slow_calls(LLVMBuilderRef builder, LLVMValueRef function, bool exact)
{
    LLVMValueRef call = any_announcement(function);
    if (!call)
        return;
    LLVMValueRef flag = LLVMGetOperand(call, 0);
    LLVMInstructionEraseFromParent(call);
    mark_inlined(function);
    make_marks_precise(function);
    if (exact)
        return;
    LLVMTypeRef bit = LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(flag)));
    FOR_BLOCKS(block, function)
        FOR_INSTRUCTIONS(i, block) {
            if (!called_function(i) || !begins(name_of(called_function(i)), SLOW))
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

void flag_slow_paths(LLVMModuleRef module, bool exact)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_FUNCTIONS(f, module)
        flag_slow_calls(builder, f, exact);
    LLVMDisposeBuilder(builder);
}
