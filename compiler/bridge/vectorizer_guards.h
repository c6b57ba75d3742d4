// C++, a part of codegen.cpp: guards against two faults of LLVM 19's loop vectoriser.
#ifndef GPUCC_VECTORIZER_GUARDS_H
#define GPUCC_VECTORIZER_GUARDS_H

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace {

// The vectoriser assumes that an index such as (3 * i) % 64 or (uint8_t)(3 * i) does not wrap, and checks this at run
// time; but where i begins at 0 it leaves out the check of the product.
struct WrappingIndices {
    static void find(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
                     llvm::SmallVectorImpl<llvm::Instruction *> &found)
    {
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &i : block)
                if (loops.getLoopFor(&block) && i.getType()->isIntegerTy() && mayWrap(evolution, i))
                    found.push_back(&i);
    }

private:
    static bool mayWrap(llvm::ScalarEvolution &evolution, llvm::Instruction &i)
    {
        const llvm::SCEV *value = evolution.getSCEV(&i);
        auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(value);
        if (unknown && llvm::isa<llvm::PHINode>(unknown->getValue())) { // a phi may stand for another number
            auto cast = evolution.createAddRecFromPHIWithCasts(unknown); // its recurrence if nothing wrapped
            return cast && isProduct(cast->first);
        }
        return llvm::SCEVExprContains(value, [](const llvm::SCEV *part) {
            auto *extended = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(part);
            return extended && isProduct(extended->getOperand());
        });
    }

    static bool isProduct(const llvm::SCEV *value)
    {
        auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
        return recurrence && recurrence->isAffine() && !recurrence->hasNoUnsignedWrap() &&
               recurrence->getStart()->isZero() && !recurrence->getOperand(1)->isOne();
    }
};

// The vectoriser stores sums behind the loop, in the order of their phis, and not in the order of their stores
// (https://github.com/llvm/llvm-project/issues/64047).
struct LastStores {
    using Stores = llvm::SmallSetVector<llvm::StoreInst *, 8>;

    static void find(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution, Stores &found)
    {
        for (llvm::Loop *loop : loops.getLoopsInPreorder())
            if (loop->isInnermost())
                findOfOnePlace(evolution, *loop, found);
    }

private:
    // Stores of integers, whose place the loop does not change.
    static llvm::SmallVector<llvm::StoreInst *> storesToPlaces(llvm::ScalarEvolution &evolution, llvm::Loop &loop)
    {
        llvm::SmallVector<llvm::StoreInst *> stores;
        for (llvm::BasicBlock *block : loop.blocks())
            for (llvm::Instruction &i : *block) {
                auto *store = llvm::dyn_cast<llvm::StoreInst>(&i);
                if (store && store->getValueOperand()->getType()->isIntegerTy() &&
                    evolution.isLoopInvariant(evolution.getSCEV(store->getPointerOperand()), &loop))
                    stores.push_back(store);
            }
        return stores;
    }

    // Places at an unknown distance are compared when the program runs.
    static void findOfOnePlace(llvm::ScalarEvolution &evolution, llvm::Loop &loop, Stores &found)
    {
        constexpr size_t most = 64; // pairs are compared only up to so many stores
        const auto stores = storesToPlaces(evolution, loop);
        for (size_t i = 0; i < stores.size(); i++)
            for (size_t k = 0; k < i; k++) {
                const llvm::SCEV *distance =
                    evolution.getMinusSCEV(evolution.getSCEV(stores[i]->getPointerOperand()),
                                           evolution.getSCEV(stores[k]->getPointerOperand()));
                if (stores.size() > most || llvm::isa<llvm::SCEVConstant>(distance))
                    found.insert(stores[i]), found.insert(stores[k]);
            }
    }
};

// Freezes the values of both.  A frozen number is the same number, but the vectoriser does not analyse its origin.
class VectorizerGuards : public llvm::PassInfoMixin<VectorizerGuards> {
public:
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty())
            return llvm::PreservedAnalyses::all();
        auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        llvm::SmallVector<llvm::Instruction *> indices;
        LastStores::Stores stores;
        WrappingIndices::find(function, loops, evolution, indices);
        LastStores::find(loops, evolution, stores);
        for (llvm::Instruction *index : indices)
            freezeUses(*index);
        for (llvm::StoreInst *store : stores)
            store->setOperand(0, new llvm::FreezeInst(store->getValueOperand(), "", store->getIterator()));
        return indices.empty() && stores.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    }

private:
    static void freezeUses(llvm::Instruction &i)
    {
        auto behind = i.getInsertionPointAfterDef();
        if (!behind)
            return;
        auto *frozen = new llvm::FreezeInst(&i, "", *behind);
        i.replaceUsesWithIf(frozen, [frozen](llvm::Use &use) { return use.getUser() != frozen; });
    }
};

} // namespace

#endif
