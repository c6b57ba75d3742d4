// C++, a part of codegen.cpp: puts the fixed tree in the place of a loop's floating-point sums, for one thread.
#ifndef GPUCC_TEAM_TREES_H
#define GPUCC_TEAM_TREES_H

#include "bridge/team_function.h"

#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

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
        hasChunks = inChunks && !verdict.recurrences.hasScan() && llvm::isa<llvm::BranchInst>(latch->getTerminator());
        isBlocked = hasChunks && team.parts.pushBlock[0][0] && isForBlocks();
        hasRows = isBlocked && areRows();
        for (const Recurrence &item : verdict.recurrences.items)
            if (item.kind == Recurrence::tree)
                trees.push_back(treeOf(item));
        if (trees.empty())
            return;
        if (isBlocked)
            sumInBlocks();
        else if (hasChunks)
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
        llvm::AllocaInst *state = nullptr;
        if (hasRows && !trees.empty())
            state = trees[0].state;
        else
            state = team.allocate(type, hasRows ? rowsState : aloneState << (item.isScanned || isBlocked));
        Tree tree = {&item, type, TeamFunction::isProduct(item), type->isDoubleTy(),
                     item.phi->getIncomingValueForBlock(preheader), state, nullptr, {}};
        llvm::DenseMap<llvm::Value *, llvm::Value *> known = {{item.phi, TeamFunction::identity(item)}};
        tree.term = mirrorChain(item, item.update, known);
        for (llvm::PHINode &result : exit->phis())
            if (result.getIncomingValueForBlock(latch) == item.update)
                tree.results.push_back(&result);
        return tree;
    }

    // Whether the loop is worth a second copy, and all iterations but the last ones can run without its condition.
    bool isForBlocks() const
    {
        enum { most = 300 };
        size_t size = 0;
        for (const llvm::BasicBlock *block : verdict.loop.blocks())
            size += block->size();
        return size <= most && verdict.loop.isInnermost() && !verdict.findForm();
    }

    // Whether the loop computes the sums of several rows, and nothing else.
    bool areRows() const
    {
        const auto &items = verdict.recurrences.items;
        return items.size() == rowsAtOnce && llvm::all_of(items, [&](const Recurrence &item) {
            return item.kind == Recurrence::tree && item.phi->getType() == items[0].phi->getType() &&
                   TeamFunction::isProduct(item) == TeamFunction::isProduct(items[0]);
        });
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

    // Rewrites the loop to
    //   for (block = 0; block < (iterations - 1) / 64; block++) {
    //       for (place = 0; place < 64; place++) { the iteration; terms[place] = its term; }
    //       push all terms;
    //   }
    //   for (place = 0; the loop continues; place++) { the iteration; rest[place] = its term; }
    // LLVM keeps `terms` in registers.  The sums of 8 rows take 8 places at once.
    void sumInBlocks()
    {
        begin = team.createBlock("block", header);
        full = team.createBlock("block.full");
        behind = team.createBlock("blocks.end", header);
        llvm::Value *const blocks = blockCount = countBlocks();
        llvm::ValueToValueMapTy copies;
        for (llvm::BasicBlock *block : verdict.loop.blocks()) {
            llvm::BasicBlock *copy = llvm::CloneBasicBlock(block, copies, ".block", header->getParent());
            copies[block] = copy;
            copied.push_back(copy);
        }
        llvm::remapInstructionsInBlocks(copied, copies);
        auto copyOf = [&](llvm::Value *value) {
            llvm::Value *copy = copies.lookup(value);
            return copy ? copy : value;
        };
        auto *first = llvm::cast<llvm::BasicBlock>(copyOf(header)), *last = llvm::cast<llvm::BasicBlock>(copyOf(latch));
        preheader->getTerminator()->eraseFromParent();
        builder.SetInsertPoint(preheader);
        llvm::Value *none = builder.CreateICmpEQ(blocks, builder.getInt64(0));
        builder.CreateCondBr(none, behind, begin);
        builder.SetInsertPoint(begin);
        chunk = builder.CreatePHI(builder.getInt64Ty(), 2, "block");
        chunk->addIncoming(builder.getInt64(0), preheader);
        for (llvm::PHINode &phi : header->phis()) {
            llvm::Value *start = phi.getIncomingValueForBlock(preheader);
            llvm::Value *end = copyOf(phi.getIncomingValueForBlock(latch));
            builder.SetInsertPoint(begin, begin->begin());
            llvm::PHINode *handed = builder.CreatePHI(phi.getType(), 2);
            handed->addIncoming(start, preheader);
            handed->addIncoming(end, full);
            auto *copy = llvm::cast<llvm::PHINode>(copyOf(&phi));
            const auto k = static_cast<unsigned>(copy->getBasicBlockIndex(preheader));
            copy->setIncomingValue(k, handed);
            copy->setIncomingBlock(k, begin);
            builder.SetInsertPoint(behind);
            llvm::PHINode *rest = builder.CreatePHI(phi.getType(), 2);
            rest->addIncoming(start, preheader);
            rest->addIncoming(end, full);
            const auto at = static_cast<unsigned>(phi.getBasicBlockIndex(preheader));
            phi.setIncomingValue(at, rest);
            phi.setIncomingBlock(at, behind);
        }
        builder.SetInsertPoint(begin);
        builder.CreateBr(first);
        builder.SetInsertPoint(behind);
        builder.CreateBr(header);
        terms = allocateTerms();
        runBlock(first, last, copyOf);
        endRest(blocks);
    }

    // One less than the number of iterations, divided: at least one iteration is left.
    llvm::Value *countBlocks()
    {
        llvm::SCEVExpander expander(verdict.analyses.evolution, header->getModule()->getDataLayout(), "blocks");
        const llvm::SCEV *count = verdict.analyses.evolution.getTruncateOrZeroExtend(verdict.count(),
                                                                                     builder.getInt64Ty());
        llvm::Value *value = expander.expandCodeFor(count, builder.getInt64Ty(), preheader->getTerminator());
        builder.SetInsertPoint(preheader->getTerminator());
        return builder.CreateUDiv(value, builder.getInt64(places()));
    }

    unsigned places() const { return hasRows ? blockSize / rowsAtOnce : blockSize; }

    // An array of the terms of each tree, or of all rows.
    llvm::SmallVector<llvm::AllocaInst *, 2> allocateTerms()
    {
        llvm::SmallVector<llvm::AllocaInst *, 2> made;
        for (const Tree &tree : trees)
            made.push_back(hasRows && !made.empty() ? made[0] : team.allocate(tree.type, blockSize));
        return made;
    }

    void storeTerm(size_t k, llvm::Value *term, llvm::AllocaInst *array, llvm::Value *place)
    {
        if (hasRows)
            place = builder.CreateAdd(place, builder.getInt64(k * places()), "", true, true);
        builder.CreateStore(term, builder.CreateInBoundsGEP(trees[k].type, array, place));
    }

    void runBlock(llvm::BasicBlock *first, llvm::BasicBlock *last,
                  llvm::function_ref<llvm::Value *(llvm::Value *)> copyOf)
    {
        last->getTerminator()->eraseFromParent();
        const auto arrays = allocateTerms();
        builder.SetInsertPoint(first, first->begin());
        llvm::PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");
        builder.SetInsertPoint(last);
        for (size_t k = 0; k < trees.size(); k++)
            storeTerm(k, copyOf(trees[k].term), arrays[k], place);
        llvm::Value *after = builder.CreateAdd(place, builder.getInt64(1), "", true, true);
        place->addIncoming(builder.getInt64(0), begin);
        place->addIncoming(after, last);
        setUnrolled(*builder.CreateCondBr(builder.CreateICmpULT(after, builder.getInt64(places())), first, full));
        builder.SetInsertPoint(full);
        for (size_t k = 0; k < (hasRows ? 1 : trees.size()); k++) {
            auto &part = hasRows ? team.parts.pushRows : team.parts.pushBlock;
            builder.CreateCall(part[trees[k].product][trees[k].isDouble], {trees[k].state, arrays[k], chunk});
        }
        llvm::Value *number = builder.CreateAdd(chunk, builder.getInt64(1), "", true, true);
        chunk->addIncoming(number, full);
        builder.CreateCondBr(builder.CreateICmpULT(number, blockCount), begin, behind);
    }

    static llvm::MDNode *option(llvm::LLVMContext &context, const char *name, llvm::ConstantInt *value = nullptr)
    {
        llvm::SmallVector<llvm::Metadata *, 2> items = {llvm::MDString::get(context, name)};
        if (value)
            items.push_back(llvm::ConstantAsMetadata::get(value));
        return llvm::MDNode::get(context, items);
    }

    static void setOptions(llvm::Instruction &branch, llvm::ArrayRef<llvm::MDNode *> options)
    {
        llvm::SmallVector<llvm::Metadata *, 4> items = {nullptr};
        items.append(options.begin(), options.end());
        llvm::MDNode *loop = llvm::MDNode::getDistinct(branch.getContext(), items);
        loop->replaceOperandWith(0, loop);
        branch.setMetadata(llvm::LLVMContext::MD_loop, loop);
    }

    // The loop shall become SIMD code first and be unrolled then.
    void setUnrolled(llvm::BranchInst &branch)
    {
        llvm::LLVMContext &context = branch.getContext();
        llvm::MDNode *after = llvm::MDNode::get(
            context, {llvm::MDString::get(context, "llvm.loop.vectorize.followup_all"),
                      option(context, "llvm.loop.unroll.full"),
                      option(context, "llvm.loop.isvectorized", builder.getInt32(1))});
        setOptions(branch, {option(context, "llvm.loop.unroll.disable"), after});
    }

    // Few iterations are left: of rows less than a vector's.
    void setShort(llvm::Instruction &branch)
    {
        llvm::LLVMContext &context = branch.getContext();
        llvm::MDNode *few = option(context, hasRows ? "llvm.loop.vectorize.width" : "llvm.loop.interleave.count",
                                   builder.getInt32(1));
        setOptions(branch, {few, option(context, "llvm.loop.unroll.disable")});
    }

    void endRest(llvm::Value *blocks)
    {
        builder.SetInsertPoint(header, header->begin());
        llvm::PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");
        builder.SetInsertPoint(latch->getTerminator());
        for (size_t k = 0; k < trees.size(); k++)
            storeTerm(k, trees[k].term, terms[k], place);
        next = builder.CreateAdd(place, builder.getInt64(1));
        setShort(*latch->getTerminator());
        place->addIncoming(builder.getInt64(0), behind);
        place->addIncoming(next, latch);
        builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
        llvm::PHINode *count = llvm::PHINode::Create(builder.getInt64Ty(), 1, "count", exit->begin());
        count->addIncoming(next, latch);
        for (size_t k = 0; k < trees.size(); k++) {
            const Tree &tree = trees[k];
            auto &part = hasRows ? team.parts.finishRows : team.parts.finishBlock;
            llvm::Function *finish = part[tree.product][tree.isDouble];
            llvm::Value *total = nullptr;
            if (!hasRows || k == 0)
                total = builder.CreateCall(finish, {tree.state, terms[k], blocks, count});
            if (hasRows)
                total = builder.CreateLoad(tree.type, builder.CreateConstInBoundsGEP1_64(tree.type, tree.state, k));
            replaceResults(tree, total);
        }
    }

    TeamFunction &team;
    llvm::IRBuilder<> &builder;
    LoopVerdict &verdict;
    const bool inChunks;                     // for SIMD code
    bool hasChunks = false, isBlocked = false, hasRows = false;
    llvm::SmallVector<llvm::BasicBlock *, 4> copied; // the loop's blocks
    llvm::Value *blockCount = nullptr;
    llvm::BasicBlock *const preheader, *const header, *const latch, *const exit;
    llvm::SmallVector<Tree, 2> trees;
    llvm::SmallVector<llvm::AllocaInst *, 2> terms; // of a chunk
    llvm::BasicBlock *begin = nullptr, *end = nullptr, *full = nullptr, *behind = nullptr;
    llvm::PHINode *chunk = nullptr; // its number
    llvm::Value *next = nullptr;    // the number of terms that the chunk has
};

} // namespace

#endif
