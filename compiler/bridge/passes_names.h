// C++, a part of codegen.cpp: the declarations that names refer to in a device pass.
#ifndef GPUCC_PASSES_NAMES_H
#define GPUCC_PASSES_NAMES_H

#include "bridge/bridge.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <set>
#include <vector>

using namespace clang;

namespace {

// Asks of each name that stands in the source, macros' bodies included, whether it is what was meant.
class SourceNames : public ASTConsumer, public RecursiveASTVisitor<SourceNames> {
public:
    SourceNames(CompilerInstance &compiler, const codegen_request &request)
        : sources(compiler.getSourceManager()), engine(compiler.getDiagnostics()), request(request),
          error(engine.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
    {
        compiler.getPreprocessor().addPPCallbacks(std::make_unique<Macros>(*this));
    }

    bool HandleTopLevelDecl(DeclGroupRef group) override
    {
        for (Decl *decl : group)
            TraverseDecl(decl);
        return true;
    }

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        ask(e->getLocation(), e->getDecl());
        return true;
    }

    bool VisitTypedefTypeLoc(TypedefTypeLoc type)
    {
        const TypedefNameDecl *name = type.getTypedefNameDecl();
        const TagDecl *tag = name->getUnderlyingType()->getAsTagDecl();
        const bool isOurs = tag && offset(name->getLocation()) == SIZE_MAX; // of a tag without `struct`: tags.c
        ask(type.getNameLoc(), isOurs ? static_cast<const NamedDecl *>(tag) : name);
        return true;
    }

    bool VisitTagTypeLoc(TagTypeLoc type)
    {
        ask(type.getNameLoc(), type.getDecl());
        return true;
    }

    bool VisitNamedDecl(NamedDecl *decl)
    {
        if (firstOf(decl) != decl && !llvm::isa<TypedefNameDecl>(decl))
            ask(decl->getLocation(), decl, true);
        return true;
    }

    // Functions of one name for other types: in C++ those of another namespace are none of them.
    bool VisitFunctionDecl(FunctionDecl *decl)
    {
        if (isOwn(decl->getLocation()))
            return true;
        for (NamedDecl *other : decl->getDeclContext()->getRedeclContext()->lookup(decl->getDeclName()))
            if (llvm::isa<FunctionDecl>(other) && firstOf(other) != firstOf(decl) &&
                !ask(decl->getLocation(), other, true)) {
                ambiguous.insert(firstOf(decl));
                break;
            }
        return true;
    }

private:
    struct Macros : PPCallbacks {
        explicit Macros(SourceNames &names) : names(names) {}

        void MacroExpands(const Token &token, const MacroDefinition &macro, SourceRange, const MacroArgs *) override
        {
            codegen_name asked = {};
            asked.declared = SIZE_MAX;
            asked.is_own = names.isOwn(macro.getMacroInfo()->getDefinitionLoc());
            if (asked.is_own && !names.isMadeFor(macro.getMacroInfo()->getDefinitionLoc()))
                names.ask(token.getLocation(), token.getIdentifierInfo()->getName(), asked);
        }

        SourceNames &names;
    };

    size_t offset(SourceLocation location)
    {
        auto [file, offset] = sources.getDecomposedLoc(location);
        if (location.isInvalid())
            return SIZE_MAX;
        if (file == sources.getMainFileID())
            return request.place(request.spelling, request.path, offset);
        OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
        return entry ? request.place(request.spelling, entry->getName().str().c_str(), offset) : SIZE_MAX;
    }

    // The same, but what another file has stands where that is included.
    size_t offsetOrInclude(SourceLocation location)
    {
        location = sources.getFileLoc(location);
        while (location.isValid() && offset(location) == SIZE_MAX)
            location = sources.getIncludeLoc(sources.getFileID(location));
        return location.isValid() ? offset(location) : SIZE_MAX;
    }

    // Declarations of the compiler itself have no file.
    bool isOwn(SourceLocation location)
    {
        return location.isInvalid() ||
               sources.getFilename(sources.getFileLoc(location)).starts_with(request.own_folder);
    }

    // Whether it stands in what was written for this program's names, which mean what the program declares.
    bool isMadeFor(SourceLocation location)
    {
        return sources.getFilename(location).ends_with("/own_names.h");
    }

    // Returns a tag's first declaration outside the compiler's headers, whose typedefs make it a type beforehand:
    // tags.c.
    const NamedDecl *firstOf(const NamedDecl *decl)
    {
        const Decl *first = decl->getCanonicalDecl();
        if (llvm::isa<TagDecl>(decl))
            for (const Decl *d = decl->getMostRecentDecl(); d; d = d->getPreviousDecl())
                if (!isOwn(d->getLocation()))
                    first = d;
        return llvm::cast<NamedDecl>(first);
    }

    // The places of all that stands for a name in the source: what begins with it, and has gone through macros.
    void collect(SourceLocation location, std::vector<size_t> &written)
    {
        size_t place = offset(sources.getSpellingLoc(location));
        if (place != SIZE_MAX && !llvm::is_contained(written, place))
            written.push_back(place);
        if (!location.isMacroID() || !sources.isAtStartOfImmediateMacroExpansion(location))
            return;
        collect(sources.getImmediateExpansionRange(location).getBegin(), written);
        if (sources.isMacroArgExpansion(location))
            collect(sources.getImmediateSpellingLoc(location), written);
    }

    bool ask(SourceLocation location, const NamedDecl *decl, bool isDeclaration = false)
    {
        const NamedDecl *first = firstOf(decl);
        if (ambiguous.count(first) || !decl->getIdentifier() || location.isInvalid())
            return true;
        codegen_name asked = {};
        asked.declared = offsetOrInclude(first->getLocation());
        asked.is_local = !decl->getDeclContext()->getRedeclContext()->isTranslationUnit();
        asked.is_own = isOwn(first->getLocation());
        asked.is_declaration = isDeclaration;
        const bool isRight = ask(location, decl->getName(), asked);
        if (!isRight && isDeclaration)
            ambiguous.insert(first);
        return isRight;
    }

    // False where there is something wrong with the name.
    bool ask(SourceLocation location, llvm::StringRef name, codegen_name asked)
    {
        std::string text = name.str();
        asked.name = text.c_str();
        std::vector<size_t> written;
        collect(location, written);
        asked.written = written.data();
        asked.written_count = written.size();
        asked.used = offset(sources.getFileLoc(location));
        if (written.empty())
            return true;
        const char *wrong = request.misnamed(request.namespaces, &asked);
        if (wrong && reported.insert(asked.used).second)
            engine.Report(location, error) << wrong;
        return !wrong;
    }

    SourceManager &sources;
    DiagnosticsEngine &engine;
    const codegen_request &request;
    const unsigned error;
    std::set<size_t> reported; // a macro may have its argument read several times
    std::set<const NamedDecl *> ambiguous; // of which that has been reported
};

} // namespace

#endif
