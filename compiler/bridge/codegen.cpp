// Wraps the parts of Clang and LLVM that their C interfaces do not export.  The only C++ file of the compiler.
#include "bridge/bridge.h"
#include "bridge/call_variable.h"
#include "bridge/chunked_winners.h"
#include "bridge/compared_extremes.h"
#include "bridge/extreme_keys.h"
#include "bridge/failures.h"
#include "bridge/number_guard.h"
#include "bridge/passes_probes.h"
#include "bridge/load_loops.h"
#include "bridge/loop_nest.h"
#include "bridge/many_ways.h"
#include "bridge/memory_sums.h"
#include "bridge/passes_input.h"
#include "bridge/rebuilding.h"
#include "bridge/team_entries.h"
#include "bridge/passes_columns.h"
#include "bridge/passes_names.h"
#include "bridge/passes_printed.h"
#include "bridge/vectorizer_guards.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
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
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>
#include <new>

using namespace clang;

namespace {

// Metadata at a use of inline assembly: file, line, column.
const char placeKind[] = "gpucc.place";

// NVPTX's TargetInfo says that it has no variably modified types; indexing through pointers to them is sound
// there (only objects of such types, which need a stack pointer, are not: the front end refuses those).
struct VariablyModified : TargetInfo {
    static bool TargetInfo::*supported() { return &VariablyModified::VLASupported; }
};

// `#pragma gpucc forget_macros`: from here on nothing is defined that the user's files define, whichever of their `#if`
// hold in this pass; but for names that C keeps for compilers and libraries.  No identifier is poisoned any more.
class ForgetMacros : public PragmaHandler {
public:
    explicit ForgetMacros(const codegen_request &request) : PragmaHandler("forget_macros"), request(request) {}

    void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer, Token &) override
    {
        llvm::SmallVector<IdentifierInfo *> names;
        for (const auto &macro : preprocessor.macros(false)) // those of precompiled headers are no user's
            if (isUsers(preprocessor, *macro.first))
                names.push_back(const_cast<IdentifierInfo *>(macro.first));
        for (IdentifierInfo *name : names)
            preprocessor.appendMacroDirective(
                name, new (preprocessor.getPreprocessorAllocator()) UndefMacroDirective(introducer.Loc));
        for (const auto &identifier : preprocessor.getIdentifierTable())
            if (!identifier.getKey().starts_with("__VA_")) // which Clang itself poisons
                identifier.getValue()->setIsPoisoned(false);
    }

private:
    bool isUsers(Preprocessor &preprocessor, const IdentifierInfo &identifier)
    {
        const MacroInfo *macro = preprocessor.getMacroInfo(&identifier);
        llvm::StringRef name = identifier.getName();
        if (!macro || macro->isBuiltinMacro() || name.starts_with("_") || name.starts_with("GPUCC_") ||
            name.starts_with("gpucc_"))
            return false;
        SourceManager &sources = preprocessor.getSourceManager();
        return !sources.getFilename(sources.getFileLoc(macro->getDefinitionLoc())).starts_with(request.own_folder);
    }

    const codegen_request &request;
};

// Clang's CodeGen alone: its own actions would also set up, and verify with, the back end.
class EmitAction : public ASTFrontendAction {
public:
    EmitAction(llvm::LLVMContext *context, const codegen_request &request) : context(*context), request(request) {}

    std::unique_ptr<llvm::Module> takeModule() { return std::move(module); }

protected:
    bool BeginSourceFileAction(CompilerInstance &compiler) override
    {
        compiler.getTarget().*VariablyModified::supported() = true;
        if (request.probe)
            compiler.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(request));
        if (request.own_folder)
            compiler.getPreprocessor().AddPragmaHandler("gpucc", new ForgetMacros(request));
        return true;
    }

    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef file) override
    {
        generator = CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                      compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                      compiler.getCodeGenOpts(), context);
        std::vector<std::unique_ptr<ASTConsumer>> consumers;
        if (request.namespaces)
            consumers.push_back(std::make_unique<SourceNames>(compiler, request));
        if (request.guards_numbers)
            consumers.push_back(std::make_unique<NumberGuard>());
        consumers.emplace_back(generator);
        return std::make_unique<MultiplexConsumer>(std::move(consumers));
    }

    void EndSourceFileAction() override
    {
        if (!generator->GetModule()) // after errors
            return;
        for (const llvm::Function &function : *generator->GetModule())
            if (llvm::any_of(llvm::instructions(function), computesWithPoison))
                refuse(function);
        module.reset(generator->ReleaseModule());
        keepPlaces(getCompilerInstance().getSourceManager());
        if (request.spelling)
            SourceColumns(*module, request).settle();
        if (!request.own_folder)
            return;
        tellFiles(getCompilerInstance().getSourceManager());
        Declarations(getCompilerInstance().getASTContext(), request).report();
    }

private:
    // Apart from the vector or structure into which the first element is put.
    static bool computesWithPoison(const llvm::Instruction &i)
    {
        const bool fills = llvm::isa<llvm::InsertElementInst, llvm::InsertValueInst, llvm::ShuffleVectorInst>(i);
        return !fills && llvm::any_of(i.operand_values(), holdsPoison);
    }

    static bool holdsPoison(const llvm::Value *value)
    {
        auto *constant = llvm::dyn_cast<llvm::Constant>(value);
        return constant && !llvm::isa<llvm::GlobalValue>(constant) &&
               (llvm::isa<llvm::PoisonValue>(constant) || llvm::any_of(constant->operand_values(), holdsPoison));
    }

    // Reports operations that NumberGuard cannot guard.
    void refuse(const llvm::Function &function)
    {
        DiagnosticsEngine &engine = getCompilerInstance().getDiagnostics();
        const Decl *decl = generator->GetDeclForMangledName(function.getName());
        engine.Report(decl ? decl->getLocation() : SourceLocation(),
                      engine.getCustomDiagID(DiagnosticsEngine::Error,
                                             "'%0' computes with a constant whose value is undefined in C"))
            << function.getName();
    }

    void tellFiles(const SourceManager &sources)
    {
        for (unsigned i = 0; i < sources.local_sloc_entry_size(); i++) {
            const SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
            OptionalFileEntryRef file =
                entry.isFile() ? entry.getFile().getContentCache().OrigEntry : OptionalFileEntryRef();
            if (file && !file->getName().starts_with(request.own_folder))
                request.include(request.user_data, file->getName().str().c_str(),
                                SrcMgr::isSystem(entry.getFile().getFileCharacteristic()));
        }
    }

    // Notes at each use of inline assembly where it stands, instead of Clang's own note, which needs its SourceManager.
    void keepPlaces(const SourceManager &sources)
    {
        for (llvm::Function &function : *module)
            for (llvm::Instruction &instruction : llvm::instructions(function)) {
                auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                llvm::MDNode *node = call && call->isInlineAsm() ? call->getMetadata("srcloc") : nullptr;
                if (!node || !node->getNumOperands())
                    continue;
                call->setMetadata("srcloc", nullptr); // a number that says nothing to others
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
                                           number(columnOf(request, place))});
    }

    llvm::LLVMContext &context;
    const codegen_request &request;
    CodeGenerator *generator = nullptr; // the compiler's
    std::unique_ptr<llvm::Module> module;
};

// Looks at the tokens that the parser would get, and at those of pragmas, which it may parse as expressions.
class ScopesAction : public PreprocessorFrontendAction {
public:
    explicit ScopesAction(const codegen_request &request) : request(request) {}

    bool found = false;

protected:
    void ExecuteAction() override
    {
        Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
        for (const char *space : {"", "clang", "GCC", "STDC"})
            preprocessor.AddPragmaHandler(space, new InPragma(*this));
        preprocessor.EnterMainSourceFile();
        scan(preprocessor, tok::eof);
    }

private:
    struct InPragma : PragmaHandler {
        explicit InPragma(ScopesAction &action) : action(action) {}

        void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer, Token &) override
        {
            action.scan(preprocessor, tok::eod);
        }

        ScopesAction &action;
    };

    void scan(Preprocessor &preprocessor, tok::TokenKind end)
    {
        Token token;
        bool open = false;
        do {
            preprocessor.Lex(token);
            if (open && token.is(tok::coloncolon))
                report(token.getLocation());
            open = token.is(tok::l_paren);
        } while (!token.isOneOf(end, tok::eof));
    }

    void report(SourceLocation location)
    {
        const SourceManager &sources = getCompilerInstance().getSourceManager();
        PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
        found = true;
        request.report(request.report_data, place.getFilename(), place.getLine(), columnOf(request, place), "");
    }

    const codegen_request &request;
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
                       place.isValid() ? place.getLine() : 0, place.isValid() ? columnOf(request, place) : 0,
                       text.c_str());
    }

private:
    const codegen_request &request;
};

// Reports files that FiniteFiles does not read, and nothing else.
class Unreadable : public DiagnosticConsumer {
public:
    explicit Unreadable(const codegen_request &request) : request(request) {}

    std::string refused;
    bool found = false;

    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override
    {
        if (level < DiagnosticsEngine::Error || refused.empty() || !info.getNumArgs() ||
            info.getArgKind(0) != DiagnosticsEngine::ak_std_string ||
            !llvm::StringRef(refused).ends_with(info.getArgStdStr(0)))
            return;
        PresumedLoc place;
        if (info.hasSourceManager() && info.getLocation().isValid())
            place = info.getSourceManager().getPresumedLoc(info.getSourceManager().getExpansionLoc(info.getLocation()));
        const bool isWritten = place.isValid() && *place.getFilename() != '<'; // or it comes of an option
        found = true;
        request.report(request.report_data, isWritten ? place.getFilename() : nullptr,
                       isWritten ? place.getLine() : 0, isWritten ? columnOf(request, place) : 0,
                       ("cannot read '" + refused + "': it is not a regular file").c_str());
        refused.clear();
    }

private:
    const codegen_request &request;
};

// Forwards Clang's diagnostics about the options themselves.
class ForwardWarnings : public DiagnosticConsumer {
public:
    ForwardWarnings(void (*report)(void *, const char *), void *data) : report(report), data(data) {}

    void HandleDiagnostic(DiagnosticsEngine::Level, const Diagnostic &info) override
    {
        llvm::SmallString<256> text;
        info.FormatDiagnostic(text);
        report(data, text.c_str());
    }

private:
    void (*report)(void *, const char *);
    void *data;
};

// The managers that LLVM's passes ask, wired up with one another.
struct Analyses {
    explicit Analyses(llvm::PassBuilder &builder)
    {
        builder.registerModuleAnalyses(modules);
        builder.registerCGSCCAnalyses(components);
        builder.registerFunctionAnalyses(functions);
        builder.registerLoopAnalyses(loops);
        builder.crossRegisterProxies(loops, functions, components, modules);
    }

    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
};

// LLVM 19's SLP vectoriser computes with fewer bits than integers need: it takes the sign bits of a value that becomes
// a float for superfluous although the conversion is unsigned, and shifts narrow numbers by more than their width.  So
// it is kept for floating-point code: a function in which it computes with vectors of integers becomes what it was.
class FloatingPointVectorizer : public llvm::PassInfoMixin<FloatingPointVectorizer> {
public:
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        llvm::ValueToValueMapTy old;
        llvm::Function *before = llvm::CloneFunction(&function, old);
        llvm::PreservedAnalyses preserved = llvm::SLPVectorizerPass().run(function, analyses);
        auto isWrong = [&](const llvm::Instruction &i) { return !old.count(&i) && computesWithIntegers(i); };
        if (llvm::any_of(llvm::instructions(function), isWrong)) {
            replaceBody(function, *before);
            preserved = llvm::PreservedAnalyses::none();
        }
        before->eraseFromParent();
        return preserved;
    }

private:
    static bool isIntegerVector(const llvm::Value *value)
    {
        const llvm::Type *type = value->getType();
        return type->isVectorTy() && type->isIntOrIntVectorTy() && type->getScalarSizeInBits() > 1;
    }

    // With vectors of them, that is; what only moves these does not count.
    static bool computesWithIntegers(const llvm::Instruction &i)
    {
        return llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst, llvm::SelectInst, llvm::CallBase>(i) &&
               (isIntegerVector(&i) || llvm::any_of(i.operand_values(), isIntegerVector));
    }

    static void replaceBody(llvm::Function &function, llvm::Function &other)
    {
        for (llvm::BasicBlock &block : function)
            block.dropAllReferences();
        function.erase(function.begin(), function.end());
        function.splice(function.end(), &other);
        function.setSubprogram(other.getSubprogram());
        for (auto [mine, others] : llvm::zip(function.args(), other.args()))
            others.replaceAllUsesWith(&mine);
    }
};

} // namespace

extern "C" bool codegen_report_scopes(const codegen_request *request)
{
    Unreadable unreadable(*request); // the parsers report all else
    CompilerInstance compiler;
    ScopesAction action(*request);
    if (prepare(compiler, unreadable, *request, &unreadable.refused))
        compiler.ExecuteAction(action);
    return action.found || unreadable.found;
}

extern "C" void codegen_probe(const codegen_request *request)
{
    IgnoringDiagConsumer ignore; // the parsers report them
    CompilerInstance compiler;
    ProbeAction action(*request);
    if (prepare(compiler, ignore, *request))
        compiler.ExecuteAction(action);
}

extern "C" bool codegen_precompile(const codegen_request *request)
{
    Forward forward(*request);
    CompilerInstance compiler;
    GeneratePCHAction action;
    return prepare(compiler, forward, *request) && compiler.ExecuteAction(action);
}

extern "C" LLVMModuleRef codegen(LLVMContextRef context, const codegen_request *request)
{
    Forward forward(*request);
    CompilerInstance compiler;
    EmitAction action(llvm::unwrap(context), *request);
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

extern "C" bool codegen_has_conditions(LLVMValueRef value)
{
    auto &function = *llvm::unwrap<llvm::Function>(value);
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    return llvm::any_of(function, [&](const llvm::BasicBlock &block) {
        const llvm::Loop *loop = loops.getLoopFor(&block);
        return block.getTerminator()->getNumSuccessors() > 1 && !(loop && loop->isLoopExiting(&block));
    });
}

extern "C" bool codegen_inline_call(LLVMValueRef call)
{
    llvm::InlineFunctionInfo info;
    return llvm::InlineFunction(*llvm::unwrap<llvm::CallBase>(call), info).isSuccess();
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
    llvm::StringSet<> shown;
    for (const llvm::GlobalValue &value : (*library)->global_values())
        if (!value.isDeclarationForLinker() && !value.hasLocalLinkage() && !value.hasAppendingLinkage())
            shown.insert(value.getName());
    const auto hide = [&shown](llvm::Module &program, const llvm::StringSet<> &linked) {
        for (const auto &name : linked)
            if (shown.contains(name.getKey()))
                program.getNamedValue(name.getKey())->setLinkage(llvm::GlobalValue::InternalLinkage);
    };
    return !llvm::Linker::linkModules(*llvm::unwrap(module), std::move(*library), llvm::Linker::LinkOnlyNeeded, hide);
}

extern "C" bool codegen_run_passes(LLVMValueRef function, const char *text)
{
    llvm::PassBuilder builder;
    Analyses analyses(builder);
    llvm::FunctionPassManager passes;
    if (llvm::Error error = builder.parsePassPipeline(passes, text)) {
        llvm::consumeError(std::move(error));
        return false;
    }
    passes.run(*llvm::unwrap<llvm::Function>(function), analyses.functions);
    return true;
}

extern "C" bool codegen_run_module_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *text)
{
    ManyWays many;
    llvm::PassBuilder builder(reinterpret_cast<llvm::TargetMachine *>(machine), {}, {}, &many.callbacks);
    Analyses analyses(builder);
    llvm::ModulePassManager passes;
    if (llvm::Error error = builder.parsePassPipeline(passes, text)) {
        llvm::consumeError(std::move(error));
        return false;
    }
    passes.run(*llvm::unwrap(module), analyses.modules);
    return true;
}

extern "C" void codegen_unroll_load_loops(LLVMValueRef function, unsigned least, unsigned most, unsigned rounds)
{
    LoadLoops(least, most, rounds).mark(*llvm::unwrap<llvm::Function>(function));
}

extern "C" void codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, int level)
{
    static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                     llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
    llvm::PipelineTuningOptions options;
    options.LoopVectorization = level > 1;
    options.SLPVectorization = false;
    ManyWays many;
    llvm::OptNoneInstrumentation unoptimized(false); // `optnone` holds in every pipeline
    unoptimized.registerCallbacks(many.callbacks);
    llvm::PassBuilder builder(reinterpret_cast<llvm::TargetMachine *>(machine), options, {}, &many.callbacks);
    Analyses analyses(builder);
    many.leavesBlocks = level > 1;
    builder.registerVectorizerStartEPCallback([&many](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(ManyWays::Late(many));
        passes.addPass(VectorizerGuards());
    });
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &modules, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2)
            return;
        llvm::FunctionPassManager passes;
        passes.addPass(FloatingPointVectorizer());
        passes.addPass(llvm::VectorCombinePass());
        passes.addPass(llvm::InstCombinePass());
        modules.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
    });
    llvm::ModulePassManager passes = level ? builder.buildPerModuleDefaultPipeline(levels[level])
                                           : builder.buildO0DefaultPipeline(levels[level]);
    passes.run(*llvm::unwrap(module), analyses.modules);
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

extern "C" void codegen_describe_in_space(LLVMValueRef moved, LLVMValueRef global, unsigned space)
{
    llvm::SmallVector<llvm::DIGlobalVariableExpression *, 1> descriptions;
    llvm::unwrap<llvm::GlobalVariable>(global)->getDebugInfo(descriptions);
    for (const llvm::DIGlobalVariableExpression *description : descriptions) {
        llvm::LLVMContext &context = description->getContext();
        llvm::DIExpression *expression = llvm::DIExpression::get(
            context, {llvm::dwarf::DW_OP_constu, space, llvm::dwarf::DW_OP_swap, llvm::dwarf::DW_OP_xderef});
        llvm::unwrap<llvm::GlobalVariable>(moved)->addDebugInfo(
            llvm::DIGlobalVariableExpression::get(context, description->getVariable(), expression));
    }
}

extern "C" void codegen_leave_vectorising(LLVMValueRef branch)
{
    auto *instruction = llvm::unwrap<llvm::Instruction>(branch);
    if (llvm::MDNode *loop = instruction->getMetadata(llvm::LLVMContext::MD_loop))
        instruction->setMetadata(llvm::LLVMContext::MD_loop,
                                 llvm::makePostTransformationMetadata(instruction->getContext(), loop,
                                                                      {"llvm.loop.vectorize.enable"}, {}));
}

extern "C" void codegen_check_warnings(const char *const *names, size_t count, void (*report)(void *, const char *),
                                       void *data)
{
    ForwardWarnings forward(report, data);
    DiagnosticOptions options;
    options.Warnings.assign(names, names + count);
    DiagnosticsEngine engine(new DiagnosticIDs, new DiagnosticOptions, &forward, false);
    ProcessWarningOptions(engine, options, true);
}

extern "C" bool codegen_set_option(const char *name, const char *value)
{
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find(name);
    if (found == options.end() || found->second->getNumOccurrences())
        return false;
    return !found->second->addOccurrence(0, name, value);
}

extern "C" void codegen_reset_option(const char *name)
{
    llvm::cl::getRegisteredOptions().find(name)->second->reset();
}
