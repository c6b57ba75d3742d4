/* Build-time tool: the math library as bitcode.  gpucc-bitcode ptx|cpu OUT.bc STDLIB SOURCE.c…
 * Each function stands alone in it, so that a program links only those that it calls. */
#include "codegen.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "gpucc-bitcode: %s\n", what);
    exit(1);
}

static void report(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    (void)data;
    fprintf(stderr, "%s:%u:%u: error: %s\n", file ? file : "?", line, column, message);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail(path);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(*size + 1, 1);
    if (!text || fread(text, 1, *size, file) != *size)
        fail(path);
    fclose(file);
    return text;
}

static LLVMModuleRef compile(LLVMContextRef context, const char *path, const char *stdlib, bool ptx)
{
    char include[4096];
    snprintf(include, sizeof include, "%s/include", stdlib);
    const char *arguments[] = {
        "-triple", ptx ? "nvptx64-nvidia-cuda" : "x86_64-unknown-linux-gnu", "-target-cpu", ptx ? "sm_75" : "x86-64-v3",
        "-mrelocation-model", "pic", "-pic-level", "2", "-emit-llvm-only", "-O2", "-disable-llvm-passes",
        "-nostdsysteminc", "-nobuiltininc", "-ffp-contract=off", "-std=c17", "-ffreestanding", "-fno-builtin",
        "-ffloat16-excess-precision=none", "-D__GPUCC__=1", "-isystem", include, "-w", "-x", "c", path};
    struct codegen_request request = {.path = path, .arguments = arguments,
                                      .argument_count = sizeof arguments / sizeof *arguments, .report = report};
    char *text = read_all(path, &request.size);
    request.text = text;
    LLVMModuleRef module = codegen(context, &request);
    free(text);
    if (!module)
        fail(path);
    return module;
}

/* Functions of one target fit every processor of it. */
static void strip_processor(LLVMModuleRef module)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
}

int main(int argc, char **argv)
{
    if (argc < 5)
        fail("usage: gpucc-bitcode ptx|cpu OUT.bc STDLIB SOURCE.c…");
    bool ptx = !strcmp(argv[1], "ptx");
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef library = NULL;
    for (int i = 4; i < argc; i++) {
        LLVMModuleRef module = compile(context, argv[i], argv[3], ptx);
        if (!library)
            library = module;
        else if (LLVMLinkModules2(library, module))
            fail(argv[i]);
    }
    strip_processor(library);
    /* Smaller code is read faster by every compilation. */
    LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
    if (LLVMRunPasses(library, "always-inline,function(sroa,early-cse,simplifycfg),globaldce", NULL, passes))
        fail("optimisation failed");
    LLVMDisposePassBuilderOptions(passes);
    if (LLVMWriteBitcodeToFile(library, argv[2]))
        fail(argv[2]);
    LLVMDisposeModule(library);
    LLVMContextDispose(context);
    return 0;
}
