/* S_scan_packed (see <gpucc/loops.h>): accumulations of elements that lie together, in one pass over memory.  scan.h
 * has the scheme, and defines what this needs.
 *
 * A block takes the next run of an output by a ticket, so that those before it are done or under way, publishes its
 * total, and makes the result before it of what they have published: of 32 complete totals of a level the block with
 * the last one publishes that of the next level.  Meanwhile its elements wait in shared memory.  (Decoupled look-back,
 * by D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016, but in a fixed tree.)
 *
 * A row is what the lanes of a warp have at a time, a few neighbours each; a warp has some rows, one behind the other.
 */

#define GPUCC_SCAN_WORDS ((sizeof(GPUCC_TYPE) + 3) / 4)
/* Each published word says that it is valid, and never changes: no fence is needed, and no order of stores. */
#define GPUCC_SCAN_IS_THERE ((gpucc_u64)1 << 32)

static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_publish)(volatile gpucc_u64 *to, GPUCC_TYPE value)
{
    uint32_t words[GPUCC_SCAN_WORDS] = {0};
    __builtin_memcpy(words, &value, sizeof value);
    _Pragma("unroll") for (unsigned k = 0; k < GPUCC_SCAN_WORDS; k++) to[k] = GPUCC_SCAN_IS_THERE | words[k];
}

/* Waits for it; all words are read before the first one is looked at. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_published)(const volatile gpucc_u64 *from)
{
    uint32_t words[GPUCC_SCAN_WORDS];
    GPUCC_TYPE value;
    gpucc_u64 all;
    do {
        all = GPUCC_SCAN_IS_THERE;
        _Pragma("unroll") for (unsigned k = 0; k < GPUCC_SCAN_WORDS; k++)
        {
            const gpucc_u64 word = from[k];
            all &= word;
            words[k] = (uint32_t)word;
        }
    } while (!all);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
}

/* The place where total number `place` of a level is published. */
#define GPUCC_SCAN_PUBLISHED(level, place)                                                                             \
    ((volatile gpucc_u64 *)((uintptr_t)it.totals[level] + output * (gpucc_u64)it.totals_output[level] +                \
                            (place) * (gpucc_u64)it.totals_run[level]))
/* How many totals of a level make no complete one of the next level, if there is one, where there are so many runs. */
#define GPUCC_SCAN_DIGIT(runs, level)                                                                                  \
    ((runs) >> GPUCC_SCAN_BITS * (level) & ((level) + 1 < it.levels ? 31u : ~0u))

/* A lane's elements of a row, from or to memory, of which `left` from its first one on exist. */
#define GPUCC_SCAN_MOVE(to, from, left)                                                                                \
    if ((left) >= EACH) {                                                                                              \
        GPUCC_SCAN_COPY((to), (from))                                                                                  \
    } else {                                                                                                           \
        _Pragma("unroll") for (int j = 0; j < EACH; j++)                                                               \
        {                                                                                                              \
            if (j < (left))                                                                                            \
                (to)[j] = (from)[j];                                                                                   \
        }                                                                                                              \
    }
/* The same to and from shared memory, where the lanes' first leaves lie together, and then the others. */
#define GPUCC_SCAN_PUT(row, x)                                                                                         \
    _Pragma("unroll") for (unsigned leaf = 0; leaf < EACH; leaf += GPUCC_LEAF)                                         \
    {                                                                                                                  \
        GPUCC_COPY_LEAF(row + leaf * 32, x + leaf)                                                                     \
    }
#define GPUCC_SCAN_GET(x, row)                                                                                         \
    _Pragma("unroll") for (unsigned leaf = 0; leaf < EACH; leaf += GPUCC_LEAF)                                         \
    {                                                                                                                  \
        GPUCC_COPY_LEAF(x + leaf, row + leaf * 32)                                                                     \
    }

/* All that a block reads is on its way to the second cache before its threads have registers for it.  On an H100 that
 * is worth 4 % (2026-11-26), by which sums of float64 come from 0.79 to 0.82 of a copy. */
#if defined(__NVPTX__)
#define GPUCC_SCAN_PREFETCH                                                                                            \
    {                                                                                                                  \
        enum { LINE = 128 };                                                                                           \
        const gpucc_u64 bytes_ = count * sizeof(GPUCC_TYPE);                                                           \
        const char *const line_ = (const char *)((const GPUCC_TYPE *)in + begin);                                      \
        _Pragma("nounroll") for (unsigned b = thread * LINE; b < bytes_; b += gpucc_blockDim.x * LINE)                 \
            __asm__ volatile("prefetch.global.L2 [%0];" ::"l"(line_ + b));                                             \
    }
#else
#define GPUCC_SCAN_PREFETCH
#endif

/* In one function, for which 32 registers are enough; made of several it took 46, and float64 sums 4 % longer.
 * Phases as inline functions number the registers of the PTX otherwise; staging alone keeps it, not the IR's names. */
void GPUCC_SYMBOL(_scan_packed)(const struct gpucc_reduction it)
{
    enum { EACH = GPUCC_SCAN_LEAVES * GPUCC_LEAF, ROW = 32 * EACH, AT_ONCE = 2 };
    const unsigned thread = gpucc_threadIdx.x, lane = GPUCC_LANE, warp = thread / 32, warps = gpucc_blockDim.x / 32;
    const unsigned rows = (unsigned)it.run / (warps * ROW), first = warp * rows * ROW + lane * EACH;
    /* Shared: what each warp's rows make, then the result before each warp, and behind the last one; and totals of each
     * level; and the elements, which each lane leaves to itself. */
    GPUCC_TYPE *const ends = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0), *const parts = ends + GPUCC_SCAN_WARPS;
    gpucc_u64 *const ticket = (gpucc_u64 *)(parts + 32 * GPUCC_SCAN_LEVELS);
    GPUCC_TYPE *const kept_rows = (GPUCC_TYPE *)(ticket + 2) + warp * rows * ROW + lane * GPUCC_LEAF;
    _Pragma("nounroll") for (gpucc_u64 turn = gpucc_blockIdx.x; turn < it.items; turn += gpucc_gridDim.x)
    {
        if (thread == 0)
            *ticket = __atomic_fetch_add(it.ticket, 1, __ATOMIC_RELAXED);
        gpucc_syncthreads();
        const gpucc_u64 item = *ticket, output = it.outputs == 1 ? 0 : item / it.runs;
        const unsigned run = (unsigned)(item - output * it.runs);
        const gpucc_u64 begin = run * it.run, count = it.length - begin < it.run ? it.length - begin : it.run;
        GPUCC_PLACE_OUTPUT(output)
        GPUCC_SCAN_PREFETCH
        const GPUCC_TYPE *const from = (const GPUCC_TYPE *)in + begin + first;
        GPUCC_TYPE *const to = (GPUCC_TYPE *)out + begin + first;
        const int rest = (int)(count - first);

        /* upwards */
        _Pragma("nounroll") for (unsigned r = 0; r < rows; r += AT_ONCE)
        {
            GPUCC_TYPE x[AT_ONCE][EACH] = {0};
            _Pragma("unroll") for (unsigned k = 0; k < AT_ONCE; k++)
            {
                const int there = rest - (int)((r + k) * ROW);
                const GPUCC_TYPE *const row = from + (r + k) * ROW;
                GPUCC_SCAN_MOVE(x[k], row, there)
            }
            _Pragma("unroll") for (unsigned k = 0; k < AT_ONCE; k++)
            {
                GPUCC_TYPE *const row = kept_rows + (r + k) * ROW;
                GPUCC_SCAN_PUT(row, x[k])
            }
        }
        GPUCC_TYPE of_row = {0}; /* lane r has it of row r */
        _Pragma("nounroll") for (unsigned r = 0; r < rows; r++)
        {
            GPUCC_TYPE x[EACH], *const row = kept_rows + r * ROW;
            GPUCC_SCAN_GET(x, row)
            GPUCC_SCAN_UP(x, EACH)
            GPUCC_SCAN_LANES_UP(x[EACH - 1])
            GPUCC_SCAN_PUT(row, x)
            const GPUCC_TYPE total = GPUCC_SYMBOL(_from_lane)(x[EACH - 1], 31);
            of_row = lane == r ? total : of_row;
        }
        GPUCC_SCAN_LANES_UP(of_row)
        if (lane == rows - 1)
            ends[warp] = of_row;
        gpucc_syncthreads();

        /* A warp for each level waits for what has been published; a lane for each total. */
        GPUCC_TYPE of_warp = {0};
        if (warp < it.levels) {
            const unsigned place = run >> GPUCC_SCAN_BITS * warp, digit = GPUCC_SCAN_DIGIT(run, warp);
            GPUCC_TYPE part = {0};
            if (warp == 0) {
                if (lane < warps)
                    of_warp = ends[lane];
                GPUCC_SCAN_LANES_UP(of_warp)
                part = GPUCC_SYMBOL(_from_lane)(of_warp, warps - 1);
                if (lane == 0)
                    GPUCC_SYMBOL(_publish)(GPUCC_SCAN_PUBLISHED(0, run), part);
            }
            if (lane < digit)
                part = GPUCC_SYMBOL(_published)(GPUCC_SCAN_PUBLISHED(warp, place - digit + lane));
            GPUCC_SCAN_LANES_UP(part)
            if (warp == 0 && lane == 31 && digit == 31 && it.levels > 1)
                GPUCC_SYMBOL(_publish)(GPUCC_SCAN_PUBLISHED(1, run / 32), part);
            parts[warp * 32 + lane] = part;
        }
        gpucc_syncthreads();
        if (warp == 0) {
            /* The run may end a run of higher levels: its total is theirs. */
            unsigned digit = GPUCC_SCAN_DIGIT(run, 0);
            _Pragma("nounroll") for (unsigned level = 1; digit == 31 && level < it.levels; level++)
            {
                GPUCC_TYPE total = parts[level * 32 - 1];
                digit = GPUCC_SCAN_DIGIT(run, level);
                _Pragma("nounroll") for (unsigned bit = 1; digit & bit; bit *= 2) total =
                    GPUCC_SYMBOL(_combine)(parts[level * 32 + digit - bit], total);
                if (lane == 0)
                    parts[level * 32 + digit] = total;
                GPUCC_SYNC_WARP;
                const unsigned place = run >> GPUCC_SCAN_BITS * (level + 1);
                if (lane == 0 && digit == 31 && level + 1 < it.levels)
                    GPUCC_SYMBOL(_publish)(GPUCC_SCAN_PUBLISHED(level + 1, place), total);
            }
            /* Lane 0 makes the result before the run, lane 1 that at its end. */
            const unsigned runs = run + lane % 2;
            GPUCC_TYPE result = {0};
            _Bool has_result = 0;
            _Pragma("nounroll") for (unsigned level = it.levels; level-- > 0;)
            {
                digit = GPUCC_SCAN_DIGIT(runs, level);
                _Pragma("nounroll") for (unsigned bit = 32; bit > 0; bit /= 2) if (digit & bit)
                {
                    const GPUCC_TYPE right = parts[level * 32 + (digit & -bit) - 1];
                    result = has_result ? GPUCC_SYMBOL(_combine)(result, right) : right;
                    has_result = 1;
                }
            }
            const GPUCC_TYPE before = GPUCC_SYMBOL(_from_lane)(result, 0);
            const GPUCC_TYPE behind = GPUCC_SYMBOL(_from_lane)(result, 1);
            GPUCC_SCAN_LANES_DOWN(of_warp, before, run > 0)
            if (lane < warps)
                ends[lane + 1] = lane == warps - 1 ? behind : of_warp;
            if (lane == 0)
                ends[0] = before;
        }
        gpucc_syncthreads();

        /* downwards */
        GPUCC_TYPE before = ends[warp];
        const GPUCC_TYPE behind = ends[warp + 1];
        _Bool has_before = warp > 0 || run > 0;
        GPUCC_SCAN_LANES_DOWN(of_row, before, has_before)
        of_row = lane == rows - 1 ? behind : of_row;
        _Pragma("nounroll") for (unsigned r = 0; r < rows; r++)
        {
            GPUCC_TYPE x[EACH], *const row = kept_rows + r * ROW, *const target = to + r * ROW;
            GPUCC_SCAN_GET(x, row)
            GPUCC_TYPE of_lane = x[EACH - 1];
            GPUCC_SCAN_LANES_DOWN(of_lane, before, has_before)
            const GPUCC_TYPE result = GPUCC_SYMBOL(_from_lane)(of_row, r);
            of_lane = lane == 31 ? result : of_lane;
            GPUCC_TYPE before_lane = GPUCC_SYMBOL(_from_lane)(of_lane, (lane - 1) % 32);
            before_lane = lane == 0 ? before : before_lane;
            GPUCC_SCAN_DOWN(x, EACH, before_lane, lane > 0 || has_before)
            x[EACH - 1] = of_lane;
            const int there = rest - (int)(r * ROW);
            GPUCC_SCAN_MOVE(target, x, there)
            before = result;
            has_before = 1;
        }
    }
}

#undef GPUCC_SCAN_WORDS
#undef GPUCC_SCAN_IS_THERE
#undef GPUCC_SCAN_PUBLISHED
#undef GPUCC_SCAN_DIGIT
#undef GPUCC_SCAN_MOVE
#undef GPUCC_SCAN_PUT
#undef GPUCC_SCAN_GET
#undef GPUCC_SCAN_PREFETCH
