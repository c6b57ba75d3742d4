/* Accumulations on the GPU (see <gpucc/loops.h>): S_scan_along and S_scan_across in the fixed tree.  reduce.h includes
 * this, whose macros it uses, before it forgets them.
 *
 * Result r is what the tree makes of elements 0 … r.  With r + 1 = 2^a + 2^b + … + 2^z, a > b > … > z, they are aligned
 * runs A, B, … Z of so many elements, and the result is op(A, op(B, … Z)): the shortest are combined first.  So in a
 * group the results of each half are combined with the total of the half before it, halves becoming wider and wider;
 * and then with the totals of the complete runs before the group, the shortest first, which are the bits of the group's
 * number.  What is left of a run when groups end goes in smaller ones.  Where several warps or threads share an output,
 * the totals before each come from reductions. */

/* The last elements of the halves before the `s` last ones of each 2 s elements are combined with these. */
#define GPUCC_SCAN_HALVES(x, count)                                                                                    \
    _Pragma("unroll") for (unsigned s = 1; s < (count); s *= 2) _Pragma("unroll") for (unsigned j = 1; j < (count);    \
                                                                                       j++)                            \
    {                                                                                                                  \
        if (j & s)                                                                                                     \
            x[j] = GPUCC_SYMBOL(_combine)(x[(j & ~(s - 1)) - 1], x[j]);                                                \
    }
/* What comes before all elements, or before the last, which is then the only one. */
#define GPUCC_SCAN_JOIN(x, count, whole, left)                                                                         \
    {                                                                                                                  \
        const GPUCC_TYPE left_ = left;                                                                                 \
        x[(count)-1] = GPUCC_SYMBOL(_combine)(left_, x[(count)-1]);                                                    \
        if (whole) {                                                                                                   \
            _Pragma("unroll") for (unsigned j = 0; j + 1 < (count); j++) x[j] =                                        \
                GPUCC_SYMBOL(_combine)(left_, x[j]);                                                                   \
        }                                                                                                              \
    }
#define GPUCC_SCAN_IN(r) (*(const GPUCC_TYPE *)(in + (int64_t)(r)*it.reduced_in[0]))
#define GPUCC_SCAN_OUT(r) (*(GPUCC_TYPE *)(out + (int64_t)(r)*it.each_out))

/* ---- along: a warp for each output and run ---- */

#define GPUCC_SCAN_ALIGNED(place, stride)                                                                              \
    ((stride) == sizeof(GPUCC_TYPE) && ((uintptr_t)(place)&GPUCC_MASK(sizeof(GPUCC_TYPE) * GPUCC_LEAF)) == 0)
#define GPUCC_SCAN_COPY(to, from)                                                                                      \
    _Pragma("unroll") for (unsigned leaf = 0; leaf < EACH; leaf += GPUCC_LEAF)                                         \
    {                                                                                                                  \
        GPUCC_COPY_LEAF(to + leaf, from + leaf)                                                                        \
    }

/* Lane b has the total of 32 * 2^b elements, where the number of the next group of 32 has bit b.  Before a run: of the
 * `digit` complete runs of each level, those of a bit make a total. */
#define GPUCC_SCAN_BEGIN_CHAIN                                                                                         \
    _Pragma("nounroll") for (unsigned level = 0; level < it.levels; level++)                                           \
    {                                                                                                                  \
        const gpucc_u64 place = run >> GPUCC_SCAN_BITS * level;                                                        \
        const unsigned digit = (unsigned)place % 32, bit = lane - shift - GPUCC_SCAN_BITS * level;                     \
        const char *const from = it.totals[level] + (int64_t)output * it.totals_output[level];                         \
        GPUCC_TYPE total = {0};                                                                                        \
        if (lane < digit)                                                                                              \
            total = *(const GPUCC_TYPE *)(from + (int64_t)(place - digit + lane) * it.totals_run[level]);              \
        _Pragma("nounroll") for (unsigned s = 1; s < 32; s *= 2)                                                       \
        {                                                                                                              \
            const GPUCC_TYPE left = GPUCC_SYMBOL(_from_lane)(total, lane ^ s);                                         \
            if (lane < digit && (lane & (2 * s - 1)) == 2 * s - 1)                                                     \
                total = GPUCC_SYMBOL(_combine)(left, total);                                                           \
        }                                                                                                              \
        total = GPUCC_SYMBOL(_from_lane)(total, ((digit >> bit % 32 << bit % 32) - 1) % 32);                           \
        if (bit < GPUCC_SCAN_BITS)                                                                                     \
            chain = total;                                                                                             \
    }

void GPUCC_SYMBOL(_scan_along)(const struct gpucc_reduction it)
{
    enum { EACH = GPUCC_SCAN_LEAVES * GPUCC_LEAF, GROUP = 32 * EACH };
    const unsigned lane = GPUCC_LANE, shift = (unsigned)__builtin_ctzll(it.run / 32 | (gpucc_u64)1 << 63);
    const gpucc_u64 warps = gpucc_gridsize_1() / 32;
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1() / 32; item < it.items; item += warps)
    {
        const gpucc_u64 output = it.runs == 1 ? item : item / it.runs, run = item - output * it.runs;
        const gpucc_u64 begin = run * it.run;
        const gpucc_u64 count = it.length - begin < it.run ? it.length - begin : it.run;
        GPUCC_PLACE_OUTPUT(output)
        in += (int64_t)begin * it.reduced_in[0];
        out += (int64_t)begin * it.each_out;
        const _Bool loads = GPUCC_SCAN_ALIGNED(in, it.reduced_in[0]), stores = GPUCC_SCAN_ALIGNED(out, it.each_out);
        GPUCC_TYPE chain = {0};
        GPUCC_SCAN_BEGIN_CHAIN
        _Pragma("nounroll") for (gpucc_u64 at = 0; at < count;)
        {
            const _Bool whole = at + GROUP <= count;
            const gpucc_u64 mine = at + lane * (whole ? EACH : 1), number = (begin + at) / 32;
            GPUCC_TYPE x[EACH] = {0};
            if (whole && loads) {
                const GPUCC_TYPE *const from = (const GPUCC_TYPE *)in + mine;
                GPUCC_SCAN_COPY(x, from)
            } else if (whole) {
                _Pragma("unroll") for (unsigned j = 0; j < EACH; j++) x[j] = GPUCC_SCAN_IN(mine + j);
            } else if (mine < count) {
                x[EACH - 1] = GPUCC_SCAN_IN(mine);
            }
            if (whole)
                GPUCC_SCAN_HALVES(x, EACH)
            GPUCC_TYPE total = x[EACH - 1];
            gpucc_u64 rest = number;
            _Pragma("nounroll") for (unsigned bit = 1; bit < 32 || rest;)
            {
                const _Bool joins_lanes = bit < 32;
                const unsigned from = joins_lanes ? ((lane & ~(bit - 1)) - 1) % 32 : (unsigned)__builtin_ctzll(rest);
                const GPUCC_TYPE left = GPUCC_SYMBOL(_from_lane)(joins_lanes ? x[EACH - 1] : chain, from);
                if ((!joins_lanes || lane & bit) && mine < count)
                    GPUCC_SCAN_JOIN(x, EACH, whole, left)
                if (joins_lanes)
                    total = x[EACH - 1];
                else
                    rest &= rest - 1;
                bit += joins_lanes ? bit : 0;
            }
            if (whole && stores) {
                GPUCC_TYPE *const to = (GPUCC_TYPE *)out + mine;
                GPUCC_SCAN_COPY(to, x)
            } else if (whole) {
                _Pragma("unroll") for (unsigned j = 0; j < EACH; j++) GPUCC_SCAN_OUT(mine + j) = x[j];
            } else if (mine < count) {
                GPUCC_SCAN_OUT(mine) = x[EACH - 1];
            }
            at += whole ? GROUP : 32;
            if (at < count) {
                unsigned bit = whole ? (unsigned)__builtin_ctz(EACH) : 0;
                total = GPUCC_SYMBOL(_from_lane)(total, 31);
                _Pragma("nounroll") for (; number >> bit & 1; bit++) total =
                    GPUCC_SYMBOL(_combine)(GPUCC_SYMBOL(_from_lane)(chain, bit), total);
                if (lane == bit)
                    chain = total;
            }
        }
    }
}

/* ---- across: a thread for each output and run ---- */

void GPUCC_SYMBOL(_scan_across)(const struct gpucc_reduction it)
{
    enum { GROUP = GPUCC_SCAN_ROWS };
    const gpucc_u64 step = gpucc_gridsize_1();
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < it.items; item += step)
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / it.outputs, output = item - run * it.outputs;
        const gpucc_u64 begin = run * it.run;
        const gpucc_u64 count = it.length - begin < it.run ? it.length - begin : it.run;
        GPUCC_PLACE_OUTPUT(output)
        in += (int64_t)begin * it.reduced_in[0];
        out += (int64_t)begin * it.each_out;
        GPUCC_TYPE stack[GPUCC_SCAN_STACK];
        unsigned top = 0;
        _Pragma("nounroll") for (unsigned level = it.levels; level-- > 0;)
        {
            const gpucc_u64 place = run >> GPUCC_SCAN_BITS * level;
            const char *from = it.totals[level] + (int64_t)output * it.totals_output[level];
            _Pragma("nounroll") for (gpucc_u64 k = place - place % 32; k < place; k++)
                GPUCC_PUSH(k % 32, *(const GPUCC_TYPE *)(from + (int64_t)k * it.totals_run[level]))
        }
        _Pragma("nounroll") for (gpucc_u64 at = 0; at < count;)
        {
            const _Bool whole = at + GROUP <= count;
            GPUCC_TYPE x[GROUP] = {0};
            x[GROUP - 1] = GPUCC_SCAN_IN(at + (whole ? GROUP - 1 : 0));
            if (whole) {
                _Pragma("unroll") for (unsigned j = 0; j + 1 < GROUP; j++) x[j] = GPUCC_SCAN_IN(at + j);
                GPUCC_SCAN_HALVES(x, GROUP)
            }
            const GPUCC_TYPE total = x[GROUP - 1];
            _Pragma("nounroll") for (unsigned k = top; k-- > 0;) GPUCC_SCAN_JOIN(x, GROUP, whole, stack[k])
            GPUCC_SCAN_OUT(at + (whole ? GROUP - 1 : 0)) = x[GROUP - 1];
            if (whole) {
                _Pragma("unroll") for (unsigned j = 0; j + 1 < GROUP; j++) GPUCC_SCAN_OUT(at + j) = x[j];
            }
            const gpucc_u64 before = whole ? at / GROUP : at % GROUP; /* groups, or elements of the last one */
            at += whole ? GROUP : 1;
            if (at < count)
                GPUCC_PUSH(before, total)
        }
    }
}

#undef GPUCC_SCAN_HALVES
#undef GPUCC_SCAN_JOIN
#undef GPUCC_SCAN_IN
#undef GPUCC_SCAN_OUT
#undef GPUCC_SCAN_ALIGNED
#undef GPUCC_SCAN_COPY
#undef GPUCC_SCAN_BEGIN_CHAIN
