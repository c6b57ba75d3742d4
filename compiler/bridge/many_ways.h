// C++, a part of codegen.cpp: LLVM's passes whose time grows with the square of a function's branches or addresses skip
// functions of very many, and one that LLVM 19 gets wrong is left out.
#ifndef GPUCC_MANY_WAYS_H
#define GPUCC_MANY_WAYS_H

#include <llvm/ADT/Any.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

namespace {

class ManyWays {
public:
    ManyWays()
    {
        callbacks.registerShouldRunOptionalPassCallback([this](llvm::StringRef pass, llvm::Any unit) {
            // Each asks of a value what all branches on it say, or of a block what all its predecessors are.
            static const llvm::StringSet<> passes = {"InstCombinePass", "AggressiveInstCombinePass",
                                                     "CorrelatedValuePropagationPass", "JumpThreadingPass"};
            // Its products of coefficients overflow (https://github.com/llvm/llvm-project/issues/140481).
            if (pass == "ConstraintEliminationPass")
                return false;
            auto *function = llvm::any_cast<const llvm::Function *>(&unit);
            // It compares all addresses of a block pairwise.
            if (function && (pass == "SLPVectorizerPass" || pass.ends_with("::FloatingPointVectorizer")))
                return !llvm::any_of(**function, loadsFromMany);
            const bool isSlow = passes.contains(pass) || (leavesBlocks && pass == "SimplifyCFGPass");
            return !function || !isSlow || !hasMany(**function);
        });
    }

    llvm::PassInstrumentationCallbacks callbacks;
    bool leavesBlocks = false; // until Late has run; the lowering has simplified them

    // Blocks are simplified from here on.
    class Late : public llvm::PassInfoMixin<Late> {
    public:
        explicit Late(ManyWays &all) : all(all) {}

        llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &)
        {
            all.leavesBlocks = false;
            return llvm::PreservedAnalyses::all();
        }

        static bool isRequired() { return true; }

    private:
        ManyWays &all;
    };

private:
    // Beyond what people write.
    static bool hasMany(const llvm::Function &function)
    {
        enum { Most = 800 };
        unsigned ways = 0;
        for (const llvm::BasicBlock &block : function) {
            const llvm::Instruction *end = block.getTerminator();
            ways += end && end->getNumSuccessors() > 1 ? end->getNumSuccessors() - 1 : 0;
        }
        return ways > Most;
    }

    // Addresses that differ by constants count once: between other ones there is nothing to combine.
    static bool loadsFromMany(const llvm::BasicBlock &block)
    {
        enum { Most = 100 };
        llvm::SmallPtrSet<const llvm::Value *, 32> bases;
        for (const llvm::Instruction &i : block)
            if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i))
                bases.insert(load->getPointerOperand()->stripInBoundsConstantOffsets());
        return bases.size() > Most;
    }
};

} // namespace

#endif
