/* An object in this process: LLVM's ORC links it from memory, as the linker would against libgpucc and libc. */
#define _XOPEN_SOURCE 700
#include "run.h"

#include <gpucc/cpu.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

struct jit {
    LLVMOrcLLJITRef engine;
    char *reason; /* the first that the linker gave; its errors themselves only say what could not be had for it */
};

/* Does not return where there is an error. */
static void must(const struct jit *jit, LLVMErrorRef error, const char *what)
{
    if (error)
        fatal("cannot %s: %s", what, jit->reason ? jit->reason : LLVMGetErrorMessage(error));
}

static void note_reason(void *data, LLVMErrorRef error)
{
    struct jit *jit = data;
    char *message = LLVMGetErrorMessage(error);
    if (!jit->reason)
        jit->reason = strdup(message);
    LLVMDisposeErrorMessage(message);
}

/* libgpucc is part of this executable, whose symbols the dynamic linker does not know. */
static void add_runtime_symbols(const struct jit *jit, LLVMOrcJITDylibRef library)
{
    const struct {
        const char *name;
        void *address;
    } symbols[] = {
#define SYMBOL(name) {#name, (void *)name}
        SYMBOL(gpucc_cpu_self),        SYMBOL(gpucc_cpu_barrier),      SYMBOL(gpucc_cpu_barrier_count),
        SYMBOL(gpucc_cpu_barrier_grid), SYMBOL(gpucc_cpu_scratch),  SYMBOL(gpucc_cpu_agree),
        SYMBOL(gpucc_cpu_out_of_bounds), SYMBOL(gpucc_cpu_misaligned), SYMBOL(gpucc_cpu_check_atomic),
        SYMBOL(gpucc_cpu_warp_sync),   SYMBOL(gpucc_cpu_warp_shuffle), SYMBOL(gpucc_cpu_warp_vote),
        SYMBOL(gpucc_cpu_warp_match),  SYMBOL(gpucc_cpu_warp_reduce),  SYMBOL(gpucc_cpu_warp_active),
        SYMBOL(gpucc_cpu_warp_yield),  SYMBOL(gpucc_cpu_fail),         SYMBOL(gpucc_cpu_cycles),
        SYMBOL(gpucc_cpu_cluster_arrive), SYMBOL(gpucc_cpu_cluster_wait), SYMBOL(gpucc_cpu_cluster_map),
        SYMBOL(gpucc_cpu_cluster_rank),
        SYMBOL(gpucc_cpu_nanoseconds), SYMBOL(gpucc_cpu_breakpoint),  SYMBOL(gpucc_cpu_warp_together),
#undef SYMBOL
    };
    enum { COUNT = sizeof symbols / sizeof *symbols };
    LLVMOrcCSymbolMapPair pairs[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit->engine, symbols[i].name);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        pairs[i].Sym.Flags.TargetFlags = 0;
    }
    must(jit, LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(pairs, COUNT)),
         "offer the runtime to compiled code");
}

struct jit *jit_load(struct bytes object)
{
    struct jit *jit = calloc(1, sizeof *jit);
    LLVMOrcDefinitionGeneratorRef libc;
    if (!jit)
        fatal("out of memory");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    must(jit, LLVMOrcCreateLLJIT(&jit->engine, NULL), "start LLVM's linker");
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->engine), note_reason, jit);
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->engine);
    add_runtime_symbols(jit, library);
    char prefix = LLVMOrcLLJITGetGlobalPrefix(jit->engine);
    must(jit, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&libc, prefix, NULL, NULL), "find the C library");
    LLVMOrcJITDylibAddGenerator(library, libc);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data, object.size, "program");
    must(jit, LLVMOrcLLJITAddObjectFile(jit->engine, library, buffer), "link the program");
    return jit;
}

void *jit_symbol(struct jit *jit, const char *name)
{
    LLVMOrcExecutorAddress address;
    must(jit, LLVMOrcLLJITLookup(jit->engine, &address, name), "link the program");
    return (void *)(uintptr_t)address;
}

void jit_free(struct jit *jit)
{
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->engine);
    if (error)
        LLVMConsumeError(error);
    free(jit->reason);
    free(jit);
}
