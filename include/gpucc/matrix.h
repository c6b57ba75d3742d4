/* Products of small matrices by a whole warp, on the GPU's matrix units.  Include it by itself.
 *
 *   mma_a_bf16 a;  mma_b_bf16 b;  mma_c_f32 c = {0};        every lane holds its part of the matrices
 *   mma_load_a(&a, &A[row][k], lda);                        lda: elements from one row in memory to the next
 *   mma_load_b(&b, &B[k][column], ldb);
 *   c = mma(a, b, c);                                       A B + C
 *   mma_store(&C[row][column], ldc, c);
 *
 *   elements   fragments                          A        B        C        sums
 *   f16        mma_a_f16   mma_b_f16   mma_c_f32  16 x 16  16 x 8   16 x 8   float32
 *   bf16       mma_a_bf16  mma_b_bf16  mma_c_f32  16 x 16  16 x 8   16 x 8   float32
 *   tf32       mma_a_tf32  mma_b_tf32  mma_c_f32  16 x 8    8 x 8   16 x 8   float32, of float32 rounded to 11 bits
 *   i8         mma_a_i8    mma_b_i8    mma_c_i32  16 x 32  32 x 8   16 x 8   int32, modulo 2^32
 *   f64        mma_a_f64   mma_b_f64   mma_c_f64   8 x 4    4 x 8    8 x 8   float64
 *
 *   mma_load_a(&a, p, stride)          element [i][k] is p[i * stride + k];  mma_load_a_trans: p[k * stride + i]
 *   mma_load_b(&b, p, stride)          element [k][j] is p[k * stride + j];  mma_load_b_trans: p[j * stride + k]
 *   mma_load_c(&c, p, stride)          element [i][j] is p[i * stride + j]
 *   mma_store(p, stride, c)            the same way; float32 sums also to float16 and bfloat16, rounded to nearest
 *   …_shared                           the same from shared memory, faster: ldmatrix, where the elements' size permits
 *   mma_load_b_pair_shared(b, p, stride) and mma_load_b_pair_trans_shared: b[0], and b[1] of the 8 columns beside it
 *   mma_row(i) mma_column(i)           the place of c.x[i] in its matrix, for work on single elements
 *
 * All 32 lanes of the warp must execute mma() and the loads from shared memory together.  Addresses and strides:
 * multiples of 4 bytes for loads, of two elements for mma_load_c and mma_store, of 16 bytes for …_shared.
 *
 * The sums: without mma.sync, on the CPU and before sm_80, an element is c + a[0]b[0] + a[1]b[1] … one after the other,
 * each product exact and each addition rounded (f64: fused).  The GPU's units add several products at once, in an order
 * and with a precision that NVIDIA does not state, so float32 sums differ in their last bits, unless all of them are
 * exact; int32 sums are the same.
 *
 * Where the elements are: "PTX ISA", warp-level matrix instructions.  With g = lane / 4, t = lane % 4 and e elements in
 * a register of 32 bits (64 for f64), element i of A's register 2 s + h is [g + 8 h][e (t + 4 s) + i], that of B's
 * register s is [e (t + 4 s) + i][g], and c.x[2 h + i] is [g + 8 h][2 t + i].
 */
#ifndef GPUCC_MATRIX_H
#define GPUCC_MATRIX_H

#include <gpucc.h>

/* The host's compiler may lack float16. */
#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_MMA_F16(entry) entry(f16, float16)
#else
#define GPUCC_MMA_F16(entry)
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_MMA_BF16(entry) entry(bf16, bfloat16)
#else
#define GPUCC_MMA_BF16(entry)
#endif

typedef __attribute__((may_alias)) uint32_t gpucc_mma_word32;
typedef __attribute__((may_alias)) uint64_t gpucc_mma_word64;

#define GPUCC_MMA_GROUP (gpucc_laneid / 4)
#define GPUCC_MMA_THREAD (gpucc_laneid % 4)
#define gpucc_mma_row(i) (GPUCC_MMA_GROUP + (unsigned)(i) / 2 * 8)
#define gpucc_mma_column(i) (GPUCC_MMA_THREAD * 2 + (unsigned)(i) % 2)

/* ---- fragments, and what loads them from anywhere ---- */

/* float32 to the 11 significant bits of tf32, to nearest, ties away from zero, as cvt.rna.tf32 does. */
GPUCC_INLINE uint32_t gpucc_mma_round_tf32(uint32_t bits)
{
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800
    uint32_t rounded;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "r"(bits));
    return rounded;
#else
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffffff;
    return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & ~(uint32_t)0x1fff;
#endif
}

#define GPUCC_MMA_AS_IT_IS(word) (word)

/* Elements of `type`, words of `bits` bits; A has `steps` x `halves` words, B `steps`.  `finish` is done to what is
 * loaded. */
#define GPUCC_DEFINE_FRAGMENTS(name, type, bits, steps, halves, finish)                                                \
    enum { gpucc_mma_per_word_##name = (bits) / 8 / sizeof(type) };                                                    \
    typedef union gpucc_mma_a_##name {                                                                                 \
        type x[(steps) * (halves) * (bits) / 8 / sizeof(type)];                                                        \
        uint##bits##_t words[(steps) * (halves)];                                                                      \
    } gpucc_mma_a_##name;                                                                                              \
    typedef union gpucc_mma_b_##name {                                                                                 \
        type x[(steps) * (bits) / 8 / sizeof(type)];                                                                   \
        uint##bits##_t words[steps];                                                                                   \
    } gpucc_mma_b_##name;                                                                                              \
    GPUCC_INLINE void gpucc_mma_load_a_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)                     \
    {                                                                                                                  \
        for (unsigned r = 0; r < (steps) * (halves); r++) {                                                            \
            const type *at = &p[(GPUCC_MMA_GROUP + r % (halves) * 8) * stride];                                        \
            at += gpucc_mma_per_word_##name * (GPUCC_MMA_THREAD + r / (halves) * 4);                                   \
            a->words[r] = finish(*(const gpucc_mma_word##bits *)at);                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_a_trans_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)               \
    {                                                                                                                  \
        const unsigned e = gpucc_mma_per_word_##name;                                                                  \
        for (unsigned r = 0; r < (steps) * (halves); r++) {                                                            \
            const type *at = &p[GPUCC_MMA_GROUP + r % (halves) * 8];                                                   \
            for (unsigned i = 0; i < e; i++)                                                                           \
                a->x[r * e + i] = at[(e * (GPUCC_MMA_THREAD + r / (halves) * 4) + i) * stride];                        \
            a->words[r] = finish(a->words[r]);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)                     \
    {                                                                                                                  \
        const unsigned e = gpucc_mma_per_word_##name;                                                                  \
        for (unsigned r = 0; r < (steps); r++) {                                                                       \
            for (unsigned i = 0; i < e; i++)                                                                           \
                b->x[r * e + i] = p[(e * (GPUCC_MMA_THREAD + r * 4) + i) * stride + GPUCC_MMA_GROUP];                  \
            b->words[r] = finish(b->words[r]);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_trans_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)               \
    {                                                                                                                  \
        for (unsigned r = 0; r < (steps); r++) {                                                                       \
            const type *at = &p[GPUCC_MMA_GROUP * stride];                                                             \
            at += gpucc_mma_per_word_##name * (GPUCC_MMA_THREAD + r * 4);                                              \
            b->words[r] = finish(*(const gpucc_mma_word##bits *)at);                                                   \
        }                                                                                                              \
    }

#define GPUCC_DEFINE_16_BITS(name, type) GPUCC_DEFINE_FRAGMENTS(name, type, 32, 2, 2, GPUCC_MMA_AS_IT_IS)
GPUCC_MMA_F16(GPUCC_DEFINE_16_BITS)
GPUCC_MMA_BF16(GPUCC_DEFINE_16_BITS)
GPUCC_DEFINE_FRAGMENTS(tf32, float, 32, 2, 2, gpucc_mma_round_tf32)
GPUCC_DEFINE_FRAGMENTS(i8, int8_t, 32, 2, 2, GPUCC_MMA_AS_IT_IS)
GPUCC_DEFINE_FRAGMENTS(f64, double, 64, 1, 1, GPUCC_MMA_AS_IT_IS)

/* `sums` in memory as numbers of `type`, two neighbours at a time. */
#define GPUCC_DEFINE_PAIRS(name, type, sums)                                                                           \
    typedef struct __attribute__((aligned(2 * sizeof(type)), may_alias)) gpucc_mma_pair_##name {                       \
        type x, y;                                                                                                     \
    } gpucc_mma_pair_##name;                                                                                           \
    GPUCC_INLINE void gpucc_mma_load_c_##name(gpucc_mma_c_##sums *c, const type *p, size_t stride)                     \
    {                                                                                                                  \
        for (unsigned i = 0; i < sizeof c->x / sizeof *c->x; i += 2) {                                                 \
            const type *at = &p[gpucc_mma_row(i) * stride + gpucc_mma_column(i)];                                      \
            const gpucc_mma_pair_##name pair = *(const gpucc_mma_pair_##name *)at;                                     \
            c->x[i] = pair.x;                                                                                          \
            c->x[i + 1] = pair.y;                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_store_##name(type *p, size_t stride, gpucc_mma_c_##sums c)                             \
    {                                                                                                                  \
        for (unsigned i = 0; i < sizeof c.x / sizeof *c.x; i += 2) {                                                   \
            type *at = &p[gpucc_mma_row(i) * stride + gpucc_mma_column(i)];                                            \
            *(gpucc_mma_pair_##name *)at = (gpucc_mma_pair_##name){(type)c.x[i], (type)c.x[i + 1]};                    \
        }                                                                                                              \
    }

typedef struct gpucc_mma_c_f32 {
    float x[4];
} gpucc_mma_c_f32;
typedef struct gpucc_mma_c_i32 {
    int32_t x[4];
} gpucc_mma_c_i32;
typedef struct gpucc_mma_c_f64 {
    double x[2];
} gpucc_mma_c_f64;
#define GPUCC_DEFINE_NARROW_PAIRS(name, type) GPUCC_DEFINE_PAIRS(name, type, f32)
GPUCC_MMA_F16(GPUCC_DEFINE_NARROW_PAIRS)
GPUCC_MMA_BF16(GPUCC_DEFINE_NARROW_PAIRS)
GPUCC_DEFINE_PAIRS(f32, float, f32)
GPUCC_DEFINE_PAIRS(i32, int32_t, i32)
GPUCC_DEFINE_PAIRS(f64, double, f64)

/* ---- products ---- */

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800

#define GPUCC_DEFINE_MMA(name, sums, letter, instruction)                                                              \
    GPUCC_INLINE gpucc_mma_c_##sums gpucc_mma_##name(gpucc_mma_a_##name a, gpucc_mma_b_##name b, gpucc_mma_c_##sums c) \
    {                                                                                                                  \
        __asm__("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"     \
                : "+" letter(c.x[0]), "+" letter(c.x[1]), "+" letter(c.x[2]), "+" letter(c.x[3])                       \
                : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]),                 \
                  "r"(b.words[1]));                                                                                    \
        return c;                                                                                                      \
    }
GPUCC_DEFINE_MMA(f16, f32, "f", "m16n8k16.row.col.f32.f16.f16.f32")
GPUCC_DEFINE_MMA(bf16, f32, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
GPUCC_DEFINE_MMA(tf32, f32, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
GPUCC_DEFINE_MMA(i8, i32, "r", "m16n8k32.row.col.s32.s8.s8.s32")

GPUCC_INLINE gpucc_mma_c_f64 gpucc_mma_f64(gpucc_mma_a_f64 a, gpucc_mma_b_f64 b, gpucc_mma_c_f64 c)
{
    __asm__("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c.x[0]), "+d"(c.x[1]) : "d"(a.x[0]), "d"(b.x[0]));
    return c;
}

#else

/* The type of an element in the product, and one step of the sum. */
#define GPUCC_MMA_WIDEN(x) ((float)(x))
#define GPUCC_MMA_STEP(sum, x, y) ((sum) + (x) * (y))
#define GPUCC_MMA_STEP_MODULO(sum, x, y) ((int32_t)((uint32_t)(sum) + (uint32_t)((x) * (y))))

/* The bits of tf32, which are all that counts. */
GPUCC_INLINE float gpucc_mma_cut(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint32_t)0x1fff;
    __builtin_memcpy(&x, &bits, sizeof bits);
    return x;
}

#if defined(__NVPTX__)

/* Each lane makes its part of the product of what shuffles bring. */
#define GPUCC_DEFINE_MMA(name, sums, steps, halves, wide, widen, step)                                                 \
    GPUCC_INLINE gpucc_mma_c_##sums gpucc_mma_##name(gpucc_mma_a_##name a, gpucc_mma_b_##name b, gpucc_mma_c_##sums c) \
    {                                                                                                                  \
        const unsigned e = gpucc_mma_per_word_##name, group = GPUCC_MMA_GROUP * 4, columns = GPUCC_MMA_THREAD * 8;     \
        for (unsigned k = 0; k < 4 * (steps); k++) {                                                                   \
            gpucc_mma_a_##name left;                                                                                   \
            gpucc_mma_b_##name right[2];                                                                               \
            for (unsigned h = 0; h < (halves); h++)                                                                    \
                left.words[h] = gpucc_shfl_sync(0xffffffffu, a.words[k / 4 * (halves) + h], group + k % 4);            \
            for (unsigned j = 0; j < 2; j++)                                                                           \
                right[j].words[0] = gpucc_shfl_sync(0xffffffffu, b.words[k / 4], columns + 4 * j + k % 4);             \
            for (unsigned i = 0; i < e; i++)                                                                           \
                for (unsigned n = 0; n < 2 * (halves); n++)                                                            \
                    c.x[n] = step(c.x[n], (wide)widen(left.x[n / 2 * e + i]), (wide)widen(right[n % 2].x[i]));         \
        }                                                                                                              \
        return c;                                                                                                      \
    }

#else

/* The last lane that comes makes the product for all: from the lanes' parts to whole matrices, and back. */
#define GPUCC_DEFINE_MMA(name, sums, steps, halves, wide, widen, step)                                                 \
    typedef struct gpucc_mma_operands_##name {                                                                         \
        gpucc_mma_a_##name a;                                                                                          \
        gpucc_mma_b_##name b;                                                                                          \
        gpucc_mma_c_##sums c;                                                                                          \
    } gpucc_mma_operands_##name;                                                                                       \
    static __attribute__((unused)) void gpucc_mma_warp_##name(void *const *all, unsigned lanes)                        \
    {                                                                                                                  \
        enum { E = gpucc_mma_per_word_##name, K = 4 * (steps) * E };                                                   \
        wide a[8 * (halves)][K], b[K][8], c[8 * (halves)][8];                                                          \
        for (unsigned lane = 0; lanes == 0xffffffffu && lane < 32; lane++) {                                           \
            const gpucc_mma_operands_##name *own = (const gpucc_mma_operands_##name *)all[lane];                       \
            const unsigned g = lane / 4, t = lane % 4;                                                                 \
            for (unsigned i = 0; i < (steps) * (halves) * E; i++)                                                      \
                a[g + i / E % (halves) * 8][E * (t + i / E / (halves) * 4) + i % E] = (wide)widen(own->a.x[i]);        \
            for (unsigned i = 0; i < (steps) * E; i++)                                                                 \
                b[E * (t + i / E * 4) + i % E][g] = (wide)widen(own->b.x[i]);                                          \
            for (unsigned i = 0; i < 2 * (halves); i++)                                                                \
                c[g + i / 2 * 8][2 * t + i % 2] = own->c.x[i];                                                         \
        }                                                                                                              \
        for (unsigned row = 0; lanes == 0xffffffffu && row < 8 * (halves); row++)                                      \
            for (unsigned k = 0; k < K; k++)                                                                           \
                for (unsigned n = 0; n < 8; n++)                                                                       \
                    c[row][n] = step(c[row][n], a[row][k], b[k][n]);                                                   \
        for (unsigned lane = 0; lanes == 0xffffffffu && lane < 32; lane++)                                             \
            for (unsigned i = 0; i < 2 * (halves); i++)                                                                \
                ((gpucc_mma_operands_##name *)all[lane])->c.x[i] = c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];      \
    }                                                                                                                  \
    GPUCC_INLINE gpucc_mma_c_##sums gpucc_mma_at_##name(gpucc_mma_a_##name a, gpucc_mma_b_##name b,                    \
                                                        gpucc_mma_c_##sums c, const char *file, int line)              \
    {                                                                                                                  \
        gpucc_mma_operands_##name own = {a, b, c};                                                                     \
        if (gpucc_cpu_warp_together(0xffffffffu, gpucc_mma_warp_##name, &own) != 0xffffffffu)                          \
            gpucc_cpu_fail("mma takes all 32 lanes of a warp", file, line);                                            \
        return own.c;                                                                                                  \
    }
#endif

#define GPUCC_DEFINE_NARROW_MMA(name, type) GPUCC_DEFINE_MMA(name, f32, 2, 2, float, GPUCC_MMA_WIDEN, GPUCC_MMA_STEP)
GPUCC_MMA_F16(GPUCC_DEFINE_NARROW_MMA)
GPUCC_MMA_BF16(GPUCC_DEFINE_NARROW_MMA)
GPUCC_DEFINE_MMA(tf32, f32, 2, 2, float, gpucc_mma_cut, GPUCC_MMA_STEP)
GPUCC_DEFINE_MMA(i8, i32, 2, 2, int32_t, GPUCC_MMA_AS_IT_IS, GPUCC_MMA_STEP_MODULO)
GPUCC_DEFINE_MMA(f64, f64, 1, 1, double, GPUCC_MMA_AS_IT_IS, GPUCC_MMA_STEP)

#endif

/* ---- loads from shared memory ---- */

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800

/* ldmatrix reads matrices of 8 rows of 16 bytes, whose addresses lanes 0 to 7, 8 to 15 and so on give. */
#define GPUCC_MMA_SHARED(p) ((const __attribute__((address_space(3))) void *)(p))
GPUCC_INLINE void gpucc_ldmatrix_4(uint32_t *to, const void *from)
{
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "l"(GPUCC_MMA_SHARED(from)) : "memory");
}

GPUCC_INLINE void gpucc_ldmatrix_4_trans(uint32_t *to, const void *from)
{
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "l"(GPUCC_MMA_SHARED(from)) : "memory");
}

GPUCC_INLINE void gpucc_ldmatrix_2(uint32_t *to, const void *from)
{
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1]) : "l"(GPUCC_MMA_SHARED(from)) : "memory");
}

GPUCC_INLINE void gpucc_ldmatrix_2_trans(uint32_t *to, const void *from)
{
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1]) : "l"(GPUCC_MMA_SHARED(from)) : "memory");
}

/* Along k: rows of A, or columns of B that are rows in memory; any elements of up to 32 bits. */
#define GPUCC_DEFINE_ALONG(name, type, finish)                                                                         \
    GPUCC_INLINE void gpucc_mma_load_a_shared_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)              \
    {                                                                                                                  \
        gpucc_ldmatrix_4(a->words, (const char *)&p[gpucc_laneid % 16 * stride] + gpucc_laneid / 16 * 16);             \
        for (int i = 0; i < 4; i++)                                                                                    \
            a->words[i] = finish(a->words[i]);                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_trans_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)        \
    {                                                                                                                  \
        gpucc_ldmatrix_2(b->words, (const char *)&p[gpucc_laneid % 8 * stride] + gpucc_laneid / 8 % 2 * 16);           \
        for (int i = 0; i < 2; i++)                                                                                    \
            b->words[i] = finish(b->words[i]);                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_pair_trans_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)   \
    {                                                                                                                  \
        const type *row = &p[(gpucc_laneid / 16 * 8 + gpucc_laneid % 8) * stride];                                     \
        uint32_t words[4];                                                                                             \
        gpucc_ldmatrix_4(words, (const char *)row + gpucc_laneid / 8 % 2 * 16);                                        \
        for (int i = 0; i < 4; i++)                                                                                    \
            b[i / 2].words[i % 2] = finish(words[i]);                                                                  \
    }

/* Across k, for elements of 16 bits. */
#define GPUCC_DEFINE_ACROSS(name, type)                                                                                \
    GPUCC_INLINE void gpucc_mma_load_a_trans_shared_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)        \
    {                                                                                                                  \
        const type *row = &p[(gpucc_laneid / 16 * 8 + gpucc_laneid % 8) * stride];                                     \
        gpucc_ldmatrix_4_trans(a->words, row + gpucc_laneid / 8 % 2 * 8);                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)              \
    {                                                                                                                  \
        gpucc_ldmatrix_2_trans(b->words, &p[gpucc_laneid % 16 * stride]);                                              \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_pair_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)         \
    {                                                                                                                  \
        uint32_t words[4];                                                                                             \
        gpucc_ldmatrix_4_trans(words, &p[gpucc_laneid % 16 * stride] + gpucc_laneid / 16 * 8);                         \
        for (int i = 0; i < 4; i++)                                                                                    \
            b[i / 2].words[i % 2] = words[i];                                                                          \
    }

#else

#define GPUCC_DEFINE_ALONG(name, type, finish)                                                                         \
    GPUCC_DEFINE_PLAIN_ALONG(name, type)
#define GPUCC_DEFINE_ACROSS(name, type) GPUCC_DEFINE_PLAIN_ACROSS(name, type)

#endif

/* Without such an instruction. */
#define GPUCC_DEFINE_PLAIN_ALONG(name, type)                                                                           \
    GPUCC_INLINE void gpucc_mma_load_a_shared_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)              \
    {                                                                                                                  \
        gpucc_mma_load_a_##name(a, p, stride);                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_trans_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)        \
    {                                                                                                                  \
        gpucc_mma_load_b_trans_##name(b, p, stride);                                                                   \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_pair_trans_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)   \
    {                                                                                                                  \
        gpucc_mma_load_b_trans_##name(&b[0], p, stride);                                                               \
        gpucc_mma_load_b_trans_##name(&b[1], p + 8 * stride, stride);                                                  \
    }
#define GPUCC_DEFINE_PLAIN_ACROSS(name, type)                                                                          \
    GPUCC_INLINE void gpucc_mma_load_a_trans_shared_##name(gpucc_mma_a_##name *a, const type *p, size_t stride)        \
    {                                                                                                                  \
        gpucc_mma_load_a_trans_##name(a, p, stride);                                                                   \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)              \
    {                                                                                                                  \
        gpucc_mma_load_b_##name(b, p, stride);                                                                         \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_mma_load_b_pair_shared_##name(gpucc_mma_b_##name *b, const type *p, size_t stride)         \
    {                                                                                                                  \
        gpucc_mma_load_b_##name(&b[0], p, stride);                                                                     \
        gpucc_mma_load_b_##name(&b[1], p + 8, stride);                                                                 \
    }

#define GPUCC_DEFINE_16_BITS_SHARED(name, type)                                                                        \
    GPUCC_DEFINE_ALONG(name, type, GPUCC_MMA_AS_IT_IS)                                                                 \
    GPUCC_DEFINE_ACROSS(name, type)
GPUCC_MMA_F16(GPUCC_DEFINE_16_BITS_SHARED)
GPUCC_MMA_BF16(GPUCC_DEFINE_16_BITS_SHARED)
GPUCC_DEFINE_ALONG(tf32, float, gpucc_mma_round_tf32)
GPUCC_DEFINE_PLAIN_ACROSS(tf32, float)
GPUCC_DEFINE_ALONG(i8, int8_t, GPUCC_MMA_AS_IT_IS)
GPUCC_DEFINE_PLAIN_ACROSS(i8, int8_t)
GPUCC_DEFINE_PLAIN_ALONG(f64, double)
GPUCC_DEFINE_PLAIN_ACROSS(f64, double)

/* ---- by the fragments' types ---- */

#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_MMA_IF_F16(...) __VA_ARGS__,
#else
#define GPUCC_MMA_IF_F16(...)
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_MMA_IF_BF16(...) __VA_ARGS__,
#else
#define GPUCC_MMA_IF_BF16(...)
#endif

/* function_f16 and so on for a fragment of A or of B. */
#define GPUCC_MMA_BY_TYPE(fragment, matrix, function)                                                                  \
    _Generic((fragment), GPUCC_MMA_IF_F16(gpucc_mma_##matrix##_f16 : function##_f16)                                   \
             GPUCC_MMA_IF_BF16(gpucc_mma_##matrix##_bf16 : function##_bf16)                                            \
             gpucc_mma_##matrix##_tf32: function##_tf32, gpucc_mma_##matrix##_i8: function##_i8,                       \
             gpucc_mma_##matrix##_f64: function##_f64)
#define GPUCC_MMA_ALIGNED(p, stride, bytes)                                                                            \
    GPUCC_REQUIRE(((uintptr_t)(p) | (stride) * sizeof *(p)) % (bytes) == 0,                                            \
                  "a matrix's address or stride is no multiple of " #bytes " bytes")
#define GPUCC_MMA_LOAD(fragment, matrix, how, pointer, stride, bytes)                                                  \
    __extension__({                                                                                                    \
        __auto_type gpucc_to = (fragment);                                                                             \
        __auto_type gpucc_from = (pointer);                                                                            \
        const size_t gpucc_stride = (stride);                                                                          \
        GPUCC_MMA_ALIGNED(gpucc_from, gpucc_stride, bytes);                                                            \
        GPUCC_MMA_BY_TYPE(*gpucc_to, matrix, gpucc_mma_load_##how)(gpucc_to, gpucc_from, gpucc_stride);                \
    })

#define gpucc_mma_load_a(fragment, p, stride) GPUCC_MMA_LOAD(fragment, a, a, p, stride, 4)
#define gpucc_mma_load_a_trans(fragment, p, stride) GPUCC_MMA_LOAD(fragment, a, a_trans, p, stride, 1)
#define gpucc_mma_load_b(fragment, p, stride) GPUCC_MMA_LOAD(fragment, b, b, p, stride, 1)
#define gpucc_mma_load_b_trans(fragment, p, stride) GPUCC_MMA_LOAD(fragment, b, b_trans, p, stride, 4)
#define gpucc_mma_load_a_shared(fragment, p, stride) GPUCC_MMA_LOAD(fragment, a, a_shared, p, stride, 16)
#define gpucc_mma_load_a_trans_shared(fragment, p, stride) GPUCC_MMA_LOAD(fragment, a, a_trans_shared, p, stride, 16)
#define gpucc_mma_load_b_shared(fragment, p, stride) GPUCC_MMA_LOAD(fragment, b, b_shared, p, stride, 16)
#define gpucc_mma_load_b_trans_shared(fragment, p, stride) GPUCC_MMA_LOAD(fragment, b, b_trans_shared, p, stride, 16)
#define gpucc_mma_load_b_pair_shared(fragment, p, stride) GPUCC_MMA_LOAD(fragment, b, b_pair_shared, p, stride, 16)
#define gpucc_mma_load_b_pair_trans_shared(fragment, p, stride)                                                        \
    GPUCC_MMA_LOAD(fragment, b, b_pair_trans_shared, p, stride, 16)

/* function_f16 and so on for an element in memory. */
#define GPUCC_MMA_BY_ELEMENT(element, function)                                                                        \
    _Generic((element), GPUCC_MMA_IF_F16(float16 : function##_f16) GPUCC_MMA_IF_BF16(bfloat16 : function##_bf16)       \
             float: function##_f32, int32_t: function##_i32, double: function##_f64)
#define GPUCC_MMA_PAIRED(p, stride)                                                                                    \
    GPUCC_REQUIRE(((uintptr_t)(p) / sizeof *(p) | (stride)) % 2 == 0,                                                  \
                  "a matrix's address or stride is no multiple of two elements")
#define gpucc_mma_load_c(c, p, stride)                                                                                 \
    __extension__({                                                                                                    \
        __auto_type gpucc_from = (p);                                                                                  \
        const size_t gpucc_stride = (stride);                                                                          \
        GPUCC_MMA_PAIRED(gpucc_from, gpucc_stride);                                                                    \
        GPUCC_MMA_BY_ELEMENT(*gpucc_from, gpucc_mma_load_c)(c, gpucc_from, gpucc_stride);                              \
    })
#define gpucc_mma_store(p, stride, c)                                                                                  \
    __extension__({                                                                                                    \
        __auto_type gpucc_to = (p);                                                                                    \
        const size_t gpucc_stride = (stride);                                                                          \
        GPUCC_MMA_PAIRED(gpucc_to, gpucc_stride);                                                                      \
        GPUCC_MMA_BY_ELEMENT(*gpucc_to, gpucc_mma_store)(gpucc_to, gpucc_stride, c);                                   \
    })

#if defined(__NVPTX__)
#define gpucc_mma(left, right, sums)                                                                                   \
    GPUCC_ONCE(left, GPUCC_MMA_BY_TYPE(gpucc_x, a, gpucc_mma)(gpucc_x, right, sums))
#else
#define gpucc_mma(left, right, sums)                                                                                   \
    GPUCC_ONCE(left, GPUCC_MMA_BY_TYPE(gpucc_x, a, gpucc_mma_at)(gpucc_x, right, sums, __FILE__, __LINE__))
#endif

#ifndef GPUCC_NO_SHORT_NAMES
#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
typedef gpucc_mma_a_f16 mma_a_f16;
typedef gpucc_mma_b_f16 mma_b_f16;
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
typedef gpucc_mma_a_bf16 mma_a_bf16;
typedef gpucc_mma_b_bf16 mma_b_bf16;
#endif
typedef gpucc_mma_a_tf32 mma_a_tf32;
typedef gpucc_mma_b_tf32 mma_b_tf32;
typedef gpucc_mma_a_i8 mma_a_i8;
typedef gpucc_mma_b_i8 mma_b_i8;
typedef gpucc_mma_a_f64 mma_a_f64;
typedef gpucc_mma_b_f64 mma_b_f64;
typedef gpucc_mma_c_f32 mma_c_f32;
typedef gpucc_mma_c_i32 mma_c_i32;
typedef gpucc_mma_c_f64 mma_c_f64;
#define mma(a, b, c) gpucc_mma(a, b, c)
#define mma_load_a(a, p, stride) gpucc_mma_load_a(a, p, stride)
#define mma_load_a_trans(a, p, stride) gpucc_mma_load_a_trans(a, p, stride)
#define mma_load_b(b, p, stride) gpucc_mma_load_b(b, p, stride)
#define mma_load_b_trans(b, p, stride) gpucc_mma_load_b_trans(b, p, stride)
#define mma_load_c(c, p, stride) gpucc_mma_load_c(c, p, stride)
#define mma_load_a_shared(a, p, stride) gpucc_mma_load_a_shared(a, p, stride)
#define mma_load_a_trans_shared(a, p, stride) gpucc_mma_load_a_trans_shared(a, p, stride)
#define mma_load_b_shared(b, p, stride) gpucc_mma_load_b_shared(b, p, stride)
#define mma_load_b_trans_shared(b, p, stride) gpucc_mma_load_b_trans_shared(b, p, stride)
#define mma_load_b_pair_shared(b, p, stride) gpucc_mma_load_b_pair_shared(b, p, stride)
#define mma_load_b_pair_trans_shared(b, p, stride) gpucc_mma_load_b_pair_trans_shared(b, p, stride)
#define mma_store(p, stride, c) gpucc_mma_store(p, stride, c)
#define mma_row(i) gpucc_mma_row(i)
#define mma_column(i) gpucc_mma_column(i)
#endif

#endif
