// C++, a part of codegen.cpp: integers that have the order of floating-point numbers.
#ifndef GPUCC_EXTREME_WORDS_H
#define GPUCC_EXTREME_WORDS_H

#include <llvm/IR/IRBuilder.h>

namespace {

class ExtremeWord {
public:
    ExtremeWord(llvm::IRBuilder<> &builder, const llvm::Type &number, bool isMaximum)
        : type(builder.getIntNTy(number.getPrimitiveSizeInBits().getFixedValue())), builder(builder),
          isMaximum(isMaximum), isDouble(number.isDoubleTy())
    {
    }

    // A key that wins over all others or loses stands for NaN.
    llvm::Value *keyOf(llvm::Value *value, bool nanWins)
    {
        return builder.CreateSelect(builder.CreateFCmpUNO(value, value), nanWins ? most() : least(),
                                    reverse(builder.CreateBitCast(value, type)));
    }

    llvm::Value *numberOf(llvm::Value *key)
    {
        return builder.CreateBitCast(reverse(key), isDouble ? builder.getDoubleTy() : builder.getFloatTy());
    }

    llvm::Value *best(llvm::Value *a, llvm::Value *b)
    {
        return builder.CreateBinaryIntrinsic(isMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, a, b);
    }

    llvm::Constant *most() { return end(isMaximum); }
    llvm::Constant *least() { return end(!isMaximum); }

    llvm::IntegerType *const type;

private:
    llvm::Constant *end(bool isUpper)
    {
        const unsigned width = type->getIntegerBitWidth();
        return builder.getInt(isUpper ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getSignedMinValue(width));
    }

    // The bits, all but the sign reversed if it is set.
    llvm::Value *reverse(llvm::Value *bits)
    {
        const unsigned width = type->getIntegerBitWidth();
        llvm::Value *mask = builder.CreateAnd(builder.CreateAShr(bits, width - 1),
                                              builder.getInt(llvm::APInt::getSignedMaxValue(width)));
        return builder.CreateXor(bits, mask);
    }

    llvm::IRBuilder<> &builder;
    const bool isMaximum, isDouble;
};

} // namespace

#endif
