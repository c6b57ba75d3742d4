// C++, a part of codegen.cpp: sums that a loop keeps in memory, where checks prevent that LLVM keeps them in registers.
#ifndef GPUCC_MEMORY_SUMS_H
#define GPUCC_MEMORY_SUMS_H

#include "bridge/team_loops.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>
#include <llvm/IR/IRBuilder.h>

namespace {

// `*p += term` of one loop gets a sum of the terms beside it, for the fixed tree, which is added to what `*p` was and
// stored behind the loop.  The loop itself stays as it is, with its checks.
class MemorySums {
public:
    MemorySums(llvm::Function &function, LoopAnalyses &analyses)
        : analyses(analyses), builder(function.getContext()), aliases(analyses.library),
          basic(function.getParent()->getDataLayout(), function, analyses.library, analyses.assumptions,
                &analyses.dominators)
    {
        aliases.addAAResult(basic);
        aliases.addAAResult(scoped);
        aliases.addAAResult(typed);
    }

    void run(llvm::Loop &loop, const LoopVerdict &verdict)
    {
        llvm::SmallVector<llvm::StoreInst *, 4> stores;
        if (!loop.getLoopPreheader() || !verdict.lastExit())
            return;
        for (llvm::BasicBlock *block : loop.blocks())
            for (llvm::Instruction &i : *block)
                if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&i))
                    stores.push_back(store);
        for (llvm::StoreInst *store : stores)
            if (isApart(loop, *store)) {
                if (!load)
                    sink(loop, *store, *verdict.lastExit());
                else if (analyses.dominators.dominates(load, store) && isChain(*store->getValueOperand(), *store) &&
                         operation)
                    keepSum(loop, *store, *verdict.lastExit());
            }
    }

private:
    const llvm::SCEV *place(llvm::Value *pointer) { return analyses.evolution.getSCEV(pointer); }

    // Whether each iteration stores to one element once, which no other access of the loop touches but one `load`.
    bool isApart(llvm::Loop &loop, llvm::StoreInst &store)
    {
        const llvm::Type *type = store.getValueOperand()->getType();
        llvm::Value *pointer = store.getPointerOperand();
        if (!store.isSimple() || !(type->isFloatTy() || type->isDoubleTy()) ||
            analyses.loops.getLoopFor(store.getParent()) != &loop ||
            !analyses.dominators.dominates(store.getParent(), loop.getLoopLatch()) ||
            !analyses.evolution.isLoopInvariant(place(pointer), &loop))
            return false;
        load = kept.lookup(&store);
        for (llvm::BasicBlock *block : loop.blocks())
            for (llvm::Instruction &i : *block)
                if (&i != &store && !isApart(loop, i, store) && !isReplaced(i, store))
                    return false;
        operation = nullptr;
        return true;
    }

    // Whether it reports an operation that is undefined, and goes on.
    static bool isReport(const llvm::CallBase &call)
    {
        const llvm::Function *callee = call.getCalledFunction();
        return callee && callee->getName() == "gpucc_cpu_undefined";
    }

    // Whether it is an access of the sum in an inner loop, whose result the store replaces.
    bool isReplaced(llvm::Instruction &i, llvm::StoreInst &store)
    {
        return kept.contains(&store) && replaced.contains(&i) &&
               place(llvm::getLoadStorePointerOperand(&i)) == place(store.getPointerOperand());
    }

    bool isApart(llvm::Loop &loop, llvm::Instruction &i, llvm::StoreInst &store)
    {
        if (!i.mayReadOrWriteMemory() || isCheck(i))
            return true;
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&i))
            return isReport(*call) || llvm::isa<llvm::DbgInfoIntrinsic>(i) ||
                   (call->getCalledFunction() && isPureFunction(*call->getCalledFunction()));
        auto *other = llvm::dyn_cast<llvm::LoadInst>(&i);
        if (!load && other && other->isSimple() && other->getType() == store.getValueOperand()->getType() &&
            place(other->getPointerOperand()) == place(store.getPointerOperand()) &&
            analyses.loops.getLoopFor(i.getParent()) == &loop) {
            load = other;
            return true;
        }
        return llvm::getLoadStorePointerOperand(&i) && !i.isAtomic() && !i.isVolatile() &&
               (areCores(objectOf(llvm::getLoadStorePointerOperand(&i)), objectOf(store.getPointerOperand())) ||
                aliases.isNoAlias(llvm::MemoryLocation::get(&i), llvm::MemoryLocation::get(&store)));
    }

    // Whether they are two operands whose accesses are checked; one of them is an output, which overlaps no other.
    static bool areCores(const llvm::Value *a, const llvm::Value *b)
    {
        auto isCore = [](const llvm::Value *value) {
            auto *call = llvm::dyn_cast<llvm::CallInst>(value);
            return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "gpucc_cpu_core";
        };
        return a != b && isCore(a) && isCore(b);
    }

    // The loop hands the value on in a register; checks alone kept its store there.
    void sink(llvm::Loop &loop, llvm::StoreInst &store, llvm::BasicBlock &exit)
    {
        for (llvm::Value *operand : {store.getValueOperand(), store.getPointerOperand()})
            if (auto *i = llvm::dyn_cast<llvm::Instruction>(operand); i && loop.contains(i)) {
                builder.SetInsertPoint(&exit, exit.begin());
                llvm::PHINode *behind = builder.CreatePHI(i->getType(), 1);
                behind->addIncoming(i, loop.getLoopLatch());
                store.replaceUsesOfWith(i, behind);
            }
        store.moveBefore(exit, exit.getFirstInsertionPt());
    }

    // Whether the value is the loaded one with a term added, perhaps under a condition; nothing else uses either.
    bool isChain(llvm::Value &value, const llvm::Instruction &user)
    {
        auto *i = llvm::dyn_cast<llvm::Instruction>(&value);
        if (!i)
            return false;
        if (i == load)
            return true;
        for (const llvm::User *other : i->users())
            if (other != &user && !isCheck(*llvm::cast<llvm::Instruction>(other)))
                return false;
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(i)) {
            llvm::Value *yes = select->getTrueValue(), *no = select->getFalseValue();
            return (yes == load) != (no == load) && isChain(*(yes == load ? no : yes), *i) && hasUsers({operation, i});
        }
        if (operation)
            return false;
        operation = i;
        const unsigned code = i->getOpcode();
        if (isFused(*i))
            added = 2;
        else if (code == llvm::Instruction::FSub)
            added = 0;
        else if (code == llvm::Instruction::FAdd || code == llvm::Instruction::FMul)
            added = i->getOperand(1) == load;
        else
            return false;
        return i->getOperand(added) == load && hasUsers({i, &user});
    }

    // Whether these and checks alone use the loaded value, each once.
    bool hasUsers(llvm::ArrayRef<const llvm::Value *> known) const
    {
        return llvm::all_of(load->uses(), [&](const llvm::Use &use) {
            auto *user = llvm::cast<llvm::Instruction>(use.getUser());
            return isCheck(*user) || (llvm::is_contained(known, user) &&
                                      (user != operation || use.getOperandNo() == added));
        });
    }

    void keepSum(llvm::Loop &loop, llvm::StoreInst &store, llvm::BasicBlock &exit)
    {
        llvm::BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
        llvm::Type *type = load->getType();
        const bool isProduct = operation->getOpcode() == llvm::Instruction::FMul;
        llvm::Constant *none = llvm::ConstantFP::get(type, isProduct ? 1.0 : -0.0);
        builder.SetInsertPoint(loop.getHeader(), loop.getHeader()->begin());
        llvm::PHINode *isFirst = builder.CreatePHI(builder.getInt1Ty(), 2), *before = builder.CreatePHI(type, 2);
        llvm::PHINode *sum = builder.CreatePHI(type, 2);
        builder.SetInsertPoint(llvm::isa<llvm::PHINode>(load) ? &*load->getParent()->getFirstInsertionPt()
                                                              : load->getNextNode());
        llvm::Value *start = builder.CreateSelect(isFirst, load, before);
        llvm::Value *next = mirror(store.getValueOperand(), sum);
        isFirst->addIncoming(builder.getTrue(), preheader), isFirst->addIncoming(builder.getFalse(), latch);
        before->addIncoming(none, preheader), before->addIncoming(start, latch);
        sum->addIncoming(none, preheader), sum->addIncoming(next, latch);
        builder.SetInsertPoint(&exit, exit.begin());
        llvm::Value *last[] = {start, next, store.getPointerOperand()};
        for (llvm::Value *&value : last) {
            llvm::PHINode *behind = builder.CreatePHI(value->getType(), 1);
            behind->addIncoming(value, latch);
            value = behind;
        }
        builder.SetInsertPoint(&exit, exit.getFirstInsertionPt());
        builder.SetCurrentDebugLocation(store.getDebugLoc());
        llvm::Value *total =
            isProduct ? builder.CreateFMul(last[0], last[1]) : builder.CreateFAdd(last[0], last[1]);
        kept[builder.CreateAlignedStore(total, last[2], store.getAlign())] = llvm::cast<llvm::PHINode>(last[0]);
        replaced.insert(&store);
        replaced.insert(load);
    }

    llvm::Value *mirror(llvm::Value *value, llvm::PHINode *sum)
    {
        auto *i = llvm::cast<llvm::Instruction>(value);
        if (i == load)
            return sum;
        llvm::Instruction *copy = i->clone();
        copy->insertAfter(i);
        if (llvm::isa<llvm::SelectInst>(i)) {
            copy->setOperand(1, mirror(i->getOperand(1), sum));
            copy->setOperand(2, mirror(i->getOperand(2), sum));
        } else {
            copy->setOperand(added, sum);
        }
        return copy;
    }

    LoopAnalyses &analyses;
    llvm::IRBuilder<> builder;
    llvm::AAResults aliases;
    llvm::BasicAAResult basic;
    llvm::ScopedNoAliasAAResult scoped;
    llvm::TypeBasedAAResult typed;
    llvm::DenseMap<llvm::StoreInst *, llvm::Instruction *> kept; // behind loops; what was in memory before them
    llvm::SmallPtrSet<const llvm::Instruction *, 8> replaced;    // accesses of the sums that these have
    llvm::Instruction *load = nullptr;                           // the element's value before the iteration
    llvm::Instruction *operation = nullptr;                      // that adds
    unsigned added = 0;                                          // its operand which is that value
};

} // namespace

extern "C" void codegen_keep_memory_sums(LLVMValueRef value, const codegen_roles *given)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    const Roles roles = {given->first_output};
    LoopAnalyses analyses(function);
    MemorySums sums(function, analyses);
    const auto loops = analyses.loops.getLoopsInPreorder();
    for (llvm::Loop *loop : llvm::reverse(loops)) // inner loops first
        sums.run(*loop, LoopVerdict(*loop, analyses, roles, true));
}

#endif
