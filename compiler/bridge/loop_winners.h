// C++, a part of codegen.cpp: which of two values stays, the best one until now or a new one.
#ifndef GPUCC_LOOP_WINNERS_H
#define GPUCC_LOOP_WINNERS_H

#include "bridge/loop_scans.h"

#include <llvm/IR/Constants.h>

#include <optional>

namespace {

// The part of NaN: `none` where only the loop's first value can be.
enum class NanRule { none, firstWins, lastWins, firstLoses, lastLoses };

// A condition of comparisons of the two with one another and with NaN.
class WinnerCondition {
public:
    WinnerCondition(const llvm::Value *best, const llvm::Value *other) : best(best), other(other) {}

    // Whether the best or the last best of any two parts of the values is that of all of them.
    bool read(llvm::Value *condition, bool staysIfTrue)
    {
        const std::optional<unsigned> known = casesOf(condition, 0);
        if (!known)
            return false;
        const unsigned replaced = staysIfTrue ? ~*known & all : *known;
        const bool isMost = replaced & greater, isOfInteger = other->getType()->isIntOrPtrTy();
        if (isMost == static_cast<bool>(replaced & less))
            return false;
        if (isOfInteger && !sign)
            return false;
        const bool staysIfEqual = !(replaced & equal);
        const auto order = isMost ? (staysIfEqual ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::FCMP_OGE)
                                  : (staysIfEqual ? llvm::CmpInst::FCMP_OLT : llvm::CmpInst::FCMP_OLE);
        predicate = isOfInteger ? integerOrder(order) : order;
        return isOfInteger || findRule(replaced);
    }

    llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_FCMP_PREDICATE; // the new value replaces the old one if so
    NanRule nan = NanRule::none;
    llvm::SmallVector<llvm::Instruction *, 4> parts; // compute the condition

private:
    // How the new value may compare with the best one.
    enum Case : unsigned {
        equal = 1,
        greater = 2,
        less = 4,
        onlyNewIsNan = 8,
        onlyBestIsNan = 16,
        bothAreNan = 32,
        all = 63
    };

    bool findRule(unsigned replaced)
    {
        const bool last = replaced & bothAreNan;
        switch (replaced & (onlyNewIsNan | onlyBestIsNan)) {
        case 0: return !last;
        case onlyNewIsNan: nan = last ? NanRule::lastWins : NanRule::firstWins; return true;
        case onlyBestIsNan: nan = last ? NanRule::lastLoses : NanRule::firstLoses; return true;
        default: return false;
        }
    }

    // The cases in which the condition holds, or nothing where it is of something else.
    std::optional<unsigned> casesOf(llvm::Value *value, unsigned depth)
    {
        constexpr unsigned most = 6;
        if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
            return constant->isZero() ? 0 : static_cast<unsigned>(all);
        auto *i = llvm::dyn_cast<llvm::Instruction>(value);
        if (!i || depth > most || !i->getType()->isIntegerTy(1))
            return std::nullopt;
        parts.push_back(i);
        if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(i))
            return casesOfCompare(*compare);
        auto *select = llvm::dyn_cast<llvm::SelectInst>(i);
        if (!select && i->getOpcode() != llvm::Instruction::And && i->getOpcode() != llvm::Instruction::Or &&
            i->getOpcode() != llvm::Instruction::Xor)
            return std::nullopt;
        const std::optional<unsigned> a = casesOf(i->getOperand(0), depth + 1);
        const std::optional<unsigned> b = casesOf(i->getOperand(1), depth + 1);
        const std::optional<unsigned> c = select ? casesOf(i->getOperand(2), depth + 1) : 0;
        if (!a || !b || !c)
            return std::nullopt;
        if (select)
            return (*a & *b) | (~*a & *c);
        switch (i->getOpcode()) {
        case llvm::Instruction::And: return *a & *b;
        case llvm::Instruction::Or: return *a | *b;
        default: return *a ^ *b;
        }
    }

    std::optional<unsigned> casesOfCompare(const llvm::CmpInst &compare)
    {
        const llvm::Value *a = compare.getOperand(0), *b = compare.getOperand(1);
        if (a == other && b == best)
            return casesOf(compare.getPredicate());
        if (a == best && b == other)
            return casesOf(compare.getSwappedPredicate());
        // Whether one of them is NaN, which is compared with itself or a constant.
        auto *constant = llvm::dyn_cast<llvm::ConstantFP>(b);
        const bool isNan = compare.getPredicate() == llvm::CmpInst::FCMP_UNO;
        if ((!isNan && compare.getPredicate() != llvm::CmpInst::FCMP_ORD) || (a != best && a != other) ||
            !(a == b || (constant && !constant->isNaN())))
            return std::nullopt;
        const unsigned cases = (a == other ? onlyNewIsNan : onlyBestIsNan) | bothAreNan;
        return isNan ? cases : ~cases & all;
    }

    std::optional<unsigned> casesOf(llvm::CmpInst::Predicate predicate)
    {
        const unsigned nans = onlyNewIsNan | onlyBestIsNan | bothAreNan;
        if (llvm::CmpInst::isFPPredicate(predicate)) // its bits are those of the first three cases, and of NaN
            return (predicate & 7u) | (predicate & 8u ? nans : 0u);
        if (llvm::ICmpInst::isEquality(predicate) || sign)
            return std::nullopt;
        sign = llvm::CmpInst::isSigned(predicate) ? 1 : 2;
        return (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate) ? greater : less) |
               (llvm::ICmpInst::isStrictPredicate(predicate) ? 0u : equal);
    }

    llvm::CmpInst::Predicate integerOrder(llvm::CmpInst::Predicate order) const
    {
        const bool isSigned = sign == 1;
        switch (order) {
        case llvm::CmpInst::FCMP_OGT: return isSigned ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT;
        case llvm::CmpInst::FCMP_OGE: return isSigned ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE;
        case llvm::CmpInst::FCMP_OLT: return isSigned ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
        default: return isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
        }
    }

    const llvm::Value *const best, *const other;
    unsigned sign = 0; // 1 for a comparison of signed integers, 2 of others
};

} // namespace

#endif
