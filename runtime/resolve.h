/* Which of a ufunc's loops runs, for the runtime's calls and for `gpucc run`: the one whose input types are exactly
 * those given; else the first to which all inputs cast. */
#ifndef GPUCC_RESOLVE_H
#define GPUCC_RESOLVE_H

#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>

/* What is given for an input.  A number without a type of its own takes whatever type a loop has for numbers of its
 * kind, which go whole, real, complex, where another input with a type is of that kind or a higher one (real and
 * complex numbers count as one kind there); `dtype` is the type that it has otherwise: int64, or uint64 where that is
 * too small, float64, complex128.  So NumPy 2 has it. */
struct given {
    gpucc_dtype dtype;
    bool is_number;
};

/* Whether inputs of one type may be converted to the other. */
typedef bool cast_rule(gpucc_dtype from, gpucc_dtype to);

/* The index of the loop, or -1 where there is none.  `types` are the first loop's input types, those of the others
 * follow at distances of `stride` bytes. */
int resolve_loop(const struct given *given, int inputs, const gpucc_dtype *types, size_t stride, int count,
                 cast_rule *casts);

#endif
