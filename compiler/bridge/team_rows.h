// C++, a part of codegen.cpp: loops whose iterations each have a sum of their own, of which SIMD code makes several.
#ifndef GPUCC_TEAM_ROWS_H
#define GPUCC_TEAM_ROWS_H

#include "bridge/team_function.h"

#include <llvm/IR/Metadata.h>

namespace {

// Marks loops for `loop-unroll-and-jam`: the rows of a matrix that is multiplied by a vector.
class RowLoops {
public:
    RowLoops(llvm::Function &function, const Roles &roles) : analyses(function), roles(roles) {}

    bool mark()
    {
        bool any = false;
        for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder())
            if (isRows(*loop)) {
                setCount(*loop);
                any = true;
            }
        return any;
    }

private:
    bool isRows(const llvm::Loop &loop)
    {
        if (loop.getSubLoops().size() != 1 || !loop.getSubLoops()[0]->isInnermost())
            return false;
        const llvm::Loop &inner = *loop.getSubLoops()[0];
        LoopVerdict outer(loop, analyses, roles, true), verdict(inner, analyses, roles, true);
        return !outer.find() && outer.recurrences.items.empty() && !verdict.find() && isSmall(loop) &&
               !verdict.recurrences.hasScan() && verdict.recurrences.items.size() == 1 &&
               verdict.recurrences.items[0].kind == Recurrence::tree &&
               analyses.evolution.isLoopInvariant(verdict.count(), &loop) && inner.getNumBlocks() == 1;
    }

    static bool isSmall(const llvm::Loop &loop)
    {
        enum { most = 60 };
        size_t size = 0;
        for (const llvm::BasicBlock *block : loop.blocks()) {
            size += block->size();
            for (const llvm::Instruction &i : *block)
                if (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i))
                    return false;
        }
        return size <= most;
    }

    static void setCount(llvm::Loop &loop)
    {
        llvm::LLVMContext &context = loop.getHeader()->getContext();
        llvm::Metadata *count[] = {llvm::MDString::get(context, "llvm.loop.unroll_and_jam.count"),
                                   llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                       llvm::Type::getInt32Ty(context), rowsAtOnce))};
        llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, count)});
        id->replaceOperandWith(0, id);
        loop.setLoopID(id);
    }

    LoopAnalyses analyses;
    const Roles &roles;
};

} // namespace

#endif
