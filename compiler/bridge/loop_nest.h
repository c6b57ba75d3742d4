// C++, a part of codegen.cpp: the loops of a function, and whether they store to an element once.
#ifndef GPUCC_LOOP_NEST_H
#define GPUCC_LOOP_NEST_H

#include "bridge/bridge.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace {

class LoopNest {
public:
    explicit LoopNest(llvm::Function &function)
        : dominators(function), loops(dominators), library(llvm::Triple(function.getParent()->getTargetTriple())),
          libraryInfo(library), assumptions(function),
          evolution(function, libraryInfo, assumptions, dominators, loops)
    {
    }

    void visit(void (*report)(void *data, const codegen_loop *loop), void *data)
    {
        for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
            llvm::SmallVector<LLVMBasicBlockRef, 16> blocks;
            for (llvm::BasicBlock *block : loop->blocks())
                blocks.push_back(llvm::wrap(block));
            const codegen_loop described = {llvm::wrap(loop->getHeader()), llvm::wrap(loop->getLoopPreheader()),
                                            llvm::wrap(loop->getLoopLatch()), blocks.data(), blocks.size(),
                                            evolution.getSmallConstantMaxTripCount(loop)};
            report(data, &described);
        }
    }

    // Whether no two executions of the store have a byte in common: each loop's step passes over all that the loops
    // with smaller steps reach.
    bool storesOnce(llvm::StoreInst &store)
    {
        const llvm::SCEV *address = evolution.getSCEV(store.getPointerOperand());
        llvm::SmallVector<Step, 8> steps;
        const llvm::Loop *around = loops.getLoopFor(store.getParent());
        while (auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address)) {
            const llvm::SCEV *by = recurrence->getStepRecurrence(evolution);
            if (!recurrence->isAffine())
                return false;
            steps.push_back({recurrence->getLoop(), evolution.isKnownNegative(by) ? evolution.getNegativeSCEV(by) : by,
                             evolution.getBackedgeTakenCount(recurrence->getLoop())});
            address = recurrence->getStart();
        }
        for (const llvm::Loop *loop = around; loop; loop = loop->getParentLoop())
            if (!evolution.isLoopInvariant(address, loop) ||
                llvm::none_of(steps, [loop](const Step &step) { return step.loop == loop; }))
                return false;
        return areNested(steps, store);
    }

private:
    struct Step {
        const llvm::Loop *loop;
        const llvm::SCEV *by, *count;
    };

    bool areNested(llvm::SmallVectorImpl<Step> &steps, llvm::StoreInst &store)
    {
        const llvm::DataLayout &layout = store.getModule()->getDataLayout();
        const uint64_t size = layout.getTypeStoreSize(store.getValueOperand()->getType()).getFixedValue();
        const llvm::SCEV *reach = nullptr;
        while (!steps.empty()) {
            auto next = llvm::find_if(steps, [this, &reach, size](const Step &step) {
                const llvm::SCEV *least = reach ? reach : evolution.getConstant(step.by->getType(), size);
                return evolution.isKnownNonNegative(evolution.getMinusSCEV(step.by, least));
            });
            if (next == steps.end())
                return false;
            const Step step = *next;
            steps.erase(next);
            if (steps.empty())
                return true;
            if (llvm::isa<llvm::SCEVCouldNotCompute>(step.count))
                return false;
            const llvm::SCEV *count = evolution.getTruncateOrZeroExtend(step.count, step.by->getType());
            reach = evolution.getMulExpr(step.by, evolution.getAddExpr(count, evolution.getOne(step.by->getType())));
        }
        return true;
    }

    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    llvm::TargetLibraryInfoImpl library;
    llvm::TargetLibraryInfo libraryInfo;
    llvm::AssumptionCache assumptions;
    llvm::ScalarEvolution evolution;
};

} // namespace

extern "C" void codegen_visit_loops(LLVMValueRef function, void (*visit)(void *data, const codegen_loop *loop),
                                    void *data)
{
    LoopNest(*llvm::unwrap<llvm::Function>(function)).visit(visit, data);
}

extern "C" bool codegen_stores_once(LLVMValueRef store)
{
    auto &instruction = *llvm::unwrap<llvm::StoreInst>(store);
    return LoopNest(*instruction.getFunction()).storesOnce(instruction);
}

#endif
