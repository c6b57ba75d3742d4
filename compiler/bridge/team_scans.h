// C++, a part of codegen.cpp: partial values of a loop's recurrences, for the threads of a team.
#ifndef GPUCC_TEAM_SCANS_H
#define GPUCC_TEAM_SCANS_H

#include "bridge/team_combine.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace {

// A copy of an iteration as far as it computes what scanned recurrences add, without stores to outputs.
class Preview {
public:
    Preview(TeamFunction &team, LoopVerdict &verdict) : team(team), loop(verdict.loop)
    {
        llvm::ValueToValueMapTy map; // changes where a value is replaced
        for (llvm::BasicBlock *block : loop.blocks()) {
            blocks.push_back(llvm::CloneBasicBlock(block, map, ".preview", &team.function));
            map[block] = blocks.back();
        }
        llvm::remapInstructionsInBlocks(blocks, map);
        for (auto &&[value, copy] : map)
            copies[value] = copy;
    }

    llvm::Value *of(const llvm::Value *value) const
    {
        llvm::Value *copy = copies.lookup(value);
        return copy ? copy : const_cast<llvm::Value *>(value);
    }

    llvm::BasicBlock *header() const { return llvm::cast<llvm::BasicBlock>(of(loop.getHeader())); }

    // The recurrence in the copy.
    Recurrence of(const Recurrence &item) const
    {
        Recurrence copy = item;
        copy.phi = llvm::cast<llvm::PHINode>(of(item.phi));
        copy.update = of(item.update);
        copy.operation = llvm::cast<llvm::Instruction>(of(item.operation));
        return copy;
    }

    // Ends the copy behind the last of these values, by a branch.  Returns its last block.
    llvm::BasicBlock *end(llvm::ArrayRef<llvm::Value *> values, const llvm::DominatorTree &dominators,
                          llvm::BasicBlock *next)
    {
        llvm::Instruction *last = nullptr;
        for (llvm::Value *value : values) {
            auto *i = llvm::cast<llvm::Instruction>(value);
            last = !last || dominators.dominates(last, i) ? i : last;
        }
        llvm::BasicBlock *block = llvm::cast<llvm::BasicBlock>(of(last->getParent()));
        team.builder.SetInsertPoint(block->getTerminator());
        team.builder.CreateBr(next);
        block->getTerminator()->eraseFromParent();
        return block;
    }

    // Deletes what computes none of these values.
    void reduceTo(llvm::BasicBlock *last, llvm::ArrayRef<llvm::Value *> values)
    {
        llvm::SmallPtrSet<llvm::BasicBlock *, 8> reached = {header()};
        llvm::SmallVector<llvm::BasicBlock *, 8> work = {header()}, dead;
        while (!work.empty()) {
            llvm::BasicBlock *block = work.pop_back_val();
            if (block != last)
                for (llvm::BasicBlock *next : llvm::successors(block))
                    if (reached.insert(next).second)
                        work.push_back(next);
        }
        for (llvm::BasicBlock *block : blocks)
            if (!reached.contains(block)) {
                dead.push_back(block);
                block->getTerminator()->eraseFromParent(); // the loop's exit does not know its copy
                new llvm::UnreachableInst(block->getContext(), block);
            }
        llvm::DeleteDeadBlocks(dead);
        for (bool changes = true; changes;) {
            changes = false;
            for (llvm::BasicBlock *block : blocks)
                if (reached.contains(block))
                    changes |= deleteUnused(*block, values);
        }
    }

private:
    static bool deleteUnused(llvm::BasicBlock &block, llvm::ArrayRef<llvm::Value *> values)
    {
        bool changes = false;
        for (llvm::Instruction &i : llvm::make_early_inc_range(llvm::reverse(block))) {
            auto *store = llvm::dyn_cast<llvm::StoreInst>(&i);
            auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
            const bool isOutput = store && !llvm::isa<llvm::AllocaInst>(objectOf(store->getPointerOperand()));
            if (i.isTerminator() || (store && !isOutput) || (call && call->isLifetimeStartOrEnd()) ||
                !i.use_empty() || llvm::is_contained(values, &i))
                continue;
            i.eraseFromParent();
            changes = true;
        }
        return changes;
    }

    TeamFunction &team;
    const llvm::Loop &loop;
    llvm::DenseMap<const llvm::Value *, llvm::Value *> copies;
    llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
};

// Computes, between a round's previews and its iterations, each thread's values before its iteration.  Each warp of a
// team has consecutive iterations of its own.  If there are several, they compute their totals first.
class Scans {
public:
    // Each warp has so many iterations at most.
    Scans(TeamFunction &team, llvm::MutableArrayRef<Part> all, llvm::Value *length)
        : team(team), builder(team.builder), combiner(team, all), length(length)
    {
        for (Part &part : all)
            if (part.item.isScanned)
                scans.push_back({&part});
    }

    struct Scan {
        Part *part;
        llvm::Value *term = nullptr, *factor = nullptr, *when = nullptr; // of the thread's iteration
        llvm::PHINode *carry = nullptr;                                  // of exact ones, before the round
        llvm::Value *before = nullptr, *behind = nullptr;                // the iteration; the latter of trees alone
        std::pair<llvm::Value *, llvm::Value *> first = {};              // of `total` and `totalWhen`
        llvm::PHINode *total = nullptr, *totalWhen = nullptr, *left = nullptr, *leftWhen = nullptr;
        llvm::Value *allWhen = nullptr, *beforeWhen = nullptr; // the same of a round's lanes, in the loop's numbers
    };

    // In the block that begins a round, with the value before the first one.
    void createCarries(llvm::BasicBlock *preheader)
    {
        for (Scan &scan : scans)
            if (scan.part->item.kind == Recurrence::exact) {
                scan.carry = builder.CreatePHI(scan.part->start->getType(), 2);
                scan.carry->addIncoming(scan.part->start, preheader);
            }
    }

    // Replaces the recurrences in the preview by each iteration's own term.
    void findTerms(Preview &preview, llvm::Value *number)
    {
        for (Scan &scan : scans) {
            const Recurrence &item = scan.part->item;
            Recurrence copy = preview.of(item);
            scan.term = copy.update;
            if (isOfWarp(item))
                scan.term = team.isolateTerm(copy, item.kind == Recurrence::ordered ? &scan.factor : nullptr);
            if (item.kind != Recurrence::winner)
                continue;
            auto *select = llvm::cast<llvm::SelectInst>(copy.operation);
            const bool staysIfTrue = select->getTrueValue() == copy.phi;
            builder.SetInsertPoint(select->getNextNode());
            llvm::Value *mine = builder.CreateAdd(number, builder.getInt64(1)), *none = builder.getInt64(0);
            if (staysIfTrue)
                std::swap(mine, none);
            scan.when = builder.CreateSelect(select->getCondition(), mine, none);
        }
    }

    llvm::SmallVector<llvm::Value *, 8> terms() const
    {
        llvm::SmallVector<llvm::Value *, 8> values;
        for (const Scan &scan : scans)
            for (llvm::Value *value : {scan.term, scan.factor, scan.when})
                if (value)
                    values.push_back(value);
        return values;
    }

    // The terms of threads with an iteration, from its preview's last block, and of those without.
    void mergeTerms(llvm::BasicBlock *last, llvm::BasicBlock *idle)
    {
        auto merge = [&](llvm::Value *&value, llvm::Value *none) {
            llvm::PHINode *phi = builder.CreatePHI(none->getType(), 2);
            phi->addIncoming(value, last);
            phi->addIncoming(none, idle);
            value = phi;
        };
        for (Scan &scan : scans) {
            llvm::Type *type = scan.part->start->getType();
            if (scan.factor)
                merge(scan.factor, llvm::ConstantFP::get(type, 1.0));
            if (scan.when)
                merge(scan.when, builder.getInt64(0));
            merge(scan.term, isOfWarp(scan.part->item) ? noTerm(*scan.part) : PartsOfThreads::first(*scan.part));
        }
    }

    // Computes the values behind `block`, whose end it is, and what the threads' parts become.  Returns the last block.
    llvm::BasicBlock *compute(llvm::BasicBlock *block, llvm::Value *round, llvm::Value *base, llvm::Value *number,
                              llvm::Value *exists)
    {
        for (Scan &scan : scans)
            if (scan.part->item.kind == Recurrence::tree)
                accumulate(scan, round, number, exists);
            else if (scan.part->item.kind == Recurrence::ordered)
                append(scan);
        if (llvm::all_of(scans, [](const Scan &scan) { return isOfWarp(scan.part->item); }))
            return block;
        for (Scan &scan : scans)
            scan.first = {scan.term, scan.when ? inRound(scan.when, base) : nullptr};
        block = combineNeighbours(block, 1, builder.getInt32(32));
        for (Scan &scan : scans)
            if (scan.when) {
                scan.allWhen = inLoop(scan.totalWhen, base);
                scan.beforeWhen = inLoop(scan.leftWhen, base);
            }
        finish();
        return block;
    }

    // Adds the round's terms to the thread's totals, in `block`, from where the next round follows.
    void addToTotals(llvm::BasicBlock *block, llvm::BasicBlock *next, llvm::Value *round)
    {
        llvm::DenseMap<const llvm::PHINode *, llvm::Value *> better; // by the winner's phi of the old loop
        auto add = [&](llvm::PHINode *total, llvm::Value *value) { total->addIncoming(value, block); };
        for (Scan &scan : scans)
            if (scan.when) {
                Part &part = *scan.part;
                llvm::Value *is = combiner.isBetter(part, part.part, part.when, scan.term, scan.when);
                better[part.item.phi] = is;
                add(part.part, builder.CreateSelect(is, scan.term, part.part));
                add(part.when, builder.CreateSelect(is, scan.when, part.when));
            }
        for (Scan &scan : scans) {
            Part &part = *scan.part;
            if (part.item.kind == Recurrence::tree)
                builder.CreateCall(team.parts.push[part.product][part.start->getType()->isDoubleTy()],
                                   {part.state, round, scan.term});
            else if (part.item.kind == Recurrence::carried)
                add(part.part, builder.CreateSelect(better[part.item.of], scan.term, part.part));
            else if (part.item.kind == Recurrence::exact)
                add(part.part, combiner.combineExact(part, part.part, scan.term));
            if (scan.carry)
                add(scan.carry, scan.carry);
        }
        builder.CreateBr(next);
    }

    // From the totals of all threads, behind `block`, the values before the warp's first iteration, with which it
    // begins anew in `next`.  Returns the last block.
    llvm::BasicBlock *exchangeTotals(llvm::BasicBlock *block, llvm::BasicBlock *next, llvm::Value *rounds)
    {
        builder.SetInsertPoint(block);
        for (Scan &scan : scans) {
            Part &part = *scan.part;
            if (part.item.kind == Recurrence::tree)
                builder.CreateCall(team.parts.startScan[part.product][part.start->getType()->isDoubleTy()],
                                   {part.state, rounds});
            else
                scan.first = {part.part, part.when};
        }
        if (llvm::any_of(scans, [](const Scan &scan) { return !isOfWarp(scan.part->item); }))
            block = combineNeighbours(block, 32, team.size);
        for (Scan &scan : scans) {
            Part &part = *scan.part;
            const bool isExact = part.item.kind == Recurrence::exact;
            if (scan.carry)
                scan.carry->addIncoming(combiner.combineExact(part, part.start, scan.left), block);
            if (part.part)
                part.part->addIncoming(isExact ? PartsOfThreads::first(part) : scan.left, block);
            if (part.when)
                part.when->addIncoming(scan.leftWhen, block);
        }
        builder.CreateBr(next);
        return block;
    }

    // At the loop's end: the parts' next values.
    void close(llvm::BasicBlock *join)
    {
        for (Scan &scan : scans) {
            if (scan.carry)
                scan.carry->addIncoming(scan.behind, join);
            if (!isOfWarp(scan.part->item))
                scan.part->part->addIncoming(scan.part->update, join);
            if (scan.when)
                scan.part->when->addIncoming(scan.part->updateWhen, join);
        }
    }

    llvm::SmallVector<Scan, 4> scans;

private:
    static llvm::Constant *noTerm(const Part &part)
    {
        llvm::Type *type = part.start->getType();
        return part.product ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantFP::getNegativeZero(type);
    }

    // The number of a winner's iteration plus one, or 0, counted from the round's first iteration, for it to be a word.
    llvm::Value *inRound(llvm::Value *when, llvm::Value *base)
    {
        llvm::Value *number = builder.CreateTrunc(builder.CreateSub(when, base), builder.getInt32Ty());
        return builder.CreateSelect(builder.CreateIsNull(when), builder.getInt32(0), number);
    }

    llvm::Value *inLoop(llvm::Value *when, llvm::Value *base)
    {
        llvm::Value *number = builder.CreateAdd(builder.CreateZExt(when, builder.getInt64Ty()), base);
        return builder.CreateSelect(builder.CreateIsNull(when), builder.getInt64(0), number);
    }

    void accumulate(Scan &scan, llvm::Value *round, llvm::Value *number, llvm::Value *exists)
    {
        const Part &part = *scan.part;
        llvm::Type *type = part.start->getType();
        llvm::Function *function = team.parts.scan[part.product][type->isDoubleTy()];
        llvm::Value *rounds = builder.CreateLShr(length, 5); // of the warp, at most
        llvm::Value *result = builder.CreateCall(function, {part.state, round, rounds, scan.term, exists});
        llvm::Value *left = builder.CreateLoad(type, builder.CreateConstGEP1_32(type, part.state, 3));
        scan.behind = team.withStart(part.item, part.product, part.start, result);
        left = team.withStart(part.item, part.product, part.start, left);
        scan.before = builder.CreateSelect(builder.CreateIsNull(number), part.start, left);
    }

    void append(Scan &scan)
    {
        const Part &part = *scan.part;
        const bool isDouble = part.start->getType()->isDoubleTy();
        scan.before = scan.factor
                          ? builder.CreateCall(team.parts.fuse[isDouble], {part.state, scan.term, scan.factor})
                          : builder.CreateCall(team.parts.append[part.product][isDouble], {part.state, scan.term});
    }

    // In a loop over the bits of the threads' numbers: the total of 2, 4, 8 … neighbours, and of those on the left from
    // the bit `least` on.
    llvm::BasicBlock *combineNeighbours(llvm::BasicBlock *before, unsigned least, llvm::Value *threads)
    {
        llvm::BasicBlock *head = team.createBlock("scan"), *body = team.createBlock("scan.step");
        llvm::BasicBlock *behind = team.createBlock("scanned");
        builder.CreateBr(head);
        builder.SetInsertPoint(head);
        llvm::PHINode *step = builder.CreatePHI(builder.getInt32Ty(), 2, "step");
        step->addIncoming(builder.getInt32(1), before);
        for (Scan &scan : scans) {
            if (isOfWarp(scan.part->item))
                continue;
            scan.total = begin(scan.first.first, before);
            scan.left = begin(PartsOfThreads::first(*scan.part), before);
            if (scan.when) {
                scan.totalWhen = begin(scan.first.second, before);
                scan.leftWhen = begin(llvm::ConstantInt::get(scan.first.second->getType(), 0), before);
            }
        }
        builder.CreateCondBr(builder.CreateICmpULT(step, threads), body, behind);
        builder.SetInsertPoint(body);
        combineStep(step, least, body);
        step->addIncoming(builder.CreateShl(step, 1), body);
        builder.CreateBr(head);
        builder.SetInsertPoint(behind);
        return behind;
    }

    llvm::PHINode *begin(llvm::Value *value, llvm::BasicBlock *before)
    {
        llvm::PHINode *phi = builder.CreatePHI(value->getType(), 2);
        phi->addIncoming(value, before);
        return phi;
    }

    void combineStep(llvm::Value *step, unsigned least, llvm::BasicBlock *body)
    {
        llvm::Value *places = builder.CreateAnd(team.index, builder.getInt32(-least));
        llvm::Value *isRight = builder.CreateIsNotNull(builder.CreateAnd(places, step));
        llvm::DenseMap<const llvm::PHINode *, std::pair<llvm::Value *, llvm::Value *>> better; // of totals, on the left
        auto choose = [&](llvm::PHINode *phi, llvm::Value *is, llvm::Value *other) {
            phi->addIncoming(builder.CreateSelect(is, other, phi), body);
        };
        for (Scan &scan : scans)
            if (scan.when) {
                llvm::Value *other = combiner.swap(scan.total, step), *when = combiner.swap(scan.totalWhen, step);
                llvm::Value *is = combiner.isBetter(*scan.part, scan.total, scan.totalWhen, other, when);
                llvm::Value *isLeft = builder.CreateAnd(
                    isRight, combiner.isBetter(*scan.part, scan.left, scan.leftWhen, other, when));
                better[scan.part->item.phi] = {is, isLeft};
                choose(scan.total, is, other), choose(scan.totalWhen, is, when);
                choose(scan.left, isLeft, other), choose(scan.leftWhen, isLeft, when);
            }
        for (Scan &scan : scans) {
            if (scan.when || isOfWarp(scan.part->item))
                continue;
            llvm::Value *other = combiner.swap(scan.total, step);
            if (scan.part->item.kind == Recurrence::carried) {
                auto [is, isLeft] = better[scan.part->item.of];
                choose(scan.total, is, other), choose(scan.left, isLeft, other);
                continue;
            }
            scan.total->addIncoming(combiner.combineExact(*scan.part, scan.total, other), body);
            choose(scan.left, isRight, combiner.combineExact(*scan.part, scan.left, other));
        }
    }

    // Combines with the rounds before.
    void finish()
    {
        llvm::DenseMap<const llvm::PHINode *, std::pair<llvm::Value *, llvm::Value *>> better;
        for (Scan &scan : scans)
            if (scan.when) {
                Part &part = *scan.part;
                llvm::Value *is = combiner.isBetter(part, part.part, part.when, scan.total, scan.allWhen);
                llvm::Value *isLeft = combiner.isBetter(part, part.part, part.when, scan.left, scan.beforeWhen);
                better[part.item.phi] = {is, isLeft};
                part.updateWhen = builder.CreateSelect(is, scan.allWhen, part.when);
            }
        for (Scan &scan : scans) {
            Part &part = *scan.part;
            if (isOfWarp(part.item))
                continue;
            if (part.item.kind == Recurrence::exact) {
                scan.before = combiner.combineExact(part, scan.carry, scan.left);
                scan.behind = combiner.combineExact(part, scan.carry, scan.total);
                part.update = combiner.combineExact(part, part.part, scan.term); // the thread's own share
                continue;
            }
            auto [is, isLeft] = better[scan.when ? part.item.phi : part.item.of];
            scan.before = builder.CreateSelect(isLeft, scan.left, part.part);
            part.update = builder.CreateSelect(is, scan.total, part.part);
        }
    }

    TeamFunction &team;
    llvm::IRBuilder<> &builder;
    PartsOfThreads combiner;
    llvm::Value *const length;
};

} // namespace

#endif
