/* The loop of a gufunc on the GPU (see <gpucc/loops.h>): a thread for each outer index, or a block.  loops.c defines:
 *   GPUCC_LOOP          the loop's symbol
 *   GPUCC_BY_BLOCK      1 where it is a block
 *   GPUCC_CALLEE        the function, of the extents and of a pointer to each operand's core
 *   GPUCC_ARRAYS(X)     X(index, C type) for each operand but …
 *   GPUCC_NUMBERS(X)    … inputs without core dimensions, which may be values
 *   GPUCC_IN_ORDER(X)   X(index) for all of them
 */
#define GPUCC_PARAMETER_OPERAND(k) , const struct gpucc_operand op##k
#define GPUCC_PLACE(op)                                                                                                \
    ((op).data + ((int64_t)i0 * (op).strides[0] + (int64_t)i1 * (op).strides[1]) +                                     \
     ((int64_t)i2 * (op).strides[2] + (int64_t)i3 * (op).strides[3]))
/* The outer index with that number. */
#define GPUCC_FIND_INDEX(number)                                                                                       \
    unsigned i0 = 0, i1 = 0, i2 = 0, i3 = (unsigned)(number);                                                          \
    if (!is_row) {                                                                                                     \
        const unsigned q3 = i3 / n3, q2 = q3 / n2;                                                                     \
        i3 -= q3 * n3;                                                                                                 \
        i2 = q3 - q2 * n2;                                                                                             \
        i0 = q2 / n1;                                                                                                  \
        i1 = q2 - i0 * n1;                                                                                             \
    }
#define GPUCC_PLACE_ARRAY(k, type) type *const p##k = (type *)GPUCC_PLACE(op##k);
/* Read once, at the start, into registers, and hidden as strided.h hides values. */
#define GPUCC_READ_NUMBER(k, type)                                                                                     \
    gpucc_u64 bits_##k[2] = {op##k.value[0], sizeof(type) > 8 ? op##k.value[1] : 0};                                   \
    GPUCC_HIDE(bits_##k[0]);                                                                                           \
    if (sizeof(type) > 8)                                                                                              \
        GPUCC_HIDE(bits_##k[1]);                                                                                       \
    type value_##k;                                                                                                    \
    __builtin_memcpy(&value_##k, bits_##k, sizeof value_##k);
#define GPUCC_PLACE_NUMBER(k, type)                                                                                    \
    type number_##k = value_##k;                                                                                       \
    if (op##k.data)                                                                                                    \
        number_##k = *(const type *)GPUCC_PLACE(op##k);                                                                \
    type *const p##k = &number_##k;
#define GPUCC_PASS(k) , p##k

void GPUCC_SYMBOL(_outer)(const struct gpucc_iteration it,
                          const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND))
{
#if GPUCC_BY_BLOCK
    const gpucc_u64 first = gpucc_blockIdx.x, step = gpucc_gridDim.x, count = it.count;
#else
    const gpucc_u64 first = gpucc_grid_1(), step = gpucc_gridsize_1(), count = it.count;
#endif
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    _Pragma("nounroll") for (gpucc_u64 index = first; index < count; index += step)
    {
#if GPUCC_BY_BLOCK
        if (index != first) /* shared memory may still be read */
            gpucc_syncthreads();
#endif
        GPUCC_FIND_INDEX(index)
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
        GPUCC_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

#if !GPUCC_BY_BLOCK && GPUCC_HAS_CORES

/* The same through shared memory, so that neighbouring threads load neighbouring elements.  loops.c defines:
 *   GPUCC_STAGES(X)       X(index, C type) for each operand with core dimensions …
 *   GPUCC_SINGLES(X)      … and for each output without
 *   GPUCC_CORE_COUNT_k    the elements of operand k's core
 *   GPUCC_CORE_OFFSET_k   adds to `offset` what element `e` of it lies behind the first, and changes `e`
 *   GPUCC_RECORD_k        the type of its parameter, struct gpucc_staged or gpucc_operand
 */
#define GPUCC_PARAMETER_STAGED(k) , const GPUCC_RECORD_##k op##k
#define GPUCC_STAGE(k, type)                                                                                           \
    const unsigned elements##k = GPUCC_CORE_COUNT_##k;                                                                 \
    const _Bool varies##k = op##k.flags & GPUCC_STAGED_VARIES, packed##k = op##k.flags & GPUCC_STAGED_PACKED;           \
    const unsigned each##k = gpucc_staged_step(elements##k, sizeof(type));                                             \
    char *const stage##k = next;                                                                                       \
    next += ((varies##k ? threads : 1) * each##k + 15) & ~15u;
/* Element number `at` of the cores that the block has. */
#define GPUCC_STAGED_PLACE(k, type)                                                                                    \
    int64_t offset = 0;                                                                                                \
    char *const staged = stage##k + core_number * each##k + element * sizeof(type);                                    \
    if (packed##k) {                                                                                                   \
        offset = (int64_t)element * (int64_t)sizeof(type);                                                             \
    } else {                                                                                                           \
        unsigned e = element;                                                                                          \
        GPUCC_CORE_OFFSET_##k                                                                                          \
    }                                                                                                                  \
    GPUCC_FIND_INDEX(first + core_number)                                                                              \
    char *const place = GPUCC_PLACE(op##k.outer) + offset;
#define GPUCC_EACH_ELEMENT(k, type, work)                                                                              \
    {                                                                                                                  \
        const unsigned cores = varies##k ? here : 1, by = threads % elements##k, cores_by = threads / elements##k;     \
        unsigned core_number = thread / elements##k, element = thread % elements##k;                                   \
        _Pragma("unroll 4") for (unsigned at = thread; at < cores * elements##k; at += threads)                        \
        {                                                                                                              \
            GPUCC_STAGED_PLACE(k, type)                                                                                \
            work;                                                                                                      \
            element += by;                                                                                             \
            core_number += cores_by;                                                                                   \
            if (element >= elements##k) {                                                                              \
                element -= elements##k;                                                                                \
                core_number++;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
#define GPUCC_STAGE_IN(k, type)                                                                                        \
    if (op##k.flags & GPUCC_STAGED_READS && elements##k)                                                               \
        GPUCC_EACH_ELEMENT(k, type, *(type *)staged = *(const type *)place)
#define GPUCC_STAGE_OUT(k, type)                                                                                       \
    if (elements##k)                                                                                                   \
        GPUCC_EACH_ELEMENT(k, type, *(type *)place = *(const type *)staged)
#define GPUCC_PLACE_STAGED(k, type) type *const p##k = (type *)(stage##k + (varies##k ? thread * each##k : 0));

void GPUCC_SYMBOL(_staged)(const struct gpucc_iteration it,
                           const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_STAGED))
{
    const unsigned thread = gpucc_threadIdx.x, threads = gpucc_blockDim.x;
    const gpucc_u64 step = gpucc_gridsize_1(), count = it.count;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    char *next = gpucc_dynamic_shared_at(0);
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    GPUCC_STAGES(GPUCC_STAGE)
    _Pragma("nounroll") for (gpucc_u64 first = (gpucc_u64)gpucc_blockIdx.x * threads; first < count; first += step)
    {
        const gpucc_u64 index = first + thread;
        const unsigned here = count - first < threads ? (unsigned)(count - first) : threads;
        GPUCC_STAGES(GPUCC_STAGE_IN)
        gpucc_syncthreads();
        if (thread < here) {
            GPUCC_FIND_INDEX(index)
            GPUCC_STAGES(GPUCC_PLACE_STAGED)
            GPUCC_SINGLES(GPUCC_PLACE_ARRAY)
            GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
            GPUCC_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
        }
        gpucc_syncthreads();
        GPUCC_STAGED_OUTPUTS(GPUCC_STAGE_OUT)
        gpucc_syncthreads();
    }
}

#undef GPUCC_PARAMETER_STAGED
#undef GPUCC_STAGE
#undef GPUCC_STAGED_PLACE
#undef GPUCC_EACH_ELEMENT
#undef GPUCC_STAGE_IN
#undef GPUCC_STAGE_OUT
#undef GPUCC_PLACE_STAGED
#endif

#undef GPUCC_PARAMETER_OPERAND
#undef GPUCC_PLACE
#undef GPUCC_FIND_INDEX
#undef GPUCC_PLACE_ARRAY
#undef GPUCC_READ_NUMBER
#undef GPUCC_PLACE_NUMBER
#undef GPUCC_PASS
