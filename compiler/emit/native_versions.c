/* Native code for several targets: lowered once, for each of them optimised in a thread of its own, and joined into one
 * module again, in which every function and variable of hosts' has its target behind its name. */
#define _XOPEN_SOURCE 700
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* One target's code, in its thread. */
struct version {
    struct build build; /* the whole one, with an arena of its own */
    enum gpucc_native_target target;
    LLVMMemoryBufferRef lowered, optimised; /* bitcode: the first of all targets, in memory that they share */
    pthread_t thread;
    bool threaded;
};

const char *native_symbol(struct arena *arena, const char *name, enum gpucc_native_target target)
{
    return arena_printf(arena, "%s.%s", name, native_target(target)->name);
}

static void set_text(LLVMValueRef function, const char *key, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value)));
}

/* In the joined module each function says for which processor it is. */
static void set_processor(LLVMModuleRef module, const struct native_target *target)
{
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f))
            continue;
        set_text(f, "target-cpu", target->processor);
        set_text(f, "target-features", target->features);
    }
}

static void rename_as(struct arena *arena, LLVMValueRef global, enum gpucc_native_target target)
{
    const char *name = native_symbol(arena, name_of(global), target);
    LLVMSetValueName2(global, name, strlen(name));
}

/* Tests that emulate a GPU find variables by name, like the driver does. */
static void set_names(const struct build *build, LLVMModuleRef module, enum gpucc_native_target target)
{
    struct arena *arena = build->options.arena;
    for (size_t i = 0; i < build->native_count; i++)
        rename_as(arena, LLVMGetNamedFunction(module, build->natives[i]), target);
    for (size_t i = 0; i < build->program.global_count && !build->options.emulate; i++)
        rename_as(arena, LLVMGetNamedGlobal(module, build->program.globals[i].name), target);
}

/* The object exports them to nobody but the runtime. */
static void hide_names(const struct build *build, enum gpucc_native_target target)
{
    struct arena *arena = build->options.arena;
    for (size_t i = 0; i < build->native_count; i++)
        LLVMSetLinkage(LLVMGetNamedFunction(build->module, native_symbol(arena, build->natives[i], target)),
                       LLVMInternalLinkage);
    for (size_t i = 0; i < build->program.global_count && !build->options.emulate; i++)
        LLVMSetLinkage(LLVMGetNamedGlobal(build->module,
                                          native_symbol(arena, build->program.globals[i].name, target)),
                       LLVMInternalLinkage);
}

/* Every function that the lowering left visible is one that the runtime may ask for. */
static void find_natives(struct build *build)
{
    FOR_FUNCTIONS(f, build->module) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMExternalLinkage)
            continue;
        build->natives = arena_grow(build->options.arena, build->natives, build->native_count, sizeof *build->natives);
        build->natives[build->native_count++] = arena_strdup(build->options.arena, name_of(f));
    }
}

/* Returns the machine. */
static LLVMTargetMachineRef optimize_for(const struct build *build, LLVMModuleRef module,
                                         enum gpucc_native_target target)
{
    LLVMTargetMachineRef machine = native_machine(&build->options, target);
    lower_processor(module, target);
    set_processor(module, native_target(target));
    run_pipeline(build, machine, module);
    set_names(build, module, target);
    return machine;
}

static void *make_version(void *data)
{
    struct version *version = data;
    LLVMContextRef context = llvm_context_new(version->build.diagnostics);
    LLVMModuleRef module = llvm_module_read(context, version->lowered);
    LLVMDisposeTargetMachine(optimize_for(&version->build, module, version->target));
    version->optimised = LLVMWriteBitcodeToMemoryBuffer(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return NULL;
}

static void start_version(struct version *version, const struct build *build, enum gpucc_native_target target,
                          LLVMMemoryBufferRef lowered)
{
    *version = (struct version){.build = *build, .target = target, .lowered = lowered};
    version->build.options.arena = arena_new();
    version->build.diagnostics = diagnostics_deferred(version->build.options.arena, build->diagnostics);
    version->threaded = options_threads(&build->options) && thread_start(&version->thread, make_version, version);
}

static void join_version(struct build *build, struct version *version)
{
    if (!version->threaded)
        make_version(version);
    diagnostics_release(version->build.diagnostics);
    if (LLVMLinkModules2(build->module, llvm_module_read(build->context, version->optimised)))
        fatal("cannot join the native code for several processors");
    LLVMDisposeMemoryBuffer(version->optimised);
    arena_free(version->build.options.arena);
}

struct first_version {
    struct build *build;
    enum gpucc_native_target target;
};

static void *make_first(void *data)
{
    const struct first_version *first = data;
    first->build->machine = optimize_for(first->build, first->build->module, first->target);
    return NULL;
}

void optimize_versions(struct build *build)
{
    struct version others[GPUCC_NATIVE_COUNT];
    const unsigned wanted = build->options.native_targets;
    const enum gpucc_native_target first = first_target(wanted);
    size_t count = 0;
    find_natives(build);
    LLVMMemoryBufferRef lowered = wanted >> first == 1 ? NULL : LLVMWriteBitcodeToMemoryBuffer(build->module);
    for (unsigned i = first + 1; i < GPUCC_NATIVE_COUNT; i++)
        if (wanted >> i & 1)
            start_version(&others[count++], build, (enum gpucc_native_target)i, lowered);
    job_guard(make_first, &(struct first_version){build, first});
    for (size_t i = 0; i < count; i++) /* before a failure leaves what they use */
        if (others[i].threaded)
            pthread_join(others[i].thread, NULL);
    job_check();
    for (size_t i = 0; i < count; i++)
        join_version(build, &others[i]);
    for (unsigned i = first; i < GPUCC_NATIVE_COUNT; i++)
        if (wanted >> i & 1)
            hide_names(build, (enum gpucc_native_target)i);
    if (!lowered)
        return;
    LLVMDisposeMemoryBuffer(lowered);
    run_passes(build->module, "constmerge", build->machine); /* the tables of the math library are the same in all */
}
