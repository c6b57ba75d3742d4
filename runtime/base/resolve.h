/* Which of a ufunc's loops runs, for the runtime's calls and for `gpucc run`: the one whose input types are exactly
 * those given; else the first to which all inputs cast. */
#ifndef GPUCC_RESOLVE_H
#define GPUCC_RESOLVE_H

#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>

/* The type of an input.  A weak scalar takes whatever type a loop has for numbers of its kind, which go whole, real,
 * complex, where another input with a type is of that kind or a higher one (real and complex numbers count as one
 * kind there); `dtype` is the type that it has otherwise: int64, or uint64 where that is too small, float64,
 * complex128.  So NumPy 2 has it. */
struct input_type {
    gpucc_dtype dtype;
    bool is_number;
};

/* The loops to choose from: `types` are the first one's, of inputs, then outputs, and those of the others follow at
 * distances of `stride` bytes. */
struct choice {
    const gpucc_dtype *types;
    size_t stride;
    int count, inputs, outputs;
    const gpucc_dtype *makes; /* the type that all outputs are to have; null: any */
    const gpucc_dtype *signature; /* that each operand is to have, GPUCC_DTYPE_COUNT: any; null: any */
};

/* As NumPy calls it; the default is same_kind. */
const char *casting_name(gpucc_casting casting);

/* The last rule by which inputs are cast: `casting` if given, else same_kind if a type is requested, else safe. */
gpucc_casting resolve_casting(gpucc_casting casting, bool asked);

/* The index of the loop, or -1 if there is none.  Inputs are cast by the safe rule, or by a stricter
 * `casting`; if no loop accepts them that way, by resolve_casting(). */
int resolve_loop(const struct choice *choice, const struct input_type *given, gpucc_casting casting);

#endif
