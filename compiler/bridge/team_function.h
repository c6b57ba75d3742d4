// C++, a part of codegen.cpp: a gufunc's function while its loops are rewritten, and the terms of its sums.
#ifndef GPUCC_TEAM_FUNCTION_H
#define GPUCC_TEAM_FUNCTION_H

#include "bridge/team_loops.h"

#include <llvm/IR/IRBuilder.h>

namespace {

// The functions of stdlib/loops/team.h, in the order of the call by which it hands them on.
struct TeamParts {
    llvm::Function *index, *size, *barrier, *swap32, *swap64, *run;
    llvm::Function *push[2][2], *finish[2][2];      // of a team: sum, product; float32, float64
    llvm::Function *append[2][2], *fuse[2], *first[2]; // the same in order; sums of products; the first warp's value
    llvm::Function *pushAlone[2][2], *finishAlone[2][2]; // of one thread
    llvm::Function *pushChunk[2][2], *finishChunk[2][2]; // of one thread, in chunks
    llvm::Function *pushBlock[2][2], *finishBlock[2][2]; // of one thread, in blocks
    llvm::Function *pushRows[2][2], *finishRows[2][2];   // of one thread, for several loops' sums at once
    llvm::Function *scanAlone[2][2];                             // accumulations: of one thread
    llvm::Function *startScan[2][2], *scan[2][2], *last[2][2];   // of a team
};

// The numbers of values that the state of a tree has: of a team, and of one thread, for an accumulation and for blocks
// twice as many.
constexpr unsigned teamState = 7, aloneState = 64;

// GPUCC_CHUNK of stdlib/loops/team.h.
constexpr unsigned chunkSize = 512;

// GPUCC_TERMS of it.
constexpr unsigned blockSize = 64;

// Sums of several rows that one loop computes together, and the number of values that their state has.
constexpr unsigned rowsAtOnce = 8, rowsState = 1024;

class TeamFunction {
public:
    TeamFunction(llvm::Function &function, const TeamParts &parts)
        : function(function), parts(parts), builder(function.getContext())
    {
    }

    // Has the numbers of the thread and of the team's threads at the function's begin.
    void readTeam(bool needsBarriers)
    {
        builder.SetInsertPoint(function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        index = builder.CreateCall(parts.index);
        size = builder.CreateCall(parts.size);
        hasBarriers = needsBarriers;
    }

    // The team's barrier, before this instruction.
    void wait(llvm::Instruction *before)
    {
        if (!hasBarriers)
            return;
        builder.SetInsertPoint(before);
        builder.CreateCall(parts.barrier);
    }

    llvm::AllocaInst *allocate(llvm::Type *type, unsigned count)
    {
        builder.SetInsertPoint(function.getEntryBlock().getFirstNonPHIOrDbg());
        return builder.CreateAlloca(llvm::ArrayType::get(type, count), nullptr, "tree");
    }

    static bool isProduct(const Recurrence &item)
    {
        return item.operation->getOpcode() == llvm::Instruction::FMul;
    }

    // −0 for sums and 1 for products, which leave any value as it is.
    static llvm::Constant *identity(const Recurrence &item)
    {
        llvm::Type *type = item.phi->getType();
        return isProduct(item) ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantFP::getNegativeZero(type);
    }

    // The term that the iteration adds, before the operation.  With a place for it, a product stays one factor and the
    // other.
    llvm::Value *termOf(const Recurrence &item, llvm::Value **factor = nullptr)
    {
        llvm::Instruction *i = item.operation;
        builder.SetInsertPoint(i);
        if (isFused(*i) && factor) {
            *factor = i->getOperand(1);
            return i->getOperand(0);
        }
        if (isFused(*i))
            return builder.CreateFMul(i->getOperand(0), i->getOperand(1));
        if (i->getOpcode() == llvm::Instruction::FSub)
            return builder.CreateFNeg(i->getOperand(1));
        return isInChain(i->getOperand(0), item.phi) ? i->getOperand(1) : i->getOperand(0);
    }

    // Makes of the chain from the phi to its next value the term that the iteration adds, or the identity.
    llvm::Value *isolateTerm(Recurrence &item, llvm::Value **factor)
    {
        llvm::Instruction *i = item.operation;
        llvm::Constant *none = identity(item);
        llvm::Value *term = termOf(item, factor), *update = item.update == i ? term : item.update;
        i->replaceAllUsesWith(term);
        i->eraseFromParent();
        item.operation = nullptr;
        item.phi->replaceAllUsesWith(none);
        return update;
    }

    // Whether the value is the phi, or what a join makes of it before the operation.
    static bool isInChain(const llvm::Value *value, const llvm::PHINode *phi)
    {
        llvm::SmallVector<const llvm::Value *, 8> work = {phi};
        llvm::SmallPtrSet<const llvm::Value *, 8> seen = {phi};
        while (!work.empty()) {
            const llvm::Value *next = work.pop_back_val();
            if (next == value)
                return true;
            for (const llvm::User *user : next->users())
                if ((llvm::isa<llvm::SelectInst>(user) || llvm::isa<llvm::PHINode>(user)) && seen.insert(user).second)
                    work.push_back(user);
        }
        return false;
    }

    // Combines the loop's first value with the sum.  A zero is no term of a sum of every iteration's value.
    llvm::Value *withStart(const Recurrence &item, bool product, llvm::Value *start, llvm::Value *total)
    {
        auto *constant = llvm::dyn_cast<llvm::ConstantFP>(start);
        if (constant && (product ? constant->isExactlyValue(1.0) : constant->isZero() && item.isPlain))
            return total;
        return product ? builder.CreateFMul(start, total) : builder.CreateFAdd(start, total);
    }

    llvm::BasicBlock *createBlock(const char *name, llvm::BasicBlock *before = nullptr)
    {
        return llvm::BasicBlock::Create(function.getContext(), name, &function, before);
    }

    llvm::Function &function;
    const TeamParts parts;
    llvm::IRBuilder<> builder;
    llvm::Value *index = nullptr, *size = nullptr; // of the thread, of the team; null for one thread
    bool hasBarriers = false;
};

} // namespace

#endif
