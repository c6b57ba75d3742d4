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

    // With a plan by a team, else by one thread, for which only trees change.
    void run(const TeamPlan *plan)
    {
        llvm::SmallVector<llvm::BasicBlock *, 8> order;
        {
            LoopAnalyses analyses(function);
            const auto loops = analyses.loops.getLoopsInPreorder();
            for (llvm::Loop *loop : llvm::reverse(loops))
                order.push_back(loop->getHeader());
        }
        if (plan)
            team.readTeam(plan->sharesOutputs);
        for (llvm::BasicBlock *header : order) {
            LoopAnalyses analyses(function);
            LoopVerdict verdict(*analyses.loops.getLoopFor(header), analyses, roles, isReorderable);
            if (plan && plan->isPlanned(header))
                SharedLoop(team, verdict).run();
            else if (isReorderable)
                SerialTrees(team, verdict, inChunks).run();
        }
        for (llvm::StoreInst *store : plan ? llvm::ArrayRef(plan->stores) : llvm::ArrayRef<llvm::StoreInst *>())
            storeOnce(*store);
        placeCalls();
    }

    bool inChunks = false; // trees of one thread: for SIMD code

private:
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
};

} // namespace

#endif
