/* Conversions and copies of elements on the host. */
#ifndef GPUCC_RUNTIME_CONVERT_H
#define GPUCC_RUNTIME_CONVERT_H

#include "nests/nest.h"
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* convert.c */

/* One element, on the host; or n of them, whose steps are in bytes.  Between any two types: what an integer type does
 * not hold becomes the nearest value that it does, as in gpucc's language. */
void convert_value(gpucc_dtype to, void *target, gpucc_dtype from, const void *source);
void convert_row(gpucc_dtype to, char *target, int64_t to_step, gpucc_dtype from, char *source, int64_t from_step,
                 int64_t n);

/* convert_pairs.c: n elements that are contiguous, in whole groups, where the two types have a loop of their own; else
 * false, and nothing is done. */
enum { CONVERT_GROUP = 16 };
bool convert_pair(gpucc_dtype to, char *target, gpucc_dtype from, const char *source, int64_t n);

/* Converts elements, operand 1 of the nest to operand 0. */
void convert_nest(struct pool *pool, struct nest *nest, gpucc_dtype to, gpucc_dtype from);

/* elements.c */

/* Elements of so many bytes, whose steps are in bytes: n of them, or rows and columns. */
void copy_elements(size_t size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n);
void copy_plane(size_t size, char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,
               int64_t from_step, int64_t rows, int64_t columns);

#endif
