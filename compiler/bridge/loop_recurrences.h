// C++, a part of codegen.cpp: values that a loop hands from one iteration to the next, and whether their order matters.
#ifndef GPUCC_LOOP_RECURRENCES_H
#define GPUCC_LOOP_RECURRENCES_H

#include "bridge/loop_winners.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace {

// A value that each iteration combines with something of its own.
struct Recurrence {
    enum Kind {
        exact,   // the result is the same in any order
        tree,    // a floating-point sum or product, for the fixed tree
        ordered, // the same in C's order, of terms that other threads compute
        winner,  // the iteration whose value compares greater or less: `if (x > best) best = x;`
        carried  // another value of the winner's iteration: `at = i;`
    };
    Kind kind = exact;
    llvm::PHINode *phi = nullptr;
    llvm::Value *update = nullptr;          // the phi's value in the next iteration
    llvm::Instruction *operation = nullptr; // one that combines; of a winner and what it carries the select
    llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE; // the new value replaces the old one if so
    NanRule nan = NanRule::none;            // of a winner
    llvm::Value *condition = nullptr;       // of a winner: whether the one value or the other stays
    llvm::PHINode *of = nullptr;            // of a carried value, the winner
    bool isPlain = false;                   // each iteration adds a value
    bool isScanned = false;                 // iterations use its partial values
    ValueSet chain;                         // what computes the next value from the phi
};

// Whether iterations may run twice: they store nothing, and the loop ends at its latch alone.
inline bool isRepeatable(const llvm::Loop &loop)
{
    for (const llvm::BasicBlock *block : loop.blocks())
        for (const llvm::Instruction &i : *block) {
            auto *load = llvm::dyn_cast<llvm::LoadInst>(&i);
            if ((load && !load->isSimple()) || (!load && i.mayReadOrWriteMemory()) ||
                (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i)))
                return false;
        }
    const llvm::BasicBlock *exit = loop.getExitBlock();
    return exit && exit->getSinglePredecessor() == loop.getLoopLatch();
}

// The library's minimum and maximum ignore NaN and order zeros by their signs, so that the order does not show.
inline bool isOrderedExtreme(const llvm::CallInst &call)
{
    const llvm::Function *callee = call.getCalledFunction();
    const llvm::StringRef name = callee ? callee->getName() : "";
    return name == "gpucc_fmaxf" || name == "gpucc_fminf" || name == "gpucc_fmax" || name == "gpucc_fmin";
}

// Whether it is a * b + c in one rounding.
inline bool isFused(const llvm::Instruction &i)
{
    auto *call = llvm::dyn_cast<llvm::CallInst>(&i);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && i.getType()->isFloatingPointTy() &&
           (callee->getIntrinsicID() == llvm::Intrinsic::fma || callee->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
            callee->getName() == "gpucc_fmaf" || callee->getName() == "gpucc_fma");
}

// Whether the instruction only hands a value to a check of operations.
inline bool isCheck(const llvm::Instruction &i)
{
    if (llvm::isa<llvm::FPExtInst>(i))
        return !i.use_empty() && llvm::all_of(i.users(), [](const llvm::User *user) {
            return isCheck(*llvm::cast<llvm::Instruction>(user));
        });
    auto *call = llvm::dyn_cast<llvm::CallInst>(&i);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getReturnType()->isVoidTy() && callee->getName().starts_with("gpucc.finite.");
}

// Makes of `best = max(best, x); at = x > best ? i : at;` what it was in the source, with one comparison for both.
inline void separateExtremes(llvm::Function &function)
{
    for (llvm::BasicBlock &block : function)
        for (llvm::Instruction &i : llvm::make_early_inc_range(block)) {
            auto *extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&i);
            llvm::Value *phi = extreme ? extreme->getLHS() : nullptr, *other = extreme ? extreme->getRHS() : nullptr;
            if (extreme && !llvm::isa<llvm::PHINode>(phi))
                std::swap(phi, other);
            if (!extreme || !llvm::isa<llvm::PHINode>(phi))
                continue;
            for (llvm::User *user : phi->users()) {
                auto *compare = llvm::dyn_cast<llvm::ICmpInst>(user);
                if (!compare || compare->getParent() != &block || compare->isEquality())
                    continue;
                const bool isSwapped = compare->getOperand(0) == phi;
                if (compare->getOperand(isSwapped) != other || compare->getOperand(!isSwapped) != phi)
                    continue;
                const auto predicate = isSwapped ? compare->getSwappedPredicate() : compare->getPredicate();
                if (llvm::ICmpInst::isSigned(predicate) != extreme->isSigned())
                    continue;
                const bool replaces = llvm::ICmpInst::getStrictPredicate(predicate) == extreme->getPredicate();
                if (extreme->comesBefore(compare))
                    compare->moveBefore(extreme);
                auto *select = llvm::SelectInst::Create(compare, replaces ? other : phi, replaces ? phi : other, "",
                                                        extreme->getIterator());
                extreme->replaceAllUsesWith(select);
                extreme->eraseFromParent();
                break;
            }
        }
}

class Recurrences {
public:
    Recurrences(const llvm::Loop &loop, const llvm::LoopInfo &loops, const llvm::DominatorTree &dominators,
                bool isReorderable)
        : loop(loop), loops(loops), dominators(dominators), isReorderable(isReorderable)
    {
    }

    // Classifies the phis at the head of the loop other than those that `isInduction` names.  Returns why the loop's
    // iterations must stay in order, or null.
    const char *find(llvm::function_ref<bool(const llvm::PHINode &)> isInduction)
    {
        for (llvm::PHINode &phi : loop.getHeader()->phis()) {
            if (isInduction(phi))
                continue;
            if (!isWord(*phi.getType())) {
                reason = "a value wider than 64 bits, or a vector, goes from one iteration to the next";
                continue;
            }
            Recurrence found;
            found.phi = &phi;
            found.update = phi.getIncomingValueForBlock(loop.getLoopLatch());
            if (isChain(found) || isWinner(found, false) || isCarried(found, false) || isScan(found))
                items.push_back(found);
            else if (!reason)
                reason = inOrder;
        }
        if (!checkScans() && !reason)
            reason = inOrder;
        return reason;
    }

    const Recurrence *of(const llvm::Value *update) const
    {
        for (const Recurrence &item : items)
            if (item.update == update)
                return &item;
        return nullptr;
    }

    bool has(Recurrence::Kind kind) const
    {
        return llvm::any_of(items, [kind](const Recurrence &item) { return item.kind == kind; });
    }

    bool hasScan() const
    {
        return llvm::any_of(items, [](const Recurrence &item) { return item.isScanned; });
    }

    llvm::SmallVector<Recurrence, 4> items;

private:
    // Whether threads can exchange values of the type.
    static bool isWord(const llvm::Type &type) { return !type.isVectorTy() && type.getPrimitiveSizeInBits() <= 64; }

    static constexpr const char *inOrder = "an iteration uses a value that the previous one computed";

    // A class of operations that may be mixed in one chain; 0: none.
    static unsigned classOf(const llvm::Instruction &i)
    {
        if (isFused(i))
            return llvm::Instruction::FAdd;
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
            switch (call->getIntrinsicID()) {
            case llvm::Intrinsic::smin:
            case llvm::Intrinsic::smax:
            case llvm::Intrinsic::umin:
            case llvm::Intrinsic::umax: return 1000 + call->getIntrinsicID();
            default: return 0;
            }
        }
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&i))
            return isOrderedExtreme(*call) ? llvm::Instruction::Call : 0;
        switch (i.getOpcode()) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub: return llvm::Instruction::Add;
        case llvm::Instruction::FAdd:
        case llvm::Instruction::FSub: return llvm::Instruction::FAdd;
        case llvm::Instruction::Mul:
        case llvm::Instruction::And:
        case llvm::Instruction::Or:
        case llvm::Instruction::Xor:
        case llvm::Instruction::FMul: return i.getOpcode();
        default: return 0;
        }
    }

    // Whether the value is the operand that the operation adds to, and no other operand of it.
    static bool addsTo(const llvm::Instruction &i, const llvm::Value *value)
    {
        if (isFused(i))
            return i.getOperand(2) == value && i.getOperand(0) != value && i.getOperand(1) != value;
        if (i.getOpcode() == llvm::Instruction::Sub || i.getOpcode() == llvm::Instruction::FSub)
            return i.getOperand(0) == value && i.getOperand(1) != value;
        return (i.getOperand(0) == value) != (i.getOperand(1) == value);
    }

    // Whether every path from the phi to its next value is a chain of operations of one class, none of whose
    // intermediate results is used otherwise.
    bool isChain(Recurrence &found)
    {
        llvm::SmallPtrSet<const llvm::Value *, 8> chain;
        llvm::SmallVector<llvm::Value *, 8> work = {found.phi};
        llvm::SmallVector<llvm::Instruction *, 8> joins;
        unsigned kind = 0, operations = 0;
        chain.insert(found.phi);
        while (!work.empty()) {
            llvm::Value *value = work.pop_back_val();
            for (llvm::User *user : value->users()) {
                auto *i = llvm::cast<llvm::Instruction>(user);
                if (i == found.phi || (!loop.contains(i) && value == found.update) || isCheck(*i))
                    continue;
                if (!loop.contains(i))
                    return false;
                if (llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i)) {
                    joins.push_back(i);
                } else {
                    const unsigned own = classOf(*i);
                    if (!own || (kind && own != kind) || !addsTo(*i, value) || chain.contains(i))
                        return false;
                    kind = own;
                    found.operation = i;
                    operations++;
                }
                if (chain.insert(i).second)
                    work.push_back(i);
            }
        }
        for (llvm::Instruction *join : joins)
            for (unsigned k = llvm::isa<llvm::SelectInst>(join); k < join->getNumOperands(); k++)
                if (!chain.contains(join->getOperand(k)))
                    return false;
        for (llvm::Instruction *join : joins)
            if (llvm::isa<llvm::SelectInst>(join) && chain.contains(join->getOperand(0)))
                return false;
        found.chain = chain;
        return chain.contains(found.update) && operations && classify(found, kind, operations, joins);
    }

    bool classify(Recurrence &found, unsigned kind, unsigned operations, llvm::ArrayRef<llvm::Instruction *> joins)
    {
        if (kind != llvm::Instruction::FAdd && kind != llvm::Instruction::FMul) {
            found.kind = Recurrence::exact;
            return true;
        }
        const llvm::Type *type = found.phi->getType();
        const bool isOnce = operations == 1 && isDirect(*found.operation) &&
                            llvm::all_of(joins, [this](const llvm::Instruction *i) { return isDirect(*i); });
        if (!isOnce || !(type->isFloatTy() || type->isDoubleTy())) {
            reason = "a floating-point sum gets several terms in one iteration";
            return false;
        }
        found.kind = isReorderable ? Recurrence::tree : Recurrence::ordered;
        found.isPlain = found.operation->getOpcode() == llvm::Instruction::FAdd && joins.empty();
        if (found.kind == Recurrence::ordered && isFused(*found.operation) && found.operation != found.update) {
            reason = "a floating-point sum of products has a condition";
            return false;
        }
        return true;
    }

    bool isDirect(const llvm::Instruction &i) const { return loops.getLoopFor(i.getParent()) == &loop; }

    // Whether every path from the phi to its next value is a chain, while iterations also use the one or the other.
    bool isScan(Recurrence &found)
    {
        found.isScanned = true;
        found.chain.clear();
        if (isWinner(found, true) || isCarried(found, true)) {
            found.chain.insert(found.phi);
            found.chain.insert(found.update);
            return true;
        }
        Followers followers(loop);
        followers.addUsers(*found.phi);
        Walk walk;
        walk.work.push_back(found.update);
        found.chain.insert(found.phi);
        while (!walk.work.empty()) {
            llvm::Value *value = walk.work.pop_back_val();
            if (found.chain.contains(value))
                continue;
            auto *i = llvm::dyn_cast<llvm::Instruction>(value);
            if (!i || !followers.has(i) || !goBack(found, *i, followers, walk))
                return false;
            found.chain.insert(i);
        }
        return walk.operations && hasOwnChain(found) && classify(found, walk.kind, walk.operations, walk.joins);
    }

    // A chain from its last value back to the phi.
    struct Walk {
        llvm::SmallVector<llvm::Value *, 8> work;
        llvm::SmallVector<llvm::Instruction *, 8> joins;
        unsigned kind = 0, operations = 0;
    };

    // Whether the instruction may be a part of the chain; adds its operands that must be parts too.
    static bool goBack(Recurrence &found, llvm::Instruction &i, const Followers &followers, Walk &walk)
    {
        auto isInChain = [&](const llvm::Value *value) { return value == found.phi || followers.has(value); };
        if (llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i)) {
            const unsigned first = llvm::isa<llvm::SelectInst>(i);
            walk.joins.push_back(&i);
            walk.work.append(i.op_begin() + first, i.op_end());
            return !first || !isInChain(i.getOperand(0));
        }
        const unsigned own = classOf(i);
        llvm::Value *before = nullptr;
        for (llvm::Value *operand : i.operands()) {
            if (before && isInChain(operand))
                return false;
            before = isInChain(operand) ? operand : before;
        }
        if (!own || (walk.kind && own != walk.kind) || !before || !addsTo(i, before))
            return false;
        walk.kind = own;
        walk.operations++;
        found.operation = &i;
        walk.work.push_back(before);
        return true;
    }

    // Whether nothing but the phi and its next value is used otherwise; behind the loop only the latter.
    bool hasOwnChain(const Recurrence &found) const
    {
        for (const llvm::Value *value : found.chain)
            for (const llvm::User *user : value->users()) {
                auto *i = llvm::cast<llvm::Instruction>(user);
                const bool isEnd = value == found.update || (value == found.phi && loop.contains(i));
                if (!isEnd && !found.chain.contains(i) && !isCheck(*i))
                    return false;
            }
        return true;
    }

    // Whether the uses of partial values lead to none of the values that are scanned.  A winner and what it carries are
    // scanned together.
    bool checkScans()
    {
        for (const Recurrence &item : items)
            if (item.isScanned && item.kind == Recurrence::carried)
                for (Recurrence &winner : items)
                    winner.isScanned |= winner.phi == item.of || (winner.of && winner.of == item.of);
        llvm::SmallVector<const llvm::Value *, 4> updates;
        llvm::SmallDenseMap<const llvm::PHINode *, ValueSet, 4> chains; // a winner's has what it carries
        for (const Recurrence &item : items)
            if (item.isScanned) {
                updates.push_back(item.update);
                ValueSet &chain = chains[item.of ? item.of : item.phi];
                chain.insert(item.chain.begin(), item.chain.end());
                chain.insert(item.phi), chain.insert(item.update);
            }
        Followers followers(loop);
        for (const auto &[phi, chain] : chains)
            for (const llvm::Value *value : chain)
                for (const llvm::User *user : value->users())
                    if (auto *i = llvm::cast<llvm::Instruction>(user); !chain.contains(i) && !isCheck(*i))
                        followers.add(*i);
        if (updates.empty())
            return true;
        const bool isApart = llvm::none_of(chains, [&](const auto &of) {
            return llvm::any_of(of.second, [&](const llvm::Value *value) { return followers.has(value); });
        }) && llvm::none_of(items, [&](const Recurrence &item) {
            return isReplaced(item) && chains[item.of ? item.of : item.phi].contains(newValue(item));
        });
        const bool isKnown = isApart && followers.runsBehind(updates, dominators) && !loadsOutputs(loop);
        if (!isKnown)
            llvm::erase_if(items, [](const Recurrence &item) { return item.isScanned; });
        return isKnown;
    }

    static bool isReplaced(const Recurrence &item)
    {
        return item.isScanned && (item.kind == Recurrence::winner || item.kind == Recurrence::carried);
    }

    // The value that takes the place of the best one until now, or of what that carries.
    static const llvm::Value *newValue(const Recurrence &item)
    {
        auto *select = llvm::cast<llvm::SelectInst>(item.operation);
        return select->getTrueValue() == item.phi ? select->getFalseValue() : select->getTrueValue();
    }

    // `if (x > best) best = x;`, or with NaN as `if (!(best > x || isnan(best))) best = x;`.
    bool isWinner(Recurrence &found, bool isScanned)
    {
        auto *select = llvm::dyn_cast<llvm::SelectInst>(found.update);
        if (!select || !isDirect(*select) || !replaces(*select, found.phi))
            return false;
        const bool staysIfTrue = select->getTrueValue() == found.phi;
        WinnerCondition condition(found.phi, staysIfTrue ? select->getFalseValue() : select->getTrueValue());
        if (!condition.read(select->getCondition(), staysIfTrue))
            return false;
        for (const llvm::Instruction *i : condition.parts)
            if (!isDirect(*i))
                return false;
        found.kind = Recurrence::winner;
        found.operation = select;
        found.condition = select->getCondition();
        found.predicate = condition.predicate;
        found.nan = condition.nan;
        if (isScanned) {
            found.chain.insert(condition.parts.begin(), condition.parts.end());
            return true;
        }
        llvm::SmallVector<const llvm::Value *, 4> users(condition.parts.begin(), condition.parts.end());
        users.push_back(select);
        return usedOnlyBy(found.phi, users) && usedOnlyBy(select, {found.phi}) && decidesOnly(found, users);
    }

    // Whether nothing else depends on the condition but which values are carried: it is one of partial values.
    bool decidesOnly(const Recurrence &found, llvm::ArrayRef<const llvm::Value *> users) const
    {
        for (const llvm::Value *part : users) {
            if (part == found.operation)
                continue;
            for (const llvm::User *user : part->users())
                if (!llvm::is_contained(users, user) && !(part == found.condition && carries(*user, *part)))
                    return false;
        }
        return true;
    }

    // Whether it is what a value carried by this condition becomes.
    bool carries(const llvm::User &user, const llvm::Value &condition) const
    {
        auto *select = llvm::dyn_cast<llvm::SelectInst>(&user);
        return select && select->getTrueValue() != &condition && select->getFalseValue() != &condition &&
               llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode &phi) {
                   return phi.getIncomingValueForBlock(loop.getLoopLatch()) == select && replaces(*select, &phi) &&
                          usedOnlyBy(&phi, {select});
               });
    }

    static bool replaces(const llvm::SelectInst &select, const llvm::PHINode *phi)
    {
        return (select.getTrueValue() == phi) != (select.getFalseValue() == phi);
    }

    // In the loop; behind it the last value alone is seen, which `isChain` and the rewriting check.
    bool usedOnlyBy(const llvm::Value *value, llvm::ArrayRef<const llvm::Value *> users) const
    {
        for (const llvm::User *user : value->users())
            if (!llvm::is_contained(users, user) && (loop.contains(llvm::cast<llvm::Instruction>(user)) ||
                                                     llvm::isa<llvm::PHINode>(value)))
                return false;
        return true;
    }

    bool isCarried(Recurrence &found, bool isScanned)
    {
        auto *select = llvm::dyn_cast<llvm::SelectInst>(found.update);
        if (!select || !isDirect(*select) || !replaces(*select, found.phi))
            return false;
        if (!isScanned && (!usedOnlyBy(found.phi, {select}) || !usedOnlyBy(select, {found.phi})))
            return false;
        for (llvm::PHINode &phi : loop.getHeader()->phis()) {
            Recurrence winner;
            winner.phi = &phi;
            winner.update = phi.getIncomingValueForBlock(loop.getLoopLatch());
            if (&phi == found.phi || !isWinner(winner, isScanned) || winner.condition != select->getCondition())
                continue;
            // Both selects must replace their values on the same outcome.
            auto *other = llvm::cast<llvm::SelectInst>(winner.operation);
            if ((other->getTrueValue() == &phi) != (select->getTrueValue() == found.phi))
                return false;
            found.kind = Recurrence::carried;
            found.operation = select;
            found.of = &phi;
            return true;
        }
        return false;
    }

    const llvm::Loop &loop;
    const llvm::LoopInfo &loops;
    const llvm::DominatorTree &dominators;
    const bool isReorderable;
    const char *reason = nullptr;
};

} // namespace

#endif
