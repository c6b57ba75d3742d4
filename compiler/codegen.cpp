// What Clang and LLVM do that their C interfaces have no entry for.  The only C++ file of the compiler.
#include "codegen.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
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
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/VirtualFileSystem.h>
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

// What is said about the options themselves.
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
    // The buffer is Clang's to free.
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

extern "C" void codegen_check_warnings(const char *const *names, size_t count, void (*report)(void *, const char *),
                                       void *data)
{
    ForwardWarnings forward(report, data);
    DiagnosticOptions options;
    options.Warnings.assign(names, names + count);
    DiagnosticsEngine engine(new DiagnosticIDs, new DiagnosticOptions, &forward, false);
    ProcessWarningOptions(engine, options, true);
}

extern "C" void codegen_when_out_of_memory(void (*handler)(void))
{
    std::set_new_handler(handler);
    llvm::install_bad_alloc_error_handler(
        [](void *data, const char *, bool) { reinterpret_cast<void (*)(void)>(data)(); },
        reinterpret_cast<void *>(handler));
}

extern "C" void codegen_enable_crash_trace(void)
{
    llvm::EnablePrettyStackTrace();
}

extern "C" void codegen_print_crash_trace(void)
{
    llvm::sys::RunSignalHandlers();
}
