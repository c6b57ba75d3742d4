/* An object in this process: LLVM's ORC links it from memory, as the linker would against libgpucc and libc. */
#define _XOPEN_SOURCE 700
#include "run/run_internal.h"

#include <gpucc/cpu.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
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
#define ENTRY(name) {#name, (void *)name},
#include "../runtime/executor/cpu_entries.def"
#undef ENTRY
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

/* Debuggers are notified of what this one links. */
static LLVMOrcObjectLayerRef debugged_layer(void *data, LLVMOrcExecutionSessionRef session, const char *triple)
{
    (void)data, (void)triple;
    LLVMOrcObjectLayerRef layer = LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(session);
    LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, LLVMCreateGDBRegistrationListener());
    return layer;
}

struct jit *jit_load(struct bytes object, bool for_debuggers)
{
    struct jit *jit = calloc(1, sizeof *jit);
    LLVMOrcDefinitionGeneratorRef libc;
    if (!jit)
        fatal("out of memory");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    if (for_debuggers)
        LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, debugged_layer, NULL);
    must(jit, LLVMOrcCreateLLJIT(&jit->engine, builder), "start LLVM's linker");
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
