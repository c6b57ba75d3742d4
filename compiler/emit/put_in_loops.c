/* Ufuncs whose loops stand ready as PTX: what is compiled of them is their function alone. */
#include "emit/emit_internal.h"
#include "ptx/ptx.h"

#include <llvm-c/Core.h>

void hide_apart_code(const struct build *build, LLVMModuleRef module)
{
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            const struct instance *instance = &build->program.passes[p].instances[i];
            LLVMValueRef apart =
                instance->ready ? LLVMGetNamedFunction(module, READY_APART(build->options.arena, instance)) : NULL;
            if (apart && !LLVMIsDeclaration(apart))
                LLVMSetLinkage(apart, LLVMInternalLinkage);
        }
}

static struct ready_ufunc describe(struct arena *arena, const struct instance *instance)
{
    const size_t operands = instance->input_count + instance->output_count;
    struct ready_ufunc ufunc = {instance->ready, instance->symbol, READY_ELEMENT(arena, instance),
                                READY_APART(arena, instance), arena_alloc(arena, operands * sizeof *ufunc.codes),
                                arena_alloc(arena, (GPU_LOOP_LAST_READY + 1) * sizeof *ufunc.entries), 0};
    for (size_t k = 0; k < operands; k++)
        ufunc.codes[k] = dtype_code(k < instance->input_count ? instance->inputs[k]
                                                              : instance->outputs[k - instance->input_count]);
    for (enum gpu_loop_kind kind = 0; kind <= GPU_LOOP_LAST_READY; kind++)
        if (gpu_loop(instance, kind).exists)
            ufunc.entries[ufunc.entry_count++] = gpu_loop_entry(arena, instance, kind);
    return ufunc;
}

struct bytes put_in_loops(const struct build *build, struct bytes code)
{
    struct arena *arena = build->options.arena;
    struct ready_ufunc *ufuncs = NULL;
    size_t count = 0;
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            const struct instance *instance = &build->program.passes[p].instances[i];
            if (!instance->ready)
                continue;
            ufuncs = arena_grow(arena, ufuncs, count, sizeof *ufuncs);
            ufuncs[count++] = describe(arena, instance);
        }
    return count ? ptx_with_loops(arena, code, ufuncs, count) : code;
}
