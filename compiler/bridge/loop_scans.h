// C++, a part of codegen.cpp: uses of partial values of a recurrence in the iterations: `y[i] = sum += x[i];`.
#ifndef GPUCC_LOOP_SCANS_H
#define GPUCC_LOOP_SCANS_H

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace {

using ValueSet = llvm::SmallPtrSet<const llvm::Value *, 8>;

// Everything in an iteration that depends on certain instructions.
class Followers {
public:
    explicit Followers(const llvm::Loop &loop) : loop(loop) {}

    void add(const llvm::Instruction &first)
    {
        llvm::SmallVector<const llvm::Instruction *, 16> work = {&first};
        while (!work.empty()) {
            const llvm::Instruction *i = work.pop_back_val();
            if (!loop.contains(i) || isOfHeader(*i) || !all.insert(i).second)
                continue;
            for (const llvm::User *user : i->users())
                work.push_back(llvm::cast<llvm::Instruction>(user));
        }
    }

    void addUsers(const llvm::Value &value)
    {
        for (const llvm::User *user : value.users())
            add(*llvm::cast<llvm::Instruction>(user));
    }

    bool has(const llvm::Value *value) const { return all.contains(value); }

    // Whether all of it runs in any order after the updates of recurrences: branches come behind them, and no memory
    // but an output's has such values.
    bool runsBehind(llvm::ArrayRef<const llvm::Value *> updates, const llvm::DominatorTree &dominators) const
    {
        for (const llvm::Value *value : all) {
            auto *i = llvm::cast<llvm::Instruction>(value);
            auto *store = llvm::dyn_cast<llvm::StoreInst>(i);
            if (store && !llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(store->getPointerOperand(), 0)))
                return false;
            for (const llvm::Value *update : updates)
                if (update == i || (i->isTerminator() && !dominators.dominates(update, i)))
                    return false;
        }
        return true;
    }

private:
    bool isOfHeader(const llvm::Instruction &i) const
    {
        return llvm::isa<llvm::PHINode>(i) && i.getParent() == loop.getHeader();
    }

    const llvm::Loop &loop;
    llvm::SmallPtrSet<const llvm::Value *, 16> all;
};

// Whether the loop loads from memory that it stores to, other than local arrays.
inline bool loadsOutputs(const llvm::Loop &loop)
{
    ValueSet stored;
    for (const llvm::BasicBlock *block : loop.blocks())
        for (const llvm::Instruction &i : *block)
            if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&i))
                stored.insert(llvm::getUnderlyingObject(store->getPointerOperand(), 0));
    for (const llvm::BasicBlock *block : loop.blocks())
        for (const llvm::Instruction &i : *block)
            if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                const llvm::Value *object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
                if (stored.contains(object) && !llvm::isa<llvm::AllocaInst>(object))
                    return true;
            }
    return false;
}

} // namespace

#endif
