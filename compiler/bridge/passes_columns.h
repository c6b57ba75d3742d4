// C++, a part of codegen.cpp: maps columns of a device pass's text to those of the file, as the host pass does.
#ifndef GPUCC_PASSES_COLUMNS_H
#define GPUCC_PASSES_COLUMNS_H

#include "bridge/bridge.h"

#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

namespace {

unsigned columnOf(const codegen_request &request, llvm::StringRef file, unsigned line, unsigned column)
{
    return request.spelling ? request.column(request.spelling, file.str().c_str(), line, column) : column;
}

unsigned columnOf(const codegen_request &request, const clang::PresumedLoc &place)
{
    return columnOf(request, place.getFilename(), place.getLine(), place.getColumn());
}

// In a module as CodeGen makes it: what debuggers read of instructions, and checks of what they find.
class SourceColumns {
public:
    SourceColumns(llvm::Module &module, const codegen_request &request) : module(module), request(request) {}

    void settle()
    {
        for (llvm::Function &function : module) {
            for (llvm::Instruction &instruction : llvm::instructions(function))
                settle(instruction);
            if (function.getName().starts_with("__ubsan_handle_"))
                for (llvm::User *user : function.users())
                    settle(llvm::dyn_cast<llvm::CallBase>(user));
        }
    }

private:
    void settle(llvm::Instruction &instruction)
    {
        const llvm::DILocation *at = instruction.getDebugLoc().get();
        if (!at)
            return;
        llvm::SmallString<128> path(at->getDirectory());
        llvm::sys::path::append(path, at->getFilename());
        unsigned column = columnOf(request, at->getFilename(), at->getLine(), at->getColumn());
        if (column == at->getColumn()) // the name is of a folder, or of a file without columns of its own
            column = columnOf(request, path, at->getLine(), at->getColumn());
        instruction.setDebugLoc(llvm::DILocation::get(module.getContext(), at->getLine(), column, at->getScope(),
                                                      at->getInlinedAt(), at->isImplicitCode()));
    }

    // UBSan's handlers have a description as their first argument: { { file, line, column }, … }.
    void settle(const llvm::CallBase *call)
    {
        auto *variable = call ? llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0)) : nullptr;
        auto *what = variable ? llvm::dyn_cast<llvm::ConstantStruct>(variable->getInitializer()) : nullptr;
        auto *place = what ? llvm::dyn_cast<llvm::ConstantStruct>(what->getOperand(0)) : nullptr;
        auto *file = place ? llvm::dyn_cast<llvm::GlobalVariable>(place->getOperand(0)) : nullptr;
        auto *name = file ? llvm::dyn_cast<llvm::ConstantDataArray>(file->getInitializer()) : nullptr;
        if (!name || !settled.insert(variable).second)
            return;
        auto number = [&](unsigned i) {
            return unsigned(llvm::cast<llvm::ConstantInt>(place->getOperand(i))->getZExtValue());
        };
        llvm::Constant *column = llvm::ConstantInt::get(
            place->getOperand(2)->getType(), columnOf(request, name->getAsCString(), number(1), number(2)));
        llvm::SmallVector<llvm::Constant *> fields;
        for (const llvm::Use &field : what->operands())
            fields.push_back(llvm::cast<llvm::Constant>(field));
        fields[0] = llvm::ConstantStruct::get(place->getType(), {place->getOperand(0), place->getOperand(1), column});
        variable->setInitializer(llvm::ConstantStruct::get(what->getType(), fields));
    }

    llvm::Module &module;
    const codegen_request &request;
    llvm::SmallPtrSet<const llvm::GlobalVariable *, 16> settled;
};

} // namespace

#endif
