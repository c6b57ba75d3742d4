/* --math=libdevice: NVIDIA's library in the place of ours, for who must have CUDA's results to the bit.  What is asked
 * of __nvvm_reflect() is in "libdevice User's Guide", chapter 3; the numbers are those of nvcc's defaults. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libdevice.10.bc"

static const char *name_of(LLVMValueRef value)
{
    size_t size;
    return LLVMGetValueName2(value, &size);
}

/* ---- finding it ---- */

/* Opens the first of the places where it may be under `path`: the file itself, its folder, a CUDA Toolkit. */
static const struct source *open_under(const struct options *options, const char *path, struct text *tried)
{
    static const char *const places[] = {"", "/" LIBRARY, "/nvvm/libdevice/" LIBRARY};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *name = arena_printf(options->arena, "%s%s", path, places[i]);
        const struct source *source = source_open(options->sources, name);
        if (source)
            return source;
        if (*places[i])
            text_printf(tried, "%s'%s'", tried->size ? ", " : "", name);
    }
    return NULL;
}

void read_libdevice(const struct options *options, struct files *files)
{
    struct text tried = {.arena = options->arena};
    const char *home = getenv("CUDA_HOME");
    const struct source *source = NULL;
    if (options->libdevice_path)
        source = open_under(options, options->libdevice_path, &tried);
    else if (home && *home)
        source = open_under(options, home, &tried);
    if (!source && !options->libdevice_path)
        source = open_under(options, "/usr/local/cuda", &tried);
    if (!source)
        fatal("--math=libdevice: there is no " LIBRARY "; looked for %s (--math=libdevice:PATH says where it is)",
              tried.data);
    files->libdevice = (struct bytes){source->text, source->size};
    files->libdevice_path = source->path;
}

/* ---- its functions for ours ---- */

/* gpucc_sinf becomes __nv_sinf, where there is one of that type; what has none stays ours. */
static void rename_calls(const struct options *options, LLVMModuleRef module, LLVMModuleRef library)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || strncmp(name_of(f), "gpucc_", 6))
            continue;
        const char *name = arena_printf(options->arena, "__nv_%s", name_of(f) + 6);
        LLVMValueRef theirs = LLVMGetNamedFunction(library, name);
        if (theirs && LLVMGlobalGetValueType(theirs) == LLVMGlobalGetValueType(f))
            LLVMSetValueName2(f, name, strlen(name));
    }
}

void link_libdevice(const struct options *options, const struct program *program, LLVMModuleRef module)
{
    const struct files *files = program->files;
    LLVMModuleRef library = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(files->libdevice.data, files->libdevice.size,
                                                                       files->libdevice_path, false);
    if (LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &library, &message))
        fatal("%s is no library for this LLVM: %.*s", files->libdevice_path, (int)strcspn(message, "\n"), message);
    rename_calls(options, module, library);
    LLVMDisposeModule(library);
    if (!codegen_link(module, files->libdevice.data, files->libdevice.size))
        fatal("%s cannot be linked to the program", files->libdevice_path);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !strncmp(name_of(f), "__nv_", 5))
            LLVMSetLinkage(f, LLVMInternalLinkage);
}

/* ---- __nvvm_reflect() ---- */

/* The string that the argument points to, or "". */
static const char *asked(LLVMValueRef call)
{
    LLVMValueRef text = LLVMGetOperand(call, 0);
    size_t size;
    while (LLVMIsAConstantExpr(text))
        text = LLVMGetOperand(text, 0);
    LLVMValueRef value = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
    return value && LLVMIsConstantString(value) ? LLVMGetAsString(value, &size) : "";
}

static unsigned answer(const struct options *options, const char *question, int arch)
{
    if (!strcmp(question, "__CUDA_ARCH"))
        return (unsigned)(arch & ~ARCH_SPECIFIC) * 10;
    if (!strcmp(question, "__CUDA_FTZ"))
        return options->fast_math;
    if (!strcmp(question, "__CUDA_PREC_SQRT") || !strcmp(question, "__CUDA_PREC_DIV"))
        return !options->fast_math;
    return 0;
}

void lower_reflection(const struct options *options, int arch, LLVMModuleRef module)
{
    LLVMValueRef reflect = LLVMGetNamedFunction(module, "__nvvm_reflect");
    LLVMUseRef next;
    for (LLVMUseRef use = reflect ? LLVMGetFirstUse(reflect) : NULL; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call))
            continue;
        unsigned value = answer(options, asked(call), arch);
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), value, false));
        LLVMInstructionEraseFromParent(call);
    }
}
