/* The loop of a gufunc on the GPU (see <gpucc/loops.h>): a thread for each outer index, or a block.  loops.c defines:
 *   GPUCC_LOOP          the loop's symbol
 *   GPUCC_BY_BLOCK      1 where it is a block
 *   GPUCC_HAS_STAGES    1 where there is S_staged too
 *   GPUCC_HAS_TEAM      1 where there are S_team too, whose function is GPUCC_TEAM_CALLEE, and S_together, whose one
 *                       is GPUCC_TOGETHER_CALLEE
 *   GPUCC_HAS_TILES     1 where there is S_tiles too, whose function is GPUCC_TILE_CALLEE
 *   GPUCC_HAS_WARPGROUPS  1 where there is S_warpgroups too, whose function is GPUCC_WARPGROUP_CALLEE
 *   GPUCC_CALLEE        the function, of the extents and of a pointer to each operand's core
 *   GPUCC_ARRAYS(X)     X(index, C type) for each operand but …
 *   GPUCC_NUMBERS(X)    … inputs without core dimensions, which may be values
 *   GPUCC_IN_ORDER(X)   X(index) for all of them
 */
#define GPUCC_PARAMETER_OPERAND(k) , const struct gpucc_operand op##k
#define GPUCC_PLACE(op)                                                                                                \
    ((op).data + ((int64_t)i0 * (op).strides[0] + (int64_t)i1 * (op).strides[1]) +                                     \
     ((int64_t)i2 * (op).strides[2] + (int64_t)i3 * (op).strides[3]))
/* The same, for what each thread does once: in a row, which is the most common, there is no more to be multiplied. */
#define GPUCC_PLACE_CORE(op)                                                                                           \
    (is_row ? (op).data + (int64_t)i3 * (op).strides[3] : GPUCC_PLACE(op))
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
#define GPUCC_PLACE_ARRAY(k, type) type *const p##k = (type *)GPUCC_PLACE_CORE(op##k);
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
        number_##k = *(const type *)GPUCC_PLACE_CORE(op##k);                                                           \
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

#if GPUCC_HAS_TILES

/* The same by blocks that share each call: blockIdx.y numbers the tiles of the output. */
void GPUCC_SYMBOL(_tiles)(const struct gpucc_iteration it,
                          const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND))
{
    const gpucc_u64 count = it.count;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    _Pragma("nounroll") for (gpucc_u64 index = gpucc_blockIdx.x; index < count; index += gpucc_gridDim.x)
    {
        GPUCC_FIND_INDEX(index)
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
        GPUCC_TILE_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

#endif
#if GPUCC_HAS_WARPGROUPS && GPUCC_HAS_WGMMA

/* The pairs of tiles of all outer indices, one after the other. */
#define GPUCC_EACH_PAIR()                                                                                             \
    _Pragma("nounroll") for (gpucc_u64 pair = gpucc_blockIdx.x / 2; pair < pairs; pair += gpucc_gridDim.x / 2)         \
    {                                                                                                                  \
        work.index = (unsigned)(pair / each);                                                                          \
        work.pair = (unsigned)(pair - (gpucc_u64)work.index * each);                                                   \
        GPUCC_FIND_INDEX(work.index)                                                                                   \
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)                                                                                \
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)                                                                              \
        GPUCC_WARPGROUP_CALLEE(&work, core.extents GPUCC_IN_ORDER(GPUCC_PASS));                                        \
    }

/* The same by clusters of two blocks, whose first warpgroup loads, by one thread, what the other two multiply. */
void GPUCC_SYMBOL(_warpgroups)(const struct gpucc_iteration it,
                               const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND),
                               const gpucc_tensor_map left, const gpucc_tensor_map right,
                               const struct gpucc_tiling tiling)
{
    gpucc_shared gpucc_mbarrier barriers[2 * GPUCC_PRODUCT_STAGES];
    struct gpucc_product_work work = gpucc_product_begin(&left, &right, tiling, barriers);
    const unsigned each = tiling.row_pairs * tiling.columns;
    const gpucc_u64 pairs = it.count * each;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    if (work.warpgroup == 0) {
        gpucc_wgmma_registers_less(40);
        if (gpucc_threadIdx.x == 0)
            GPUCC_EACH_PAIR()
    } else {
        gpucc_wgmma_registers_more(232);
        GPUCC_EACH_PAIR()
    }
    gpucc_cluster_arrive(); /* no block ends while the other one copies to its memory */
    gpucc_cluster_wait();
}

#undef GPUCC_EACH_PAIR
#endif
#if GPUCC_HAS_TEAM

/* The same by a team of threads for each outer index: a row of the block, in blocks of one row or of several warps. */
void GPUCC_SYMBOL(_team)(const struct gpucc_iteration it,
                         const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND))
{
    const gpucc_u64 rows = gpucc_blockDim.y, first = gpucc_blockIdx.x * rows + gpucc_threadIdx.y;
    const gpucc_u64 step = gpucc_gridDim.x * rows, count = it.count;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    _Pragma("nounroll") for (gpucc_u64 index = first; index < count; index += step)
    {
        GPUCC_FIND_INDEX(index)
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
        GPUCC_TEAM_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

/* The same by several blocks of one row. */
void GPUCC_SYMBOL(_together)(const struct gpucc_iteration it,
                             const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_OPERAND),
                             const struct gpucc_together together)
{
    const unsigned blocks = (unsigned)together.blocks;
    const gpucc_u64 first = gpucc_blockIdx.x / blocks, step = gpucc_gridDim.x / blocks, count = it.count;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    gpucc_team_begin(together);
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    _Pragma("nounroll") for (gpucc_u64 index = first; index < count; index += step)
    {
        GPUCC_FIND_INDEX(index)
        GPUCC_ARRAYS(GPUCC_PLACE_ARRAY)
        GPUCC_NUMBERS(GPUCC_PLACE_NUMBER)
        GPUCC_TOGETHER_CALLEE(core.extents GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

#endif
#if GPUCC_HAS_STAGES

/* The same through shared memory, so that neighbouring threads load neighbouring elements, of as many cores a block as
 * it.reserved says.  loops.c defines:
 *   GPUCC_STAGES(X)       X(index, C type) for each operand with core dimensions …
 *   GPUCC_SINGLES(X)      … and for each output without
 *   GPUCC_CORE_COUNT_k    the elements of operand k's core
 *   GPUCC_CORE_OFFSET_k   adds to `offset` what element `e` of it lies behind the first, and changes `e`
 *   GPUCC_RECORD_k        the type of its parameter, struct gpucc_staged or gpucc_operand
 */
#ifndef GPUCC_EACH_PIECE

/* Goes through the elements of cores, `width` at a time: `number` is the core, `element` its element. */
#define GPUCC_FIRST_ELEMENT(width, elements)                                                                           \
    const unsigned step_by = gpucc_blockDim.x * (width);                                                               \
    const unsigned by = step_by % (elements), cores_by = step_by / (elements);                                         \
    const unsigned from = gpucc_threadIdx.x * (width);                                                                 \
    unsigned number = from / (elements), element = from % (elements);
#define GPUCC_NEXT_ELEMENT(elements)                                                                                   \
    element += by;                                                                                                     \
    number += cores_by;                                                                                                \
    if (element >= (elements)) {                                                                                       \
        element -= (elements);                                                                                         \
        number++;                                                                                                      \
    }
#define GPUCC_EACH_PIECE(width, elements, total, work)                                                                 \
    {                                                                                                                  \
        GPUCC_FIRST_ELEMENT(width, elements)                                                                           \
        _Pragma("nounroll") for (unsigned at = from; at < (total); at += step_by)                                      \
        {                                                                                                              \
            work;                                                                                                      \
            GPUCC_NEXT_ELEMENT(elements)                                                                               \
        }                                                                                                              \
    }
/* The same where they are loaded, so many at once, as each is waited for: first `load` is done for each of them, then
 * `store`, of value[r]. */
#define GPUCC_AT_ONCE 4
#define GPUCC_EACH_LOADED(type, width, elements, total, load, store)                                                   \
    {                                                                                                                  \
        type value[GPUCC_AT_ONCE];                                                                                     \
        GPUCC_FIRST_ELEMENT(width, elements)                                                                           \
        _Pragma("nounroll") for (unsigned at = from; at < (total); at += GPUCC_AT_ONCE * step_by)                      \
        {                                                                                                              \
            const unsigned left = (total) - at, number_ = number, element_ = element;                                  \
            _Pragma("unroll") for (unsigned r = 0; r < GPUCC_AT_ONCE; r++)                                             \
            {                                                                                                          \
                if (r * step_by < left) {                                                                              \
                    load;                                                                                              \
                }                                                                                                      \
                GPUCC_NEXT_ELEMENT(elements)                                                                           \
            }                                                                                                          \
            number = number_;                                                                                          \
            element = element_;                                                                                        \
            _Pragma("unroll") for (unsigned r = 0; r < GPUCC_AT_ONCE; r++)                                             \
            {                                                                                                          \
                if (r * step_by < left) {                                                                              \
                    store;                                                                                             \
                }                                                                                                      \
                GPUCC_NEXT_ELEMENT(elements)                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }
/* Between cores that follow one another, from `data` on, and shared memory, where they are `each` bytes apart: by 16
 * bytes, where as many lie in one core. */
#define GPUCC_MOVER(bytes)                                                                                             \
    static __attribute__((noinline)) void gpucc_move_##bytes(unsigned stage, char *data, unsigned elements,            \
                                                             unsigned each, unsigned total, _Bool out)                 \
    {                                                                                                                  \
        enum { width = 16 / bytes };                                                                                   \
        typedef gpucc_chunk##bytes type;                                                                               \
        char *const shared_memory = gpucc_dynamic_shared_at(0) + stage;                                                \
        type *const start = (type *)data;                                                                              \
        const _Bool by_many = elements % width == 0 && ((uintptr_t)data & 15) == 0;                                    \
        if (by_many && out)                                                                                            \
            GPUCC_EACH_PIECE(width, elements, total, GPUCC_MANY_OUT)                                                   \
        else if (by_many)                                                                                              \
            GPUCC_EACH_LOADED(gpucc_chunk16, width, elements, total, GPUCC_LOAD_MANY, GPUCC_STAGE_MANY)                \
        else if (out)                                                                                                  \
            GPUCC_EACH_PIECE(1, elements, total, start[at] = *GPUCC_STAGED_ELEMENT)                                    \
        else                                                                                                           \
            GPUCC_EACH_LOADED(type, 1, elements, total, value[r] = start[at + r * step_by],                            \
                              *GPUCC_STAGED_ELEMENT = value[r])                                                        \
    }
#define GPUCC_STAGED_ELEMENT ((type *)(shared_memory + number * each) + element)
#define GPUCC_LOAD_MANY value[r] = *(const gpucc_chunk16 *)(start + (at + r * step_by))
#define GPUCC_STAGE_MANY                                                                                               \
    type many[width] __attribute__((aligned(16)));                                                                     \
    type *const staged = GPUCC_STAGED_ELEMENT;                                                                         \
    *(gpucc_chunk16 *)many = value[r];                                                                                 \
    _Pragma("unroll") for (unsigned i = 0; i < width; i++) staged[i] = many[i]
#define GPUCC_MANY_OUT                                                                                                 \
    type many[width] __attribute__((aligned(16)));                                                                     \
    const type *const staged = GPUCC_STAGED_ELEMENT;                                                                   \
    _Pragma("unroll") for (unsigned i = 0; i < width; i++) many[i] = staged[i];                                        \
    *(gpucc_chunk16 *)(start + at) = *(const gpucc_chunk16 *)many
GPUCC_MOVER(1)
GPUCC_MOVER(2)
GPUCC_MOVER(4)
GPUCC_MOVER(8) /* two of them are a complex128, which need not begin at 16 bytes */

#endif

#define GPUCC_PARAMETER_STAGED(k) , const GPUCC_RECORD_##k op##k
#define GPUCC_STAGE(k, type)                                                                                           \
    const unsigned elements##k = GPUCC_CORE_COUNT_##k;                                                                 \
    const _Bool varies##k = op##k.flags & GPUCC_STAGED_VARIES;                                                         \
    const _Bool adjacent##k =                                                                                          \
        is_row && op##k.flags & GPUCC_STAGED_PACKED &&                                                                 \
        (!varies##k || op##k.outer.strides[3] == (int64_t)(elements##k * (gpucc_u64)sizeof(type)));                    \
    const unsigned each##k = gpucc_staged_step(elements##k, sizeof(type)), stage##k = next;                            \
    next += ((varies##k ? cores : 1) * each##k + 15) & ~15u;
#define GPUCC_FIND_PLACE(k, type)                                                                                      \
    unsigned e = element;                                                                                              \
    int64_t offset = 0;                                                                                                \
    GPUCC_CORE_OFFSET_##k                                                                                              \
    GPUCC_FIND_INDEX(first + number)                                                                                   \
    type *const place = (type *)(GPUCC_PLACE(op##k.outer) + offset)
#define GPUCC_STAGED_CELL(k, type)                                                                                     \
    *((type *)(gpucc_dynamic_shared_at(0) + stage##k + number * each##k) + element)
#define GPUCC_MOVE(k, type, out, each_one)                                                                             \
    {                                                                                                                  \
        const unsigned total = (varies##k ? here : 1) * elements##k, units##k = sizeof(type) / GPUCC_BYTES_##k;        \
        if (adjacent##k && elements##k)                                                                                \
            GPUCC_JOIN3(gpucc_move_, GPUCC_BYTES_##k)(stage##k,                                                        \
                op##k.outer.data + (varies##k ? (int64_t)first * op##k.outer.strides[3] : 0),                          \
                elements##k * units##k, each##k, total * units##k, out);                                               \
        else if (elements##k)                                                                                          \
            each_one                                                                                                   \
    }
#define GPUCC_LOAD_PLACE(k, type)                                                                                      \
    GPUCC_FIND_PLACE(k, type);                                                                                         \
    value[r] = *place
#define GPUCC_STAGE_IN(k, type)                                                                                        \
    if (op##k.flags & GPUCC_STAGED_READS)                                                                              \
        GPUCC_MOVE(k, type, 0,                                                                                         \
                   GPUCC_EACH_LOADED(type, 1, elements##k, total, GPUCC_LOAD_PLACE(k, type),                           \
                                     GPUCC_STAGED_CELL(k, type) = value[r]))
#define GPUCC_STAGE_OUT(k, type)                                                                                       \
    GPUCC_MOVE(k, type, 1, GPUCC_EACH_PIECE(1, elements##k, total, GPUCC_FIND_PLACE(k, type);                          \
                                      *place = GPUCC_STAGED_CELL(k, type)))
#define GPUCC_PLACE_STAGED(k, type)                                                                                    \
    type *const p##k = (type *)(gpucc_dynamic_shared_at(0) + stage##k + (varies##k ? thread * each##k : 0));

void GPUCC_SYMBOL(_staged)(const struct gpucc_iteration it,
                           const struct gpucc_core core GPUCC_IN_ORDER(GPUCC_PARAMETER_STAGED))
{
    const unsigned thread = gpucc_threadIdx.x, cores = it.reserved;
    const gpucc_u64 step = (gpucc_u64)gpucc_gridDim.x * cores, count = it.count;
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    const _Bool is_row = it.ndim == 1;
    unsigned next = 0;
    GPUCC_NUMBERS(GPUCC_READ_NUMBER)
    GPUCC_STAGES(GPUCC_STAGE)
    _Pragma("nounroll") for (gpucc_u64 first = (gpucc_u64)gpucc_blockIdx.x * cores; first < count; first += step)
    {
        const unsigned here = count - first < cores ? (unsigned)(count - first) : cores;
        GPUCC_STAGES(GPUCC_STAGE_IN)
        gpucc_syncthreads();
        if (thread < here) {
            GPUCC_FIND_INDEX(first + thread)
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
#undef GPUCC_FIND_PLACE
#undef GPUCC_LOAD_PLACE
#undef GPUCC_STAGED_CELL
#undef GPUCC_MOVE
#undef GPUCC_STAGE_IN
#undef GPUCC_STAGE_OUT
#undef GPUCC_PLACE_STAGED
#endif

#undef GPUCC_PARAMETER_OPERAND
#undef GPUCC_PLACE
#undef GPUCC_PLACE_CORE
#undef GPUCC_FIND_INDEX
#undef GPUCC_PLACE_ARRAY
#undef GPUCC_READ_NUMBER
#undef GPUCC_PLACE_NUMBER
#undef GPUCC_PASS
