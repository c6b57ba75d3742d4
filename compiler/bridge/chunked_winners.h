// C++, a part of codegen.cpp: loops that find the first of the greatest or least values and where it is, as SIMD code.
#ifndef GPUCC_CHUNKED_WINNERS_H
#define GPUCC_CHUNKED_WINNERS_H

#include "bridge/extreme_words.h"
#include "bridge/team_loops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>

namespace {

// Rewrites `for (...) if (x > best) { best = x; at = i; }` to
//   for (chunk = 0;; chunk++) {
//       for (place = 0; place < 128 && the loop continues; place++) most = the greatest of the iterations' x;
//       if (most > best) {
//           from the chunk's first iteration: search for one with x == most;
//           best = its x; at = its i;
//       }
//       if (the loop ends) break;
//   }
// The first of the inner loops becomes SIMD code, with integers of the numbers' order, and the second one is rare.
class ChunkedWinner {
public:
    ChunkedWinner(llvm::Loop &loop, LoopVerdict &verdict)
        : loop(loop), verdict(verdict), preheader(loop.getLoopPreheader()), header(loop.getHeader()),
          latch(loop.getLoopLatch()), exit(loop.getExitBlock()), builder(header->getContext())
    {
    }

    bool run()
    {
        if (!matches())
            return false;
        begin = createBlock("chunk");
        found = createBlock("chunk.most");
        better = createBlock("chunk.better");
        join = createBlock("chunk.end");
        llvm::ValueToValueMapTy most, search;
        copyLoop(most, ".most");
        copyLoop(search, ".search");
        beginChunk();
        findMost(most);
        searchFor(search);
        endChunk(most, search);
        llvm::SmallVector<llvm::BasicBlock *, 4> blocks(loop.blocks());
        llvm::DeleteDeadBlocks(blocks);
        return true;
    }

private:
    enum { chunkSize = 128 };

    bool matches()
    {
        if (verdict.findOrder() || !loop.isInnermost() || !isRepeatable(loop) ||
            !llvm::isa<llvm::BranchInst>(latch->getTerminator()))
            return false;
        for (const Recurrence &item : verdict.recurrences.items) {
            if (item.isScanned || (item.kind != Recurrence::winner && item.kind != Recurrence::carried))
                return false;
            if (item.kind == Recurrence::winner && winner)
                return false;
            if (item.kind == Recurrence::winner)
                winner = &item;
        }
        if (!winner || verdict.recurrences.items.size() < 2 || winner->nan != NanRule::none)
            return false;
        llvm::Type *type = winner->phi->getType();
        isMaximum = winner->predicate == llvm::CmpInst::FCMP_OGT;
        if (!(type->isFloatTy() || type->isDoubleTy()) ||
            !(isMaximum || winner->predicate == llvm::CmpInst::FCMP_OLT))
            return false;
        word = std::make_unique<ExtremeWord>(builder, *type, isMaximum);
        return true;
    }

    llvm::BasicBlock *createBlock(const char *name)
    {
        return llvm::BasicBlock::Create(header->getContext(), name, header->getParent(), header);
    }

    const Recurrence *itemOf(const llvm::PHINode &phi) const
    {
        for (const Recurrence &item : verdict.recurrences.items)
            if (item.phi == &phi)
                return &item;
        return nullptr;
    }

    // The value that replaces the phi's.
    static llvm::Value *replacementOf(const Recurrence &item)
    {
        auto *select = llvm::cast<llvm::SelectInst>(item.operation);
        return select->getTrueValue() == item.phi ? select->getFalseValue() : select->getTrueValue();
    }

    static llvm::Value *copyOf(llvm::ValueToValueMapTy &map, llvm::Value *value)
    {
        llvm::Value *copy = map.lookup(value);
        return copy ? copy : value;
    }

    void copyLoop(llvm::ValueToValueMapTy &map, const char *suffix)
    {
        llvm::SmallVector<llvm::BasicBlock *, 4> copies;
        for (llvm::BasicBlock *block : loop.blocks()) {
            llvm::BasicBlock *copy = llvm::CloneBasicBlock(block, map, suffix, header->getParent());
            copy->moveBefore(header);
            map[block] = copy;
            copies.push_back(copy);
        }
        llvm::remapInstructionsInBlocks(copies, map);
    }

    // Has phis for the values that go from chunk to chunk.
    void beginChunk()
    {
        preheader->getTerminator()->replaceSuccessorWith(header, begin);
        builder.SetInsertPoint(begin);
        for (llvm::PHINode &phi : header->phis()) {
            llvm::PHINode *handed = builder.CreatePHI(phi.getType(), 2);
            handed->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
            atBegin[&phi] = handed;
        }
    }

    // The copy's phis other than inductions are what they were at the chunk's begin.
    void startCopy(llvm::ValueToValueMapTy &map, llvm::BasicBlock *from)
    {
        for (llvm::PHINode &phi : header->phis()) {
            auto *copy = llvm::cast<llvm::PHINode>(copyOf(map, &phi));
            if (itemOf(phi)) {
                copy->replaceAllUsesWith(atBegin[&phi]);
                copy->eraseFromParent();
                map[&phi] = atBegin[&phi];
                continue;
            }
            const auto k = static_cast<unsigned>(copy->getBasicBlockIndex(preheader));
            copy->setIncomingValue(k, atBegin[&phi]);
            copy->setIncomingBlock(k, from);
        }
    }

    void findMost(llvm::ValueToValueMapTy &map)
    {
        auto *first = llvm::cast<llvm::BasicBlock>(copyOf(map, header));
        auto *last = llvm::cast<llvm::BasicBlock>(copyOf(map, latch));
        builder.SetInsertPoint(begin);
        builder.CreateBr(first);
        startCopy(map, begin);
        builder.SetInsertPoint(first, first->begin());
        llvm::PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");
        llvm::PHINode *key = builder.CreatePHI(word->type, 2, "key");
        auto *branch = llvm::cast<llvm::BranchInst>(last->getTerminator());
        builder.SetInsertPoint(branch);
        llvm::Value *next = builder.CreateAdd(place, builder.getInt64(1), "", true, true);
        llvm::Value *nextKey = word->best(key, word->keyOf(copyOf(map, replacementOf(*winner)), false));
        place->addIncoming(builder.getInt64(0), begin);
        place->addIncoming(next, last);
        key->addIncoming(word->least(), begin);
        key->addIncoming(nextKey, last);
        continues = branch->getCondition();
        if (branch->getSuccessor(0) != first)
            continues = builder.CreateNot(continues);
        llvm::Value *hasRoom = builder.CreateICmpULT(next, builder.getInt64(chunkSize));
        builder.CreateCondBr(builder.CreateAnd(continues, hasRoom), first, found);
        branch->eraseFromParent();
        builder.SetInsertPoint(found);
        number = word->numberOf(nextKey);
    }

    void searchFor(llvm::ValueToValueMapTy &map)
    {
        auto *first = llvm::cast<llvm::BasicBlock>(copyOf(map, header));
        auto *last = llvm::cast<llvm::BasicBlock>(copyOf(map, latch));
        builder.SetInsertPoint(found);
        builder.CreateCondBr(builder.CreateFCmp(winner->predicate, number, atBegin[winner->phi]), better, join);
        builder.SetInsertPoint(better);
        builder.CreateBr(first);
        startCopy(map, better);
        last->getTerminator()->eraseFromParent();
        builder.SetInsertPoint(last);
        builder.CreateCondBr(builder.CreateFCmpOEQ(copyOf(map, replacementOf(*winner)), number), join, first);
    }

    void endChunk(llvm::ValueToValueMapTy &most, llvm::ValueToValueMapTy &search)
    {
        auto *searched = llvm::cast<llvm::BasicBlock>(copyOf(search, latch));
        llvm::DenseMap<const llvm::Value *, llvm::Value *> results;
        builder.SetInsertPoint(join);
        for (const Recurrence &item : verdict.recurrences.items) {
            llvm::PHINode *result = builder.CreatePHI(item.phi->getType(), 2);
            result->addIncoming(atBegin[item.phi], found);
            result->addIncoming(copyOf(search, replacementOf(item)), searched);
            results[item.update] = result;
            atBegin[item.phi]->addIncoming(result, join);
        }
        for (llvm::PHINode &phi : header->phis())
            if (!itemOf(phi))
                atBegin[&phi]->addIncoming(copyOf(most, phi.getIncomingValueForBlock(latch)), join);
        builder.CreateCondBr(continues, begin, exit);
        for (llvm::PHINode &phi : exit->phis()) {
            llvm::Value *value = phi.getIncomingValueForBlock(latch), *result = results.lookup(value);
            phi.addIncoming(result ? result : copyOf(most, value), join);
        }
    }

    llvm::Loop &loop;
    LoopVerdict &verdict;
    llvm::BasicBlock *const preheader, *const header, *const latch, *const exit;
    llvm::IRBuilder<> builder;
    const Recurrence *winner = nullptr;
    bool isMaximum = false;
    std::unique_ptr<ExtremeWord> word;
    llvm::BasicBlock *begin = nullptr, *found = nullptr, *better = nullptr, *join = nullptr;
    llvm::DenseMap<const llvm::PHINode *, llvm::PHINode *> atBegin; // of a chunk
    llvm::Value *continues = nullptr, *number = nullptr;
};

} // namespace

extern "C" bool codegen_chunk_winners(LLVMValueRef value, const codegen_roles *given)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    llvm::SmallVector<llvm::BasicBlock *, 8> headers;
    {
        LoopAnalyses analyses(function);
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder())
            headers.push_back(loop->getHeader());
    }
    bool changed = false;
    for (llvm::BasicBlock *header : headers) {
        LoopAnalyses analyses(function);
        llvm::Loop &loop = *analyses.loops.getLoopFor(header);
        LoopVerdict verdict(loop, analyses, roles, given->is_reorderable);
        changed |= ChunkedWinner(loop, verdict).run();
    }
    return changed;
}

#endif
