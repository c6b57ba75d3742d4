/* The loop of a ufunc on the CPU, with the type of NumPy's inner loops:
 *   void S_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *
 * Work goes in blocks that fit in the first-level cache.  The fast loop over a block is straight-line code that
 * vectorises; a block in which a math function's slow path was due is done again, and the pieces of it in which it was,
 * element by element.  Operands that are not contiguous, or an output that is also an input, go through a block's
 * buffer, so that there is one vector loop whatever the strides.
 */
#define GPUCC_BLOCK 512
#define GPUCC_PIECE_OF_BLOCK 32
#define GPUCC_PASS_PIECE(k, type, code) in##k + at,
#define GPUCC_PASS_PIECE_OUT(k, type, code) out##k + at,
#define GPUCC_POINTER_IN(k, type, code) const type *restrict in##k,
#define GPUCC_POINTER_OUT(k, type, code) type *restrict out##k,
#define GPUCC_LOAD_ONE(k, type, code) type v##k = in##k[i];
#define GPUCC_STORE_ONE(k, type, code) out##k[i] = r##k;
#define GPUCC_PASS_IN(k, type, code) p##k,
#define GPUCC_ADD_ONE(k, type, code) +1
#define GPUCC_PASS_OUT(k, type, code) q##k,

#define GPUCC_FLAGGED_LOOP(suffix, announce)                                                                           \
    static __attribute__((noinline)) unsigned GPUCC_SYMBOL(suffix)(                                                    \
        GPUCC_INPUTS(GPUCC_POINTER_IN) GPUCC_OUTPUTS(GPUCC_POINTER_OUT) intptr_t n)                                    \
    {                                                                                                                  \
        unsigned slow = 0;                                                                                             \
        announce;                                                                                                      \
        _Pragma("clang loop interleave_count(2)") for (intptr_t i = 0; i < n; i++)                                     \
        {                                                                                                              \
            GPUCC_INPUTS(GPUCC_LOAD_ONE)                                                                               \
            GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)                                                                           \
            GPUCC_CALL(v, r);                                                                                          \
            GPUCC_OUTPUTS(GPUCC_STORE_ONE)                                                                             \
        }                                                                                                              \
        return slow;                                                                                                   \
    }

GPUCC_FLAGGED_LOOP(_fast, gpucc_slow_flag(&slow))
GPUCC_FLAGGED_LOOP(_wide, gpucc_wide_flag(&slow, (void (*)(void))GPUCC_SYMBOL(_fast)))

static __attribute__((noinline)) void GPUCC_SYMBOL(_redo)(
    GPUCC_INPUTS(GPUCC_POINTER_IN) GPUCC_OUTPUTS(GPUCC_POINTER_OUT) intptr_t n)
{
    for (intptr_t i = 0; i < n; i++) {
        GPUCC_INPUTS(GPUCC_LOAD_ONE)
        GPUCC_CALL_CAREFUL
        GPUCC_OUTPUTS(GPUCC_STORE_ONE)
    }
}

/* Does a block again of which the fast loop noted a slow path: piece by piece, lest one element cost as much as all,
 * and first with wide paths, where there are any. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_mend)(
    GPUCC_INPUTS(GPUCC_POINTER_IN) GPUCC_OUTPUTS(GPUCC_POINTER_OUT) intptr_t n)
{
    for (intptr_t at = 0; at < n; at += GPUCC_PIECE_OF_BLOCK) {
        const intptr_t m = n - at < GPUCC_PIECE_OF_BLOCK ? n - at : GPUCC_PIECE_OF_BLOCK;
        if (GPUCC_SYMBOL(_wide)(GPUCC_INPUTS(GPUCC_PASS_PIECE) GPUCC_OUTPUTS(GPUCC_PASS_PIECE_OUT) m))
            GPUCC_SYMBOL(_redo)(GPUCC_INPUTS(GPUCC_PASS_PIECE) GPUCC_OUTPUTS(GPUCC_PASS_PIECE_OUT) m);
    }
}

/* Whether [a, a+a_bytes) and [b, b+b_bytes) meet, for the memory that n elements with a step span. */
#ifndef GPUCC_LOOPS_MEET
#define GPUCC_LOOPS_MEET
static inline _Bool gpucc_meet(const char *a, intptr_t a_step, const char *b, intptr_t b_step, intptr_t n, intptr_t size)
{
    const char *a0 = a + (a_step < 0 ? a_step * (n - 1) : 0), *a1 = a + (a_step > 0 ? a_step * (n - 1) : 0) + size;
    const char *b0 = b + (b_step < 0 ? b_step * (n - 1) : 0), *b1 = b + (b_step > 0 ? b_step * (n - 1) : 0) + size;
    return a0 < b1 && b0 < a1;
}
#endif

enum { GPUCC_SYMBOL(_inputs) = 0 GPUCC_INPUTS(GPUCC_ADD_ONE) };

#define GPUCC_OUT_ARG(k) args[GPUCC_SYMBOL(_inputs) + k]
#define GPUCC_OUT_STEP(k) steps[GPUCC_SYMBOL(_inputs) + k]
#define GPUCC_BUFFER_IN(k, type, code)                                                                                 \
    type b##k[GPUCC_BLOCK];                                                                                            \
    const _Bool direct_in##k = steps[k] == sizeof(type) && (uintptr_t)args[k] % _Alignof(type) == 0;                   \
    if (steps[k] == 0 && n > 0)                                                                                        \
        for (intptr_t i = 0; i < (n < GPUCC_BLOCK ? n : GPUCC_BLOCK); i++)                                             \
            __builtin_memcpy(&b##k[i], args[k], sizeof(type));
#define GPUCC_BUFFER_OUT(k, type, code)                                                                                \
    type c##k[GPUCC_BLOCK];                                                                                            \
    _Bool direct_out##k = GPUCC_OUT_STEP(k) == sizeof(type) && (uintptr_t)GPUCC_OUT_ARG(k) % _Alignof(type) == 0;      \
    for (int o = 0; o < GPUCC_SYMBOL(_inputs); o++)                                                                    \
        direct_out##k &= !gpucc_meet(GPUCC_OUT_ARG(k), GPUCC_OUT_STEP(k), args[o], steps[o], n, 16);
#define GPUCC_FETCH(k, type, code)                                                                                     \
    const type *p##k = b##k;                                                                                           \
    if (direct_in##k)                                                                                                  \
        p##k = (const type *)args[k] + at;                                                                             \
    else if (steps[k] != 0)                                                                                            \
        for (intptr_t i = 0; i < m; i++)                                                                               \
            __builtin_memcpy(&b##k[i], args[k] + (at + i) * steps[k], sizeof(type));
#define GPUCC_PLACE(k, type, code) type *q##k = direct_out##k ? (type *)GPUCC_OUT_ARG(k) + at : c##k;
#define GPUCC_PUT(k, type, code)                                                                                       \
    if (!direct_out##k)                                                                                                \
        for (intptr_t i = 0; i < m; i++)                                                                               \
            __builtin_memcpy(GPUCC_OUT_ARG(k) + (at + i) * GPUCC_OUT_STEP(k), &c##k[i], sizeof(type));

void GPUCC_SYMBOL(_loop)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    const intptr_t n = dimensions[0];
    (void)data;
    GPUCC_INPUTS(GPUCC_BUFFER_IN)
    GPUCC_OUTPUTS(GPUCC_BUFFER_OUT)
    unsigned flagged = 0; /* after two blocks that were flagged six go the wide way at once */
    for (intptr_t at = 0; at < n; at += GPUCC_BLOCK) {
        const intptr_t m = n - at < GPUCC_BLOCK ? n - at : GPUCC_BLOCK;
        GPUCC_INPUTS(GPUCC_FETCH)
        GPUCC_OUTPUTS(GPUCC_PLACE)
        const _Bool wide = flagged & 6;
        const unsigned slow = wide ? GPUCC_SYMBOL(_wide)(GPUCC_INPUTS(GPUCC_PASS_IN) GPUCC_OUTPUTS(GPUCC_PASS_OUT) m)
                                   : GPUCC_SYMBOL(_fast)(GPUCC_INPUTS(GPUCC_PASS_IN) GPUCC_OUTPUTS(GPUCC_PASS_OUT) m);
        flagged = wide || slow ? (flagged + 1) % 8 : 0;
        if (__builtin_expect(slow, 0))
            GPUCC_SYMBOL(_mend)(GPUCC_INPUTS(GPUCC_PASS_IN) GPUCC_OUTPUTS(GPUCC_PASS_OUT) m);
        GPUCC_OUTPUTS(GPUCC_PUT)
    }
}

#undef GPUCC_FLAGGED_LOOP
#undef GPUCC_BLOCK
#undef GPUCC_PIECE_OF_BLOCK
#undef GPUCC_PASS_PIECE
#undef GPUCC_PASS_PIECE_OUT
#undef GPUCC_POINTER_IN
#undef GPUCC_POINTER_OUT
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_PASS_IN
#undef GPUCC_ADD_ONE
#undef GPUCC_PASS_OUT
#undef GPUCC_OUT_ARG
#undef GPUCC_OUT_STEP
#undef GPUCC_BUFFER_IN
#undef GPUCC_BUFFER_OUT
#undef GPUCC_FETCH
#undef GPUCC_PLACE
#undef GPUCC_PUT
