/* From instances to optimised IR: the stages that run once for each target. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Held around diagnostics and sources, which all threads share. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of every architecture: threads in a block, blocks on a multiprocessor, registers that a thread may be limited to. */
enum { BLOCK_THREADS = 1024, MULTIPROCESSOR_BLOCKS = 32, LEAST_REGISTERS = 16, MOST_REGISTERS = 255 };

void build_error(struct diagnostics *diagnostics, struct place place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&shared_lock);
    diagnose(diagnostics, SEVERITY_ERROR, place, NULL, "%s", message);
    pthread_mutex_unlock(&shared_lock);
}

static void report_error(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    struct diagnostics *diagnostics = data;
    build_error(diagnostics, (struct place){.file = file, .line = line, .column = column}, "%s", message);
}

/* What LLVM cannot make code of; it then goes on, and may crash over what it left undone. */
static void report_back_end(void *data, const char *file, unsigned line, unsigned column, const char *message)
{
    struct diagnostics *diagnostics = data;
    const char *function = crash_function();
    pthread_mutex_lock(&shared_lock);
    if (file)
        diagnose(diagnostics, SEVERITY_ERROR, (struct place){file, line, column, 0}, NULL, "%s", message);
    else
        diagnose(diagnostics, SEVERITY_ERROR, (struct place){0}, NULL, "no code can be made of '%s': %s",
                 function ? function : "this file", message);
    diagnostics_flush(diagnostics);
    pthread_mutex_unlock(&shared_lock);
    crash_explained();
}

LLVMContextRef build_context(struct diagnostics *diagnostics)
{
    LLVMContextRef context = LLVMContextCreate();
    codegen_watch(context, report_back_end, diagnostics);
    return context;
}

LLVMContextRef program_context(const struct program *program, enum target target, int arch,
                               struct diagnostics *diagnostics)
{
    LLVMContextRef context = ahead_context(program->ahead, target, arch);
    return context ? context : build_context(diagnostics);
}

const struct source *build_source(const struct options *options, const char *path)
{
    pthread_mutex_lock(&shared_lock);
    const struct source *source = source_open(options->sources, path);
    pthread_mutex_unlock(&shared_lock);
    return source;
}

/* The user's file with the loops behind it, so that both are one translation unit. */
static const char *translation_unit(const struct options *options, const struct pass *pass, const char *loops,
                                    size_t *size)
{
    const struct source *source = build_source(options, pass->unit->path);
    struct text text = {.arena = options->arena};
    text_append(&text, without_linkage(source, options->arena), source->size);
    text_printf(&text, "\n%s%s", loops_prologue, loops);
    *size = text.size;
    return text.data;
}

static LLVMModuleRef generate(const struct options *options, struct ahead *ahead, const struct pass *pass,
                              enum target target, int arch, LLVMContextRef context, struct diagnostics *diagnostics)
{
    const char *text = loops(options, pass, target);
    LLVMModuleRef module = ahead_finish(ahead, target, arch, text);
    if (module)
        return module;
    struct codegen_request request = {.path = pass->unit->path, .report = report_error, .report_data = diagnostics,
                                      .files = (const struct codegen_file *)embedded_files,
                                      .file_count = embedded_header_count()};
    request.text = translation_unit(options, pass, text, &request.size);
    request.arguments = cc1_arguments(options, target, arch, pass, &request.argument_count);
    if (options->dump == DUMP_LOOPS)
        printf("%s", request.text);
    module = codegen(context, &request);
    if (module && options->dump == DUMP_CODEGEN)
        LLVMDumpModule(module);
    return module;
}

/* What is wrong with a kernel's cluster(…), or null. */
static const char *wrong_cluster(const struct options *options, const struct instance *kernel)
{
    const int x = (int)kernel->cluster[0], y = (int)kernel->cluster[1], z = (int)kernel->cluster[2];
    const char *name = kernel->function->name;
    if (kernel->cluster_count > 3)
        return arena_printf(options->arena, "cluster(…) for '%s' has %u numbers, but a grid has 3 dimensions", name,
                            kernel->cluster_count);
    if (x < 1 || y < 1 || z < 1)
        return arena_printf(options->arena,
                            "cluster(%d, %d, %d) for '%s', but a cluster has at least one block in each dimension", x, y,
                            z, name);
    if (x > CLUSTER_BLOCKS || y > CLUSTER_BLOCKS || z > CLUSTER_BLOCKS || x * y * z > CLUSTER_BLOCKS)
        return arena_printf(options->arena,
                            "cluster(%d, %d, %d) for '%s' has more blocks than devices take: %d, some up to %d", x, y, z,
                            name, CLUSTER_PORTABLE_BLOCKS, CLUSTER_BLOCKS);
    return NULL;
}

/* What is wrong with a kernel's options, or null. */
static const char *wrong_option(const struct options *options, const struct instance *kernel)
{
    const struct function *function = kernel->function;
    const int threads = (int)kernel->launch_threads, blocks = (int)kernel->launch_blocks;
    const int registers = (int)kernel->max_registers;
    struct arena *arena = options->arena;
    if (function->has_launch_bounds && (threads < 1 || threads > BLOCK_THREADS))
        return arena_printf(arena, "launch_bounds(%d) for '%s', but a block has 1 to %d threads", threads,
                            function->name, BLOCK_THREADS);
    if (function->has_launch_bounds && (blocks < 0 || blocks > MULTIPROCESSOR_BLOCKS))
        return arena_printf(arena, "launch_bounds(%d, %d) for '%s', but a multiprocessor holds at most %d blocks",
                            threads, blocks, function->name, MULTIPROCESSOR_BLOCKS);
    if (function->has_max_registers && (registers < LEAST_REGISTERS || registers > MOST_REGISTERS))
        return arena_printf(arena, "max_registers(%d) for '%s', but a thread is given %d to %d registers", registers,
                            function->name, LEAST_REGISTERS, MOST_REGISTERS);
    if (function->has_max_registers && blocks)
        return arena_printf(arena,
                            "'%s' has both max_registers(%d) and launch_bounds(%d, %d), whose second number sets the "
                            "registers too: leave one of them out",
                            function->name, registers, threads, blocks);
    return function->has_cluster ? wrong_cluster(options, kernel) : NULL;
}

/* Their values are constants of C, known when Clang has made code. */
static bool check_kernel_options(const struct options *options, const struct pass *pass,
                                 struct diagnostics *diagnostics)
{
    bool right = true;
    for (size_t i = 0; i < pass->instance_count; i++) {
        const struct instance *instance = &pass->instances[i];
        const char *wrong = instance->function->kind == FUNCTION_KERNEL ? wrong_option(options, instance) : NULL;
        if (wrong)
            build_error(diagnostics, instance->function->place, "%s", wrong);
        right &= !wrong;
    }
    return right;
}

/* What the manifest says of native functions. */
static void note_native(const struct options *options, struct program *program, LLVMModuleRef module)
{
    program->cpu_shared_bytes = cpu_shared_bytes(module);
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++) {
            struct instance *instance = &program->passes[p].instances[i];
            const char *name = arena_printf(options->arena, "%s_block", instance->symbol);
            instance->runs_blocks = LLVMGetNamedFunction(module, name) != NULL;
        }
}

LLVMModuleRef build_module(const struct options *options, struct program *program, enum target target, int arch,
                           LLVMContextRef context, struct diagnostics *diagnostics)
{
    LLVMModuleRef whole = NULL;
    for (size_t i = 0; i < program->pass_count; i++) {
        struct pass *pass = &program->passes[i];
        LLVMModuleRef module = generate(options, program->ahead, pass, target, arch, context, diagnostics);
        stage_done(options, "codegen");
        if (!module)
            return NULL;
        lower_pass(options, pass, target, module);
        bool tells = target == TARGET_PTX || !options->arch_count; /* once, where both are made */
        if (tells && !check_kernel_options(options, pass, diagnostics))
            return NULL;
        if (!whole)
            whole = module;
        else if (LLVMLinkModules2(whole, module))
            fatal("cannot link '%s' to what stands before it", pass->unit->path);
    }
    if (!link_modules(program, target, whole, diagnostics))
        return NULL;
    if (!lower_program(options, program, target, arch, whole, diagnostics))
        return NULL;
    if (target == TARGET_CPU)
        note_native(options, program, whole);
    if (options->dump == DUMP_LOWER)
        LLVMDumpModule(whole);
    stage_done(options, "lower");
    return whole;
}
