/* The contiguous loop of a ufunc on the GPU: S(const T0 *in0, …, U0 *out0, …, uint64_t n).
 *
 * Correct for any 1-D grid and block, any n, any alignment, and when an output is the same memory as an input.
 * Where all operands are misaligned alike, the body goes through 16-byte accesses, WIDTH elements a thread, and the
 * few elements before and behind are done one by one.  Otherwise a thread still has WIDTH elements in flight, a grid
 * apart, so that a warp's accesses stay adjacent.
 */
#define GPUCC_PARAMETER_IN(k, type, name) const type *in##k,
#define GPUCC_PARAMETER_OUT(k, type, name) type *out##k,
/* Elements before the first one that is aligned; the loop is vectorised where all operands agree. */
#define GPUCC_HEAD(type, p)                                                                                            \
    ((-(uintptr_t)(p) & (GPUCC_ALIGNMENT(sizeof(type) * GPUCC_WIDTH) - 1)) / sizeof(type))
#define GPUCC_AGREE_IN(k, type, name)                                                                                  \
    aligned &= ((uintptr_t)(in##k + head) & (GPUCC_ALIGNMENT(sizeof(type) * GPUCC_WIDTH) - 1)) == 0;
#define GPUCC_AGREE_OUT(k, type, name)                                                                                 \
    aligned &= ((uintptr_t)(out##k + head) & (GPUCC_ALIGNMENT(sizeof(type) * GPUCC_WIDTH) - 1)) == 0;
#define GPUCC_HEAD_OUT(k, type, name)                                                                                  \
    if (k == 0)                                                                                                        \
        head = GPUCC_HEAD(type, out##k);
#define GPUCC_ARRAY_IN(k, type, name) type x##k[GPUCC_WIDTH];
#define GPUCC_ARRAY_OUT(k, type, name) type y##k[GPUCC_WIDTH];
#define GPUCC_LOAD_VECTOR(k, type, name) GPUCC_COPY(x##k, in##k + at, sizeof x##k);
#define GPUCC_STORE_VECTOR(k, type, name) GPUCC_COPY(out##k + at, y##k, sizeof y##k);
#define GPUCC_LOAD_APART(k, type, name) x##k[j] = in##k[at + j * threads];
#define GPUCC_STORE_APART(k, type, name) out##k[at + j * threads] = y##k[j];
#define GPUCC_PICK(k, type, name) type v##k = x##k[j];
#define GPUCC_KEEP(k, type, name) y##k[j] = r##k;
#define GPUCC_LOAD_ONE(k, type, name) type v##k = in##k[at];
#define GPUCC_STORE_ONE(k, type, name) out##k[at] = r##k;
#define GPUCC_COMPUTE_WIDTH                                                                                            \
    GPUCC_UNROLL for (unsigned j = 0; j < GPUCC_WIDTH; j++)                                                            \
    {                                                                                                                  \
        GPUCC_INPUTS(GPUCC_PICK)                                                                                       \
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)                                                                               \
        GPUCC_CALL(v, r);                                                                                              \
        GPUCC_OUTPUTS(GPUCC_KEEP)                                                                                      \
    }

void GPUCC_LOOP(GPUCC_INPUTS(GPUCC_PARAMETER_IN) GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT) gpucc_u64 n)
{
    const gpucc_u64 thread = gpucc_grid_1(), threads = gpucc_gridsize_1();
    gpucc_u64 head = 0;
    _Bool aligned = 1;
    GPUCC_OUTPUTS(GPUCC_HEAD_OUT)
    GPUCC_INPUTS(GPUCC_AGREE_IN)
    GPUCC_OUTPUTS(GPUCC_AGREE_OUT)
    if (aligned && n >= head + GPUCC_WIDTH) {
        const gpucc_u64 vectors = (n - head) / GPUCC_WIDTH, tail = head + vectors * GPUCC_WIDTH;
        for (gpucc_u64 v = thread; v < vectors; v += threads) {
            const gpucc_u64 at = head + v * GPUCC_WIDTH;
            GPUCC_INPUTS(GPUCC_ARRAY_IN)
            GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
            GPUCC_INPUTS(GPUCC_LOAD_VECTOR)
            GPUCC_COMPUTE_WIDTH
            GPUCC_OUTPUTS(GPUCC_STORE_VECTOR)
        }
        for (gpucc_u64 i = thread; i < n - vectors * GPUCC_WIDTH; i += threads) {
            const gpucc_u64 at = i < head ? i : i - head + tail;
            GPUCC_INPUTS(GPUCC_LOAD_ONE)
            GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
            GPUCC_CALL(v, r);
            GPUCC_OUTPUTS(GPUCC_STORE_ONE)
        }
        return;
    }
    gpucc_u64 at = thread;
    for (; at + (GPUCC_WIDTH - 1) * threads < n; at += GPUCC_WIDTH * threads) {
        GPUCC_INPUTS(GPUCC_ARRAY_IN)
        GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
        GPUCC_UNROLL for (unsigned j = 0; j < GPUCC_WIDTH; j++)
        {
            GPUCC_INPUTS(GPUCC_LOAD_APART)
        }
        GPUCC_COMPUTE_WIDTH
        GPUCC_UNROLL for (unsigned j = 0; j < GPUCC_WIDTH; j++)
        {
            GPUCC_OUTPUTS(GPUCC_STORE_APART)
        }
    }
    for (; at < n; at += threads) {
        GPUCC_INPUTS(GPUCC_LOAD_ONE)
        GPUCC_OUTPUTS(GPUCC_DECLARE_OUT)
        GPUCC_CALL(v, r);
        GPUCC_OUTPUTS(GPUCC_STORE_ONE)
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_HEAD
#undef GPUCC_AGREE_IN
#undef GPUCC_AGREE_OUT
#undef GPUCC_HEAD_OUT
#undef GPUCC_ARRAY_IN
#undef GPUCC_ARRAY_OUT
#undef GPUCC_LOAD_VECTOR
#undef GPUCC_STORE_VECTOR
#undef GPUCC_LOAD_APART
#undef GPUCC_STORE_APART
#undef GPUCC_PICK
#undef GPUCC_KEEP
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_COMPUTE_WIDTH
