// C++, a part of codegen.cpp: two loops around a loop of sums, of which each thread makes a tile of results at once:
// some rows of one loop by some columns of the other.
#ifndef GPUCC_TEAM_GRID_H
#define GPUCC_TEAM_GRID_H

#include "bridge/team_tiles.h"

#include <llvm/Transforms/Utils/ValueMapper.h>

namespace {

// Rewrites a nest
//   for (i …) for (j …) { before; for (l …) sums; behind; }
// to one loop, which threads share, over tiles of rows and columns:
//   for (t …)
//       if (the tile is whole, and elements lie at multiples of 16 bytes)
//           { before of all its results; for (l …) sums of all; behind of all; }
//       else the same, where indices behind the last one are the last one's, and nothing is stored for them
class TileGrid {
public:
    TileGrid(llvm::Function &function, const Roles &roles) : function(function), roles(roles), analyses(function) {}

    // Divides one nest.  The results of a tile, or 0 if there is no such nest.
    unsigned run()
    {
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder())
            if (isWanted(*loop)) {
                divide(*loop);
                return rows.extent * columns.extent;
            }
        return 0;
    }

private:
    enum { bytes = 16, elements = 4 };          // of what is loaded at once
    enum { mostOfSmall = 40, mostOfAny = 80 }; // instructions of a result, of which tiles have 32, or 16

    struct Induction {
        llvm::PHINode *phi;
        llvm::Value *start, *step;
    };

    struct Counted {
        llvm::Loop *loop = nullptr;
        llvm::Value *last = nullptr, *first = nullptr; // the last iteration's number, the tile's first one
        llvm::SmallVector<Induction, 2> inductions;
        unsigned extent = 1; // of a tile
        llvm::SmallVector<llvm::Value *, 8> numbers, exist;
    };

    bool isWanted(llvm::Loop &outer)
    {
        const TileNest nest(outer);
        if (isGrid(outer) || nest.loops.size() != 3 || !nest.isTile(analyses, roles))
            return false;
        llvm::Loop &middle = *nest.loops[1], &inner = *nest.loops[2];
        LoopVerdict first(outer, analyses, roles, false), second(middle, analyses, roles, false);
        if (first.find() || second.find() || !isPerfectNest(outer, middle) ||
            !hasIntegers(first, outer, analyses.evolution) || !hasIntegers(second, outer, analyses.evolution) ||
            middle.getNumBlocks() != 3 || inner.getLoopPreheader() != middle.getHeader() ||
            inner.getExitBlock() != middle.getLoopLatch() || !hasPlainAccesses(middle, inner))
            return false;
        LoopVerdict sums(inner, analyses, roles, false);
        if (sums.findOrder())
            return false;
        unsigned words = 0, size = 0;
        for (const Recurrence &item : sums.recurrences.items)
            words += item.phi->getType()->getPrimitiveSizeInBits() / 32;
        for (const llvm::BasicBlock *block : middle.blocks())
            for (const llvm::Instruction &i : *block)
                size += !i.isDebugOrPseudoInst();
        const bool isSmall = words == 1 && size <= mostOfSmall;
        if (words == 0 || words > 4 || size > mostOfAny)
            return false;
        const bool isTurned = second.distantAccesses() > 0 && first.distantAccesses() == 0;
        rows.loop = isTurned ? &middle : &outer;
        columns.loop = isTurned ? &outer : &middle;
        rows.extent = isSmall ? 8 : 4;
        columns.extent = words <= 2 ? 4 : 2;
        return true;
    }

    // Whether only the code behind the sums stores, to an output once, and nothing lies in local arrays.
    bool hasPlainAccesses(const llvm::Loop &middle, const llvm::Loop &inner) const
    {
        llvm::SmallPtrSet<const llvm::Value *, 4> stored;
        for (const llvm::BasicBlock *block : middle.blocks())
            for (const llvm::Instruction &i : *block) {
                const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
                const llvm::Value *object = pointer ? objectOf(pointer) : nullptr;
                if (object ? !roles.isInput(object) && !roles.isOutput(object) : !isHarmless(i))
                    return false;
                if (llvm::isa<llvm::StoreInst>(i) &&
                    (block != middle.getLoopLatch() || !stored.insert(object).second))
                    return false;
                if (llvm::isa<llvm::PHINode>(i) && block == middle.getLoopLatch() &&
                    llvm::cast<llvm::PHINode>(i).getNumIncomingValues() != 1)
                    return false;
            }
        return inner.getHeader()->phis().begin() != inner.getHeader()->phis().end();
    }

    void describe(Counted &counted, llvm::Instruction *place)
    {
        llvm::SCEVExpander expander(analyses.evolution, function.getParent()->getDataLayout(), "tile");
        llvm::Type *wide = llvm::Type::getInt64Ty(function.getContext());
        const llvm::SCEV *count = analyses.evolution.getBackedgeTakenCount(counted.loop);
        counted.last = expander.expandCodeFor(analyses.evolution.getTruncateOrZeroExtend(count, wide), wide, place);
        for (llvm::PHINode &phi : counted.loop->getHeader()->phis()) {
            auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(analyses.evolution.getSCEV(&phi));
            const llvm::SCEV *step = recurrence->getStepRecurrence(analyses.evolution);
            counted.inductions.push_back({&phi, phi.getIncomingValueForBlock(counted.loop->getLoopPreheader()),
                                          expander.expandCodeFor(step, step->getType(), place)});
        }
    }

    void divide(llvm::Loop &outer)
    {
        middle = outer.getSubLoops()[0];
        inner = middle->getSubLoops()[0];
        llvm::BasicBlock *preheader = outer.getLoopPreheader(), *exit = outer.getExitBlock();
        llvm::Instruction *place = preheader->getTerminator();
        describe(rows, place);
        describe(columns, place);
        findSharedInductions(outer);
        for (llvm::BasicBlock *block = outer.getHeader(); block != middle->getHeader();
             block = block->getSingleSuccessor())
            before.push_back(block);
        before.push_back(middle->getHeader());
        llvm::SmallVector<llvm::BasicBlock *, 8> old(outer.blocks());
        llvm::IRBuilder<> builder(place);
        llvm::Value *isAligned = testAlignment(outer, builder);
        llvm::Value *one = builder.getInt64(1);
        llvm::Value *across = countTiles(columns, builder), *down = countTiles(rows, builder);
        llvm::Value *tiles = builder.CreateMul(across, down);
        llvm::BasicBlock *begin = create("tile", exit), *next = create("tile.next", exit);
        builder.CreateBr(begin);
        place->eraseFromParent();
        builder.SetInsertPoint(begin);
        llvm::PHINode *tile = builder.CreatePHI(builder.getInt64Ty(), 2, "tile");
        llvm::Value *row = builder.CreateUDiv(tile, across);
        llvm::Value *column = builder.CreateSub(tile, builder.CreateMul(row, across));
        rows.first = builder.CreateMul(row, builder.getInt64(rows.extent));
        columns.first = builder.CreateMul(column, builder.getInt64(columns.extent));
        llvm::Value *isWhole = isAligned;
        for (Counted *side : {&rows, &columns})
            isWhole = builder.CreateAnd(isWhole,
                                        builder.CreateICmpUGE(builder.CreateSub(side->last, side->first),
                                                              builder.getInt64(side->extent - 1)));
        llvm::BasicBlock *whole = create("whole", next), *part = create("part", next);
        builder.CreateCondBr(isWhole, whole, part);
        createTile(whole, next, true);
        masked.clear();
        createTile(part, next, false);
        builder.SetInsertPoint(next);
        llvm::Value *following = builder.CreateAdd(tile, one, "", /*HasNUW=*/true);
        tile->addIncoming(builder.getInt64(0), preheader);
        tile->addIncoming(following, next);
        llvm::Instruction *back = builder.CreateCondBr(builder.CreateICmpEQ(following, tiles), exit, begin);
        back->setMetadata(llvm::LLVMContext::MD_loop, mark(gridMark));
        llvm::DeleteDeadBlocks(old);
    }

    llvm::Value *countTiles(const Counted &side, llvm::IRBuilder<> &builder)
    {
        return builder.CreateAdd(builder.CreateUDiv(side.last, builder.getInt64(side.extent)), builder.getInt64(1));
    }

    llvm::BasicBlock *create(const char *name, llvm::BasicBlock *before)
    {
        return llvm::BasicBlock::Create(function.getContext(), name, &function, before);
    }

    llvm::MDNode *mark(const char *name)
    {
        llvm::LLVMContext &context = function.getContext();
        llvm::MDNode *text = llvm::MDNode::get(context, llvm::MDString::get(context, name));
        llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, text});
        id->replaceOperandWith(0, id);
        return id;
    }

    // Inductions of the innermost loop that are the same for all results.
    void findSharedInductions(const llvm::Loop &outer)
    {
        LoopVerdict verdict(*inner, analyses, roles, false);
        for (llvm::PHINode &phi : inner->getHeader()->phis()) {
            if (!verdict.isInduction(phi))
                continue;
            auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(analyses.evolution.getSCEV(&phi));
            if (analyses.evolution.isLoopInvariant(recurrence->getStart(), &outer) &&
                analyses.evolution.isLoopInvariant(recurrence->getStepRecurrence(analyses.evolution), &outer))
                common.insert(&phi);
        }
    }

    // Whether all arguments that the nest accesses begin at multiples of 16 bytes, and the numbers that indices are
    // multiplied by are multiples of four.
    llvm::Value *testAlignment(const llvm::Loop &outer, llvm::IRBuilder<> &builder)
    {
        llvm::SmallPtrSet<const llvm::Value *, 8> seen;
        llvm::Value *odd = builder.getInt64(0);
        for (llvm::BasicBlock *block : outer.blocks())
            for (llvm::Instruction &i : *block) {
                const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
                const llvm::Value *object = pointer ? objectOf(pointer) : nullptr;
                if (object && llvm::isa<llvm::Argument>(object) && seen.insert(object).second) {
                    llvm::Value *address =
                        builder.CreatePtrToInt(const_cast<llvm::Value *>(object), builder.getInt64Ty());
                    odd = builder.CreateOr(odd, builder.CreateAnd(address, builder.getInt64(bytes - 1)));
                }
                if (i.getOpcode() != llvm::Instruction::Mul)
                    continue;
                for (llvm::Value *operand : i.operands()) {
                    auto *stride = llvm::dyn_cast<llvm::LoadInst>(operand);
                    if (!stride || outer.contains(stride) || !stride->getType()->isIntegerTy(64) ||
                        !seen.insert(stride).second)
                        continue;
                    odd = builder.CreateOr(odd, builder.CreateAnd(stride, builder.getInt64(elements - 1)));
                    masked.push_back(
                        {stride, builder.CreateAnd(stride, builder.getInt64(-static_cast<uint64_t>(elements)))});
                }
            }
        return builder.CreateIsNull(odd);
    }

    // The tile's results, from the block on, which has no code yet.
    void createTile(llvm::BasicBlock *block, llvm::BasicBlock *next, bool isWhole)
    {
        llvm::IRBuilder<> builder(block);
        for (Counted *side : {&rows, &columns}) {
            side->numbers.clear(), side->exist.clear();
            for (unsigned k = 0; k < side->extent; k++) {
                llvm::Value *number = builder.CreateAdd(side->first, builder.getInt64(k));
                side->exist.push_back(isWhole ? nullptr : builder.CreateICmpULE(number, side->last));
                side->numbers.push_back(
                    isWhole ? number : builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, side->last));
            }
        }
        const unsigned count = rows.extent * columns.extent;
        std::vector<llvm::ValueToValueMapTy> maps(count);
        for (unsigned k = 0; k < count; k++) {
            for (auto [stride, value] : masked)
                maps[k][stride] = value;
            setInductions(rows, k / columns.extent, maps[k], builder);
            setInductions(columns, k % columns.extent, maps[k], builder);
            for (llvm::BasicBlock *from : before)
                copy(*from, maps[k], builder);
        }
        llvm::BasicBlock *loop = create("sums", next), *end = create("results", next);
        builder.CreateBr(loop);
        createSums(loop, block, end, maps, isWhole);
        for (unsigned k = 0; k < count; k++) {
            builder.SetInsertPoint(end);
            if (!isWhole) {
                llvm::BasicBlock *store = create("result", next), *rest = create("rest", next);
                builder.CreateCondBr(builder.CreateAnd(rows.exist[k / columns.extent],
                                                       columns.exist[k % columns.extent]), store, rest);
                builder.SetInsertPoint(store);
                end = rest;
            }
            for (llvm::PHINode &phi : middle->getLoopLatch()->phis())
                maps[k][&phi] = mapped(phi.getIncomingValue(0), maps[k]);
            copy(*middle->getLoopLatch(), maps[k], builder);
            if (!isWhole)
                builder.CreateBr(end);
        }
        builder.SetInsertPoint(end);
        builder.CreateBr(next);
    }

    void setInductions(const Counted &side, unsigned k, llvm::ValueToValueMapTy &map, llvm::IRBuilder<> &builder)
    {
        for (auto [phi, start, step] : side.inductions) {
            llvm::Value *number = builder.CreateZExtOrTrunc(side.numbers[k], phi->getType());
            map[phi] = builder.CreateAdd(start, builder.CreateMul(number, step));
        }
    }

    void createSums(llvm::BasicBlock *loop, llvm::BasicBlock *entry, llvm::BasicBlock *end,
                    std::vector<llvm::ValueToValueMapTy> &maps, bool isWhole)
    {
        llvm::BasicBlock *from = inner->getHeader(), *start = inner->getLoopPreheader();
        llvm::IRBuilder<> builder(loop);
        for (llvm::ValueToValueMapTy &map : maps)
            for (llvm::PHINode &phi : from->phis()) {
                if (&map != &maps[0] && common.contains(&phi)) {
                    map[&phi] = maps[0][&phi];
                    continue;
                }
                llvm::PHINode *made = builder.CreatePHI(phi.getType(), 2);
                made->addIncoming(mapped(phi.getIncomingValueForBlock(start), map), entry);
                map[&phi] = made;
            }
        for (llvm::ValueToValueMapTy &map : maps)
            copy(*from, map, builder);
        for (llvm::ValueToValueMapTy &map : maps)
            for (llvm::PHINode &phi : from->phis())
                if (&map == &maps[0] || !common.contains(&phi))
                    llvm::cast<llvm::PHINode>(map[&phi])->addIncoming(mapped(phi.getIncomingValueForBlock(from), map),
                                                                      loop);
        auto *branch = llvm::cast<llvm::BranchInst>(from->getTerminator());
        const bool goesOnIfTrue = branch->getSuccessor(0) == from;
        llvm::Instruction *back = builder.CreateCondBr(mapped(branch->getCondition(), maps[0]),
                                                       goesOnIfTrue ? loop : end, goesOnIfTrue ? end : loop);
        back->setMetadata(llvm::LLVMContext::MD_loop, mark(isWhole ? wholeMark : partMark));
    }

    static llvm::Value *mapped(llvm::Value *value, llvm::ValueToValueMapTy &map)
    {
        llvm::Value *known = map.lookup(value);
        return known ? known : value;
    }

    static void copy(const llvm::BasicBlock &block, llvm::ValueToValueMapTy &map, llvm::IRBuilder<> &builder)
    {
        for (const llvm::Instruction &i : block) {
            if (llvm::isa<llvm::PHINode>(i) || i.isTerminator() || i.isDebugOrPseudoInst())
                continue;
            llvm::Instruction *made = builder.Insert(i.clone());
            llvm::RemapInstruction(made, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
            map[&i] = made;
        }
    }

    llvm::Function &function;
    const Roles &roles;
    LoopAnalyses analyses;
    Counted rows, columns;
    llvm::Loop *middle = nullptr, *inner = nullptr;
    llvm::SmallVector<llvm::BasicBlock *, 4> before; // the innermost loop
    llvm::SmallPtrSet<llvm::PHINode *, 4> common;
    llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 4> masked; // multiples of four, which LLVM knows
};

// The results of the smallest tile, or 0 without any.
inline unsigned divideGrids(llvm::Function &function, const Roles &roles)
{
    unsigned least = 0;
    while (unsigned results = TileGrid(function, roles).run())
        least = least ? std::min(least, results) : results;
    return least;
}

// Has the loops of sums in tiles unrolled, and aligned elements of whole ones loaded at once.
class UnrolledGrids {
public:
    UnrolledGrids(llvm::Function &function, const Roles &roles) : function(function), roles(roles) {}

    void run()
    {
        LoopAnalyses analyses(function);
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder()) {
            const bool isWhole = llvm::findOptionMDForLoop(loop, wholeMark);
            if (isWhole)
                wholes.push_back(loop->getLoopPreheader());
            if (isWhole || llvm::findOptionMDForLoop(loop, partMark))
                unrollLoop(*loop, isWhole ? timesOfWhole : timesOfPart, analyses);
        }
        align();
    }

private:
    enum { timesOfWhole = 4, timesOfPart = 2, bytes = 16 };

    // Loads and stores in blocks that only whole tiles reach.
    void align()
    {
        LoopAnalyses analyses(function);
        for (llvm::BasicBlock &block : function) {
            if (llvm::none_of(wholes, [&](llvm::BasicBlock *whole) {
                    return analyses.dominators.dominates(whole, &block);
                }))
                continue;
            alignIn(block, analyses.evolution);
            if (llvm::is_contained(llvm::successors(&block), &block))
                gatherLoads(block);
        }
    }

    // Elements that one access may have, from an aligned one on.
    struct Group {
        llvm::Value *place;
        llvm::SmallVector<llvm::Instruction *, 4> parts;
    };

    void alignIn(llvm::BasicBlock &block, llvm::ScalarEvolution &evolution)
    {
        const llvm::DataLayout &layout = function.getParent()->getDataLayout();
        llvm::SmallVector<Group, 32> groups;
        bool loadsOutput = false;
        for (llvm::Instruction &i : block) {
            llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
            if (!pointer)
                continue;
            llvm::Type *type = llvm::getLoadStoreType(&i);
            const uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
            const bool isOfOutput = llvm::isa<llvm::LoadInst>(i) && !roles.isInput(objectOf(pointer));
            loadsOutput |= isOfOutput;
            if (isOfOutput || type->isVectorTy() || type->isAggregateType() || bytes % size || size == bytes)
                continue;
            if (isAligned(pointer, evolution)) {
                groups.push_back({pointer, {&i}});
                groups.back().parts.resize(bytes / size);
                continue;
            }
            for (Group &group : llvm::reverse(groups)) {
                llvm::Instruction *first = group.parts[0];
                auto *distance = llvm::dyn_cast<llvm::SCEVConstant>(
                    evolution.getMinusSCEV(evolution.getSCEV(pointer), evolution.getSCEV(group.place)));
                if (!distance || distance->getAPInt().uge(bytes))
                    continue;
                const uint64_t offset = distance->getAPInt().getZExtValue();
                if (first->getOpcode() == i.getOpcode() && llvm::getLoadStoreType(first) == type &&
                    offset % size == 0 && !group.parts[offset / size])
                    group.parts[offset / size] = &i;
                break;
            }
        }
        for (const Group &group : groups)
            if (llvm::all_of(group.parts, [](const llvm::Instruction *part) { return part; })) {
                if (llvm::isa<llvm::LoadInst>(group.parts[0]))
                    loadAtOnce(group);
                else if (!loadsOutput)
                    storeAtOnce(group);
            }
    }

    // Puts loads one iteration ahead; the last one loads its own once more.  LLVM's instcombine then has all loads at
    // the iteration's begin again, but from addresses that the one before has computed, so that all of them wait at
    // once: products of 15625 matrices of 32 x 32 took an H200 92 microseconds before and 75 so (2026-11-28).
    void gatherLoads(llvm::BasicBlock &block)
    {
        auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        if (!branch || !branch->isConditional() || !llvm::is_contained(branch->successors(), &block))
            return;
        llvm::BasicBlock *entry = nullptr;
        for (llvm::BasicBlock *before : llvm::predecessors(&block))
            if (before != &block)
                entry = before;
        if (!entry || entry->getSingleSuccessor() != &block)
            return;
        const bool goesOnIfTrue = branch->getSuccessor(0) == &block;
        llvm::SmallVector<llvm::LoadInst *, 16> loads;
        for (llvm::Instruction &i : block)
            if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i))
                if (load->getType()->isVectorTy() && roles.isInput(objectOf(load->getPointerOperand())))
                    loads.push_back(load);
        llvm::ValueToValueMapTy first, same, next;
        llvm::IRBuilder<> before(entry->getTerminator()), top(&*block.getFirstInsertionPt());
        llvm::Value *goesOn = nullptr;
        for (llvm::PHINode &phi : block.phis())
            if (phi.getType()->isIntegerTy())
                same[&phi] = &phi;
        if (loads.empty() || !(goesOn = copyOf(branch->getCondition(), block, same, top)))
            return;
        for (llvm::PHINode &phi : block.phis()) {
            first[&phi] = phi.getIncomingValueForBlock(entry);
            llvm::Value *value = phi.getIncomingValueForBlock(&block);
            if (!phi.getType()->isIntegerTy() || !(value = copyOf(value, block, same, top)))
                continue;
            next[&phi] = goesOnIfTrue ? top.CreateSelect(goesOn, value, &phi) : top.CreateSelect(goesOn, &phi, value);
        }
        for (llvm::LoadInst *load : loads) {
            llvm::Value *firstPlace = copyOf(load->getPointerOperand(), block, first, before);
            llvm::Value *nextPlace = copyOf(load->getPointerOperand(), block, next, top);
            if (!firstPlace || !nextPlace)
                continue;
            llvm::PHINode *phi = llvm::PHINode::Create(load->getType(), 2, "", block.begin());
            for (auto [builder, place, from] : {std::tuple(&before, firstPlace, entry), {&top, nextPlace, &block}}) {
                llvm::LoadInst *made = builder->CreateAlignedLoad(load->getType(), place, load->getAlign());
                made->copyMetadata(*load, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_invariant_load});
                phi->addIncoming(made, from);
            }
            load->replaceAllUsesWith(phi); // and stays, unused, as the place where others are put may be before it
        }
    }

    // The value where those of the map are others, or null where more than arithmetic computes it.
    static llvm::Value *copyOf(llvm::Value *value, const llvm::BasicBlock &block, llvm::ValueToValueMapTy &map,
                               llvm::IRBuilder<> &builder)
    {
        auto *i = llvm::dyn_cast<llvm::Instruction>(value);
        if (!i || i->getParent() != &block)
            return value;
        if (llvm::Value *known = map.lookup(value))
            return known;
        if (llvm::isa<llvm::PHINode>(i) || i->mayReadOrWriteMemory())
            return nullptr;
        for (llvm::Value *operand : i->operands())
            if (!copyOf(operand, block, map, builder))
                return nullptr;
        llvm::Instruction *made = builder.Insert(i->clone());
        for (llvm::Use &use : made->operands())
            use = copyOf(use, block, map, builder);
        map[value] = made;
        return made;
    }

    void loadAtOnce(const Group &group)
    {
        auto *first = llvm::cast<llvm::LoadInst>(group.parts[0]);
        llvm::IRBuilder<> builder(first);
        auto *type = llvm::FixedVectorType::get(first->getType(), group.parts.size());
        llvm::LoadInst *all = builder.CreateAlignedLoad(type, group.place, llvm::Align(bytes));
        all->copyMetadata(*first, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_invariant_load});
        for (auto [k, part] : llvm::enumerate(group.parts))
            part->replaceAllUsesWith(builder.CreateExtractElement(all, k));
        eraseParts(group);
    }

    void storeAtOnce(const Group &group)
    {
        auto *last = llvm::cast<llvm::StoreInst>(group.parts.back());
        for (llvm::Instruction *part : group.parts)
            if (last->comesBefore(part))
                last = llvm::cast<llvm::StoreInst>(part);
        llvm::IRBuilder<> builder(last);
        llvm::Value *all = llvm::PoisonValue::get(
            llvm::FixedVectorType::get(last->getValueOperand()->getType(), group.parts.size()));
        for (auto [k, part] : llvm::enumerate(group.parts))
            all = builder.CreateInsertElement(all, llvm::cast<llvm::StoreInst>(part)->getValueOperand(), k);
        builder.CreateAlignedStore(all, group.place, llvm::Align(bytes))
            ->copyMetadata(*last, {llvm::LLVMContext::MD_tbaa});
        eraseParts(group);
    }

    static void eraseParts(const Group &group)
    {
        for (llvm::Instruction *part : group.parts)
            part->eraseFromParent();
    }

    // Whether the place is a multiple of 16 bytes from an argument whose address has been tested.
    bool isAligned(llvm::Value *pointer, llvm::ScalarEvolution &evolution)
    {
        const llvm::SCEV *place = evolution.getSCEV(pointer);
        auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(place));
        if (!base || !llvm::isa<llvm::Argument>(base->getValue()))
            return false;
        const llvm::SCEV *from = evolution.getMinusSCEV(place, base);
        return !llvm::isa<llvm::SCEVCouldNotCompute>(from) &&
               evolution.getMinTrailingZeros(from) >= llvm::Log2_32(bytes);
    }

    llvm::Function &function;
    const Roles &roles;
    llvm::SmallVector<llvm::BasicBlock *, 2> wholes; // the first blocks of whole tiles
};

} // namespace

#endif
