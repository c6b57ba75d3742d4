// C++, a part of codegen.cpp: loops that add to the same elements of an output one after another, joined in the last.
#ifndef GPUCC_LOOP_DEFERRAL_H
#define GPUCC_LOOP_DEFERRAL_H

#include "bridge/second_path.h"
#include "bridge/team_loops.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

namespace {

// Several loops of one length store to each element of an output, where all but the first add to what is there.  Only
// the last loop of the function that stores then does, and computes what the others would have stored.  Operations and
// their order stay as they are.
class Deferral {
public:
    Deferral(llvm::Function &function, const Roles &roles)
        : analyses(function), after(function), function(function), roles(roles)
    {
    }

    bool run()
    {
        findLoops();
        bool any = false;
        while (target && deferOne())
            any = true;
        return any;
    }

private:
    static constexpr unsigned mostInstructions = 96; // computed once more, where a call counts as several
    static constexpr unsigned ofCall = 16;

    // An output in one loop.
    struct Access {
        llvm::Loop *loop = nullptr;
        llvm::LoadInst *load = nullptr;
        llvm::StoreInst *store = nullptr;
        const llvm::SCEVAddRecExpr *place = nullptr;
        llvm::SmallSetVector<llvm::Instruction *, 32> slice; // of what it stores, in the block's order
    };
    using Accesses = llvm::SmallVector<Access, 4>;

    // Loops of one block that are in no other; the last one with a store, whose iterations hand on nothing.
    void findLoops()
    {
        for (llvm::Loop *loop : analyses.loops)
            if (loop->getNumBlocks() == 1 && !LoopVerdict(*loop, analyses, roles, true).findForm())
                loops.push_back(loop);
        for (llvm::Loop *loop : loops)
            if (stores(*loop) && (!target || analyses.dominators.dominates(target->getHeader(), loop->getHeader())))
                target = loop;
        if (!target)
            return;
        LoopVerdict verdict(*target, analyses, roles, true);
        if (verdict.find() || !verdict.recurrences.items.empty())
            target = nullptr;
    }

    static bool stores(const llvm::Loop &loop)
    {
        return llvm::any_of(*loop.getHeader(),
                            [](const llvm::Instruction &i) { return llvm::isa<llvm::StoreInst>(i); });
    }

    bool deferOne()
    {
        for (llvm::Argument &output : function.args()) {
            Accesses accesses;
            if (output.getType()->isPointerTy() && roles.isOutput(&output) && output.hasNoAliasAttr() &&
                collect(output, accesses) && areAlike(accesses) && findSlices(accesses)) {
                defer(accesses);
                return true;
            }
        }
        return false;
    }

    // The output's accesses by loops in their order.  False where there are others, or those of the last loop alone.
    bool collect(llvm::Argument &output, Accesses &accesses)
    {
        llvm::SmallVector<llvm::Value *, 8> work = {&output};
        while (!work.empty())
            for (llvm::User *user : work.pop_back_val()->users()) {
                if (llvm::isa<llvm::GetElementPtrInst>(user))
                    work.push_back(user);
                else if (!note(*user, accesses))
                    return false;
            }
        llvm::sort(accesses, [this](const Access &a, const Access &b) {
            return a.loop != b.loop && analyses.dominators.dominates(a.loop->getHeader(), b.loop->getHeader());
        });
        return !accesses.empty() && accesses[0].loop != target;
    }

    bool note(llvm::User &user, Accesses &accesses)
    {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(&user);
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&user);
        if (!(load && load->isSimple()) && !(store && store->isSimple()))
            return false;
        llvm::Loop *loop = analyses.loops.getLoopFor(llvm::cast<llvm::Instruction>(user).getParent());
        if (!llvm::is_contained(loops, loop))
            return false;
        Access *access = llvm::find_if(accesses, [loop](const Access &a) { return a.loop == loop; });
        if (access == accesses.end()) {
            accesses.emplace_back();
            accesses.back().loop = loop;
            access = &accesses.back();
        }
        if (load ? access->load != nullptr : access->store != nullptr)
            return false;
        if (load)
            access->load = load;
        else
            access->store = store;
        return true;
    }

    const llvm::SCEVAddRecExpr *placeOf(const llvm::Loop &loop, llvm::Value *pointer)
    {
        auto *place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(analyses.evolution.getSCEV(pointer));
        return place && place->getLoop() == &loop && place->isAffine() ? place : nullptr;
    }

    bool areAlike(Accesses &accesses)
    {
        llvm::ScalarEvolution &evolution = analyses.evolution;
        const llvm::SCEV *count = evolution.getBackedgeTakenCount(target);
        for (Access &access : accesses) {
            const bool isFirst = &access == accesses.begin(), isTarget = access.loop == target;
            if (!access.store || !access.load != isFirst || evolution.getBackedgeTakenCount(access.loop) != count)
                return false;
            access.place = placeOf(*access.loop, access.store->getPointerOperand());
            if (!access.place || access.store->getValueOperand()->getType() != typeOf(accesses) ||
                !isWhole(*access.place, typeOf(accesses)))
                return false;
            if (access.load && (access.load->getType() != typeOf(accesses) ||
                                placeOf(*access.loop, access.load->getPointerOperand()) != access.place ||
                                !access.load->comesBefore(access.store)))
                return false;
            if (!isTarget && !isBefore(*access.loop, *target))
                return false;
            if (!isFirst && !isBefore(*(&access - 1)->loop, *access.loop))
                return false;
        }
        return true;
    }

    static llvm::Type *typeOf(const Accesses &accesses) { return accesses[0].store->getValueOperand()->getType(); }

    // Whether iterations move the place by an element.
    bool isWhole(const llvm::SCEVAddRecExpr &place, llvm::Type *type)
    {
        auto *step = llvm::dyn_cast<llvm::SCEVConstant>(place.getStepRecurrence(analyses.evolution));
        const llvm::DataLayout &layout = function.getParent()->getDataLayout();
        return step && step->getAPInt().abs() == layout.getTypeStoreSize(type).getFixedValue();
    }

    // Whether the second loop runs if and only if the first one has run.
    bool isBefore(const llvm::Loop &first, const llvm::Loop &second)
    {
        return analyses.dominators.properlyDominates(first.getHeader(), second.getHeader()) &&
               after.dominates(second.getHeader(), first.getHeader());
    }

    // The same elements in the same iterations, or the other way round.
    bool isSame(const Access &a, const Access &b)
    {
        return a.place->getStart() == b.place->getStart() &&
               a.place->getStepRecurrence(analyses.evolution) == b.place->getStepRecurrence(analyses.evolution);
    }

    bool isReversed(const Access &a, const Access &b)
    {
        llvm::ScalarEvolution &evolution = analyses.evolution;
        const llvm::SCEV *step = a.place->getStepRecurrence(evolution);
        const llvm::SCEV *count = evolution.getBackedgeTakenCount(target);
        count = evolution.getTruncateOrZeroExtend(count, step->getType());
        const llvm::SCEV *last = evolution.getAddExpr(a.place->getStart(), evolution.getMulExpr(count, step));
        return step == evolution.getNegativeSCEV(b.place->getStepRecurrence(evolution)) &&
               evolution.getMinusSCEV(last, b.place->getStart())->isZero();
    }

    bool findSlices(Accesses &accesses)
    {
        unsigned size = 0;
        const Access &last = accesses.back();
        for (Access &access : accesses) {
            if (access.loop == target)
                continue;
            llvm::Value *value = access.store->getValueOperand();
            const bool isFixed = access.loop->isLoopInvariant(value);
            if (!isFixed && !findSlice(access, value))
                return false;
            if (&access == &last && !findSlice(access, access.store->getPointerOperand()))
                return false;
            if (!isSame(access, last) && !(isFixed && isReversed(access, last)))
                return false;
            if (access.load && !isOnlyFor(*access.load, access))
                return false;
            for (const llvm::Instruction *i : access.slice)
                size += llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i) ? ofCall : 1;
        }
        return size <= mostInstructions;
    }

    // Collects what computes the value, in an order in which it can be computed.
    bool findSlice(Access &access, llvm::Value *value)
    {
        auto *i = llvm::dyn_cast<llvm::Instruction>(value);
        if (!i || !access.loop->contains(i) || i == access.load || access.slice.contains(i))
            return true;
        if (auto *phi = llvm::dyn_cast<llvm::PHINode>(i))
            return counterpart(*access.loop, *phi);
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(i)) {
            if (!load->isSimple() || !roles.isInput(objectOf(load->getPointerOperand())))
                return false;
        } else if (!isHarmless(*i)) {
            return false;
        }
        for (llvm::Value *operand : i->operands())
            if (!findSlice(access, operand))
                return false;
        access.slice.insert(i);
        return true;
    }

    // The induction of the last loop that has the same values in the same iterations, or null.
    llvm::PHINode *counterpart(const llvm::Loop &loop, llvm::PHINode &phi)
    {
        llvm::ScalarEvolution &evolution = analyses.evolution;
        if (!evolution.isSCEVable(phi.getType()))
            return nullptr;
        auto *own = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
        if (!own || own->getLoop() != &loop || !own->isAffine())
            return nullptr;
        for (llvm::PHINode &other : target->getHeader()->phis()) {
            auto *its = evolution.isSCEVable(other.getType())
                            ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&other))
                            : nullptr;
            if (its && its->getLoop() == target && its->isAffine() && its->getStart() == own->getStart() &&
                its->getStepRecurrence(evolution) == own->getStepRecurrence(evolution))
                return &other;
        }
        return nullptr;
    }

    // Whether all that is made of the loaded value is a part of what the loop stores.
    static bool isOnlyFor(llvm::Instruction &value, const Access &access)
    {
        return llvm::all_of(value.users(), [&](llvm::User *user) {
            auto *i = llvm::cast<llvm::Instruction>(user);
            return i == access.store || (access.slice.contains(i) && isOnlyFor(*i, access));
        });
    }

    void defer(Accesses &accesses)
    {
        Access &last = accesses.back();
        const bool isInTarget = last.loop == target;
        llvm::Instruction *place = isInTarget ? last.load : target->getHeader()->getTerminator();
        llvm::Value *value = nullptr;
        for (Access &access : accesses) {
            if (access.loop == target)
                continue;
            llvm::ValueToValueMapTy map;
            for (llvm::PHINode &phi : access.loop->getHeader()->phis())
                if (llvm::PHINode *other = counterpart(*access.loop, phi))
                    map[&phi] = other;
            if (access.load)
                map[access.load] = value;
            for (llvm::Instruction *i : access.slice) {
                llvm::Instruction *copy = i->clone();
                llvm::RemapInstruction(copy, map, llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
                copy->insertBefore(place);
                map[i] = copy;
            }
            value = mapped(map, access.store->getValueOperand());
            if (&access == &last) {
                auto *store = llvm::cast<llvm::StoreInst>(last.store->clone());
                store->setOperand(0, value);
                store->setOperand(1, mapped(map, last.store->getPointerOperand()));
                store->insertBefore(place);
            }
        }
        if (isInTarget) {
            last.load->replaceAllUsesWith(value);
            last.load->eraseFromParent();
        }
        for (Access &access : accesses)
            if (access.loop != target)
                forget(*access.store);
        analyses.evolution.forgetAllLoops();
    }

    static llvm::Value *mapped(const llvm::ValueToValueMapTy &map, llvm::Value *value)
    {
        llvm::Value *other = map.lookup(value);
        return other ? other : value;
    }

    static void forget(llvm::StoreInst &store)
    {
        llvm::WeakTrackingVH value = store.getValueOperand(), pointer = store.getPointerOperand();
        store.eraseFromParent();
        for (llvm::WeakTrackingVH *left : {&value, &pointer})
            if (*left)
                llvm::RecursivelyDeleteTriviallyDeadInstructions(*left);
    }

    LoopAnalyses analyses;
    llvm::PostDominatorTree after;
    llvm::Function &function;
    const Roles &roles;
    llvm::SmallVector<llvm::Loop *, 8> loops;
    llvm::Loop *target = nullptr;
};

// Gives a function whose loops ask again and again whether an extent is zero one path for that, and one for others.
inline bool separateEmpty(llvm::Function &function)
{
    llvm::BasicBlock &entry = function.getEntryBlock();
    auto isAsked = [](llvm::Instruction &i) {
        auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
        auto *number = compare ? llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
        if (!number || !number->isZero() || !compare->isEquality())
            return false;
        return llvm::count_if(i.users(), [](llvm::User *user) { return llvm::isa<llvm::BranchInst>(user); }) > 1;
    };
    auto found = llvm::find_if(entry, isAsked);
    if (found == entry.end())
        return false;
    llvm::Instruction &question = *found;
    SecondPath ifTrue(function, &question, ".true");
    ifTrue.branch(question);
    question.replaceUsesWithIf(llvm::ConstantInt::getTrue(question.getType()), [&](const llvm::Use &use) {
        return ifTrue.contains(*llvm::cast<llvm::Instruction>(use.getUser()));
    });
    question.replaceUsesWithIf(llvm::ConstantInt::getFalse(question.getType()), [&](const llvm::Use &use) {
        return llvm::cast<llvm::Instruction>(use.getUser()) != ifTrue.entry.getTerminator();
    });
    return true;
}

} // namespace

#endif
