/* Reductions on the GPU of elements that lie together (see <gpucc/loops.h>), in the fixed tree: S_packed of long runs,
 * S_packed_rows of many rows.  reduce.h defines what these need. */

/* ---- runs: a block has one, whose groups its warps take in turn, so that what they read at a time lies together.
 * A group's result stays with the lane whose number is the turn's, and in the end all meet in shared memory ---- */

#define GPUCC_DECLARE_NEXT(k) GPUCC_TYPE n##k[GPUCC_LEAF] = {0};
#define GPUCC_LOAD_NEXT(k)                                                                                             \
    {                                                                                                                  \
        const GPUCC_TYPE *const from_ = here + k * 32 * GPUCC_LEAF;                                                    \
        GPUCC_COPY_LEAF(n##k, from_)                                                                                   \
    }
#define GPUCC_TAKE_NEXT(k)                                                                                             \
    enum { rest##k = GPUCC_LEAF };                                                                                     \
    GPUCC_TYPE x##k[GPUCC_LEAF];                                                                                       \
    __builtin_memcpy(x##k, n##k, sizeof x##k);
/* The elements behind the last whole group, which one warp combines in shared memory. */
#define GPUCC_JOIN_REST(result)                                                                                        \
    {                                                                                                                  \
        GPUCC_TYPE x_[GROUP / 32] = {0};                                                                               \
        GPUCC_TYPE *const part_ = cells + gpucc_blockDim.x;                                                            \
        _Pragma("unroll") for (unsigned j = 0; j < GROUP / 32; j++) if (32 * j + lane < rest) x_[j] =                  \
            elements[whole * GROUP + 32 * j + lane];                                                                   \
        _Pragma("unroll") for (unsigned j = 0; j < GROUP / 32; j++) part_[32 * j + lane] = x_[j];                      \
        _Pragma("nounroll") for (unsigned s = 1; s < rest; s *= 2)                                                     \
        {                                                                                                              \
            GPUCC_SYNC_WARP;                                                                                           \
            _Pragma("nounroll") for (unsigned i = 2 * s * lane; i + s < rest; i += 64 * s) part_[i] =                  \
                GPUCC_SYMBOL(_combine)(part_[i], part_[i + s]);                                                        \
        }                                                                                                              \
        GPUCC_SYNC_WARP;                                                                                               \
        result = part_[0];                                                                                             \
    }

void GPUCC_SYMBOL(_packed)(const struct gpucc_reduction it)
{
    enum { GROUP = 4 * 32 * GPUCC_LEAF };
    GPUCC_TYPE *const cells = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0);
    const unsigned thread = gpucc_threadIdx.x, warps = gpucc_blockDim.x / 32;
    const unsigned lane = thread % 32, warp_lane = lane, warp = thread / 32;
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_blockIdx.x; item < it.items; item += gpucc_gridDim.x)
    {
        const gpucc_u64 output = it.runs == 1 ? item : it.outputs == 1 ? 0 : item / it.runs;
        const gpucc_u64 run = item - output * it.runs;
        GPUCC_PLACE_RUN(run)
        GPUCC_PLACE_OUTPUT(output)
        const GPUCC_TYPE *const elements = (const GPUCC_TYPE *)in + begin;
        const GPUCC_TYPE *here = elements + warp * GROUP + lane * GPUCC_LEAF;
        const unsigned whole = (unsigned)count / GROUP, rest = (unsigned)count % GROUP, groups = whole + (rest > 0);
        GPUCC_TYPE sum = {0}, kept = {0};
        GPUCC_LEAVES(GPUCC_DECLARE_NEXT)
        if (warp < whole) {
            GPUCC_LEAVES(GPUCC_LOAD_NEXT)
        }
        /* While lanes combine what a group's elements make, the next one is on its way. */
        unsigned turn = 0, group = warp;
        _Pragma("nounroll") for (; group < whole; group += warps, turn++)
        {
            GPUCC_LEAVES(GPUCC_TAKE_NEXT)
            GPUCC_LEAVES(GPUCC_JOIN_LEAF)
            here += warps * GROUP;
            if (group + warps < whole) {
                GPUCC_LEAVES(GPUCC_LOAD_NEXT)
            }
            GPUCC_JOIN_GROUP(GROUP, GROUP, GROUP)
            GPUCC_JOIN_LANES("unroll", 32u, 64u, GROUP)
            const GPUCC_TYPE result = GPUCC_SYMBOL(_from_lane)(sum, 0);
            kept = lane == turn ? result : kept;
        }
        if (rest > 0 && group == whole) {
            GPUCC_JOIN_REST(sum)
            kept = lane == turn ? sum : kept;
        }
        cells[lane * warps + warp] = kept;
        gpucc_syncthreads();
        _Pragma("nounroll") for (unsigned left = groups;; left = (left + 31) / 32)
        {
            sum = cells[thread];
            _Pragma("nounroll") for (unsigned bit = 1; bit < 32; bit *= 2)
            {
                const GPUCC_TYPE other = GPUCC_SYMBOL(_of_lane)(sum, warp_lane, bit);
                if (thread + bit < left)
                    sum = GPUCC_SYMBOL(_combine)(sum, other);
            }
            gpucc_syncthreads();
            if (left <= 32)
                break;
            if (lane == 0)
                cells[warp] = sum;
            gpucc_syncthreads();
        }
        if (thread == 0)
            *(GPUCC_TYPE *)(out + (int64_t)place * it.run_out) = sum;
    }
}

/* ---- rows: a unit, a warp or a part of one, has a row, or a few rows that are short ---- */

/* Leaf k is number k / 2 of two by `by_two` bytes, and in it number k % 2 by `by_one`: along the row, or where the unit
 * has two rows, from the first to the second by the former, and where it has four by both. */
#define GPUCC_LEAF_PLACE(k) (here + ((k) % 2) * by_one + ((k) / 2) * by_two)
#define GPUCC_DECLARE_PART(k)                                                                                          \
    int rest##k = rest - ((k) % 2) * less_by_one - ((k) / 2) * less_by_two;                                            \
    GPUCC_TYPE x##k[GPUCC_LEAF] = {0};
#define GPUCC_LOAD_WHOLE(k)                                                                                            \
    if (rest##k > 0) {                                                                                                 \
        const GPUCC_TYPE *const from_ = (const GPUCC_TYPE *)GPUCC_LEAF_PLACE(k);                                       \
        GPUCC_COPY_LEAF(x##k, from_)                                                                                   \
    }
/* Elements behind the row's end are its last one, without a branch; they take no part. */
#define GPUCC_LOAD_PART(k)                                                                                             \
    _Pragma("unroll") for (int j = 0; j < GPUCC_LEAF; j++)                                                             \
    {                                                                                                                  \
        const int beyond_ = j < rest##k ? 0 : j + 1 - rest##k;                                                         \
        x##k[j] = *((const GPUCC_TYPE *)GPUCC_LEAF_PLACE(k) + (j - beyond_));                                          \
    }
#define GPUCC_JOIN_WHOLE(k) GPUCC_JOIN_ELEMENTS(x##k, GPUCC_LEAF)
#define GPUCC_JOIN_PART(k) GPUCC_JOIN_ELEMENTS(x##k, rest##k)
#define GPUCC_NAME_LEAF(k) const GPUCC_TYPE v##k = x##k[0];

void GPUCC_SYMBOL(_packed_rows)(const struct gpucc_reduction it)
{
    const unsigned warp_lane = gpucc_threadIdx.x % 32, lanes = 1u << it.lane_bits;
    const unsigned lane = gpucc_threadIdx.x & (lanes - 1), units = gpucc_blockDim.x >> it.lane_bits;
    const int stripe = GPUCC_LEAF << it.lane_bits, length = (int)it.length;
    const int less_by_one = it.team < 4 ? stripe : 0, less_by_two = it.team == 1 ? 2 * stripe : 0;
    const int row_step = (int)it.kept_in[0];
    const int by_one = it.team < 4 ? stripe * (int)sizeof(GPUCC_TYPE) : row_step;
    const int by_two = it.team == 2 ? row_step : 2 * by_one;
    /* from the lane's first element to that of the pair, or of the four, which it goes on with */
    const int to_pair = lane & 1 ? GPUCC_LEAF - less_by_two : 0;
    const int to_four = to_pair + (lane & 2 ? 2 * GPUCC_LEAF - less_by_one : 0);
    const unsigned most = 2 * lanes >> it.team / 2; /* divided by the rows */
    const gpucc_u64 step = (gpucc_u64)gpucc_gridDim.x * units * it.team, last = it.outputs - it.team;
    gpucc_u64 next = ((gpucc_u64)gpucc_blockIdx.x * units + (gpucc_threadIdx.x >> it.lane_bits)) * it.team;
    /* Lanes of a warp take all steps together; units for which there is nothing left do the last rows again. */
    _Pragma("nounroll") for (; next - (warp_lane >> it.lane_bits) * it.team < it.outputs; next += step)
    {
        const gpucc_u64 output = next < last ? next : last;
        GPUCC_PLACE_OUTPUT(output)
        const char *here = in + lane * GPUCC_LEAF * sizeof(GPUCC_TYPE);
        GPUCC_TYPE sum = {0}, kept = {0};
        int rest = length - (int)(lane * GPUCC_LEAF);
        unsigned turn = 0;
        _Pragma("nounroll") for (int first = 0; !turn || first < length; first += 4 * stripe, turn++)
        {
            GPUCC_LEAVES(GPUCC_DECLARE_PART)
            if (it.adjacent) {
                GPUCC_LEAVES(GPUCC_LOAD_WHOLE)
                GPUCC_LEAVES(GPUCC_JOIN_WHOLE)
            } else if (sizeof(GPUCC_TYPE) >= 4) {
                GPUCC_LEAVES(GPUCC_LOAD_PART)
                GPUCC_LEAVES(GPUCC_FORGET_REST)
                GPUCC_LEAVES(GPUCC_JOIN_PART)
            }
            GPUCC_LEAVES(GPUCC_NAME_LEAF)
            GPUCC_JOIN_GROUP(rest + to_pair, rest + to_pair - less_by_one, rest + to_four)
            GPUCC_JOIN_LANES("nounroll", lanes, most, rest + to_four)
            if (length > 4 * stripe) {
                const GPUCC_TYPE result = GPUCC_SYMBOL(_from_lane)(sum, 0);
                kept = lane == turn ? result : kept;
            }
            here += 2 * by_two;
            rest -= 4 * stripe;
        }
        if (turn > 1) {
            sum = kept;
            _Pragma("nounroll") for (unsigned bit = 1; bit < turn; bit *= 2)
            {
                const GPUCC_TYPE other = GPUCC_SYMBOL(_of_lane)(sum, warp_lane, bit);
                if (lane + bit < turn)
                    sum = GPUCC_SYMBOL(_combine)(sum, other);
            }
        }
        /* JOIN_GROUP has left leaf 2 to the second lane, leaf 1 to the third. */
        const unsigned row = it.team == 4 ? lane % 2 * 2 + lane / 2 : lane;
        if (lane < it.team)
            *(GPUCC_TYPE *)(out + row * it.kept_out[0]) = sum;
    }
}

#undef GPUCC_LEAF_PLACE
#undef GPUCC_DECLARE_PART
#undef GPUCC_LOAD_WHOLE
#undef GPUCC_LOAD_PART
#undef GPUCC_JOIN_WHOLE
#undef GPUCC_JOIN_PART
#undef GPUCC_NAME_LEAF
#undef GPUCC_DECLARE_NEXT
#undef GPUCC_LOAD_NEXT
#undef GPUCC_TAKE_NEXT
#undef GPUCC_JOIN_REST
