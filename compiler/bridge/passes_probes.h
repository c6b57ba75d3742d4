// C++, a part of codegen.cpp: what a pass depends on besides its text: files that it looks up, and the clock.
#ifndef GPUCC_PASSES_PROBES_H
#define GPUCC_PASSES_PROBES_H

#include "bridge/bridge.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>

using namespace clang;

namespace {

// Tells of macros whose values are the time or the date, and of what is embedded.
class Watch : public PPCallbacks {
public:
    explicit Watch(const codegen_request &request) : request(request) {}

    void MacroExpands(const Token &name, const MacroDefinition &macro, SourceRange, const MacroArgs *) override
    {
        llvm::StringRef text = name.getIdentifierInfo()->getName();
        if (macro.getMacroInfo()->isBuiltinMacro() &&
            (text == "__DATE__" || text == "__TIME__" || text == "__TIMESTAMP__"))
            request.probe(request.user_data, PROBE_CLOCK, nullptr);
    }

    void EmbedDirective(SourceLocation, llvm::StringRef, bool, OptionalFileEntryRef file,
                        const LexEmbedParametersResult &) override
    {
        request.probe(request.user_data, PROBE_FOLDER, nullptr);
        if (file && !file->getName().starts_with(request.own_folder))
            request.include(request.user_data, file->getName().str().c_str(), false);
    }

    void HasEmbed(SourceLocation, llvm::StringRef, bool, OptionalFileEntryRef) override
    {
        request.probe(request.user_data, PROBE_FOLDER, nullptr);
    }

private:
    const codegen_request &request;
};

// The files of the machine; reports each that is opened or looked up.
class WatchedFiles : public llvm::vfs::ProxyFileSystem {
public:
    WatchedFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const codegen_request &request)
        : ProxyFileSystem(std::move(files)), request(request)
    {
    }

    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
    {
        auto result = ProxyFileSystem::status(path);
        if (!result)
            request.probe(request.user_data, PROBE_NOTHING, path.str().c_str());
        return result;
    }

    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override
    {
        auto result = ProxyFileSystem::openFileForRead(path);
        request.probe(request.user_data, result ? PROBE_FILE : PROBE_NOTHING, path.str().c_str());
        return result;
    }

private:
    const codegen_request &request;
};

// Reads the source for what it looks for alone.
class ProbeAction : public PreprocessorFrontendAction {
public:
    explicit ProbeAction(const codegen_request &request) : request(request) {}

protected:
    void ExecuteAction() override
    {
        Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
        Token token;
        preprocessor.addPPCallbacks(std::make_unique<Watch>(request));
        preprocessor.EnterMainSourceFile();
        do
            preprocessor.Lex(token);
        while (token.isNot(tok::eof));
    }

private:
    const codegen_request &request;
};

} // namespace

#endif
