// C++, a part of codegen.cpp: what keeps constants out of folders that make poison of them.
#ifndef GPUCC_NUMBER_GUARD_H
#define GPUCC_NUMBER_GUARD_H

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/Diagnostic.h>
#include <llvm/ADT/StringExtras.h>

using namespace clang;

namespace {

// Keeps Clang's and LLVM's constant folders from integer operations that C leaves undefined for some operands, and that
// have a value here: the folders make poison of them.  An operand that may be such a one becomes an annotation of
// itself, through which no folder sees.  lower_numbers.c takes the annotations away again.  A shift's says how its
// amount was before that got the type of what is shifted.  Where C wants a constant, in static initialisers and the
// like, Clang's own evaluation counts, which gives what is promised for all operations but shifts.
class NumberGuard : public ASTConsumer, public RecursiveASTVisitor<NumberGuard> {
    using Base = RecursiveASTVisitor<NumberGuard>;

public:
    void Initialize(ASTContext &context) override { this->context = &context; }

    bool HandleTopLevelDecl(DeclGroupRef group) override
    {
        for (Decl *decl : group)
            TraverseDecl(decl);
        return true;
    }

    bool shouldTraversePostOrder() const { return true; }

    bool TraverseConstantExpr(ConstantExpr *e)
    {
        return within(Place::Constant, [&] { return Base::TraverseConstantExpr(e); });
    }

    bool TraverseStaticAssertDecl(StaticAssertDecl *d)
    {
        return within(Place::Constant, [&] { return Base::TraverseStaticAssertDecl(d); });
    }

    bool TraverseVarDecl(VarDecl *d)
    {
        return within(d->hasGlobalStorage() ? Place::Initializer : place, [&] { return Base::TraverseVarDecl(d); });
    }

    bool TraverseConstantArrayTypeLoc(ConstantArrayTypeLoc type)
    {
        return within(Place::Constant, [&] { return Base::TraverseConstantArrayTypeLoc(type); });
    }

    // An expression that is never evaluated is no mistake.
    bool TraverseConditionalOperator(ConditionalOperator *e)
    {
        bool which;
        if (place != Place::Constant || e->containsErrors() ||
            !e->getCond()->EvaluateAsBooleanCondition(which, *context))
            return Base::TraverseConditionalOperator(e);
        return TraverseStmt(e->getCond()) && TraverseStmt(which ? e->getTrueExpr() : e->getFalseExpr());
    }

    // Expressions with errors have no value that could be evaluated.
    bool VisitBinaryOperator(BinaryOperator *e)
    {
        if (e->containsErrors())
            return true;
        if (e->isShiftOp() || e->isShiftAssignOp())
            visitShift(e);
        else if (divides(e->getOpcode()) && e->getRHS()->getType()->hasIntegerRepresentation() &&
                 place == Place::Code && !isHarmlessDivisor(e->getRHS()))
            e->setRHS(guarded(e->getRHS(), "gpucc.divisor"));
        return true;
    }

    // Clang converts a signed atomic variable as if it were unsigned, and adds a float to an integer one as an integer.
    bool VisitCompoundAssignOperator(CompoundAssignOperator *e)
    {
        auto *atomic = e->getLHS()->getType()->getAs<AtomicType>();
        if (e->containsErrors() || !atomic || !atomic->getValueType()->isIntegerType())
            return true;
        QualType type = atomic->getValueType(), computation = e->getComputationLHSType();
        const bool isInteger = computation->isIntegerType();
        const bool multiplies = e->isShiftAssignOp() || e->getOpcode() == BO_MulAssign || divides(e->getOpcode());
        if (!isInteger || (multiplies && type->isSignedIntegerOrEnumerationType() &&
                           context->getIntWidth(type) != context->getIntWidth(computation)))
            report(e->getOperatorLoc(),
                   "cannot generate code for '%0' on an atomic variable of type %1 that is computed in %2: compare and "
                   "exchange in a loop")
                << e->getOpcodeStr() << type << computation;
        return true;
    }

    bool VisitConvertVectorExpr(ConvertVectorExpr *e)
    {
        Expr *from = e->getSrcExpr();
        const bool toInteger = e->getType()->hasIntegerRepresentation();
        if (!e->containsErrors() && toInteger && from->getType()->hasFloatingRepresentation() &&
            place == Place::Code && !isGuarded(from))
            *e->child_begin() = call(Builtin::BI__builtin_elementwise_canonicalize, {from});
        return true;
    }

private:
    enum class Place { Code, Initializer, Constant };

    template <typename Traverse> bool within(Place inner, Traverse traverse)
    {
        Place outer = std::exchange(place, inner);
        bool goOn = traverse();
        place = outer;
        return goOn;
    }

    static bool divides(BinaryOperatorKind opcode)
    {
        return opcode == BO_Div || opcode == BO_Rem || opcode == BO_DivAssign || opcode == BO_RemAssign;
    }

    bool isHarmlessDivisor(const Expr *divisor) const
    {
        Expr::EvalResult result;
        if (!divisor->EvaluateAsInt(result, *context))
            return false;
        const llvm::APSInt &value = result.Val.getInt();
        return !value.isZero() && !(value.isSigned() && value.isAllOnes());
    }

    void visitShift(BinaryOperator *e)
    {
        Expr::EvalResult result;
        const bool isConstant = e->getRHS()->EvaluateAsInt(result, *context);
        if (isConstant && !e->getType()->isVectorType()) {
            const llvm::APSInt &amount = result.Val.getInt();
            const uint64_t width = context->getIntWidth(e->getLHS()->getType());
            if (!amount.isNegative() && amount.getLimitedValue(width) < width)
                return;
        }
        switch (place) {
        case Place::Code:
            return guardAmount(e);
        case Place::Initializer:
            return isConstant ? shiftEverythingOut(e) : void();
        case Place::Constant:
            return isConstant ? refuse(e) : void();
        }
    }

    // A vector's amount is given the type of its elements first, and then made a vector.
    void guardAmount(BinaryOperator *e)
    {
        Expr *amount = e->getRHS();
        ImplicitCastExpr *cast = nullptr;
        for (auto *i = dyn_cast<ImplicitCastExpr>(amount);
             i && (i->getCastKind() == CK_VectorSplat || (cast && i->getCastKind() == CK_IntegralCast));
             i = dyn_cast<ImplicitCastExpr>(amount)) {
            cast = i;
            amount = i->getSubExpr();
        }
        amount = guarded(amount, amount->getType()->hasSignedIntegerRepresentation() ? "gpucc.signed_amount"
                                                                                    : "gpucc.amount");
        cast ? cast->setSubExpr(amount) : e->setRHS(amount);
    }

    // Clang's evaluation would shift by the width less one, or the other way.
    void shiftEverythingOut(BinaryOperator *e)
    {
        QualType type = e->getLHS()->getType();
        const unsigned width = context->getIntWidth(type);
        auto number = [&](unsigned value) {
            return IntegerLiteral::Create(*context, llvm::APInt(width, value), type, e->getExprLoc());
        };
        const bool keepsSign = e->getOpcode() == BO_Shr && type->isSignedIntegerType();
        if (!keepsSign)
            e->setLHS(number(0));
        e->setRHS(number(keepsSign ? width - 1 : 0));
    }

    template <unsigned size> DiagnosticBuilder report(SourceLocation where, const char (&message)[size])
    {
        DiagnosticsEngine &engine = context->getDiagnostics();
        return engine.Report(where, engine.getCustomDiagID(DiagnosticsEngine::Error, message));
    }

    void refuse(const BinaryOperator *e)
    {
        report(e->getOperatorLoc(), "a constant shifted by %0, but its type %1 has %2 bits")
            << llvm::toString(e->getRHS()->EvaluateKnownConstInt(*context), 10) << e->getLHS()->getType()
            << unsigned(context->getIntWidth(e->getLHS()->getType()));
    }

    // Operands are met twice where they stand in initialisers, which have two forms.
    static bool isGuarded(const Expr *operand) { return isa<PseudoObjectExpr>(operand); }

    Expr *guarded(Expr *operand, llvm::StringRef note)
    {
        if (isGuarded(operand))
            return operand;
        QualType type = context->getStringLiteralArrayType(context->CharTy, unsigned(note.size()));
        return call(Builtin::BI__builtin_annotation,
                    {operand, StringLiteral::Create(*context, note, StringLiteralKind::Ordinary, false, type,
                                                    operand->getExprLoc())});
    }

    // Calls a builtin that returns its first argument's type; types are printed with that argument alone.
    Expr *call(Builtin::ID id, llvm::ArrayRef<Expr *> arguments)
    {
        const SourceLocation where = arguments[0]->getExprLoc();
        FunctionDecl *function = builtin(id);
        auto *name = DeclRefExpr::Create(*context, {}, {}, function, false, where, function->getType(), VK_LValue);
        auto *callee = ImplicitCastExpr::Create(*context, context->getPointerType(function->getType()),
                                                CK_BuiltinFnToFnPtr, name, nullptr, VK_PRValue, {});
        Expr *made = CallExpr::Create(*context, callee, arguments, arguments[0]->getType().getUnqualifiedType(),
                                      VK_PRValue, where, {});
        return PseudoObjectExpr::Create(*context, arguments[0], made, 0);
    }

    FunctionDecl *builtin(Builtin::ID id)
    {
        for (FunctionDecl *known : builtins)
            if (known->getBuiltinID() == id)
                return known;
        TranslationUnitDecl *unit = context->getTranslationUnitDecl();
        IdentifierInfo &name = context->Idents.get(context->BuiltinInfo.getName(id));
        auto *made = FunctionDecl::Create(*context, unit, {}, {}, DeclarationName(&name),
                                          context->getFunctionNoProtoType(context->VoidTy), nullptr, SC_Extern);
        made->addAttr(BuiltinAttr::CreateImplicit(*context, id));
        builtins.push_back(made);
        return made;
    }

    ASTContext *context = nullptr;
    Place place = Place::Code;
    llvm::SmallVector<FunctionDecl *, 2> builtins; // those that have been called
};

} // namespace

#endif
