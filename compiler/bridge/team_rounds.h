// C++, a part of codegen.cpp: rewrites a gufunc's function so that the threads of a team share its loops, and puts the
// fixed tree in the place of floating-point sums.
#ifndef GPUCC_TEAM_ROUNDS_H
#define GPUCC_TEAM_ROUNDS_H

#include "bridge/team_loops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace {

// The functions of stdlib/loops/team.h, in the order of the call by which it hands them on.
struct TeamParts {
    llvm::Function *index, *size, *barrier, *swap32, *swap64, *run;
    llvm::Function *push[2][2], *finish[2][2];      // of a team: sum, product; float32, float64
    llvm::Function *append[2][2], *fuse[2], *first[2]; // the same in order; sums of products; the first warp's value
    llvm::Function *pushAlone[2][2], *finishAlone[2][2]; // of one thread
    llvm::Function *pushChunk[2][2], *finishChunk[2][2]; // of one thread, in chunks
};

// The numbers of values that the state of a tree has: of a team, and of one thread.
constexpr unsigned teamState = 6, aloneState = 64;

// GPUCC_CHUNK of stdlib/loops/team.h.
constexpr unsigned chunkSize = 512;

class TeamRounds {
public:
    TeamRounds(llvm::Function &function, const Roles &roles, bool isReorderable, const TeamParts &parts)
        : function(function), roles(roles), isReorderable(isReorderable), parts(parts), builder(function.getContext())
    {
    }

    // With a plan by a team, else by one thread, for which only trees change.
    void run(const TeamPlan *plan)
    {
        llvm::SmallVector<llvm::BasicBlock *, 8> order;
        {
            LoopAnalyses analyses(function);
            const auto loops = analyses.loops.getLoopsInPreorder();
            for (llvm::Loop *loop : llvm::reverse(loops))
                order.push_back(loop->getHeader());
        }
        if (plan) {
            builder.SetInsertPoint(function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
            index = builder.CreateCall(parts.index);
            size = builder.CreateCall(parts.size);
            hasBarriers = plan->sharesOutputs;
        }
        for (llvm::BasicBlock *header : order) {
            LoopAnalyses analyses(function);
            llvm::Loop *loop = analyses.loops.getLoopFor(header);
            LoopVerdict verdict(*loop, analyses, roles, isReorderable);
            if (plan && plan->isPlanned(header))
                share(verdict);
            else if (isReorderable)
                sumAlone(verdict);
        }
        for (llvm::StoreInst *store : plan ? llvm::ArrayRef(plan->stores) : llvm::ArrayRef<llvm::StoreInst *>())
            storeOnce(*store);
        placeCalls();
    }

    bool inChunks = false; // trees of one thread: for SIMD code

private:
    // Calls need a place in the source where the function has one.
    void placeCalls()
    {
        llvm::DISubprogram *program = function.getSubprogram();
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &i : block)
                if (program && llvm::isa<llvm::CallBase>(i) && !i.getDebugLoc())
                    i.setDebugLoc(llvm::DILocation::get(function.getContext(), 0, 0, program));
    }

    // ---- what surrounds the loops ----

    void wait(llvm::Instruction *before)
    {
        if (!hasBarriers)
            return;
        builder.SetInsertPoint(before);
        builder.CreateCall(parts.barrier);
    }

    void storeOnce(llvm::StoreInst &store)
    {
        wait(&store);
        wait(store.getNextNode());
        builder.SetInsertPoint(&store);
        llvm::Value *isFirst = builder.CreateICmpEQ(index, builder.getInt32(0));
        llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(isFirst, store.getIterator(), false);
        store.moveBefore(end);
    }

    llvm::Instruction *entryPoint() { return function.getEntryBlock().getFirstNonPHIOrDbg(); }

    llvm::AllocaInst *allocate(llvm::Type *type, unsigned count)
    {
        builder.SetInsertPoint(entryPoint());
        return builder.CreateAlloca(llvm::ArrayType::get(type, count), nullptr, "tree");
    }

    static bool isProduct(const Recurrence &item)
    {
        return item.operation->getOpcode() == llvm::Instruction::FMul;
    }

    // −0 for sums and 1 for products, which leave any value as it is.
    static llvm::Constant *identity(const Recurrence &item)
    {
        llvm::Type *type = item.phi->getType();
        return isProduct(item) ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantFP::getNegativeZero(type);
    }

    // The term that the iteration adds, before the operation.  With a place for it, a product stays one factor and the
    // other.
    llvm::Value *termOf(const Recurrence &item, llvm::Value **factor = nullptr)
    {
        llvm::Instruction *i = item.operation;
        builder.SetInsertPoint(i);
        if (isFused(*i) && factor) {
            *factor = i->getOperand(1);
            return i->getOperand(0);
        }
        if (isFused(*i))
            return builder.CreateFMul(i->getOperand(0), i->getOperand(1));
        if (i->getOpcode() == llvm::Instruction::FSub)
            return builder.CreateFNeg(i->getOperand(1));
        return isInChain(i->getOperand(0), item.phi) ? i->getOperand(1) : i->getOperand(0);
    }

    // Makes of the chain from the phi to its next value the term that the iteration adds, or the identity.
    llvm::Value *isolateTerm(Recurrence &item, llvm::Value **factor)
    {
        llvm::Instruction *i = item.operation;
        llvm::Value *term = termOf(item, factor), *update = item.update == i ? term : item.update;
        i->replaceAllUsesWith(term);
        i->eraseFromParent();
        item.operation = nullptr;
        item.phi->replaceAllUsesWith(identity_);
        return update;
    }

    // Whether the value is the phi, or what a join makes of it before the operation.
    static bool isInChain(const llvm::Value *value, const llvm::PHINode *phi)
    {
        llvm::SmallVector<const llvm::Value *, 8> work = {phi};
        llvm::SmallPtrSet<const llvm::Value *, 8> seen = {phi};
        while (!work.empty()) {
            const llvm::Value *next = work.pop_back_val();
            if (next == value)
                return true;
            for (const llvm::User *user : next->users())
                if ((llvm::isa<llvm::SelectInst>(user) || llvm::isa<llvm::PHINode>(user)) && seen.insert(user).second)
                    work.push_back(user);
        }
        return false;
    }

    // Combines the loop's first value with the sum.  A zero is no term of a sum of every iteration's value.
    llvm::Value *withStart(const Recurrence &item, bool product, llvm::Value *start, llvm::Value *total)
    {
        auto *constant = llvm::dyn_cast<llvm::ConstantFP>(start);
        if (constant && (product ? constant->isExactlyValue(1.0) : constant->isZero() && item.isPlain))
            return total;
        return product ? builder.CreateFMul(start, total) : builder.CreateFAdd(start, total);
    }

    // ---- trees of one thread ----

    void sumAlone(LoopVerdict &verdict)
    {
        llvm::BasicBlock *exit = verdict.lastExit();
        if (!exit)
            return;
        (void)verdict.recurrences.find([&](const llvm::PHINode &phi) { return verdict.isInduction(phi); });
        llvm::SmallVector<Tree, 2> trees;
        for (const Recurrence &item : verdict.recurrences.items)
            if (item.kind == Recurrence::tree)
                trees.push_back(treeOf(verdict.loop, *exit, item));
        if (trees.empty())
            return;
        if (inChunks && llvm::isa<llvm::BranchInst>(verdict.loop.getLoopLatch()->getTerminator()))
            sumInChunks(verdict.loop, *exit, trees);
        else
            for (Tree &tree : trees)
                sumOneByOne(verdict.loop, *exit, tree);
    }

    // A sum of one thread: the term that the iteration adds, or the identity; the sum's values behind the loop.
    struct Tree {
        const Recurrence *item;
        llvm::Type *type;
        bool product, isDouble;
        llvm::Value *start;
        llvm::AllocaInst *state;
        llvm::Value *term;
        llvm::SmallVector<llvm::PHINode *, 2> results;
    };

    // The chain from the phi to the value once more, with the term in the place of the sum.
    llvm::Value *mirrorChain(const Recurrence &item, llvm::Value *value,
                             llvm::DenseMap<llvm::Value *, llvm::Value *> &known)
    {
        if (llvm::Value *mirror = known.lookup(value))
            return mirror;
        if (value == item.operation)
            return known[value] = termOf(item);
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
            llvm::Value *yes = mirrorChain(item, select->getTrueValue(), known);
            llvm::Value *no = mirrorChain(item, select->getFalseValue(), known);
            builder.SetInsertPoint(select);
            return known[value] = builder.CreateSelect(select->getCondition(), yes, no);
        }
        auto *join = llvm::cast<llvm::PHINode>(value);
        builder.SetInsertPoint(join);
        llvm::PHINode *mirror = builder.CreatePHI(join->getType(), join->getNumIncomingValues());
        known[value] = mirror;
        for (unsigned k = 0; k < join->getNumIncomingValues(); k++)
            mirror->addIncoming(mirrorChain(item, join->getIncomingValue(k), known), join->getIncomingBlock(k));
        return mirror;
    }

    // The loop still adds in C's order, for checks of its operations; without them that is dead code.
    Tree treeOf(const llvm::Loop &loop, llvm::BasicBlock &exit, const Recurrence &item)
    {
        llvm::Type *type = item.phi->getType();
        Tree tree = {&item, type, isProduct(item), type->isDoubleTy(),
                     item.phi->getIncomingValueForBlock(loop.getLoopPreheader()), allocate(type, aloneState), nullptr,
                     {}};
        llvm::DenseMap<llvm::Value *, llvm::Value *> known = {{item.phi, identity(item)}};
        tree.term = mirrorChain(item, item.update, known);
        for (llvm::PHINode &result : exit.phis())
            if (result.getIncomingValueForBlock(loop.getLoopLatch()) == item.update)
                tree.results.push_back(&result);
        return tree;
    }

    void replaceResults(const Tree &tree, llvm::Value *total)
    {
        total = withStart(*tree.item, tree.product, tree.start, total);
        for (llvm::PHINode *result : tree.results) {
            result->replaceAllUsesWith(total);
            result->eraseFromParent();
        }
    }

    void sumOneByOne(const llvm::Loop &loop, llvm::BasicBlock &exit, const Tree &tree)
    {
        llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
        builder.SetInsertPoint(header, header->begin());
        llvm::PHINode *number = builder.CreatePHI(builder.getInt64Ty(), 2, "number");
        builder.SetInsertPoint(latch->getTerminator());
        builder.CreateCall(parts.pushAlone[tree.product][tree.isDouble], {tree.state, number, tree.term});
        llvm::Value *next = builder.CreateAdd(number, builder.getInt64(1));
        number->addIncoming(builder.getInt64(0), loop.getLoopPreheader());
        number->addIncoming(next, latch);
        builder.SetInsertPoint(&exit, exit.begin());
        llvm::PHINode *count = builder.CreatePHI(builder.getInt64Ty(), 1, "count");
        count->addIncoming(next, latch);
        builder.SetInsertPoint(&exit, exit.getFirstInsertionPt());
        replaceResults(tree, builder.CreateCall(parts.finishAlone[tree.product][tree.isDouble], {tree.state, count}));
    }

    // Rewrites the loop to
    //   for (chunk = 0;; chunk++) {
    //       for (place = 0; place < 512 && the loop continues; place++) { the iteration; terms[place] = its term; }
    //       if (the loop ends) break;
    //       push all terms;
    //   }
    void sumInChunks(const llvm::Loop &loop, llvm::BasicBlock &exit, llvm::ArrayRef<Tree> trees)
    {
        llvm::BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader(), *latch = loop.getLoopLatch();
        llvm::LLVMContext &context = function.getContext();
        llvm::BasicBlock *begin = llvm::BasicBlock::Create(context, "chunk", &function, header);
        llvm::BasicBlock *end = llvm::BasicBlock::Create(context, "chunk.end", &function);
        llvm::BasicBlock *full = llvm::BasicBlock::Create(context, "chunk.full", &function);
        llvm::BasicBlock *behind = llvm::BasicBlock::Create(context, "chunks.end", &function);
        llvm::SmallVector<llvm::AllocaInst *, 2> terms;
        for (const Tree &tree : trees)
            terms.push_back(allocate(tree.type, chunkSize));

        preheader->getTerminator()->replaceSuccessorWith(header, begin);
        builder.SetInsertPoint(begin);
        llvm::PHINode *chunk = builder.CreatePHI(builder.getInt64Ty(), 2, "chunk");
        chunk->addIncoming(builder.getInt64(0), preheader);
        for (llvm::PHINode &phi : header->phis()) {
            llvm::PHINode *handed = builder.CreatePHI(phi.getType(), 2);
            const unsigned k = static_cast<unsigned>(phi.getBasicBlockIndex(preheader));
            handed->addIncoming(phi.getIncomingValue(k), preheader);
            handed->addIncoming(phi.getIncomingValueForBlock(latch), full);
            phi.setIncomingValue(k, handed);
            phi.setIncomingBlock(k, begin);
        }
        builder.CreateBr(header);
        builder.SetInsertPoint(header, header->begin());
        llvm::PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");

        auto *branch = llvm::cast<llvm::BranchInst>(latch->getTerminator());
        builder.SetInsertPoint(branch);
        for (size_t k = 0; k < trees.size(); k++)
            builder.CreateStore(trees[k].term, builder.CreateGEP(trees[k].type, terms[k], place));
        llvm::Value *next = builder.CreateAdd(place, builder.getInt64(1)), *continues = branch->getCondition();
        place->addIncoming(builder.getInt64(0), begin);
        place->addIncoming(next, latch);
        if (branch->getSuccessor(0) != header)
            continues = builder.CreateNot(continues);
        llvm::Value *hasRoom = builder.CreateICmpULT(next, builder.getInt64(chunkSize));
        builder.CreateCondBr(builder.CreateAnd(continues, hasRoom), header, end);
        branch->eraseFromParent();
        builder.SetInsertPoint(end);
        builder.CreateCondBr(continues, full, behind);

        builder.SetInsertPoint(full);
        for (size_t k = 0; k < trees.size(); k++)
            builder.CreateCall(parts.pushChunk[trees[k].product][trees[k].isDouble], {trees[k].state, terms[k], chunk});
        chunk->addIncoming(builder.CreateAdd(chunk, builder.getInt64(1)), full);
        builder.CreateBr(begin);
        builder.SetInsertPoint(behind);
        builder.SetInsertPoint(builder.CreateBr(&exit));
        for (llvm::PHINode &phi : exit.phis())
            phi.replaceIncomingBlockWith(latch, behind);
        for (size_t k = 0; k < trees.size(); k++) {
            llvm::Function *finish = parts.finishChunk[trees[k].product][trees[k].isDouble];
            replaceResults(trees[k], builder.CreateCall(finish, {trees[k].state, terms[k], chunk, next}));
        }
    }

    // ---- shared loops ----

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
    static bool isOfWarp(const Recurrence &item)
    {
        return item.kind == Recurrence::tree || item.kind == Recurrence::ordered;
    }

    // The phis at the exit of the loop that a value becomes.
    static void noteResults(Part &part, llvm::BasicBlock &exit, llvm::BasicBlock *latch)
    {
        for (llvm::PHINode &phi : exit.phis())
            if (phi.getIncomingValueForBlock(latch) == part.item.update)
                part.results.push_back(&phi);
    }

    void share(LoopVerdict &verdict);
    void combine(llvm::MutableArrayRef<Part> all, llvm::Value *rounds, llvm::BasicBlock *&end);
    llvm::Value *swap(llvm::Value *value, llvm::Value *step);
    llvm::Value *combineExact(const Part &part, llvm::Value *a, llvm::Value *b);
    llvm::Value *isBetter(const Part &part, llvm::Value *mine, llvm::Value *myWhen, llvm::Value *other,
                          llvm::Value *otherWhen);
    static llvm::Value *firstPart(const Part &part);

    llvm::Function &function;
    const Roles &roles;
    const bool isReorderable;
    const TeamParts &parts;
    llvm::IRBuilder<> builder;
    llvm::Value *index = nullptr, *size = nullptr;
    llvm::Constant *identity_ = nullptr;
    bool hasBarriers = false;
};

// A thread's part before its first iteration: sums begin anew, so that the loop's first value counts once; extremes
// may all begin with it.
inline llvm::Value *TeamRounds::firstPart(const Part &part)
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

inline llvm::Value *TeamRounds::combineExact(const Part &part, llvm::Value *a, llvm::Value *b)
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
inline llvm::Value *TeamRounds::isBetter(const Part &part, llvm::Value *mine, llvm::Value *myWhen, llvm::Value *other,
                                  llvm::Value *otherWhen)
{
    const llvm::CmpInst::Predicate predicate = part.item.predicate;
    const bool isFloat = mine->getType()->isFloatingPointTy();
    const bool firstWins = isFloat ? predicate == llvm::CmpInst::FCMP_OGT || predicate == llvm::CmpInst::FCMP_OLT
                                   : llvm::CmpInst::isStrictPredicate(predicate);
    const llvm::CmpInst::Predicate strict = llvm::CmpInst::getStrictPredicate(predicate);
    llvm::Value *isBeyond = isFloat ? builder.CreateFCmp(strict, other, mine) : builder.CreateICmp(strict, other, mine);
    llvm::Value *isEqual = isFloat ? builder.CreateFCmpOEQ(other, mine) : builder.CreateICmpEQ(other, mine);
    llvm::Value *isDue =
        firstWins ? builder.CreateICmpULT(otherWhen, myWhen) : builder.CreateICmpUGT(otherWhen, myWhen);
    return builder.CreateOr(isBeyond, builder.CreateAnd(isEqual, isDue));
}

// The value of the thread whose number differs in this bit.
inline llvm::Value *TeamRounds::swap(llvm::Value *value, llvm::Value *step)
{
    llvm::Type *type = value->getType();
    const llvm::DataLayout &layout = function.getParent()->getDataLayout();
    const unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
    llvm::Type *word = bits > 32 ? builder.getInt64Ty() : builder.getInt32Ty();
    llvm::Value *as = type->isPointerTy() ? builder.CreatePtrToInt(value, word)
                                          : builder.CreateBitCast(value, builder.getIntNTy(bits));
    as = builder.CreateCall(bits > 32 ? parts.swap64 : parts.swap32, {builder.CreateZExtOrTrunc(as, word), step});
    if (type->isPointerTy())
        return builder.CreateIntToPtr(as, type);
    return builder.CreateBitCast(builder.CreateZExtOrTrunc(as, builder.getIntNTy(bits)), type);
}

// The parts of all threads, in a loop over the bits of their numbers; `end` is where the results are known.
inline void TeamRounds::combine(llvm::MutableArrayRef<Part> all, llvm::Value *rounds, llvm::BasicBlock *&end)
{
    llvm::BasicBlock *before = end;
    builder.SetInsertPoint(before);
    for (Part &part : all)
        if (part.item.kind == Recurrence::tree)
            part.update = builder.CreateCall(parts.finish[part.product][part.start->getType()->isDoubleTy()],
                                             {part.state, rounds});
        else if (part.item.kind == Recurrence::ordered)
            part.update = builder.CreateCall(parts.first[part.start->getType()->isDoubleTy()], {part.state});
    if (llvm::all_of(all, [](const Part &part) { return isOfWarp(part.item); }))
        return;
    llvm::LLVMContext &context = function.getContext();
    llvm::BasicBlock *head = llvm::BasicBlock::Create(context, "combine", &function);
    llvm::BasicBlock *body = llvm::BasicBlock::Create(context, "combine.step", &function);
    llvm::BasicBlock *behind = llvm::BasicBlock::Create(context, "combined", &function);
    builder.CreateBr(head);
    builder.SetInsertPoint(head);
    llvm::PHINode *step = builder.CreatePHI(builder.getInt32Ty(), 2, "step");
    step->addIncoming(builder.getInt32(1), before);
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 4> phis;
    for (Part &part : all) {
        phis.push_back({nullptr, nullptr});
        if (isOfWarp(part.item))
            continue;
        phis.back().first = builder.CreatePHI(part.part->getType(), 2);
        phis.back().first->addIncoming(part.part, before);
        if (!part.when)
            continue;
        phis.back().second = builder.CreatePHI(builder.getInt64Ty(), 2);
        phis.back().second->addIncoming(part.when, before);
    }
    builder.CreateCondBr(builder.CreateICmpULT(step, size), body, behind);
    builder.SetInsertPoint(body);
    llvm::DenseMap<const llvm::PHINode *, llvm::Value *> better; // by the winner's phi of the old loop
    for (size_t k = 0; k < all.size(); k++)
        if (all[k].item.kind == Recurrence::winner) {
            llvm::Value *other = swap(phis[k].first, step), *when = swap(phis[k].second, step);
            llvm::Value *is = isBetter(all[k], phis[k].first, phis[k].second, other, when);
            better[all[k].item.phi] = is;
            phis[k].first->addIncoming(builder.CreateSelect(is, other, phis[k].first), body);
            phis[k].second->addIncoming(builder.CreateSelect(is, when, phis[k].second), body);
        }
    for (size_t k = 0; k < all.size(); k++) {
        if (isOfWarp(all[k].item) || all[k].item.kind == Recurrence::winner)
            continue;
        llvm::Value *mine = phis[k].first, *other = swap(mine, step);
        phis[k].first->addIncoming(all[k].item.kind == Recurrence::carried
                                       ? builder.CreateSelect(better[all[k].item.of], other, mine)
                                       : combineExact(all[k], mine, other),
                                   body);
    }
    step->addIncoming(builder.CreateShl(step, 1), body);
    builder.CreateBr(head);
    builder.SetInsertPoint(behind);
    for (size_t k = 0; k < all.size(); k++) {
        Part &part = all[k];
        if (isOfWarp(part.item))
            continue;
        part.update = phis[k].first;
        if (part.item.kind == Recurrence::exact && firstPart(part) != part.start)
            part.update = combineExact(part, part.start, part.update);
    }
    end = behind;
}

// Rewrites `for (…; body)` to
//   for (k = begin + index; k < end; k += step) body of iteration k
// or, with a tree, whose rounds a warp runs together,
//   for (base = begin; base < end; base += 32) { k = base + lane; if (k < end) body of iteration k; push the terms; }
inline void TeamRounds::share(LoopVerdict &verdict)
{
    (void)verdict.recurrences.find([&](const llvm::PHINode &phi) { return verdict.isInduction(phi); });
    const llvm::Loop &loop = verdict.loop;
    llvm::BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader(), *latch = loop.getLoopLatch();
    llvm::BasicBlock *exit = loop.getExitBlock();
    llvm::ScalarEvolution &evolution = verdict.analyses.evolution;
    llvm::SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "team");
    llvm::Type *wide = builder.getInt64Ty();
    const bool isOrdered = verdict.recurrences.has(Recurrence::ordered);
    const bool hasTree = verdict.recurrences.has(Recurrence::tree) || isOrdered; // or what else a warp does together
    wait(preheader->getTerminator());

    // Values that are known before the loop: its length, where its inductions begin, and their values behind it.
    llvm::Instruction *place = preheader->getTerminator();
    const llvm::SCEV *count = evolution.getTruncateOrZeroExtend(verdict.count(), wide);
    llvm::Value *last = expander.expandCodeFor(count, wide, place);
    struct Induction {
        llvm::PHINode *phi;
        llvm::Value *start, *step;
    };
    llvm::SmallVector<Induction, 4> inductions;
    for (llvm::PHINode &phi : header->phis()) {
        if (!verdict.isInduction(phi))
            continue;
        auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
        const llvm::SCEV *step = recurrence->getStepRecurrence(evolution);
        inductions.push_back({&phi, phi.getIncomingValueForBlock(preheader),
                              expander.expandCodeFor(step, step->getType(), place)});
    }
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> lasts;
    for (llvm::PHINode &phi : exit->phis()) {
        llvm::Value *value = phi.getIncomingValueForBlock(latch);
        if (loop.isLoopInvariant(value) || verdict.recurrences.of(value))
            continue;
        lasts.push_back({&phi, expander.expandCodeFor(verdict.lastValue(value), phi.getType(), place)});
    }
    llvm::SmallVector<Part, 4> all;
    for (Recurrence &item : verdict.recurrences.items) {
        Part part;
        part.item = item;
        part.start = item.phi->getIncomingValueForBlock(preheader);
        part.product = isOfWarp(item) && isProduct(item);
        noteResults(part, *exit, latch);
        if (isOfWarp(item))
            part.state = allocate(item.phi->getType(), teamState);
        all.push_back(part);
    }

    // The rounds.
    llvm::LLVMContext &context = function.getContext();
    llvm::BasicBlock *head = llvm::BasicBlock::Create(context, "rounds", &function, header);
    llvm::BasicBlock *begin = llvm::BasicBlock::Create(context, "round", &function, header);
    llvm::BasicBlock *join = llvm::BasicBlock::Create(context, "round.end", &function);
    llvm::BasicBlock *end = llvm::BasicBlock::Create(context, "rounds.end", &function);
    llvm::BasicBlock *const behind = end;
    builder.SetInsertPoint(preheader->getTerminator());
    llvm::Value *trip = builder.CreateAdd(last, builder.getInt64(1)), *me = builder.CreateZExt(index, wide);
    llvm::Value *from = me, *to = trip, *by = builder.CreateZExt(size, wide), *lane = nullptr;
    for (Part &part : all)
        if (part.item.kind == Recurrence::ordered)
            builder.CreateStore(part.start, part.state);
    if (hasTree) {
        // A sum in order is the first warp's work.
        llvm::Value *length = isOrdered ? trip : builder.CreateCall(parts.run, {trip});
        llvm::Value *warp = builder.CreateLShr(me, 5);
        from = isOrdered ? builder.CreateSelect(builder.CreateIsNull(warp), builder.getInt64(0), trip)
                         : builder.CreateMul(warp, length);
        to = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, trip, builder.CreateAdd(from, length));
        by = builder.getInt64(32);
        lane = builder.CreateAnd(me, 31);
    }
    builder.CreateBr(head);
    preheader->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(head);
    llvm::PHINode *base = builder.CreatePHI(wide, 2, "base"), *round = builder.CreatePHI(wide, 2, "round");
    base->addIncoming(from, preheader);
    round->addIncoming(builder.getInt64(0), preheader);
    for (Part &part : all) {
        if (isOfWarp(part.item))
            continue;
        part.part = builder.CreatePHI(part.start->getType(), 2);
        part.part->addIncoming(firstPart(part), preheader);
        if (part.item.kind == Recurrence::winner) {
            part.when = builder.CreatePHI(wide, 2);
            part.when->addIncoming(builder.getInt64(0), preheader);
        }
    }
    builder.CreateCondBr(builder.CreateICmpULT(base, to), begin, behind);
    builder.SetInsertPoint(begin);
    llvm::Value *k = hasTree ? builder.CreateAdd(base, lane) : base;
    for (Induction &induction : inductions) {
        llvm::Type *type = induction.step->getType();
        llvm::Value *by_k = builder.CreateMul(builder.CreateZExtOrTrunc(k, type), induction.step);
        llvm::Value *value = induction.phi->getType()->isPointerTy()
                                 ? builder.CreatePtrAdd(induction.start, by_k)
                                 : builder.CreateAdd(induction.start, by_k);
        induction.phi->replaceAllUsesWith(value);
    }
    if (hasTree)
        builder.CreateCondBr(builder.CreateICmpULT(k, to), header, join);
    else
        builder.CreateBr(header);

    // One iteration, and what it adds.
    for (Part &part : all) {
        if (isOfWarp(part.item)) {
            identity_ = identity(part.item);
            part.update = isolateTerm(part.item, part.item.kind == Recurrence::ordered ? &part.factor : nullptr);
            continue;
        }
        part.update = part.item.update;
        part.item.phi->replaceAllUsesWith(part.part);
        if (part.item.kind == Recurrence::winner) {
            auto *select = llvm::cast<llvm::SelectInst>(part.item.operation);
            builder.SetInsertPoint(select->getNextNode());
            llvm::Value *number = builder.CreateAdd(k, builder.getInt64(1));
            const bool keepsIfTrue = select->getTrueValue() == part.part;
            part.updateWhen = keepsIfTrue ? builder.CreateSelect(select->getCondition(), part.when, number)
                                          : builder.CreateSelect(select->getCondition(), number, part.when);
        }
    }
    llvm::Instruction *back = latch->getTerminator();
    builder.SetInsertPoint(back);
    builder.CreateBr(join);
    back->eraseFromParent();
    const auto merged = [&](llvm::Value *iteration, llvm::Value *none) {
        llvm::PHINode *phi = builder.CreatePHI(none->getType(), 2);
        phi->addIncoming(iteration, latch);
        if (hasTree)
            phi->addIncoming(none, begin);
        return phi;
    };
    builder.SetInsertPoint(join);
    for (Part &part : all) {
        llvm::Type *type = part.start->getType();
        llvm::Constant *one = type->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1.0) : nullptr;
        if (part.factor)
            part.factor = merged(part.factor, one);
        if (isOfWarp(part.item))
            part.update = merged(part.update, part.product ? one : llvm::ConstantFP::getNegativeZero(type));
        else
            part.part->addIncoming(merged(part.update, part.part), join);
        if (part.when)
            part.when->addIncoming(merged(part.updateWhen, part.when), join);
    }
    for (Part &part : all) {
        const bool isDouble = part.start->getType()->isDoubleTy();
        if (part.item.kind == Recurrence::tree)
            builder.CreateCall(parts.push[part.product][isDouble], {part.state, round, part.update});
        else if (part.factor)
            builder.CreateCall(parts.fuse[isDouble], {part.state, part.update, part.factor});
        else if (part.item.kind == Recurrence::ordered)
            builder.CreateCall(parts.append[part.product][isDouble], {part.state, part.update});
    }
    base->addIncoming(builder.CreateAdd(base, by), join);
    round->addIncoming(builder.CreateAdd(round, builder.getInt64(1)), join);
    builder.CreateBr(head);

    // All threads' parts together.
    if (!all.empty())
        combine(all, round, end);
    builder.SetInsertPoint(end);
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> results;
    for (Part &part : all) {
        llvm::Value *value = part.update;
        if (part.item.kind == Recurrence::tree)
            value = withStart(part.item, part.product, part.start, value);
        for (llvm::PHINode *phi : part.results)
            results.push_back({phi, value});
    }
    builder.CreateBr(exit);
    for (llvm::PHINode &phi : exit->phis())
        phi.replaceIncomingBlockWith(latch, end);
    for (auto [phi, value] : lasts)
        phi->setIncomingValue(0, value);
    for (auto [phi, value] : results)
        phi->setIncomingValue(0, value);
    llvm::SmallVector<llvm::PHINode *, 8> old;
    for (llvm::PHINode &phi : header->phis())
        old.push_back(&phi);
    for (llvm::PHINode *phi : old) {
        phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
        phi->eraseFromParent();
    }
    wait(&*exit->getFirstInsertionPt());
}

} // namespace

#endif
