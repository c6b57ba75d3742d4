/* Inputs and expected results of random programs.  *_files.py write STEM.scene, a text, and STEM.data:
 *
 *   ufunc NAME SYMBOL COUNT INPUTS OUTPUTS CODE…     data: the inputs' elements
 *   map NAME COUNT INPUTS OUTPUTS CODE… BLOCK        a kernel (size_t n, inputs…, outputs…) around one
 *   kernel NAME GRID.x .y .z BLOCK.x .y .z SHARED PARAMETERS, and for each parameter a line
 *     value BYTES                                    data: the value
 *     array CODE COUNT                               data: what is in it before
 *     empty CODE COUNT                               an array that nobody has written
 *   once …                                           a kernel that changes variables of its own: it runs but once
 *   gufunc NAME SYMBOL CALLS ROUNDS INPUTS OUTPUTS DIMENSIONS EXTENT…, and for each operand a line, with strides in
 *   elements; ROUNDS is 1 if sums in another order than the reference's are expected
 *     core CODE COUNT OFFSET RANK STRIDE, DIMENSION STRIDE for each   data: the memory in which it lies
 *
 * STEM.expected holds, one program after the other, the outputs of a function and all arrays of a kernel as they are
 * afterwards, of a gufunc all the memory in which they lie.
 */
#ifndef GPUCC_TESTS_RANDOM_SCENE_H
#define GPUCC_TESTS_RANDOM_SCENE_H

#include <gpucc/cpu.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>

enum { SCENE_OPERANDS = 16, SCENE_RANK = 4 };

struct scene_operand {
    bool is_value, is_result, is_empty;
    gpucc_dtype dtype;   /* of an array */
    size_t count, size;  /* elements; bytes in all */
    const char *initial; /* null for an output of a function, and where nobody has written */
    char *expected;      /* null for what is no result */
    /* A gufunc's: where the first call's first element lies, and steps from call to call and along each dimension. */
    size_t offset;
    int rank, dimensions[SCENE_RANK];
    ptrdiff_t step, strides[SCENE_RANK];
};

struct scene_program {
    enum { SCENE_UFUNC, SCENE_MAP, SCENE_KERNEL, SCENE_GUFUNC } kind;
    char name[64], symbol[128];
    size_t count; /* of a function: elements; of a gufunc: calls */
    bool rounds;  /* a gufunc whose reference adds in another order */
    int dimension_count;
    size_t extents[SCENE_RANK]; /* of a gufunc's core dimensions */
    struct gpucc_index grid, block;
    size_t shared;
    bool is_once;
    int inputs; /* of a function: the first of the operands */
    int operand_count;
    struct scene_operand operands[SCENE_OPERANDS];
};

struct scene {
    struct scene_program *programs;
    size_t count;
    char *data, *expected;
    size_t expected_size;
};

/* False where a file is missing or is no such text; the message is on standard error.  Where `with_expected` is not
 * set, the expected results are zeros to be filled in.  scene_free() it. */
bool scene_read(struct scene *scene, const char *stem, bool with_expected);
void scene_free(struct scene *scene);
/* Writes STEM.expected. */
bool scene_write_expected(const struct scene *scene, const char *stem);

/* The first of the elements that differ, or `count`; one NaN is as good as another. */
size_t scene_difference(gpucc_dtype dtype, const void *expected, const void *found, size_t count);
/* An element in hexadecimal, most significant byte first. */
const char *scene_element(gpucc_dtype dtype, const void *array, size_t index, char text[40]);

#endif
