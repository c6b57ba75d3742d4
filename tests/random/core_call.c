/* Calls of random gufuncs: where cores lie, and packed copies of them. */
#include "core_call.h"

#include <stdlib.h>
#include <string.h>

static intptr_t element_bytes(const struct scene_operand *o)
{
    return (intptr_t)(o->size / o->count);
}

void core_call_fill(struct core_call *call, const struct scene_program *program, char *const *memory)
{
    int next = program->operand_count;
    *call = (struct core_call){.calls = program->count, .operand_count = program->operand_count};
    call->dimensions[0] = (intptr_t)program->count;
    for (int d = 0; d < program->dimension_count; d++)
        call->dimensions[1 + d] = (intptr_t)program->extents[d];
    for (int i = 0; i < program->operand_count; i++) {
        const struct scene_operand *o = &program->operands[i];
        call->at[i] = memory[i] + (intptr_t)o->offset * element_bytes(o);
        call->steps[i] = o->step * element_bytes(o);
        for (int d = 0; d < o->rank; d++)
            call->steps[next++] = o->strides[d] * element_bytes(o);
    }
}

void core_call_advance(struct core_call *call)
{
    for (int i = 0; i < call->operand_count; i++)
        call->at[i] += call->steps[i];
}

static size_t core_elements(const struct scene_program *program, const struct scene_operand *o)
{
    size_t count = 1;
    for (int d = 0; d < o->rank; d++)
        count *= program->extents[o->dimensions[d]];
    return count;
}

/* Between the core that begins at `first` and its packed copy. */
static void copy_core(const struct scene_program *program, const struct scene_operand *o, char *packed, char *first,
                      bool packs)
{
    const intptr_t size = element_bytes(o);
    for (size_t e = 0, count = core_elements(program, o); e < count; e++) {
        size_t rest = e;
        char *at = first;
        for (int d = o->rank; d-- > 0;) {
            const size_t extent = program->extents[o->dimensions[d]];
            at += (intptr_t)(rest % extent) * o->strides[d] * size;
            rest /= extent;
        }
        memcpy(packs ? packed + (intptr_t)e * size : at, packs ? at : packed + (intptr_t)e * size, (size_t)size);
    }
}

void core_call_reference(const struct scene_program *program, char *const *memory, gufunc_reference *reference)
{
    struct core_call call;
    char *cores[SCENE_OPERANDS];
    core_call_fill(&call, program, memory);
    for (int i = 0; i < program->operand_count; i++)
        cores[i] = calloc(core_elements(program, &program->operands[i]) + 1, 16);
    for (; call.calls > 0; call.calls--, core_call_advance(&call)) {
        for (int i = 0; i < program->operand_count; i++)
            copy_core(program, &program->operands[i], cores[i], call.at[i], true);
        reference(cores, program->extents);
        for (int i = program->inputs; i < program->operand_count; i++)
            copy_core(program, &program->operands[i], cores[i], call.at[i], false);
    }
    for (int i = 0; i < program->operand_count; i++)
        free(cores[i]);
}
