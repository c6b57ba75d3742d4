/* Reductions on the GPU of columns that lie together (see <gpucc/loops.h>), in the fixed tree: S_packed_columns.  A
 * thread has GPUCC_LEAF neighbouring outputs, and reads as many elements of each row by one access.  What S_across can
 * do besides is left out: so it takes fewer registers, and more rows are on their way.  reduce.h defines what this
 * needs. */
#define GPUCC_EACH_COLUMN _Pragma("unroll") for (unsigned e = 0; e < GPUCC_LEAF; e++)
#define GPUCC_JOIN_COLUMNS(to, a, b)                                                                                   \
    {                                                                                                                  \
        GPUCC_EACH_COLUMN(to)[e] = GPUCC_SYMBOL(_combine)((a)[e], (b)[e]);                                             \
    }
#define GPUCC_LOAD_COLUMNS                                                                                             \
    _Pragma("unroll") for (int k = 0; k < GROUP; k++)                                                                  \
    {                                                                                                                  \
        const GPUCC_TYPE *const from_ = (const GPUCC_TYPE *)row;                                                       \
        if (k < rest) {                                                                                                \
            GPUCC_COPY_LEAF(x[k], from_)                                                                               \
        }                                                                                                              \
        row += step;                                                                                                   \
    }
/* x[0] becomes what the group's rows make. */
#define GPUCC_JOIN_GROUP_OF_COLUMNS                                                                                    \
    _Pragma("unroll") for (int s = 1; s < GROUP; s *= 2) _Pragma("unroll") for (int k = 0; k < GROUP; k += 2 * s)      \
    {                                                                                                                  \
        if (k + s < rest)                                                                                              \
            GPUCC_JOIN_COLUMNS(x[k], x[k], x[k + s])                                                                   \
    }
/* The stack's top holds earlier elements than `sum`. */
#define GPUCC_POP_COLUMNS                                                                                              \
    {                                                                                                                  \
        top -= level;                                                                                                  \
        GPUCC_COPY_LEAF(other, top)                                                                                    \
        GPUCC_JOIN_COLUMNS(sum, other, sum)                                                                            \
    }
/* Combines the partial results of a team's members in the first one. */
#define GPUCC_JOIN_TEAM_OF_COLUMNS                                                                                     \
    _Pragma("nounroll") for (unsigned s = 1; s < it.team; s *= 2)                                                      \
    {                                                                                                                  \
        const GPUCC_TYPE *const next_ = stack + (s << it.lane_bits) * GPUCC_LEAF;                                      \
        if ((member & (2 * s - 1)) == s) {                                                                             \
            GPUCC_COPY_LEAF(stack, sum)                                                                                \
        }                                                                                                              \
        gpucc_syncthreads();                                                                                           \
        if (!(member & (2 * s - 1)) && member + s < present) {                                                         \
            GPUCC_COPY_LEAF(other, next_)                                                                              \
            GPUCC_JOIN_COLUMNS(sum, sum, other)                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    if (it.team > 1) /* what is read here is written again for the next item */                                        \
        gpucc_syncthreads();

void GPUCC_SYMBOL(_packed_columns)(const struct gpucc_reduction it)
{
    enum { GROUP = GPUCC_COLUMNS_ROWS };
    GPUCC_FIND_UNIT
    const gpucc_u64 chunks = (it.outputs / GPUCC_LEAF + lanes - 1) >> it.lane_bits;
    const int64_t step = it.reduced_in[0];
    GPUCC_TYPE *const stack = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0) + gpucc_threadIdx.x * GPUCC_LEAF;
    const unsigned level = gpucc_blockDim.x * GPUCC_LEAF; /* threads have one level's elements together */
    GPUCC_EACH_ITEM
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / chunks;
        const gpucc_u64 output = (((item - run * chunks) << it.lane_bits) + lane) * GPUCC_LEAF;
        const _Bool exists = item < it.items && output < it.outputs;
        gpucc_u64 begin = run * it.run;
        const gpucc_u64 count = it.length - begin < it.run ? it.length - begin : it.run;
        _Alignas(16) GPUCC_TYPE sum[GPUCC_LEAF] = {0}, other[GPUCC_LEAF];
        GPUCC_TYPE *top = stack;
        GPUCC_PLACE_OUTPUT(output)
        GPUCC_TAKE_SHARE
        const char *row = in + (int64_t)begin * step;
        left = exists ? left : 0;
        _Pragma("nounroll") for (unsigned first = 0; first < left; first += GROUP)
        {
            _Alignas(16) GPUCC_TYPE x[GROUP][GPUCC_LEAF];
            const int rest = (int)(left - first);
            GPUCC_LOAD_COLUMNS
            GPUCC_JOIN_GROUP_OF_COLUMNS
            GPUCC_EACH_COLUMN sum[e] = x[0][e];
            if (left > GROUP) {
                _Pragma("nounroll") for (unsigned c = first / GROUP + 1; !(c & 1); c >>= 1) GPUCC_POP_COLUMNS
                GPUCC_COPY_LEAF(top, sum)
                top += level;
            }
        }
        top -= top == stack ? 0 : level; /* that is the sum */
        _Pragma("nounroll") while (top != stack) GPUCC_POP_COLUMNS
        GPUCC_JOIN_TEAM_OF_COLUMNS
        if (exists && member == 0) {
            char *const to = out + (int64_t)run * it.run_out;
            GPUCC_TYPE *const results = (GPUCC_TYPE *)to;
            if (it.adjacent) {
                GPUCC_COPY_LEAF(results, sum)
            } else {
                GPUCC_EACH_COLUMN *(GPUCC_TYPE *)(to + e * it.kept_out[it.kept_dims - 1]) = sum[e];
            }
        }
    }
}

#undef GPUCC_EACH_COLUMN
#undef GPUCC_JOIN_COLUMNS
#undef GPUCC_LOAD_COLUMNS
#undef GPUCC_JOIN_GROUP_OF_COLUMNS
#undef GPUCC_POP_COLUMNS
#undef GPUCC_JOIN_TEAM_OF_COLUMNS
