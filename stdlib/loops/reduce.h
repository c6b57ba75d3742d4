/* Reductions on the GPU (see <gpucc/loops.h>): S_along and S_across in the fixed tree, S_fold from the left, which
 * serves accumulations and cells in place too; packed.h and packed_columns.h have what lies together in the tree,
 * scan.h accumulations.
 *
 * Which elements are combined follows from their numbers alone: a right operand is there where its first element's
 * number is below the count.  Partial results of complete subtrees wait on a stack, as in a binary counter: that of n
 * of them holds as many as n has bits set, the largest at the bottom.  loops.c defines, besides what operand.h lists:
 *   GPUCC_TYPE         the elements' C type
 *   GPUCC_REORDERABLE  1 or 0
 *   GPUCC_LEAF         adjacent elements that a lane of S_along loads at once
 *   GPUCC_COPY_LEAF(to, from)   copies these
 *   GPUCC_SCAN_LEAVES  of so many times that a lane of S_scan_along combines the adjacent elements at once
 */
#include <loops/combine.h>

#define GPUCC_REDUCED_PLACE(r) (in + gpucc_offset(r, it.reduced_dims, it.reduced_shape, it.reduced_in))

/* Finds the elements of output number `output` and its place. */
#define GPUCC_PLACE_OUTPUT(output)                                                                                     \
    const char *in = it.in;                                                                                            \
    char *out = it.out;                                                                                                \
    {                                                                                                                  \
        gpucc_u64 left_ = output;                                                                                      \
        _Pragma("nounroll") for (unsigned d = it.kept_dims - 1; d > 0; d--)                                            \
        {                                                                                                              \
            const gpucc_u64 outer_ = left_ / it.kept_shape[d];                                                         \
            const int64_t i_ = (int64_t)(left_ - outer_ * it.kept_shape[d]);                                           \
            in += i_ * it.kept_in[d];                                                                                  \
            out += i_ * it.kept_out[d];                                                                                \
            left_ = outer_;                                                                                            \
        }                                                                                                              \
        in += (int64_t)left_ * it.kept_in[0];                                                                          \
        out += (int64_t)left_ * it.kept_out[0];                                                                        \
    }

/* Finds the beginning of run number `run` and the place of its result. */
#define GPUCC_PLACE_RUN(run)                                                                                           \
    gpucc_u64 begin = 0, place = run, count = it.length;                                                               \
    if (it.slices) {                                                                                                   \
        begin = it.slices[run].begin;                                                                                  \
        count = it.slices[run].count;                                                                                  \
        place = it.slices[run].place;                                                                                  \
    } else if (it.runs > 1) {                                                                                          \
        begin = (run) * it.run;                                                                                        \
        count = it.length - begin < it.run ? it.length - begin : it.run;                                               \
    }

/* GPUCC_ROW_COUNT elements of an output. */
#define GPUCC_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#if GPUCC_REORDERABLE
/* The partial result of group number `group` joins those before it. */
#define GPUCC_PUSH(group, value)                                                                                       \
    {                                                                                                                  \
        GPUCC_TYPE sum_ = value;                                                                                       \
        _Pragma("nounroll") for (gpucc_u64 c_ = (group) + 1; !(c_ & 1); c_ >>= 1) sum_ =                               \
            GPUCC_SYMBOL(_combine)(stack[--top], sum_);                                                                \
        stack[top++] = sum_;                                                                                           \
    }
/* Combines the rest of the stack, the smallest part first. */
#define GPUCC_POP_ALL(result)                                                                                          \
    {                                                                                                                  \
        result = stack[--top];                                                                                         \
        _Pragma("nounroll") while (top > 0) result = GPUCC_SYMBOL(_combine)(stack[--top], result);                     \
    }

/* ---- teams: units of a block that share a run ---- */

/* Each unit of a team does 2^share_bits elements of a run.  They combine their values through shared memory, where that
 * of a unit has cell number `cell`, and that of the next one the cell `by` behind; the first one is left with the
 * result.  All threads of a block come here together, also those without a value. */
#define GPUCC_JOIN_TEAM(value, has_value, cell, by)                                                                    \
    _Pragma("nounroll") for (unsigned s = 1; s < it.team; s *= 2)                                                      \
    {                                                                                                                  \
        GPUCC_TYPE *const cell_ = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0) + (cell);                                   \
        if ((has_value) && (member & (2 * s - 1)) == s)                                                                \
            *cell_ = value;                                                                                            \
        gpucc_syncthreads();                                                                                           \
        if ((has_value) && !(member & (2 * s - 1)) && member + s < present)                                            \
            value = GPUCC_SYMBOL(_combine)(value, cell_[s * (by)]);                                                    \
    }                                                                                                                  \
    if (it.team > 1) /* what is read here is written again for the next item */                                        \
        gpucc_syncthreads();

/* The thread's lane in its unit of 2^lane_bits, and the unit's number in its team. */
#define GPUCC_FIND_UNIT                                                                                                \
    const unsigned lanes = 1u << it.lane_bits, lane = gpucc_threadIdx.x & (lanes - 1);                                 \
    const unsigned unit = gpucc_threadIdx.x >> it.lane_bits, member = it.team > 1 ? unit : 0;
/* A block's units come for each of its items together, also where there is none for the last ones. */
#define GPUCC_EACH_ITEM                                                                                                \
    const unsigned each_ = it.team > 1 ? 1 : gpucc_blockDim.x >> it.lane_bits;                                         \
    gpucc_u64 item = (gpucc_u64)gpucc_blockIdx.x * each_ + unit - member;                                              \
    _Pragma("nounroll") for (; item - (unit - member) < it.items; item += (gpucc_u64)gpucc_gridDim.x * each_)
/* Goes on with the member's part, `left` elements, of `count` from `begin` on, which `present` members share. */
#define GPUCC_TAKE_SHARE                                                                                               \
    unsigned left = (unsigned)count, present = 1;                                                                      \
    if (it.team > 1) {                                                                                                 \
        const unsigned share_ = 1u << it.share_bits, offset_ = member << it.share_bits;                                \
        present = (left + share_ - 1) >> it.share_bits;                                                                \
        left = left > offset_ ? (left - offset_ < share_ ? left - offset_ : share_) : 0;                               \
        begin += offset_;                                                                                              \
    }

/* ---- along: a unit is a warp, or a part of one where runs are short ---- */

#define GPUCC_LEAVES(X) X(0) X(1) X(2) X(3)
/* How many elements there are from this lane's first one of leaf k on. */
#define GPUCC_LEAF_REST(k) int rest##k = rest - (int)(k * stripe);
/* Comparisons behind this point are computed anew: predicates are fewer than registers. */
#define GPUCC_FORGET_REST(k) __asm__ volatile("" : "+r"(rest##k));
#define GPUCC_DECLARE_LEAF(k)                                                                                          \
    const char *from##k = here;                                                                                        \
    GPUCC_TYPE x##k[GPUCC_LEAF] = {0};                                                                                 \
    here += by_stripe;
#define GPUCC_LOAD_LEAF(k)                                                                                             \
    if (is_adjacent && rest##k >= GPUCC_LEAF) {                                                                        \
        const GPUCC_TYPE *const from_ = (const GPUCC_TYPE *)from##k;                                                   \
        GPUCC_COPY_LEAF(x##k, from_)                                                                                   \
    } else if (it.reduced_dims == 1) {                                                                                 \
        _Pragma("unroll") for (int j = 0; j < GPUCC_LEAF; j++)                                                         \
        {                                                                                                              \
            if (j < rest##k)                                                                                           \
                x##k[j] = *(const GPUCC_TYPE *)from##k;                                                                \
            from##k += it.reduced_in[0];                                                                               \
        }                                                                                                              \
    }
/* With two reduced dimensions, finds element number `r` … */
#define GPUCC_FIND_REDUCED(place, r)                                                                                   \
    {                                                                                                                  \
        const unsigned r_ = (unsigned)(r), row_ = r_ / (unsigned)it.reduced_shape[1];                                  \
        place = in + (int64_t)row_ * it.reduced_in[0];                                                                 \
        place += (int64_t)(r_ - row_ * (unsigned)it.reduced_shape[1]) * it.reduced_in[1];                              \
    }
/* … the leaves are, which lie together, and elements that do not. */
#define GPUCC_FIND_LEAVES                                                                                              \
    _Pragma("nounroll") for (unsigned k = 0; k < 4; k++)                                                               \
    {                                                                                                                  \
        from0 = from1;                                                                                                 \
        from1 = from2;                                                                                                 \
        from2 = from3;                                                                                                 \
        GPUCC_FIND_REDUCED(from3, begin + first + k * stripe)                                                          \
    }
#define GPUCC_LOAD_SCATTERED                                                                                           \
    _Pragma("nounroll") for (unsigned n = 0; n < 4 * GPUCC_LEAF; n++)                                                  \
    {                                                                                                                  \
        const unsigned at = n / GPUCC_LEAF * stripe + n % GPUCC_LEAF;                                                  \
        GPUCC_SHIFT(x0, GPUCC_LEAF)                                                                                    \
        x0[GPUCC_LEAF - 1] = x1[0];                                                                                    \
        GPUCC_SHIFT(x1, GPUCC_LEAF)                                                                                    \
        x1[GPUCC_LEAF - 1] = x2[0];                                                                                    \
        GPUCC_SHIFT(x2, GPUCC_LEAF)                                                                                    \
        x2[GPUCC_LEAF - 1] = x3[0];                                                                                    \
        GPUCC_SHIFT(x3, GPUCC_LEAF)                                                                                    \
        if ((int)at < rest) {                                                                                          \
            const char *place_;                                                                                        \
            GPUCC_FIND_REDUCED(place_, begin + first + at)                                                             \
            x3[GPUCC_LEAF - 1] = *(const GPUCC_TYPE *)place_;                                                          \
        }                                                                                                              \
    }
#define GPUCC_JOIN_ELEMENTS(x, rest)                                                                                   \
    _Pragma("unroll") for (unsigned s = 1; s < GPUCC_LEAF; s *= 2) _Pragma("unroll") for (unsigned j = 0;              \
                                                                                          j < GPUCC_LEAF; j += 2 * s)  \
    {                                                                                                                  \
        if ((int)(j + s) < (rest))                                                                                     \
            x[j] = GPUCC_SYMBOL(_combine)(x[j], x[j + s]);                                                             \
    }
#define GPUCC_JOIN_LEAF(k)                                                                                             \
    GPUCC_JOIN_ELEMENTS(x##k, rest##k)                                                                                 \
    GPUCC_TYPE v##k = x##k[0];
/* Lanes with the bit clear go on with the leaf `a`, the others with `b`: each combines its half, of `size` elements,
 * with that of the lane which differs in the bit.  `rest` counts from the first of both on. */
#define GPUCC_EXCHANGE(result, a, b, bit, size, rest)                                                                  \
    GPUCC_TYPE result;                                                                                                 \
    {                                                                                                                  \
        const _Bool upper_ = (lane & (bit)) != 0;                                                                      \
        const GPUCC_TYPE mine_ = upper_ ? b : a;                                                                       \
        const GPUCC_TYPE other_ = GPUCC_SYMBOL(_of_lane)(upper_ ? a : b, warp_lane, bit);                              \
        result = upper_ ? other_ : mine_;                                                                              \
        if ((size) < (rest))                                                                                           \
            result = GPUCC_SYMBOL(_combine)(result, upper_ ? mine_ : other_);                                          \
    }

/* Combines every four lanes' elements of four leaves; the rests count from the results' first operands. */
#define GPUCC_JOIN_GROUP(rest_pair, rest_next_pair, rest_four)                                                         \
    GPUCC_EXCHANGE(v02, v0, v2, 1, GPUCC_LEAF, rest_pair)                                                              \
    GPUCC_EXCHANGE(v13, v1, v3, 1, GPUCC_LEAF, rest_next_pair)                                                         \
    GPUCC_EXCHANGE(four, v02, v13, 2, 2 * GPUCC_LEAF, rest_four)                                                       \
    sum = four;
/* Combines the results of all lanes of a unit of `width` in the first lane. The last step combines `most` leaves; 2 *
 * width reduce the unit to one element. */
#define GPUCC_JOIN_LANES(unrolling, width, most, rest)                                                                 \
    _Pragma(unrolling) for (unsigned size = 4; size <= (most); size *= 2)                                              \
    {                                                                                                                  \
        const unsigned bit = size < (width) ? size : size == (width) ? 2 : 1;                                          \
        const GPUCC_TYPE other = GPUCC_SYMBOL(_of_lane)(sum, warp_lane, bit);                                          \
        if ((int)(size * GPUCC_LEAF) < (rest))                                                                         \
            sum = GPUCC_SYMBOL(_combine)(sum, other);                                                                  \
    }

/* A group is four leaves, of which each lane has GPUCC_LEAF adjacent elements.  In two exchanges every lane is left
 * with a part of one leaf; in the steps behind them fewer and fewer lanes' values matter, until the first one has the
 * group's.  Lanes of one warp take these steps together, also those without elements; fewer than a warp have one group
 * at most. */
void GPUCC_SYMBOL(_along)(const struct gpucc_reduction it)
{
    GPUCC_FIND_UNIT
    const unsigned warp_lane = gpucc_threadIdx.x % 32, stripe = GPUCC_LEAF << it.lane_bits;
    /* from the lane's first element to that of the pair, or of the four, which it goes on with */
    const int to_pair = lane & 1 ? (int)GPUCC_LEAF - 2 * (int)stripe : 0;
    const int to_four = to_pair + (lane & 2 ? 2 * (int)GPUCC_LEAF - (int)stripe : 0);
    GPUCC_EACH_ITEM
    {
        const gpucc_u64 output = it.runs == 1 ? item : item / it.runs, run = item - output * it.runs;
        GPUCC_PLACE_RUN(run)
        GPUCC_PLACE_OUTPUT(output)
        if (item >= it.items)
            count = 0;
        GPUCC_TAKE_SHARE
        const gpucc_u64 along = it.reduced_dims == 1 ? begin * sizeof(GPUCC_TYPE) : 0; /* in a row */
        const _Bool is_adjacent =
            it.adjacent && (((uintptr_t)in + along) & GPUCC_MASK(sizeof(GPUCC_TYPE) * GPUCC_LEAF)) == 0;
        GPUCC_TYPE stack[GPUCC_STACK], sum = {0};
        unsigned top = 0, group = 0;
        begin += lane * GPUCC_LEAF;
        const char *here = in + (int64_t)begin * it.reduced_in[0];
        const int64_t by_stripe = (int64_t)stripe * it.reduced_in[0];
        _Pragma("nounroll") for (unsigned first = 0; !group || first < left; first += 4 * stripe)
        {
            const int rest = (int)(left - first) - (int)(lane * GPUCC_LEAF);
            GPUCC_LEAVES(GPUCC_LEAF_REST)
            GPUCC_LEAVES(GPUCC_DECLARE_LEAF)
            if (it.reduced_dims > 1 && is_adjacent)
                GPUCC_FIND_LEAVES
            GPUCC_LEAVES(GPUCC_LOAD_LEAF)
            if (it.reduced_dims > 1 && !is_adjacent)
                GPUCC_LOAD_SCATTERED
            GPUCC_LEAVES(GPUCC_FORGET_REST)
            GPUCC_LEAVES(GPUCC_JOIN_LEAF)
            GPUCC_JOIN_GROUP(rest + to_pair, rest + to_pair - (int)stripe, rest + to_four)
            GPUCC_JOIN_LANES("nounroll", lanes, 2 * lanes, rest + to_four)
            if (lane == 0 && left > 4 * stripe)
                GPUCC_PUSH(group, sum)
            group++;
        }
        if (lane == 0 && left > 4 * stripe)
            GPUCC_POP_ALL(sum)
        GPUCC_JOIN_TEAM(sum, lane == 0, member, 1)
        if (lane == 0 && member == 0 && item < it.items)
            *(GPUCC_TYPE *)(out + (int64_t)place * it.run_out) = sum;
    }
}

/* ---- across: a unit is a thread for each of some outputs.  Their stacks are in shared memory, where threads have one
 * level's elements together: local memory competes for the caches with what is read ---- */

#define GPUCC_LOAD_ROW(k)                                                                                              \
    if (k < rest)                                                                                                      \
        x[k] = *(const GPUCC_TYPE *)row;                                                                               \
    row += it.reduced_in[0];
/* Few rows are common, so what they lack is skipped together. */
#define GPUCC_LOAD_ROWS                                                                                                \
    GPUCC_LOAD_ROW(0) GPUCC_LOAD_ROW(1) GPUCC_LOAD_ROW(2) GPUCC_LOAD_ROW(3)                                            \
    if (rest > 4) {                                                                                                    \
        GPUCC_LOAD_ROW(4) GPUCC_LOAD_ROW(5) GPUCC_LOAD_ROW(6) GPUCC_LOAD_ROW(7)                                        \
        if (rest > 8) {                                                                                                \
            GPUCC_LOAD_ROW(8) GPUCC_LOAD_ROW(9) GPUCC_LOAD_ROW(10) GPUCC_LOAD_ROW(11)                                  \
            GPUCC_LOAD_ROW(12) GPUCC_LOAD_ROW(13) GPUCC_LOAD_ROW(14) GPUCC_LOAD_ROW(15)                                \
        }                                                                                                              \
    }
#define GPUCC_JOIN_2(k)                                                                                                \
    if (k + 1 < rest)                                                                                                  \
        x[k] = GPUCC_SYMBOL(_combine)(x[k], x[k + 1]);
#define GPUCC_JOIN_4(k)                                                                                                \
    GPUCC_JOIN_2(k)                                                                                                    \
    if (k + 2 < rest) {                                                                                                \
        GPUCC_JOIN_2(k + 2)                                                                                            \
        x[k] = GPUCC_SYMBOL(_combine)(x[k], x[k + 2]);                                                                 \
    }
#define GPUCC_JOIN_8(k)                                                                                                \
    GPUCC_JOIN_4(k)                                                                                                    \
    if (k + 4 < rest) {                                                                                                \
        GPUCC_JOIN_4(k + 4)                                                                                            \
        x[k] = GPUCC_SYMBOL(_combine)(x[k], x[k + 4]);                                                                 \
    }
#define GPUCC_JOIN_ROWS                                                                                                \
    GPUCC_JOIN_8(0)                                                                                                    \
    if (rest > 8) {                                                                                                    \
        GPUCC_JOIN_8(8)                                                                                                \
        x[0] = GPUCC_SYMBOL(_combine)(x[0], x[8]);                                                                     \
    }

void GPUCC_SYMBOL(_across)(const struct gpucc_reduction it)
{
    enum { GROUP = GPUCC_ACROSS_ROWS };
    GPUCC_FIND_UNIT
    GPUCC_TYPE *const stack = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0) + gpucc_threadIdx.x;
    const gpucc_u64 chunks = (it.outputs + lanes - 1) >> it.lane_bits;
    GPUCC_EACH_ITEM
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / chunks;
        const gpucc_u64 output = ((item - run * chunks) << it.lane_bits) + lane;
        const _Bool exists = item < it.items && output < it.outputs;
        GPUCC_TYPE sum = {0};
        if (exists || it.team > 1) {
            GPUCC_PLACE_RUN(run)
            GPUCC_PLACE_OUTPUT(output)
            GPUCC_TAKE_SHARE
            if (exists && left > 0) {
                GPUCC_TYPE *top = stack;
                const char *row = in + (int64_t)begin * it.reduced_in[0];
                _Pragma("nounroll") for (unsigned first = 0; first < left; first += GROUP)
                {
                    GPUCC_TYPE x[GROUP] = {0};
                    const int rest = (int)(left - first);
                    if (it.reduced_dims == 1) {
                        GPUCC_LOAD_ROWS
                    } else {
                        _Pragma("nounroll") for (unsigned j = 0; j < GROUP; j++)
                        {
                            GPUCC_SHIFT(x, GROUP)
                            if ((int)j < rest)
                                x[GROUP - 1] = *(const GPUCC_TYPE *)GPUCC_REDUCED_PLACE(begin + first + j);
                        }
                    }
                    GPUCC_JOIN_ROWS
                    sum = x[0];
                    if (left > GROUP) {
                        _Pragma("nounroll") for (unsigned c = first / GROUP + 1; !(c & 1); c >>= 1)
                        {
                            top -= gpucc_blockDim.x;
                            sum = GPUCC_SYMBOL(_combine)(*top, sum);
                        }
                        *top = sum;
                        top += gpucc_blockDim.x;
                    }
                }
                top -= top == stack ? 0 : gpucc_blockDim.x; /* that is the sum */
                _Pragma("nounroll") while (top != stack)
                {
                    top -= gpucc_blockDim.x;
                    sum = GPUCC_SYMBOL(_combine)(*top, sum);
                }
            }
            GPUCC_JOIN_TEAM(sum, exists, gpucc_threadIdx.x, lanes)
            if (exists && member == 0)
                *(GPUCC_TYPE *)(out + (int64_t)place * it.run_out) = sum;
        }
    }
}

#include <loops/packed.h>
#include <loops/packed_columns.h>
#include <loops/scan.h>

#undef GPUCC_LOAD_ROW
#undef GPUCC_LOAD_ROWS
#undef GPUCC_JOIN_2
#undef GPUCC_JOIN_4
#undef GPUCC_JOIN_8
#undef GPUCC_JOIN_ROWS
#undef GPUCC_PUSH
#undef GPUCC_POP_ALL
#undef GPUCC_LEAVES
#undef GPUCC_FIND_UNIT
#undef GPUCC_EACH_ITEM
#undef GPUCC_TAKE_SHARE
#undef GPUCC_JOIN_TEAM
#undef GPUCC_LEAF_REST
#undef GPUCC_FORGET_REST
#undef GPUCC_DECLARE_LEAF
#undef GPUCC_LOAD_LEAF
#undef GPUCC_FIND_REDUCED
#undef GPUCC_FIND_LEAVES
#undef GPUCC_LOAD_SCATTERED
#undef GPUCC_JOIN_ELEMENTS
#undef GPUCC_JOIN_LEAF
#undef GPUCC_EXCHANGE
#undef GPUCC_JOIN_GROUP
#undef GPUCC_JOIN_LANES
#endif

/* ---- fold: a thread for each output, which stores every partial result or the last ---- */

/* Row k from number `first` on; where it has a place of its own, that says where it is. */
#define GPUCC_LOAD_NAMED(k)                                                                                            \
    if (first + k < count) {                                                                                           \
        const gpucc_u64 at_ = begin + first + k;                                                                       \
        x[k] = *(const GPUCC_TYPE *)(in + (it.places ? it.places[at_] : (int64_t)at_ * it.reduced_in[0]));             \
    }

void GPUCC_SYMBOL(_fold)(const struct gpucc_reduction it)
{
    const gpucc_u64 step = gpucc_gridsize_1();
    gpucc_u64 initial[2] = {it.initial[0], it.initial[1]};
#if defined(__NVPTX__) /* or it takes a pointer to either, and copies the parameters to memory for that */
    __asm__("" : "+l"(initial[0]), "+l"(initial[1]));
#endif
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < it.items; item += step)
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / it.outputs, output = item - run * it.outputs;
        GPUCC_PLACE_RUN(run)
        if (it.cells) { /* one thread does all of a cell's */
            if (it.cells[run] == GPUCC_NO_CELL)
                continue;
            begin = run;
            place = it.cells[run] >> GPUCC_NUMBER_BITS;
            count = (it.cells[run] & ((1u << GPUCC_NUMBER_BITS) - 1)) + 1;
        }
        GPUCC_PLACE_OUTPUT(output)
        out += (int64_t)place * it.run_out;
        GPUCC_TYPE sum;
        const _Bool has_initial = it.has_initial || it.places;
        __builtin_memcpy(&sum, initial, sizeof sum);
        if (!it.has_initial)
            sum = *(const GPUCC_TYPE *)(it.places ? out : in + (int64_t)begin * it.reduced_in[0]);
        if (it.each_out)
            *(GPUCC_TYPE *)out = sum;
        _Pragma("nounroll") for (gpucc_u64 first = !has_initial; first < count; first += GPUCC_ROW_COUNT)
        {
            GPUCC_TYPE x[GPUCC_ROW_COUNT] = {0};
            GPUCC_ROWS(GPUCC_LOAD_NAMED)
            const gpucc_u64 end = count - first < GPUCC_ROW_COUNT ? count : first + GPUCC_ROW_COUNT;
            _Pragma("nounroll") for (gpucc_u64 r = first; r < end; r++)
            {
                sum = GPUCC_SYMBOL(_combine)(sum, x[0]);
                GPUCC_SHIFT(x, GPUCC_ROW_COUNT)
                if (it.each_out)
                    *(GPUCC_TYPE *)(out + (int64_t)r * it.each_out) = sum;
            }
        }
        if (!it.each_out)
            *(GPUCC_TYPE *)out = sum;
    }
}

#undef GPUCC_REDUCED_PLACE
#undef GPUCC_PLACE_OUTPUT
#undef GPUCC_PLACE_RUN
#undef GPUCC_ROWS
#undef GPUCC_LOAD_NAMED
