// C++, a part of codegen.cpp: a function that goes one of two ways from a place in its entry on.
#ifndef GPUCC_SECOND_PATH_H
#define GPUCC_SECOND_PATH_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace {

// A copy of all that a function does after an instruction of its entry, or of all where that is null.  The copy uses
// the first path's values until branch() is called; map may name others for it.
class SecondPath {
public:
    SecondPath(llvm::Function &function, llvm::Instruction *last, const char *suffix)
        : entry(function.getEntryBlock())
    {
        for (llvm::Instruction &i : llvm::make_early_inc_range(entry))
            if (llvm::isa<llvm::AllocaInst>(i))
                i.moveBefore(&*entry.begin());
        llvm::Instruction *place = last ? last->getNextNode() : &*entry.getFirstNonPHIOrDbgOrAlloca();
        first = entry.splitBasicBlock(place, "rest");
        llvm::SmallVector<llvm::BasicBlock *, 32> blocks;
        for (llvm::BasicBlock &block : function)
            if (&block != &entry)
                blocks.push_back(&block);
        for (llvm::BasicBlock *block : blocks) {
            copies.push_back(llvm::CloneBasicBlock(block, map, suffix, &function));
            map[block] = copies.back();
        }
        second = llvm::cast<llvm::BasicBlock>(map[first]);
    }

    // Whether the instruction is the second path's.
    bool contains(const llvm::Instruction &i) const { return llvm::is_contained(copies, i.getParent()); }

    // Has the second path taken where the condition holds.
    void branch(llvm::Value &condition)
    {
        llvm::remapInstructionsInBlocks(copies, map);
        entry.getTerminator()->eraseFromParent();
        llvm::BranchInst::Create(second, first, &condition, &entry);
    }

    llvm::BasicBlock &entry;
    llvm::BasicBlock *first = nullptr, *second = nullptr; // the paths' own first blocks
    llvm::ValueToValueMapTy map;

private:
    llvm::SmallVector<llvm::BasicBlock *, 32> copies;
};

} // namespace

#endif
