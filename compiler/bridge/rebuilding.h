// C++, a part of codegen.cpp: variables, functions, calls and blocks made anew, where LLVM's C API has no such thing.
#ifndef GPUCC_REBUILDING_H
#define GPUCC_REBUILDING_H

#include "bridge/bridge.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
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
    for (llvm::Argument &argument : old->args()) {
        llvm::Value *with = made->getArg(argument.getArgNo());
        if (with->getType() != argument.getType() && !made->empty()) {
            llvm::IRBuilder<> builder(&made->getEntryBlock(), made->getEntryBlock().begin());
            llvm::Value *variable = builder.CreateAlloca(with->getType());
            builder.CreateStore(with, variable);
            with = builder.CreateLoad(argument.getType(), variable);
        }
        if (with->getType() == argument.getType())
            argument.replaceAllUsesWith(with);
    }
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
}

extern "C" LLVMValueRef codegen_change_call(LLVMValueRef call, LLVMTypeRef type, LLVMValueRef *arguments)
{
    auto *old = llvm::unwrap<llvm::CallInst>(call);
    auto *made = llvm::CallInst::Create(llvm::unwrap<llvm::FunctionType>(type), old->getCalledOperand(),
                                        llvm::ArrayRef(llvm::unwrap(arguments), old->arg_size()), "",
                                        old->getIterator());
    made->setAttributes(old->getAttributes());
    made->setCallingConv(old->getCallingConv());
    made->copyMetadata(*old);
    return llvm::wrap(made);
}

#endif
