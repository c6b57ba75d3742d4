/* One call of a random gufunc's native loop, or of its reference. */
#ifndef GPUCC_TESTS_RANDOM_CORE_CALL_H
#define GPUCC_TESTS_RANDOM_CORE_CALL_H

#include "scene.h"

#include <stdint.h>

/* The arguments of a loop of the type of NumPy's for gufuncs. */
struct core_call {
    char *at[SCENE_OPERANDS];
    intptr_t dimensions[1 + SCENE_RANK], steps[SCENE_OPERANDS * (1 + SCENE_RANK)];
    size_t calls;
    int operand_count;
};

/* `memory` is where each operand's image lies. */
void core_call_fill(struct core_call *call, const struct scene_program *program, char *const *memory);
/* Moves the operands to the next call. */
void core_call_advance(struct core_call *call);

/* Calls the reference once for each call, with packed cores that are copied back. */
typedef void gufunc_reference(char **cores, const size_t *extents);
void core_call_reference(const struct scene_program *program, char *const *memory, gufunc_reference *reference);

#endif
