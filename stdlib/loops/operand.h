/* What the loop templates share.  loops.c defines, before including a template:
 *   GPUCC_LOOP               the loop's symbol (trig_f32_f32)
 *   GPUCC_INPUTS(X)          X(index, C type, name) for each input
 *   GPUCC_OUTPUTS(X)         the same for each output
 *   GPUCC_CALL(i, o)         calls the function on i##0, i##1 … and puts canonical results into o##0 …
 *   GPUCC_WIDTH              elements that a thread handles at once
 */
#ifndef GPUCC_LOOPS_OPERAND_H
#define GPUCC_LOOPS_OPERAND_H

#include <stdint.h>
#include <gpucc/loops.h>

/* The user's part of the translation unit is over: its short names would get in the way of pragmas. */
#undef vectorize
#undef guvectorize
#undef kernel
#undef device
#undef shared
#undef constant
#undef grid

typedef uint64_t gpucc_u64;
typedef unsigned int __attribute__((vector_size(16), may_alias)) gpucc_chunk16;
typedef unsigned int __attribute__((vector_size(8), may_alias)) gpucc_chunk8;
typedef unsigned int __attribute__((may_alias)) gpucc_chunk4;
typedef unsigned short __attribute__((may_alias)) gpucc_chunk2;
typedef unsigned char __attribute__((may_alias)) gpucc_chunk1;

/* A NaN has one pattern, whichever operation made it, so that results are the same bits everywhere. */
#define GPUCC_CANONICAL_f16(v) ((v) != (v) ? (_Float16)__builtin_nanf("") : (v))
#define GPUCC_CANONICAL_bf16(v) ((v) != (v) ? (__bf16)__builtin_nanf("") : (v))
#define GPUCC_CANONICAL_f32(v) ((v) != (v) ? __builtin_nanf("") : (v))
#define GPUCC_CANONICAL_f64(v) ((v) != (v) ? __builtin_nan("") : (v))
#define GPUCC_CANONICAL_c64(v)                                                                                         \
    __builtin_complex(GPUCC_CANONICAL_f32(__real__(v)), GPUCC_CANONICAL_f32(__imag__(v)))
#define GPUCC_CANONICAL_c128(v)                                                                                        \
    __builtin_complex(GPUCC_CANONICAL_f64(__real__(v)), GPUCC_CANONICAL_f64(__imag__(v)))
#define GPUCC_CANONICAL_b1(v) (v)
#define GPUCC_CANONICAL_i8(v) (v)
#define GPUCC_CANONICAL_u8(v) (v)
#define GPUCC_CANONICAL_i16(v) (v)
#define GPUCC_CANONICAL_u16(v) (v)
#define GPUCC_CANONICAL_i32(v) (v)
#define GPUCC_CANONICAL_u32(v) (v)
#define GPUCC_CANONICAL_i64(v) (v)
#define GPUCC_CANONICAL_u64(v) (v)

/* Copies WIDTH adjacent elements between memory and a local array, in the widest pieces that fit. */
#define GPUCC_COPY_AS(chunk, to, from, bytes)                                                                          \
    _Pragma("clang loop unroll(full)") for (unsigned c_ = 0; c_ < (bytes) / sizeof(chunk); c_++)((chunk *)(to))[c_] =  \
        ((const chunk *)(from))[c_]
#define GPUCC_COPY(to, from, bytes)                                                                                    \
    do {                                                                                                               \
        if ((bytes) % 16 == 0)                                                                                         \
            GPUCC_COPY_AS(gpucc_chunk16, to, from, bytes);                                                             \
        else if ((bytes) % 8 == 0)                                                                                     \
            GPUCC_COPY_AS(gpucc_chunk8, to, from, bytes);                                                              \
        else if ((bytes) % 4 == 0)                                                                                     \
            GPUCC_COPY_AS(gpucc_chunk4, to, from, bytes);                                                              \
        else if ((bytes) % 2 == 0)                                                                                     \
            GPUCC_COPY_AS(gpucc_chunk2, to, from, bytes);                                                              \
        else                                                                                                           \
            GPUCC_COPY_AS(gpucc_chunk1, to, from, bytes);                                                              \
    } while (0)
/* The alignment that GPUCC_COPY needs. */
#define GPUCC_ALIGNMENT(bytes)                                                                                         \
    ((bytes) % 16 == 0 ? 16u : (bytes) % 8 == 0 ? 8u : (bytes) % 4 == 0 ? 4u : (bytes) % 2 == 0 ? 2u : 1u)

#define GPUCC_UNROLL _Pragma("clang loop unroll(full)")
#define GPUCC_JOIN3_(a, b) a##b
#define GPUCC_JOIN3(a, b) GPUCC_JOIN3_(a, b)
#define GPUCC_SYMBOL(suffix) GPUCC_JOIN3(GPUCC_LOOP, suffix)

/* Pieces of functions, one for each operand. */
#define GPUCC_DECLARE_OUT(k, type, name) type r##k;

#endif
