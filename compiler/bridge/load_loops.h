// C++, a part of codegen.cpp: unrolls loops that wait for memory in each round.
#ifndef GPUCC_LOAD_LOOPS_H
#define GPUCC_LOAD_LOOPS_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace {

class LoadLoops {
public:
    LoadLoops(unsigned least, unsigned most, unsigned rounds) : least(least), most(most), rounds(rounds) {}

    void mark(llvm::Function &function)
    {
        llvm::DominatorTree dominators(function);
        llvm::LoopInfo loops(dominators);
        for (llvm::Loop *loop : loops.getLoopsInPreorder())
            if (loop->isInnermost() && isCounted(*loop) && !isTold(*loop) && loadsInFewSteps(*loop))
                llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", rounds);
    }

private:
    // Whether it ends where a variable that goes by steps comes to a bound which is not known here.
    static bool isCounted(const llvm::Loop &loop)
    {
        const llvm::BasicBlock *latch = loop.getLoopLatch();
        if (!latch || loop.getExitingBlock() != latch)
            return false;
        auto *branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
        if (!branch || !branch->isConditional())
            return false;
        auto *test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
        return test && ((isStepped(loop, test->getOperand(0)) && isBound(loop, test->getOperand(1))) ||
                        (isStepped(loop, test->getOperand(1)) && isBound(loop, test->getOperand(0))));
    }

    static bool isBound(const llvm::Loop &loop, const llvm::Value *value)
    {
        return loop.isLoopInvariant(value) && !llvm::isa<llvm::Constant>(value);
    }

    static bool isStepped(const llvm::Loop &loop, const llvm::Value *value)
    {
        auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
        auto *phi = llvm::dyn_cast<llvm::PHINode>(sum ? sum->getOperand(0) : value);
        return phi && phi->getParent() == loop.getHeader() &&
               (!sum || (sum->getOpcode() == llvm::Instruction::Add && loop.isLoopInvariant(sum->getOperand(1))));
    }

    static bool isTold(const llvm::Loop &loop)
    {
        return llvm::hasUnrollTransformation(&loop) != llvm::TM_Unspecified;
    }

    // Whether the thread reads memory that is not its own or its block's, and the rest is few instructions, all of
    // which may be done out of the rounds' order.
    bool loadsInFewSteps(const llvm::Loop &loop) const
    {
        unsigned size = 0;
        bool loads = false, loadsConstants = false, stores = false;
        for (const llvm::BasicBlock *block : loop.blocks())
            for (const llvm::Instruction &i : block->instructionsWithoutDebug()) {
                size += !llvm::isa<llvm::PHINode>(i);
                if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                    if (!load->isSimple())
                        return false;
                    loads |= isFar(load->getPointerOperand());
                    loadsConstants |= isUnwritten(load->getPointerOperand());
                } else if (isOrdered(i)) {
                    return false;
                }
                stores |= i.mayWriteToMemory();
            }
        const bool inOrder = stores && !loadsConstants;
        return loads && size >= (inOrder ? leastInOrder : least) && size <= (inOrder ? mostInOrder : most);
    }

    static bool isFar(const llvm::Value *pointer)
    {
        const llvm::Value *object = llvm::getUnderlyingObject(pointer);
        return !llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::GlobalVariable>(object);
    }

    static bool isUnwritten(const llvm::Value *pointer)
    {
        auto *parameter = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
        return parameter && parameter->hasNoAliasAttr();
    }

    static bool isOrdered(const llvm::Instruction &i)
    {
        auto *call = llvm::dyn_cast<llvm::CallBase>(&i);
        return i.isAtomic() || (call && (!llvm::isa<llvm::IntrinsicInst>(call) || call->isConvergent()));
    }

    // In loops whose next round may read memory that this round writes, only counting and addresses are saved.
    static constexpr unsigned leastInOrder = 24, mostInOrder = 64;
    const unsigned least, most, rounds;
};

} // namespace

#endif
