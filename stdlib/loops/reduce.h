/* Reductions on the GPU (see <gpucc/loops.h>): S_along and S_across in the fixed tree, S_fold from the left, which
 * serves accumulations and cells in place too; scan.h has accumulations in the tree.
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
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_combine)(GPUCC_TYPE v0, GPUCC_TYPE v1)
{
    unsigned slow = 0;
    GPUCC_CALL_QUICK
    if (__builtin_expect(slow, 0)) {
        GPUCC_CALL_CAREFUL
        return r0;
    }
    return r0;
}

#ifndef GPUCC_LOOPS_REDUCE_H
#define GPUCC_LOOPS_REDUCE_H

enum {
    GPUCC_STACK = 21,      /* GPUCC_REDUCE_MOST has 21 bits */
    GPUCC_SCAN_STACK = 48, /* bits of the number of groups that memory holds */
    GPUCC_SCAN_ROWS = 4,   /* elements that a thread of S_scan_across does */
    GPUCC_ROW_COUNT = 8
};

/* Where number `index` of a space of `dims` dimensions lies. */
static inline __attribute__((always_inline)) int64_t gpucc_offset(gpucc_u64 index, unsigned dims,
                                                                  const uint64_t *shape, const int64_t *strides)
{
    int64_t offset = 0;
    _Pragma("nounroll") for (unsigned d = dims - 1; d > 0; d--)
    {
        const gpucc_u64 outer = index / shape[d];
        offset += (int64_t)(index - outer * shape[d]) * strides[d];
        index = outer;
    }
    return offset + (int64_t)index * strides[0];
}

#if defined(__NVPTX__)
typedef int gpucc_word;
#define GPUCC_LANE ((unsigned)__nvvm_read_ptx_sreg_laneid())
#define GPUCC_EXCHANGE_WORD(word, bit) __nvvm_shfl_sync_bfly_i32(0xffffffffu, word, bit, 31)
#define GPUCC_FETCH_WORD(word, from) __nvvm_shfl_sync_idx_i32(0xffffffffu, word, from, 31)
#else
typedef uint64_t gpucc_word;
#define GPUCC_LANE ((unsigned)(gpucc_grid_1() % 32))
#define GPUCC_EXCHANGE_WORD(word, bit) gpucc_cpu_warp_shuffle(0xffffffffu, word, lane ^ (bit))
#define GPUCC_FETCH_WORD(word, from) gpucc_cpu_warp_shuffle(0xffffffffu, word, from)
#endif

#endif

/* The value of the lane whose number differs in this bit. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_of_lane)(GPUCC_TYPE value, unsigned lane,
                                                                               unsigned bit)
{
    enum { WORDS = (sizeof value + sizeof(gpucc_word) - 1) / sizeof(gpucc_word) };
    gpucc_word words[WORDS] = {0};
    (void)lane;
    __builtin_memcpy(words, &value, sizeof value);
    _Pragma("unroll") for (unsigned k = 0; k < WORDS; k++) words[k] = GPUCC_EXCHANGE_WORD(words[k], bit);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
}

/* The value of the lane of this number. */
static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_from_lane)(GPUCC_TYPE value, unsigned from)
{
    enum { WORDS = (sizeof value + sizeof(gpucc_word) - 1) / sizeof(gpucc_word) };
    gpucc_word words[WORDS] = {0};
    __builtin_memcpy(words, &value, sizeof value);
    _Pragma("unroll") for (unsigned k = 0; k < WORDS; k++) words[k] = GPUCC_FETCH_WORD(words[k], from);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
}

#define GPUCC_REDUCED(r) (*(const GPUCC_TYPE *)(in + gpucc_offset(r, it.reduced_dims, it.reduced_shape, it.reduced_in)))

/* Where output number `output` has its elements and goes. */
#define GPUCC_PLACE_OUTPUT(output)                                                                                     \
    const char *in = it.in;                                                                                            \
    char *out = it.out;                                                                                                \
    {                                                                                                                  \
        gpucc_u64 left_ = output;                                                                                      \
        _Pragma("nounroll") for (unsigned d = it.kept_dims; d-- > 0;)                                                  \
        {                                                                                                              \
            const gpucc_u64 outer_ = d ? left_ / it.kept_shape[d] : 0;                                                 \
            const int64_t i_ = (int64_t)(left_ - outer_ * it.kept_shape[d]);                                           \
            in += i_ * it.kept_in[d];                                                                                  \
            out += i_ * it.kept_out[d];                                                                                \
            left_ = outer_;                                                                                            \
        }                                                                                                              \
    }

/* Elements that come one after another into the last of some registers, without an address among these. */
#define GPUCC_SHIFT(x, count)                                                                                          \
    _Pragma("unroll") for (unsigned to_ = 0; to_ + 1 < (count); to_++) x[to_] = x[to_ + 1];
/* How many runs an output has, and where number `run` begins and its result goes. */
#define GPUCC_RUNS (it.slices ? it.slice_count : (it.length + it.run - 1) / it.run)
#define GPUCC_PLACE_RUN(run)                                                                                           \
    gpucc_u64 begin = (run) * it.run, place = run, count = it.length - begin < it.run ? it.length - begin : it.run;    \
    if (it.slices) {                                                                                                   \
        begin = it.slices[run].begin;                                                                                  \
        count = it.slices[run].count;                                                                                  \
        place = it.slices[run].place;                                                                                  \
    }

/* GPUCC_ROW_COUNT elements of an output. */
#define GPUCC_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define GPUCC_LOAD_ROW(k)                                                                                              \
    if (first + k < count)                                                                                             \
        x[k] = *(const GPUCC_TYPE *)(in + (int64_t)(begin + first + k) * it.reduced_in[0]);

#if GPUCC_REORDERABLE
/* The partial result of group number `group` joins those before it. */
#define GPUCC_PUSH(group, value)                                                                                       \
    {                                                                                                                  \
        GPUCC_TYPE sum_ = value;                                                                                       \
        _Pragma("nounroll") for (gpucc_u64 c_ = (group) + 1; !(c_ & 1); c_ >>= 1) sum_ =                               \
            GPUCC_SYMBOL(_combine)(stack[--top], sum_);                                                                \
        stack[top++] = sum_;                                                                                           \
    }
/* What is on the stack in the end, the smallest first. */
#define GPUCC_POP_ALL(result)                                                                                          \
    GPUCC_TYPE result = stack[--top];                                                                                  \
    _Pragma("nounroll") while (top > 0) result = GPUCC_SYMBOL(_combine)(stack[--top], result);

/* ---- along: a warp for each output and run ---- */

#define GPUCC_LEAVES(X) X(0) X(1) X(2) X(3)
/* The elements that this lane has of leaf k begin here. */
#define GPUCC_LEAF_PLACE(k) const gpucc_u64 at##k = first + (k * 32 + lane) * GPUCC_LEAF;
#define GPUCC_LOAD_LEAF(k)                                                                                             \
    GPUCC_TYPE x##k[GPUCC_LEAF] = {0};                                                                                 \
    if (is_adjacent && at##k + GPUCC_LEAF <= count) {                                                                  \
        const GPUCC_TYPE *const from_ = (const GPUCC_TYPE *)in + begin + at##k;                                        \
        GPUCC_COPY_LEAF(x##k, from_)                                                                                   \
    } else if (at##k < count) {                                                                                        \
        _Pragma("nounroll") for (unsigned j = 0; j < GPUCC_LEAF; j++)                                                  \
        {                                                                                                              \
            GPUCC_SHIFT(x##k, GPUCC_LEAF)                                                                              \
            if (at##k + j < count)                                                                                     \
                x##k[GPUCC_LEAF - 1] = GPUCC_REDUCED(begin + at##k + j);                                               \
        }                                                                                                              \
    }
#define GPUCC_JOIN_LEAF(k)                                                                                             \
    _Pragma("unroll") for (unsigned s = 1; s < GPUCC_LEAF; s *= 2) _Pragma("unroll") for (unsigned j = 0;              \
                                                                                          j < GPUCC_LEAF; j += 2 * s)  \
    {                                                                                                                  \
        if (at##k + j + s < count)                                                                                     \
            x##k[j] = GPUCC_SYMBOL(_combine)(x##k[j], x##k[j + s]);                                                    \
    }                                                                                                                  \
    GPUCC_TYPE v##k = x##k[0];
/* Lanes with the bit clear go on with the leaf `a`, the others with `b`: each combines its half with that of the lane
 * which differs in the bit.  The operands are `size` elements each. */
#define GPUCC_EXCHANGE(result, place, a, place_a, b, place_b, bit, size)                                               \
    GPUCC_TYPE result;                                                                                                 \
    gpucc_u64 place;                                                                                                   \
    {                                                                                                                  \
        const _Bool upper_ = (lane & (bit)) != 0;                                                                      \
        const GPUCC_TYPE mine_ = upper_ ? b : a;                                                                       \
        const GPUCC_TYPE other_ = GPUCC_SYMBOL(_of_lane)(upper_ ? a : b, lane, bit);                               \
        place = (upper_ ? place_b : place_a) & ~((gpucc_u64)(size)*2 - 1);                                             \
        result = upper_ ? other_ : mine_;                                                                              \
        if (place + (size) < count)                                                                                    \
            result = GPUCC_SYMBOL(_combine)(result, upper_ ? mine_ : other_);                                          \
    }

/* A group is four leaves, of which each lane has GPUCC_LEAF adjacent elements.  In two exchanges every lane is left
 * with a part of one leaf; in the steps behind them fewer and fewer lanes go on, until lane 0 has the group. */
void GPUCC_SYMBOL(_along)(const struct gpucc_reduction it)
{
    enum { GROUP = 4 * 32 * GPUCC_LEAF };
    const unsigned lane = GPUCC_LANE;
    const gpucc_u64 warps = gpucc_gridsize_1() / 32, runs = GPUCC_RUNS;
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1() / 32; item < it.outputs * runs; item += warps)
    {
        const gpucc_u64 output = item / runs, run = item - output * runs;
        GPUCC_PLACE_RUN(run)
        GPUCC_PLACE_OUTPUT(output)
        const _Bool is_adjacent =
            it.reduced_dims == 1 && it.reduced_in[0] == sizeof(GPUCC_TYPE) &&
            (((uintptr_t)in + begin * sizeof(GPUCC_TYPE)) & GPUCC_MASK(sizeof(GPUCC_TYPE) * GPUCC_LEAF)) == 0;
        GPUCC_TYPE stack[GPUCC_STACK];
        unsigned top = 0;
        _Pragma("nounroll") for (gpucc_u64 first = 0; first < count; first += GROUP)
        {
            GPUCC_LEAVES(GPUCC_LEAF_PLACE)
            GPUCC_LEAVES(GPUCC_LOAD_LEAF)
            GPUCC_LEAVES(GPUCC_JOIN_LEAF)
            GPUCC_EXCHANGE(v02, at02, v0, at0, v2, at2, 1, GPUCC_LEAF)
            GPUCC_EXCHANGE(v13, at13, v1, at1, v3, at3, 1, GPUCC_LEAF)
            GPUCC_EXCHANGE(v, at, v02, at02, v13, at13, 2, 2 * GPUCC_LEAF)
            unsigned done = 0;
            _Pragma("nounroll") for (unsigned size = 4; size <= 64; size *= 2)
            {
                const unsigned bit = size < 32 ? size : 64 / size;
                const GPUCC_TYPE other = GPUCC_SYMBOL(_of_lane)(v, lane, bit);
                done |= bit;
                if (!(lane & done) && at + size * GPUCC_LEAF < count)
                    v = GPUCC_SYMBOL(_combine)(v, other);
            }
            if (lane == 0)
                GPUCC_PUSH(first / GROUP, v)
        }
        if (lane == 0) {
            GPUCC_POP_ALL(result)
            *(GPUCC_TYPE *)(out + (int64_t)place * it.run_out) = result;
        }
    }
}

/* ---- across: a thread for each output and run ---- */

void GPUCC_SYMBOL(_across)(const struct gpucc_reduction it)
{
    enum { GROUP = GPUCC_ROW_COUNT };
    const gpucc_u64 step = gpucc_gridsize_1(), runs = GPUCC_RUNS;
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < it.outputs * runs; item += step)
    {
        const gpucc_u64 run = item / it.outputs, output = item - run * it.outputs;
        GPUCC_PLACE_RUN(run)
        GPUCC_PLACE_OUTPUT(output)
        GPUCC_TYPE stack[GPUCC_STACK];
        unsigned top = 0;
        _Pragma("nounroll") for (gpucc_u64 first = 0; first < count; first += GROUP)
        {
            GPUCC_TYPE x[GROUP] = {0};
            if (it.reduced_dims == 1) {
                GPUCC_ROWS(GPUCC_LOAD_ROW)
            } else {
                _Pragma("nounroll") for (unsigned j = 0; j < GROUP; j++)
                {
                    GPUCC_SHIFT(x, GROUP)
                    if (first + j < count)
                        x[GROUP - 1] = GPUCC_REDUCED(begin + first + j);
                }
            }
            _Pragma("unroll") for (unsigned s = 1; s < GROUP; s *= 2)
                _Pragma("unroll") for (unsigned j = 0; j < GROUP; j += 2 * s)
            {
                if (first + j + s < count)
                    x[j] = GPUCC_SYMBOL(_combine)(x[j], x[j + s]);
            }
            GPUCC_PUSH(first / GROUP, x[0])
        }
        GPUCC_POP_ALL(result)
        *(GPUCC_TYPE *)(out + (int64_t)place * it.run_out) = result;
    }
}

#include <loops/scan.h>

#undef GPUCC_PUSH
#undef GPUCC_POP_ALL
#undef GPUCC_LEAVES
#undef GPUCC_LEAF_PLACE
#undef GPUCC_LOAD_LEAF
#undef GPUCC_JOIN_LEAF
#undef GPUCC_EXCHANGE
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
    const gpucc_u64 step = gpucc_gridsize_1(), runs = GPUCC_RUNS;
    gpucc_u64 initial[2] = {it.initial[0], it.initial[1]};
#if defined(__NVPTX__) /* or it takes a pointer to either, and copies the parameters to memory for that */
    __asm__("" : "+l"(initial[0]), "+l"(initial[1]));
#endif
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < it.outputs * runs; item += step)
    {
        const gpucc_u64 run = item / it.outputs, output = item - run * it.outputs;
        GPUCC_PLACE_RUN(run)
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

#undef GPUCC_REDUCED
#undef GPUCC_PLACE_OUTPUT
#undef GPUCC_RUNS
#undef GPUCC_PLACE_RUN
#undef GPUCC_SHIFT
#undef GPUCC_ROWS
#undef GPUCC_LOAD_ROW
#undef GPUCC_LOAD_NAMED
