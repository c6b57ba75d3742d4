// C++, a part of codegen.cpp: minima and maxima of loops as those of integers, of which LLVM makes SIMD code.
#ifndef GPUCC_EXTREME_KEYS_H
#define GPUCC_EXTREME_KEYS_H

#include "bridge/loop_recurrences.h"

#include <llvm/IR/IRBuilder.h>

namespace {

// fmax() and fmin() ignore NaN and order zeros by their signs.  So do signed integers of the same order, where NaN is
// the least one for a maximum, and the greatest for a minimum.
class ExtremeKeys {
public:
    ExtremeKeys(llvm::Loop &loop, llvm::PHINode &phi)
        : loop(loop), phi(phi), preheader(loop.getLoopPreheader()), builder(phi.getContext())
    {
    }

    // False if the phi is no such extreme, or if its values are used otherwise in the loop.
    bool run()
    {
        if (!preheader || !loop.getLoopLatch() || !(phi.getType()->isFloatTy() || phi.getType()->isDoubleTy()) ||
            !collect())
            return false;
        word = builder.getIntNTy(phi.getType()->getPrimitiveSizeInBits().getFixedValue());
        bool isMaximum = extreme->getName().starts_with("gpucc_fmax");
        intrinsic = isMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
        const auto bits = word->getIntegerBitWidth();
        none = builder.getInt(isMaximum ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
        for (llvm::PHINode *result : results)
            replaceResult(*result);
        return true;
    }

private:
    // Whether all that follows from the phi in the loop is one chain of calls of the same function.
    bool collect()
    {
        llvm::SmallVector<llvm::Value *, 8> work = {&phi};
        chain.insert(&phi);
        while (!work.empty()) {
            llvm::Value *value = work.pop_back_val();
            for (llvm::User *user : value->users()) {
                auto *i = llvm::cast<llvm::Instruction>(user);
                if (!loop.contains(i)) {
                    auto *result = llvm::dyn_cast<llvm::PHINode>(i);
                    if (!result)
                        return false;
                    results.insert(result);
                } else if (!isPart(*i)) {
                    return false;
                } else if (chain.insert(i).second) {
                    work.push_back(i);
                }
            }
        }
        for (const llvm::Value *value : chain)
            if (value != &phi && !hasPartsOnly(*llvm::cast<llvm::Instruction>(value)))
                return false;
        return extreme && chain.contains(phi.getIncomingValueForBlock(loop.getLoopLatch())) &&
               llvm::all_of(results, [this](const llvm::PHINode *result) {
                   return llvm::all_of(result->incoming_values(),
                                       [this](const llvm::Value *value) { return chain.contains(value); });
               });
    }

    bool isPart(const llvm::Instruction &i)
    {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&i);
        if (!call)
            return llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i);
        if (!isOrderedExtreme(*call) || (extreme && extreme != call->getCalledFunction()))
            return false;
        extreme = call->getCalledFunction();
        return true;
    }

    bool hasPartsOnly(const llvm::Instruction &i) const
    {
        if (llvm::isa<llvm::CallInst>(i))
            return chain.contains(i.getOperand(0)) != chain.contains(i.getOperand(1));
        const unsigned first = llvm::isa<llvm::SelectInst>(i);
        for (unsigned k = first; k < i.getNumOperands(); k++)
            if (!chain.contains(i.getOperand(k)))
                return false;
        return !first || !chain.contains(i.getOperand(0));
    }

    // The bits, all but the sign reversed if it is set.
    llvm::Value *reverse(llvm::Value *bits)
    {
        const unsigned width = word->getIntegerBitWidth();
        llvm::Value *mask = builder.CreateAnd(builder.CreateAShr(bits, width - 1),
                                              builder.getInt(llvm::APInt::getSignedMaxValue(width)));
        return builder.CreateXor(bits, mask);
    }

    llvm::Value *keyOf(llvm::Value *value)
    {
        return builder.CreateSelect(builder.CreateFCmpUNO(value, value), none,
                                    reverse(builder.CreateBitCast(value, word)));
    }

    llvm::Value *mirror(llvm::Value *value)
    {
        if (llvm::Value *made = known.lookup(value))
            return made;
        auto *i = llvm::cast<llvm::Instruction>(value);
        if (auto *join = llvm::dyn_cast<llvm::PHINode>(value))
            return mirrorPhi(*join);
        if (llvm::isa<llvm::SelectInst>(i)) {
            llvm::Value *yes = mirror(i->getOperand(1)), *no = mirror(i->getOperand(2));
            builder.SetInsertPoint(i);
            return known[value] = builder.CreateSelect(i->getOperand(0), yes, no);
        }
        const unsigned own = chain.contains(i->getOperand(1));
        llvm::Value *before = mirror(i->getOperand(own));
        builder.SetInsertPoint(i);
        return known[value] = builder.CreateBinaryIntrinsic(intrinsic, before, keyOf(i->getOperand(!own)));
    }

    llvm::Value *mirrorPhi(llvm::PHINode &join)
    {
        builder.SetInsertPoint(&join);
        llvm::PHINode *made = builder.CreatePHI(word, join.getNumIncomingValues());
        known[&join] = made;
        for (unsigned k = 0; k < join.getNumIncomingValues(); k++) {
            llvm::BasicBlock *from = join.getIncomingBlock(k);
            llvm::Value *incoming = join.getIncomingValue(k);
            if (&join == &phi && from == preheader) {
                builder.SetInsertPoint(preheader->getTerminator());
                made->addIncoming(keyOf(incoming), from);
            } else {
                made->addIncoming(mirror(incoming), from);
            }
        }
        return made;
    }

    void replaceResult(llvm::PHINode &result)
    {
        llvm::Value *key = mirrorPhi(result);
        builder.SetInsertPoint(result.getParent(), result.getParent()->getFirstInsertionPt());
        result.replaceAllUsesWith(builder.CreateBitCast(reverse(key), result.getType()));
        result.eraseFromParent();
    }

    llvm::Loop &loop;
    llvm::PHINode &phi;
    llvm::BasicBlock *const preheader;
    llvm::IRBuilder<> builder;
    llvm::Function *extreme = nullptr;
    llvm::IntegerType *word = nullptr;
    llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;
    llvm::Constant *none = nullptr; // NaN's key
    llvm::SmallPtrSet<const llvm::Value *, 8> chain;
    llvm::SmallSetVector<llvm::PHINode *, 2> results; // behind the loop
    llvm::DenseMap<llvm::Value *, llvm::Value *> known;
};

} // namespace

// Outer loops first: what they hand to an inner loop and back is one chain.
extern "C" bool codegen_use_extreme_keys(LLVMValueRef value)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    bool changed = false;
    for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
        llvm::SmallVector<llvm::PHINode *, 4> phis;
        for (llvm::PHINode &phi : loop->getHeader()->phis())
            phis.push_back(&phi);
        for (llvm::PHINode *phi : phis)
            changed |= ExtremeKeys(*loop, *phi).run();
    }
    return changed;
}

#endif
