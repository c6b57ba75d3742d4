/* A kernel of somebody else's with what it is called with, as tests/public_runs.py prepares it: a line of cases.txt. */
#ifndef GPUCC_TESTS_PUBLIC_CASE_H
#define GPUCC_TESTS_PUBLIC_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PUBLIC_ARGUMENTS = 32 };

/* An array that is drawn anew for each run, or a number. */
struct public_argument {
    char type[16];     /* one of float, double, int8 to int64, uint8 to uint64 */
    char variable[64]; /* the module's variable that the array is written to; empty: a parameter */
    size_t count;      /* elements; 0: a number */
    char fill[16];     /* "between" first and second (exclusive), "steps" (first + i * second), "cycle" (i % first), or
                          "pairs" (i * first and first) */
    double first, second;
    int64_t value; /* a number's bytes */
};

struct public_case {
    char name[128], kind[64];
    char kernel[128], entry[512]; /* its name in gpucc's code and in nvcc's */
    unsigned grid[3], block[3], shared;
    double tolerance; /* of results that are floating-point numbers, relative */
    bool once;        /* a launch changes what the next one would do */
    int count;
    struct public_argument arguments[PUBLIC_ARGUMENTS];
};

/* Reads the next line.  False at the end of the file; a line that makes no sense ends the program. */
bool public_case_read(FILE *file, struct public_case *next);

/* Bytes of all elements, or of the number. */
size_t public_argument_size(const struct public_argument *argument);
/* The elements, in memory that the caller frees; the same ones for the same seed. */
void *public_argument_draw(const struct public_argument *argument, uint64_t seed);

/* How far elements are from those of the reference: 0 where they have the same bits or both are NaNs, of floating-point
 * numbers otherwise the difference divided by the reference, or by the mean magnitude of the reference's elements where
 * that is larger; infinity where one is no finite number, and for integers.  *where is the first farthest element. */
double public_difference(const struct public_argument *argument, const void *ours, const void *reference,
                         size_t *where);
/* The element as text, in one of two buffers in turn. */
const char *public_element(const struct public_argument *argument, const void *elements, size_t index);

#endif
