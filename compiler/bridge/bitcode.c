/* Build-time tool: a file of the math library as bitcode.  gpucc-bitcode MACHINE OUT.bc STDLIB SOURCE.c
 * Each function stands alone in it, so that a program links only those that it calls; OUT.names says which there are,
 * so that it reads only the files that have them. */
#include "bridge/bridge.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
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
    fseek(file, 0, SEEK_SET);
    char *text = calloc(*size + 1, 1);
    if (!text || fread(text, 1, *size, file) != *size)
        fail(path);
    fclose(file);
    return text;
}

/* Clang's arguments for a machine; any processor of it will do. */
static const struct machine {
    const char *name, *triple, *processor;
} machines[] = {
    {"nvptx64", "nvptx64-nvidia-cuda", "sm_75"},
    {"x86_64", "x86_64-unknown-linux-gnu", "x86-64-v3"},
    {"aarch64", "aarch64-unknown-linux-gnu", "generic"},
};

static const struct machine *find_machine(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (!strcmp(machines[i].name, name))
            return &machines[i];
    fail("usage: gpucc-bitcode nvptx64|x86_64|aarch64 OUT.bc STDLIB SOURCE.c");
}

static LLVMModuleRef compile(LLVMContextRef context, const char *path, const char *stdlib,
                             const struct machine *machine)
{
    char include[4096];
    snprintf(include, sizeof include, "%s/include", stdlib);
    const char *arguments[] = {
        "-triple", machine->triple, "-target-cpu", machine->processor,
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

/* OUT.names, for OUT.bc: the functions that others may call, each in a line of its own. */
static void write_names(LLVMModuleRef module, const char *bitcode)
{
    char path[4096];
    size_t size;
    snprintf(path, sizeof path, "%.*s.names", (int)(strlen(bitcode) - strlen(".bc")), bitcode);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(path);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            fprintf(file, "%s\n", LLVMGetValueName2(f, &size));
    if (fclose(file))
        fail(path);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: gpucc-bitcode MACHINE OUT.bc STDLIB SOURCE.c");
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = compile(context, argv[4], argv[3], find_machine(argv[1]));
    strip_processor(module);
    /* Smaller code is read faster by every compilation, which sees by the attributes that equal calls are one. */
    LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
    if (LLVMRunPasses(module, "always-inline,function(sroa,early-cse,simplifycfg),cgscc(function-attrs),globaldce",
                      NULL, passes))
        fail("optimisation failed");
    LLVMDisposePassBuilderOptions(passes);
    if (LLVMWriteBitcodeToFile(module, argv[2]))
        fail(argv[2]);
    write_names(module, argv[2]);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return 0;
}
