// C++, a part of codegen.cpp: a variable of which each call of certain functions has its own, as errno is.
#ifndef GPUCC_CALL_VARIABLE_H
#define GPUCC_CALL_VARIABLE_H

#include "bridge/bridge.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

// Functions below the roots that use the variable, or call such, get a version with its address as one more parameter.
// Callers elsewhere keep the old name, which is a wrapper now: it makes the variable and calls the version.
class CallVariable {
public:
    CallVariable(llvm::GlobalVariable &variable, const char *mark) : variable(variable), mark(mark) {}

    void pass()
    {
        findBelow();
        findUsing();
        for (llvm::Function *function : usingIt)
            makeVersion(*function);
        for (llvm::Function *function : usingIt)
            settleCalls(*versions[function]);
        for (llvm::Function *function : usingIt)
            makeWrapper(*function);
    }

private:
    using Functions = llvm::SetVector<llvm::Function *>;

    void findBelow()
    {
        for (llvm::Function &function : *variable.getParent())
            if (function.hasFnAttribute(mark) && !function.isDeclaration())
                below.insert(&function);
        for (size_t i = 0; i < below.size(); i++)
            for (llvm::Instruction &instruction : llvm::instructions(*below[i]))
                for (llvm::Value *operand : instruction.operands())
                    if (auto *used = llvm::dyn_cast<llvm::Function>(operand))
                        if (!used->isDeclaration())
                            below.insert(used);
    }

    void addUser(llvm::User *user)
    {
        auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
        if (instruction && below.contains(instruction->getFunction()))
            usingIt.insert(instruction->getFunction());
    }

    void findUsing()
    {
        for (llvm::User *user : variable.users())
            addUser(user);
        for (size_t i = 0; i < usingIt.size(); i++)
            for (llvm::User *user : usingIt[i]->users())
                if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
                    if (call->getCalledOperand() == usingIt[i])
                        addUser(call);
    }

    void makeVersion(llvm::Function &old)
    {
        llvm::SmallVector<llvm::Type *> types(old.getFunctionType()->params());
        types.push_back(variable.getType());
        auto *type = llvm::FunctionType::get(old.getReturnType(), types, false);
        auto *version = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, old.getAddressSpace(),
                                               old.getName() + ".with_" + variable.getName(), old.getParent());
        version->setAttributes(old.getAttributes());
        version->removeFnAttr(mark);
        version->copyMetadata(&old, 0);
        old.setSubprogram(nullptr);
        version->splice(version->end(), &old);
        for (llvm::Argument &argument : old.args())
            argument.replaceAllUsesWith(version->getArg(argument.getArgNo()));
        versions[&old] = version;
        for (llvm::Instruction &instruction : llvm::instructions(*version))
            instruction.replaceUsesOfWith(&variable, version->getArg(old.arg_size()));
    }

    llvm::CallInst *callVersion(llvm::IRBuilder<> &builder, llvm::Function &old, llvm::ArrayRef<llvm::Value *> given,
                                llvm::Value *address)
    {
        llvm::SmallVector<llvm::Value *> arguments(given);
        arguments.push_back(address);
        return builder.CreateCall(versions[&old], arguments);
    }

    void settleCalls(llvm::Function &version)
    {
        llvm::Value *address = version.getArg(version.arg_size() - 1);
        for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(version))) {
            auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            llvm::Function *called = call ? call->getCalledFunction() : nullptr;
            if (!called || !versions.contains(called))
                continue;
            llvm::IRBuilder<> builder(call);
            llvm::SmallVector<llvm::Value *> given(call->args());
            llvm::CallInst *made = callVersion(builder, *called, given, address);
            made->setAttributes(call->getAttributes());
            made->copyMetadata(*call);
            call->replaceAllUsesWith(made);
            call->eraseFromParent();
        }
    }

    void makeWrapper(llvm::Function &old)
    {
        llvm::IRBuilder<> builder(llvm::BasicBlock::Create(old.getContext(), "", &old));
        llvm::Value *address = builder.CreateAlloca(variable.getValueType());
        builder.CreateStore(llvm::Constant::getNullValue(variable.getValueType()), address);
        llvm::SmallVector<llvm::Value *> given;
        llvm::SmallVector<llvm::AttributeSet> attributes;
        for (llvm::Argument &argument : old.args()) {
            given.push_back(&argument);
            attributes.push_back(old.getAttributes().getParamAttrs(argument.getArgNo()));
        }
        llvm::CallInst *call = callVersion(builder, old, given, address);
        call->setAttributes(llvm::AttributeList::get(old.getContext(), {}, old.getAttributes().getRetAttrs(),
                                                     attributes));
        if (old.getReturnType()->isVoidTy())
            builder.CreateRetVoid();
        else
            builder.CreateRet(call);
    }

    llvm::GlobalVariable &variable;
    const char *mark;
    Functions below, usingIt;
    llvm::DenseMap<llvm::Function *, llvm::Function *> versions;
};

extern "C" void codegen_pass_variable(LLVMValueRef variable, const char *mark)
{
    CallVariable(*llvm::unwrap<llvm::GlobalVariable>(variable), mark).pass();
}

#endif
