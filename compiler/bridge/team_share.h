// C++, a part of codegen.cpp: rewrites a loop so that the threads of a team share its iterations.
#ifndef GPUCC_TEAM_SHARE_H
#define GPUCC_TEAM_SHARE_H

#include "bridge/team_scans.h"
#include "bridge/team_tiles.h"

#include <memory>

namespace {

// The values of a loop that scalar evolution knows: computed before any loop is rewritten, as to rewrite one (a call in
// it that may not return is enough) can lose what scalar evolution knows of another.
class LoopValues {
public:
    struct Induction {
        llvm::PHINode *phi;
        llvm::WeakTrackingVH step;
    };

    // Before the loop: its length, the steps of its inductions, and values behind it.  False where its length is not
    // known.
    bool compute(LoopVerdict &verdict, const llvm::DataLayout &layout)
    {
        llvm::ScalarEvolution &evolution = verdict.analyses.evolution;
        if (llvm::isa<llvm::SCEVCouldNotCompute>(verdict.count()))
            return false;
        llvm::SCEVExpander expander(evolution, layout, "team");
        llvm::Instruction *place = verdict.loop.getLoopPreheader()->getTerminator();
        llvm::Type *wide = llvm::Type::getInt64Ty(place->getContext());
        last = expander.expandCodeFor(evolution.getTruncateOrZeroExtend(verdict.count(), wide), wide, place);
        for (llvm::PHINode &phi : verdict.loop.getHeader()->phis()) {
            if (!verdict.isInduction(phi))
                continue;
            auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
            const llvm::SCEV *step = recurrence->getStepRecurrence(evolution);
            inductions.push_back({&phi, expander.expandCodeFor(step, step->getType(), place)});
        }
        for (llvm::PHINode &phi : verdict.loop.getExitBlock()->phis()) {
            llvm::Value *value = phi.getIncomingValueForBlock(verdict.loop.getLoopLatch());
            if (verdict.loop.isLoopInvariant(value))
                continue;
            if (const llvm::SCEV *known = verdict.lastValue(value))
                lasts.push_back({&phi, expander.expandCodeFor(known, phi.getType(), place)});
        }
        return true;
    }

    bool isInduction(const llvm::PHINode &phi) const
    {
        return llvm::any_of(inductions, [&](const Induction &induction) { return induction.phi == &phi; });
    }

    // The value that the phi behind the loop has, or null.
    llvm::Value *lastOf(const llvm::PHINode &phi) const
    {
        for (const auto &[known, value] : lasts)
            if (known == &phi)
                return value;
        return nullptr;
    }

    llvm::WeakTrackingVH last; // the last iteration's number
    llvm::SmallVector<Induction, 4> inductions;

private:
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::WeakTrackingVH>, 4> lasts;
};

inline void unrollBy(llvm::Instruction &back, unsigned count)
{
    llvm::LLVMContext &context = back.getContext();
    llvm::Constant *times = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), count);
    llvm::Metadata *name = llvm::MDString::get(context, "llvm.loop.unroll.count");
    llvm::MDNode *unroll = llvm::MDNode::get(context, {name, llvm::ConstantAsMetadata::get(times)});
    llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, unroll});
    id->replaceOperandWith(0, id);
    back.setMetadata(llvm::LLVMContext::MD_loop, id);
}

// Rewrites `for (…; body)` to
//   for (k = begin + index; k < end; k += step) body of iteration k
// or, with a tree, whose rounds a warp runs together,
//   for (base = begin; base < end; base += 32) { k = base + lane; if (k < end) body of iteration k; push the terms; }
// or either, if the body is short and stores nothing, so that threads may repeat the last iteration for nothing, in
// whole groups of rounds whose loads do not wait for one another,
//   for (round = 0; round != a multiple of some; round++) { k = min(…, end - 1); body of iteration k; … }
// or, with partial values, and before it, if there are several warps, the same of previews alone, for their totals,
//   for (base = begin; base < end; base += 32) {
//       k = base + lane;
//       if (k < end) preview of iteration k: its terms;
//       combine them with those on the left;
//       if (k < end) body of iteration k;
//   }
class SharedLoop {
public:
    // Very short loops run so many rounds at a time, others at most 4.
    SharedLoop(TeamFunction &team, LoopVerdict &verdict, const LoopValues &values, unsigned most, bool hasTiles)
        : team(team), builder(team.builder), verdict(verdict), values(values),
          preheader(verdict.loop.getLoopPreheader()), header(verdict.loop.getHeader()),
          latch(verdict.loop.getLoopLatch()), exit(verdict.loop.getExitBlock()), wide(team.builder.getInt64Ty()),
          hasTiles(hasTiles), group(size() <= mostInGroups / 2 ? most : std::min(most, 4u))
    {
    }

    // False, with the loop as it was, where it cannot be shared.
    bool run()
    {
        if (verdict.recurrences.find([&](const llvm::PHINode &phi) { return values.isInduction(phi); }) || !findLasts())
            return false;
        isOrdered = verdict.recurrences.has(Recurrence::ordered);
        isScan = verdict.recurrences.hasScan();
        isOfWarps = isOrdered || isScan || verdict.recurrences.has(Recurrence::tree);
        const bool isShort = !isOrdered && !isScan && header == latch && size() <= mostInGroups;
        inGroups = isShort && isPure();
        const TileNest nest(const_cast<llvm::Loop &>(verdict.loop));
        const bool isTile = hasTiles && nest.isTile(verdict.analyses, verdict.roles);
        inRounds = isTile || (isShort && !inGroups && !isOfWarps);
        tileCount = !isTile ? 0 : nest.loops.size() == 2 ? tileOfOne : tileOfTwo;
        markInputs();
        team.wait(preheader->getTerminator());
        createParts();
        if (isScan)
            preview = std::make_unique<Preview>(team, verdict);
        begin = team.createBlock("rounds", header);
        body = team.createBlock("round", header);
        join = team.createBlock("round.end");
        last = end = team.createBlock("rounds.end");
        if (isScan && !isOrdered)
            last = team.createBlock("totals.end", end);
        enter();
        createRounds();
        computeInductions();
        if (isScan)
            scanRound();
        for (Part &part : all)
            computeUpdate(part);
        llvm::Instruction *back = latch->getTerminator();
        builder.SetInsertPoint(back);
        builder.CreateBr(join);
        back->eraseFromParent();
        builder.SetInsertPoint(join);
        for (Part &part : all)
            mergeUpdate(part);
        for (Part &part : all)
            pushTerm(part);
        if (scans)
            scans->close(join);
        endRound();
        llvm::BasicBlock *exchangeEnd = last != end ? beginAgain() : nullptr;
        if (exchangeEnd)
            separateTotals(exchangeEnd);
        finishScans();
        if (!all.empty())
            end = PartsOfThreads(team, all).combine(round, end);
        leave();
        if (exchangeEnd)
            computeTermsAhead(exchangeEnd);
        team.wait(&*exit->getFirstInsertionPt());
        return true;
    }

private:
    using ValueOfPhi = std::pair<llvm::PHINode *, llvm::Value *>;

    bool findLasts()
    {
        for (llvm::PHINode &phi : exit->phis()) {
            llvm::Value *value = phi.getIncomingValueForBlock(latch);
            if (verdict.loop.isLoopInvariant(value) || verdict.recurrences.of(value))
                continue;
            lasts.push_back({&phi, values.lastOf(phi)});
            if (!lasts.back().second)
                return false;
        }
        return true;
    }

    // Instructions of the first block, with a guess of what calls have.
    unsigned size() const
    {
        unsigned size = 0;
        for (const llvm::Instruction &i : header->instructionsWithoutDebug())
            size += llvm::isa<llvm::CallInst>(i) ? 8 : !i.isTerminator();
        return size;
    }

    // Whether any iteration of this one block may run once more.
    bool isPure() const
    {
        return llvm::all_of(header->instructionsWithoutDebug(), [](const llvm::Instruction &i) {
            auto *load = llvm::dyn_cast<llvm::LoadInst>(&i);
            return i.isTerminator() || (load ? load->isSimple() : isHarmless(i));
        });
    }

    // Loads of inputs' elements, which no store changes, need not wait for stores.
    void markInputs()
    {
        for (llvm::BasicBlock *block : verdict.loop.blocks())
            for (llvm::Instruction &i : *block) {
                auto *load = llvm::dyn_cast<llvm::LoadInst>(&i);
                const llvm::Value *place = load ? load->getPointerOperand() : nullptr;
                if (load && load->isSimple() && !verdict.loop.isLoopInvariant(place) &&
                    verdict.roles.isInput(objectOf(place)))
                    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                      llvm::MDNode::get(load->getContext(), {}));
            }
    }

    void createParts()
    {
        for (Recurrence &item : verdict.recurrences.items) {
            Part part;
            part.item = item;
            forgetBounds(item);
            part.start = item.phi->getIncomingValueForBlock(preheader);
            part.product = isOfWarp(item) && TeamFunction::isProduct(item);
            for (llvm::PHINode &phi : exit->phis())
                if (phi.getIncomingValueForBlock(latch) == item.update)
                    part.results.push_back(&phi);
            if (isOfWarp(item))
                part.state = team.allocate(item.phi->getType(), teamState);
            all.push_back(part);
        }
    }

    // A sum that does not overflow in C's order may do so in parts.
    static void forgetBounds(const Recurrence &item)
    {
        for (const llvm::Value *value : item.chain)
            if (auto *i = llvm::dyn_cast<llvm::BinaryOperator>(value); i && i->getType()->isIntegerTy())
                const_cast<llvm::BinaryOperator *>(i)->dropPoisonGeneratingFlags();
    }

    // The thread's first iteration, and the end and distance of its iterations; with warps, of the warp's.
    void enter()
    {
        builder.SetInsertPoint(preheader->getTerminator());
        trip = builder.CreateAdd(values.last, builder.getInt64(1));
        llvm::Value *thread = builder.CreateZExt(team.index, wide);
        from = thread, to = trip, by = builder.CreateZExt(team.size, wide);
        for (Part &part : all)
            if (part.item.kind == Recurrence::ordered)
                builder.CreateStore(part.start, part.state);
            else if (part.item.kind == Recurrence::tree && part.item.isScanned)
                for (unsigned k : {0u, 4u})
                    builder.CreateStore(TeamFunction::identity(part.item),
                                        builder.CreateConstGEP1_32(part.start->getType(), part.state, k));
        if (isOfWarps) {
            // A sum in order is the first warp's work.
            length = isOrdered ? trip : builder.CreateCall(team.parts.run, {trip});
            llvm::Value *warp = builder.CreateLShr(thread, 5);
            from = isOrdered ? builder.CreateSelect(builder.CreateIsNull(warp), builder.getInt64(0), trip)
                             : builder.CreateMul(warp, length);
            to = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, trip, builder.CreateAdd(from, length));
            by = builder.getInt64(32);
            lane = builder.CreateAnd(thread, 31);
        }
        if (inGroups || inRounds)
            countRounds();
        if (last != end)
            hasWarps = builder.CreateICmpUGT(team.size, builder.getInt32(32));
        builder.CreateBr(begin);
        preheader->getTerminator()->eraseFromParent();
    }

    // `by` is a power of two.
    void countRounds()
    {
        llvm::Value *all = builder.CreateSub(to, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, from, to));
        llvm::Value *most = builder.CreateSub(by, builder.getInt64(1));
        llvm::Value *log = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, by, builder.getTrue());
        rounds = builder.CreateLShr(builder.CreateAdd(all, most), log);
        if (inGroups)
            rounds = builder.CreateAnd(builder.CreateAdd(rounds, builder.getInt64(group - 1)),
                                       builder.getInt64(-static_cast<uint64_t>(group)));
    }

    void createRounds()
    {
        builder.SetInsertPoint(begin);
        base = builder.CreatePHI(wide, 2, "base");
        round = builder.CreatePHI(wide, 2, "round");
        base->addIncoming(from, preheader);
        round->addIncoming(builder.getInt64(0), preheader);
        for (Part &part : all) {
            if (isOfWarp(part.item))
                continue;
            part.part = builder.CreatePHI(part.start->getType(), 2);
            part.part->addIncoming(PartsOfThreads::first(part), preheader);
            if (part.item.kind == Recurrence::winner) {
                part.when = builder.CreatePHI(wide, 2);
                part.when->addIncoming(builder.getInt64(0), preheader);
            }
        }
        if (isScan) {
            scans = std::make_unique<Scans>(team, all, length);
            scans->createCarries(preheader);
        }
        if (last != end) {
            isForTotals = builder.CreatePHI(builder.getInt1Ty(), 2, "is.for.totals");
            isForTotals->addIncoming(hasWarps, preheader);
        }
        llvm::Value *goesOn = rounds ? builder.CreateICmpNE(round, rounds) : builder.CreateICmpULT(base, to);
        builder.CreateCondBr(goesOn, body, last);
    }

    void computeInductions()
    {
        builder.SetInsertPoint(body);
        number = lane ? builder.CreateAdd(base, lane) : base;
        exists = lane || inGroups ? builder.CreateICmpULT(number, to) : nullptr;
        if (inGroups)
            number = builder.CreateSelect(exists, number, values.last);
        for (const LoopValues::Induction &induction : values.inductions) {
            llvm::Value *start = induction.phi->getIncomingValueForBlock(preheader), *step = induction.step;
            llvm::Value *by_k = builder.CreateMul(builder.CreateZExtOrTrunc(number, step->getType()), step);
            llvm::Value *value = induction.phi->getType()->isPointerTy() ? builder.CreatePtrAdd(start, by_k)
                                                                         : builder.CreateAdd(start, by_k);
            induction.phi->replaceAllUsesWith(value);
            if (preview)
                preview->of(induction.phi)->replaceAllUsesWith(value);
        }
        idle = body;
        if (isScan)
            return;
        if (lane && !inGroups)
            builder.CreateCondBr(exists, header, join);
        else
            builder.CreateBr(header);
    }

    // From the round's block by the previews to the iterations, with what their recurrences have before them.
    void scanRound()
    {
        llvm::BasicBlock *scan = team.createBlock("scan.terms", header), *first = preview->header();
        llvm::SmallVector<llvm::Value *, 4> updates;
        for (const Scans::Scan &item : scans->scans)
            updates.push_back(item.part->item.update);
        builder.SetInsertPoint(body);
        builder.CreateCondBr(exists, first, scan);
        llvm::BasicBlock *tail = preview->end(updates, verdict.analyses.dominators, scan);
        scans->findTerms(*preview, number);
        for (Part &part : all) // a winner's term begins with its first value, as the thread's part does
            preview->of(part.item.phi)->replaceAllUsesWith(PartsOfThreads::first(part));
        for (llvm::PHINode &phi : llvm::make_early_inc_range(first->phis()))
            phi.eraseFromParent();
        preview->reduceTo(tail, scans->terms());
        builder.SetInsertPoint(scan);
        scans->mergeTerms(tail, body);
        if (last != end) {
            terms = scan;
            totals = team.createBlock("totals", header);
            scan = behindTerms = team.createBlock("scan.values", header);
            builder.CreateCondBr(isForTotals, totals, scan);
            builder.SetInsertPoint(totals);
            continueWith(totals, builder.CreateAdd(base, by), builder.CreateAdd(round, builder.getInt64(1)), true);
            retainOthers(totals);
            scans->addToTotals(totals, begin, round);
            builder.SetInsertPoint(scan);
        }
        idle = scans->compute(scan, round, base, number, exists);
        builder.CreateCondBr(exists, header, join);
    }

    // In the block that begins a round, what it has when it comes from this one.
    void continueWith(llvm::BasicBlock *block, llvm::Value *nextBase, llvm::Value *nextRound, bool forTotals)
    {
        base->addIncoming(nextBase, block);
        round->addIncoming(nextRound, block);
        if (isForTotals)
            isForTotals->addIncoming(builder.getInt1(forTotals), block);
    }

    // The same for what is not scanned, from blocks without iterations.
    void retainOthers(llvm::BasicBlock *block)
    {
        for (Part &part : all) {
            if (part.item.isScanned || !part.part)
                continue;
            part.part->addIncoming(part.part, block);
            if (part.when)
                part.when->addIncoming(part.when, block);
        }
    }

    // The blocks from this one on, before others.
    template <class IsOther>
    static llvm::SmallVector<llvm::BasicBlock *, 16> region(llvm::BasicBlock *first, IsOther is)
    {
        llvm::SmallVector<llvm::BasicBlock *, 16> blocks = {first};
        for (size_t k = 0; k < blocks.size(); k++)
            for (llvm::BasicBlock *next : llvm::successors(blocks[k]))
                if (!is(next) && !llvm::is_contained(blocks, next))
                    blocks.push_back(next);
        return blocks;
    }

    // Copies of blocks, with what the map has in the place of values.
    llvm::SmallVector<llvm::BasicBlock *, 16> copy(llvm::ArrayRef<llvm::BasicBlock *> blocks,
                                                   llvm::ValueToValueMapTy &map, const char *suffix)
    {
        llvm::SmallVector<llvm::BasicBlock *, 16> copies;
        for (llvm::BasicBlock *block : blocks) {
            copies.push_back(llvm::CloneBasicBlock(block, map, suffix, &team.function));
            map[block] = copies.back();
        }
        llvm::remapInstructionsInBlocks(copies, map);
        return copies;
    }

    // Computes each round's terms one round before they are needed, so that no round waits for its loads.
    void computeTermsAhead(llvm::BasicBlock *exchangeEnd)
    {
        const auto blocks = region(body, [&](llvm::BasicBlock *next) { return next == behindTerms; });
        llvm::BasicBlock *enter = llvm::SplitBlockPredecessors(begin, {preheader, exchangeEnd}, ".enter");
        builder.SetInsertPoint(body->getTerminator());
        llvm::Value *nextBase = builder.CreateAdd(base, by);
        llvm::ValueToValueMapTy first, next;
        first[base] = from, first[round] = builder.getInt64(0), next[base] = nextBase;
        copy(blocks, first, ".first");
        copy(blocks, next, ".next");
        auto *firstTerms = llvm::cast<llvm::BasicBlock>(first[terms]);
        goTo(enter, llvm::cast<llvm::BasicBlock>(first[body]));
        goTo(firstTerms, begin);
        goTo(body, llvm::cast<llvm::BasicBlock>(next[body]));
        for (llvm::PHINode &phi : begin->phis())
            phi.replaceIncomingBlockWith(enter, firstTerms);
        for (llvm::PHINode &term : llvm::make_early_inc_range(terms->phis())) {
            builder.SetInsertPoint(begin, begin->begin());
            llvm::PHINode *carried = builder.CreatePHI(term.getType(), 2);
            carried->addIncoming(first[&term], firstTerms);
            carried->addIncoming(next[&term], join);
            term.replaceAllUsesWith(carried);
        }
        llvm::DeleteDeadBlocks(llvm::SmallVector<llvm::BasicBlock *, 16>(llvm::drop_begin(blocks)));
    }

    // Gives the rounds for the totals, from `begin` to `exchange`, a loop of their own: registers hold less in each.
    void separateTotals(llvm::BasicBlock *exchangeEnd)
    {
        llvm::ValueToValueMapTy map;
        map[last] = exchange;
        auto isBehind = [&](llvm::BasicBlock *next) { return next == behindTerms || next == last; };
        copy(region(begin, isBehind), map, ".totals");
        llvm::remapInstructionsInBlocks(region(exchange, [&](llvm::BasicBlock *next) { return next == begin; }), map);
        auto *beginOfTotals = llvm::cast<llvm::BasicBlock>(map[begin]);
        exchangeEnd->getTerminator()->replaceSuccessorWith(beginOfTotals, begin);
        for (llvm::PHINode &phi : begin->phis()) {
            auto *clone = llvm::cast<llvm::PHINode>(map[&phi]);
            clone->removeIncomingValue(exchangeEnd);
            clone->removeIncomingValue(join);
            if (llvm::Value *known = map.lookup(phi.getIncomingValueForBlock(exchangeEnd)))
                phi.setIncomingValueForBlock(exchangeEnd, known);
        }
        goTo(llvm::cast<llvm::BasicBlock>(map[terms]), llvm::cast<llvm::BasicBlock>(map[totals]));
        goTo(terms, behindTerms);
        begin->getTerminator()->replaceSuccessorWith(last, end);
        llvm::cast<llvm::PHINode>(map[isForTotals])->eraseFromParent();
        last->getTerminator()->eraseFromParent();
        last->eraseFromParent();
        isForTotals->eraseFromParent();
        llvm::DeleteDeadBlock(totals);
        preheader->getTerminator()->eraseFromParent();
        builder.SetInsertPoint(preheader);
        builder.CreateCondBr(hasWarps, beginOfTotals, begin);
    }

    void goTo(llvm::BasicBlock *from, llvm::BasicBlock *to)
    {
        from->getTerminator()->eraseFromParent();
        builder.SetInsertPoint(from);
        builder.CreateBr(to);
    }

    // Behind the rounds for the totals.  Returns the last block before the other rounds.
    llvm::BasicBlock *beginAgain()
    {
        exchange = team.createBlock("totals.exchange", end);
        builder.SetInsertPoint(last);
        builder.CreateCondBr(isForTotals, exchange, end);
        llvm::BasicBlock *block = scans->exchangeTotals(exchange, begin, round);
        continueWith(block, from, builder.getInt64(0), false);
        retainOthers(block);
        return block;
    }

    void finishScans()
    {
        builder.SetInsertPoint(end);
        for (Part &part : all)
            if (part.item.isScanned && part.item.kind == Recurrence::tree) {
                llvm::Value *warp = builder.CreateUDiv(values.last, length);
                llvm::Value *lane = builder.CreateAnd(values.last, 31);
                llvm::Value *place = builder.CreateOr(builder.CreateShl(warp, 5), lane);
                place = builder.CreateTrunc(place, builder.getInt32Ty());
                llvm::Function *function = team.parts.last[part.product][part.start->getType()->isDoubleTy()];
                part.update = builder.CreateCall(function, {part.state, place});
            }
    }

    // In one iteration: the term that it adds, or the thread's part with it.
    void computeUpdate(Part &part)
    {
        if (part.item.isScanned)
            return useScan(part);
        if (isOfWarp(part.item)) {
            part.update = team.isolateTerm(part.item, part.item.kind == Recurrence::ordered ? &part.factor : nullptr);
            return;
        }
        part.update = part.item.update;
        part.item.phi->replaceAllUsesWith(part.part);
        if (part.item.kind != Recurrence::winner)
            return;
        auto *select = llvm::cast<llvm::SelectInst>(part.item.operation);
        builder.SetInsertPoint(select->getNextNode());
        llvm::Value *mine = builder.CreateAdd(number, builder.getInt64(1));
        const bool staysIfTrue = select->getTrueValue() == part.part;
        part.updateWhen = staysIfTrue ? builder.CreateSelect(select->getCondition(), part.when, mine)
                                      : builder.CreateSelect(select->getCondition(), mine, part.when);
    }

    // The iteration has the values that it would have in C's order.
    void useScan(const Part &part)
    {
        for (const Scans::Scan &scan : scans->scans) {
            if (scan.part != &part)
                continue;
            if (part.item.kind == Recurrence::tree)
                part.item.update->replaceUsesWithIf(scan.behind, [&](const llvm::Use &use) {
                    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
                    return verdict.loop.contains(user) && !part.item.chain.contains(user);
                });
            part.item.phi->replaceAllUsesWith(scan.before);
        }
    }

    // The value of an iteration, or that of a lane without one.
    llvm::Value *merge(llvm::Value *iteration, llvm::Value *none)
    {
        if (inGroups)
            return builder.CreateSelect(exists, iteration, none);
        llvm::PHINode *phi = builder.CreatePHI(none->getType(), 2);
        phi->addIncoming(iteration, latch);
        if (lane)
            phi->addIncoming(none, idle);
        return phi;
    }

    void mergeUpdate(Part &part)
    {
        if (part.item.isScanned)
            return;
        llvm::Type *type = part.start->getType();
        llvm::Constant *one = type->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1.0) : nullptr;
        if (part.factor)
            part.factor = merge(part.factor, one);
        if (isOfWarp(part.item))
            part.update = merge(part.update, part.product ? one : llvm::ConstantFP::getNegativeZero(type));
        else
            part.part->addIncoming(merge(part.update, part.part), join);
        if (part.when)
            part.when->addIncoming(merge(part.updateWhen, part.when), join);
    }

    void pushTerm(const Part &part)
    {
        if (part.item.isScanned)
            return;
        const bool isDouble = part.start->getType()->isDoubleTy();
        if (part.item.kind == Recurrence::tree)
            builder.CreateCall(team.parts.push[part.product][isDouble], {part.state, round, part.update});
        else if (part.factor)
            builder.CreateCall(team.parts.fuse[isDouble], {part.state, part.update, part.factor});
        else if (part.item.kind == Recurrence::ordered)
            builder.CreateCall(team.parts.append[part.product][isDouble], {part.state, part.update});
    }

    void endRound()
    {
        continueWith(join, builder.CreateAdd(base, by), builder.CreateAdd(round, builder.getInt64(1)), false);
        llvm::Instruction *back = builder.CreateBr(begin);
        if (tileCount)
            back->setMetadata(llvm::LLVMContext::MD_loop, tileMark(back->getContext(), "unroll_and_jam", tileCount));
        else if (rounds)
            unrollBy(*back, group);
    }


    // The loop's results, and the end of its own phis.
    void leave()
    {
        builder.SetInsertPoint(end);
        llvm::SmallVector<ValueOfPhi, 4> results;
        for (Part &part : all) {
            llvm::Value *value = part.update;
            if (part.item.kind == Recurrence::tree)
                value = team.withStart(part.item, part.product, part.start, value);
            for (llvm::PHINode *phi : part.results)
                results.push_back({phi, value});
        }
        builder.CreateBr(exit);
        for (llvm::PHINode &phi : exit->phis())
            phi.replaceIncomingBlockWith(latch, end);
        for (const auto *values : {&lasts, &results})
            for (auto [phi, value] : *values)
                phi->setIncomingValue(0, value);
        for (llvm::PHINode &phi : llvm::make_early_inc_range(header->phis())) {
            phi.replaceAllUsesWith(llvm::PoisonValue::get(phi.getType()));
            phi.eraseFromParent();
        }
    }

    TeamFunction &team;
    llvm::IRBuilder<> &builder;
    LoopVerdict &verdict;
    const LoopValues &values;
    llvm::BasicBlock *const preheader, *const header, *const latch, *const exit;
    llvm::Type *const wide;
    bool isOrdered = false, isOfWarps = false; // a sum in C's order; anything that a warp's lanes compute together
    bool isScan = false;                       // partial values
    const bool hasTiles;                       // so many rounds at once, if they are those of sums
    unsigned tileCount = 0;
    bool inGroups = false, inRounds = false;   // see above; the number of rounds is known
    static constexpr unsigned mostInGroups = 32; // instructions of a round
    const unsigned group;                        // rounds
    static constexpr unsigned tileOfOne = 4, tileOfTwo = 2; // by the loops around the sums
    std::unique_ptr<Preview> preview;
    std::unique_ptr<Scans> scans;
    llvm::SmallVector<Part, 4> all;
    llvm::SmallVector<ValueOfPhi, 4> lasts;
    llvm::BasicBlock *begin = nullptr, *body = nullptr, *join = nullptr, *end = nullptr;
    llvm::BasicBlock *last = nullptr; // behind the last round: `end`, or where totals are exchanged
    llvm::Value *hasWarps = nullptr;  // whether the team has several
    llvm::PHINode *isForTotals = nullptr;
    llvm::BasicBlock *terms = nullptr, *totals = nullptr, *behindTerms = nullptr, *exchange = nullptr;
    llvm::Value *trip = nullptr;                                            // the number of iterations
    llvm::Value *rounds = nullptr;                                          // if known, in whole groups or not
    llvm::Value *exists = nullptr;                                          // whether the lane has an iteration
    llvm::BasicBlock *idle = nullptr;                                       // where lanes without one come from
    llvm::Value *from = nullptr, *to = nullptr, *by = nullptr, *lane = nullptr;
    llvm::Value *length = nullptr; // of a warp's consecutive iterations
    llvm::PHINode *base = nullptr, *round = nullptr;
    llvm::Value *number = nullptr; // of the iteration
};

} // namespace

#endif
