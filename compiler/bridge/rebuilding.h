// C++, a part of codegen.cpp: variables, functions, calls and blocks made anew, where LLVM's C API has no such thing.
#ifndef GPUCC_REBUILDING_H
#define GPUCC_REBUILDING_H

#include "bridge/bridge.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

extern "C" void codegen_initialize(LLVMValueRef global, LLVMValueRef constant)
{
    auto *old = llvm::unwrap<llvm::GlobalVariable>(global);
    auto *value = llvm::unwrap<llvm::Constant>(constant);
    auto *made = new llvm::GlobalVariable(*old->getParent(), value->getType(), old->isConstant(), old->getLinkage(),
                                          value, "", old, old->getThreadLocalMode(), old->getAddressSpace());
    made->copyAttributesFrom(old);
    made->copyMetadata(old, 0);
    made->takeName(old);
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
}

extern "C" LLVMBasicBlockRef codegen_split_block(LLVMValueRef instruction)
{
    auto *second = llvm::unwrap<llvm::Instruction>(instruction);
    return llvm::wrap(second->getParent()->splitBasicBlock(second->getIterator()));
}

extern "C" void codegen_change_type(LLVMValueRef function, LLVMTypeRef type)
{
    auto *old = llvm::unwrap<llvm::Function>(function);
    auto *made = llvm::Function::Create(llvm::unwrap<llvm::FunctionType>(type), old->getLinkage(),
                                        old->getAddressSpace());
    old->getParent()->getFunctionList().insert(old->getIterator(), made);
    made->copyAttributesFrom(old);
    made->copyMetadata(old, 0);
    made->takeName(old);
    made->splice(made->end(), old);
    for (llvm::Argument &argument : old->args())
        argument.replaceAllUsesWith(made->getArg(argument.getArgNo()));
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
}

extern "C" LLVMValueRef codegen_change_call(LLVMValueRef call, LLVMTypeRef type)
{
    auto *old = llvm::unwrap<llvm::CallInst>(call);
    const llvm::SmallVector<llvm::Value *> arguments(old->args());
    auto *made = llvm::CallInst::Create(llvm::unwrap<llvm::FunctionType>(type), old->getCalledOperand(), arguments, "",
                                        old->getIterator());
    made->setAttributes(old->getAttributes());
    made->setCallingConv(old->getCallingConv());
    made->copyMetadata(*old);
    return llvm::wrap(made);
}

#endif
