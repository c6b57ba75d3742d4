/* Copies parameters that functions write into variables, before LLVM's PTX back end does.  It would take copies to and
 * from such a variable apart behind our passes, into loads of 16 bytes at any address, which memory_faults.c mends
 * only where it sees them. */
#include "bridge/bridge.h"
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Whether all uses are loads: the back end then reads the parameter where it is. */
static bool is_only_read(LLVMValueRef address)
{
    FOR_USES(use, address) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user))
            continue;
        if (!(LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) || !is_only_read(user))
            return false;
    }
    return true;
}

static LLVMAttributeRef parameter_attribute(LLVMValueRef function, unsigned index, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, index + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Integers as wide as the alignment permits. */
static void copy_pieces(LLVMBuilderRef b, LLVMValueRef to, LLVMValueRef from, uint64_t size, unsigned align)
{
    enum { LARGEST = 8 };
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
    LLVMTypeRef byte = LLVMInt8TypeInContext(context);
    unsigned piece = align < LARGEST ? align : LARGEST;
    for (uint64_t at = 0; at < size; at += piece) {
        while (piece > size - at)
            piece /= 2;
        LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context), at, false);
        LLVMValueRef value = LLVMBuildLoad2(b, LLVMIntTypeInContext(context, 8 * piece),
                                            LLVMBuildInBoundsGEP2(b, byte, from, &offset, 1, ""), "");
        LLVMValueRef store = LLVMBuildStore(b, value, LLVMBuildInBoundsGEP2(b, byte, to, &offset, 1, ""));
        LLVMSetAlignment(value, piece);
        LLVMSetAlignment(store, piece);
    }
}

static void copy_parameter(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef function, unsigned index)
{
    LLVMValueRef parameter = LLVMGetParam(function, index);
    LLVMTypeRef type = LLVMGetTypeAttributeValue(parameter_attribute(function, index, "byval"));
    LLVMAttributeRef aligned = parameter_attribute(function, index, "align");
    const unsigned align =
        aligned ? (unsigned)LLVMGetEnumAttributeValue(aligned) : LLVMABIAlignmentOfType(layout, type);
    LLVMPositionBuilderBefore(b, first_instruction(function));
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(copy, align);
    LLVMReplaceAllUsesWith(parameter, copy);
    copy_pieces(b, copy, parameter, LLVMABISizeOfType(layout, type), align);
}

/* Whether the function has such parameters. */
static bool copy_parameters(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef function)
{
    bool is_any = false;
    for (unsigned i = 0; first_instruction(function) && i < LLVMCountParams(function); i++)
        if (parameter_attribute(function, i, "byval") && !is_only_read(LLVMGetParam(function, i)) &&
            !(LLVMGetFunctionCallConv(function) == LLVMPTXKernelCallConv && is_tensor_map(function, i))) {
            copy_parameter(b, layout, function, i);
            is_any = true;
        }
    return is_any;
}

void copy_written_parameters(LLVMModuleRef module)
{
    static const char passes[] = "sroa<preserve-cfg>,instcombine<no-verify-fixpoint>";
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_FUNCTIONS(function, module)
        if (copy_parameters(b, LLVMGetModuleDataLayout(module), function) && !codegen_run_passes(function, passes))
            fatal("this LLVM does not have the passes %s", passes);
    LLVMDisposeBuilder(b);
}
