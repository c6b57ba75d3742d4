// C++, a part of codegen.cpp: prints a device pass's declarations for comparison with the host pass.
#ifndef GPUCC_PASSES_PRINTED_H
#define GPUCC_PASSES_PRINTED_H

#include "bridge/bridge.h"
#include "bridge/passes_columns.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>

using namespace clang;

namespace {

// Prints the declarations that hosts see exactly as the front end's passes_declarations.c does, for comparison.
class Declarations {
public:
    Declarations(ASTContext &context, const codegen_request &request)
        : context(context), request(request), policy(context.getLangOpts())
    {
    }

    void report()
    {
        llvm::StringSet<> functions, variables;
        for (const Decl *declaration : context.getTranslationUnitDecl()->noload_decls()) {
            if (auto *function = llvm::dyn_cast<FunctionDecl>(declaration)) {
                if (standsForFunction(function) && functions.insert(function->getName()).second)
                    reportFunction(function);
            } else if (auto *variable = llvm::dyn_cast<VarDecl>(declaration)) {
                if (isForHosts(variable) && variables.insert(variable->getName()).second)
                    reportVariable(variable);
            }
        }
    }

private:
    static llvm::StringRef annotationOf(const AnnotateAttr *attribute)
    {
        llvm::StringRef text = attribute->getAnnotation();
        return text.consume_front("gpucc.") ? text.rtrim() : "";
    }

    static bool isAnnotated(const Decl *declaration, bool asDevice)
    {
        for (const auto *attribute : declaration->specific_attrs<AnnotateAttr>()) {
            llvm::StringRef name = annotationOf(attribute).split(' ').first;
            if (name == "vectorize" || name == "guvectorize" || name == "kernel" || (asDevice && name == "device"))
                return true;
        }
        return false;
    }

    // An annotated body, or an annotated prototype of a function whose body is not annotated or in another file.
    static bool standsForFunction(const FunctionDecl *function)
    {
        if (function->isThisDeclarationADefinition())
            return isAnnotated(function, true);
        const FunctionDecl *body = function->getDefinition();
        return isAnnotated(function, false) && !(body && isAnnotated(body, true));
    }

    bool isForHosts(const VarDecl *variable)
    {
        StorageClass storage = variable->getStorageClass();
        if (storage == SC_Static || (storage == SC_Extern && !variable->hasInit()))
            return false;
        QualType type = variable->getType();
        while (const ConstantArrayType *array = context.getAsConstantArrayType(type))
            type = array->getElementType();
        if (type.isConstQualified())
            return false;
        for (const auto *attribute : variable->specific_attrs<AnnotateAttr>())
            if (annotationOf(attribute) == "shared")
                return false;
        llvm::StringRef file = fileOf(place(variable));
        return !file.empty() && !file.starts_with(request.own_folder);
    }

    void reportFunction(const FunctionDecl *function)
    {
        std::string type = spelling(function->getReturnType()) + " (", layout;
        addLayout(layout, function->getReturnType(), true);
        for (const ParmVarDecl *parameter : function->parameters()) {
            type += (parameter->getFunctionScopeIndex() ? ", " : "") + spelling(parameter->getOriginalType());
            addLayout(layout, parameter->getType(), true);
            if (const TypeSourceInfo *written = parameter->getTypeSourceInfo())
                addExtents(layout, written->getTypeLoc());
        }
        report(function, true, type + ")", layout);
    }

    void reportVariable(const VarDecl *variable)
    {
        std::string layout;
        addLayout(layout, variable->getType(), true);
        report(variable, false, spelling(variable->getType()), layout);
    }

    std::string spelling(QualType type) { return type.getCanonicalType().getAsString(policy); }

    // "8/8", and of a struct, or of what a pointer leads to, all members: "{x:0 4/4 y:32 4/4 }".
    void addLayout(std::string &out, QualType type, bool through)
    {
        type = type.getCanonicalType();
        if (!type->isIncompleteType() && !type->isFunctionType() && !type->isVariableArrayType())
            out += std::to_string(context.getTypeSizeInChars(type).getQuantity()) + "/" +
                   std::to_string(context.getTypeAlignInChars(type).getQuantity()) + " ";
        if (type->isPointerType() && through)
            addLayout(out, type->getPointeeType(), false);
        else if (const ArrayType *array = context.getAsArrayType(type))
            addLayout(out, array->getElementType(), through);
        else if (const auto *record = type->getAs<RecordType>())
            addMembers(out, record->getDecl()->getDefinition());
    }

    void addMembers(std::string &out, const RecordDecl *record)
    {
        if (!record)
            return;
        out += "{";
        for (const FieldDecl *field : record->fields()) {
            out += field->getNameAsString() + ":" + std::to_string(context.getFieldOffset(field));
            if (field->isBitField())
                out += ":" + std::to_string(field->getBitWidthValue(context));
            out += " ";
            addLayout(out, field->getType(), false);
        }
        out += "}";
    }

    // Appends the parameter's bracketed extents, the innermost first.
    void addExtents(std::string &out, TypeLoc written)
    {
        if (auto pointer = written.getAs<PointerTypeLoc>()) {
            addExtents(out, pointer.getPointeeLoc());
        } else if (auto inner = written.getAs<ParenTypeLoc>()) {
            addExtents(out, inner.getInnerLoc());
        } else if (auto array = written.getAs<ArrayTypeLoc>()) {
            addExtents(out, array.getElementLoc());
            if (array.getSizeExpr())
                addConstants(out, array.getSizeExpr());
        }
    }

    void addConstants(std::string &out, const Stmt *expression)
    {
        if (auto *reference = llvm::dyn_cast<DeclRefExpr>(expression)) {
            if (auto *constant = llvm::dyn_cast<EnumConstantDecl>(reference->getDecl()))
                out += constant->getNameAsString() + "=" + std::to_string(constant->getInitVal().getExtValue()) + " ";
        } else if (auto *size = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(expression)) {
            Expr::EvalResult result;
            if (size->EvaluateAsInt(result, context))
                out += "sizeof=" + std::to_string(result.Val.getInt().getExtValue()) + " ";
        } else if (auto *guarded = llvm::dyn_cast<PseudoObjectExpr>(expression)) {
            addConstants(out, guarded->getSyntacticForm());
        } else {
            for (const Stmt *child : expression->children())
                if (child)
                    addConstants(out, child);
        }
    }

    SourceLocation place(const NamedDecl *declaration)
    {
        return context.getSourceManager().getFileLoc(declaration->getLocation());
    }

    llvm::StringRef fileOf(SourceLocation location) { return context.getSourceManager().getFilename(location); }

    void report(const NamedDecl *named, bool isFunction, const std::string &type, const std::string &layout)
    {
        const SourceManager &sources = context.getSourceManager();
        SourceLocation location = place(named);
        std::string name = named->getNameAsString(), file = fileOf(location).str(), annotations;
        for (const auto *attribute : named->specific_attrs<AnnotateAttr>())
            if (!annotationOf(attribute).empty())
                annotations += (annotations.empty() ? "" : " ") + annotationOf(attribute).str();
        declaration found = {};
        found.name = name.c_str();
        found.file = file.empty() ? nullptr : file.c_str();
        found.line = sources.getSpellingLineNumber(location);
        found.column = columnOf(request, file, found.line, sources.getSpellingColumnNumber(location));
        found.is_function = isFunction;
        found.annotations = annotations.c_str();
        found.type = type.c_str();
        found.layout = layout.c_str();
        request.declare(request.user_data, &found);
    }

    ASTContext &context;
    const codegen_request &request;
    PrintingPolicy policy;
};

} // namespace

#endif
