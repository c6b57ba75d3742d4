/* From optimised IR to PTX, objects and IR files. */
#include "backend.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
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

/* PTX's names have no dots, as `f.table` of a static variable in f has one.  LLVM renames these too, but its debug
 * information goes on calling them by the old name. */
static void take_dots_out(const struct options *options, LLVMModuleRef module)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global)) {
        struct text text = {.arena = options->arena};
        size_t length;
        const char *name = LLVMGetValueName2(global, &length);
        if (LLVMGetLinkage(global) != LLVMInternalLinkage && LLVMGetLinkage(global) != LLVMPrivateLinkage)
            continue;
        for (size_t i = 0; i < length; i++)
            text_append(&text, name[i] == '.' ? "_$_" : &name[i], name[i] == '.' ? 3 : 1);
        LLVMSetValueName2(global, text.data ? text.data : "", text.size);
    }
}

struct bytes emit_assembly(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    if (!strncmp(LLVMGetTarget(module), "nvptx", 5))
        take_dots_out(options, module);
    return emit(options, machine, module, LLVMAssemblyFile);
}

/* The directive that packed_cluster() stands for, in LLVM's text. */
static struct bytes unpack_clusters(const struct options *options, struct bytes code)
{
    static const char packed[] = ".maxclusterrank ";
    struct text text = {.arena = options->arena};
    const char *from = code.data, *at;
    if (!strstr(from, packed))
        return code;
    for (; (at = strstr(from, packed)); from = at + strcspn(at, "\n")) {
        unsigned long extents = strtoul(at + sizeof packed - 1, NULL, 10);
        text_append(&text, from, (size_t)(at - from));
        text_printf(&text, ".explicitcluster\n.reqnctapercluster %lu, %lu, %lu", extents & 255, extents >> 8 & 255,
                    extents >> 16);
    }
    text_append(&text, from, strlen(from));
    return (struct bytes){text.data, text.size};
}

struct bytes emit_ptx(const struct options *options, const struct program *program, int arch, struct bytes code,
                      struct diagnostics *diagnostics)
{
    code = merge_ptx(options, program, arch, unpack_clusters(options, code), diagnostics);
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
