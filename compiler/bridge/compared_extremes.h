// C++, a part of codegen.cpp: maxima and minima that loops find by comparing, as SIMD code.
#ifndef GPUCC_COMPARED_EXTREMES_H
#define GPUCC_COMPARED_EXTREMES_H

#include "bridge/extreme_words.h"
#include "bridge/loop_recurrences.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>

namespace {

// `if (x > best) best = x;`, perhaps also if x is NaN.  A copy of the loop finds the greatest integer of the numbers'
// order.  If that is a zero, or a NaN was seen, the order of the iterations decides the bits, and the loop itself runs.
class ComparedExtreme {
public:
    ComparedExtreme(llvm::Loop &loop, llvm::PHINode &phi)
        : loop(loop), phi(phi), preheader(loop.getLoopPreheader()), latch(loop.getLoopLatch()),
          exit(loop.getExitBlock()), builder(phi.getContext())
    {
    }

    // The copy's head, or null where the loop does not change.
    llvm::BasicBlock *run()
    {
        if (!preheader || !latch || !exit || !loop.isInnermost() || loop.getExitingBlock() != latch ||
            !(phi.getType()->isFloatTy() || phi.getType()->isDoubleTy()) || !matches() || !isRepeatable(loop) ||
            !isClosed())
            return nullptr;
        word = std::make_unique<ExtremeWord>(builder, *phi.getType(), isMaximum);
        copyLoop();
        findKey();
        joinResults();
        return llvm::cast<llvm::BasicBlock>(map[loop.getHeader()]);
    }

private:
    bool matches()
    {
        select = llvm::dyn_cast<llvm::SelectInst>(phi.getIncomingValueForBlock(latch));
        if (!select || select->getParent() == preheader || !loop.contains(select) ||
            (select->getTrueValue() == &phi) == (select->getFalseValue() == &phi))
            return false;
        const bool staysIfTrue = select->getTrueValue() == &phi;
        term = staysIfTrue ? select->getFalseValue() : select->getTrueValue();
        WinnerCondition condition(&phi, term);
        if (!condition.read(select->getCondition(), staysIfTrue))
            return false;
        isMaximum = condition.predicate == llvm::CmpInst::FCMP_OGT || condition.predicate == llvm::CmpInst::FCMP_OGE;
        takesNaN = condition.nan == NanRule::firstWins || condition.nan == NanRule::lastWins;
        return (takesNaN || condition.nan == NanRule::none) && isUsedHereOnly(condition.parts);
    }

    bool isUsedHereOnly(llvm::ArrayRef<llvm::Instruction *> parts) const
    {
        auto isHere = [&](const llvm::User *user) { return user == select || llvm::is_contained(parts, user); };
        for (const llvm::Instruction *part : parts)
            if (!loop.contains(part) || !llvm::all_of(part->users(), isHere))
                return false;
        for (const llvm::User *user : select->users())
            if (user != &phi && loop.contains(llvm::cast<llvm::Instruction>(user)))
                return false;
        return llvm::all_of(phi.users(), isHere);
    }

    // Whether the loop hands on what is known behind it only by phis there.
    bool isClosed() const
    {
        for (const llvm::BasicBlock *block : loop.blocks())
            for (const llvm::Instruction &i : *block)
                for (const llvm::User *user : i.users()) {
                    auto *outside = llvm::cast<llvm::Instruction>(user);
                    if (!loop.contains(outside) &&
                        !(llvm::isa<llvm::PHINode>(outside) && outside->getParent() == exit))
                        return false;
                }
        return true;
    }

    void copyLoop()
    {
        llvm::Function *function = phi.getFunction();
        llvm::BasicBlock *header = loop.getHeader();
        llvm::SmallVector<llvm::BasicBlock *, 4> copies;
        for (llvm::BasicBlock *block : loop.blocks()) {
            llvm::BasicBlock *copy = llvm::CloneBasicBlock(block, map, ".keys", function);
            copy->moveBefore(header);
            map[block] = copy;
            copies.push_back(copy);
        }
        found = llvm::BasicBlock::Create(function->getContext(), "extreme", function, header);
        again = llvm::BasicBlock::Create(function->getContext(), "again", function, header);
        map[exit] = found;
        llvm::remapInstructionsInBlocks(copies, map);
        preheader->getTerminator()->replaceSuccessorWith(header, llvm::cast<llvm::BasicBlock>(map[header]));
        header->replacePhiUsesWith(preheader, again);
        builder.SetInsertPoint(again);
        builder.CreateBr(header);
    }

    // A NaN before the loop stays, as one that is taken does: its key wins.
    void findKey()
    {
        auto *copiedPhi = llvm::cast<llvm::PHINode>(map[&phi]);
        auto *copiedLatch = llvm::cast<llvm::BasicBlock>(map[latch]);
        llvm::Value *copiedTerm = map.count(term) ? static_cast<llvm::Value *>(map[term]) : term;
        builder.SetInsertPoint(preheader->getTerminator());
        llvm::Value *start = word->keyOf(phi.getIncomingValueForBlock(again), true);
        builder.SetInsertPoint(copiedPhi);
        key = builder.CreatePHI(word->type, 2);
        builder.SetInsertPoint(llvm::cast<llvm::Instruction>(map[select]));
        llvm::Value *next = word->best(key, word->keyOf(copiedTerm, takesNaN));
        key->addIncoming(start, preheader);
        key->addIncoming(next, copiedLatch);
        builder.SetInsertPoint(found);
        result = builder.CreatePHI(word->type, 1);
        result->addIncoming(next, copiedLatch);
    }

    void joinResults()
    {
        auto *copiedLatch = llvm::cast<llvm::BasicBlock>(map[latch]);
        llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> results;
        for (llvm::PHINode &behind : exit->phis()) {
            llvm::Value *value = behind.getIncomingValueForBlock(latch);
            if (value == select) {
                results.push_back({&behind, nullptr});
                continue;
            }
            llvm::PHINode *copy = builder.CreatePHI(value->getType(), 1);
            copy->addIncoming(map.count(value) ? static_cast<llvm::Value *>(map[value]) : value, copiedLatch);
            results.push_back({&behind, copy});
        }
        llvm::BasicBlock *join = llvm::SplitBlock(exit, exit->getFirstInsertionPt());
        llvm::Value *number = word->numberOf(result), *isNaN = builder.CreateICmpEQ(result, word->most());
        llvm::Value *isZero = builder.CreateFCmpOEQ(number, llvm::ConstantFP::getZero(phi.getType()));
        builder.CreateCondBr(builder.CreateOr(isNaN, isZero), again, join);
        for (auto [behind, copy] : results) {
            builder.SetInsertPoint(join, join->begin());
            llvm::PHINode *both = builder.CreatePHI(behind->getType(), 2);
            behind->replaceAllUsesWith(both);
            both->addIncoming(behind, exit);
            both->addIncoming(copy ? copy : number, found);
        }
        auto *copied = llvm::cast<llvm::PHINode>(map[&phi]);
        copied->replaceAllUsesWith(llvm::PoisonValue::get(copied->getType()));
        copied->eraseFromParent();
    }

    llvm::Loop &loop;
    llvm::PHINode &phi;
    llvm::BasicBlock *const preheader, *const latch, *const exit;
    llvm::IRBuilder<> builder;
    llvm::SelectInst *select = nullptr;
    llvm::Value *term = nullptr;
    bool isMaximum = false, takesNaN = false;
    std::unique_ptr<ExtremeWord> word;
    llvm::ValueToValueMapTy map;
    llvm::BasicBlock *found = nullptr, *again = nullptr; // behind the copy; before the loop itself
    llvm::PHINode *key = nullptr, *result = nullptr;
};

} // namespace

extern "C" bool codegen_use_compared_keys(LLVMValueRef value)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    llvm::SmallVector<llvm::BasicBlock *, 8> headers;
    {
        llvm::DominatorTree dominators(function);
        llvm::LoopInfo loops(dominators);
        for (llvm::Loop *loop : loops.getLoopsInPreorder())
            headers.push_back(loop->getHeader());
    }
    bool changed = false;
    while (!headers.empty()) {
        llvm::DominatorTree dominators(function);
        llvm::LoopInfo loops(dominators);
        llvm::BasicBlock *header = headers.pop_back_val(), *copy = nullptr;
        llvm::Loop *loop = loops.getLoopFor(header);
        for (llvm::PHINode &phi : header->phis())
            if (!copy)
                copy = ComparedExtreme(*loop, phi).run();
        if (copy) // it may have a second one
            headers.push_back(copy);
        changed |= copy != nullptr;
    }
    return changed;
}

#endif
