/* LLVM's contexts, whose errors become diagnostics. */
#include "base/base.h"
#include "bridge/bridge.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>

/* Reports code that LLVM cannot generate; LLVM goes on, and may crash over the missing part. */
static void report_back_end(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    struct diagnostics *diagnostics = data;
    const char *function = crash_function();
    if (file)
        diagnose(diagnostics, SEVERITY_ERROR, (struct place){file, line, column, 0}, NULL, "%s", message);
    else
        diagnose(diagnostics, SEVERITY_ERROR, (struct place){0}, NULL, "cannot generate code for '%s': %s",
                 function ? function : "this file", message);
    diagnostics_flush(diagnostics);
    crash_explained();
}

LLVMContextRef llvm_context_new(struct diagnostics *diagnostics)
{
    LLVMContextRef context = LLVMContextCreate();
    codegen_watch(context, report_back_end, diagnostics);
    return context;
}

LLVMModuleRef llvm_module_read(LLVMContextRef context, LLVMMemoryBufferRef bitcode)
{
    LLVMModuleRef module;
    if (LLVMParseBitcodeInContext2(context, bitcode, &module))
        fatal("LLVM cannot read the bitcode that it wrote");
    return module;
}
