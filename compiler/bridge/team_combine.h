// C++, a part of codegen.cpp: combines what each thread of a team computed of a loop's sums, extremes and winners.
#ifndef GPUCC_TEAM_COMBINE_H
#define GPUCC_TEAM_COMBINE_H

#include "bridge/team_function.h"

namespace {

// A recurrence in the making: the thread's own part of it.
struct Part {
    Recurrence item;
    llvm::Value *start = nullptr;     // of the loop
    llvm::PHINode *part = nullptr;    // of the thread, before an iteration
    llvm::PHINode *when = nullptr;    // of a winner: the number of its iteration plus one, 0 for the start
    llvm::Value *update = nullptr, *updateWhen = nullptr;
    llvm::AllocaInst *state = nullptr; // of a tree or an ordered sum
    llvm::Value *factor = nullptr;    // of an ordered sum of products, the second one of a term
    bool product = false;
    llvm::SmallVector<llvm::PHINode *, 2> results; // behind the loop
};

// Whether the lanes of a warp compute it together, round by round.
inline bool isOfWarp(const Recurrence &item)
{
    return item.kind == Recurrence::tree || item.kind == Recurrence::ordered;
}

class PartsOfThreads {
public:
    PartsOfThreads(TeamFunction &team, llvm::MutableArrayRef<Part> all) : team(team), builder(team.builder), all(all) {}

    // Computes each part's final `update` behind the block `before`, which has run so many rounds, in a loop over the
    // bits of the threads' numbers.  Returns the block that has the values.
    llvm::BasicBlock *combine(llvm::Value *rounds, llvm::BasicBlock *before)
    {
        builder.SetInsertPoint(before);
        finishWarps(rounds);
        if (llvm::all_of(all, [](const Part &part) { return isOfWarp(part.item); }))
            return before;
        llvm::BasicBlock *head = team.createBlock("combine"), *body = team.createBlock("combine.step");
        llvm::BasicBlock *behind = team.createBlock("combined");
        builder.CreateBr(head);
        builder.SetInsertPoint(head);
        llvm::PHINode *step = builder.CreatePHI(builder.getInt32Ty(), 2, "step");
        step->addIncoming(builder.getInt32(1), before);
        createPhis(before);
        builder.CreateCondBr(builder.CreateICmpULT(step, team.size), body, behind);
        builder.SetInsertPoint(body);
        combineStep(step, body);
        step->addIncoming(builder.CreateShl(step, 1), body);
        builder.CreateBr(head);
        builder.SetInsertPoint(behind);
        for (size_t k = 0; k < all.size(); k++) {
            Part &part = all[k];
            if (isOfWarp(part.item))
                continue;
            part.update = phis[k].value;
            if (part.item.kind == Recurrence::exact && first(part) != part.start)
                part.update = combineExact(part, part.start, part.update);
        }
        return behind;
    }

    // A thread's part before its first iteration: sums begin anew, so that the loop's first value counts once; extremes
    // may all begin with it.
    static llvm::Value *first(const Part &part)
    {
        if (part.item.kind != Recurrence::exact)
            return part.start;
        llvm::Type *type = part.start->getType();
        switch (part.item.operation->getOpcode()) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub:
        case llvm::Instruction::Xor: return llvm::ConstantInt::get(type, 0);
        case llvm::Instruction::Mul: return llvm::ConstantInt::get(type, 1);
        default: return part.start;
        }
    }

    llvm::Value *combineExact(const Part &part, llvm::Value *a, llvm::Value *b)
    {
        llvm::Instruction *operation = part.item.operation;
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(operation))
            return builder.CreateCall(call->getCalledFunction(), {a, b});
        const unsigned opcode = operation->getOpcode();
        return builder.CreateBinOp(opcode == llvm::Instruction::Sub
                                       ? llvm::Instruction::Add
                                       : static_cast<llvm::Instruction::BinaryOps>(opcode),
                                   a, b);
    }

    // Whether the other thread's winner beats this one's: of equal ones the one that C's order would leave.
    llvm::Value *isBetter(const Part &part, llvm::Value *mine, llvm::Value *myWhen, llvm::Value *other,
                          llvm::Value *otherWhen)
    {
        const llvm::CmpInst::Predicate predicate = part.item.predicate;
        const bool isFloat = mine->getType()->isFloatingPointTy();
        const bool firstWins = isFloat ? predicate == llvm::CmpInst::FCMP_OGT || predicate == llvm::CmpInst::FCMP_OLT
                                       : llvm::CmpInst::isStrictPredicate(predicate);
        const llvm::CmpInst::Predicate strict = llvm::CmpInst::getStrictPredicate(predicate);
        llvm::Value *isBeyond =
            isFloat ? builder.CreateFCmp(strict, other, mine) : builder.CreateICmp(strict, other, mine);
        llvm::Value *isEqual = isFloat ? builder.CreateFCmpOEQ(other, mine) : builder.CreateICmpEQ(other, mine);
        llvm::Value *isDue =
            firstWins ? builder.CreateICmpULT(otherWhen, myWhen) : builder.CreateICmpUGT(otherWhen, myWhen);
        llvm::Value *isBetter = builder.CreateOr(isBeyond, builder.CreateAnd(isEqual, isDue));
        return part.item.nan == NanRule::none
                   ? isBetter
                   : builder.CreateOr(isBetter, isBetterNan(part, mine, myWhen, other, otherWhen));
    }

    // The same where one of them is NaN.
    llvm::Value *isBetterNan(const Part &part, llvm::Value *mine, llvm::Value *myWhen, llvm::Value *other,
                             llvm::Value *otherWhen)
    {
        const NanRule rule = part.item.nan;
        const bool wins = rule == NanRule::firstWins || rule == NanRule::lastWins;
        const bool isFirst = rule == NanRule::firstWins || rule == NanRule::firstLoses;
        llvm::Value *isMine = builder.CreateFCmpUNO(mine, mine), *isOther = builder.CreateFCmpUNO(other, other);
        llvm::Value *isDue =
            isFirst ? builder.CreateICmpULT(otherWhen, myWhen) : builder.CreateICmpUGT(otherWhen, myWhen);
        llvm::Value *isBetter = wins ? isOther : isMine, *isWorse = wins ? isMine : isOther;
        return builder.CreateAnd(isBetter, builder.CreateOr(builder.CreateNot(isWorse), isDue));
    }

    // The value of the thread whose number differs in this bit.
    llvm::Value *swap(llvm::Value *value, llvm::Value *step)
    {
        llvm::Type *type = value->getType();
        const llvm::DataLayout &layout = team.function.getParent()->getDataLayout();
        const unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
        llvm::Type *word = bits > 32 ? builder.getInt64Ty() : builder.getInt32Ty();
        llvm::Value *as = type->isPointerTy() ? builder.CreatePtrToInt(value, word)
                                              : builder.CreateBitCast(value, builder.getIntNTy(bits));
        llvm::Function *swapWord = bits > 32 ? team.parts.swap64 : team.parts.swap32;
        as = builder.CreateCall(swapWord, {builder.CreateZExtOrTrunc(as, word), step});
        if (type->isPointerTy())
            return builder.CreateIntToPtr(as, type);
        return builder.CreateBitCast(builder.CreateZExtOrTrunc(as, builder.getIntNTy(bits)), type);
    }

private:
    struct Phis {
        llvm::PHINode *value = nullptr, *when = nullptr;
    };

    void finishWarps(llvm::Value *rounds)
    {
        for (Part &part : all) {
            const bool isDouble = part.start->getType()->isDoubleTy();
            if (part.item.kind == Recurrence::tree && !part.item.isScanned)
                part.update = builder.CreateCall(team.parts.finish[part.product][isDouble], {part.state, rounds});
            else if (part.item.kind == Recurrence::ordered)
                part.update = builder.CreateCall(team.parts.first[isDouble], {part.state});
        }
    }

    void createPhis(llvm::BasicBlock *before)
    {
        for (Part &part : all) {
            phis.push_back({});
            if (isOfWarp(part.item))
                continue;
            phis.back().value = builder.CreatePHI(part.part->getType(), 2);
            phis.back().value->addIncoming(part.part, before);
            if (!part.when)
                continue;
            phis.back().when = builder.CreatePHI(builder.getInt64Ty(), 2);
            phis.back().when->addIncoming(part.when, before);
        }
    }

    // Winners first: what they carry follows them.
    void combineStep(llvm::Value *step, llvm::BasicBlock *body)
    {
        llvm::DenseMap<const llvm::PHINode *, llvm::Value *> better; // by the winner's phi of the old loop
        for (size_t k = 0; k < all.size(); k++)
            if (all[k].item.kind == Recurrence::winner) {
                auto [mine, myWhen] = phis[k];
                llvm::Value *other = swap(mine, step), *when = swap(myWhen, step);
                llvm::Value *is = isBetter(all[k], mine, myWhen, other, when);
                better[all[k].item.phi] = is;
                mine->addIncoming(builder.CreateSelect(is, other, mine), body);
                myWhen->addIncoming(builder.CreateSelect(is, when, myWhen), body);
            }
        for (size_t k = 0; k < all.size(); k++) {
            if (isOfWarp(all[k].item) || all[k].item.kind == Recurrence::winner)
                continue;
            llvm::PHINode *mine = phis[k].value;
            llvm::Value *other = swap(mine, step);
            mine->addIncoming(all[k].item.kind == Recurrence::carried
                                  ? builder.CreateSelect(better[all[k].item.of], other, mine)
                                  : combineExact(all[k], mine, other),
                              body);
        }
    }

    TeamFunction &team;
    llvm::IRBuilder<> &builder;
    llvm::MutableArrayRef<Part> all;
    llvm::SmallVector<Phis, 4> phis;
};

} // namespace

#endif
