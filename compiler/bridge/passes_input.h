// C++, a part of codegen.cpp: the text, arguments and files of a device pass, the same as the host pass has.
#ifndef GPUCC_PASSES_INPUT_H
#define GPUCC_PASSES_INPUT_H

#include "bridge/bridge.h"
#include "bridge/passes_probes.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <string>
#include <system_error>

using namespace clang;

namespace {

// The files of the machine, without those whose reading may not end: devices, and FIFOs, which wait for writers.
class FiniteFiles : public llvm::vfs::ProxyFileSystem {
public:
    FiniteFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, std::string *refused)
        : ProxyFileSystem(std::move(files)), refused(refused)
    {
    }

    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override
    {
        auto status = ProxyFileSystem::status(path);
        if (!status || status->isRegularFile() || status->isDirectory() || path.str() == "/dev/null")
            return ProxyFileSystem::openFileForRead(path);
        if (refused)
            *refused = path.str();
        return std::make_error_code(std::errc::invalid_seek);
    }

private:
    std::string *refused; // the last one's path
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const codegen_request &request, std::string *refused)
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (size_t i = 0; i < request.file_count; i++) {
        const codegen_file &file = request.files[i];
        llvm::StringRef data(file.data, file.size);
        memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(data, file.path, false));
    }
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk =
        llvm::makeIntrusiveRefCnt<FiniteFiles>(llvm::vfs::getRealFileSystem(), refused);
    if (request.probe)
        disk = llvm::makeIntrusiveRefCnt<WatchedFiles>(disk, request);
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
    overlay->pushOverlay(memory);
    return overlay;
}

// False after reporting to `consumer` errors in the arguments.  `refused`: the last file that is not read, or null.
bool prepare(CompilerInstance &compiler, DiagnosticConsumer &consumer, const codegen_request &request,
             std::string *refused = nullptr)
{
    auto diagnostics = CompilerInstance::createDiagnostics(new DiagnosticOptions, &consumer, false);
    auto invocation = std::make_shared<CompilerInvocation>();
    if (!CompilerInvocation::CreateFromArgs(*invocation, llvm::ArrayRef(request.arguments, request.argument_count),
                                            *diagnostics))
        return false;
    auto remap = [&](const char *path, const char *text, size_t size) { // the buffer is Clang's to free
        invocation->getPreprocessorOpts().addRemappedFile(
            path, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text, size), path).release());
    };
    for (size_t i = 0; i < request.own_count; i++)
        remap(request.own_files[i].path, request.own_files[i].data, request.own_files[i].size);
    remap(request.path, request.text, request.size);
    invocation->getDiagnosticOpts().ShowCarets = false; // or Clang counts the errors on standard error
    compiler.setInvocation(std::move(invocation));
    compiler.createDiagnostics(&consumer, false);
    compiler.createFileManager(file_system(request, refused));
    return true;
}

} // namespace

#endif
