/* Reductions on the GPU of long runs that lie together (see <gpucc/loops.h>): S_packed, in the fixed tree.  A block has
 * a run, whose groups its warps take in turn, so that what they read at a time lies together.  A group's result stays
 * with the lane whose number is the turn's, and in the end all of them meet in shared memory.  reduce.h defines what
 * this needs. */

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
            GPUCC_JOIN_LANES("unroll", 32u, GROUP)
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

#undef GPUCC_DECLARE_NEXT
#undef GPUCC_LOAD_NEXT
#undef GPUCC_TAKE_NEXT
#undef GPUCC_JOIN_REST
