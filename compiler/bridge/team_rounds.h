// C++, a part of codegen.cpp: rewrites a gufunc's function so that the threads of a team share its loops, and puts the
// fixed tree in the place of floating-point sums.
#ifndef GPUCC_TEAM_ROUNDS_H
#define GPUCC_TEAM_ROUNDS_H

#include "bridge/team_share.h"
#include "bridge/team_trees.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace {

class TeamRounds {
public:
    TeamRounds(llvm::Function &function, const Roles &roles, bool isReorderable, const TeamParts &parts)
        : function(function), roles(roles), isReorderable(isReorderable), team(function, parts)
    {
    }

    // With a plan by a team, else by one thread, for which only trees change.  False where a loop of the plan cannot be
    // shared after all; the function is of no use then.
    bool run(const TeamPlan *plan)
    {
        if (!prepare(plan))
            return false;
        if (plan)
            team.readTeam(plan->sharesOutputs);
        for (llvm::BasicBlock *header : order) {
            LoopAnalyses analyses(function);
            LoopVerdict verdict(*analyses.loops.getLoopFor(header), analyses, roles, isReorderable);
            if (plan && plan->isPlanned(header)) {
                if (!SharedLoop(team, verdict, values[header], roundsAtOnce, hasTiles).run())
                    return false;
            } else if (isReorderable) {
                SerialTrees(team, verdict, inChunks).run();
            }
        }
        for (llvm::StoreInst *store : plan ? llvm::ArrayRef(plan->stores) : llvm::ArrayRef<llvm::StoreInst *>())
            storeOnce(*store);
        placeCalls();
        return true;
    }

    bool inChunks = false;     // trees of one thread: for SIMD code
    unsigned roundsAtOnce = 4; // of short loops of a team
    bool hasTiles = false;     // threads make several sums at once

private:
    bool prepare(const TeamPlan *plan)
    {
        LoopAnalyses analyses(function);
        const auto loops = analyses.loops.getLoopsInPreorder();
        for (llvm::Loop *loop : llvm::reverse(loops)) {
            order.push_back(loop->getHeader());
            LoopVerdict verdict(*loop, analyses, roles, isReorderable);
            if (plan && plan->isPlanned(loop->getHeader()) &&
                !values[loop->getHeader()].compute(verdict, function.getParent()->getDataLayout()))
                return false;
        }
        return true;
    }

    // Calls need a place in the source where the function has one.
    void placeCalls()
    {
        llvm::DISubprogram *program = function.getSubprogram();
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &i : block)
                if (program && llvm::isa<llvm::CallBase>(i) && !i.getDebugLoc())
                    i.setDebugLoc(llvm::DILocation::get(function.getContext(), 0, 0, program));
    }

    void storeOnce(llvm::StoreInst &store)
    {
        team.wait(&store);
        team.wait(store.getNextNode());
        team.builder.SetInsertPoint(&store);
        llvm::Value *isFirst = team.builder.CreateICmpEQ(team.index, team.builder.getInt32(0));
        llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(isFirst, store.getIterator(), false);
        store.moveBefore(end);
    }

    llvm::Function &function;
    const Roles &roles;
    const bool isReorderable;
    TeamFunction team;
    llvm::SmallVector<llvm::BasicBlock *, 8> order; // the loops' heads, inner loops first
    llvm::DenseMap<llvm::BasicBlock *, LoopValues> values;
};

} // namespace

#endif
