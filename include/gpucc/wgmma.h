/* Products of matrices by a warpgroup, 128 threads, on Hopper's matrix units (wgmma), and on the CPU.  Include it by
 * itself.  A and B are tiles in shared memory, as tma_load() (<gpucc/tma.h>) writes them.
 *
 *   float d[128];                             the thread's part of 64 x 256 sums
 *   wgmma_tile a = wgmma_rows(tile_a, 128), b = wgmma_rows(tile_b, 128);     128: bytes of the map's swizzle
 *   wgmma_fence(d);                           before the first product, and after other writes to d
 *   wgmma_bf16(d, a, b, keep);                d = A B, and if keep is not 0 d += A B
 *   wgmma_bf16(d, wgmma_offset(a, 32), wgmma_offset(b, 32), 1);              the next 16 along k
 *   wgmma_commit();                           makes a group of the products since the last commit
 *   wgmma_wait(0, d);                         until at most 0, to 7, of the newest groups are incomplete; then d may be
 *                                             read, and the tiles of complete groups may be written
 *
 *   wgmma_f16  wgmma_bf16        A 64 x 16, B 16 x N, sums float32
 *   wgmma_tf32                   A 64 x 8, B 8 x N, sums float32; the low 13 bits of elements do not count
 *   wgmma_e4m3  wgmma_e5m2  wgmma_e4m3_e5m2  wgmma_e5m2_e4m3
 *                                A 64 x 32, B 32 x N, of 8-bit floats, sums float32
 *   wgmma_s8  wgmma_u8           A 64 x 32, B 32 x N, sums int32, modulo 2^32
 *
 *   d                            an array, not a pointer, of N / 2 elements: N is 8, 16, 24 … 256; for int32 sums
 *                                8, 16, 24, 32, 48, 64 …
 *   wgmma_row(i) wgmma_column(i) the place of d[i] among the warpgroup's 64 x N sums
 *   wgmma_rows(p, swizzle)       a tile whose rows lie along k: element [i][k] of A or [k][j] of B is in row i or j.
 *                                A row has `swizzle` bytes, 32, 64 or 128; the tile starts at a multiple of 8 rows
 *   wgmma_columns(p, next)       for 16-bit elements: rows along i or j, of 128 bytes with swizzle 128; `next`:
 *                                bytes from 64 columns to the next 64
 *   wgmma_part_f16(x)  wgmma_part_bf16(x)
 *                                a wgmma_part, 64 x 16 elements in registers: A of wgmma_f16() or wgmma_bf16().  x is
 *                                8 floats, which are rounded; x[i] has the place of d[i], so that sums become the next
 *                                product's A.  Make it before the wgmma_fence() in front of that product
 *   wgmma_offset(tile, bytes)    a tile that starts so many bytes later, a multiple of 16: along k 32 bytes for
 *                                wgmma_rows(), 2048 for wgmma_columns()
 *   wgmma_registers_more(n)  wgmma_registers_less(n)
 *                                the warpgroup has n registers a thread from here on, a multiple of 8, 24 to 256; in
 *                                a kernel with launch_bounds(threads, 1)
 *
 * All 128 threads of the warpgroup, whose first is a multiple of 128, call these together.  Code is for sm_90a alone:
 * put it under '#if GPUCC_HAS_WGMMA', with another way beside it (<gpucc/matrix.h>).
 *
 * The sums: on the CPU an element is d + a[0]b[0] + a[1]b[1] … one after the other, each product exact and each
 * addition rounded.  The GPU adds the products of an instruction at once, with fewer bits than float32 has, so that
 * float32 sums differ in their last bits, unless all of them are exact.  int32 sums are the same.
 *
 * Source: "PTX ISA", asynchronous warpgroup level matrix instructions.
 */
#ifndef GPUCC_WGMMA_H
#define GPUCC_WGMMA_H

#include <gpucc.h>

/* Whether the target has it: the CPU, and sm_90a. */
#if !defined(__NVPTX__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define GPUCC_HAS_WGMMA 1
#else
#define GPUCC_HAS_WGMMA 0
#endif

/* A matrix descriptor: address and distances, in units of 16 bytes, and swizzle.  The types differ in the dimension
 * along which rows lie. */
typedef struct gpucc_wgmma_tile {
    uint64_t descriptor;
} gpucc_wgmma_tile;
typedef struct gpucc_wgmma_tile_columns {
    uint64_t descriptor;
} gpucc_wgmma_tile_columns;
/* The thread's 8 elements of 64 x 16, two in a word. */
typedef struct gpucc_wgmma_part {
    uint32_t words[4];
#if !defined(__NVPTX__)
    uint32_t fences; /* of the thread before it was made, where checks count them */
#endif
} gpucc_wgmma_part;

/* The instruction's elements. */
enum gpucc_wgmma_kind {
    GPUCC_WGMMA_F16,
    GPUCC_WGMMA_BF16,
    GPUCC_WGMMA_TF32,
    GPUCC_WGMMA_E4M3,
    GPUCC_WGMMA_E5M2,
    GPUCC_WGMMA_E4M3_E5M2,
    GPUCC_WGMMA_E5M2_E4M3,
    GPUCC_WGMMA_S8,
    GPUCC_WGMMA_U8
};

#define gpucc_wgmma_row(i) (gpucc_linear_thread() % 128 / 32 * 16 + gpucc_laneid / 4 + (unsigned)(i) / 2 % 2 * 8)
#define gpucc_wgmma_column(i) ((unsigned)(i) / 4 * 8 + gpucc_laneid % 4 * 2 + (unsigned)(i) % 2)

#if !defined(__NVPTX__) || GPUCC_HAS_WGMMA

/* A descriptor of the tile at `pointer`: on the GPU as the instruction has it, with 18 bits of address; on the CPU with
 * 48.  `next`: bytes to the next 64 columns, or 16; `pattern`: those of eight rows of the swizzle. */
GPUCC_INLINE uint64_t gpucc_wgmma_descriptor(const volatile void *pointer, unsigned next, unsigned pattern,
                                             uint64_t swizzle)
{
#if defined(__NVPTX__)
    const uint32_t address = (uint32_t)(uintptr_t)(__attribute__((address_space(3))) const volatile void *)pointer;
    return (address & 0x3ffff) >> 4 | (uint64_t)(next >> 4 & 0x3fff) << 16 | (uint64_t)(pattern >> 4) << 32 |
           swizzle << 62;
#else
    (void)pattern;
    return ((uintptr_t)pointer & 0xffffffffffff) >> 4 | (uint64_t)(next >> 4 & 0x3fff) << 44 | swizzle << 62;
#endif
}

GPUCC_INLINE gpucc_wgmma_tile gpucc_wgmma_rows(const volatile void *pointer, unsigned swizzle)
{
    GPUCC_REQUIRE(swizzle == 128 || swizzle == 64 || swizzle == 32,
                  "wgmma_rows: the swizzle is not 32, 64 or 128 bytes");
    return (gpucc_wgmma_tile){
        gpucc_wgmma_descriptor(pointer, 16, 8 * swizzle, swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3)};
}

/* Eight steps of k, 64 columns wide, are one pattern. */
GPUCC_INLINE gpucc_wgmma_tile_columns gpucc_wgmma_columns(const volatile void *pointer, unsigned next)
{
    return (gpucc_wgmma_tile_columns){gpucc_wgmma_descriptor(pointer, next, 1024, 1)};
}

#define gpucc_wgmma_offset(tile, bytes)                                                                                \
    __extension__({                                                                                                    \
        __auto_type gpucc_moved = (tile);                                                                              \
        gpucc_moved.descriptor += (uint64_t)(bytes) >> 4;                                                              \
        gpucc_moved;                                                                                                   \
    })

/* Whether A or B is that, and as that. */
#define GPUCC_WGMMA_IS_COLUMNS(x) _Generic((x), gpucc_wgmma_tile: 0, gpucc_wgmma_part: 0, gpucc_wgmma_tile_columns: 1)
#define GPUCC_WGMMA_IS_PART(x) _Generic((x), gpucc_wgmma_part: 1, default: 0)
#define GPUCC_WGMMA_AS(type, x) _Generic((x), type: (x), default: (type){0})
#define GPUCC_WGMMA_DESCRIPTOR(x)                                                                                      \
    (GPUCC_WGMMA_AS(gpucc_wgmma_tile, x).descriptor | GPUCC_WGMMA_AS(gpucc_wgmma_tile_columns, x).descriptor)
/* The number of B's columns: 2 for each of the thread's sums. */
#define GPUCC_WGMMA_CHECK(d, sum, step)                                                                                \
    _Static_assert(_Generic((d), sum *: 1, default: 0) && sizeof(d) % 16 == 0 && sizeof(d) <= 512 &&                   \
                       (sizeof(d) <= 64 || sizeof(d) % (step) == 0),                                                   \
                   "the sums of wgmma are an array of " #sum " (not a pointer) with 4 to 128 elements, a multiple "    \
                   "of 4, and of 8 above 16 elements of int32_t")
#if defined(__NVPTX__)

/* The compiler puts instructions in place of these calls (compiler/lower/lower_wgmma.c), with `size` bytes of sums in
 * registers.  All but the sums, the descriptors and `keep` are constants. */
void gpucc_nvptx_wgmma(void *sums, size_t size, unsigned kind, uint64_t a, uint64_t b, unsigned keep,
                       unsigned a_is_columns, unsigned b_is_columns);
void gpucc_nvptx_wgmma_part(void *sums, size_t size, unsigned kind, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                            uint64_t b, unsigned keep, unsigned b_is_columns);
void gpucc_nvptx_wgmma_fence(void *sums, size_t size, unsigned is_integer);
void gpucc_nvptx_wgmma_wait(void *sums, size_t size, unsigned is_integer, unsigned groups);

#define GPUCC_WGMMA_SUMS(kind, d, a, b, keep, a_is_columns, b_is_columns)                                              \
    gpucc_nvptx_wgmma(d, sizeof(d), kind, a, b, keep, a_is_columns, b_is_columns)
#define GPUCC_WGMMA_PART(kind, d, a, b, keep, b_is_columns)                                                            \
    gpucc_nvptx_wgmma_part(d, sizeof(d), kind, (a).words[0], (a).words[1], (a).words[2], (a).words[3], b, keep,        \
                           b_is_columns)
/* `volatile`, as the conversions stay in front of the fence. */
#define GPUCC_WGMMA_DEFINE_PART(type)                                                                                  \
    GPUCC_INLINE gpucc_wgmma_part gpucc_wgmma_part_##type(const float *x)                                              \
    {                                                                                                                  \
        gpucc_wgmma_part part;                                                                                         \
        for (int i = 0; i < 4; i++)                                                                                    \
            __asm__ volatile("cvt.rn." #type "x2.f32 %0, %1, %2;"                                                      \
                             : "=r"(part.words[i])                                                                     \
                             : "f"(x[2 * i + 1]), "f"(x[2 * i]));                                                      \
        return part;                                                                                                   \
    }
#define GPUCC_WGMMA_IS_INTEGER(d) _Generic((d), float *: 0, int32_t *: 1)
#define GPUCC_WGMMA_FENCE(d) gpucc_nvptx_wgmma_fence(d, sizeof(d), GPUCC_WGMMA_IS_INTEGER(d))
#define GPUCC_WGMMA_WAIT_FOR(groups, d) gpucc_nvptx_wgmma_wait(d, sizeof(d), GPUCC_WGMMA_IS_INTEGER(d), groups)
#define gpucc_wgmma_commit() __asm__ volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define gpucc_wgmma_registers_more(n) __asm__ volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n))
#define gpucc_wgmma_registers_less(n) __asm__ volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n))

#else

#if defined(__GPUCC_WATCHES_RACES__) /* checked code: the operands' reads are the product's, not the thread's */
#define GPUCC_WGMMA_READ static __attribute__((noinline, unused))
#define GPUCC_WGMMA_FENCE(d) gpucc_cpu_watch_product_fence(d, sizeof(d))
#define GPUCC_WGMMA_WAIT_FOR(groups, d) gpucc_cpu_watch_product_wait(groups, d)
#define gpucc_wgmma_commit() gpucc_cpu_watch_product_commit()
#define GPUCC_WGMMA_BEGIN(...) gpucc_cpu_watch_product_begin(__VA_ARGS__)
#define GPUCC_WGMMA_BEGIN_PART(...) gpucc_cpu_watch_product_begin_part(__VA_ARGS__)
#define GPUCC_WGMMA_FENCES() gpucc_cpu_watch_product_fences()
#define GPUCC_WGMMA_END(d) gpucc_cpu_watch_product_end(d)
#else
#define GPUCC_WGMMA_READ GPUCC_INLINE
#define GPUCC_WGMMA_FENCE(d) ((void)(d))
#define GPUCC_WGMMA_WAIT_FOR(groups, d) ((void)(groups), (void)(d))
#define gpucc_wgmma_commit() gpucc_cpu_mbarrier_meet()
#define GPUCC_WGMMA_BEGIN(...) ((void)0)
#define GPUCC_WGMMA_BEGIN_PART(...) ((void)0)
#define GPUCC_WGMMA_FENCES() 0
#define GPUCC_WGMMA_END(d) ((void)0)
#endif
#define gpucc_wgmma_registers_more(n) ((void)(n))
#define gpucc_wgmma_registers_less(n) ((void)(n))

/* The address of the tile's byte at [along k][row], which are counted without a swizzle. */
GPUCC_INLINE const char *gpucc_wgmma_byte(uint64_t descriptor, unsigned is_columns, unsigned k_byte, unsigned row,
                                          unsigned size)
{
    const unsigned swizzle = descriptor >> 62 == 1 ? 128 : descriptor >> 62 == 2 ? 64 : 32;
    const uintptr_t start = (uintptr_t)(descriptor & 0xfffffffffff) << 4, next = (descriptor >> 44 & 0x3fff) << 4;
    const uintptr_t address = is_columns ? start + row * size / 128 * next + k_byte / size * 128 + row * size % 128
                                         : start + (uintptr_t)row * swizzle + k_byte;
    return (const char *)(address ^ (address >> 3 & (swizzle - 16)));
}

GPUCC_INLINE float gpucc_wgmma_value_e4m3(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const float size = (bits & 127) == 127 ? __builtin_nanf("")
                       : exponent          ? (float)(8 + fraction) * (float)(1 << exponent) * 0x1p-10f
                                           : (float)fraction * 0x1p-9f;
    return bits & 128 ? -size : size;
}

/* A float16 whose bits these are; the host's compiler may lack the type. */
GPUCC_INLINE float gpucc_wgmma_value_f16(uint16_t bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    union {
        uint32_t bits;
        float value;
    } x = {.bits = exponent == 31 ? 0x7f800000u | fraction << 13 : (exponent + 112) << 23 | fraction << 13};
    if (exponent == 0)
        x.value = (float)fraction * 0x1p-24f;
    return bits & 0x8000 ? -x.value : x.value;
}

/* An element of 16 bits. */
GPUCC_INLINE float gpucc_wgmma_value(uint16_t bits, enum gpucc_wgmma_kind kind)
{
    const union {
        uint32_t bits;
        float value;
    } x = {(uint32_t)bits << 16};
    return kind == GPUCC_WGMMA_F16 ? gpucc_wgmma_value_f16(bits) : x.value;
}

/* The element in memory, of A or of B. */
GPUCC_WGMMA_READ float gpucc_wgmma_element(const char *at, enum gpucc_wgmma_kind kind, unsigned is_b)
{
    union {
        uint32_t bits;
        float value;
    } x;
    switch (kind) {
    case GPUCC_WGMMA_F16:
    case GPUCC_WGMMA_BF16:
        return gpucc_wgmma_value(*(const __attribute__((may_alias)) uint16_t *)at, kind);
    case GPUCC_WGMMA_TF32:
        x.bits = *(const __attribute__((may_alias)) uint32_t *)at & ~0x1fffu;
        return x.value;
    default: {
        const _Bool is_e4m3 =
            kind == GPUCC_WGMMA_E4M3 || kind == (is_b ? GPUCC_WGMMA_E5M2_E4M3 : GPUCC_WGMMA_E4M3_E5M2);
        return is_e4m3 ? gpucc_wgmma_value_e4m3((uint8_t)*at) : gpucc_wgmma_value_f16((uint16_t)((uint8_t)*at << 8));
    }
    }
}

GPUCC_WGMMA_READ int32_t gpucc_wgmma_integer(const char *at, enum gpucc_wgmma_kind kind)
{
    return kind == GPUCC_WGMMA_S8 ? (int32_t)(int8_t)*at : (int32_t)(uint8_t)*at;
}

/* Computes the thread's own sums: that the others do so too is not needed. */
GPUCC_INLINE void gpucc_wgmma_floats(float *sums, size_t count, enum gpucc_wgmma_kind kind, uint64_t a, uint64_t b,
                                     unsigned keep, unsigned a_is_columns, unsigned b_is_columns)
{
    const unsigned bytes = kind <= GPUCC_WGMMA_BF16 ? 2 : kind == GPUCC_WGMMA_TF32 ? 4 : 1;
    for (unsigned i = 0; i < count; i++) {
        const unsigned row = gpucc_wgmma_row(i), column = gpucc_wgmma_column(i);
        float sum = keep ? sums[i] : 0;
        for (unsigned k = 0; k < 32; k += bytes)
            sum += gpucc_wgmma_element(gpucc_wgmma_byte(a, a_is_columns, k, row, bytes), kind, 0) *
                   gpucc_wgmma_element(gpucc_wgmma_byte(b, b_is_columns, k, column, bytes), kind, 1);
        sums[i] = sum;
    }
}

/* `x` rounded to even: a sign, 15 - fraction bits of exponent and `fraction` bits behind the point. */
GPUCC_INLINE uint32_t gpucc_wgmma_round(float x, unsigned fraction)
{
    union {
        float value;
        uint32_t bits;
    } whole = {x};
    const uint32_t sign = whole.bits >> 16 & 0x8000, infinity = 0x7fffu >> fraction << fraction;
    const unsigned lower_bias = 128 - (1u << (14 - fraction)), drop = 23 - fraction;
    whole.bits &= 0x7fffffff;
    if (whole.bits > 0x7f800000)
        return 0x7fff;
    if (lower_bias > 0 && whole.bits < (lower_bias + 1) << 23) { /* denormal float16: the last place of 0.5 is theirs */
        whole.value += 0.5f;
        return sign | (whole.bits & 0x7ff);
    }
    const uint32_t rounded = (whole.bits + (1u << (drop - 1)) - 1 + (whole.bits >> drop & 1)) >> drop;
    const uint32_t size = rounded - (lower_bias << fraction);
    return sign | (size < infinity ? size : infinity);
}

#define GPUCC_WGMMA_DEFINE_PART(type, fraction)                                                                        \
    GPUCC_INLINE gpucc_wgmma_part gpucc_wgmma_part_##type(const float *x)                                              \
    {                                                                                                                  \
        gpucc_wgmma_part part = {.fences = GPUCC_WGMMA_FENCES()};                                                      \
        for (int i = 0; i < 4; i++)                                                                                    \
            part.words[i] = gpucc_wgmma_round(x[2 * i], fraction) | gpucc_wgmma_round(x[2 * i + 1], fraction) << 16;   \
        return part;                                                                                                   \
    }

/* Four threads have the same rows of A: each gets all of them. */
GPUCC_INLINE void gpucc_wgmma_part_floats(float *sums, size_t count, enum gpucc_wgmma_kind kind,
                                          const gpucc_wgmma_part *a, uint64_t b, unsigned keep, unsigned b_is_columns)
{
    uint32_t rows[2][8];
    for (unsigned word = 0; word < 4; word++)
        for (unsigned four = 0; four < 4; four++)
            rows[word % 2][word / 2 * 4 + four] =
                gpucc_shfl_sync(0xffffffffu, a->words[word], (int)(gpucc_laneid / 4 * 4 + four));
    for (unsigned i = 0; i < count; i++) {
        float sum = keep ? sums[i] : 0;
        for (unsigned k = 0; k < 16; k++) {
            const uint16_t x = (uint16_t)(rows[i / 2 % 2][k / 2] >> k % 2 * 16);
            const char *y = gpucc_wgmma_byte(b, b_is_columns, k * 2, gpucc_wgmma_column(i), 2);
            sum += gpucc_wgmma_value(x, kind) * gpucc_wgmma_element(y, kind, 1);
        }
        sums[i] = sum;
    }
}

GPUCC_INLINE void gpucc_wgmma_integers(int32_t *sums, size_t count, enum gpucc_wgmma_kind kind, uint64_t a, uint64_t b,
                                       unsigned keep, unsigned a_is_columns, unsigned b_is_columns)
{
    (void)a_is_columns, (void)b_is_columns; /* of 8-bit elements rows lie along k */
    for (unsigned i = 0; i < count; i++) {
        const unsigned row = gpucc_wgmma_row(i), column = gpucc_wgmma_column(i);
        uint32_t sum = keep ? (uint32_t)sums[i] : 0;
        for (unsigned k = 0; k < 32; k++)
            sum += (uint32_t)(gpucc_wgmma_integer(gpucc_wgmma_byte(a, 0, k, row, 1), kind) *
                              gpucc_wgmma_integer(gpucc_wgmma_byte(b, 0, k, column, 1), kind));
        sums[i] = (int32_t)sum;
    }
}

#define GPUCC_WGMMA_SUMS(kind, d, a, b, keep, a_is_columns, b_is_columns)                                              \
    (GPUCC_WGMMA_BEGIN(d, sizeof(d), kind, a, b, a_is_columns, b_is_columns),                                          \
     _Generic((d), float *: gpucc_wgmma_floats, int32_t *: gpucc_wgmma_integers)(                                      \
         (void *)(d), sizeof(d) / 4, kind, a, b, keep, a_is_columns, b_is_columns),                                    \
     GPUCC_WGMMA_END(d))
#define GPUCC_WGMMA_PART(kind, d, a, b, keep, b_is_columns)                                                            \
    (GPUCC_WGMMA_BEGIN_PART(d, sizeof(d), (a).fences, b, b_is_columns),                                                \
     gpucc_wgmma_part_floats(d, sizeof(d) / 4, kind, &(a), b, keep, b_is_columns), GPUCC_WGMMA_END(d))

#endif

#if defined(__NVPTX__)
GPUCC_WGMMA_DEFINE_PART(f16)
GPUCC_WGMMA_DEFINE_PART(bf16)
#else
GPUCC_WGMMA_DEFINE_PART(f16, 10)
GPUCC_WGMMA_DEFINE_PART(bf16, 7)
#endif

#define GPUCC_WGMMA_FLOAT(kind, d, a, b, keep)                                                                         \
    __extension__({                                                                                                    \
        GPUCC_WGMMA_CHECK(d, float, 16);                                                                               \
        const gpucc_wgmma_tile gpucc_a = (a), gpucc_b = (b);                                                           \
        GPUCC_WGMMA_SUMS(kind, d, gpucc_a.descriptor, gpucc_b.descriptor, (keep) != 0, 0, 0);                          \
    })
#define GPUCC_WGMMA_HALF(kind, d, a, b, keep)                                                                          \
    __extension__({                                                                                                    \
        GPUCC_WGMMA_CHECK(d, float, 16);                                                                               \
        __auto_type gpucc_a = (a);                                                                                     \
        __auto_type gpucc_b = (b);                                                                                     \
        if (GPUCC_WGMMA_IS_PART(gpucc_a)) {                                                                            \
            const gpucc_wgmma_part gpucc_part = GPUCC_WGMMA_AS(gpucc_wgmma_part, gpucc_a);                             \
            GPUCC_WGMMA_PART(kind, d, gpucc_part, gpucc_b.descriptor, (keep) != 0, GPUCC_WGMMA_IS_COLUMNS(gpucc_b));   \
        } else {                                                                                                       \
            GPUCC_WGMMA_SUMS(kind, d, GPUCC_WGMMA_DESCRIPTOR(gpucc_a), gpucc_b.descriptor, (keep) != 0,                \
                             GPUCC_WGMMA_IS_COLUMNS(gpucc_a), GPUCC_WGMMA_IS_COLUMNS(gpucc_b));                        \
        }                                                                                                              \
    })
#define GPUCC_WGMMA_INTEGER(kind, d, a, b, keep)                                                                       \
    __extension__({                                                                                                    \
        GPUCC_WGMMA_CHECK(d, int32_t, 32);                                                                             \
        const gpucc_wgmma_tile gpucc_a = (a), gpucc_b = (b);                                                           \
        GPUCC_WGMMA_SUMS(kind, d, gpucc_a.descriptor, gpucc_b.descriptor, (keep) != 0, 0, 0);                          \
    })
#define gpucc_wgmma_f16(d, a, b, keep) GPUCC_WGMMA_HALF(GPUCC_WGMMA_F16, d, a, b, keep)
#define gpucc_wgmma_bf16(d, a, b, keep) GPUCC_WGMMA_HALF(GPUCC_WGMMA_BF16, d, a, b, keep)
#define gpucc_wgmma_tf32(d, a, b, keep) GPUCC_WGMMA_FLOAT(GPUCC_WGMMA_TF32, d, a, b, keep)
#define gpucc_wgmma_e4m3(d, a, b, keep) GPUCC_WGMMA_FLOAT(GPUCC_WGMMA_E4M3, d, a, b, keep)
#define gpucc_wgmma_e5m2(d, a, b, keep) GPUCC_WGMMA_FLOAT(GPUCC_WGMMA_E5M2, d, a, b, keep)
#define gpucc_wgmma_e4m3_e5m2(d, a, b, keep) GPUCC_WGMMA_FLOAT(GPUCC_WGMMA_E4M3_E5M2, d, a, b, keep)
#define gpucc_wgmma_e5m2_e4m3(d, a, b, keep) GPUCC_WGMMA_FLOAT(GPUCC_WGMMA_E5M2_E4M3, d, a, b, keep)
#define gpucc_wgmma_s8(d, a, b, keep) GPUCC_WGMMA_INTEGER(GPUCC_WGMMA_S8, d, a, b, keep)
#define gpucc_wgmma_u8(d, a, b, keep) GPUCC_WGMMA_INTEGER(GPUCC_WGMMA_U8, d, a, b, keep)
#define gpucc_wgmma_fence(d) GPUCC_WGMMA_FENCE(d)
#define gpucc_wgmma_wait(groups, d)                                                                                    \
    __extension__({                                                                                                    \
        _Static_assert((groups) >= 0 && (groups) <= 7, "wgmma_wait: the number of groups is not 0 to 7");              \
        GPUCC_WGMMA_WAIT_FOR(groups, d);                                                                               \
    })

#else

void gpucc_wgmma_needs_sm_90a(void)
    __attribute__((diagnose_if(1,
                               "products by warpgroups need sm_90a, and this is code for " __GPUCC_ARCH__ ": compile "
                               "with --arch=sm_90a, or put it under '#if GPUCC_HAS_WGMMA'",
                               "error")));
#define gpucc_wgmma_rows(pointer, swizzle) (gpucc_wgmma_needs_sm_90a(), (gpucc_wgmma_tile){0})
#define gpucc_wgmma_columns(pointer, next) (gpucc_wgmma_needs_sm_90a(), (gpucc_wgmma_tile_columns){0})
#define gpucc_wgmma_part_f16(...) (gpucc_wgmma_needs_sm_90a(), (gpucc_wgmma_part){0})
#define gpucc_wgmma_part_bf16(...) (gpucc_wgmma_needs_sm_90a(), (gpucc_wgmma_part){0})
#define gpucc_wgmma_offset(tile, bytes) (gpucc_wgmma_needs_sm_90a(), (tile))
#define gpucc_wgmma_f16(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_bf16(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_tf32(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_e4m3(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_e5m2(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_e4m3_e5m2(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_e5m2_e4m3(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_s8(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_u8(d, a, b, keep) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_fence(d) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_commit() gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_wait(groups, d) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_registers_more(n) gpucc_wgmma_needs_sm_90a()
#define gpucc_wgmma_registers_less(n) gpucc_wgmma_needs_sm_90a()

#endif

#ifndef GPUCC_NO_SHORT_NAMES
typedef gpucc_wgmma_tile wgmma_tile;
typedef gpucc_wgmma_tile_columns wgmma_tile_columns;
typedef gpucc_wgmma_part wgmma_part;
#define wgmma_row(i) gpucc_wgmma_row(i)
#define wgmma_column(i) gpucc_wgmma_column(i)
#define wgmma_rows(pointer, swizzle) gpucc_wgmma_rows(pointer, swizzle)
#define wgmma_columns(pointer, next) gpucc_wgmma_columns(pointer, next)
#define wgmma_part_f16(...) gpucc_wgmma_part_f16(__VA_ARGS__)
#define wgmma_part_bf16(...) gpucc_wgmma_part_bf16(__VA_ARGS__)
#define wgmma_offset(tile, bytes) gpucc_wgmma_offset(tile, bytes)
#define wgmma_f16(d, a, b, keep) gpucc_wgmma_f16(d, a, b, keep)
#define wgmma_bf16(d, a, b, keep) gpucc_wgmma_bf16(d, a, b, keep)
#define wgmma_tf32(d, a, b, keep) gpucc_wgmma_tf32(d, a, b, keep)
#define wgmma_e4m3(d, a, b, keep) gpucc_wgmma_e4m3(d, a, b, keep)
#define wgmma_e5m2(d, a, b, keep) gpucc_wgmma_e5m2(d, a, b, keep)
#define wgmma_e4m3_e5m2(d, a, b, keep) gpucc_wgmma_e4m3_e5m2(d, a, b, keep)
#define wgmma_e5m2_e4m3(d, a, b, keep) gpucc_wgmma_e5m2_e4m3(d, a, b, keep)
#define wgmma_s8(d, a, b, keep) gpucc_wgmma_s8(d, a, b, keep)
#define wgmma_u8(d, a, b, keep) gpucc_wgmma_u8(d, a, b, keep)
#define wgmma_fence(d) gpucc_wgmma_fence(d)
#define wgmma_commit() gpucc_wgmma_commit()
#define wgmma_wait(groups, d) gpucc_wgmma_wait(groups, d)
#define wgmma_registers_more(n) gpucc_wgmma_registers_more(n)
#define wgmma_registers_less(n) gpucc_wgmma_registers_less(n)
#endif

#endif
