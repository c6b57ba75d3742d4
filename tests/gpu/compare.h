/* One ufunc call made on the GPU and on the CPU with the same data: every byte of every buffer must agree afterwards,
 * those outside the outputs' elements included, and the outputs must be what a reference computes on the host. */
#ifndef GPUCC_TESTS_GPU_COMPARE_H
#define GPUCC_TESTS_GPU_COMPARE_H

#include "suite.h"

enum { COMPARE_DIMS = 10, COMPARE_OPERANDS = 64 };

enum place {
    ON_DEVICE,
    ON_HOST, /* memory of the host, handed to both devices as it is */
    AS_VALUE /* one number, passed by value */
};

/* How an operand looks at its buffer: element [i, j, …] is the buffer's offset + i * steps[0] + j * steps[1] …th. */
struct view {
    int ndim;
    int64_t shape[COMPARE_DIMS];
    int64_t steps[COMPARE_DIMS];
    int64_t offset;
    enum place place;
    int shares; /* 0: a buffer of its own; k: the buffer of operand k - 1, an earlier one */
};

/* Computes one element of each output from one of each input, as exactly as it can. */
typedef void reference_function(const void *const *in, void *const *out);

struct comparison {
    const struct gpucc_program_image *image;
    const char *ufunc;
    int inputs, outputs;
    gpucc_dtype dtypes[COMPARE_OPERANDS]; /* of the views: inputs, then outputs */
    struct view views[COMPARE_OPERANDS];
    bool make_outputs; /* hand in no output arrays: the call makes them, in the shape of the views */
    uint64_t seed;
    reference_function *reference; /* may be null */
    double tolerance;              /* units in the last place that outputs may differ from the reference */
};

/* Fails the test where something differs; `label` is for the message. */
void compare(const struct comparison *comparison, const char *label);

/* Adjacent elements in C order. */
struct view view_contiguous(int ndim, const int64_t *shape);
struct view view_1d(int64_t count);

/* Fails where two blocks of elements differ; NaNs are one where `canonical`. */
void compare_elements(gpucc_dtype dtype, const void *gpu, const void *cpu, size_t count, bool canonical,
                      const char *label);

#endif
