// C++, a part of codegen.cpp: whether the iterations of a loop touch memory that no other iteration touches.
#ifndef GPUCC_LOOP_INDEPENDENCE_H
#define GPUCC_LOOP_INDEPENDENCE_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace {

// Arguments from this one on are outputs; those before are inputs and sizes, which nothing writes.
struct Roles {
    unsigned firstOutput;

    bool isOutput(const llvm::Value *object) const
    {
        auto *argument = llvm::dyn_cast<llvm::Argument>(object);
        return argument && argument->getArgNo() >= firstOutput;
    }

    bool isInput(const llvm::Value *object) const
    {
        auto *global = llvm::dyn_cast<llvm::GlobalVariable>(object);
        auto *argument = llvm::dyn_cast<llvm::Argument>(object);
        return (argument && argument->getArgNo() < firstOutput) || (global && global->isConstant());
    }
};

inline const llvm::Value *objectOf(const llvm::Value *pointer)
{
    return llvm::getUnderlyingObject(pointer, 0);
}

// Whether a call computes a value of its arguments and does nothing else.  Declarations are the math library's.
inline bool isPureFunction(const llvm::Function &function, unsigned depth = 0)
{
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic())
        return function.doesNotAccessMemory() && !function.isConvergent() &&
               !function.hasFnAttribute(llvm::Attribute::NoReturn);
    for (const llvm::Argument &argument : function.args())
        if (argument.getType()->isPointerTy())
            return false;
    if (function.isDeclaration())
        return name.starts_with("gpucc_") && !name.starts_with("gpucc_cpu_") && !function.getReturnType()->isVoidTy() &&
               !function.isConvergent() && !function.isVarArg();
    if (depth > 8)
        return false;
    for (const llvm::BasicBlock &block : function)
        for (const llvm::Instruction &i : block) {
            if (auto *call = llvm::dyn_cast<llvm::CallBase>(&i)) {
                if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
                    intrinsic && (intrinsic->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(i)))
                    continue;
                auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
                const llvm::Function *callee = call->getCalledFunction();
                if (assembly ? assembly->hasSideEffects() || call->mayReadOrWriteMemory()
                             : !callee || !isPureFunction(*callee, depth + 1))
                    return false;
                continue;
            }
            const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
            if (!pointer) {
                if (i.mayReadOrWriteMemory() || llvm::isa<llvm::UnreachableInst>(i))
                    return false;
                continue;
            }
            const llvm::Value *object = objectOf(pointer);
            auto *global = llvm::dyn_cast<llvm::GlobalVariable>(object);
            if (i.isVolatile() || i.isAtomic() ||
                !(llvm::isa<llvm::AllocaInst>(object) || (global && global->isConstant() && i.mayReadFromMemory())))
                return false;
        }
    return true;
}

inline bool isHarmless(const llvm::Instruction &i)
{
    if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
        if (intrinsic->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(i) ||
            intrinsic->isAssumeLikeIntrinsic())
            return true;
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&i)) {
        const llvm::Function *callee = call->getCalledFunction();
        return callee && !call->isConvergent() && isPureFunction(*callee);
    }
    return !i.mayReadOrWriteMemory() && !i.mayThrow();
}

// Puts an operand that is the same in all iterations in the place of maxima, minima and conditions that have one.
class WithoutBounds : public llvm::SCEVRewriteVisitor<WithoutBounds> {
public:
    WithoutBounds(llvm::ScalarEvolution &evolution, const llvm::Loop &loop) : SCEVRewriteVisitor(evolution), loop(loop)
    {
    }

    const llvm::SCEV *visitUMaxExpr(const llvm::SCEVUMaxExpr *e) { return ofOperands(e, e->operands()); }
    const llvm::SCEV *visitUMinExpr(const llvm::SCEVUMinExpr *e) { return ofOperands(e, e->operands()); }
    const llvm::SCEV *visitSMaxExpr(const llvm::SCEVSMaxExpr *e) { return ofOperands(e, e->operands()); }
    const llvm::SCEV *visitSMinExpr(const llvm::SCEVSMinExpr *e) { return ofOperands(e, e->operands()); }

    const llvm::SCEV *visitUnknown(const llvm::SCEVUnknown *e)
    {
        llvm::SmallVector<const llvm::SCEV *, 2> operands;
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(e->getValue()))
            operands = {SE.getSCEV(select->getTrueValue()), SE.getSCEV(select->getFalseValue())};
        else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(e->getValue()); phi && loop.contains(phi->getParent()))
            for (llvm::Value *value : phi->incoming_values())
                operands.push_back(SE.getSCEV(value));
        return ofOperands(e, operands);
    }

private:
    const llvm::SCEV *ofOperands(const llvm::SCEV *e, llvm::ArrayRef<const llvm::SCEV *> operands)
    {
        for (const llvm::SCEV *operand : operands)
            if (SE.isLoopInvariant(operand, &loop))
                return operand;
        return e;
    }

    const llvm::Loop &loop;
};

class Independence {
public:
    Independence(const llvm::Loop &loop, llvm::ScalarEvolution &evolution, const Roles &roles)
        : loop(loop), evolution(evolution), roles(roles)
    {
    }

    // Why iterations may depend on one another through memory, or null.
    const char *find()
    {
        for (const llvm::BasicBlock *block : loop.blocks())
            for (const llvm::Instruction &i : *block)
                if (const char *reason = note(i))
                    return reason;
        for (const Access &a : accesses) {
            if (!a.isStore && !isStored(a.object))
                continue;
            if (!a.step)
                return a.isStore ? "it stores to elements that do not follow from the loop's index alone"
                                 : "it loads elements of an output that other iterations may store";
            for (const Access &b : accesses)
                if (a.object == b.object && (a.isStore || b.isStore) && !areApart(a, b))
                    return a.step->isZero() || !b.step || b.step->isZero()
                               ? "several iterations store to the same element"
                               : "one iteration may access an element of an output that another one stores";
        }
        return nullptr;
    }

    // Memory accesses whose addresses consecutive iterations move by more than one element.
    unsigned distantAccesses() const { return distant; }

private:
    // A byte address is `start` + `step` * index + something of 0 … `range`, and perhaps a multiple of `far`.
    struct Access {
        const llvm::Value *object;
        bool isStore;
        uint64_t size;
        const llvm::SCEV *start, *step, *range, *far;
        bool isNear; // arithmetic of addresses does not wrap
    };

    bool isStored(const llvm::Value *object) const
    {
        return llvm::any_of(accesses, [object](const Access &a) { return a.isStore && a.object == object; });
    }

    const char *note(const llvm::Instruction &i)
    {
        const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&i);
        if (!pointer)
            return isHarmless(i) ? nullptr : "it has a call or an operation with side effects";
        if (i.isVolatile() || i.isAtomic())
            return "it has a volatile or an atomic access";
        const bool isStore = llvm::isa<llvm::StoreInst>(i);
        const llvm::Value *object = objectOf(pointer);
        if (auto *array = llvm::dyn_cast<llvm::AllocaInst>(object))
            return !isStore || isPrivate(*array) ? nullptr : "it stores to a local array that outlives an iteration";
        if (!roles.isOutput(object))
            return !isStore && roles.isInput(object) ? measure(i, pointer, object, isStore)
                   : isStore                         ? "it stores through a pointer that is not one output alone"
                                                     : "it loads through a pointer that is not one operand alone";
        return measure(i, pointer, object, isStore);
    }

    // Whether the array begins anew in each iteration.
    bool isPrivate(const llvm::AllocaInst &array) const
    {
        bool begins = false;
        llvm::SmallVector<const llvm::Value *, 8> work = {&array};
        llvm::SmallPtrSet<const llvm::Value *, 8> seen;
        while (!work.empty())
            for (const llvm::User *user : work.pop_back_val()->users()) {
                auto *i = llvm::dyn_cast<llvm::Instruction>(user);
                if (!i)
                    return false;
                auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(i);
                if (intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
                    begins |= loop.contains(i);
                if (!loop.contains(i) && !llvm::isa<llvm::GetElementPtrInst>(i))
                    return false;
                if (llvm::isa<llvm::GetElementPtrInst>(i) && seen.insert(i).second)
                    work.push_back(i);
            }
        return begins;
    }

    const char *measure(const llvm::Instruction &i, const llvm::Value *pointer, const llvm::Value *object, bool isStore)
    {
        const llvm::DataLayout &layout = i.getModule()->getDataLayout();
        llvm::Type *type = llvm::getLoadStoreType(const_cast<llvm::Instruction *>(&i));
        const llvm::SCEV *zero = evolution.getZero(layout.getIndexType(pointer->getType()));
        Access access = {object, isStore, layout.getTypeStoreSize(type).getFixedValue(),
                         nullptr, nullptr, zero, nullptr, true};
        const llvm::SCEV *address = evolution.getMinusSCEV(evolution.getSCEV(const_cast<llvm::Value *>(pointer)),
                                                           evolution.getSCEV(const_cast<llvm::Value *>(object)));
        decompose(access, address, zero);
        if (access.step && !access.isNear && !isExact(pointer, 0))
            access.step = nullptr;
        auto *step = llvm::dyn_cast_or_null<llvm::SCEVConstant>(access.step ? access.step : likelyStep(address));
        distant += !step || step->getAPInt().abs().ugt(access.size);
        accesses.push_back(access);
        return nullptr;
    }

    // The step of an address most of the time, or null: where the index has not met a bound that inner loops begin at.
    const llvm::SCEV *likelyStep(const llvm::SCEV *address)
    {
        if (llvm::isa<llvm::SCEVCouldNotCompute>(address))
            return nullptr;
        address = WithoutBounds(evolution, loop).visit(address);
        auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
        while (recurrence && recurrence->getLoop() != &loop && loop.contains(recurrence->getLoop())) {
            address = WithoutBounds(evolution, loop).visit(recurrence->getStart());
            recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
        }
        const bool isKnown = recurrence && recurrence->getLoop() == &loop && recurrence->isAffine();
        if (evolution.isLoopInvariant(address, &loop))
            return evolution.getZero(evolution.getEffectiveSCEVType(address->getType()));
        return isKnown ? recurrence->getStepRecurrence(evolution) : nullptr;
    }

    // A number of bytes that no count of iterations multiplies to 2^64, at which addresses wrap.
    static bool isNear(const llvm::SCEV &bytes)
    {
        auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(&bytes);
        return constant && constant->getAPInt().abs().ult(uint64_t{1} << 24);
    }

    void decompose(Access &access, const llvm::SCEV *address, const llvm::SCEV *zero)
    {
        const llvm::SCEV *step = zero, *range = zero;
        if (llvm::isa<llvm::SCEVCouldNotCompute>(address))
            return;
        while (auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address)) {
            if (!loop.contains(recurrence->getLoop()))
                break;
            const llvm::SCEV *by = recurrence->getStepRecurrence(evolution);
            if (!recurrence->isAffine() || !evolution.isLoopInvariant(by, &loop))
                return;
            access.isNear &= isNear(*by);
            if (recurrence->getLoop() == &loop)
                step = by;
            else if (!addInner(access, range, *recurrence, by))
                return;
            address = recurrence->getStart();
        }
        if (!evolution.isLoopInvariant(address, &loop))
            return;
        access.start = address;
        access.step = step;
        access.range = range;
    }

    // An inner loop's part of an address: near, or in strides that are perhaps larger than this loop's whole range.
    bool addInner(Access &access, const llvm::SCEV *&range, const llvm::SCEVAddRecExpr &inner, const llvm::SCEV *by)
    {
        const llvm::SCEV *count = evolution.getBackedgeTakenCount(inner.getLoop());
        if (llvm::isa<llvm::SCEVCouldNotCompute>(count) || !evolution.isLoopInvariant(count, &loop))
            return false;
        auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(by);
        if (!constant && !access.far) {
            access.far = by;
            return true;
        }
        if (!constant || constant->getAPInt().isNegative())
            return false;
        range = evolution.getAddExpr(
            range, evolution.getMulExpr(by, evolution.getTruncateOrZeroExtend(count, by->getType())));
        return true;
    }

    // Whether the address is what the arithmetic of integers without bounds would give.
    bool isExact(const llvm::Value *value, unsigned depth) const
    {
        auto *i = llvm::dyn_cast<llvm::Instruction>(value);
        if (!i || loop.isLoopInvariant(value))
            return true;
        if (depth > 12)
            return false;
        if (llvm::isa<llvm::PHINode>(i))
            return evolution.isSCEVable(i->getType()) &&
                   llvm::isa<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::Instruction *>(i)));
        // C's pointer arithmetic does not wrap, although LLVM forgets that where it moves a part of it out of a loop.
        bool keeps = llvm::isa<llvm::SExtInst>(i) || llvm::isa<llvm::GetElementPtrInst>(i);
        if (auto *sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(i))
            keeps = sum->hasNoSignedWrap() || (isSmall(*i) && i->getType()->isIntegerTy(64));
        else if (llvm::isa<llvm::ZExtInst>(i))
            keeps = true; // the operand, of fewer bits, must be exact itself
        return keeps && llvm::all_of(i->operand_values(),
                                     [this, depth](const llvm::Value *v) { return isExact(v, depth + 1); });
    }

    // Whether a factor, a summand or a shift is so small that an index that counts iterations does not wrap.
    static bool isSmall(const llvm::Instruction &i)
    {
        auto *constant = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
        return constant && constant->getValue().abs().ult(i.isShift() ? 16 : 65536);
    }

    bool isAtLeast(const llvm::SCEV *a, const llvm::SCEV *b) const
    {
        const llvm::SCEV *difference = evolution.getMinusSCEV(a, b);
        return evolution.isKnownNonNegative(difference);
    }

    // Whether an iteration's access and another iteration's never touch the same byte.
    bool areApart(const Access &a, const Access &b) const
    {
        if (!a.step || !b.step || a.step != b.step || a.step->isZero() || a.far != b.far)
            return false;
        auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(a.step);
        const llvm::SCEV *width =
            constant && constant->getAPInt().isNegative() ? evolution.getNegativeSCEV(a.step) : a.step;
        const llvm::SCEV *between = evolution.getMinusSCEV(b.start, a.start);
        const llvm::SCEV *back = evolution.getNegativeSCEV(between);
        const llvm::SCEV *sizeA = evolution.getConstant(between->getType(), a.size);
        const llvm::SCEV *sizeB = evolution.getConstant(between->getType(), b.size);
        const llvm::SCEV *up = evolution.getAddExpr(between, b.range, sizeB);
        const llvm::SCEV *down = evolution.getAddExpr(back, a.range, sizeA);
        if (!isAtLeast(width, up) || !isAtLeast(width, down))
            return false;
        return !a.far || isBeyond(a, b, width, between, sizeA, sizeB);
    }

    // Whether the inner loop's stride is larger than all that this loop's iterations span.
    bool isBeyond(const Access &a, const Access &b, const llvm::SCEV *width, const llvm::SCEV *between,
                  const llvm::SCEV *sizeA, const llvm::SCEV *sizeB) const
    {
        const llvm::SCEV *count = evolution.getBackedgeTakenCount(&loop);
        if (llvm::isa<llvm::SCEVCouldNotCompute>(count) || !between->isZero())
            return false;
        count = evolution.getTruncateOrZeroExtend(count, width->getType());
        const llvm::SCEV *span = evolution.getMulExpr(width, count);
        return isAtLeast(a.far, evolution.getAddExpr(span, a.range, sizeA)) &&
               isAtLeast(a.far, evolution.getAddExpr(span, b.range, sizeB));
    }

    const llvm::Loop &loop;
    llvm::ScalarEvolution &evolution;
    const Roles &roles;
    llvm::SmallVector<Access, 8> accesses;
    unsigned distant = 0;
};

} // namespace

#endif
