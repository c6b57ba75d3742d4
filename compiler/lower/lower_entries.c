/* Which functions and variables are seen from outside, and what marks a kernel. */
#include "blocks/blocks.h"
#include "lower/lower_internal.h"

#include <assert.h>
#include <gpucc/limits.h>
#include <gpucc/tensor_map.h>
#include <string.h>

struct exports {
    struct arena *arena;
    const char **names;
    size_t count;
};

static void export(struct exports *exports, const char *name)
{
    exports->names = arena_grow(exports->arena, exports->names, exports->count, sizeof *exports->names);
    exports->names[exports->count++] = name;
}

static bool is_exported(const struct exports *exports, const char *name)
{
    for (size_t i = 0; i < exports->count; i++)
        if (!strcmp(exports->names[i], name))
            return true;
    return false;
}

static void export_native(struct exports *exports, LLVMModuleRef module, const char *symbol)
{
    const char *block = arena_printf(exports->arena, "%s_block", symbol);
    export(exports, arena_printf(exports->arena, "%s_thread", symbol));
    export(exports, block);
    mark_block(LLVMGetNamedFunction(module, block));
}

/* The copy engine reads tensor maps where the launch has put them: LLVM would copy what has its address taken to local
 * memory.  The note lists parameters, from 1 on. */
static void note_tensor_maps(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef numbers[GPUCC_PARAMETERS_MOST / sizeof(gpucc_tensor_map)]; /* no launch has room for more */
    unsigned count = 0;
    for (unsigned i = 0; i < LLVMCountParams(function) && count < sizeof numbers / sizeof *numbers; i++)
        if (is_tensor_map(function, i))
            numbers[count++] =
                LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), i + 1, false));
    LLVMMetadataRef items[] = {LLVMValueAsMetadata(function), LLVMMDStringInContext2(context, "grid_constant", 13),
                               LLVMMDNodeInContext2(context, numbers, count)};
    if (count)
        LLVMAddNamedMetadataOperand(module, "nvvm.annotations",
                                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, items, 3)));
}

/* Threads of a block at most; 0: no limit. */
static unsigned most_threads(const struct instance *instance, enum gpu_loop_kind kind)
{
    return instance->by_block       ? GPUCC_CORE_THREADS_MOST
           : kind == GPU_LOOP_TEAM || kind == GPU_LOOP_TOGETHER ? GPUCC_TEAM_THREADS_MOST
           : kind == GPU_LOOP_TILES ? GPUCC_TILE_THREADS
           : kind == GPU_LOOP_WARPGROUPS ? GPUCC_WARPGROUP_THREADS
                                    : (unsigned)instance->launch_threads;
}

static void mark_ptx_entry(const struct options *options, LLVMModuleRef module, const char *name,
                           const struct instance *instance, enum gpu_loop_kind kind, unsigned most_registers)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    assert(function);
    LLVMSetFunctionCallConv(function, LLVMPTXKernelCallConv);
    add_note(module, function, "kernel", 1);
    note_tensor_maps(module, function);
    const unsigned threads = most_threads(instance, kind);
    if (threads)
        add_note(module, function, "maxntidx", threads);
    if (instance->launch_blocks || kind == GPU_LOOP_WARPGROUPS)
        add_note(module, function, "minctasm", instance->launch_blocks ? (unsigned)instance->launch_blocks : 1);
    unsigned registers = (unsigned)(instance->max_registers ? instance->max_registers : options->max_registers);
    if (!registers)
        registers = most_registers;
    if (registers)
        add_note(module, function, "maxnreg", registers);
    if (kind == GPU_LOOP_WARPGROUPS)
        add_note(module, function, "maxclusterrank", packed_cluster((const long long[]){2, 1, 1}));
    else if (instance->cluster[0] > 1 || instance->cluster[1] > 1 || instance->cluster[2] > 1)
        add_note(module, function, "maxclusterrank", packed_cluster(instance->cluster));
}

/* From its C name to its final one, which says the types that type variables stand for. */
static void rename_function(LLVMModuleRef module, const struct instance *instance)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, instance->function->name);
    assert(function);
    LLVMSetValueName2(function, instance->symbol, strlen(instance->symbol));
}

static void export_device(struct exports *exports, LLVMModuleRef module, const struct instance *instance)
{
    rename_function(module, instance);
    export(exports, instance->symbol);
}

/* Registers of a loop's entry; 0: no limit.  Stages of a product are in code for sm_90 and later. */
static unsigned entry_registers(const struct build *build, const struct instance *instance, enum gpu_loop_kind kind)
{
    const bool has_stages = kind == GPU_LOOP_TILES && instance->has_stages && cuda_arch(build->arch) >= 900;
    return has_stages ? 0 : gpu_loop(instance, kind).registers;
}

static void ptx_entries(const struct build *build, LLVMModuleRef module, struct instance *instance,
                        struct exports *exports)
{
    const struct options *options = &build->options;
    switch (instance->function->kind) {
    case FUNCTION_UFUNC:
    case FUNCTION_GUFUNC:
        for (enum gpu_loop_kind kind = 0; kind < GPU_LOOP_COUNT; kind++) {
            const char *name = gpu_loop_entry(options->arena, instance, kind);
            if (!gpu_loop(instance, kind).is_made)
                continue;
            if (kind == GPU_LOOP_WARPGROUPS && !LLVMGetNamedFunction(module, name))
                continue; /* not for this target */
            export(exports, name);
            mark_ptx_entry(options, module, name, instance, kind, entry_registers(build, instance, kind));
        }
        if (instance->ready) {
            export(exports, READY_ELEMENT(options->arena, instance));
            export(exports, READY_APART(options->arena, instance));
        }
        break;
    case FUNCTION_KERNEL:
        rename_function(module, instance);
        export(exports, instance->symbol);
        mark_ptx_entry(options, module, instance->symbol, instance, GPU_LOOP_COUNT, 0);
        set_mark(LLVMGetNamedFunction(module, instance->symbol), KERNEL_MARK);
        break;
    case FUNCTION_DEVICE:
        export_device(exports, module, instance);
        break;
    }
}

static void cpu_entries(const struct options *options, LLVMModuleRef module, struct instance *instance,
                        struct exports *exports)
{
    switch (instance->function->kind) {
    case FUNCTION_UFUNC:
    case FUNCTION_GUFUNC:
        if (instance->by_block) {
            export_native(exports, module, block_entry(options->arena, instance));
            break;
        }
        export(exports, arena_printf(options->arena, "%s_loop", instance->symbol));
        export(exports, arena_printf(options->arena, "%s_flags", instance->symbol));
        if (has_tree(instance)) {
            export(exports, arena_printf(options->arena, "%s_reduce", instance->symbol));
            export(exports, arena_printf(options->arena, "%s_running", instance->symbol));
        }
        if (instance->folds)
            export(exports, arena_printf(options->arena, "%s_cells", instance->symbol));
        for (enum gpu_loop_kind kind = 0; options->emulate && kind < GPU_LOOP_COUNT; kind++)
            if (gpu_loop(instance, kind).exists)
                export_native(exports, module, gpu_loop_entry(options->arena, instance, kind));
        break;
    case FUNCTION_KERNEL:
        export_native(exports, module, instance->symbol);
        break;
    case FUNCTION_DEVICE:
        export_device(exports, module, instance);
        break;
    }
}

static bool is_visible_variable(LLVMValueRef global)
{
    const LLVMLinkage linkage = LLVMGetLinkage(global);
    return !LLVMIsDeclaration(global) && (linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage);
}

static bool is_host_visible(const struct global *globals, size_t count, LLVMValueRef variable)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(globals[i].name, name_of(variable)))
            return true;
    return false;
}

static void drop_initializer(LLVMValueRef global)
{
    LLVMSetInitializer(global, NULL);
    LLVMSetLinkage(global, LLVMExternalLinkage);
}

/* Variables that hosts see by name belong to their file's first pass; later passes refer to them.  Of others, that are
 * constant, each pass has its own; other files see the first one's. */
static void settle_globals(const struct pass *pass, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        if (!is_visible_variable(global))
            continue;
        bool visible = is_host_visible(pass->unit->globals, pass->unit->global_count, global);
        if (!visible && !pass->is_first)
            LLVMSetLinkage(global, LLVMInternalLinkage);
        else if (!pass->is_first)
            drop_initializer(global);
        else if (visible)
            LLVMSetExternallyInitialized(global, true);
    }
}

void hide_globals(const struct program *program, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module)
        if (is_visible_variable(global))
            LLVMSetLinkage(global, is_host_visible(program->globals, program->global_count, global)
                                       ? LLVMExternalLinkage
                                       : LLVMInternalLinkage);
}

/* Linkage says from here on what is wanted; the list that kept static kernels would have PTX declare them twice. */
static void forget_used(LLVMModuleRef module)
{
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (list)
            LLVMDeleteGlobal(list);
    }
}

/* Whether other modules of the program see the function. */
static bool is_shared(const struct names *shared, const struct pass *pass, LLVMValueRef f)
{
    const LLVMLinkage linkage = LLVMGetLinkage(f);
    return pass->is_first && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
           linkage != LLVMAvailableExternallyLinkage && names_find(shared, name_of(f));
}

void mark_entries(const struct build *build, struct pass *pass, LLVMModuleRef module, struct names *shared)
{
    struct exports exports = {.arena = build->options.arena};
    for (size_t i = 0; i < pass->instance_count; i++) {
        if (build->target == TARGET_PTX)
            ptx_entries(build, module, &pass->instances[i], &exports);
        else
            cpu_entries(&build->options, module, &pass->instances[i], &exports);
    }
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f))
            continue;
        if (is_exported(&exports, name_of(f))) {
            LLVMSetLinkage(f, LLVMExternalLinkage);
            *names_at(shared, name_of(f)) = NAME_EXPORTED;
        } else if (!is_shared(shared, pass, f)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    forget_used(module);
    settle_globals(pass, module);
}
