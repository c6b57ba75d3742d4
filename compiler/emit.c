/* From optimised IR to PTX, objects and IR files. */
#include "backend.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <string.h>

/* Copies LLVM's buffer into the arena and frees it. */
static struct bytes take(const struct options *options, LLVMMemoryBufferRef buffer)
{
    size_t size = LLVMGetBufferSize(buffer);
    struct bytes bytes = {arena_strndup(options->arena, LLVMGetBufferStart(buffer), size), size};
    LLVMDisposeMemoryBuffer(buffer);
    return bytes;
}

static struct bytes emit(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module,
                         LLVMCodeGenFileType type)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer))
        fatal("%s", message);
    return take(options, buffer);
}

struct bytes emit_assembly(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    return emit(options, machine, module, LLVMAssemblyFile);
}

struct bytes emit_ptx(const struct options *options, const struct program *program, int arch, struct bytes code,
                      struct diagnostics *diagnostics)
{
    code = merge_ptx(options, program, arch, code, diagnostics);
    struct text text = {.arena = options->arena};
    text_printf(&text, "// gpucc-abi: %016llx\n", (unsigned long long)program->abi);
    text_append(&text, code.data, code.size);
    return (struct bytes){text.data, text.size};
}

struct bytes emit_assembled(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    return emit(options, machine, module, LLVMObjectFile);
}

struct bytes emit_ll(const struct options *options, LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    struct bytes bytes = {arena_strdup(options->arena, text), strlen(text)};
    LLVMDisposeMessage(text);
    return bytes;
}

struct bytes emit_bc(const struct options *options, LLVMModuleRef module)
{
    return take(options, LLVMWriteBitcodeToMemoryBuffer(module));
}
