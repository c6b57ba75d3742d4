/* From instances to optimised IR: the stages that run once for each target. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct diagnostics *diagnostics;
};

static void report_error(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    struct report *report = data;
    struct place place = {.file = file, .line = line, .column = column};
    diagnose(report->diagnostics, SEVERITY_ERROR, place, NULL, "%s", message);
}

/* The user's file with the loops behind it, so that both are one translation unit. */
static const char *translation_unit(const struct options *options, const struct pass *pass, enum target target,
                                    size_t *size)
{
    const struct source *source = source_open(options->sources, options->input);
    struct text text = {.arena = options->arena};
    text_append(&text, source->text, source->size);
    text_printf(&text, "\n#line 1 \"<loops>\"\n%s", loops(options, pass, target));
    *size = text.size;
    return text.data;
}

static LLVMModuleRef generate(const struct options *options, const struct pass *pass, enum target target, int arch,
                              LLVMContextRef context, struct diagnostics *diagnostics)
{
    struct report report = {diagnostics};
    struct codegen_request request = {.path = options->input, .report = report_error, .report_data = &report,
                                      .files = (const struct codegen_file *)embedded_files,
                                      .file_count = embedded_file_count};
    request.text = translation_unit(options, pass, target, &request.size);
    request.arguments = cc1_arguments(options, target, arch, &pass->binding, &request.argument_count);
    if (options->dump == DUMP_LOOPS)
        printf("%s", request.text);
    LLVMModuleRef module = codegen(context, &request);
    if (module && options->dump == DUMP_CODEGEN)
        LLVMDumpModule(module);
    return module;
}

LLVMModuleRef build_module(const struct options *options, struct program *program, enum target target, int arch,
                           LLVMTargetMachineRef machine, LLVMContextRef context, struct diagnostics *diagnostics)
{
    LLVMModuleRef whole = NULL;
    for (size_t i = 0; i < program->pass_count; i++) {
        struct pass *pass = &program->passes[i];
        LLVMModuleRef module = generate(options, pass, target, arch, context, diagnostics);
        stage_done(options, "codegen");
        if (!module)
            return NULL;
        lower_pass(options, pass, target, i == 0, module);
        if (!whole)
            whole = module;
        else if (LLVMLinkModules2(whole, module))
            fatal("cannot link the passes over '%s'", options->input);
    }
    lower_program(options, target, whole);
    if (target == TARGET_CPU)
        program->cpu_shared_bytes = cpu_shared_bytes(whole);
    if (options->dump == DUMP_LOWER)
        LLVMDumpModule(whole);
    stage_done(options, "lower");
    optimize(options, target, machine, whole);
    stage_done(options, "optimize");
    return whole;
}
