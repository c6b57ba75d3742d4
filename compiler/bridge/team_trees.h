// C++, a part of codegen.cpp: puts the fixed tree in the place of a loop's floating-point sums, for one thread.
#ifndef GPUCC_TEAM_TREES_H
#define GPUCC_TEAM_TREES_H

#include "bridge/team_function.h"

namespace {

class SerialTrees {
public:
    SerialTrees(TeamFunction &team, LoopVerdict &verdict, bool inChunks)
        : team(team), builder(team.builder), verdict(verdict), inChunks(inChunks),
          preheader(verdict.loop.getLoopPreheader()), header(verdict.loop.getHeader()),
          latch(verdict.loop.getLoopLatch()), exit(verdict.lastExit())
    {
    }

    void run()
    {
        if (!exit)
            return;
        (void)verdict.recurrences.find([&](const llvm::PHINode &phi) { return verdict.isInduction(phi); });
        for (const Recurrence &item : verdict.recurrences.items)
            if (item.kind == Recurrence::tree)
                trees.push_back(treeOf(item));
        if (trees.empty())
            return;
        if (inChunks && !verdict.recurrences.hasScan() && llvm::isa<llvm::BranchInst>(latch->getTerminator()))
            sumInChunks();
        else
            for (Tree &tree : trees)
                tree.item->isScanned ? accumulate(tree) : sumOneByOne(tree);
    }

private:
    // A sum of one thread: the term that the iteration adds, or the identity; the sum's values behind the loop.
    struct Tree {
        const Recurrence *item;
        llvm::Type *type;
        bool product, isDouble;
        llvm::Value *start;
        llvm::AllocaInst *state;
        llvm::Value *term;
        llvm::SmallVector<llvm::PHINode *, 2> results;
    };

    // The chain from the phi to the value once more, with the term in the place of the sum.
    llvm::Value *mirrorChain(const Recurrence &item, llvm::Value *value,
                             llvm::DenseMap<llvm::Value *, llvm::Value *> &known)
    {
        if (llvm::Value *mirror = known.lookup(value))
            return mirror;
        if (value == item.operation)
            return known[value] = team.termOf(item);
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
            llvm::Value *yes = mirrorChain(item, select->getTrueValue(), known);
            llvm::Value *no = mirrorChain(item, select->getFalseValue(), known);
            builder.SetInsertPoint(select);
            return known[value] = builder.CreateSelect(select->getCondition(), yes, no);
        }
        auto *join = llvm::cast<llvm::PHINode>(value);
        builder.SetInsertPoint(join);
        llvm::PHINode *mirror = builder.CreatePHI(join->getType(), join->getNumIncomingValues());
        known[value] = mirror;
        for (unsigned k = 0; k < join->getNumIncomingValues(); k++)
            mirror->addIncoming(mirrorChain(item, join->getIncomingValue(k), known), join->getIncomingBlock(k));
        return mirror;
    }

    // The loop still adds in C's order, for checks of its operations; without them that is dead code.
    Tree treeOf(const Recurrence &item)
    {
        llvm::Type *type = item.phi->getType();
        llvm::AllocaInst *state = team.allocate(type, aloneState << item.isScanned);
        Tree tree = {&item, type, TeamFunction::isProduct(item), type->isDoubleTy(),
                     item.phi->getIncomingValueForBlock(preheader), state, nullptr, {}};
        llvm::DenseMap<llvm::Value *, llvm::Value *> known = {{item.phi, TeamFunction::identity(item)}};
        tree.term = mirrorChain(item, item.update, known);
        for (llvm::PHINode &result : exit->phis())
            if (result.getIncomingValueForBlock(latch) == item.update)
                tree.results.push_back(&result);
        return tree;
    }

    void replaceResults(const Tree &tree, llvm::Value *total)
    {
        total = team.withStart(*tree.item, tree.product, tree.start, total);
        for (llvm::PHINode *result : tree.results) {
            result->replaceAllUsesWith(total);
            result->eraseFromParent();
        }
    }

    // The number of the iteration, which the latch increases.
    llvm::PHINode *countIterations()
    {
        builder.SetInsertPoint(header, header->begin());
        llvm::PHINode *number = builder.CreatePHI(builder.getInt64Ty(), 2, "number");
        builder.SetInsertPoint(latch->getTerminator());
        number->addIncoming(builder.getInt64(0), preheader);
        number->addIncoming(builder.CreateAdd(number, builder.getInt64(1)), latch);
        return number;
    }

    // Each iteration's result takes the place of the sum.
    void accumulate(const Tree &tree)
    {
        llvm::PHINode *number = countIterations();
        auto *update = llvm::cast<llvm::Instruction>(tree.item->update);
        if (llvm::isa<llvm::PHINode>(update))
            builder.SetInsertPoint(update->getParent(), update->getParent()->getFirstInsertionPt());
        else
            builder.SetInsertPoint(update->getNextNode());
        llvm::Value *result =
            builder.CreateCall(team.parts.scanAlone[tree.product][tree.isDouble], {tree.state, number, tree.term});
        result = team.withStart(*tree.item, tree.product, tree.start, result);
        update->replaceUsesWithIf(result, [&](const llvm::Use &use) {
            auto *user = llvm::cast<llvm::Instruction>(use.getUser());
            return user == tree.item->phi || (user != result && !isCheck(*user) && !tree.item->chain.contains(user));
        });
    }

    void sumOneByOne(const Tree &tree)
    {
        llvm::PHINode *number = countIterations();
        llvm::Value *next = number->getIncomingValueForBlock(latch);
        builder.SetInsertPoint(latch->getTerminator());
        builder.CreateCall(team.parts.pushAlone[tree.product][tree.isDouble], {tree.state, number, tree.term});
        builder.SetInsertPoint(exit, exit->begin());
        llvm::PHINode *count = builder.CreatePHI(builder.getInt64Ty(), 1, "count");
        count->addIncoming(next, latch);
        builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
        llvm::Function *finish = team.parts.finishAlone[tree.product][tree.isDouble];
        replaceResults(tree, builder.CreateCall(finish, {tree.state, count}));
    }

    // Rewrites the loop to
    //   for (chunk = 0;; chunk++) {
    //       for (place = 0; place < 512 && the loop continues; place++) { the iteration; terms[place] = its term; }
    //       if (the loop ends) break;
    //       push all terms;
    //   }
    void sumInChunks()
    {
        begin = team.createBlock("chunk", header);
        end = team.createBlock("chunk.end");
        full = team.createBlock("chunk.full");
        behind = team.createBlock("chunks.end");
        for (const Tree &tree : trees)
            terms.push_back(team.allocate(tree.type, chunkSize));
        beginChunk();
        endIteration();
        pushTerms();
        finishChunks();
    }

    // The loop's values pass through the chunk's block, which is its preheader from now on.
    void beginChunk()
    {
        preheader->getTerminator()->replaceSuccessorWith(header, begin);
        builder.SetInsertPoint(begin);
        chunk = builder.CreatePHI(builder.getInt64Ty(), 2, "chunk");
        chunk->addIncoming(builder.getInt64(0), preheader);
        for (llvm::PHINode &phi : header->phis()) {
            llvm::PHINode *handed = builder.CreatePHI(phi.getType(), 2);
            const unsigned k = static_cast<unsigned>(phi.getBasicBlockIndex(preheader));
            handed->addIncoming(phi.getIncomingValue(k), preheader);
            handed->addIncoming(phi.getIncomingValueForBlock(latch), full);
            phi.setIncomingValue(k, handed);
            phi.setIncomingBlock(k, begin);
        }
        builder.CreateBr(header);
    }

    void endIteration()
    {
        builder.SetInsertPoint(header, header->begin());
        llvm::PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");
        auto *branch = llvm::cast<llvm::BranchInst>(latch->getTerminator());
        builder.SetInsertPoint(branch);
        for (size_t k = 0; k < trees.size(); k++)
            builder.CreateStore(trees[k].term, builder.CreateGEP(trees[k].type, terms[k], place));
        next = builder.CreateAdd(place, builder.getInt64(1));
        llvm::Value *continues = branch->getCondition();
        place->addIncoming(builder.getInt64(0), begin);
        place->addIncoming(next, latch);
        if (branch->getSuccessor(0) != header)
            continues = builder.CreateNot(continues);
        llvm::Value *hasRoom = builder.CreateICmpULT(next, builder.getInt64(chunkSize));
        builder.CreateCondBr(builder.CreateAnd(continues, hasRoom), header, end);
        branch->eraseFromParent();
        builder.SetInsertPoint(end);
        builder.CreateCondBr(continues, full, behind);
    }

    void pushTerms()
    {
        builder.SetInsertPoint(full);
        for (size_t k = 0; k < trees.size(); k++)
            builder.CreateCall(team.parts.pushChunk[trees[k].product][trees[k].isDouble],
                               {trees[k].state, terms[k], chunk});
        chunk->addIncoming(builder.CreateAdd(chunk, builder.getInt64(1)), full);
        builder.CreateBr(begin);
    }

    void finishChunks()
    {
        builder.SetInsertPoint(behind);
        builder.SetInsertPoint(builder.CreateBr(exit));
        for (llvm::PHINode &phi : exit->phis())
            phi.replaceIncomingBlockWith(latch, behind);
        for (size_t k = 0; k < trees.size(); k++) {
            llvm::Function *finish = team.parts.finishChunk[trees[k].product][trees[k].isDouble];
            replaceResults(trees[k], builder.CreateCall(finish, {trees[k].state, terms[k], chunk, next}));
        }
    }

    TeamFunction &team;
    llvm::IRBuilder<> &builder;
    LoopVerdict &verdict;
    const bool inChunks; // for SIMD code
    llvm::BasicBlock *const preheader, *const header, *const latch, *const exit;
    llvm::SmallVector<Tree, 2> trees;
    llvm::SmallVector<llvm::AllocaInst *, 2> terms; // of a chunk
    llvm::BasicBlock *begin = nullptr, *end = nullptr, *full = nullptr, *behind = nullptr;
    llvm::PHINode *chunk = nullptr; // its number
    llvm::Value *next = nullptr;    // the number of terms that the chunk has
};

} // namespace

#endif
