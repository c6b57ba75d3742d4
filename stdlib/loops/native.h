/* The loop of a ufunc on the CPU, with the type of NumPy's inner loops:
 *   void S_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *
 * Work goes in blocks that fit in the first-level cache.  The fast loop over a block is straight-line code that
 * vectorises; a block in which a math function's slow path was due is done again, and the pieces of it in which it was,
 * element by element.  Operands that are not contiguous go through a block's buffer, so that there is one vector loop
 * whatever the strides.  So does an output that is the same elements as an input, where a block may be done again, from
 * inputs that are to be there still.  Outputs and inputs of a short function that are not contiguous go element by
 * element, which takes less than packing both, and reads and writes at the same time; so do elements far apart.  Where
 * all are contiguous, and no slow path is ever due, all elements are one block.  Operands that overlap otherwise, as
 * those of NumPy's reductions and accumulations do, go element by element in the order of the elements; the result of a
 * reduction, or the last one of an accumulation, stays in a register.
 */
#define GPUCC_PIECE_OF_BLOCK 32
#define GPUCC_PASS_PIECE(k, type, code) in##k + at,
#define GPUCC_PASS_PIECE_OUT(k, type, code) out##k + at,
#define GPUCC_POINTER_IN(k, type, code) const type *in##k,
#define GPUCC_POINTER_OUT(k, type, code) type *out##k,
#define GPUCC_LOAD_ONE(k, type, code) type v##k = in##k[i];
#define GPUCC_STORE_ONE(k, type, code) out##k[i] = r##k;
#define GPUCC_PASS_IN(k, type, code) p##k,
#define GPUCC_ADD_ONE(k, type, code) +1
#define GPUCC_PASS_OUT(k, type, code) q##k,

/* An element of an output may be the same as that of an input, but no other: the rounds are independent. */
#define GPUCC_FLAGGED_LOOP(suffix, announce)                                                                           \
    static __attribute__((noinline)) unsigned GPUCC_SYMBOL(suffix)(                                                    \
        GPUCC_INPUTS(GPUCC_POINTER_IN) GPUCC_OUTPUTS(GPUCC_POINTER_OUT) intptr_t n)                                    \
    {                                                                                                                  \
        unsigned slow = 0;                                                                                             \
        announce;                                                                                                      \
        _Pragma("clang loop vectorize(assume_safety) interleave_count(2)") for (intptr_t i = 0; i < n; i++)            \
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

/* The exceptions that the function as C has it raises for these elements, of enum gpucc_cpu_exception.  The compiler
 * adds what sets `raised` (lower_exceptions.c). */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_raised)(GPUCC_INPUTS(GPUCC_POINTER_IN) intptr_t n)
{
    unsigned raised = 0;
    gpucc_raised_flag(&raised);
    for (intptr_t i = 0; i < n; i++) {
        GPUCC_INPUTS(GPUCC_LOAD_ONE)
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
    }
    return raised;
}

/* A block's buffers of all operands are on the stack. */
enum {
    GPUCC_SYMBOL(_inputs) = 0 GPUCC_INPUTS(GPUCC_ADD_ONE),
    GPUCC_SYMBOL(_buffered) = GPUCC_SYMBOL(_inputs) GPUCC_OUTPUTS(GPUCC_ADD_ONE) > 16 ? 128 : 512
};
#define GPUCC_BLOCK GPUCC_SYMBOL(_buffered)

#define GPUCC_OUT_ARG(k) args[GPUCC_SYMBOL(_inputs) + k]
#define GPUCC_OUT_STEP(k) steps[GPUCC_SYMBOL(_inputs) + k]
#define GPUCC_HERE_IN(k, type, code)                                                                                   \
    const char *here_in##k = args[k];                                                                                  \
    const intptr_t step_in##k = steps[k];
#define GPUCC_HERE_OUT(k, type, code)                                                                                  \
    char *here_out##k = GPUCC_OUT_ARG(k);                                                                              \
    const intptr_t step_out##k = GPUCC_OUT_STEP(k);
#define GPUCC_LOAD_AT(k, type, code)                                                                                   \
    type v##k;                                                                                                         \
    __builtin_memcpy(&v##k, here_in##k + at * step_in##k, sizeof(type));
#define GPUCC_DECLARE_IN(k, type, code) type v##k;
#define GPUCC_LOAD_BEHIND_FIRST(k, type, code)                                                                         \
    if (k > 0)                                                                                                         \
        __builtin_memcpy(&v##k, here_in##k + at * step_in##k, sizeof(type));
#define GPUCC_STORE_AT(k, type, code) __builtin_memcpy(here_out##k + at * step_out##k, &r##k, sizeof(type));
#define GPUCC_GO_IN(k, type, code) here_in##k += count * step_in##k;
#define GPUCC_GO_OUT(k, type, code) here_out##k += count * step_out##k;
#define GPUCC_ROUNDS(elements)                                                                                         \
    _Pragma("clang loop vectorize(disable)") _Pragma("nounroll") for (; n >= (elements); n -= (elements))              \
    {                                                                                                                  \
        enum { count = elements };                                                                                     \
        _Pragma("unroll") for (intptr_t at = 0; at < count; at++)                                                      \
        {                                                                                                              \
            GPUCC_INPUTS(GPUCC_LOAD_AT)                                                                                \
            GPUCC_CALL_CAREFUL                                                                                         \
            GPUCC_OUTPUTS(GPUCC_STORE_AT)                                                                              \
        }                                                                                                              \
        GPUCC_INPUTS(GPUCC_GO_IN)                                                                                      \
        GPUCC_OUTPUTS(GPUCC_GO_OUT)                                                                                    \
    }

/* Element by element, so that what is read may have been written just before.  The addresses of four are sums that
 * loads and stores make themselves. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_each)(char **args, const intptr_t *steps, intptr_t n)
{
    GPUCC_INPUTS(GPUCC_HERE_IN)
    GPUCC_OUTPUTS(GPUCC_HERE_OUT)
    GPUCC_ROUNDS(4)
    GPUCC_ROUNDS(1)
}

#if GPUCC_REORDERABLE && defined GPUCC_LEAF /* a function that folds */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_two)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    GPUCC_CALL_CAREFUL
    return r0;
}

/* Four runs of neighbours from the left, and then these: a processor adds to four sums in the time of one. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_runs_onto_one)(char *to, const char *in, intptr_t step,
                                                                               intptr_t n)
{
    const intptr_t run = n / 4;
    GPUCC_TYPE sum, x, runs[4];
    _Pragma("unroll") for (int k = 0; k < 4; k++) __builtin_memcpy(&runs[k], in + k * run * step, sizeof x);
    _Pragma("clang loop vectorize(disable)") for (intptr_t i = 1; i < run; i++)
        _Pragma("unroll") for (int k = 0; k < 4; k++)
        {
            __builtin_memcpy(&x, in + (k * run + i) * step, sizeof x);
            runs[k] = GPUCC_SYMBOL(_two)(runs[k], x);
        }
    for (intptr_t i = 4 * run; i < n; i++) {
        __builtin_memcpy(&x, in + i * step, sizeof x);
        runs[3] = GPUCC_SYMBOL(_two)(runs[3], x);
    }
    __builtin_memcpy(&sum, to, sizeof sum);
    sum = GPUCC_SYMBOL(_two)(sum, GPUCC_SYMBOL(_two)(GPUCC_SYMBOL(_two)(runs[0], runs[1]),
                                                     GPUCC_SYMBOL(_two)(runs[2], runs[3])));
    __builtin_memcpy(to, &sum, sizeof sum);
}
#endif

/* NumPy's reductions, whose result is their first input too: it stays in a register until the end. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_into_one)(char **args, const intptr_t *steps, intptr_t n)
{
#if GPUCC_REORDERABLE && defined GPUCC_LEAF
    enum { SOME = 16 };
    if (n >= SOME && gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful))) {
        GPUCC_SYMBOL(_runs_onto_one)(args[0], args[1], steps[1], n);
        return;
    }
#endif
    GPUCC_INPUTS(GPUCC_HERE_IN)
    GPUCC_INPUTS(GPUCC_DECLARE_IN)
    __builtin_memcpy(&v0, here_in0, sizeof v0);
    _Pragma("clang loop vectorize(disable)") for (intptr_t at = 0; at < n; at++)
    {
        GPUCC_INPUTS(GPUCC_LOAD_BEHIND_FIRST)
        GPUCC_CALL_CAREFUL
        __builtin_memcpy(&v0, &r0, sizeof v0 < sizeof r0 ? sizeof v0 : sizeof r0);
    }
    __builtin_memcpy(args[0], &v0, sizeof v0);
}

/* NumPy's accumulations, whose first input is the result before. */
static __attribute__((noinline)) void GPUCC_SYMBOL(_onto_next)(char **args, const intptr_t *steps, intptr_t n)
{
    GPUCC_INPUTS(GPUCC_HERE_IN)
    GPUCC_OUTPUTS(GPUCC_HERE_OUT)
    GPUCC_INPUTS(GPUCC_DECLARE_IN)
    __builtin_memcpy(&v0, here_in0, sizeof v0);
    _Pragma("clang loop vectorize(disable) unroll_count(4)") for (intptr_t at = 0; at < n; at++)
    {
        GPUCC_INPUTS(GPUCC_LOAD_BEHIND_FIRST)
        GPUCC_CALL_CAREFUL
        GPUCC_OUTPUTS(GPUCC_STORE_AT)
        __builtin_memcpy(&v0, &r0, sizeof v0 < sizeof r0 ? sizeof v0 : sizeof r0);
    }
}

#ifndef GPUCC_LOOPS_NATIVE
#define GPUCC_LOOPS_NATIVE
/* With a constant step the loop is vectorised. */
#define GPUCC_COPY_AT(bytes, to_step, from_step)                                                                       \
    for (intptr_t i = 0; i < n; i++)                                                                                   \
        __builtin_memcpy(to + i * (to_step), from + i * (from_step), bytes);
#define GPUCC_COPY_ONE_BY_ONE(bytes, to_step, from_step)                                                               \
    _Pragma("clang loop vectorize(disable) unroll_count(4)") for (intptr_t i = 0; i < n; i++)                          \
    {                                                                                                                  \
        __builtin_memcpy(to, from, bytes);                                                                             \
        to += to_step;                                                                                                 \
        from += from_step;                                                                                             \
    }
#define GPUCC_PACK(bytes)                                                                                              \
    case bytes:                                                                                                        \
        if (step == bytes)                                                                                             \
            __builtin_memcpy(to, from, (uintptr_t)n * bytes);                                                          \
        else if (step == -bytes)                                                                                       \
            GPUCC_COPY_AT(bytes, bytes, -bytes)                                                                        \
        else if (step == 2 * bytes)                                                                                    \
            GPUCC_COPY_AT(bytes, bytes, 2 * bytes)                                                                     \
        else                                                                                                           \
            GPUCC_COPY_ONE_BY_ONE(bytes, bytes, step)                                                                  \
        break;
#define GPUCC_UNPACK(bytes)                                                                                            \
    case bytes:                                                                                                        \
        if (step == bytes)                                                                                             \
            __builtin_memcpy(to, from, (uintptr_t)n * bytes);                                                          \
        else if (step == -bytes)                                                                                       \
            GPUCC_COPY_AT(bytes, -bytes, bytes)                                                                        \
        else                                                                                                           \
            GPUCC_COPY_ONE_BY_ONE(bytes, step, bytes)                                                                  \
        break;
#define GPUCC_EACH_SIZE(X) X(1) X(2) X(4) X(8) X(16)

/* n elements of so many bytes, `step` apart, to a buffer. */
static __attribute__((noinline)) void gpucc_pack(char *restrict to, const char *restrict from, intptr_t step,
                                                 intptr_t n, int size)
{
    switch (size) {
        GPUCC_EACH_SIZE(GPUCC_PACK)
    }
}

/* And from there. */
static __attribute__((noinline)) void gpucc_unpack(char *restrict to, intptr_t step, const char *restrict from,
                                                   intptr_t n, int size)
{
    switch (size) {
        GPUCC_EACH_SIZE(GPUCC_UNPACK)
    }
}
#undef GPUCC_COPY_AT
#undef GPUCC_COPY_ONE_BY_ONE
#undef GPUCC_PACK
#undef GPUCC_UNPACK
#undef GPUCC_EACH_SIZE

/* Elements of an output, which lie together, before the first at a whole vector's address. */
static inline intptr_t gpucc_before_vector(const char *first, intptr_t size)
{
    enum { VECTOR = 32 };
    return size < VECTOR ? (intptr_t)(-(uintptr_t)first % VECTOR) / size : 0;
}
enum { GPUCC_MANY = 4096 };

/* How the outputs lie to the inputs. */
enum gpucc_relation {
    GPUCC_APART,  /* they have no memory in common */
    GPUCC_SAME,   /* some are, element for element, inputs */
    GPUCC_CROSSED /* they overlap in another way */
};

/* Whether n elements, `step` apart, have no memory in common with those of another operand. */
static inline _Bool gpucc_apart(const char *a, intptr_t a_step, intptr_t a_size, const char *b, intptr_t b_step,
                                intptr_t b_size, intptr_t n)
{
    const char *a0 = a + (a_step < 0 ? a_step * (n - 1) : 0), *a1 = a + (a_step > 0 ? a_step * (n - 1) : 0) + a_size;
    const char *b0 = b + (b_step < 0 ? b_step * (n - 1) : 0), *b1 = b + (b_step > 0 ? b_step * (n - 1) : 0) + b_size;
    if (a1 <= b0 || b1 <= a0)
        return 1;
    if (a_step != b_step || a_step == 0)
        return 0;
    const intptr_t stride = a_step < 0 ? -a_step : a_step, rest = (b - a) % stride,
                   at = rest < 0 ? rest + stride : rest;
    return at >= a_size && at + b_size <= stride; /* as columns of a matrix are */
}

/* `sizes` are those of the elements; outputs are the operands from `inputs` on. */
static __attribute__((noinline)) int gpucc_relate(char **args, const intptr_t *steps, const unsigned char *sizes,
                                                  int inputs, int operands, intptr_t n)
{
    int relation = GPUCC_APART;
    for (int o = inputs; o < operands; o++)
        for (int i = 0; i < o; i++) {
            if (gpucc_apart(args[i], steps[i], sizes[i], args[o], steps[o], sizes[o], n))
                continue;
            const intptr_t stride = steps[o] < 0 ? -steps[o] : steps[o];
            if (i >= inputs || args[i] != args[o] || steps[i] != steps[o] || stride < sizes[i] || stride < sizes[o])
                return GPUCC_CROSSED;
            relation = GPUCC_SAME;
        }
    return relation;
}

/* Whether each result is the first input of the next element, and the second inputs are not changed before their turn:
 * they are in other memory, or where their own results go. */
static inline _Bool gpucc_is_accumulation(char **args, const intptr_t *steps, const unsigned char *sizes, intptr_t n)
{
    const intptr_t step = steps[2], stride = step < 0 ? -step : step;
    return args[2] == args[0] + step && steps[0] == step && sizes[0] == sizes[2] && stride >= sizes[2] &&
           ((args[1] == args[2] && steps[1] == step && sizes[1] == sizes[2]) ||
            gpucc_apart(args[1], steps[1], sizes[1], args[0], step, sizes[0], n + 1));
}
#endif

#define GPUCC_SIZE(k, type, code) sizeof(type),
#define GPUCC_BUFFER_IN(k, type, code)                                                                                 \
    type b##k[GPUCC_BLOCK];                                                                                            \
    const _Bool direct_in##k = steps[k] == sizeof(type) && (uintptr_t)args[k] % _Alignof(type) == 0;                   \
    if (steps[k] == 0 && n > 0)                                                                                        \
        for (intptr_t i = 0; i < (n < GPUCC_BLOCK ? n : GPUCC_BLOCK); i++)                                             \
            __builtin_memcpy(&b##k[i], args[k], sizeof(type));
#define GPUCC_BUFFER_OUT(k, type, code)                                                                                \
    type c##k[GPUCC_BLOCK];                                                                                            \
    const _Bool direct_out##k =                                                                                        \
        !again && GPUCC_OUT_STEP(k) == sizeof(type) && (uintptr_t)GPUCC_OUT_ARG(k) % _Alignof(type) == 0;
#define GPUCC_OR_SCATTERED_IN(k, type, code) || (steps[k] != sizeof(type) && steps[k] != 0)
#define GPUCC_AND_SCATTERED_OUT(k, type, code) &&GPUCC_OUT_STEP(k) != sizeof(type)
/* Vectors neither pack nor unpack such strides, or only few elements at once. */
#define GPUCC_OR_FAR_IN(k, type, code) || (steps[k] != sizeof(type) && (steps[k] > 8 || steps[k] < -8))
#define GPUCC_OR_FAR_OUT(k, type, code)                                                                                \
    || (GPUCC_OUT_STEP(k) != sizeof(type) && GPUCC_OUT_STEP(k) != -(intptr_t)sizeof(type))
#define GPUCC_AND_DIRECT_IN(k, type, code) &&direct_in##k
#define GPUCC_AND_DIRECT_OUT(k, type, code) &&direct_out##k
#define GPUCC_FETCH(k, type, code)                                                                                     \
    const type *p##k = b##k;                                                                                           \
    if (direct_in##k)                                                                                                  \
        p##k = (const type *)args[k] + at;                                                                             \
    else if (steps[k] != 0)                                                                                            \
        gpucc_pack((char *)b##k, args[k] + at * steps[k], steps[k], m, sizeof(type));
#define GPUCC_PLACE(k, type, code) type *q##k = direct_out##k ? (type *)GPUCC_OUT_ARG(k) + at : c##k;
#define GPUCC_PUT(k, type, code)                                                                                       \
    if (!direct_out##k)                                                                                                \
        gpucc_unpack(GPUCC_OUT_ARG(k) + at * GPUCC_OUT_STEP(k), GPUCC_OUT_STEP(k), (const char *)c##k, m, sizeof(type));

void GPUCC_SYMBOL(_loop)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    static const unsigned char sizes[] = {GPUCC_INPUTS(GPUCC_SIZE) GPUCC_OUTPUTS(GPUCC_SIZE)};
    const intptr_t n = dimensions[0];
    (void)data;
    if (n <= 0)
        return;
    if (n == 1 && gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful))) { /* as numpy.ufunc.at() calls loops */
        GPUCC_SYMBOL(_each)(args, steps, n);
        return;
    }
    if (GPUCC_SYMBOL(_inputs) == 2 && sizeof sizes == 3 && args[0] == args[2] && steps[0] == 0 && steps[2] == 0 &&
        sizes[0] == sizes[2] && gpucc_apart(args[1], steps[1], sizes[1], args[0], 0, sizes[0], n)) {
        GPUCC_SYMBOL(_into_one)(args, steps, n);
        return;
    }
    const int relation = gpucc_relate(args, steps, sizes, GPUCC_SYMBOL(_inputs), sizeof sizes, n);
    const _Bool again = relation == GPUCC_SAME && gpucc_has_slow((void (*)(void))GPUCC_SYMBOL(_careful));
    const _Bool is_scattered = (0 GPUCC_INPUTS(GPUCC_OR_SCATTERED_IN)) GPUCC_OUTPUTS(GPUCC_AND_SCATTERED_OUT);
    const _Bool is_far = 0 GPUCC_INPUTS(GPUCC_OR_FAR_IN) GPUCC_OUTPUTS(GPUCC_OR_FAR_OUT);
    if (relation == GPUCC_CROSSED ||
        ((is_scattered || is_far) && gpucc_is_short((void (*)(void))GPUCC_SYMBOL(_careful)))) {
        if (GPUCC_SYMBOL(_inputs) == 2 && sizeof sizes == 3 && gpucc_is_accumulation(args, steps, sizes, n))
            GPUCC_SYMBOL(_onto_next)(args, steps, n);
        else
            GPUCC_SYMBOL(_each)(args, steps, n);
        return;
    }
    GPUCC_INPUTS(GPUCC_BUFFER_IN)
    GPUCC_OUTPUTS(GPUCC_BUFFER_OUT)
    /* A loop that needs no buffer and no second pass runs over all elements at once. Long ones first reach the output's
     * first aligned vector. */
    const _Bool is_direct = 1 GPUCC_INPUTS(GPUCC_AND_DIRECT_IN) GPUCC_OUTPUTS(GPUCC_AND_DIRECT_OUT);
    const intptr_t block = is_direct && !gpucc_has_slow((void (*)(void))GPUCC_SYMBOL(_careful)) ? n : GPUCC_BLOCK;
    intptr_t m = is_direct && n >= GPUCC_MANY ? gpucc_before_vector(GPUCC_OUT_ARG(0), sizes[GPUCC_SYMBOL(_inputs)]) : 0;
    unsigned flagged = 0; /* after two blocks that were flagged six go the wide way at once */
    for (intptr_t at = 0; at < n; at += m, m = 0) {
        if (m == 0)
            m = n - at < block ? n - at : block;
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

/* For hosts that report exceptions: those among `wanted` that C's code raises for n elements.  Vectors compute both
 * sides of a condition, and the processor flags either.  The inputs are as they were when S_loop ran. */
unsigned GPUCC_SYMBOL(_flags)(char **args, const intptr_t *dimensions, const intptr_t *steps, unsigned wanted)
{
    const intptr_t n = dimensions[0];
    unsigned raised = 0;
    GPUCC_INPUTS(GPUCC_BUFFER_IN)
    for (intptr_t at = 0; at < n && (raised & wanted) != wanted; at += GPUCC_BLOCK) {
        const intptr_t m = n - at < GPUCC_BLOCK ? n - at : GPUCC_BLOCK;
        GPUCC_INPUTS(GPUCC_FETCH)
        raised |= GPUCC_SYMBOL(_raised)(GPUCC_INPUTS(GPUCC_PASS_IN) m);
    }
    return raised & wanted;
}

#undef GPUCC_FLAGGED_LOOP
#undef GPUCC_BLOCK
#undef GPUCC_PIECE_OF_BLOCK
#undef GPUCC_PASS_PIECE
#undef GPUCC_PASS_PIECE_OUT
#undef GPUCC_POINTER_IN
#undef GPUCC_POINTER_OUT
#undef GPUCC_LOAD_ONE
#undef GPUCC_HERE_IN
#undef GPUCC_HERE_OUT
#undef GPUCC_LOAD_AT
#undef GPUCC_STORE_AT
#undef GPUCC_DECLARE_IN
#undef GPUCC_LOAD_BEHIND_FIRST
#undef GPUCC_GO_IN
#undef GPUCC_GO_OUT
#undef GPUCC_ROUNDS
#undef GPUCC_SIZE
#undef GPUCC_STORE_ONE
#undef GPUCC_PASS_IN
#undef GPUCC_ADD_ONE
#undef GPUCC_PASS_OUT
#undef GPUCC_OUT_ARG
#undef GPUCC_OUT_STEP
#undef GPUCC_BUFFER_IN
#undef GPUCC_BUFFER_OUT
#undef GPUCC_OR_SCATTERED_IN
#undef GPUCC_AND_SCATTERED_OUT
#undef GPUCC_OR_FAR_IN
#undef GPUCC_OR_FAR_OUT
#undef GPUCC_AND_DIRECT_IN
#undef GPUCC_AND_DIRECT_OUT
#undef GPUCC_FETCH
#undef GPUCC_PLACE
#undef GPUCC_PUT
