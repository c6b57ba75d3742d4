// C++, a part of codegen.cpp: stores of sums to one place, which LLVM 19's loop vectoriser gets into the wrong order.
#ifndef GPUCC_LAST_STORES_H
#define GPUCC_LAST_STORES_H

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace {

// The vectoriser stores the sums behind the loop, in the order of their phis: which is the last was decided by that
// (https://github.com/llvm/llvm-project/issues/64047).  A frozen sum is none to it, and the loop stays as it is.
class LastStores : public llvm::PassInfoMixin<LastStores> {
public:
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty())
            return llvm::PreservedAnalyses::all();
        auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        Stores found;
        for (llvm::Loop *loop : loops.getLoopsInPreorder())
            if (loop->isInnermost())
                findOfOnePlace(evolution, *loop, found);
        for (llvm::StoreInst *store : found)
            store->setOperand(0, new llvm::FreezeInst(store->getValueOperand(), "", store->getIterator()));
        return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    }

private:
    using Stores = llvm::SmallPtrSet<llvm::StoreInst *, 8>;

    // Returns the integer stores whose address the loop does not change.
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
        constexpr size_t most = 64; // what is compared with one another
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

} // namespace

#endif
