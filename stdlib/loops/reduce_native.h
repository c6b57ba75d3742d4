/* Reductions on the CPU in the fixed tree (see <gpucc/loops.h>):
 *   void S_reduce(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *
 * Adjacent elements are combined level by level, by a loop over pairs that vectorises, in blocks that fit in the
 * first-level cache; each block is left with a few elements of a higher level, and those of all blocks are combined in
 * the end.  Where outputs are adjacent, or rows short, the lanes of vectors are outputs, and the partial results of
 * complete subtrees wait as in a binary counter.  Elements that are not adjacent go through a block's buffer.  The loops
 * of native.h do the work, so a math function's slow paths give the same bits as in calls.
 */
/* Of loops that only move elements one copy is enough. */
#define GPUCC_SMALL_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)") _Pragma("nounroll")

enum {
    GPUCC_SYMBOL(_block_size) = sizeof(GPUCC_TYPE) < 4 ? 4096 : 16384 / sizeof(GPUCC_TYPE), /* elements */
    GPUCC_SYMBOL(_shrink) = GPUCC_SYMBOL(_block_size) / 8, /* elements of a block of which one of a higher level is left */
    GPUCC_SYMBOL(_lanes) = sizeof(GPUCC_TYPE) < 4 ? 512 : 2048 / sizeof(GPUCC_TYPE)
};

/* out[i] of in[2 i] and in[2 i + 1]; tells whether a slow path was due. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_pairs)(const GPUCC_TYPE *in, GPUCC_TYPE *out, intptr_t n)
{
    unsigned slow = 0;
    gpucc_slow_flag(&slow);
    _Pragma("clang loop vectorize(assume_safety) interleave_count(2)") for (intptr_t i = 0; i < n; i++)
    {
        GPUCC_TYPE v0 = in[2 * i], v1 = in[2 * i + 1];
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        out[i] = r0;
    }
    return slow;
}

/* The same with slow paths. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_pairs_again)(const GPUCC_TYPE *in, GPUCC_TYPE *out, intptr_t n)
{
    enum { PIECE = 256 };
    GPUCC_TYPE left[PIECE], right[PIECE];
    for (intptr_t at = 0; at < n; at += PIECE) {
        const intptr_t m = n - at < PIECE ? n - at : PIECE;
        GPUCC_SMALL_LOOP for (intptr_t i = 0; i < m; i++)
        {
            left[i] = in[2 * (at + i)];
            right[i] = in[2 * (at + i) + 1];
        }
        GPUCC_SYMBOL(_mend)(left, right, out + at, m);
    }
}

/* Combines neighbours so often, or until one element is left, and tells how many are; *last is where they lie.  None
 * is left of none. */
static __attribute__((noinline)) intptr_t GPUCC_SYMBOL(_levels)(const GPUCC_TYPE *in, intptr_t n, int levels, GPUCC_TYPE *out)
{
    GPUCC_TYPE even[GPUCC_SYMBOL(_block_size) / 2 + 1], odd[GPUCC_SYMBOL(_block_size) / 4 + 1];
    for (int level = 0; level < levels && n > 1; level++) {
        GPUCC_TYPE *const to = level % 2 ? odd : even;
        if (__builtin_expect(GPUCC_SYMBOL(_pairs)(in, to, n / 2), 0))
            GPUCC_SYMBOL(_pairs_again)(in, to, n / 2);
        if (n % 2)
            to[n / 2] = in[n - 1];
        n = (n + 1) / 2;
        in = to;
    }
    __builtin_memcpy(out, in, (uintptr_t)n * sizeof *out);
    return n;
}

static __attribute__((noinline)) const GPUCC_TYPE *GPUCC_SYMBOL(_fetch)(const char *in, intptr_t step, intptr_t n, GPUCC_TYPE *buffer)
{
    if (step == sizeof(GPUCC_TYPE) && (uintptr_t)in % _Alignof(GPUCC_TYPE) == 0)
        return (const GPUCC_TYPE *)in;
    GPUCC_SMALL_LOOP for (intptr_t i = 0; i < n; i++)
        __builtin_memcpy(&buffer[i], in + i * step, sizeof *buffer);
    return buffer;
}

/* One output of elements `step` apart. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_run)(const char *in, intptr_t step, intptr_t n, GPUCC_TYPE *out)
{
    enum { BLOCK = GPUCC_SYMBOL(_block_size), SHRINK = GPUCC_SYMBOL(_shrink), LEVELS = __builtin_ctz(SHRINK) };
    GPUCC_TYPE buffer[BLOCK], upper[GPUCC_REDUCE_NATIVE_MOST / SHRINK];
    if (n <= BLOCK) {
        GPUCC_SYMBOL(_levels)(GPUCC_SYMBOL(_fetch)(in, step, n, buffer), n, 64, out);
        return;
    }
    intptr_t left = 0;
    for (intptr_t at = 0; at < n; at += BLOCK) {
        const intptr_t m = n - at < BLOCK ? n - at : BLOCK;
        left += GPUCC_SYMBOL(_levels)(GPUCC_SYMBOL(_fetch)(in + at * step, step, m, buffer), m, LEVELS, upper + left);
    }
    GPUCC_SYMBOL(_levels)(upper, left, 64, out);
}

static __attribute__((noinline)) void GPUCC_SYMBOL(_join)(const GPUCC_TYPE *a, const GPUCC_TYPE *b, GPUCC_TYPE *out, intptr_t n)
{
    if (__builtin_expect(GPUCC_SYMBOL(_fast)(a, b, out, n), 0))
        GPUCC_SYMBOL(_mend)(a, b, out, n);
}

/* One output for each of `lanes` columns of n rows. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_columns)(const char *in, intptr_t lane_step, intptr_t row_step,
                                                             intptr_t lanes, intptr_t n, GPUCC_TYPE *out)
{
    enum { LANES = GPUCC_SYMBOL(_lanes), DEPTH = __builtin_ctz(GPUCC_REDUCE_NATIVE_MOST) + 2 };
    GPUCC_TYPE memory[DEPTH][LANES], rows[2][LANES], *slot[DEPTH];
    intptr_t top = 0;
    for (int k = 0; k < DEPTH; k++)
        slot[k] = memory[k];
    for (intptr_t r = 0; r < n; r += 2) {
        const GPUCC_TYPE *a = GPUCC_SYMBOL(_fetch)(in + r * row_step, lane_step, lanes, rows[0]);
        if (r + 1 < n)
            GPUCC_SYMBOL(_join)(a, GPUCC_SYMBOL(_fetch)(in + (r + 1) * row_step, lane_step, lanes, rows[1]), slot[top],
                                lanes);
        else
            __builtin_memcpy(slot[top], a, (uintptr_t)lanes * sizeof *a);
        top++;
        for (intptr_t group = r / 2 + 1; top > 1 && (group % 2 == 0 || r + 2 >= n); group /= 2) {
            GPUCC_TYPE *const spare = slot[top];
            top--;
            GPUCC_SYMBOL(_join)(slot[top - 1], slot[top], spare, lanes);
            slot[top + 1] = slot[top - 1];
            slot[top - 1] = spare;
        }
    }
    __builtin_memcpy(out, slot[0], (uintptr_t)lanes * sizeof *out);
}

/* Which of the two does an output's work in fewer steps that are not vectors'. */
static inline _Bool GPUCC_SYMBOL(_has_lanes)(intptr_t outputs, intptr_t n, intptr_t step)
{
    enum { FEW_OUTPUTS = 8, SHORT_ROW = 16 };
    return outputs >= FEW_OUTPUTS && (step == sizeof(GPUCC_TYPE) || n <= SHORT_ROW);
}

void GPUCC_SYMBOL(_reduce)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    enum { LANES = GPUCC_SYMBOL(_lanes) };
    const intptr_t outputs = dimensions[0], n = dimensions[1];
    GPUCC_TYPE results[LANES];
    (void)data;
    if (GPUCC_SYMBOL(_has_lanes)(outputs, n, steps[0])) {
        for (intptr_t at = 0; at < outputs; at += LANES) {
            const intptr_t m = outputs - at < LANES ? outputs - at : LANES;
            GPUCC_SYMBOL(_columns)(args[0] + at * steps[0], steps[0], steps[2], m, n, results);
            GPUCC_SMALL_LOOP for (intptr_t i = 0; i < m; i++)
                __builtin_memcpy(args[1] + (at + i) * steps[1], &results[i], sizeof *results);
        }
        return;
    }
    for (intptr_t i = 0; i < outputs; i++) {
        GPUCC_SYMBOL(_run)(args[0] + i * steps[0], steps[2], n, results);
        __builtin_memcpy(args[1] + i * steps[1], results, sizeof *results);
    }
}

#undef GPUCC_SMALL_LOOP
