/* Operands of the ten kernels of programs/ten_kernels.c: sizes, data, and expected values. */
#ifndef GPUCC_TESTS_TEN_SCENES_H
#define GPUCC_TESTS_TEN_SCENES_H

#include "ten_shapes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCENE_PARAMETERS = 8 };

/* An array of `bytes` bytes with these first contents and, where the kernel writes it, what it must hold after one
 * launch; or, where bytes is 0, a number of 4 bytes. */
struct scene_parameter {
    size_t bytes;
    void *contents, *expected;
    union {
        int32_t integer;
        float real;
    } number;
};

struct scene {
    const struct ten_shape *shape; /* name and block */
    uint32_t grid[2];
    int parameter_count;
    struct scene_parameter parameters[SCENE_PARAMETERS];
    bool integers;    /* the arrays hold unsigned integers, else floats */
    double tolerance; /* of the difference, relative to the value but at least to 1; 0: same bits */
};

/* Freed with scene_free(). */
void scene_make(int number, struct scene *scene);
void scene_free(struct scene *scene);

/* Whether `result` is what the parameter's array must hold; else says on standard error where not. */
bool scene_check(const struct scene *scene, int parameter, const void *result);
/* The same of all of them; `read` brings what a parameter's array holds. */
bool scene_check_all(const struct scene *scene, void (*read)(void *data, int parameter, void *result), void *data);

#endif
