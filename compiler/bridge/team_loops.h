// C++, a part of codegen.cpp: the loops of a gufunc's function, and which of them the threads of a team may share.
#ifndef GPUCC_TEAM_LOOPS_H
#define GPUCC_TEAM_LOOPS_H

#include "bridge/loop_independence.h"
#include "bridge/loop_recurrences.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace {

// LLVM's analyses of one function, as it is now.
struct LoopAnalyses {
    explicit LoopAnalyses(llvm::Function &function)
        : libraryImpl(llvm::Triple(function.getParent()->getTargetTriple())), library(libraryImpl, &function),
          dominators(function), loops(dominators), assumptions(function),
          evolution(function, library, assumptions, dominators, loops)
    {
        libraryImpl.disableAllFunctions();
    }

    llvm::TargetLibraryInfoImpl libraryImpl;
    llvm::TargetLibraryInfo library;
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    llvm::AssumptionCache assumptions;
    llvm::ScalarEvolution evolution;
};

// One loop in its place: whether its iterations may be distributed.
class LoopVerdict {
public:
    LoopVerdict(const llvm::Loop &loop, LoopAnalyses &analyses, const Roles &roles, bool isReorderable)
        : loop(loop), analyses(analyses), roles(roles),
          recurrences(loop, analyses.loops, analyses.dominators, isReorderable),
          independence(loop, analyses.evolution, roles)
    {
    }

    // Why the loop is serial, or null.
    const char *find()
    {
        const char *reason = findOrder();
        return reason ? reason : independence.find();
    }

    // Why values must go from one iteration to the next in order, or null.
    const char *findOrder()
    {
        if (const char *reason = findForm())
            return reason;
        if (const char *reason = recurrences.find([this](const llvm::PHINode &phi) { return isInduction(phi); }))
            return reason;
        return findResults();
    }

    // Whether the loop runs from its first to its last iteration, with a number of them that is known before it.
    const char *findForm() const
    {
        if (!loop.isLoopSimplifyForm() || !loop.getExitBlock())
            return "an iteration may leave it early";
        if (loop.getExitingBlock() != loop.getLoopLatch())
            return "an iteration may leave it early";
        if (llvm::isa<llvm::SCEVCouldNotCompute>(count()))
            return "the number of iterations is not known before it runs";
        return nullptr;
    }

    // The block behind the last iteration, if their number is known before the first one and all of them run, but where
    // the whole call ends; null otherwise.
    llvm::BasicBlock *lastExit() const
    {
        llvm::BasicBlock *latch = loop.getLoopLatch(), *last = nullptr;
        llvm::SmallVector<llvm::Loop::Edge, 4> edges;
        loop.getExitEdges(edges);
        for (auto [from, to] : edges)
            if (from == latch)
                last = to;
            else if (!llvm::isa<llvm::UnreachableInst>(to->getTerminator()))
                return nullptr;
        const bool isKnown = loop.isLoopSimplifyForm() && last &&
                             !llvm::isa<llvm::SCEVCouldNotCompute>(analyses.evolution.getExitCount(&loop, latch));
        return isKnown ? last : nullptr;
    }

    const llvm::SCEV *count() const { return analyses.evolution.getBackedgeTakenCount(&loop); }

    bool isInduction(const llvm::PHINode &phi) const
    {
        if (!analyses.evolution.isSCEVable(phi.getType()))
            return false;
        auto *recurrence =
            llvm::dyn_cast<llvm::SCEVAddRecExpr>(analyses.evolution.getSCEV(const_cast<llvm::PHINode *>(&phi)));
        return recurrence && recurrence->getLoop() == &loop && recurrence->isAffine() &&
               analyses.evolution.isLoopInvariant(recurrence->getStepRecurrence(analyses.evolution), &loop);
    }

    // The value behind the loop of one that it computes, other than a recurrence's; null where it is not known.
    const llvm::SCEV *lastValue(llvm::Value *value) const
    {
        if (!analyses.evolution.isSCEVable(value->getType()))
            return nullptr;
        const llvm::SCEV *last = analyses.evolution.getSCEVAtScope(value, loop.getParentLoop());
        return analyses.evolution.isLoopInvariant(last, &loop) ? last : nullptr;
    }

    unsigned distantAccesses() const { return independence.distantAccesses(); }

private:
    const char *findResults() const
    {
        for (llvm::PHINode &phi : loop.getExitBlock()->phis()) {
            llvm::Value *value = phi.getIncomingValueForBlock(loop.getLoopLatch());
            if (!loop.isLoopInvariant(value) && !recurrences.of(value) && !lastValue(value))
                return "code behind it uses a value of its last iteration";
        }
        return nullptr;
    }

public:
    const llvm::Loop &loop;
    LoopAnalyses &analyses;
    const Roles &roles;
    Recurrences recurrences;
    Independence independence;
};

// Marks of loops over tiles (team_grid.h), which threads share, and of the loops of sums in them.
constexpr char gridMark[] = "gpucc.tiles", wholeMark[] = "gpucc.tile.whole", partMark[] = "gpucc.tile.part";

inline bool isGrid(const llvm::Loop &loop)
{
    return llvm::findOptionMDForLoop(&loop, gridMark);
}

// Which loops of a function a team shares.
class TeamPlan {
public:
    TeamPlan(llvm::Function &function, const Roles &roles, bool isReorderable)
        : function(function), roles(roles), isReorderable(isReorderable)
    {
    }

    using Report = llvm::function_ref<void(const llvm::Loop &loop, const char *reason)>;

    // Reports each loop that stays serial and has no loop around it that is shared, and those whose sums keep their
    // order (null).
    void find(Report report)
    {
        LoopAnalyses analyses(function);
        for (llvm::Loop *loop : analyses.loops)
            plan(*loop, analyses, report);
        if (hasOtherCounts || extents.size() == CODEGEN_LOOPS)
            extents.clear();
        isPossible = !headers.empty() && !hasSerial && checkRest(analyses);
    }

    bool isPlanned(const llvm::BasicBlock *header) const { return llvm::is_contained(headers, header); }

    llvm::SmallVector<llvm::BasicBlock *, 8> headers;   // of the loops that are shared
    llvm::SmallVector<llvm::StoreInst *, 8> stores;     // to outputs, outside of these
    bool sharesOutputs = false;                         // one thread may access what another one has stored
    bool isPossible = false;
    llvm::SmallVector<uint64_t, 4> extents;             // of each shared loop's count, bit d: of core extent d

private:
    bool plan(llvm::Loop &loop, LoopAnalyses &analyses, Report report)
    {
        if (isShort(loop, analyses))
            return false;
        LoopVerdict verdict(loop, analyses, roles, isReorderable);
        if (isGrid(loop)) {
            headers.push_back(loop.getHeader());
            noteExtents(verdict.count());
            return true;
        }
        const char *reason = verdict.find();
        if (!reason && (verdict.distantAccesses() == 0 || !hasBetter(loop, analyses))) {
            headers.push_back(loop.getHeader());
            noteExtents(verdict.count());
            if (verdict.recurrences.has(Recurrence::ordered))
                report(loop, nullptr);
            return true;
        }
        bool any = false;
        for (llvm::Loop *inner : loop)
            any |= plan(*inner, analyses, report);
        if (reason && !any)
            report(loop, reason);
        hasSerial |= !any;
        return any;
    }

    // The extents are loaded from the first argument.  A count is the least of a minimum's operands.
    void noteExtents(const llvm::SCEV *count)
    {
        if (llvm::isa<llvm::SCEVMinMaxExpr, llvm::SCEVSequentialMinMaxExpr>(count) &&
            !llvm::isa<llvm::SCEVUMaxExpr, llvm::SCEVSMaxExpr>(count)) {
            for (const llvm::SCEV *operand : count->operands())
                noteExtents(operand);
            return;
        }
        uint64_t found = 0;
        hasOtherCounts |= llvm::SCEVExprContains(count, [this, &found](const llvm::SCEV *part) {
            auto *value = llvm::dyn_cast<llvm::SCEVUnknown>(part);
            if (!value)
                return llvm::isa<llvm::SCEVAddRecExpr>(part);
            const std::optional<uint64_t> extent = extentOf(*value->getValue());
            found |= extent ? uint64_t{1} << *extent : 0;
            return !extent;
        });
        if (found && !llvm::is_contained(extents, found) && extents.size() < CODEGEN_LOOPS)
            extents.push_back(found);
    }

    std::optional<uint64_t> extentOf(const llvm::Value &value) const
    {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
        if (!load || !load->getType()->isIntegerTy(64) || roles.firstOutput == 0)
            return std::nullopt;
        const llvm::DataLayout &layout = function.getParent()->getDataLayout();
        llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
        const llvm::Value *start =
            load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
        const uint64_t place = offset.getZExtValue() / 8;
        return start == function.getArg(0) && place < 64 ? std::optional(place) : std::nullopt;
    }

    // Whether it does no harm that each thread runs the whole loop.
    static bool isShort(llvm::Loop &loop, LoopAnalyses &analyses)
    {
        enum { most = 16 };
        const unsigned count = analyses.evolution.getSmallConstantTripCount(&loop);
        return count && count <= most &&
               llvm::all_of(loop, [&](llvm::Loop *inner) { return isShort(*inner, analyses); });
    }

    // Whether a loop inside can be shared, by threads that access neighbouring elements.
    bool hasBetter(llvm::Loop &loop, LoopAnalyses &analyses)
    {
        for (llvm::Loop *inner : loop) {
            LoopVerdict verdict(*inner, analyses, roles, isReorderable);
            if (!isShort(*inner, analyses) && !verdict.find() && verdict.distantAccesses() == 0)
                return true;
            if (hasBetter(*inner, analyses))
                return true;
        }
        return false;
    }

    // The loop around the block that is shared, or null.
    const llvm::Loop *sharedLoop(const llvm::BasicBlock &block, const LoopAnalyses &analyses) const
    {
        for (const llvm::Loop *loop = analyses.loops.getLoopFor(&block); loop; loop = loop->getParentLoop())
            if (isPlanned(loop->getHeader()))
                return loop;
        return nullptr;
    }

    // Whether every thread can run the rest of the code, with the stores to outputs by one.
    bool checkRest(LoopAnalyses &analyses)
    {
        // The loops that store to each output; null: the first thread does.
        llvm::SmallDenseMap<const llvm::Value *, llvm::SmallVector<const llvm::Loop *, 2>, 4> places;
        for (llvm::BasicBlock &block : function) {
            const llvm::Loop *shared = sharedLoop(block, analyses);
            for (llvm::Instruction &i : block) {
                const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
                const llvm::Value *object = pointer ? objectOf(pointer) : nullptr;
                if (!shared && !checkOne(i, object))
                    return false;
                if (!pointer || !roles.isOutput(object))
                    continue;
                auto &others = places[object];
                if (!llvm::is_contained(others, shared))
                    others.push_back(shared);
                sharesOutputs |= llvm::isa<llvm::LoadInst>(i) || llvm::any_of(others, [&](const llvm::Loop *other) {
                    return other != shared && !areExclusive(other, shared, analyses);
                });
            }
            sharesOutputs |= shared && isRepeated(*shared, analyses);
        }
        return true;
    }

    // Whether only one of the loops can run.
    static bool areExclusive(const llvm::Loop *one, const llvm::Loop *other, LoopAnalyses &analyses)
    {
        auto leads = [&](const llvm::Loop &from, const llvm::Loop &to) {
            return llvm::isPotentiallyReachable(from.getHeader(), to.getHeader(), nullptr, &analyses.dominators,
                                                &analyses.loops);
        };
        return one && other && !leads(*one, *other) && !leads(*other, *one);
    }

    // Whether a loop around the shared one, which all threads run, may store to the same elements again.
    bool isRepeated(const llvm::Loop &shared, LoopAnalyses &analyses) const
    {
        for (const llvm::Loop *loop = shared.getParentLoop(); loop; loop = loop->getParentLoop())
            if (Independence(*loop, analyses.evolution, roles).find())
                return true;
        return false;
    }

    bool checkOne(llvm::Instruction &i, const llvm::Value *object)
    {
        if (!object)
            return isHarmless(i) && !llvm::isa<llvm::UnreachableInst>(i);
        if (i.isVolatile() || i.isAtomic())
            return false;
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&i);
        if (!store)
            return llvm::isa<llvm::AllocaInst>(object) || roles.isInput(object) || roles.isOutput(object);
        if (roles.isOutput(object))
            stores.push_back(store);
        return llvm::isa<llvm::AllocaInst>(object) || roles.isOutput(object);
    }

    llvm::Function &function;
    const Roles &roles;
    const bool isReorderable;
    bool hasOtherCounts = false; // a shared loop's, that depend on more than extents
    bool hasSerial = false; // a loop with none inside it that is shared
};

} // namespace

#endif
