/* Reductions on the CPU in the fixed tree (see <gpucc/loops.h>):
 *   void S_reduce(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 * and accumulations where the order of elements does not show, S_running(the same).
 *
 * Adjacent elements are combined two levels at a time, by a loop over fours that vectorises, in blocks that fit in
 * the first-level cache; each block is left with a few elements of a higher level, and those of all blocks are combined
 * in the end.  Where outputs are adjacent, or rows short, the lanes of vectors are outputs, and the partial results of
 * complete subtrees wait as in a binary counter.  Elements that are not adjacent go through a block's buffer.  Where a
 * math function's slow path is due, the loops of native.h do the work, and give the same bits as in calls.
 *
 * Where the order of elements does not show, those of a row go into the lanes of a few vectors.
 */
#ifndef GPUCC_LOOPS_ORDER
#define GPUCC_LOOPS_ORDER
/* The compiler replaces gpucc_order(function) by one of these (compiler/lower/lower_order.c). */
enum gpucc_order {
    GPUCC_ORDER_SHOWS,
    GPUCC_ORDER_FREE,  /* an operation on integers whose result is the same in any order */
    GPUCC_ORDER_LEAST, /* the lesser of two floating-point numbers that differ and are no NaNs */
    GPUCC_ORDER_MOST   /* the greater */
};

/* Elements of any type. */
typedef unsigned char gpucc_vector __attribute__((vector_size(32)));
#endif
/* Loops that only move elements need one copy. */
#define GPUCC_SMALL_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)") _Pragma("nounroll")

enum {
    GPUCC_SYMBOL(_cut) = sizeof(GPUCC_TYPE) < 4 ? 4096 : 16384 / sizeof(GPUCC_TYPE), /* elements of a block */
    GPUCC_SYMBOL(_shrink) = 256, /* so many of a block become one of a higher level */
    GPUCC_SYMBOL(_lanes) = sizeof(GPUCC_TYPE) < 4 ? 1024 : 4096 / sizeof(GPUCC_TYPE)
};

/* Four neighbours, or four rows, become one; so two levels of the tree take one pass over memory. */
#define GPUCC_JOIN_TWO(result, a, b)                                                                                   \
    GPUCC_TYPE result;                                                                                                 \
    {                                                                                                                  \
        GPUCC_TYPE v0 = a, v1 = b;                                                                                     \
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)                                                                               \
        GPUCC_CALL(v, r);                                                                                              \
        result = r0;                                                                                                   \
    }
#define GPUCC_JOIN_FOUR(to, a, b, c, d)                                                                                \
    GPUCC_JOIN_TWO(left, a, b)                                                                                         \
    GPUCC_JOIN_TWO(right, c, d)                                                                                        \
    GPUCC_JOIN_TWO(both, left, right)                                                                                  \
    to = both;

static inline GPUCC_TYPE GPUCC_SYMBOL(_join_one)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    GPUCC_CALL_CAREFUL
    return r0;
}

#if GPUCC_LANES
typedef GPUCC_TYPE GPUCC_SYMBOL(_vector) __attribute__((vector_size(GPUCC_LANES * sizeof(GPUCC_TYPE))));

/* Four vectors of neighbours are turned: rows[k] gets the elements k of all fours, in the order of GPUCC_SORTED.  LLVM
 * would take three times as many instructions for loads four elements apart. */
#if GPUCC_LANES == 8
#define GPUCC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define GPUCC_ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)
#define GPUCC_EVEN_PAIRS GPUCC_EVEN
#define GPUCC_ODD_PAIRS GPUCC_ODD
#define GPUCC_SORTED(a) __builtin_shufflevector(a, a, 0, 4, 1, 5, 2, 6, 3, 7)
#define GPUCC_SORTED_BACKWARDS(a) __builtin_shufflevector(a, a, 7, 3, 6, 2, 5, 1, 4, 0)
#define GPUCC_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define GPUCC_HIGH(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define GPUCC_EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define GPUCC_ODD(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define GPUCC_EVEN_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define GPUCC_ODD_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define GPUCC_SORTED(a) a
#define GPUCC_SORTED_BACKWARDS(a) __builtin_shufflevector(a, a, 3, 2, 1, 0)
#define GPUCC_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define GPUCC_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_transpose)(const GPUCC_TYPE *in,
                                                                           GPUCC_TYPE (*rows)[GPUCC_LANES])
{
    GPUCC_SYMBOL(_vector) a, b, c, d;
    __builtin_memcpy(&a, in, sizeof a);
    __builtin_memcpy(&b, in + GPUCC_LANES, sizeof b);
    __builtin_memcpy(&c, in + 2 * GPUCC_LANES, sizeof c);
    __builtin_memcpy(&d, in + 3 * GPUCC_LANES, sizeof d);
    const GPUCC_SYMBOL(_vector) even = GPUCC_EVEN(a, b), more_even = GPUCC_EVEN(c, d);
    const GPUCC_SYMBOL(_vector) odd = GPUCC_ODD(a, b), more_odd = GPUCC_ODD(c, d);
    const GPUCC_SYMBOL(_vector) all[4] = {GPUCC_EVEN_PAIRS(even, more_even), GPUCC_EVEN_PAIRS(odd, more_odd),
                                          GPUCC_ODD_PAIRS(even, more_even), GPUCC_ODD_PAIRS(odd, more_odd)};
    __builtin_memcpy(rows, all, sizeof all);
}

/* out[i] of in[4 i] … in[4 i + 3]; returns whether a slow path was due.  The last group of fours may overlap the one
 * before it; fewer than a group go one by one. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_quads)(const GPUCC_TYPE *in, GPUCC_TYPE *out, intptr_t n)
{
    unsigned slow = 0;
    gpucc_slow_flag(&slow);
    for (intptr_t at = 0; n >= GPUCC_LANES && at < n; at += GPUCC_LANES) {
        const intptr_t first = at < n - GPUCC_LANES ? at : n - GPUCC_LANES;
        GPUCC_TYPE rows[4][GPUCC_LANES], joined[GPUCC_LANES];
        GPUCC_SYMBOL(_vector) result;
        GPUCC_SYMBOL(_transpose)(in + 4 * first, rows);
        _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_LANES) interleave_count(1)")
        _Pragma("nounroll") for (int i = 0; i < GPUCC_LANES; i++)
        {
            GPUCC_JOIN_FOUR(joined[i], rows[0][i], rows[1][i], rows[2][i], rows[3][i])
        }
        __builtin_memcpy(&result, joined, sizeof result);
        result = GPUCC_SORTED(result);
        __builtin_memcpy(out + first, &result, sizeof result);
    }
    _Pragma("clang loop vectorize(disable)") _Pragma("nounroll") for (intptr_t i = 0; n < GPUCC_LANES && i < n; i++)
    {
        GPUCC_JOIN_FOUR(out[i], in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3])
    }
    return slow;
}

/* The same of every second element, of eight vectors: rows[k] gets the elements k of all fours, in their order. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_transpose_second)(const GPUCC_TYPE *in,
                                                                                  GPUCC_TYPE (*rows)[GPUCC_LANES])
{
    GPUCC_SYMBOL(_vector) pair[2], some[4];
    _Pragma("unroll") for (int k = 0; k < 4; k++)
    {
        __builtin_memcpy(pair, in + k * 2 * GPUCC_LANES, sizeof pair);
        some[k] = GPUCC_EVEN(pair[0], pair[1]);
    }
    const GPUCC_SYMBOL(_vector) even = GPUCC_EVEN(some[0], some[1]), more_even = GPUCC_EVEN(some[2], some[3]);
    const GPUCC_SYMBOL(_vector) odd = GPUCC_ODD(some[0], some[1]), more_odd = GPUCC_ODD(some[2], some[3]);
#if GPUCC_LANES == 8
    const GPUCC_SYMBOL(_vector) all[4] = {GPUCC_LOW(even, more_even), GPUCC_LOW(odd, more_odd),
                                          GPUCC_HIGH(even, more_even), GPUCC_HIGH(odd, more_odd)};
#else
    const GPUCC_SYMBOL(_vector) all[4] = {GPUCC_LOW(even, more_even), GPUCC_HIGH(even, more_even),
                                          GPUCC_LOW(odd, more_odd), GPUCC_HIGH(odd, more_odd)};
#endif
    __builtin_memcpy(rows, all, sizeof all);
}

/* A vector of what fours make of elements that are `step` apart: 1, -1, or 2. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_some_quads)(const GPUCC_TYPE *in, int step,
                                                                            GPUCC_TYPE *out)
{
    GPUCC_TYPE rows[4][GPUCC_LANES], joined[GPUCC_LANES];
    GPUCC_SYMBOL(_vector) result;
    const int back = step < 0 ? 3 : 0; /* where the fours' first elements are */
    if (step == 2)
        GPUCC_SYMBOL(_transpose_second)(in, rows);
    else
        GPUCC_SYMBOL(_transpose)(step < 0 ? in - 4 * GPUCC_LANES + 1 : in, rows);
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_LANES) interleave_count(1)")
    _Pragma("nounroll") for (int i = 0; i < GPUCC_LANES; i++)
    {
        GPUCC_JOIN_FOUR(joined[i], rows[back][i], rows[1 ^ back][i], rows[2 ^ back][i], rows[3 ^ back][i])
    }
    __builtin_memcpy(&result, joined, sizeof result);
    result = step == 2 ? result : step < 0 ? GPUCC_SORTED_BACKWARDS(result) : GPUCC_SORTED(result);
    __builtin_memcpy(out, &result, sizeof result);
}

/* out[i] of sixteen elements each, n of them, a multiple of the lanes, of a function that is a few operations: so what
 * is read comes from memory without a pause.  Where `step` is 2, what lies behind the last element is there. */
#define GPUCC_SIXTEENS(suffix, step)                                                                                   \
    static __attribute__((noinline)) void GPUCC_SYMBOL(suffix)(const GPUCC_TYPE *in, GPUCC_TYPE *out, intptr_t n)      \
    {                                                                                                                  \
        _Pragma("nounroll") for (intptr_t at = 0; at < n; at += GPUCC_LANES)                                           \
        {                                                                                                              \
            GPUCC_TYPE quads[4 * GPUCC_LANES];                                                                         \
            _Pragma("unroll") for (int k = 0; k < 4; k++) GPUCC_SYMBOL(_some_quads)(                                   \
                in + (16 * at + 4 * GPUCC_LANES * k) * (step), step, quads + GPUCC_LANES * k);                         \
            GPUCC_SYMBOL(_some_quads)(quads, 1, out + at);                                                             \
        }                                                                                                              \
    }
GPUCC_SIXTEENS(_sixteens, 1)
GPUCC_SIXTEENS(_sixteens_backwards, -1)
GPUCC_SIXTEENS(_sixteens_of_second, 2)
#undef GPUCC_SIXTEENS

/* ---- few elements, of a function that is a few operations ----
 *
 * As many vectors as there are lanes, of which the last ones may be absent or incomplete, become one element without a
 * branch: of each pair one of two is taken, what the function makes of it, or its first one, where it has no second. */

enum { GPUCC_SYMBOL(_square) = GPUCC_LANES * GPUCC_LANES, GPUCC_SYMBOL(_few) = GPUCC_LANES == 8 ? 256 : 64 };
/* In the order that GPUCC_EVEN and GPUCC_HALF_OF leave: where the second halves of an aligned part's pairs begin, of
 * pairs, of fours, of a vector. */
#if GPUCC_LANES == 8
#define GPUCC_NUMBER int32_t
#define GPUCC_SECOND_OF_PAIRS 1, 3, 9, 11, 5, 7, 13, 15
#define GPUCC_SECOND_OF_FOURS 2, 10, 18, 26, 6, 14, 22, 30
#define GPUCC_SECOND_OF_VECTOR 4, 12, 20, 28, 36, 44, 52, 60
#define GPUCC_HALF_OF(a, b, first)                                                                                     \
    __builtin_shufflevector(a, b, first, first + 1, first + 2, first + 3, first + 8, first + 9, first + 10, first + 11)
#define GPUCC_EACH_SECOND(a, first) __builtin_shufflevector(a, a, first, first + 2, first + 4, first + 6, 0, 0, 0, 0)
#else
#define GPUCC_NUMBER int64_t
#define GPUCC_SECOND_OF_PAIRS 1, 5, 3, 7
#define GPUCC_SECOND_OF_VECTOR 2, 6, 10, 14
#define GPUCC_HALF_OF(a, b, first) __builtin_shufflevector(a, b, first, first + 1, first + 4, first + 5)
#define GPUCC_EACH_SECOND(a, first) __builtin_shufflevector(a, a, first, first + 2, 0, 0)
#endif

/* n elements in all; the second half of lane i's part begins at element scale * (second[i] + more). */
static inline __attribute__((always_inline)) GPUCC_SYMBOL(_vector)
    GPUCC_SYMBOL(_join_some)(GPUCC_SYMBOL(_vector) a, GPUCC_SYMBOL(_vector) b, const GPUCC_NUMBER *second,
                             GPUCC_NUMBER more, GPUCC_NUMBER scale, GPUCC_NUMBER n)
{
    GPUCC_TYPE left[GPUCC_LANES], right[GPUCC_LANES];
    __builtin_memcpy(left, &a, sizeof left);
    __builtin_memcpy(right, &b, sizeof right);
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_LANES) interleave_count(1)")
    _Pragma("nounroll") for (int i = 0; i < GPUCC_LANES; i++)
    {
        GPUCC_JOIN_TWO(joined, left[i], right[i])
        left[i] = (second[i] + more) * scale < n ? joined : left[i];
    }
    __builtin_memcpy(&a, left, sizeof left);
    return a;
}

/* n elements of a square, at least one, of which the incomplete vector is given. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_of_square)(const GPUCC_TYPE *in,
                                                                                 const GPUCC_TYPE *last, GPUCC_NUMBER n)
{
    enum { LANES = GPUCC_LANES };
    const GPUCC_NUMBER of_pairs[] = {GPUCC_SECOND_OF_PAIRS}, of_vector[] = {GPUCC_SECOND_OF_VECTOR};
    GPUCC_NUMBER odd[LANES];
    GPUCC_SYMBOL(_vector) rows[LANES];
    _Pragma("unroll") for (int k = 0; k < LANES; k++)
    {
        odd[k] = 2 * k + 1;
        __builtin_memcpy(&rows[k], (k + 1) * LANES <= n ? in + k * LANES : last, sizeof *rows);
    }
    _Pragma("unroll") for (int k = 0; k < LANES / 2; k++)
        rows[k] = GPUCC_SYMBOL(_join_some)(GPUCC_EVEN(rows[2 * k], rows[2 * k + 1]),
                                           GPUCC_ODD(rows[2 * k], rows[2 * k + 1]), of_pairs, 2 * LANES * k, 1, n);
#if GPUCC_LANES == 8
    const GPUCC_NUMBER of_fours[] = {GPUCC_SECOND_OF_FOURS};
    _Pragma("unroll") for (int k = 0; k < 2; k++)
        rows[k] = GPUCC_SYMBOL(_join_some)(GPUCC_EVEN(rows[2 * k], rows[2 * k + 1]),
                                           GPUCC_ODD(rows[2 * k], rows[2 * k + 1]), of_fours, 4 * LANES * k, 1, n);
#endif
    rows[0] = GPUCC_SYMBOL(_join_some)(GPUCC_HALF_OF(rows[0], rows[1], 0), GPUCC_HALF_OF(rows[0], rows[1], LANES / 2),
                                       of_vector, 0, 1, n);
    _Pragma("unroll") for (int apart = 1; apart < LANES; apart *= 2)
        rows[0] = GPUCC_SYMBOL(_join_some)(GPUCC_EACH_SECOND(rows[0], 0), GPUCC_EACH_SECOND(rows[0], 1), odd, 0,
                                           LANES * apart, n);
    return rows[0][0];
}

static __attribute__((noinline)) GPUCC_TYPE GPUCC_SYMBOL(_of_few)(const GPUCC_TYPE *in, intptr_t n)
{
    enum { SQUARE = GPUCC_SYMBOL(_square), LANES = GPUCC_LANES };
    GPUCC_NUMBER lane[LANES];
    GPUCC_TYPE last[LANES], some[GPUCC_SYMBOL(_few) / SQUARE + 1];
    const GPUCC_TYPE *const end = in + n / LANES * LANES;
    const GPUCC_NUMBER rest = n % LANES;
    _Pragma("unroll") for (int k = 0; k < LANES; k++) lane[k] = k;
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_LANES) interleave_count(1)")
    _Pragma("nounroll") for (int i = 0; i < LANES; i++) last[i] = lane[i] < rest ? end[i] : 0;
    intptr_t left = 0;
    intptr_t at = 0;
    for (; at <= n - SQUARE; at += SQUARE)
        some[left++] = GPUCC_SYMBOL(_of_square)(in + at, last, SQUARE);
    if (at < n)
        some[left++] = GPUCC_SYMBOL(_of_square)(in + at, last, (GPUCC_NUMBER)(n - at));
    for (; left > 1; left = (left + 1) / 2) {
        GPUCC_SMALL_LOOP for (intptr_t k = 0; k < left / 2; k++) some[k] =
            GPUCC_SYMBOL(_join_one)(some[2 * k], some[2 * k + 1]);
        some[left / 2] = some[left - 1]; /* stays where it has no neighbour */
    }
    return some[0];
}
#undef GPUCC_NUMBER
#undef GPUCC_SECOND_OF_PAIRS
#undef GPUCC_SECOND_OF_FOURS
#undef GPUCC_SECOND_OF_VECTOR
#undef GPUCC_HALF_OF
#undef GPUCC_EACH_SECOND
#undef GPUCC_EVEN
#undef GPUCC_ODD
#undef GPUCC_EVEN_PAIRS
#undef GPUCC_ODD_PAIRS
#undef GPUCC_SORTED
#undef GPUCC_SORTED_BACKWARDS
#undef GPUCC_LOW
#undef GPUCC_HIGH
#else
/* out[i] of in[4 i] … in[4 i + 3]; returns whether a slow path was due. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_quads)(const GPUCC_TYPE *in, GPUCC_TYPE *out, intptr_t n)
{
    unsigned slow = 0;
    gpucc_slow_flag(&slow);
    _Pragma("clang loop vectorize(assume_safety)") for (intptr_t i = 0; i < n; i++)
    {
        GPUCC_JOIN_FOUR(out[i], in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3])
    }
    return slow;
}
#endif

/* The same of elements `step` bytes apart. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_quads_apart)(const char *in, intptr_t step, GPUCC_TYPE *out,
                                                                     intptr_t n)
{
    unsigned slow = 0;
    gpucc_slow_flag(&slow);
    _Pragma("clang loop vectorize(disable)") for (intptr_t i = 0; i < n; i++, in += 4 * step)
    {
        GPUCC_TYPE x[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++) __builtin_memcpy(&x[k], in + k * step, sizeof *x);
        GPUCC_JOIN_FOUR(out[i], x[0], x[1], x[2], x[3])
    }
    return slow;
}

/* The same of four rows. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_four_rows)(const GPUCC_TYPE *a, const GPUCC_TYPE *b,
                                                                   const GPUCC_TYPE *c, const GPUCC_TYPE *d,
                                                                   GPUCC_TYPE *out, intptr_t n)
{
    unsigned slow = 0;
    gpucc_slow_flag(&slow);
    _Pragma("clang loop vectorize(assume_safety)") for (intptr_t i = 0; i < n; i++)
    {
        GPUCC_JOIN_FOUR(out[i], a[i], b[i], c[i], d[i])
    }
    return slow;
}

/* The same of eight. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_eight_rows)(const GPUCC_TYPE *const *rows, GPUCC_TYPE *out,
                                                                    intptr_t n)
{
    unsigned slow = 0;
    const GPUCC_TYPE *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
    const GPUCC_TYPE *const e = rows[4], *const f = rows[5], *const g = rows[6], *const h = rows[7];
    gpucc_slow_flag(&slow);
    _Pragma("clang loop vectorize(assume_safety)") for (intptr_t i = 0; i < n; i++)
    {
        GPUCC_TYPE first, second;
        GPUCC_JOIN_FOUR(first, a[i], b[i], c[i], d[i])
        {
            GPUCC_JOIN_FOUR(second, e[i], f[i], g[i], h[i])
        }
        GPUCC_JOIN_TWO(all, first, second)
        out[i] = all;
    }
    return slow;
}

static __attribute__((noinline)) void GPUCC_SYMBOL(_join)(const GPUCC_TYPE *a, const GPUCC_TYPE *b, GPUCC_TYPE *out,
                                                          intptr_t n)
{
    if (__builtin_expect(GPUCC_SYMBOL(_fast)(a, b, out, n), 0))
        GPUCC_SYMBOL(_mend)(a, b, out, n);
}

/* Up to four rows, with slow paths. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_join_rows)(const GPUCC_TYPE *const *rows, int count,
                                                               GPUCC_TYPE *out, intptr_t n)
{
    enum { PIECE = 256 };
    GPUCC_TYPE left[PIECE], right[PIECE];
    if (count == 4 && !GPUCC_SYMBOL(_four_rows)(rows[0], rows[1], rows[2], rows[3], out, n))
        return;
    for (intptr_t at = 0; at < n; at += PIECE) {
        const intptr_t m = n - at < PIECE ? n - at : PIECE;
        if (count > 1)
            GPUCC_SYMBOL(_join)(rows[0] + at, rows[1] + at, left, m);
        if (count > 3)
            GPUCC_SYMBOL(_join)(rows[2] + at, rows[3] + at, right, m);
        if (count > 2)
            GPUCC_SYMBOL(_join)(left, count > 3 ? right : rows[2] + at, out + at, m);
        else
            __builtin_memcpy(out + at, count > 1 ? left : rows[0] + at, (uintptr_t)m * sizeof *out);
    }
}

/* Four neighbours each, with slow paths; the last ones may be fewer. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_join_quads)(const GPUCC_TYPE *in, intptr_t n, GPUCC_TYPE *out)
{
    enum { PIECE = 64 };
    GPUCC_TYPE part[4][PIECE];
    const GPUCC_TYPE *const rows[4] = {part[0], part[1], part[2], part[3]};
    const GPUCC_TYPE *const rest = in + n / 4 * 4;
    if (n >= 4 && __builtin_expect(GPUCC_SYMBOL(_quads)(in, out, n / 4), 0))
        for (intptr_t at = 0; at < n / 4; at += PIECE) {
            const intptr_t m = n / 4 - at < PIECE ? n / 4 - at : PIECE;
            GPUCC_SMALL_LOOP for (intptr_t i = 0; i < 4 * m; i++) part[i % 4][i / 4] = in[4 * at + i];
            GPUCC_SYMBOL(_join_rows)(rows, 4, out + at, m);
        }
    if (n % 4 == 1)
        out[n / 4] = rest[0];
    else if (n % 4 > 1)
        out[n / 4] = GPUCC_SYMBOL(_join_one)(rest[0], rest[1]);
    if (n % 4 == 3)
        out[n / 4] = GPUCC_SYMBOL(_join_one)(out[n / 4], rest[2]);
}

static inline _Bool GPUCC_SYMBOL(_is_row)(const char *in, intptr_t step)
{
    return step == sizeof(GPUCC_TYPE) && (uintptr_t)in % _Alignof(GPUCC_TYPE) == 0;
}

static __attribute__((noinline)) const GPUCC_TYPE *GPUCC_SYMBOL(_fetch)(const char *in, intptr_t step, intptr_t n,
                                                                        GPUCC_TYPE *buffer)
{
    if (GPUCC_SYMBOL(_is_row)(in, step))
        return (const GPUCC_TYPE *)in;
    gpucc_pack((char *)buffer, in, step, n, sizeof *buffer);
    return buffer;
}

/* Four neighbours each, of a block at most, wherever they lie. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_join_block)(const char *in, intptr_t step, intptr_t n,
                                                                GPUCC_TYPE *out)
{
    enum { SIZE = sizeof(GPUCC_TYPE), PIECE = 512 }; /* so few are packed that the next are on their way from memory */
    GPUCC_TYPE buffer[PIECE];
    const _Bool packs_fast = step == SIZE || step == -SIZE || step == 2 * SIZE; /* by vectors */
    intptr_t done = 0;
    if (!packs_fast && !GPUCC_SYMBOL(_quads_apart)(in, step, out, n / 4))
        done = n / 4;
    for (intptr_t at = 4 * done, m; at < n; at += m) {
        m = GPUCC_SYMBOL(_is_row)(in, step) || n - at < PIECE ? n - at : PIECE;
        GPUCC_SYMBOL(_join_quads)(GPUCC_SYMBOL(_fetch)(in + at * step, step, m, buffer), m, out + at / 4);
    }
}

/* Sixteen neighbours each, of a block at most; returns whether it was so: of a function that is a few operations, on
 * elements that vectors take from where they are. */
static __attribute__((noinline)) _Bool GPUCC_SYMBOL(_join_sixteens)(const char *in, intptr_t step, intptr_t n,
                                                                    GPUCC_TYPE *out)
{
#if GPUCC_LANES
    enum { SIZE = sizeof(GPUCC_TYPE), SOME = 16 * GPUCC_LANES };
    const GPUCC_TYPE *const elements = (const GPUCC_TYPE *)in;
    GPUCC_TYPE rest[SOME / 4];
    const intptr_t whole = (step == 2 * SIZE ? n - 1 : n) / SOME * GPUCC_LANES; /* results of whole vectors */
    if (whole == 0 || (uintptr_t)in % _Alignof(GPUCC_TYPE) != 0 ||
        !gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful)))
        return 0;
    if (step == SIZE)
        GPUCC_SYMBOL(_sixteens)(elements, out, whole);
    else if (step == -SIZE)
        GPUCC_SYMBOL(_sixteens_backwards)(elements, out, whole);
    else if (step == 2 * SIZE)
        GPUCC_SYMBOL(_sixteens_of_second)(elements, out, whole);
    else
        return 0;
    n -= 16 * whole;
    if (n > 0) {
        GPUCC_SYMBOL(_join_block)(in + 16 * whole * step, step, n, rest);
        GPUCC_SYMBOL(_join_quads)(rest, (n + 3) / 4, out + whole);
    }
    return 1;
#else
    return 0;
#endif
}

/* Combines four neighbours so often, or until one element is left, and returns how many are left. */
static __attribute__((noinline)) intptr_t GPUCC_SYMBOL(_levels)(const char *in, intptr_t step, intptr_t n, int times,
                                                                GPUCC_TYPE *out)
{
    GPUCC_TYPE even[GPUCC_SYMBOL(_cut) / 4 + 1], odd[GPUCC_SYMBOL(_cut) / 16 + 1];
    const GPUCC_TYPE *from = even;
    int k = 1;
    if (times > 1 && GPUCC_SYMBOL(_join_sixteens)(in, step, n, even)) {
        n = (n + 3) / 4;
        k = 2;
    } else {
        GPUCC_SYMBOL(_join_block)(in, step, n, even);
    }
    n = (n + 3) / 4;
    for (; k < times && n > 1; k++) {
        GPUCC_TYPE *const to = from == even ? odd : even;
        GPUCC_SYMBOL(_join_quads)(from, n, to);
        n = (n + 3) / 4;
        from = to;
    }
    __builtin_memcpy(out, from, (uintptr_t)n * sizeof *out);
    return n;
}

/* The compiler looks at this one to answer gpucc_order(). */
static __attribute__((noinline)) GPUCC_TYPE GPUCC_SYMBOL(_pair)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
    GPUCC_CALL(v, r);
    return r0;
}

/* Rows of several vectors, so that none waits for another. */
enum {
    GPUCC_SYMBOL(_vector_lanes) = sizeof(gpucc_vector) / sizeof(GPUCC_TYPE),
    GPUCC_SYMBOL(_row_lanes) = 8 * GPUCC_SYMBOL(_vector_lanes)
};
#define GPUCC_LANES_LOOP(k)                                                                                            \
    _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")                                                 \
    _Pragma("clang loop vectorize_width(GPUCC_SYMBOL(_vector_lanes))")                                                 \
    _Pragma("nounroll") for (int k = 0; k < GPUCC_SYMBOL(_vector_lanes); k++)

/* Lane k combines elements k, k + LANES … of n, a multiple of the lanes; then the lanes are combined in the first. */
static __attribute__((noinline)) GPUCC_TYPE GPUCC_SYMBOL(_in_lanes)(const GPUCC_TYPE *in, intptr_t n)
{
    enum { STEP = GPUCC_SYMBOL(_vector_lanes), LANES = GPUCC_SYMBOL(_row_lanes) };
    gpucc_vector sums[8];
    GPUCC_TYPE lanes[LANES];
    __builtin_memcpy(sums, in, sizeof sums);
    for (intptr_t at = LANES; at < n; at += LANES)
        _Pragma("unroll") for (int v = 0; v < 8; v++)
        {
            GPUCC_TYPE sum[STEP], x[STEP];
            __builtin_memcpy(sum, &sums[v], sizeof sum);
            __builtin_memcpy(x, in + at + v * STEP, sizeof x);
            GPUCC_LANES_LOOP(k)
            {
                GPUCC_JOIN_TWO(joined, sum[k], x[k])
                sum[k] = joined;
            }
            __builtin_memcpy(&sums[v], sum, sizeof sum);
        }
    __builtin_memcpy(lanes, sums, sizeof lanes);
    _Pragma("unroll") for (int half = LANES / 2; half >= STEP; half /= 2)
        _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_SYMBOL(_vector_lanes))")
        for (int k = 0; k < half; k++)
        {
            GPUCC_JOIN_TWO(joined, lanes[k], lanes[k + half])
            lanes[k] = joined;
        }
    _Pragma("nounroll") for (int k = 1; k < STEP; k++) lanes[0] = GPUCC_SYMBOL(_pair)(lanes[0], lanes[k]);
    return lanes[0];
}

#if GPUCC_LANES
#if GPUCC_LANES == 8
#define GPUCC_SIGN int32_t
#else
#define GPUCC_SIGN int64_t
#endif
/* Joins the next LANES elements, and notes NaNs. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_join_extremes)(const GPUCC_TYPE *in, _Bool most,
                                                                               gpucc_vector *lanes, gpucc_vector *nans)
{
    enum { STEP = GPUCC_SYMBOL(_vector_lanes) };
    _Pragma("unroll") for (int v = 0; v < 8; v++)
    {
        GPUCC_TYPE so_far[STEP], x[STEP];
        GPUCC_SIGN nan[STEP];
        __builtin_memcpy(so_far, &lanes[v], sizeof so_far);
        __builtin_memcpy(nan, &nans[v % 2], sizeof nan);
        __builtin_memcpy(x, in + v * STEP, sizeof x);
        GPUCC_LANES_LOOP(k)
        {
            nan[k] |= -(GPUCC_SIGN)(x[k] != x[k]);
            so_far[k] = most ? (so_far[k] < x[k] ? x[k] : so_far[k]) : x[k] < so_far[k] ? x[k] : so_far[k];
        }
        __builtin_memcpy(&lanes[v], so_far, sizeof so_far);
        __builtin_memcpy(&nans[v % 2], nan, sizeof nan);
    }
}

/* The least or the greatest of n elements, at least as many as lanes; not true where the tree may have another: where
 * some are NaNs, or it is a zero, of which there are two. */
static inline __attribute__((always_inline)) _Bool GPUCC_SYMBOL(_extreme)(const GPUCC_TYPE *in, intptr_t n, _Bool most,
                                                                          GPUCC_TYPE *out)
{
    enum { LANES = GPUCC_SYMBOL(_row_lanes), STEP = GPUCC_SYMBOL(_vector_lanes) };
    gpucc_vector lanes[8], nans[2] = {{0}};
    GPUCC_TYPE each[LANES];
    GPUCC_SIGN nan[LANES / 4];
    __builtin_memcpy(lanes, in, sizeof lanes);
    /* Elements may come twice, so that the loads between are of whole vectors; the first ones do, as NaNs are noted. */
    const intptr_t before = gpucc_before_vector((const char *)in, sizeof *in);
    for (intptr_t at = 0; at <= n - LANES; at = at == 0 && before > 0 ? before : at + LANES)
        GPUCC_SYMBOL(_join_extremes)(in + at, most, lanes, nans);
    GPUCC_SYMBOL(_join_extremes)(in + n - LANES, most, lanes, nans);
    __builtin_memcpy(each, lanes, sizeof each);
    __builtin_memcpy(nan, nans, sizeof nan);
    _Pragma("unroll") for (int half = LANES / 2; half >= STEP; half /= 2)
        _Pragma("clang loop vectorize(assume_safety) vectorize_width(GPUCC_SYMBOL(_vector_lanes))")
        for (int k = 0; k < half; k++)
            each[k] = most == (each[k] < each[k + half]) ? each[k + half] : each[k];
    _Pragma("clang loop vectorize(assume_safety)") for (int k = 1; k < LANES / 4; k++) nan[0] |= nan[k];
    _Pragma("nounroll") for (int k = 1; k < STEP; k++) each[0] = most == (each[0] < each[k]) ? each[k] : each[0];
    *out = each[0];
    return !nan[0] && each[0] != 0;
}
#undef GPUCC_SIGN
#endif

/* A row of elements where their order does not show; returns whether it was so. */
static __attribute__((noinline)) _Bool GPUCC_SYMBOL(_any_order)(const GPUCC_TYPE *in, intptr_t n, GPUCC_TYPE *out)
{
    enum { LANES = GPUCC_SYMBOL(_row_lanes) };
    const int order = gpucc_order((void (*)(void))GPUCC_SYMBOL(_pair));
    const intptr_t whole = n / LANES * LANES;
    if (order == GPUCC_ORDER_SHOWS || !whole)
        return 0;
#if GPUCC_LANES
    if (order != GPUCC_ORDER_FREE)
        return GPUCC_SYMBOL(_extreme)(in, n, order == GPUCC_ORDER_MOST, out);
#endif
    intptr_t done = whole;
    *out = GPUCC_SYMBOL(_in_lanes)(in, whole);
#if GPUCC_LANES
    if (done < n && gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful))) {
        *out = GPUCC_SYMBOL(_pair)(*out, GPUCC_SYMBOL(_of_few)(in + done, n - done));
        done = n;
    }
#endif
    for (; done < n; done++)
        *out = GPUCC_SYMBOL(_pair)(*out, in[done]);
    return order == GPUCC_ORDER_FREE;
}
#undef GPUCC_LANES_LOOP

/* Each element with all before it, of which `sum` has those before the first; inlined once with constant steps. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_each_sum)(GPUCC_TYPE sum, const char *in,
                                                                          intptr_t in_step, char *out,
                                                                          intptr_t out_step, intptr_t n)
{
    GPUCC_TYPE x;
    _Pragma("clang loop vectorize(disable) unroll_count(4)") for (intptr_t i = 0; i < n; i++)
    {
        __builtin_memcpy(&x, in + i * in_step, sizeof x);
        GPUCC_JOIN_TWO(joined, sum, x)
        sum = joined;
        __builtin_memcpy(out + i * out_step, &sum, sizeof sum);
    }
}

void GPUCC_SYMBOL(_running)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    enum { SIZE = sizeof(GPUCC_TYPE) };
    const _Bool is_free = gpucc_order((void (*)(void))GPUCC_SYMBOL(_pair)) == GPUCC_ORDER_FREE;
    const intptr_t first = args[2] == 0, n = dimensions[0] - first;
    GPUCC_TYPE sum;
    *(int *)data = is_free;
    if (!is_free || dimensions[0] == 0)
        return;
    __builtin_memcpy(&sum, first ? args[0] : args[2], SIZE);
    if (first)
        __builtin_memcpy(args[1], &sum, SIZE);
    if (steps[0] == SIZE && steps[1] == SIZE)
        GPUCC_SYMBOL(_each_sum)(sum, args[0] + first * SIZE, SIZE, args[1] + first * SIZE, SIZE, n);
    else
        GPUCC_SYMBOL(_each_sum)(sum, args[0] + first * steps[0], steps[0], args[1] + first * steps[1], steps[1], n);
}

/* One output of elements `step` apart. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_run)(const char *in, intptr_t step, intptr_t n, GPUCC_TYPE *out)
{
    enum { BLOCK = GPUCC_SYMBOL(_cut), SHRINK = GPUCC_SYMBOL(_shrink), TIMES = __builtin_ctz(SHRINK) / 2 };
    _Static_assert(SHRINK == 1 << 2 * TIMES, "a block is shrunk by fours");
    GPUCC_TYPE upper[GPUCC_REDUCE_NATIVE_MOST / SHRINK];
    if (GPUCC_SYMBOL(_is_row)(in, step) && GPUCC_SYMBOL(_any_order)((const GPUCC_TYPE *)in, n, out))
        return;
    if (n <= BLOCK) {
        GPUCC_SYMBOL(_levels)(in, step, n, 64, out);
        return;
    }
    intptr_t left = 0;
    for (intptr_t at = 0; at < n; at += BLOCK) {
        const intptr_t m = n - at < BLOCK ? n - at : BLOCK;
        left += GPUCC_SYMBOL(_levels)(in + at * step, step, m, TIMES, upper + left);
    }
    GPUCC_SYMBOL(_levels)((const char *)upper, sizeof *upper, left, 64, out);
}

/* Up to eight rows; where there are more than four they need no `spare` buffers themselves. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_join_group)(const GPUCC_TYPE *const *rows, int count,
                                                                GPUCC_TYPE *out, intptr_t n,
                                                                GPUCC_TYPE (*spare)[GPUCC_SYMBOL(_lanes)])
{
    if (count == 8 && !GPUCC_SYMBOL(_eight_rows)(rows, out, n))
        return;
    GPUCC_SYMBOL(_join_rows)(rows, count < 4 ? count : 4, out, n);
    if (count <= 4)
        return;
    GPUCC_SYMBOL(_join_rows)(rows + 4, count - 4, spare[0], n);
    GPUCC_SYMBOL(_join)(out, spare[0], spare[1], n);
    __builtin_memcpy(out, spare[1], (uintptr_t)n * sizeof *out);
}

/* One output for each of `lanes` columns of n rows. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_columns)(const char *in, intptr_t lane_step, intptr_t row_step,
                                                             intptr_t lanes, intptr_t n, GPUCC_TYPE *out)
{
    enum { LANES = GPUCC_SYMBOL(_lanes), DEPTH = __builtin_ctz(GPUCC_REDUCE_NATIVE_MOST) + 1 };
    GPUCC_TYPE memory[DEPTH][LANES], buffers[4][LANES], *slot[DEPTH];
    const _Bool are_rows = GPUCC_SYMBOL(_is_row)(in, lane_step) && GPUCC_SYMBOL(_is_row)(in + row_step, lane_step);
    const intptr_t group = are_rows ? 8 : 4; /* rows that need no buffer are combined eight at once */
    intptr_t top = 0;
    for (int k = 0; k < DEPTH; k++)
        slot[k] = memory[k];
    for (intptr_t r = 0; r < n; r += group) {
        const int count = n - r < group ? (int)(n - r) : (int)group;
        const GPUCC_TYPE *rows[8];
        for (int k = 0; k < count; k++)
            rows[k] = GPUCC_SYMBOL(_fetch)(in + (r + k) * row_step, lane_step, lanes, buffers[k % 4]);
        GPUCC_SYMBOL(_join_group)(rows, count, slot[top], lanes, buffers);
        top++;
        for (intptr_t g = r / group + 1; top > 1 && (g % 2 == 0 || r + group >= n); g /= 2) {
            GPUCC_TYPE *const spare = slot[top];
            top--;
            GPUCC_SYMBOL(_join)(slot[top - 1], slot[top], spare, lanes);
            slot[top + 1] = slot[top - 1];
            slot[top - 1] = spare;
        }
    }
    __builtin_memcpy(out, slot[0], (uintptr_t)lanes * sizeof *out);
}

/* One output, if its elements are few of a function that is a few operations. */
static inline _Bool GPUCC_SYMBOL(_reduce_few)(const char *in, intptr_t step, intptr_t n, GPUCC_TYPE *out)
{
#if GPUCC_LANES
    if (n <= GPUCC_SYMBOL(_few) && gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful)) &&
        GPUCC_SYMBOL(_is_row)(in, step)) {
        *out = GPUCC_SYMBOL(_of_few)((const GPUCC_TYPE *)in, n);
        return 1;
    }
#endif
    return 0;
}

/* Which of the two does an output's work in fewer steps that are not vectors'. */
static inline _Bool GPUCC_SYMBOL(_has_lanes)(intptr_t outputs, intptr_t n, intptr_t step)
{
    enum { FEW_OUTPUTS = 8, SHORT_ROW = 16 };
    return outputs >= FEW_OUTPUTS && (step == sizeof(GPUCC_TYPE) || n <= SHORT_ROW);
}

/* Outputs as lanes. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_lanes_of)(char **args, const intptr_t *dimensions,
                                                              const intptr_t *steps)
{
    enum { LANES = GPUCC_SYMBOL(_lanes) };
    const intptr_t outputs = dimensions[0];
    GPUCC_TYPE results[LANES];
    for (intptr_t at = 0; at < outputs; at += LANES) {
        const intptr_t m = outputs - at < LANES ? outputs - at : LANES;
        GPUCC_SYMBOL(_columns)(args[0] + at * steps[0], steps[0], steps[2], m, dimensions[1], results);
        GPUCC_SMALL_LOOP for (intptr_t i = 0; i < m; i++)
            __builtin_memcpy(args[1] + (at + i) * steps[1], &results[i], sizeof *results);
    }
}

void GPUCC_SYMBOL(_reduce)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    const intptr_t outputs = dimensions[0], n = dimensions[1];
    (void)data;
    if (GPUCC_SYMBOL(_has_lanes)(outputs, n, steps[0])) {
        GPUCC_SYMBOL(_lanes_of)(args, dimensions, steps);
        return;
    }
    for (intptr_t i = 0; i < outputs; i++) {
        const char *const in = args[0] + i * steps[0];
        GPUCC_TYPE result;
        if (!GPUCC_SYMBOL(_reduce_few)(in, steps[2], n, &result))
            GPUCC_SYMBOL(_run)(in, steps[2], n, &result);
        __builtin_memcpy(args[1] + i * steps[1], &result, sizeof result);
    }
}

#undef GPUCC_SMALL_LOOP
#undef GPUCC_JOIN_TWO
#undef GPUCC_JOIN_FOUR
