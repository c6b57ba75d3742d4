/* An object in this process: LLVM's ORC links it from memory, as the linker would against libgpucc and libc. */
#include "run.h"

#include <gpucc/cpu.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <stdlib.h>

struct jit {
    LLVMOrcLLJITRef engine;
};

static void must(LLVMErrorRef error, const char *what)
{
    if (error)
        fatal("cannot %s: %s", what, LLVMGetErrorMessage(error));
}

/* libgpucc is part of this executable, whose symbols the dynamic linker does not know. */
static void add_runtime_symbols(LLVMOrcLLJITRef engine, LLVMOrcJITDylibRef library)
{
    const struct {
        const char *name;
        void *address;
    } symbols[] = {{"gpucc_cpu_self", (void *)gpucc_cpu_self}, {"gpucc_cpu_barrier", (void *)gpucc_cpu_barrier}};
    enum { COUNT = sizeof symbols / sizeof *symbols };
    LLVMOrcCSymbolMapPair pairs[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(engine, symbols[i].name);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        pairs[i].Sym.Flags.TargetFlags = 0;
    }
    must(LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(pairs, COUNT)), "offer the runtime to compiled code");
}

struct jit *jit_load(struct bytes object)
{
    struct jit *jit = malloc(sizeof *jit);
    LLVMOrcDefinitionGeneratorRef libc;
    if (!jit)
        fatal("out of memory");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    must(LLVMOrcCreateLLJIT(&jit->engine, NULL), "start LLVM's linker");
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->engine);
    add_runtime_symbols(jit->engine, library);
    must(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&libc, LLVMOrcLLJITGetGlobalPrefix(jit->engine), NULL,
                                                              NULL),
         "find the C library");
    LLVMOrcJITDylibAddGenerator(library, libc);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data, object.size, "program");
    must(LLVMOrcLLJITAddObjectFile(jit->engine, library, buffer), "link the program");
    return jit;
}

void *jit_symbol(struct jit *jit, const char *name)
{
    LLVMOrcExecutorAddress address;
    must(LLVMOrcLLJITLookup(jit->engine, &address, name), "link the program");
    return (void *)(uintptr_t)address;
}

void jit_free(struct jit *jit)
{
    if (!jit)
        return;
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->engine);
    if (error)
        LLVMConsumeError(error);
    free(jit);
}
