/* Accumulations on the GPU (see <gpucc/loops.h>): S_scan_along and S_scan_across in the fixed tree.  reduce.h includes
 * this, whose macros it uses, before it forgets them.
 *
 * Elements are counted from 1.  c = 2^a + 2^b + … + 2^z, a > b > … > z, are the lengths of aligned runs A, B, … Z,
 * whose totals are what the tree makes of them; result c combines these from the left, op(op(A, B), … Z).  So two
 * passes make all results, with two combinations an element.  Upwards, place c gets Z's total, of so many elements as
 * its lowest bit says: each half of 2 s elements leaves its total at its end, and the end of the second one combines
 * both.  Downwards, the longest Z first, the result before Z, which is there by then, is combined with that total.
 *
 * Groups are aligned, too, so that what holds for elements holds for them.  Where several warps or threads share an
 * output, each begins behind what reductions have made of the runs before its own. */

/* Upwards and downwards in a row of `count` places, the last of which belongs to what comes behind: `before` is the
 * result before all of them, where there is one. */
#define GPUCC_SCAN_UP(x, count)                                                                                        \
    _Pragma("unroll") for (unsigned s = 1; s < (count); s *= 2) _Pragma("unroll") for (unsigned j = 2 * s - 1;         \
                                                                                       j < (count); j += 2 * s)        \
        x[j] = GPUCC_SYMBOL(_combine)(x[j - s], x[j]);
#define GPUCC_SCAN_DOWN(x, count, before, has_before)                                                                  \
    _Pragma("unroll") for (unsigned s = (count) / 2; s > 0; s /= 2) _Pragma("unroll") for (unsigned j = s - 1;         \
                                                                                           j + 1 < (count);            \
                                                                                           j += 2 * s)                 \
    {                                                                                                                  \
        if (j >= s)                                                                                                    \
            x[j] = GPUCC_SYMBOL(_combine)(x[j - s], x[j]);                                                             \
        else if (has_before)                                                                                           \
            x[j] = GPUCC_SYMBOL(_combine)(before, x[j]);                                                               \
    }
#define GPUCC_SCAN_OUT(r) (*(GPUCC_TYPE *)(out + (int64_t)(r)*it.each_out))
/* The totals of a level before run number `r`, as many as make no complete run of the next level, if there is one. */
#define GPUCC_SCAN_FIND_TOTALS(level, r)                                                                               \
    const gpucc_u64 place = (r) >> GPUCC_SCAN_BITS * (level);                                                          \
    const unsigned digit = (level) + 1 < it.levels ? (unsigned)place % 32 : (unsigned)place;                           \
    const char *const totals = it.totals[level] + (int64_t)output * it.totals_output[level] +                          \
                               (int64_t)(place - digit) * it.totals_run[level];

/* The results at a run's ends, `first` before it where it has one before, and `last` for its last element: that may end
 * a longer run. */
#define GPUCC_SCAN_ENDS                                                                                                \
    GPUCC_TYPE first = {0}, last = {0};                                                                                \
    _Bool has_first = 0, has_any = 0;
#define GPUCC_SCAN_NEXT_END                                                                                            \
    first = last;                                                                                                      \
    has_first = has_any;                                                                                               \
    has_any = 0;
#define GPUCC_SCAN_ENDS_RUN(elements) (it.levels > 0 && (elements) == it.run)

/* ---- along: a warp for each output and run ---- */

#define GPUCC_SCAN_ALIGNED(place, stride)                                                                              \
    ((stride) == sizeof(GPUCC_TYPE) && ((uintptr_t)(place)&GPUCC_MASK(sizeof(GPUCC_TYPE) * GPUCC_LEAF)) == 0)
#define GPUCC_SCAN_COPY(to, from)                                                                                      \
    _Pragma("unroll") for (unsigned leaf = 0; leaf < EACH; leaf += GPUCC_LEAF)                                         \
    {                                                                                                                  \
        GPUCC_COPY_LEAF(to + leaf, from + leaf)                                                                        \
    }
#define GPUCC_SCAN_FETCH                                                                                               \
    if (loads && at + GROUP <= count) {                                                                                \
        const GPUCC_TYPE *const from = (const GPUCC_TYPE *)next_in;                                                    \
        GPUCC_SCAN_COPY(n, from)                                                                                       \
    } else {                                                                                                           \
        _Pragma("unroll") for (unsigned j = 0; j < EACH; j++) if (at + lane * EACH + j < count) n[j] =                 \
            *(const GPUCC_TYPE *)(next_in + j * it.reduced_in[0]);                                                     \
    }                                                                                                                  \
    next_in += GROUP * it.reduced_in[0];
/* Upwards through lanes; then the last has the total of all. */
#define GPUCC_SCAN_LANES_UP(total)                                                                                     \
    _Pragma("nounroll") for (unsigned s = 1; s < 32; s *= 2)                                                           \
    {                                                                                                                  \
        const GPUCC_TYPE left = GPUCC_SYMBOL(_from_lane)(total, (lane - s) % 32);                                      \
        if (((lane + 1) & (2 * s - 1)) == 0)                                                                           \
            total = GPUCC_SYMBOL(_combine)(left, total);                                                               \
    }
/* Downwards: a lane's total becomes the result at its end, but for the last one's. */
#define GPUCC_SCAN_LANES_DOWN(total, before, has_before)                                                               \
    _Pragma("nounroll") for (unsigned s = 16; s > 0; s /= 2)                                                           \
    {                                                                                                                  \
        GPUCC_TYPE left_ = GPUCC_SYMBOL(_from_lane)(total, (lane - s) % 32);                                           \
        left_ = lane + 1 == s ? before : left_;                                                                        \
        if (((lane + 1) & (2 * s - 1)) == s && (lane + 1 > s || (has_before)))                                         \
            total = GPUCC_SYMBOL(_combine)(left_, total);                                                              \
    }
/* A lane for each total of a level; what comes before them is combined with those of a digit's bits, the longest
 * first. */
#define GPUCC_SCAN_BEGIN_LEVEL(level, r)                                                                               \
    {                                                                                                                  \
        GPUCC_SCAN_FIND_TOTALS(level, r)                                                                               \
        GPUCC_TYPE total = {0};                                                                                        \
        if (lane < digit)                                                                                              \
            total = *(const GPUCC_TYPE *)(totals + (int64_t)lane * it.totals_run[level]);                              \
        GPUCC_SCAN_LANES_UP(total)                                                                                     \
        _Pragma("nounroll") for (unsigned bit = 32; bit > 0; bit /= 2)                                                 \
        {                                                                                                              \
            const GPUCC_TYPE right = GPUCC_SYMBOL(_from_lane)(total, (digit / bit * bit - 1) % 32);                    \
            if (digit & bit) {                                                                                         \
                last = has_any ? GPUCC_SYMBOL(_combine)(last, right) : right;                                          \
                has_any = 1;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Lane b keeps, of the groups whose number has bit b, the total, and the result at their end. */
void GPUCC_SYMBOL(_scan_along)(const struct gpucc_reduction it)
{
    enum { EACH = GPUCC_SCAN_LEAVES * GPUCC_LEAF, GROUP = 32 * EACH };
    const unsigned lane = GPUCC_LANE;
    const gpucc_u64 warps = gpucc_gridsize_1() / 32;
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1() / 32; item < it.items; item += warps)
    {
        const gpucc_u64 output = it.runs == 1 ? item : item / it.runs, run = item - output * it.runs;
        const gpucc_u64 begin = run * it.run;
        const unsigned count = (unsigned)(it.length - begin < it.run ? it.length - begin : it.run);
        GPUCC_PLACE_OUTPUT(output)
        GPUCC_SCAN_ENDS
        _Pragma("nounroll") for (unsigned end = 0; end < 2; end++)
        {
            GPUCC_SCAN_NEXT_END
            _Pragma("nounroll") for (unsigned level = it.levels; level-- > 0;) GPUCC_SCAN_BEGIN_LEVEL(level, run + end)
        }
        in += (int64_t)begin * it.reduced_in[0];
        out += (int64_t)begin * it.each_out;
        const _Bool loads = GPUCC_SCAN_ALIGNED(in, it.reduced_in[0]), stores = GPUCC_SCAN_ALIGNED(out, it.each_out);
        const char *next_in = in + (int64_t)(lane * EACH) * it.reduced_in[0];
        GPUCC_TYPE n[EACH] = {0}, before = first, kept_total = {0}, kept_result = {0};
        unsigned at = 0;
        GPUCC_SCAN_FETCH
        /* While a group is worked on, the next one is on its way. */
        _Pragma("nounroll") for (unsigned group = 0; group * GROUP < count; group++)
        {
            GPUCC_TYPE x[EACH];
            const unsigned number = group + 1, longer = number & (number - 1);
            const _Bool has_before = has_first || group > 0;
            unsigned bit = 0;
            __builtin_memcpy(x, n, sizeof x);
            at += GROUP;
            if (at < count) {
                GPUCC_SCAN_FETCH
            }
            GPUCC_SCAN_UP(x, EACH)
            GPUCC_TYPE total = x[EACH - 1];
            GPUCC_SCAN_LANES_UP(total)
            /* the group among groups */
            GPUCC_TYPE all = GPUCC_SYMBOL(_from_lane)(total, 31);
            _Pragma("nounroll") for (; !(number >> bit & 1); bit++) all =
                GPUCC_SYMBOL(_combine)(GPUCC_SYMBOL(_from_lane)(kept_total, bit), all);
            GPUCC_TYPE behind = all, left = first;
            if (longer)
                left = GPUCC_SYMBOL(_from_lane)(kept_result, (unsigned)__builtin_ctz(longer));
            if (longer || has_first)
                behind = GPUCC_SYMBOL(_combine)(left, all);
            if (GPUCC_SCAN_ENDS_RUN(at))
                behind = last;
            kept_total = lane == bit ? all : kept_total;
            kept_result = lane == bit ? behind : kept_result;
            /* downwards through lanes, and in each */
            GPUCC_SCAN_LANES_DOWN(total, before, has_before)
            total = lane == 31 ? behind : total;
            left = GPUCC_SYMBOL(_from_lane)(total, (lane - 1) % 32);
            left = lane == 0 ? before : left;
            GPUCC_SCAN_DOWN(x, EACH, left, lane > 0 || has_before)
            x[EACH - 1] = total;
            before = behind;
            const unsigned mine = group * GROUP + lane * EACH;
            if (stores && at <= count) {
                GPUCC_TYPE *const to = (GPUCC_TYPE *)out + mine;
                GPUCC_SCAN_COPY(to, x)
            } else {
                _Pragma("unroll") for (unsigned j = 0; j < EACH; j++) if (mine + j < count)
                    GPUCC_SCAN_OUT(mine + j) = x[j];
            }
        }
    }
}

/* ---- across: a thread for each output and run ---- */

/* The result at the end of the group that came last. */
#define GPUCC_SCAN_LAST_RESULT top[-(int)threads]
/* Group number `number` joins those before it, whose totals and results at their ends wait on a stack, as in a binary
 * counter. */
#define GPUCC_SCAN_PUSH(number, value, before, has_before)                                                             \
    {                                                                                                                  \
        GPUCC_TYPE all_ = value;                                                                                       \
        _Pragma("nounroll") for (unsigned c_ = (number) + 1; !(c_ & 1); c_ >>= 1)                                      \
        {                                                                                                              \
            top -= 2 * threads;                                                                                        \
            all_ = GPUCC_SYMBOL(_combine)(*top, all_);                                                                 \
        }                                                                                                              \
        *top = all_;                                                                                                   \
        if (top != stack || (has_before))                                                                              \
            all_ = GPUCC_SYMBOL(_combine)(top != stack ? GPUCC_SCAN_LAST_RESULT : before, all_);                       \
        top[threads] = all_;                                                                                           \
        top += 2 * threads;                                                                                            \
    }

void GPUCC_SYMBOL(_scan_across)(const struct gpucc_reduction it)
{
    enum { GROUP = GPUCC_SCAN_ROWS };
    const gpucc_u64 step = gpucc_gridsize_1();
    const unsigned threads = gpucc_blockDim.x;
    GPUCC_TYPE *const stack = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0) + gpucc_threadIdx.x; /* as in S_across */
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < it.items; item += step)
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / it.outputs, output = item - run * it.outputs;
        const gpucc_u64 begin = run * it.run;
        const unsigned count = (unsigned)(it.length - begin < it.run ? it.length - begin : it.run);
        GPUCC_PLACE_OUTPUT(output)
        GPUCC_TYPE *top = stack;
        GPUCC_SCAN_ENDS
        _Pragma("nounroll") for (unsigned end = 0; end < 2; end++)
        {
            GPUCC_SCAN_NEXT_END
            _Pragma("nounroll") for (unsigned level = it.levels; level-- > 0; top = stack)
            {
                GPUCC_SCAN_FIND_TOTALS(level, run + end)
                _Pragma("nounroll") for (unsigned k = 0; k < digit; k++) GPUCC_SCAN_PUSH(
                    k, *(const GPUCC_TYPE *)(totals + (int64_t)k * it.totals_run[level]), last, has_any)
                last = top != stack ? GPUCC_SCAN_LAST_RESULT : last;
                has_any = has_any || top != stack;
            }
        }
        in += (int64_t)begin * it.reduced_in[0];
        out += (int64_t)begin * it.each_out;
        GPUCC_TYPE before = first;
        _Pragma("nounroll") for (unsigned at = 0; at < count; at += GROUP)
        {
            const _Bool has_before = has_first || at > 0;
            GPUCC_TYPE x[GROUP] = {0};
            _Pragma("unroll") for (unsigned j = 0; j < GROUP; j++)
            {
                if (at + j < count)
                    x[j] = *(const GPUCC_TYPE *)in;
                in += it.reduced_in[0];
            }
            GPUCC_SCAN_UP(x, GROUP)
            if (at + GROUP <= count)
                GPUCC_SCAN_PUSH(at / GROUP, x[GROUP - 1], first, has_first)
            GPUCC_SCAN_DOWN(x, GROUP, before, has_before)
            if (at + GROUP <= count)
                before = x[GROUP - 1] = GPUCC_SCAN_ENDS_RUN(at + GROUP) ? last : GPUCC_SCAN_LAST_RESULT;
            _Pragma("unroll") for (unsigned j = 0; j < GROUP; j++)
            {
                if (at + j < count)
                    *(GPUCC_TYPE *)out = x[j];
                out += it.each_out;
            }
        }
    }
}

#include <loops/scan_packed.h>

#undef GPUCC_SCAN_UP
#undef GPUCC_SCAN_DOWN
#undef GPUCC_SCAN_OUT
#undef GPUCC_SCAN_FIND_TOTALS
#undef GPUCC_SCAN_ENDS
#undef GPUCC_SCAN_NEXT_END
#undef GPUCC_SCAN_ENDS_RUN
#undef GPUCC_SCAN_ALIGNED
#undef GPUCC_SCAN_COPY
#undef GPUCC_SCAN_FETCH
#undef GPUCC_SCAN_LANES_UP
#undef GPUCC_SCAN_LANES_DOWN
#undef GPUCC_SCAN_BEGIN_LEVEL
#undef GPUCC_SCAN_LAST_RESULT
#undef GPUCC_SCAN_PUSH
