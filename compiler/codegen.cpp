// Clang behind C functions: syntax trees (syntax.h) and code (codegen.h).  libclang is a shared library alone, whose
// loading takes as long as compiling a kernel, and has nothing for code.  The only C++ file of the compiler.
#include "syntax.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/DiagnosticRenderer.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/StringSaver.h>
#include <llvm/Support/VirtualFileSystem.h>

using namespace clang;

namespace {

// Metadata at a use of inline assembly: file, line, column.
const char placeKind[] = "gpucc.place";

// NVPTX's TargetInfo says that it has no variably modified types; indexing through pointers to them is sound
// there (only objects of such types, which need a stack pointer, are not: the front end refuses those).
struct VariablyModified : TargetInfo {
    static bool TargetInfo::*supported() { return &VariablyModified::VLASupported; }
};

// Clang's CodeGen alone: its own actions would also set up, and verify with, the back end.
class EmitAction : public ASTFrontendAction {
public:
    explicit EmitAction(llvm::LLVMContext *context) : context(*context) {}

    std::unique_ptr<llvm::Module> takeModule() { return std::move(module); }

protected:
    bool BeginSourceFileAction(CompilerInstance &compiler) override
    {
        compiler.getTarget().*VariablyModified::supported() = true;
        return true;
    }

    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef file) override
    {
        generator = CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                      compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                      compiler.getCodeGenOpts(), context);
        return std::unique_ptr<ASTConsumer>(generator);
    }

    void EndSourceFileAction() override
    {
        module.reset(generator->ReleaseModule());
        if (module)
            keepPlaces(getCompilerInstance().getSourceManager());
    }

private:
    // Notes at each use of inline assembly where it stands: Clang's own note needs its SourceManager.
    void keepPlaces(const SourceManager &sources)
    {
        for (llvm::Function &function : *module)
            for (llvm::Instruction &instruction : llvm::instructions(function)) {
                auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                llvm::MDNode *node = call && call->isInlineAsm() ? call->getMetadata("srcloc") : nullptr;
                if (!node || !node->getNumOperands())
                    continue;
                auto raw = llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue();
                SourceLocation location = SourceLocation::getFromRawEncoding(SourceLocation::UIntTy(raw));
                PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
                if (place.isValid())
                    call->setMetadata(placeKind, placeNode(place));
            }
    }

    llvm::MDNode *placeNode(const PresumedLoc &place)
    {
        auto number = [this](unsigned value) {
            return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
        };
        return llvm::MDNode::get(context, {llvm::MDString::get(context, place.getFilename()), number(place.getLine()),
                                           number(place.getColumn())});
    }

    llvm::LLVMContext &context;
    CodeGenerator *generator = nullptr; // the compiler's
    std::unique_ptr<llvm::Module> module;
};

// LLVM's own errors.
class BackEndErrors : public llvm::DiagnosticHandler {
public:
    BackEndErrors(codegen_report *report, void *data) : report(report), data(data) {}

    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override
    {
        if (info.getSeverity() != llvm::DS_Error)
            return true;
        std::string text;
        llvm::raw_string_ostream stream(text);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info.print(printer);
        const llvm::MDNode *place = nullptr;
        if (auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info)) {
            text = assembly->getMsgStr().str();
            if (assembly->getInstruction())
                place = assembly->getInstruction()->getMetadata(placeKind);
        }
        if (!place) {
            report(data, nullptr, 0, 0, text.c_str());
            return true;
        }
        std::string file = llvm::cast<llvm::MDString>(place->getOperand(0))->getString().str();
        report(data, file.c_str(), number(place, 1), number(place, 2), text.c_str());
        return true;
    }

private:
    static unsigned number(const llvm::MDNode *place, unsigned operand)
    {
        return unsigned(llvm::mdconst::extract<llvm::ConstantInt>(place->getOperand(operand))->getZExtValue());
    }

    codegen_report *report;
    void *data;
};

class Forward : public DiagnosticConsumer {
public:
    explicit Forward(const codegen_request &request) : request(request) {}

    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override
    {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        if (level < DiagnosticsEngine::Error)
            return;
        llvm::SmallString<256> text;
        info.FormatDiagnostic(text);
        PresumedLoc place;
        if (info.hasSourceManager() && info.getLocation().isValid())
            place = info.getSourceManager().getPresumedLoc(info.getSourceManager().getExpansionLoc(info.getLocation()));
        request.report(request.report_data, place.isValid() ? place.getFilename() : nullptr,
                       place.isValid() ? place.getLine() : 0, place.isValid() ? place.getColumn() : 0, text.c_str());
    }

private:
    const codegen_request &request;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const codegen_request &request)
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (size_t i = 0; i < request.file_count; i++) {
        const codegen_file &file = request.files[i];
        llvm::StringRef data(file.data, file.size);
        memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(data, file.path, false));
    }
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    overlay->pushOverlay(memory);
    return overlay;
}

// False after telling `consumer` what is wrong with the arguments.
bool prepare(CompilerInstance &compiler, DiagnosticConsumer &consumer, const codegen_request &request)
{
    auto diagnostics = CompilerInstance::createDiagnostics(new DiagnosticOptions, &consumer, false);
    auto invocation = std::make_shared<CompilerInvocation>();
    if (!CompilerInvocation::CreateFromArgs(*invocation, llvm::ArrayRef(request.arguments, request.argument_count),
                                            *diagnostics))
        return false;
    if (request.text) // the buffer is Clang's to free
        invocation->getPreprocessorOpts().addRemappedFile(
            request.path,
            llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(request.text, request.size), request.path).release());
    invocation->getDiagnosticOpts().ShowCarets = false; // or Clang counts the errors on standard error
    compiler.setInvocation(std::move(invocation));
    compiler.createDiagnostics(&consumer, false);
    compiler.createFileManager(file_system(request));
    return true;
}

} // namespace

// ---- code ----

extern "C" LLVMModuleRef codegen(LLVMContextRef context, const codegen_request *request)
{
    Forward forward(*request);
    CompilerInstance compiler;
    EmitAction action(llvm::unwrap(context));
    if (!prepare(compiler, forward, *request) || !compiler.ExecuteAction(action))
        return nullptr;
    return llvm::wrap(action.takeModule().release());
}

extern "C" void codegen_watch(LLVMContextRef context, codegen_report *report, void *data)
{
    llvm::unwrap(context)->setDiagnosticHandler(std::make_unique<BackEndErrors>(report, data));
}

extern "C" void codegen_drop_body(LLVMValueRef function)
{
    llvm::unwrap<llvm::Function>(function)->deleteBody();
}

extern "C" bool codegen_link(LLVMModuleRef module, const char *bitcode, size_t size)
{
    auto buffer = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(bitcode, size), "library", false);
    auto library = llvm::getOwningLazyBitcodeModule(std::move(buffer), llvm::unwrap(module)->getContext());
    if (!library) {
        llvm::consumeError(library.takeError());
        return false;
    }
    (*library)->setDataLayout(llvm::unwrap(module)->getDataLayout());
    (*library)->setTargetTriple(llvm::unwrap(module)->getTargetTriple());
    return !llvm::Linker::linkModules(*llvm::unwrap(module), std::move(*library), llvm::Linker::LinkOnlyNeeded);
}

extern "C" bool codegen_run_passes(LLVMValueRef function, const char *text)
{
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager passes;
    if (llvm::Error error = builder.parsePassPipeline(passes, text)) {
        llvm::consumeError(std::move(error));
        return false;
    }
    passes.run(*llvm::unwrap<llvm::Function>(function), functions);
    return true;
}

extern "C" LLVMMetadataRef codegen_parallel_loop(LLVMContextRef context, LLVMMetadataRef *group)
{
    llvm::LLVMContext &c = *llvm::unwrap(context);
    llvm::MDNode *accesses = llvm::MDNode::getDistinct(c, {});
    llvm::Metadata *parallel[] = {llvm::MDString::get(c, "llvm.loop.parallel_accesses"), accesses};
    llvm::Metadata *items[] = {nullptr, llvm::MDNode::get(c, parallel)};
    llvm::MDNode *loop = llvm::MDNode::getDistinct(c, items);
    loop->replaceOperandWith(0, loop);
    *group = llvm::wrap(accesses);
    return llvm::wrap(loop);
}

extern "C" void codegen_enable_crash_trace(void)
{
    llvm::EnablePrettyStackTrace();
}

extern "C" void codegen_print_crash_trace(void)
{
    llvm::sys::RunSignalHandlers();
}

// ---- the syntax tree, by those functions of clang-c/Index.h that the front end calls, and those of syntax.h ----
//
// A cursor holds {declaration, attribute or macro's use; statement; unit}, a type {QualType; unit}, a location
// {source manager; language} and its encoding.

namespace {

struct UsedMacro {
    const IdentifierInfo *name;
    SourceLocation at, definition;
};

} // namespace

struct CXTranslationUnitImpl : DiagnosticConsumer {
    CompilerInstance compiler;
    std::unique_ptr<FrontendAction> action;
    std::vector<StoredDiagnostic> stored;
    std::vector<clang_diagnostic> diagnostics;
    llvm::BumpPtrAllocator memory; // what the diagnostics point to
    std::vector<Decl *> declarations; // at file scope, in order
    std::vector<UsedMacro> macros;    // other than in other macros' text

    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override
    {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        stored.emplace_back(level, info);
    }
};

namespace {

class NoteMacros : public PPCallbacks {
public:
    explicit NoteMacros(CXTranslationUnit unit) : unit(unit) {}

    void MacroExpands(const Token &name, const MacroDefinition &definition, SourceRange, const MacroArgs *) override
    {
        const MacroInfo *macro = definition.getMacroInfo();
        if (name.getLocation().isFileID() && !macro->isBuiltinMacro())
            unit->macros.push_back({name.getIdentifierInfo(), name.getLocation(), macro->getDefinitionLoc()});
    }

private:
    CXTranslationUnit unit;
};

class NoteDeclarations : public ASTConsumer {
public:
    explicit NoteDeclarations(CXTranslationUnit unit) : unit(unit) {}

    bool HandleTopLevelDecl(DeclGroupRef group) override
    {
        unit->declarations.insert(unit->declarations.end(), group.begin(), group.end());
        return true;
    }

private:
    CXTranslationUnit unit;
};

class ParseAction : public ASTFrontendAction {
public:
    explicit ParseAction(CXTranslationUnit unit) : unit(unit) {}

protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override
    {
        compiler.getPreprocessor().addPPCallbacks(std::make_unique<NoteMacros>(unit));
        return std::make_unique<NoteDeclarations>(unit);
    }

private:
    CXTranslationUnit unit;
};

// ---- places ----

CXSourceLocation location_in(const SourceManager &sources, const LangOptions &language, SourceLocation at)
{
    return {{&sources, &language}, at.getRawEncoding()};
}

CXSourceLocation location_of(CXTranslationUnit unit, SourceLocation at)
{
    return location_in(unit->compiler.getSourceManager(), unit->compiler.getLangOpts(), at);
}

// From the first character to behind the last one.
CXSourceRange range_in(const SourceManager &sources, const LangOptions &language, CharSourceRange range)
{
    SourceLocation end = range.getEnd();
    bool ends_in_token = range.isTokenRange();
    if (end.isMacroID() && !sources.isMacroArgExpansion(end)) {
        CharSourceRange expansion = sources.getExpansionRange(end);
        end = expansion.getEnd();
        ends_in_token = expansion.isTokenRange();
    }
    if (ends_in_token && end.isValid())
        end = end.getLocWithOffset(int(Lexer::MeasureTokenLength(sources.getSpellingLoc(end), sources, language)));
    return {{&sources, &language}, range.getBegin().getRawEncoding(), end.getRawEncoding()};
}

// ---- diagnostics ----

// Adds notes on the macros that an error or a warning comes through.
class TellDiagnostics : public DiagnosticNoteRenderer {
public:
    explicit TellDiagnostics(CXTranslationUnit unit)
        : DiagnosticNoteRenderer(unit->compiler.getLangOpts(), &unit->compiler.getDiagnosticOpts()), unit(unit)
    {
        for (StoredDiagnostic &diagnostic : unit->stored)
            emitStoredDiagnostic(diagnostic);
    }

    void beginDiagnostic(DiagOrStoredDiag either, DiagnosticsEngine::Level level) override
    {
        const auto *stored = either.dyn_cast<const StoredDiagnostic *>();
        if (!stored)
            return;
        clang_diagnostic &told = add(level, stored->getMessage(), stored->getLocation());
        told.option = keep(DiagnosticIDs::getWarningOptionForDiag(stored->getID()));
        std::vector<CXSourceRange> ranges;
        for (CharSourceRange range : stored->getRanges())
            ranges.push_back(range_in(stored->getLocation().getManager(), LangOpts, range));
        told.ranges = llvm::ArrayRef(ranges).copy(unit->memory).data();
        told.range_count = ranges.size();
        if (stored->getFixIts().size() != 1)
            return;
        const FixItHint &fix = stored->getFixIts()[0];
        told.fix = keep(fix.CodeToInsert);
        told.fix_range = range_in(stored->getLocation().getManager(), LangOpts, fix.RemoveRange);
    }

    void emitDiagnosticMessage(FullSourceLoc at, PresumedLoc, DiagnosticsEngine::Level level, llvm::StringRef message,
                               llvm::ArrayRef<CharSourceRange>, DiagOrStoredDiag either) override
    {
        if (either.isNull())
            add(level, message, at);
    }

    void emitNote(FullSourceLoc at, llvm::StringRef message) override { add(DiagnosticsEngine::Note, message, at); }
    void emitDiagnosticLoc(FullSourceLoc, PresumedLoc, DiagnosticsEngine::Level,
                           llvm::ArrayRef<CharSourceRange>) override {}
    void emitCodeContext(FullSourceLoc, DiagnosticsEngine::Level, llvm::SmallVectorImpl<CharSourceRange> &,
                         llvm::ArrayRef<FixItHint>) override {}

private:
    const char *keep(llvm::StringRef text) { return llvm::StringSaver(unit->memory).save(text).data(); }

    clang_diagnostic &add(DiagnosticsEngine::Level level, llvm::StringRef message, FullSourceLoc at)
    {
        clang_diagnostic told = {};
        told.severity = level <= DiagnosticsEngine::Remark ? CXDiagnostic_Note : CXDiagnosticSeverity(level - 1);
        told.text = keep(message);
        told.option = "";
        if (at.isValid())
            told.at = location_in(at.getManager(), LangOpts, at);
        unit->diagnostics.push_back(told);
        return unit->diagnostics.back();
    }

    CXTranslationUnit unit;
};

// ---- cursors and types ----

const CXCursor no_cursor = {CXCursor_InvalidFile, 0, {}};

CXTranslationUnit unit_of(CXCursor cursor)
{
    return static_cast<CXTranslationUnit>(const_cast<void *>(cursor.data[2]));
}

const Decl *declaration(CXCursor cursor)
{
    return cursor.kind <= CXCursor_LastDecl || cursor.kind == CXCursor_TypeRef
               ? static_cast<const Decl *>(cursor.data[0]) : nullptr;
}

template <class T> const T *declared(CXCursor cursor) { return llvm::dyn_cast_or_null<T>(declaration(cursor)); }

const UsedMacro *macro(CXCursor cursor) { return static_cast<const UsedMacro *>(cursor.data[0]); }
const Stmt *statement(CXCursor cursor) { return static_cast<const Stmt *>(cursor.data[1]); }
const Expr *expression(CXCursor cursor) { return llvm::dyn_cast_or_null<Expr>(statement(cursor)); }

CXCursorKind kind_of(const Decl *decl)
{
    switch (decl->getKind()) {
    case Decl::TranslationUnit: return CXCursor_TranslationUnit;
    case Decl::Record: return llvm::cast<RecordDecl>(decl)->isUnion() ? CXCursor_UnionDecl : CXCursor_StructDecl;
    case Decl::Enum: return CXCursor_EnumDecl;
    case Decl::Function: return CXCursor_FunctionDecl;
    case Decl::Var: return CXCursor_VarDecl;
    case Decl::ParmVar: return CXCursor_ParmDecl;
    case Decl::Typedef: return CXCursor_TypedefDecl;
    default: return CXCursor_UnexposedDecl;
    }
}

// Expressions without a kind of their own are the implicit conversions and the like.
CXCursorKind kind_of(const Stmt *stmt)
{
    switch (stmt->getStmtClass()) {
#define SAME(name) case Stmt::name##Class: return CXCursor_##name;
    SAME(AddrLabelExpr) SAME(ArraySubscriptExpr) SAME(BinaryOperator) SAME(CStyleCastExpr) SAME(CallExpr)
    SAME(CompoundAssignOperator) SAME(CompoundLiteralExpr) SAME(ConditionalOperator) SAME(DeclRefExpr)
    SAME(FloatingLiteral) SAME(GCCAsmStmt) SAME(GenericSelectionExpr) SAME(ImaginaryLiteral) SAME(IndirectGotoStmt)
    SAME(InitListExpr) SAME(IntegerLiteral) SAME(MSAsmStmt) SAME(ParenExpr) SAME(ReturnStmt) SAME(StmtExpr)
    SAME(StringLiteral) SAME(UnaryOperator)
#undef SAME
    case Stmt::MemberExprClass: return CXCursor_MemberRefExpr;
    case Stmt::CharacterLiteralClass: return CXCursor_CharacterLiteral;
    case Stmt::UnaryExprOrTypeTraitExprClass: return CXCursor_UnaryExpr;
    default: return llvm::isa<Expr>(stmt) ? CXCursor_UnexposedExpr : CXCursor_UnexposedStmt;
    }
}

CXTypeKind kind_of(const Type *type)
{
    const auto *builtin = llvm::dyn_cast<BuiltinType>(type);
#define SAME(name) case BuiltinType::name: return CXType_##name;
    if (builtin)
        switch (builtin->getKind()) {
        SAME(Void) SAME(Bool) SAME(Char_S) SAME(Char_U) SAME(SChar) SAME(UChar) SAME(Short) SAME(UShort) SAME(Int)
        SAME(UInt) SAME(Long) SAME(ULong) SAME(LongLong) SAME(ULongLong) SAME(Half) SAME(Float16) SAME(BFloat16)
        SAME(Float) SAME(Double) SAME(LongDouble)
        default: return CXType_Unexposed;
        }
#undef SAME
#define SAME(name) case Type::name: return CXType_##name;
    switch (type->getTypeClass()) {
    SAME(Complex) SAME(Pointer) SAME(Record) SAME(Enum) SAME(Typedef) SAME(Elaborated) SAME(FunctionNoProto)
    SAME(FunctionProto) SAME(ConstantArray) SAME(IncompleteArray) SAME(VariableArray)
    default: return CXType_Unexposed;
    }
#undef SAME
}

CXCursor cursor_of(const Decl *decl, CXTranslationUnit unit)
{
    return decl ? CXCursor{kind_of(decl), 0, {decl, nullptr, unit}} : no_cursor;
}

CXCursor cursor_of(const Stmt *stmt, CXTranslationUnit unit)
{
    return stmt ? CXCursor{kind_of(stmt), 0, {nullptr, stmt, unit}} : no_cursor;
}

// As it was written: an array parameter is an array; without attributes and parentheses.
CXType type_of(QualType type, CXTranslationUnit unit)
{
    if (type.isNull())
        return {CXType_Invalid, {nullptr, unit}};
    if (const auto *attributed = type->getAs<AttributedType>())
        return type_of(attributed->getEquivalentType(), unit);
    if (const auto *paren = type->getAs<ParenType>())
        return type_of(paren->getInnerType(), unit);
    if (const auto *decayed = type->getAs<DecayedType>())
        return type_of(decayed->getOriginalType(), unit);
    return {kind_of(type.getTypePtr()), {type.getAsOpaquePtr(), unit}};
}

CXTranslationUnit unit_of(CXType type) { return static_cast<CXTranslationUnit>(type.data[1]); }
QualType qualified(CXType type) { return QualType::getFromOpaquePtr(type.data[0]); }

template <class T> const T *type_as(CXType type)
{
    return qualified(type).isNull() ? nullptr : llvm::dyn_cast<T>(qualified(type).getTypePtr());
}

// What `get` says of a node; nothing where the cursor or the type is of another kind.
template <class T, class R> R ask(const T *node, R (T::*get)() const) { return node ? (node->*get)() : R(); }

// Whether it is a complete type whose size is a constant.
bool has_layout(QualType type)
{
    return !type.isNull() && !type->isIncompleteType() && !type->isFunctionType() && type->isConstantSizeType();
}

// The declaration that an expression names, calls or takes a member of; null for others.
const Decl *named_by(const Expr *expr)
{
    if (const auto *cast = llvm::dyn_cast<ImplicitCastExpr>(expr))
        return named_by(cast->getSubExpr());
    if (const auto *call = llvm::dyn_cast<CallExpr>(expr))
        return named_by(call->getCallee());
    return expr->getReferencedDeclOfCallee();
}

// Of a cursor: what it names, or is.
const Decl *named_by(CXCursor cursor)
{
    return expression(cursor) ? named_by(expression(cursor)) : declaration(cursor);
}

SourceLocation place_of(const Stmt *stmt)
{
    if (const auto *cast = llvm::dyn_cast<ImplicitCastExpr>(stmt))
        return place_of(cast->getSubExpr());
    if (const auto *reference = llvm::dyn_cast<DeclRefExpr>(stmt))
        return reference->getLocation();
    const auto *member = llvm::dyn_cast<MemberExpr>(stmt);
    return member ? member->getMemberLoc() : stmt->getBeginLoc();
}

// The children of a cursor, in the order written.
class Children {
public:
    explicit Children(CXCursor parent) : unit(unit_of(parent))
    {
        if (parent.kind == CXCursor_TranslationUnit)
            add_file();
        else if (statement(parent))
            add_parts(statement(parent));
        else if (parent.kind <= CXCursor_LastDecl)
            add_parts(declaration(parent));
    }

    std::vector<CXCursor> list;

private:
    void add(const Decl *decl)
    {
        if (decl && !decl->isImplicit())
            list.push_back(cursor_of(decl, unit));
    }

    void add(const Stmt *stmt)
    {
        if (const auto *opaque = llvm::dyn_cast_or_null<OpaqueValueExpr>(stmt))
            stmt = opaque->getSourceExpr();
        if (stmt)
            list.push_back(cursor_of(stmt, unit));
    }

    void add(const TypeSourceInfo *info) { add(info ? info->getTypeLoc() : TypeLoc()); }

    void add_reference(const Decl *decl, SourceLocation at)
    {
        list.push_back({CXCursor_TypeRef, int(at.getRawEncoding()), {decl, nullptr, unit}});
    }

    void add(TypeLoc type)
    {
        if (type.isNull())
            return;
        if (auto name = type.getAs<TypedefTypeLoc>())
            return add_reference(name.getTypedefNameDecl(), name.getNameLoc());
        if (auto tag = type.getAs<TagTypeLoc>())
            return tag.isDefinition() ? add(tag.getDecl()) : add_reference(tag.getDecl(), tag.getNameLoc());
        if (auto of = type.getAs<TypeOfExprTypeLoc>())
            return add(of.getUnderlyingExpr());
        if (auto of = type.getAs<TypeOfTypeLoc>())
            return add(of.getUnmodifiedTInfo());
        add(type.getNextTypeLoc());
        if (auto function = type.getAs<FunctionTypeLoc>())
            for (const ParmVarDecl *parameter : function.getParams())
                add(parameter);
        if (auto array = type.getAs<ArrayTypeLoc>())
            add(array.getSizeExpr());
    }

    void add_file()
    {
        for (const UsedMacro &use : unit->macros)
            list.push_back({CXCursor_MacroExpansion, 0, {&use, nullptr, unit}});
        for (const Decl *decl : unit->declarations)
            add(decl);
    }

    void add_parts(const Decl *decl)
    {
        for (const Attr *attribute : decl->attrs())
            if (llvm::isa<AnnotateAttr>(attribute))
                list.push_back({CXCursor_AnnotateAttr, 0, {attribute, nullptr, unit}});
        if (const auto *declarator = llvm::dyn_cast<DeclaratorDecl>(decl))
            add(declarator->getTypeSourceInfo());
        if (const auto *function = llvm::dyn_cast<FunctionDecl>(decl))
            add(function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr);
        else if (const auto *variable = llvm::dyn_cast<VarDecl>(decl))
            add(variable->getInit());
        else if (const auto *field = llvm::dyn_cast<FieldDecl>(decl))
            add(field->getBitWidth());
        else if (const auto *constant = llvm::dyn_cast<EnumConstantDecl>(decl))
            add(constant->getInitExpr());
        else if (const auto *assertion = llvm::dyn_cast<StaticAssertDecl>(decl))
            add(assertion->getAssertExpr());
        else if (const auto *name = llvm::dyn_cast<TypedefNameDecl>(decl))
            add(name->getTypeSourceInfo());
        else if (const auto *tag = llvm::dyn_cast<TagDecl>(decl))
            for (const Decl *member : tag->decls())
                add(member);
    }

    void add_parts(const Stmt *stmt)
    {
        if (const auto *declarations = llvm::dyn_cast<DeclStmt>(stmt)) {
            for (const Decl *decl : declarations->decls())
                add(decl);
            return;
        }
        if (const auto *cast = llvm::dyn_cast<CStyleCastExpr>(stmt))
            add(cast->getTypeInfoAsWritten());
        else if (const auto *literal = llvm::dyn_cast<CompoundLiteralExpr>(stmt))
            add(literal->getTypeSourceInfo());
        else if (const auto *argument = llvm::dyn_cast<VAArgExpr>(stmt))
            add(argument->getWrittenTypeInfo());
        else if (const auto *offset = llvm::dyn_cast<OffsetOfExpr>(stmt))
            add(offset->getTypeSourceInfo());
        else if (const auto *trait = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(stmt))
            add(trait->isArgumentType() ? trait->getArgumentTypeInfo() : nullptr);
        else if (const auto *selection = llvm::dyn_cast<GenericSelectionExpr>(stmt))
            for (const TypeSourceInfo *info : selection->getAssocTypeSourceInfos())
                add(info);
        else if (const auto *braces = llvm::dyn_cast<InitListExpr>(stmt))
            stmt = braces->isSemanticForm() && braces->getSyntacticForm() ? braces->getSyntacticForm() : stmt;
        for (const Stmt *child : stmt->children())
            add(child);
    }

    CXTranslationUnit unit;
};

CXString string_of(const std::string &text) { return {strdup(text.c_str()), 0}; }
SourceLocation decoded(unsigned location) { return SourceLocation::getFromRawEncoding(location); }

} // namespace

CXTranslationUnit clang_parse(const codegen_request *request)
{
    auto unit = std::make_unique<CXTranslationUnitImpl>();
    CompilerInstance &compiler = unit->compiler;
    if (!prepare(compiler, *unit, *request) || !compiler.createTarget())
        return nullptr;
    unit->action = std::make_unique<ParseAction>(unit.get());
    if (!unit->action->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs[0]))
        return nullptr;
    llvm::consumeError(unit->action->Execute());
    TellDiagnostics tell(unit.get());
    return unit.release();
}

void clang_disposeTranslationUnit(CXTranslationUnit unit)
{
    unit->action->EndSourceFile();
    delete unit;
}

const clang_diagnostic *clang_diagnostics(CXTranslationUnit unit, size_t *count)
{
    *count = unit->diagnostics.size();
    return unit->diagnostics.data();
}

void clang_visit_includes(CXTranslationUnit unit, clang_include_visitor *visitor, void *data)
{
    const SourceManager &sources = unit->compiler.getSourceManager();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); i++) {
        const SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
        OptionalFileEntryRef file;
        if (entry.isFile())
            file = entry.getFile().getContentCache().OrigEntry;
        if (file)
            visitor(file->getName().str().c_str(), location_of(unit, entry.getFile().getIncludeLoc()),
                    SrcMgr::isSystem(entry.getFile().getFileCharacteristic()), data);
    }
}

// ---- strings and places ----

const char *clang_getCString(CXString string) { return static_cast<const char *>(string.data); }
void clang_disposeString(CXString string) { free(const_cast<void *>(string.data)); }

CXString clang_place(CXSourceLocation location, unsigned *line, unsigned *column, unsigned *offset)
{
    *line = *column = *offset = 0;
    if (decoded(location.int_data).isInvalid())
        return {nullptr, 0};
    const auto &sources = *static_cast<const SourceManager *>(location.ptr_data[0]);
    auto [file, position] = sources.getDecomposedLoc(sources.getFileLoc(decoded(location.int_data)));
    OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    *line = sources.getLineNumber(file, position);
    *column = sources.getColumnNumber(file, position);
    *offset = position;
    return entry ? string_of(entry->getName().str()) : CXString{nullptr, 0};
}

int clang_Location_isInSystemHeader(CXSourceLocation location)
{
    SourceLocation at = decoded(location.int_data);
    return at.isValid() && static_cast<const SourceManager *>(location.ptr_data[0])->isInSystemHeader(at);
}

int clang_Location_isFromMainFile(CXSourceLocation location)
{
    SourceLocation at = decoded(location.int_data);
    return at.isValid() && static_cast<const SourceManager *>(location.ptr_data[0])->isWrittenInMainFile(at);
}

CXSourceLocation clang_getRangeStart(CXSourceRange range)
{
    return {{range.ptr_data[0], range.ptr_data[1]}, range.begin_int_data};
}

CXSourceLocation clang_getRangeEnd(CXSourceRange range)
{
    return {{range.ptr_data[0], range.ptr_data[1]}, range.end_int_data};
}

// ---- cursors ----

unsigned clang_visitChildren(CXCursor parent, CXCursorVisitor visitor, CXClientData data)
{
    for (CXCursor child : Children(parent).list) {
        CXChildVisitResult result = visitor(child, parent, data);
        if (result == CXChildVisit_Break ||
            (result == CXChildVisit_Recurse && clang_visitChildren(child, visitor, data)))
            return true;
    }
    return false;
}

CXCursor clang_getTranslationUnitCursor(CXTranslationUnit unit)
{
    return cursor_of(unit->compiler.getASTContext().getTranslationUnitDecl(), unit);
}

unsigned clang_equalCursors(CXCursor a, CXCursor b)
{
    return a.kind == b.kind && a.data[0] == b.data[0] && a.data[1] == b.data[1];
}

unsigned clang_hashCursor(CXCursor cursor) { return unsigned(llvm::hash_combine(cursor.data[0], cursor.data[1])); }
int clang_Cursor_isNull(CXCursor cursor) { return cursor.kind == no_cursor.kind; }

CXString clang_getCursorSpelling(CXCursor cursor)
{
    if (cursor.kind == CXCursor_MacroExpansion)
        return string_of(macro(cursor)->name->getName().str());
    if (cursor.kind == CXCursor_AnnotateAttr)
        return string_of(static_cast<const AnnotateAttr *>(cursor.data[0])->getAnnotation().str());
    const auto *named = llvm::dyn_cast_or_null<NamedDecl>(named_by(cursor));
    return string_of(named ? named->getNameAsString() : "");
}

CXSourceLocation clang_getCursorLocation(CXCursor cursor)
{
    CXTranslationUnit unit = unit_of(cursor);
    switch (cursor.kind) {
    case CXCursor_MacroExpansion: return location_of(unit, macro(cursor)->at);
    case CXCursor_MacroDefinition: return location_of(unit, macro(cursor)->definition);
    case CXCursor_AnnotateAttr: return location_of(unit, static_cast<const Attr *>(cursor.data[0])->getLocation());
    case CXCursor_TypeRef: return location_of(unit, decoded(unsigned(cursor.xdata)));
    default: break;
    }
    if (statement(cursor))
        return location_of(unit, place_of(statement(cursor)));
    return declaration(cursor) ? location_of(unit, declaration(cursor)->getLocation()) : CXSourceLocation{};
}

CXSourceLocation clang_start(CXCursor cursor)
{
    return location_of(unit_of(cursor), declaration(cursor)->getBeginLoc());
}

CXCursor clang_getCursorReferenced(CXCursor cursor)
{
    if (cursor.kind != CXCursor_MacroExpansion)
        return cursor_of(named_by(cursor), unit_of(cursor));
    cursor.kind = CXCursor_MacroDefinition;
    return cursor;
}

CXCursor clang_getCursorDefinition(CXCursor cursor)
{
    const Decl *decl = named_by(cursor);
    if (const auto *function = llvm::dyn_cast_or_null<FunctionDecl>(decl))
        decl = function->getDefinition();
    else if (const auto *variable = llvm::dyn_cast_or_null<VarDecl>(decl))
        decl = variable->getDefinition();
    else if (const auto *tag = llvm::dyn_cast_or_null<TagDecl>(decl))
        decl = tag->getDefinition();
    return cursor_of(decl, unit_of(cursor));
}

unsigned clang_isCursorDefinition(CXCursor cursor)
{
    return clang_equalCursors(cursor, clang_getCursorDefinition(cursor));
}

CXCursor clang_getCanonicalCursor(CXCursor cursor)
{
    return cursor_of(declaration(cursor)->getCanonicalDecl(), unit_of(cursor));
}

CXCursor clang_getCursorSemanticParent(CXCursor cursor)
{
    return cursor_of(Decl::castFromDeclContext(declaration(cursor)->getDeclContext()), unit_of(cursor));
}

CXCursor clang_Cursor_getVarDeclInitializer(CXCursor cursor)
{
    const auto *variable = declared<VarDecl>(cursor);
    return cursor_of(variable ? variable->getInit() : nullptr, unit_of(cursor));
}

bool clang_is_builtin(CXCursor cursor) { return declared<FunctionDecl>(cursor)->getBuiltinID() != 0; }
unsigned clang_isInvalidDeclaration(CXCursor cursor) { return declaration(cursor)->isInvalidDecl(); }

unsigned clang_Cursor_isFunctionInlined(CXCursor cursor)
{
    return ask(declared<FunctionDecl>(cursor), &FunctionDecl::isInlined);
}

unsigned clang_Cursor_isVariadic(CXCursor cursor)
{
    return ask(declared<FunctionDecl>(cursor), &FunctionDecl::isVariadic);
}

unsigned clang_Cursor_isBitField(CXCursor cursor) { return ask(declared<FieldDecl>(cursor), &FieldDecl::isBitField); }

long long clang_Cursor_getOffsetOfField(CXCursor cursor)
{
    return (long long)unit_of(cursor)->compiler.getASTContext().getFieldOffset(declared<FieldDecl>(cursor));
}

CX_StorageClass clang_Cursor_getStorageClass(CXCursor cursor)
{
    const auto *function = declared<FunctionDecl>(cursor);
    const auto *variable = declared<VarDecl>(cursor);
    if (!function && !variable)
        return CX_SC_Invalid;
    StorageClass storage = function ? function->getCanonicalDecl()->getStorageClass()
                                    : variable->getCanonicalDecl()->getStorageClass();
    return CX_StorageClass(storage + (storage < SC_Auto ? CX_SC_None : CX_SC_Auto - SC_Auto));
}

CXString clang_section(CXCursor variable)
{
    const auto *section = declaration(variable)->getAttr<SectionAttr>();
    return string_of(section ? section->getName().str() : "");
}

bool clang_has_initializer(CXCursor variable)
{
    const auto *decl = declared<VarDecl>(variable);
    return decl && decl->hasInit();
}

CXCursor clang_written(CXCursor cursor)
{
    const Expr *target = nullptr;
    if (const auto *binary = llvm::dyn_cast_or_null<BinaryOperator>(statement(cursor)))
        target = binary->isAssignmentOp() ? binary->getLHS() : nullptr;
    else if (const auto *unary = llvm::dyn_cast_or_null<UnaryOperator>(statement(cursor)))
        target = unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
    while (target) {
        target = target->IgnoreParenImpCasts();
        if (const auto *name = llvm::dyn_cast<DeclRefExpr>(target))
            return cursor_of(name->getDecl(), unit_of(cursor));
        if (const auto *member = llvm::dyn_cast<MemberExpr>(target))
            target = member->isArrow() ? nullptr : member->getBase();
        else if (const auto *element = llvm::dyn_cast<ArraySubscriptExpr>(target))
            target = element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() ? element->getBase() : nullptr;
        else
            target = nullptr;
    }
    return cursor_of(static_cast<const Decl *>(nullptr), unit_of(cursor));
}

int clang_Cursor_getNumArguments(CXCursor cursor)
{
    if (const auto *function = declared<FunctionDecl>(cursor))
        return int(function->getNumParams());
    const auto *call = llvm::dyn_cast_or_null<CallExpr>(statement(cursor));
    return call ? int(call->getNumArgs()) : -1;
}

CXCursor clang_Cursor_getArgument(CXCursor cursor, unsigned index)
{
    if (const auto *function = declared<FunctionDecl>(cursor))
        return cursor_of(function->getParamDecl(index), unit_of(cursor));
    return cursor_of(llvm::cast<CallExpr>(statement(cursor))->getArg(index), unit_of(cursor));
}

CXBinaryOperatorKind clang_getCursorBinaryOperatorKind(CXCursor cursor)
{
    const auto *operation = llvm::dyn_cast_or_null<BinaryOperator>(statement(cursor));
    return operation ? CXBinaryOperatorKind(operation->getOpcode() + 1) : CXBinaryOperator_Invalid;
}

bool clang_is_empty_assembly(CXCursor cursor)
{
    const auto *assembly = llvm::dyn_cast<GCCAsmStmt>(statement(cursor));
    return assembly && assembly->getAsmString()->getString().empty();
}

// ---- types ----

CXType clang_getCursorType(CXCursor cursor)
{
    CXTranslationUnit unit = unit_of(cursor);
    if (const Expr *expr = expression(cursor))
        return type_of(expr->getType(), unit);
    if (const auto *value = declared<ValueDecl>(cursor))
        return type_of(value->getType(), unit);
    const auto *type = declared<TypeDecl>(cursor);
    return type_of(type ? unit->compiler.getASTContext().getTypeDeclType(type) : QualType(), unit);
}

CXType clang_getCursorResultType(CXCursor cursor)
{
    return type_of(ask(declared<FunctionDecl>(cursor), &FunctionDecl::getReturnType), unit_of(cursor));
}

CXString clang_getTypeSpelling(CXType type)
{
    PrintingPolicy policy(unit_of(type)->compiler.getLangOpts());
    return string_of(qualified(type).isNull() ? "" : qualified(type).getAsString(policy));
}

CXType clang_getCanonicalType(CXType type)
{
    return qualified(type).isNull() ? type : type_of(qualified(type).getCanonicalType(), unit_of(type));
}

CXType clang_getUnqualifiedType(CXType type) { return type_of(qualified(type).getUnqualifiedType(), unit_of(type)); }
unsigned clang_isConstQualifiedType(CXType type) { return qualified(type).isLocalConstQualified(); }

CXType clang_Type_getNamedType(CXType type)
{
    return type_of(ask(type_as<ElaboratedType>(type), &ElaboratedType::getNamedType), unit_of(type));
}

CXCursor clang_getTypeDeclaration(CXType type)
{
    const auto *name = type_as<TypedefType>(type);
    const auto *tag = type_as<TagType>(type);
    return cursor_of(name ? static_cast<const Decl *>(name->getDecl()) : tag ? tag->getDecl() : nullptr, unit_of(type));
}

CXString clang_getTypedefName(CXType type)
{
    const auto *name = type_as<TypedefType>(type);
    return string_of(name ? name->getDecl()->getNameAsString() : "");
}

CXType clang_getTypedefDeclUnderlyingType(CXCursor cursor)
{
    return type_of(ask(declared<TypedefNameDecl>(cursor), &TypedefNameDecl::getUnderlyingType), unit_of(cursor));
}

CXType clang_getEnumDeclIntegerType(CXCursor cursor)
{
    return type_of(ask(declared<EnumDecl>(cursor), &EnumDecl::getIntegerType), unit_of(cursor));
}

CXType clang_getPointeeType(CXType type)
{
    return type_of(ask(type_as<PointerType>(type), &PointerType::getPointeeType), unit_of(type));
}

CXType clang_getArrayElementType(CXType type)
{
    return type_of(ask(type_as<ArrayType>(type), &ArrayType::getElementType), unit_of(type));
}

CXType clang_getElementType(CXType type)
{
    return type_of(ask(type_as<ComplexType>(type), &ComplexType::getElementType), unit_of(type));
}

unsigned clang_Type_visitFields(CXType type, CXFieldVisitor visitor, CXClientData data)
{
    for (const FieldDecl *field : type_as<RecordType>(type)->getDecl()->fields())
        if (visitor(cursor_of(field, unit_of(type)), data) == CXVisit_Break)
            return true;
    return false;
}

long long clang_getArraySize(CXType type)
{
    const auto *array = type_as<ConstantArrayType>(type);
    return array ? (long long)array->getSize().getZExtValue() : -1;
}

long long clang_Type_getSizeOf(CXType type)
{
    if (!has_layout(qualified(type)))
        return CXTypeLayoutError_Invalid;
    return unit_of(type)->compiler.getASTContext().getTypeSizeInChars(qualified(type)).getQuantity();
}

long long clang_Type_getAlignOf(CXType type)
{
    if (!has_layout(qualified(type)))
        return CXTypeLayoutError_Invalid;
    return unit_of(type)->compiler.getASTContext().getTypeAlignInChars(qualified(type)).getQuantity();
}
