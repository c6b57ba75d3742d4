/* CUDA's mma.h by <gpucc/matrix.h>: fragments of 16 x 16 x 16 float16 or bfloat16, 16 x 16 x 8 tf32, with sums of
 * float32, and 8 x 8 x 4 doubles.  `fragment<matrix_a, 16, 16, 16, half, row_major>` is read as a use of the macro
 * fragment(matrix_a, 16, 16, 16, half, row_major).  Where an element is, x[i] of which lane, is not as in CUDA. */
#ifndef GPUCC_MMA_H
#define GPUCC_MMA_H

#include <cuda_bf16.h>
#include <gpucc/cuda.h>
#include <gpucc/matrix.h>

#define GPUCC_WMMA GPUCC_INLINE GPUCC_OVERLOADABLE

typedef enum layout_t { mem_row_major, mem_col_major } layout_t;
typedef struct tf32 {
    float x;
} tf32; /* precision::tf32 */

GPUCC_INLINE float __float_to_tf32(float x)
{
    return __uint_as_float(gpucc_mma_round_tf32(__float_as_uint(x)));
}

/* How many elements a fragment has is a constant of its type, as in CUDA: in the source itself `a.num_elements` and
 * `p->num_elements` are read as num$element(a) and num$elements(p).  Other structs may have a member of that name. */
#define GPUCC_DEFINE_COUNT(count)                                                                                      \
    typedef struct gpucc_wmma_count_##count {                                                                          \
    } gpucc_wmma_count_##count; /* no number: elsewhere its use is an error */
GPUCC_DEFINE_COUNT(1)
GPUCC_DEFINE_COUNT(2)
GPUCC_DEFINE_COUNT(4)
GPUCC_DEFINE_COUNT(8)
#define num$element(fragment)                                                                                          \
    _Generic((fragment).num_elements, gpucc_wmma_count_1: 1, gpucc_wmma_count_2: 2, gpucc_wmma_count_4: 4,             \
             gpucc_wmma_count_8: 8, default: (fragment).num_elements)
#define num$elements(pointer) num$element(*(pointer))

/* ---- sums: of 8 columns after 8 columns, each a matrix.h's ---- */

#define GPUCC_DEFINE_SUMS(name, type, elements, halves)                                                                \
    typedef struct gpucc_wmma_c_##name {                                                                               \
        union {                                                                                                        \
            gpucc_mma_c_##name parts[halves];                                                                          \
            type x[elements];                                                                                          \
        };                                                                                                             \
        gpucc_wmma_count_##elements num_elements;                                                                      \
    } gpucc_wmma_c_##name;                                                                                             \
    /* In memory, where element i of this lane is. */                                                                  \
    GPUCC_WMMA size_t gpucc_wmma_place(const gpucc_wmma_c_##name *c, unsigned i, size_t stride, layout_t layout)       \
    {                                                                                                                  \
        const unsigned count = sizeof c->parts[0].x / sizeof(type), half = i / count;                                  \
        const size_t row = gpucc_mma_row(i % count), column = 8 * half + gpucc_mma_column(i % count);                  \
        return layout == mem_row_major ? row * stride + column : column * stride + row;                                \
    }                                                                                                                  \
    GPUCC_WMMA void gpucc_wmma_load(gpucc_wmma_c_##name *c, const type *p, size_t stride, layout_t layout)             \
    {                                                                                                                  \
        for (unsigned i = 0; i < sizeof c->x / sizeof(type); i++)                                                      \
            c->x[i] = p[gpucc_wmma_place(c, i, stride, layout)];                                                       \
    }                                                                                                                  \
    GPUCC_WMMA void store_matrix_sync(type *p, gpucc_wmma_c_##name c, size_t stride, layout_t layout)                  \
    {                                                                                                                  \
        for (unsigned i = 0; i < sizeof c.x / sizeof(type); i++)                                                       \
            p[gpucc_wmma_place(&c, i, stride, layout)] = c.x[i];                                                       \
    }
GPUCC_DEFINE_SUMS(f32, float, 8, 2)
GPUCC_DEFINE_SUMS(f64, double, 2, 1)

/* ---- what is multiplied: a right matrix is of 8 columns after 8 columns too ---- */

#define GPUCC_DEFINE_OPERAND(matrix, name, type, layout, count, halves, how, step)                                     \
    typedef struct gpucc_wmma_##matrix##_##name##_##layout {                                                           \
        union {                                                                                                        \
            gpucc_mma_##matrix##_##name parts[halves];                                                                 \
            type x[count];                                                                                             \
        };                                                                                                             \
        gpucc_wmma_count_##count num_elements;                                                                         \
    } gpucc_wmma_##matrix##_##name##_##layout;                                                                         \
    GPUCC_WMMA void gpucc_wmma_load(gpucc_wmma_##matrix##_##name##_##layout *to, const type *p, size_t stride)         \
    {                                                                                                                  \
        for (unsigned half = 0; half < (halves); half++)                                                               \
            gpucc_mma_load_##how##_##name(&to->parts[half], p + 8 * half * (step), stride);                            \
    }
#define GPUCC_DEFINE_WMMA(name, type, sums, count, halves)                                                             \
    GPUCC_DEFINE_OPERAND(a, name, type, row_major, count, 1, a, 0)                                                     \
    GPUCC_DEFINE_OPERAND(a, name, type, col_major, count, 1, a_trans, 0)                                               \
    GPUCC_DEFINE_OPERAND(b, name, type, row_major, count, halves, b, 1)                                                \
    GPUCC_DEFINE_OPERAND(b, name, type, col_major, count, halves, b_trans, stride)                                     \
    GPUCC_WMMA void gpucc_wmma_multiply(gpucc_wmma_c_##sums *d, const gpucc_mma_a_##name *a,                           \
                                        const gpucc_mma_b_##name *b, gpucc_wmma_c_##sums c)                            \
    {                                                                                                                  \
        for (unsigned half = 0; half < (halves); half++)                                                               \
            d->parts[half] = gpucc_mma(*a, b[half], c.parts[half]);                                                    \
    }
GPUCC_DEFINE_WMMA(f16, float16, f32, 8, 2)
GPUCC_DEFINE_WMMA(bf16, bfloat16, f32, 8, 2)
GPUCC_DEFINE_WMMA(tf32, float, f32, 4, 2)
GPUCC_DEFINE_WMMA(f64, double, f64, 1, 1)

#define load_matrix_sync(to, ...) gpucc_wmma_load(&(to), __VA_ARGS__)
#define mma_sync(d, a, b, c) gpucc_wmma_multiply(&(d), (a).parts, (b).parts, c)
#define fill_fragment(to, value)                                                                                       \
    __extension__({                                                                                                    \
        __auto_type gpucc_filled = &(to);                                                                              \
        const __typeof__(gpucc_filled->x[0]) gpucc_value = (value);                                                    \
        for (unsigned gpucc_i = 0; gpucc_i < sizeof gpucc_filled->x / sizeof gpucc_filled->x[0]; gpucc_i++)            \
            gpucc_filled->x[gpucc_i] = gpucc_value;                                                                    \
    })

/* ---- fragment(use, m, n, k, type, layout) ---- */

#define GPUCC_DEFINE_SHAPE(name, M, N, K)                                                                              \
    static inline int name(int m, int n, int k)                                                                        \
        __attribute__((unused, diagnose_if(m != M || n != N || k != K,                                                 \
                                           "fragments of such elements are " #M ", " #N ", " #K, "error")))            \
    {                                                                                                                  \
        return m + n + k;                                                                                              \
    }
GPUCC_DEFINE_SHAPE(gpucc_wmma_16_16_16, 16, 16, 16)
GPUCC_DEFINE_SHAPE(gpucc_wmma_16_16_8, 16, 16, 8)
GPUCC_DEFINE_SHAPE(gpucc_wmma_8_8_4, 8, 8, 4)

#define GPUCC_WMMA_OPERAND(matrix, m, n, k, type, layout)                                                              \
    __typeof__(_Generic((type *)0, float16 *: gpucc_wmma_16_16_16, bfloat16 *: gpucc_wmma_16_16_16,                    \
                        tf32 *: gpucc_wmma_16_16_8, double *: gpucc_wmma_8_8_4)(m, n, k),                              \
               _Generic((type *)0, float16 *: (gpucc_wmma_##matrix##_f16_##layout){0},                                 \
                        bfloat16 *: (gpucc_wmma_##matrix##_bf16_##layout){0},                                          \
                        tf32 *: (gpucc_wmma_##matrix##_tf32_##layout){0},                                              \
                        double *: (gpucc_wmma_##matrix##_f64_##layout){0}))
#define GPUCC_WMMA_matrix_a(...) GPUCC_WMMA_OPERAND(a, __VA_ARGS__)
#define GPUCC_WMMA_matrix_b(...) GPUCC_WMMA_OPERAND(b, __VA_ARGS__)
#define GPUCC_WMMA_accumulator(m, n, k, type)                                                                          \
    __typeof__(_Generic((type *)0, float *: (gpucc_wmma_c_f32){0}, double *: (gpucc_wmma_c_f64){0}))
#define fragment(use, ...) GPUCC_WMMA_##use(__VA_ARGS__)

#endif
