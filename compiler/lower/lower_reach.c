/* Follows references between functions, once a program's files are linked: kernels' barriers and shared memory. */
#include "lower/lower_internal.h"
#include "ptx/ptx.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    LLVMValueRef *seen;
    size_t count, capacity;
};

static bool visit(struct walk *walk, LLVMValueRef value)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->seen[i] == value)
            return false;
    if (walk->count == walk->capacity) {
        walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
        walk->seen = realloc(walk->seen, walk->capacity * sizeof *walk->seen);
        if (!walk->seen)
            fatal("out of memory");
    }
    walk->seen[walk->count++] = value;
    return true;
}

/* Notes every global that `value` refers to, directly, through constants or through called functions. */
static void reach(struct walk *walk, LLVMValueRef value)
{
    if (LLVMIsAGlobalValue(value) && !visit(walk, value))
        return;
    if (LLVMIsAFunction(value) && !has_mark(value, LARGE_MARK)) {
        FOR_INSTRUCTIONS_IN(i, value)
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (LLVMIsAConstant(LLVMGetOperand(i, k)))
                    reach(walk, LLVMGetOperand(i, k));
    } else if (LLVMIsAConstantExpr(value)) {
        for (int k = 0; k < LLVMGetNumOperands(value); k++)
            reach(walk, LLVMGetOperand(value, k));
    }
}

bool reaches(LLVMValueRef function, const char *prefix)
{
    struct walk walk = {0};
    bool found = false;
    reach(&walk, function);
    for (size_t i = 0; i < walk.count; i++)
        found |= !strncmp(name_of(walk.seen[i]), prefix, strlen(prefix));
    free(walk.seen);
    return found;
}

/* Functions of <gpucc/cpu.h>, and the intrinsics that stand in their place on the GPU. */
static bool makes_threads_wait(const char *name)
{
    static const char *const prefixes[] = {
        "gpucc_cpu_barrier", "gpucc_cpu_warp",   "gpucc_cpu_cluster_arrive", "gpucc_cpu_cluster_wait",
        "gpucc_cpu_mbarrier", "gpucc_cpu_watch_product_commit",
        "llvm.nvvm.barrier", "llvm.nvvm.bar.",   "llvm.nvvm.shfl",           "llvm.nvvm.vote",
        "llvm.nvvm.match",   "llvm.nvvm.redux",  "llvm.nvvm.activemask",     "llvm.nvvm.nanosleep"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

/* Each pass has its own copy of a header's definition, called NAME.1, NAME.2 … after the first. */
static bool is_copy_of(const char *name, const char *original)
{
    size_t length = strlen(original);
    return !strncmp(name, original, length) && (!name[length] || name[length] == '.');
}

static size_t add_shared(size_t bytes, LLVMModuleRef module, LLVMValueRef variable)
{
    size_t align = LLVMGetAlignment(variable);
    size_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(variable));
    return (align ? (bytes + align - 1) / align * align : bytes) + size;
}

/* Returns the shared memory of functions that the kernel calls in linked PTX. */
static size_t linked_shared(struct arena *arena, const struct files *files, const struct walk *walk)
{
    const char **names = NULL;
    size_t count = 0, bytes = 0;
    for (size_t i = 0; i < walk->count && files->ptx_count; i++)
        if (LLVMIsAFunction(walk->seen[i]) && LLVMIsDeclaration(walk->seen[i])) {
            names = arena_grow(arena, names, count, sizeof *names);
            names[count++] = name_of(walk->seen[i]);
        }
    for (size_t i = 0; i < files->ptx_count && count; i++)
        bytes += ptx_shared_bytes(arena, files->ptx[i]->code, names, count);
    return bytes;
}

static void measure_kernel(struct arena *arena, const struct files *files, struct instance *instance,
                           LLVMModuleRef module, LLVMValueRef function)
{
    struct walk walk = {0};
    reach(&walk, function);
    instance->barriers = instance->cooperative = instance->dynamic_shared = false;
    instance->shared_bytes = 0;
    for (size_t i = 0; i < walk.count; i++) {
        const char *section = LLVMIsAGlobalVariable(walk.seen[i]) ? LLVMGetSection(walk.seen[i]) : NULL;
        const char *name = name_of(walk.seen[i]);
        instance->barriers |= makes_threads_wait(name);
        instance->cooperative |= is_copy_of(name, "gpucc_grid_sync");
        instance->dynamic_shared |= is_copy_of(name, "gpucc_dynamic_shared_at");
        instance->dynamic_shared |= section && !strcmp(section, ".gpucc.dynamic_shared");
        if (section && !strcmp(section, ".gpucc.shared"))
            instance->shared_bytes = add_shared(instance->shared_bytes, module, walk.seen[i]);
    }
    instance->shared_bytes += linked_shared(arena, files, &walk);
    free(walk.seen);
}

/* The front end has seen to what the sources declare alone. */
static bool check_shared(const struct instance *instance, struct diagnostics *diagnostics)
{
    if (instance->shared_bytes <= GPUCC_STATIC_SHARED)
        return true;
    diagnose(diagnostics, SEVERITY_ERROR, instance->function->place, NULL,
             "with what it calls, '%s' declares %zu bytes of shared memory; more than %d (48 KiB) cannot be declared",
             instance->function->name, instance->shared_bytes, GPUCC_STATIC_SHARED);
    return false;
}

/* Gufuncs have no launch of the user's, and so none of these. */
static bool check_launch(const struct instance *instance, struct diagnostics *diagnostics)
{
    const char *what = instance->dynamic_shared ? "shared memory whose size a launch decides"
                       : instance->cooperative  ? "a barrier of the whole grid"
                                                : NULL;
    if (!what || !instance->by_block)
        return true;
    diagnose(diagnostics, SEVERITY_ERROR, instance->function->place, NULL, "'%s' uses %s, which is for kernels",
             instance->function->name, what);
    return false;
}

bool measure_kernels(const struct options *options, struct program *program, enum target target, LLVMModuleRef module,
                     struct diagnostics *diagnostics)
{
    bool right = true;
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++) {
            struct instance *instance = &program->passes[i].instances[k];
            const char *entry = block_entry(options->arena, instance);
            if (!entry)
                continue;
            /* On the CPU a kernel is what its wrapper calls. */
            const char *name = arena_printf(options->arena, "%s%s", entry, target == TARGET_CPU ? "_thread" : "");
            measure_kernel(options->arena, program->files, instance, module, LLVMGetNamedFunction(module, name));
            right &= check_shared(instance, diagnostics) && check_launch(instance, diagnostics);
        }
    return right;
}
