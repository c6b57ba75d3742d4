// C++, a part of codegen.cpp: maxima and minima that loops find by comparing, as SIMD code.
#ifndef GPUCC_COMPARED_EXTREMES_H
#define GPUCC_COMPARED_EXTREMES_H

#include "bridge/loop_recurrences.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

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

    bool run()
    {
        if (!preheader || !latch || !exit || !loop.isInnermost() || loop.getExitingBlock() != latch ||
            !(phi.getType()->isFloatTy() || phi.getType()->isDoubleTy()) || !matches() || !isPure())
            return false;
        word = builder.getIntNTy(phi.getType()->getPrimitiveSizeInBits().getFixedValue());
        copyLoop();
        findKey();
        joinResults();
        return true;
    }

private:
    bool matches()
    {
        select = llvm::dyn_cast<llvm::SelectInst>(phi.getIncomingValueForBlock(latch));
        if (!select || select->getParent() == preheader || !loop.contains(select) ||
            (select->getTrueValue() == &phi) == (select->getFalseValue() == &phi))
            return false;
        const bool takesTrue = select->getFalseValue() == &phi;
        term = takesTrue ? select->getTrueValue() : select->getFalseValue();
        llvm::Value *condition = select->getCondition(), *other = nullptr;
        order = llvm::dyn_cast<llvm::FCmpInst>(condition);
        if (!order && takesTrue && splitEither(condition, other))
            return isOrder(true) && isNumberTest(other) && isUsedHereOnly(condition);
        return order && isOrder(takesTrue) && isUsedHereOnly(order);
    }

    // A condition that holds if the one or the other does.
    bool splitEither(llvm::Value *condition, llvm::Value *&other)
    {
        llvm::Value *a = nullptr, *b = nullptr;
        auto *i = llvm::dyn_cast<llvm::Instruction>(condition);
        if (i && i->getOpcode() == llvm::Instruction::Or) {
            a = i->getOperand(0), b = i->getOperand(1);
        } else if (auto *either = llvm::dyn_cast<llvm::SelectInst>(condition)) {
            auto *yes = llvm::dyn_cast<llvm::ConstantInt>(either->getTrueValue());
            if (!yes || !yes->isOne())
                return false;
            a = either->getCondition(), b = either->getFalseValue();
        }
        for (auto [first, second] : {std::pair(a, b), std::pair(b, a)}) {
            order = llvm::dyn_cast_or_null<llvm::FCmpInst>(first);
            other = second;
            if (order && order->getPredicate() != llvm::CmpInst::FCMP_UNO && order->hasOneUse())
                return true;
        }
        return false;
    }

    // Whether the comparison is of the term with the phi; `replaces`: the term is taken where it holds.
    bool isOrder(bool replaces)
    {
        llvm::CmpInst::Predicate predicate = order->getPredicate();
        if (order->getOperand(0) == &phi && order->getOperand(1) == term)
            predicate = llvm::CmpInst::getSwappedPredicate(predicate);
        else if (order->getOperand(0) != term || order->getOperand(1) != &phi)
            return false;
        if (!replaces)
            predicate = llvm::CmpInst::getInversePredicate(predicate);
        isMaximum = predicate == llvm::CmpInst::FCMP_OGT || predicate == llvm::CmpInst::FCMP_OGE;
        return isMaximum || predicate == llvm::CmpInst::FCMP_OLT || predicate == llvm::CmpInst::FCMP_OLE;
    }

    // Whether it says that the term is NaN.
    bool isNumberTest(llvm::Value *value)
    {
        auto *test = llvm::dyn_cast<llvm::FCmpInst>(value);
        takesNaN = test && test->getPredicate() == llvm::CmpInst::FCMP_UNO &&
                   (test->getOperand(0) == term || test->getOperand(1) == term) &&
                   (test->getOperand(0) == test->getOperand(1) || llvm::isa<llvm::ConstantFP>(test->getOperand(1)));
        return takesNaN;
    }

    bool isUsedHereOnly(const llvm::Value *condition) const
    {
        for (const llvm::User *user : phi.users())
            if (user != order && user != select)
                return false;
        for (const llvm::User *user : select->users())
            if (user != &phi && loop.contains(llvm::cast<llvm::Instruction>(user)))
                return false;
        return condition->hasOneUse();
    }

    // Whether the loop may run twice, and hands on what is known behind it only by phis there.
    bool isPure() const
    {
        for (const llvm::BasicBlock *block : loop.blocks())
            for (const llvm::Instruction &i : *block) {
                auto *load = llvm::dyn_cast<llvm::LoadInst>(&i);
                if ((load && !load->isSimple()) || (!load && i.mayReadOrWriteMemory()) ||
                    (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i)))
                    return false;
                for (const llvm::User *user : i.users()) {
                    auto *outside = llvm::cast<llvm::Instruction>(user);
                    if (!loop.contains(outside) &&
                        !(llvm::isa<llvm::PHINode>(outside) && outside->getParent() == exit))
                        return false;
                }
            }
        return exit->getSinglePredecessor() == latch;
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

    // The bits, all but the sign reversed if it is set.
    llvm::Value *reverse(llvm::Value *bits)
    {
        const unsigned width = word->getIntegerBitWidth();
        llvm::Value *mask = builder.CreateAnd(builder.CreateAShr(bits, width - 1),
                                              builder.getInt(llvm::APInt::getSignedMaxValue(width)));
        return builder.CreateXor(bits, mask);
    }

    llvm::Value *keyOf(llvm::Value *value, bool wins)
    {
        const unsigned width = word->getIntegerBitWidth();
        llvm::Constant *none = builder.getInt(wins == isMaximum ? llvm::APInt::getSignedMaxValue(width)
                                                                : llvm::APInt::getSignedMinValue(width));
        return builder.CreateSelect(builder.CreateFCmpUNO(value, value), none,
                                    reverse(builder.CreateBitCast(value, word)));
    }

    // A NaN before the loop stays, as one that is taken does: its key wins.
    void findKey()
    {
        auto *copiedPhi = llvm::cast<llvm::PHINode>(map[&phi]);
        auto *copiedLatch = llvm::cast<llvm::BasicBlock>(map[latch]);
        llvm::Value *copiedTerm = map.count(term) ? static_cast<llvm::Value *>(map[term]) : term;
        builder.SetInsertPoint(preheader->getTerminator());
        llvm::Value *start = keyOf(phi.getIncomingValueForBlock(again), true);
        builder.SetInsertPoint(copiedPhi);
        key = builder.CreatePHI(word, 2);
        builder.SetInsertPoint(llvm::cast<llvm::Instruction>(map[select]));
        llvm::Value *next = builder.CreateBinaryIntrinsic(isMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                                          key, keyOf(copiedTerm, takesNaN));
        key->addIncoming(start, preheader);
        key->addIncoming(next, copiedLatch);
        builder.SetInsertPoint(found);
        result = builder.CreatePHI(word, 1);
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
        llvm::Value *number = builder.CreateBitCast(reverse(result), phi.getType());
        const unsigned width = word->getIntegerBitWidth();
        llvm::Value *isNaN = builder.CreateICmpEQ(
            result, builder.getInt(isMaximum ? llvm::APInt::getSignedMaxValue(width)
                                             : llvm::APInt::getSignedMinValue(width)));
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
    llvm::FCmpInst *order = nullptr;
    llvm::Value *term = nullptr;
    bool isMaximum = false, takesNaN = false;
    llvm::IntegerType *word = nullptr;
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
    for (llvm::BasicBlock *header : headers) {
        llvm::DominatorTree dominators(function);
        llvm::LoopInfo loops(dominators);
        llvm::Loop *loop = loops.getLoopFor(header);
        for (llvm::PHINode &phi : header->phis())
            if (ComparedExtreme(*loop, phi).run()) {
                changed = true;
                break;
            }
    }
    return changed;
}

#endif
