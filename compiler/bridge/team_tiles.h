// C++, a part of codegen.cpp: nests of loops whose innermost one computes a sum, of which a thread makes several at
// once: it loads an element once for a tile of results.
#ifndef GPUCC_TEAM_TILES_H
#define GPUCC_TEAM_TILES_H

#include "bridge/second_path.h"
#include "bridge/team_loops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace {

// The mark of a loop of which a pass, `unroll` or `unroll_and_jam`, shall run so many iterations at once.
inline llvm::MDNode *tileMark(llvm::LLVMContext &context, const char *pass, unsigned value)
{
    llvm::Metadata *count[] = {
        llvm::MDString::get(context, (llvm::Twine("llvm.loop.") + pass + ".count").str()),
        llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value))};
    llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, count)});
    id->replaceOperandWith(0, id);
    return id;
}

// The loops of a nest, from the outer one: in each but the last is one loop and little else.
struct TileNest {
    explicit TileNest(llvm::Loop &outer)
    {
        for (llvm::Loop *loop = &outer; loop;
             loop = loop->getSubLoops().size() == 1 ? loop->getSubLoops()[0] : nullptr)
            loops.push_back(loop);
    }

    // Whether each iteration of the outer loops computes a floating-point sum, or several, in C's order, in the
    // innermost loop.  Dependences in memory are left to LLVM's unroll-and-jam, which runs no iterations at once where
    // it does not find them independent.
    bool isTile(LoopAnalyses &analyses, const Roles &roles) const
    {
        enum { mostLoops = 3, most = 160 };
        llvm::Loop &inner = *loops.back();
        if (loops.size() < 2 || loops.size() > mostLoops || !inner.isInnermost() || inner.getNumBlocks() != 1)
            return false;
        size_t size = 0;
        for (const llvm::BasicBlock *block : loops[0]->blocks())
            for (const llvm::Instruction &i : *block) {
                if (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i))
                    return false;
                size += !i.isDebugOrPseudoInst();
            }
        for (llvm::Loop *loop : loops) {
            const llvm::SCEV *count = analyses.evolution.getBackedgeTakenCount(loop);
            if (llvm::isa<llvm::SCEVCouldNotCompute>(count) ||
                (loop != loops[0] && !analyses.evolution.isLoopInvariant(count, loops[0])))
                return false;
        }
        for (llvm::Loop *loop : loops) {
            LoopVerdict verdict(*loop, analyses, roles, false);
            if (verdict.findOrder() || (loop != &inner && !verdict.recurrences.items.empty()))
                return false;
            if (loop == &inner && (verdict.recurrences.items.empty() || verdict.recurrences.hasScan() ||
                                   !llvm::all_of(verdict.recurrences.items, [](const Recurrence &item) {
                                       return item.phi->getType()->isFloatingPointTy();
                                   })))
                return false;
        }
        return size <= most;
    }

    llvm::SmallVector<llvm::Loop *, 3> loops;
};

// Whether the outer loop has no code but what the inner one may have.
inline bool isPerfectNest(const llvm::Loop &outer, const llvm::Loop &inner)
{
    if (!outer.getExitBlock() || !inner.getExitBlock() || !outer.getLoopPreheader() || !inner.getLoopPreheader())
        return false;
    for (const llvm::Loop *loop : {&outer, &inner})
        if (!loop->getExitBlock()->phis().empty())
            return false;
    for (const llvm::BasicBlock *block : outer.blocks()) {
        if (inner.contains(block))
            continue;
        auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        if (!branch || (branch->isConditional() && block != outer.getLoopLatch()))
            return false;
        for (const llvm::Instruction &i : *block)
            if (i.mayReadOrWriteMemory() || !isHarmless(i) || (llvm::isa<llvm::PHINode>(i) &&
                                                              block != outer.getHeader()))
                return false;
    }
    return true;
}

// Whether all that goes from one iteration to the next are integers that begin and move alike in all of the nest.
inline bool hasIntegers(const LoopVerdict &verdict, const llvm::Loop &outer, llvm::ScalarEvolution &evolution)
{
    return llvm::all_of(verdict.loop.getHeader()->phis(), [&](llvm::PHINode &phi) {
        if (!phi.getType()->isIntegerTy() || !verdict.isInduction(phi))
            return false;
        auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
        return outer.isLoopInvariant(phi.getIncomingValueForBlock(verdict.loop.getLoopPreheader())) &&
               evolution.isLoopInvariant(recurrence->getStepRecurrence(evolution), &outer);
    });
}

// Exchanges two loops, of which the outer one moves by more than one element and the inner one does not, so that
// threads share the outer one and have tiles along the inner one.
class Interchange {
public:
    Interchange(llvm::Function &function, const Roles &roles) : function(function), roles(roles), analyses(function) {}

    bool run()
    {
        bool any = false;
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder())
            if (isWanted(*loop)) {
                exchange(*loop, *loop->getSubLoops()[0]);
                any = true;
            }
        return any;
    }

private:
    bool isWanted(llvm::Loop &outer)
    {
        const TileNest nest(outer);
        if (nest.loops.size() != 3 || !nest.isTile(analyses, roles))
            return false;
        LoopVerdict first(outer, analyses, roles, false), second(*nest.loops[1], analyses, roles, false);
        return !first.find() && first.distantAccesses() > 0 && !second.find() && second.distantAccesses() == 0 &&
               isPerfectNest(outer, *nest.loops[1]) && hasIntegers(first, outer, analyses.evolution) &&
               hasIntegers(second, outer, analyses.evolution);
    }

    struct Counted {
        llvm::Loop *loop;
        llvm::Value *last; // iteration
        llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 2> steps;
        llvm::PHINode *number;
    };

    Counted describe(llvm::Loop &loop, llvm::Instruction *place)
    {
        llvm::SCEVExpander expander(analyses.evolution, function.getParent()->getDataLayout(), "tile");
        llvm::Type *wide = llvm::Type::getInt64Ty(function.getContext());
        const llvm::SCEV *count = analyses.evolution.getBackedgeTakenCount(&loop);
        Counted counted = {&loop, nullptr, {}, nullptr};
        counted.last = expander.expandCodeFor(analyses.evolution.getTruncateOrZeroExtend(count, wide), wide, place);
        for (llvm::PHINode &phi : loop.getHeader()->phis()) {
            auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(analyses.evolution.getSCEV(&phi));
            const llvm::SCEV *step = recurrence->getStepRecurrence(analyses.evolution);
            counted.steps.push_back({&phi, expander.expandCodeFor(step, step->getType(), place)});
        }
        return counted;
    }

    void exchange(llvm::Loop &outer, llvm::Loop &inner)
    {
        llvm::Instruction *place = outer.getLoopPreheader()->getTerminator();
        Counted first = describe(outer, place), second = describe(inner, place);
        number(first, second.last);
        number(second, first.last);
        llvm::SmallVector<llvm::Instruction *, 16> moved;
        for (llvm::BasicBlock *block : outer.blocks())
            if (!inner.contains(block) && analyses.dominators.dominates(block, inner.getHeader()))
                for (llvm::Instruction &i : *block)
                    if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
                        moved.push_back(&i);
        llvm::Instruction *to = &*inner.getHeader()->getFirstInsertionPt();
        llvm::IRBuilder<> builder(to);
        replace(first, second.number, builder);
        for (llvm::Instruction *i : moved)
            i->moveBefore(to);
        replace(second, first.number, builder);
    }

    // Gives the loop a number of its own, and as many iterations as the other one has.
    static void number(Counted &counted, llvm::Value *last)
    {
        llvm::BasicBlock *header = counted.loop->getHeader(), *latch = counted.loop->getLoopLatch();
        llvm::IRBuilder<> builder(&header->front());
        counted.number = builder.CreatePHI(builder.getInt64Ty(), 2, "number");
        counted.number->addIncoming(builder.getInt64(0), counted.loop->getLoopPreheader());
        auto *branch = llvm::cast<llvm::BranchInst>(latch->getTerminator());
        builder.SetInsertPoint(branch);
        counted.number->addIncoming(builder.CreateAdd(counted.number, builder.getInt64(1), "", /*HasNUW=*/true), latch);
        const bool goesOnIfTrue = branch->getSuccessor(0) == header;
        branch->setCondition(goesOnIfTrue ? builder.CreateICmpNE(counted.number, last)
                                          : builder.CreateICmpEQ(counted.number, last));
    }

    // The inductions are those of iteration `number`.
    static void replace(const Counted &counted, llvm::Value *number, llvm::IRBuilder<> &builder)
    {
        for (auto [phi, step] : counted.steps) {
            llvm::Value *start = phi->getIncomingValueForBlock(counted.loop->getLoopPreheader());
            llvm::Value *distance = builder.CreateMul(builder.CreateZExtOrTrunc(number, phi->getType()), step);
            phi->replaceAllUsesWith(builder.CreateAdd(start, distance));
            phi->eraseFromParent();
        }
    }

    llvm::Function &function;
    const Roles &roles;
    LoopAnalyses analyses;
};

// Marks loops for `loop-unroll-and-jam`: those with so many loops inside, but what that pass has left of others.
inline bool markTiles(llvm::Function &function, const Roles &roles, unsigned depth, unsigned count)
{
    LoopAnalyses analyses(function);
    bool any = false;
    for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder()) {
        const TileNest nest(*loop);
        if (nest.loops.size() != depth + 1 || !nest.isTile(analyses, roles) ||
            llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.disable"))
            continue;
        loop->setLoopID(tileMark(function.getContext(), "unroll_and_jam", count));
        any = true;
    }
    return any;
}

// Gives a function a path for inputs whose rows begin at multiples of 16 bytes, where a thread loads several elements
// at once.  Extents are loaded from the first argument.
class AlignedPath {
public:
    AlignedPath(llvm::Function &function, const Roles &roles)
        : function(function), roles(roles), entry(function.getEntryBlock())
    {
    }

    // The first block of the path, or null.
    llvm::BasicBlock *separate()
    {
        for (llvm::Argument &argument : function.args())
            if (argument.getArgNo() > 0 && argument.getType()->isPointerTy() && roles.isInput(&argument) &&
                !argument.use_empty())
                inputs.push_back(&argument);
        llvm::Instruction *last = nullptr;
        for (llvm::Instruction &i : entry)
            if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i); load && isStride(*load))
                strides.push_back(load), last = load;
        if (inputs.empty())
            return nullptr;
        return branch(last);
    }

private:
    enum { bytes = 16, elements = 4 };

    static bool isStride(const llvm::LoadInst &load)
    {
        return load.getType()->isIntegerTy(64) && llvm::any_of(load.users(), [](const llvm::User *user) {
            auto *i = llvm::dyn_cast<llvm::Instruction>(user);
            return i && i->getOpcode() == llvm::Instruction::Mul;
        });
    }

    llvm::BasicBlock *branch(llvm::Instruction *last)
    {
        SecondPath path(function, last, ".aligned");
        auto *begin = llvm::BasicBlock::Create(function.getContext(), "aligned", &function, path.second);
        llvm::IRBuilder<> builder(entry.getTerminator()), inside(begin);
        llvm::Value *odd = builder.getInt64(0);
        for (llvm::Argument *input : inputs) {
            llvm::Value *address = builder.CreatePtrToInt(input, builder.getInt64Ty());
            odd = builder.CreateOr(odd, builder.CreateAnd(address, builder.getInt64(bytes - 1)));
        }
        for (llvm::LoadInst *stride : strides) {
            odd = builder.CreateOr(odd, builder.CreateAnd(stride, builder.getInt64(elements - 1)));
            path.map[stride] = inside.CreateAnd(stride, builder.getInt64(-static_cast<uint64_t>(elements)));
        }
        inside.CreateBr(path.second);
        path.second = begin;
        path.branch(*builder.CreateIsNull(odd));
        return begin;
    }

    llvm::Function &function;
    const Roles &roles;
    llvm::BasicBlock &entry;
    llvm::SmallVector<llvm::Argument *, 4> inputs;
    llvm::SmallVector<llvm::LoadInst *, 4> strides; // by which indices are multiplied
};

// Has the loop run so many iterations at once, whatever their number is.
inline void unrollLoop(llvm::Loop &loop, unsigned times, LoopAnalyses &analyses)
{
    llvm::Function &function = *loop.getHeader()->getParent();
    const llvm::TargetTransformInfo target(function.getParent()->getDataLayout());
    llvm::OptimizationRemarkEmitter remarks(&function);
    llvm::UnrollLoopOptions options = {};
    options.Count = times;
    options.Force = options.Runtime = true;
    (void)llvm::UnrollLoop(&loop, options, &analyses.loops, &analyses.evolution, &analyses.dominators,
                           &analyses.assumptions, &target, &remarks, /*PreserveLCSSA=*/true);
}

// Has the loops of sums themselves unrolled, so that few of their instructions compute addresses, and on the path for
// aligned inputs neighbouring elements are loaded at once.
class UnrolledTiles {
public:
    UnrolledTiles(llvm::Function &function, const Roles &roles) : function(function), roles(roles) {}

    void run()
    {
        if (LoopAnalyses before(function); find(before).empty())
            return;
        llvm::BasicBlock *aligned = AlignedPath(function, roles).separate();
        LoopAnalyses analyses(function);
        const llvm::SmallVector<llvm::Loop *, 8> loops = find(analyses);
        llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
        for (llvm::Loop *loop : loops) {
            blocks.push_back(loop->getHeader());
            unrollLoop(*loop, times, analyses);
        }
        if (aligned)
            align(*aligned, blocks);
    }

private:
    enum { times = 4, bits = 4 }; // of an address that is a multiple of 16

    llvm::SmallVector<llvm::Loop *, 8> find(LoopAnalyses &analyses) const
    {
        llvm::SmallVector<llvm::Loop *, 8> loops;
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder()) {
            const TileNest nest(*loop);
            if (nest.loops.size() == 2 && nest.isTile(analyses, roles))
                loops.push_back(nest.loops[1]);
        }
        return loops;
    }

    void align(const llvm::BasicBlock &path, llvm::ArrayRef<llvm::BasicBlock *> blocks)
    {
        LoopAnalyses analyses(function);
        for (llvm::BasicBlock *block : blocks) {
            if (!analyses.loops.getLoopFor(block) || !analyses.dominators.dominates(&path, block))
                continue;
            for (llvm::Instruction &i : *block) {
                auto *load = llvm::dyn_cast<llvm::LoadInst>(&i);
                if (load && isAligned(*load, analyses.evolution))
                    load->setAlignment(std::max(load->getAlign(), llvm::Align(1 << bits)));
            }
        }
    }

    // Whether the load's place is a multiple of 16 bytes from an argument whose address the path has tested.
    bool isAligned(const llvm::LoadInst &load, llvm::ScalarEvolution &evolution)
    {
        const llvm::SCEV *place = evolution.getSCEV(const_cast<llvm::Value *>(load.getPointerOperand()));
        auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(place));
        if (!base || !llvm::isa<llvm::Argument>(base->getValue()) || !roles.isInput(base->getValue()))
            return false;
        const llvm::SCEV *from = evolution.getMinusSCEV(place, base);
        return !llvm::isa<llvm::SCEVCouldNotCompute>(from) && evolution.getMinTrailingZeros(from) >= bits;
    }

    llvm::Function &function;
    const Roles &roles;
};

// Has loops of sums that end by several conditions count their iterations, so that they are unrolled; whether any do.
class CountedLoops {
public:
    CountedLoops(llvm::Function &function, const Roles &roles) : function(function), roles(roles), analyses(function) {}

    bool run()
    {
        bool any = false;
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder())
            if (isWanted(*loop)) {
                count(*loop);
                any = true;
            }
        return any;
    }

private:
    bool isWanted(llvm::Loop &loop)
    {
        if (!loop.getParentLoop() || !loop.isInnermost() || loop.getNumBlocks() != 1 || !loop.getLoopPreheader())
            return false;
        auto *branch = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
        if (!branch || !branch->isConditional() || llvm::isa<llvm::ICmpInst>(branch->getCondition()))
            return false;
        for (const llvm::Instruction &i : *loop.getHeader())
            if (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i))
                return false;
        LoopVerdict verdict(loop, analyses, roles, false);
        llvm::SCEVExpander expander(analyses.evolution, function.getParent()->getDataLayout(), "count");
        return !verdict.findOrder() && verdict.recurrences.has(Recurrence::ordered) &&
               fits(loop) && expander.isSafeToExpand(verdict.count());
    }

    // Whether 64 bits have the last iteration's number, which may be computed with more.
    bool fits(const llvm::Loop &loop)
    {
        auto *most = llvm::dyn_cast<llvm::SCEVConstant>(analyses.evolution.getConstantMaxBackedgeTakenCount(&loop));
        return most && most->getAPInt().getActiveBits() <= 64;
    }

    void count(llvm::Loop &loop)
    {
        enum { times = 4 };
        llvm::BasicBlock *block = loop.getHeader(), *preheader = loop.getLoopPreheader();
        llvm::SCEVExpander expander(analyses.evolution, function.getParent()->getDataLayout(), "count");
        llvm::IRBuilder<> builder(&block->front());
        llvm::Type *wide = builder.getInt64Ty();
        const llvm::SCEV *count =
            analyses.evolution.getTruncateOrZeroExtend(analyses.evolution.getBackedgeTakenCount(&loop), wide);
        llvm::Value *last = expander.expandCodeFor(count, wide, preheader->getTerminator());
        llvm::PHINode *number = builder.CreatePHI(wide, 2, "number");
        auto *branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
        builder.SetInsertPoint(branch);
        number->addIncoming(builder.getInt64(0), preheader);
        number->addIncoming(builder.CreateAdd(number, builder.getInt64(1)), block);
        branch->setCondition(branch->getSuccessor(0) == block ? builder.CreateICmpNE(number, last)
                                                              : builder.CreateICmpEQ(number, last));
        loop.setLoopID(tileMark(function.getContext(), "unroll", times));
    }

    llvm::Function &function;
    const Roles &roles;
    LoopAnalyses analyses;
};

} // namespace

#endif
