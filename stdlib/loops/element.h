/* Elements of types that are known when a loop runs: as they stand in memory, by their size.  The same branches are
 * taken by all threads. */
#ifndef GPUCC_LOOPS_ELEMENT_H
#define GPUCC_LOOPS_ELEMENT_H

#include <stdint.h>

/* From its first byte on; the bits above are 0. */
struct gpucc_element {
    uint64_t low, high;
};

/* Four of up to 8 bytes, or halves of four. */
struct gpucc_four {
    uint64_t each[4];
};

/* Memory that is an element of any type; one of 8 bytes may be a complex64, which is aligned as a float32 is. */
typedef uint8_t __attribute__((may_alias)) gpucc_bits8;
typedef uint16_t __attribute__((may_alias)) gpucc_bits16;
typedef uint32_t __attribute__((may_alias)) gpucc_bits32;
typedef uint64_t __attribute__((may_alias)) gpucc_bits64;

static inline __attribute__((always_inline)) uint64_t gpucc_fetch_8_bytes(const char *p)
{
    return ((const gpucc_bits32 *)p)[0] | (uint64_t)((const gpucc_bits32 *)p)[1] << 32;
}

static inline __attribute__((always_inline)) void gpucc_put_8_bytes(char *p, uint64_t bits)
{
    ((gpucc_bits32 *)p)[0] = (uint32_t)bits;
    ((gpucc_bits32 *)p)[1] = (uint32_t)(bits >> 32);
}

static inline __attribute__((always_inline)) struct gpucc_element gpucc_fetch(unsigned size, const char *p)
{
    switch (size) {
    case 1: return (struct gpucc_element){*(const gpucc_bits8 *)p, 0};
    case 2: return (struct gpucc_element){*(const gpucc_bits16 *)p, 0};
    case 4: return (struct gpucc_element){*(const gpucc_bits32 *)p, 0};
    case 8: return (struct gpucc_element){gpucc_fetch_8_bytes(p), 0};
    default: return (struct gpucc_element){((const gpucc_bits64 *)p)[0], ((const gpucc_bits64 *)p)[1]};
    }
}

/* The first `count` of four of up to 8 bytes, or the lower halves of larger ones. */
static inline __attribute__((always_inline)) struct gpucc_four gpucc_fetch_four(unsigned size, unsigned count,
                                                                                const char *const *places)
{
#define GPUCC_FETCH_EACH(fetch)                                                                                        \
    _Pragma("unroll") for (unsigned k = 0; k < 4; k++) four.each[k] = fetch(places[k < count ? k : 0])
    struct gpucc_four four;
    switch (size) {
    case 1: GPUCC_FETCH_EACH(*(const gpucc_bits8 *)); break;
    case 2: GPUCC_FETCH_EACH(*(const gpucc_bits16 *)); break;
    case 4: GPUCC_FETCH_EACH(*(const gpucc_bits32 *)); break;
    default: GPUCC_FETCH_EACH(gpucc_fetch_8_bytes);
    }
#undef GPUCC_FETCH_EACH
    return four;
}

/* Whether a loop of such elements may make them of both halves of a complex128: see GPUCC_INPUT_RECORD().  Loops that
 * stand ready know booleans by their size alone. */
#define GPUCC_TAKES_HALVES(type) (sizeof(type) == 1 || __builtin_types_compatible_p(type, float _Complex))

/* Joins the converted halves of four elements, the second halves in `high`, into x. */
static inline __attribute__((always_inline)) void gpucc_join_halves(unsigned size, struct gpucc_four *x,
                                                                    const struct gpucc_four *high)
{
    _Pragma("unroll") for (unsigned k = 0; k < 4; k++) x->each[k] |= high->each[k] << (size == 8 ? 32 : 0);
}

static inline __attribute__((always_inline)) void gpucc_put(unsigned size, char *p, struct gpucc_element element)
{
    switch (size) {
    case 1: *(gpucc_bits8 *)p = (uint8_t)element.low; break;
    case 2: *(gpucc_bits16 *)p = (uint16_t)element.low; break;
    case 4: *(gpucc_bits32 *)p = (uint32_t)element.low; break;
    case 8: gpucc_put_8_bytes(p, element.low); break;
    default:
        ((gpucc_bits64 *)p)[0] = element.low;
        ((gpucc_bits64 *)p)[1] = element.high;
    }
}

#endif
