/* The contiguous loop of a ufunc on the GPU: S(const T0 *in0, …, U0 *out0, …, uint64_t n).
 *
 * Correct for any 1-D grid and block, any n, any alignment, and when an output is the same memory as an input.
 * A thread takes WIDTH adjacent elements, an item, at a time, so that the first output is written by 16-byte stores;
 * the other operands are accessed alike where their alignment agrees, and element by element where it does not.  One
 * item a thread is what the loop is made for: what is done once counts as much as a function does.  The few elements
 * before the first aligned one and behind the last item, and items in which a math function's slow path is due, are
 * done one by one by a function out of line.
 */
#define GPUCC_PARAMETER_IN(k, type, code) const type *in##k,
#define GPUCC_PARAMETER_OUT(k, type, code) type *out##k,
/* Elements before the first one of the first output that begins 512 bytes, what a warp stores at once: where it
 * straddles such a boundary, an H200 loses 3 %. */
#define GPUCC_HEAD_OUT(k, type, code)                                                                                  \
    if (k == 0)                                                                                                        \
        head = (-(uintptr_t)out##k & 511) / sizeof(type);
#define GPUCC_AGREE(type, pointer) (((uintptr_t)((pointer) + head) & GPUCC_MASK(sizeof(type) * GPUCC_WIDTH)) == 0)
#define GPUCC_AGREE_IN(k, type, code) const _Bool aligned_in##k = GPUCC_AGREE(type, in##k);
#define GPUCC_AGREE_OUT(k, type, code) const _Bool aligned_out##k = GPUCC_AGREE(type, out##k);
#define GPUCC_LOAD_ELEMENT(element) to_[element] = from_[element];
#define GPUCC_LOAD(k, type, code)                                                                                      \
    {                                                                                                                  \
        const type *const from_ = in##k + at;                                                                          \
        type *const to_ = x##k;                                                                                        \
        if (aligned_in##k) {                                                                                           \
            GPUCC_COPY_##code(to_, from_)                                                                              \
        } else {                                                                                                       \
            GPUCC_ELEMENTS(GPUCC_LOAD_ELEMENT)                                                                         \
        }                                                                                                              \
    }
#define GPUCC_STORE(k, type, code)                                                                                     \
    {                                                                                                                  \
        const type *const from_ = y##k;                                                                                \
        type *const to_ = out##k + at;                                                                                 \
        if (k == 0 || aligned_out##k) {                                                                                \
            GPUCC_COPY_##code(to_, from_)                                                                              \
        } else {                                                                                                       \
            GPUCC_ELEMENTS(GPUCC_LOAD_ELEMENT)                                                                         \
        }                                                                                                              \
    }
#define GPUCC_LOAD_ONE(k, type, code) const type v##k = in##k[i];
#define GPUCC_STORE_ONE(k, type, code) out##k[i] = r##k;
#define GPUCC_DO_CAREFULLY                                                                                             \
    GPUCC_INPUTS(GPUCC_LOAD_ONE)                                                                                       \
    GPUCC_CALL_CAREFUL                                                                                                 \
    GPUCC_OUTPUTS(GPUCC_STORE_ONE)

void GPUCC_LOOP(GPUCC_INPUTS(GPUCC_PARAMETER_IN) GPUCC_OUTPUTS(GPUCC_PARAMETER_OUT) gpucc_u64 n)
{
    const gpucc_u64 thread = gpucc_grid_1(), step = gpucc_gridsize_1();
    gpucc_u64 head = 0;
    GPUCC_OUTPUTS(GPUCC_HEAD_OUT)
    GPUCC_INPUTS(GPUCC_AGREE_IN)
    GPUCC_OUTPUTS(GPUCC_AGREE_OUT)
    head = head < n ? head : n;
    const gpucc_u64 items = (n - head) / GPUCC_WIDTH, rest = n - items * GPUCC_WIDTH;
    GPUCC_INPUTS(GPUCC_ARRAY_IN)
    GPUCC_OUTPUTS(GPUCC_ARRAY_OUT)
    _Pragma("nounroll") for (gpucc_u64 item = thread; item < items; item += step)
    {
        unsigned slow = 0;
        const gpucc_u64 at = head + item * GPUCC_WIDTH;
        GPUCC_INPUTS(GPUCC_LOAD)
        GPUCC_ELEMENTS(GPUCC_COMPUTE)
        if (__builtin_expect(!slow, 1)) {
            GPUCC_OUTPUTS(GPUCC_STORE)
        } else {
            _Pragma("nounroll") for (gpucc_u64 i = at; i < at + GPUCC_WIDTH; i++)
            {
                GPUCC_DO_CAREFULLY
            }
        }
    }
    _Pragma("nounroll") for (gpucc_u64 e = thread; e < rest; e += step)
    {
        const gpucc_u64 i = e < head ? e : e + items * GPUCC_WIDTH;
        GPUCC_DO_CAREFULLY
    }
}

#undef GPUCC_PARAMETER_IN
#undef GPUCC_PARAMETER_OUT
#undef GPUCC_HEAD_OUT
#undef GPUCC_AGREE
#undef GPUCC_AGREE_IN
#undef GPUCC_AGREE_OUT
#undef GPUCC_LOAD_ELEMENT
#undef GPUCC_LOAD
#undef GPUCC_STORE
#undef GPUCC_LOAD_ONE
#undef GPUCC_STORE_ONE
#undef GPUCC_DO_CAREFULLY
