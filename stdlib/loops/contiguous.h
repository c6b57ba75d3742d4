/* The contiguous loop of a ufunc on the GPU: S(const T0 *in0, …, U0 *out0, …, uint64_t n).
 *
 * Correct for any 1-D grid and block, any n, any alignment, and when an output is the same memory as an input.
 * A thread handles WIDTH elements at once.  Where all operands are misaligned alike they are adjacent, and go through
 * 16-byte accesses; the rest (the few elements before and behind, or everything) is dealt out so that a warp's accesses
 * stay adjacent and each thread still has WIDTH of them in flight.  Both kinds of item share one copy of the
 * computation, which keeps the code, and the time to compile it, small.  Slow paths of math functions are outside it:
 * an item in which one was due is done again, element by element.
 */
#define GPUCC_PARAMETER_IN(k, type, code) const type *in##k,
#define GPUCC_PARAMETER_OUT(k, type, code) type *out##k,
/* Elements before the first aligned one of the first output; the others have to agree. */
#define GPUCC_HEAD_OUT(k, type, code)                                                                                  \
    if (k == 0)                                                                                                        \
        head = (-(uintptr_t)out##k & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH)) / sizeof(type);
#define GPUCC_AGREE_IN(k, type, code) misaligned |= (uintptr_t)(in##k + head) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH);
#define GPUCC_AGREE_OUT(k, type, code) misaligned |= (uintptr_t)(out##k + head) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH);
#define GPUCC_LOAD_VECTOR(k, type, code) GPUCC_COPY_##code(x##k, in##k + at)
#define GPUCC_STORE_VECTOR(k, type, code) GPUCC_COPY_##code(out##k + at, y##k)
#define GPUCC_LOAD_ONE(k, type, code) x##k[j] = in##k[i];
#define GPUCC_STORE_ONE(k, type, code) out##k[i] = y##k[j];
#define GPUCC_RELOAD(k, type, code) const type v##k = in##k[i];
#define GPUCC_RESTORE(k, type, code) out##k[i] = r##k;
/* The e-th of the elements that are not in vectors, or the last of them, lies at i. */
#define GPUCC_REST(element)                                                                                            \
    const unsigned j = element;                                                                                        \
    const gpucc_u64 wanted = first + j * spread, e = wanted < rest ? wanted : rest - 1;                                \
    const gpucc_u64 i = e < head ? e : e + vectors * GPUCC_WIDTH;
#define GPUCC_LOAD_REST(element)                                                                                       \
    {                                                                                                                  \
        GPUCC_REST(element)                                                                                            \
        GPUCC_INPUTS(GPUCC_LOAD_ONE)                                                                                   \
    }
#define GPUCC_STORE_REST(element)                                                                                      \
    {                                                                                                                  \
        GPUCC_REST(element)                                                                                            \
        if (wanted < rest) {                                                                                           \
            GPUCC_OUTPUTS(GPUCC_STORE_ONE)                                                                             \
        }                                                                                                              \
    }

void GPUCC_LOOP(GPUCC_INPUTS(GPUCC_PARAMETER_IN) GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT) gpucc_u64 n)
{
    gpucc_u64 head = 0, misaligned = 0;
    GPUCC_OUTPUTS(GPUCC_HEAD_OUT)
    GPUCC_INPUTS(GPUCC_AGREE_IN)
    GPUCC_OUTPUTS(GPUCC_AGREE_OUT)
    const gpucc_u64 vectors = misaligned || n <= head ? 0 : (n - head) / GPUCC_WIDTH;
    const gpucc_u64 rest = n - vectors * GPUCC_WIDTH, spread = (rest + GPUCC_WIDTH - 1) / GPUCC_WIDTH;
    for (gpucc_u64 item = gpucc_grid_1(); item < vectors + spread; item += gpucc_gridsize_1()) {
        const gpucc_u64 at = head + item * GPUCC_WIDTH, first = item - vectors;
        unsigned slow = 0;
        gpucc_slow_flag(&slow);
        GPUCC_INPUTS(GPUCC_ARRAY_IN)
        GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
        if (item < vectors) {
            GPUCC_INPUTS(GPUCC_LOAD_VECTOR)
        } else {
            GPUCC_ELEMENTS(GPUCC_LOAD_REST)
        }
        GPUCC_ELEMENTS(GPUCC_COMPUTE)
        if (__builtin_expect(slow, 0)) {
            _Pragma("clang loop unroll(disable)") for (unsigned j = 0; j < GPUCC_WIDTH; j++)
            {
                const gpucc_u64 e = first + j * spread;
                const gpucc_u64 i = item < vectors ? at + j : e < head ? e : e + vectors * GPUCC_WIDTH;
                if (i >= n)
                    break;
                GPUCC_INPUTS(GPUCC_RELOAD)
                GPUCC_CALL_CAREFUL
                GPUCC_OUTPUTS(GPUCC_RESTORE)
            }
        } else if (item < vectors) {
            GPUCC_OUTPUTS(GPUCC_STORE_VECTOR)
        } else {
            GPUCC_ELEMENTS(GPUCC_STORE_REST)
        }
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_HEAD_OUT
#undef GPUCC_AGREE_IN
#undef GPUCC_AGREE_OUT
#undef GPUCC_LOAD_VECTOR
#undef GPUCC_STORE_VECTOR
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_RELOAD
#undef GPUCC_RESTORE
#undef GPUCC_REST
#undef GPUCC_LOAD_REST
#undef GPUCC_STORE_REST
