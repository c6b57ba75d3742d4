/* Shared by the loop templates.  loops.c defines, before including a template:
 *   GPUCC_LOOP               the loop's symbol (trig_f32_f32)
 *   GPUCC_INPUTS(X)          X(index, C type, code) for each input
 *   GPUCC_OUTPUTS(X)         the same for each output
 *   GPUCC_WIDTH              elements that a thread handles at once
 *   GPUCC_ELEMENTS(X)        X(0) X(1) … X(GPUCC_WIDTH - 1)
 *   GPUCC_COPY_code(to, from)  copies GPUCC_WIDTH elements of a type, in pieces of up to 16 bytes
 *   GPUCC_CALL(i, o)         calls the function on i##0, i##1 … and puts canonical results into o##0 …
 * Everything is straight-line: the fewer loops and branches there are for LLVM to see through, the sooner it is done.
 */
#ifndef GPUCC_LOOPS_OPERAND_H
#define GPUCC_LOOPS_OPERAND_H

#include <stdint.h>
#include <gpucc/loops.h>

/* The user's part of the translation unit is over: its short names would get in the way. */
#undef vectorize
#undef fuse
#undef guvectorize
#undef cooperative
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

#define GPUCC_PIECE(bytes, i, to, from) ((gpucc_chunk##bytes *)(to))[i] = ((const gpucc_chunk##bytes *)(from))[i];
#define GPUCC_PIECES_1(bytes, to, from) GPUCC_PIECE(bytes, 0, to, from)
#define GPUCC_PIECES_2(bytes, to, from) GPUCC_PIECES_1(bytes, to, from) GPUCC_PIECE(bytes, 1, to, from)
#define GPUCC_PIECES_4(bytes, to, from)                                                                                \
    GPUCC_PIECES_2(bytes, to, from) GPUCC_PIECE(bytes, 2, to, from) GPUCC_PIECE(bytes, 3, to, from)
/* The alignment that copying `bytes` in such pieces needs, less one. */
#define GPUCC_MASK(bytes) (((bytes) < 16 ? (bytes) : 16) - 1)

#define GPUCC_ELEMENTS_1(X) X(0)
#define GPUCC_ELEMENTS_2(X) X(0) X(1)
#define GPUCC_ELEMENTS_4(X) X(0) X(1) X(2) X(3)
#define GPUCC_ELEMENTS_8(X) GPUCC_ELEMENTS_4(X) X(4) X(5) X(6) X(7)
#define GPUCC_ELEMENTS_16(X) GPUCC_ELEMENTS_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

/* A NaN has one pattern, whichever operation made it, so that results are the same bits everywhere. */
#define GPUCC_CANONICAL_f16(v) ((v) != (v) ? (_Float16)__builtin_nanf("") : (v))
#define GPUCC_CANONICAL_bf16(v) ((v) != (v) ? (__bf16)__builtin_nanf("") : (v))
#define GPUCC_CANONICAL_f32(v) ((v) != (v) ? __builtin_nanf("") : (v))
#define GPUCC_CANONICAL_f64(v) ((v) != (v) ? __builtin_nan("") : (v))
#define GPUCC_CANONICAL_c64(v)                                                                                         \
    __builtin_complex(GPUCC_CANONICAL_f32(__real__(v)), GPUCC_CANONICAL_f32(__imag__(v)))
#define GPUCC_CANONICAL_c128(v)                                                                                        \
    __builtin_complex(GPUCC_CANONICAL_f64(__real__(v)), GPUCC_CANONICAL_f64(__imag__(v)))
#define GPUCC_CANONICAL_e4m3(v) ((gpucc_float8_e4m3fn){.bits = ((v).bits & 0x7f) > 0x7e ? 0x7f : (v).bits})
#define GPUCC_CANONICAL_e5m2(v) ((gpucc_float8_e5m2){.bits = ((v).bits & 0x7f) > 0x7c ? 0x7f : (v).bits})
#define GPUCC_CANONICAL_b1(v) (v)
#define GPUCC_CANONICAL_i8(v) (v)
#define GPUCC_CANONICAL_u8(v) (v)
#define GPUCC_CANONICAL_i16(v) (v)
#define GPUCC_CANONICAL_u16(v) (v)
#define GPUCC_CANONICAL_i32(v) (v)
#define GPUCC_CANONICAL_u32(v) (v)
#define GPUCC_CANONICAL_i64(v) (v)
#define GPUCC_CANONICAL_u64(v) (v)

/* An operand without memory is its value, which is read once, at the start, into registers: the compiler must not see
 * where it comes from, or it takes a pointer to either and copies the parameters to memory for that. */
#if defined(__NVPTX__)
#define GPUCC_HIDE(bits) __asm__("" : "+l"(bits))
#else
#define GPUCC_HIDE(bits) (void)(bits)
#endif

/* The operands of loops over strides, and the value that an input without memory is. */
#define GPUCC_RECORD_IN(k, type, code) , const struct gpucc_operand in##k
#define GPUCC_RECORD_OUT(k, type, code) , const struct gpucc_operand out##k
#define GPUCC_READ_VALUE(k, type, code)                                                                                \
    gpucc_u64 bits_in##k[2] = {in##k.value[0], sizeof(type) > 8 ? in##k.value[1] : 0};                                 \
    GPUCC_HIDE(bits_in##k[0]);                                                                                         \
    if (sizeof(type) > 8)                                                                                              \
        GPUCC_HIDE(bits_in##k[1]);                                                                                     \
    type value_in##k;                                                                                                  \
    __builtin_memcpy(&value_in##k, bits_in##k, sizeof value_in##k);

/* For loops over all GPUCC_LOOP_DIMS dimensions: the place of an operand's element at indices i0, i1, i2 and `first`,
 * and the distance in bytes to the element `step` columns on. */
_Static_assert(GPUCC_LOOP_DIMS == 4, "these are written out for four dimensions");
#define GPUCC_FIRST_AT(op)                                                                                             \
    (op).data + (int64_t)i0 *(op).strides[0] + (int64_t)i1 *(op).strides[1] + (int64_t)i2 *(op).strides[2] +           \
        (int64_t)first *(op).strides[3]
#define GPUCC_STEP_IN(k, type, code) const int64_t along_in##k = (int64_t)step * in##k.strides[3];
#define GPUCC_STEP_OUT(k, type, code) const int64_t along_out##k = (int64_t)step * out##k.strides[3];

#define GPUCC_JOIN3_(a, b) a##b
#define GPUCC_JOIN3(a, b) GPUCC_JOIN3_(a, b)
#define GPUCC_SYMBOL(suffix) GPUCC_JOIN3(GPUCC_LOOP, suffix)

/* Announces `flag` to the compiler: in the rest of the function a math function that would take its slow path (a call
 * of gpucc_slow_*) sets it to 1 instead, and its result is worthless. */
extern void gpucc_slow_flag(unsigned *flag);

/* The same, but that wide paths (gpucc_slow_wide_*) are taken, whatever the arguments; it is their slow paths that set
 * the flag.  Where a function has none, it is as if `fast` stood in its place. */
extern void gpucc_wide_flag(unsigned *flag, void (*fast)(void));

/* Announces `raised`, to which the compiler adds the exceptions of the user's function (lower_exceptions.c). */
extern void gpucc_raised_flag(unsigned *raised);

/* Whether the function has slow paths: the compiler puts the answer in place of the call. */
extern _Bool gpucc_has_slow(void (*function)(void));

/* Whether it is so few cheap operations that vectors of them do not make up for packing what is apart: likewise. */
extern _Bool gpucc_is_short(void (*function)(void));

/* Whether it shows in what order a function of two elements combines several: likewise, an enum gpucc_order. */
extern int gpucc_order(void (*function)(void));

/* Pieces of functions, one for each operand: x are the elements that a thread holds of an input, y of an output, v and
 * r the arguments and results of one call. */
#define GPUCC_ARRAY_IN(k, type, code) type x##k[GPUCC_WIDTH];
#define GPUCC_ARRAY_OUT(k, type, code) type y##k[GPUCC_WIDTH];
#define GPUCC_DECLARE_OUT(k, type, code) type r##k;
#define GPUCC_PARAMETER(k, type, code) , type v##k
#define GPUCC_ARGUMENT(k, type, code) , v##k
#define GPUCC_ARGUMENT_OF_ITEM(k, type, code) , x##k[j]
#define GPUCC_TAKE(k, type, code) const type r##k = done.r##k;
#define GPUCC_KEEP(k, type, code) y##k[j] = done.r##k;
#define GPUCC_GIVE(k, type, code) done.r##k = r##k;

/* One element, twice.  S_quick raises *slow where a slow path is due, and then its results are worthless; it is
 * inlined, once it has been simplified: the loops hold many copies of it.  S_careful takes the slow paths and stays out
 * of line; fast code that has noted one calls it for each element. */
#define GPUCC_DEFINE_RESULTS                                                                                           \
    struct GPUCC_SYMBOL(_results) {                                                                                    \
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)                                                                               \
    };
#define GPUCC_ELEMENT_BODY                                                                                             \
    struct GPUCC_SYMBOL(_results) done;                                                                                \
    GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)                                                                                   \
    GPUCC_CALL(v, r);                                                                                                  \
    GPUCC_OUTPUTS(GPUCC_GIVE)                                                                                          \
    return done;
#define GPUCC_DEFINE_QUICK                                                                                             \
    static struct GPUCC_SYMBOL(_results) GPUCC_SYMBOL(_quick)(unsigned *slow GPUCC_INPUTS(GPUCC_PARAMETER))            \
    {                                                                                                                  \
        gpucc_slow_flag(slow);                                                                                         \
        GPUCC_ELEMENT_BODY                                                                                             \
    }
#define GPUCC_DEFINE_CAREFUL                                                                                           \
    static __attribute__((noinline)) struct GPUCC_SYMBOL(_results)                                                     \
        GPUCC_SYMBOL(_careful)(int unused GPUCC_INPUTS(GPUCC_PARAMETER))                                               \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        GPUCC_ELEMENT_BODY                                                                                             \
    }
#define GPUCC_CALL_QUICK                                                                                               \
    const struct GPUCC_SYMBOL(_results) done = GPUCC_SYMBOL(_quick)(&slow GPUCC_INPUTS(GPUCC_ARGUMENT));               \
    GPUCC_OUTPUTS(GPUCC_TAKE)
#define GPUCC_CALL_CAREFUL                                                                                             \
    const struct GPUCC_SYMBOL(_results) done = GPUCC_SYMBOL(_careful)(0 GPUCC_INPUTS(GPUCC_ARGUMENT));                 \
    GPUCC_OUTPUTS(GPUCC_TAKE)
/* Element j of an item. */
#define GPUCC_COMPUTE(element)                                                                                         \
    {                                                                                                                  \
        enum { j = element };                                                                                          \
        const struct GPUCC_SYMBOL(_results) done =                                                                     \
            GPUCC_SYMBOL(_quick)(&slow GPUCC_INPUTS(GPUCC_ARGUMENT_OF_ITEM));                                          \
        GPUCC_OUTPUTS(GPUCC_KEEP)                                                                                      \
    }

#endif
