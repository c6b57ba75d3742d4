/* Reductions on the GPU of elements that are computed on the way, or do not all take part (see <gpucc/loops.h>):
 * S_gathered.  loops.c defines, besides what operand.h lists:
 *   GPUCC_TYPE          the elements' C type
 *   GPUCC_GIVE_RESULT   gpucc_give_T() of their type
 *   GPUCC_REORDERABLE   1: in the fixed tree; 0: from the left
 *   GPUCC_GATHERED(X)   X(index, C type, code) for each input
 *   GPUCC_IS_FUSED      1: the elements are what S makes of the inputs; 0: they are the input
 *   GPUCC_BY(suffix)    what combine.h has defined for the ufunc that combines them
 */
#include <loops/element.h>

#ifndef GPUCC_LOOPS_GATHER_H
#define GPUCC_LOOPS_GATHER_H

/* Four that lie together, at a multiple of four times their size, or of 16. */
static inline __attribute__((always_inline)) struct gpucc_four gpucc_fetch_together(unsigned size, const char *place)
{
    struct gpucc_four packed = {0};
    switch (size) {
    case 1: GPUCC_PIECES_1(4, &packed, place) break;
    case 2: GPUCC_PIECES_1(8, &packed, place) break;
    case 4: GPUCC_PIECES_1(16, &packed, place) break;
    default: GPUCC_PIECES_2(16, &packed, place)
    }
    return packed;
}

/* Whether four can be fetched so at this place: of an output's first elements that is known. */
static inline __attribute__((always_inline)) _Bool gpucc_is_together(unsigned size, const char *place)
{
    return ((uintptr_t)place & (size < 4 ? 4 * size - 1 : 15)) == 0;
}

#endif

extern void gpucc_give_complex(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a, uint64_t b,
                               uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h);
extern void GPUCC_GIVE_RESULT(unsigned record, char *here, int64_t along, unsigned meant, uint64_t a, uint64_t b,
                              uint64_t c, uint64_t d);
extern struct gpucc_four gpucc_to_imaginary(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define GPUCC_DECLARE_TO(k, type, code)                                                                                \
    extern struct gpucc_four gpucc_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);         \
    extern struct gpucc_four gpucc_cast_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
GPUCC_GATHERED(GPUCC_DECLARE_TO)

#define GPUCC_GATHERED_PARAMETER(k, type, code) , const struct gpucc_gathered in##k
/* The elements of an output's run, or slice, and where its result goes, as that of a run would. */
#if GPUCC_IS_FUSED
#define GPUCC_HAS_SLICES 0
#define GPUCC_GATHERED_SLICE
#define GPUCC_GATHERED_RUN run
#else
#define GPUCC_HAS_SLICES (it.slices != 0)
#define GPUCC_GATHERED_SLICE                                                                                           \
    if (it.slices) {                                                                                                   \
        begin = it.slices[run].begin;                                                                                  \
        count = it.slices[run].count;                                                                                  \
    }
#define GPUCC_GATHERED_RUN (it.slices ? it.slices[run].place : run)
#endif
#define GPUCC_GATHERED_PUT(sum)                                                                                        \
    GPUCC_SYMBOL(_put_gathered)((unsigned)it.record,                                                                   \
                                it.out + gpucc_offset(output, it.kept_dims, it.kept_shape, it.kept_out) +              \
                                    (int64_t)GPUCC_GATHERED_RUN * it.run_out,                                          \
                                sum);
/* Finds the elements of an output's run that begins at number `begin`: its first element, or the output's if several
 * dimensions are reduced. */
#define GPUCC_GATHERED_PLACE(name)                                                                                     \
    const char *from_##name = name.data;                                                                               \
    if (name.data) {                                                                                                   \
        from_##name += gpucc_offset(output, it.kept_dims, it.kept_shape, name.kept);                                   \
        if (it.reduced_dims == 1)                                                                                      \
            from_##name += (int64_t)begin * name.reduced[0];                                                           \
    }
#define GPUCC_GATHERED_INPUT_PLACE(k, type, code)                                                                      \
    GPUCC_GATHERED_PLACE(in##k)                                                                                        \
    const _Bool together_in##k = in##k.together && (!GPUCC_HAS_SLICES ||                                               \
                                                    gpucc_is_together(GPUCC_RECORD_SIZE(in##k.record), from_in##k));
/* Finds EACH elements from number n of the run on; a missing one has the place of the run's first element. */
#define GPUCC_GATHERED_FIND(name)                                                                                      \
    const char *places_[EACH] = {0};                                                                                   \
    if (it.reduced_dims == 1) {                                                                                        \
        const char *const at_ = from_##name + (int64_t)n * name.reduced[0];                                            \
        _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) places_[e] =                                             \
            exists[e] ? at_ + e * name.reduced[0] : from_##name;                                                       \
    } else {                                                                                                           \
        _Pragma("nounroll") for (unsigned e = 0; e < EACH; e++)                                                        \
        {                                                                                                              \
            GPUCC_SHIFT(places_, EACH)                                                                                 \
            places_[EACH - 1] = from_##name + gpucc_offset(begin + (n + e < count ? n + e : 0), it.reduced_dims,       \
                                                           it.reduced_shape, name.reduced);                            \
        }                                                                                                              \
    }
/* The same elements, by few accesses where they lie together. */
#define GPUCC_GATHERED_COPY(each, name, type)                                                                          \
    const char *const first_ = from_##name + (int64_t)n * name.reduced[0];                                             \
    if (EACH == 4 && exists[EACH - 1] && it.reduced_dims == 1 && name.reduced[0] == (int64_t)sizeof(type) &&           \
        ((uintptr_t)first_ & GPUCC_MASK(EACH * sizeof(type))) == 0) {                                                  \
        switch (sizeof(type)) {                                                                                        \
        case 1: GPUCC_PIECES_1(4, each, first_) break;                                                                 \
        case 2: GPUCC_PIECES_1(8, each, first_) break;                                                                 \
        case 4: GPUCC_PIECES_1(16, each, first_) break;                                                                \
        case 8: GPUCC_PIECES_2(16, each, first_) break;                                                                \
        default: GPUCC_PIECES_4(16, each, first_)                                                                      \
        }                                                                                                              \
    } else {                                                                                                           \
        GPUCC_GATHERED_FIND(name)                                                                                      \
        _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) each[e] = *(const type *)places_[e];                     \
    }
/* The same of another type, for all of which branches by their types are taken at once. */
#define GPUCC_GATHERED_CONVERT(to, name, type, code)                                                                   \
    type four_[4];                                                                                                     \
    const unsigned record_ = (unsigned)name.record;                                                                    \
    struct gpucc_four bits_, high_ = {0};                                                                              \
    if (EACH == 4 && together_##name && exists[EACH - 1]) {                                                            \
        bits_ = gpucc_fetch_together(GPUCC_RECORD_SIZE(record_), from_##name + (int64_t)n * name.reduced[0]);          \
        bits_ = gpucc_cast_to_##code(record_, GPUCC_EACH_OF(bits_));                                                   \
        __builtin_memcpy(four_, &bits_, sizeof(type) > 8 ? 0 : sizeof four_); /* none larger are converted so */       \
    } else {                                                                                                           \
        GPUCC_GATHERED_FIND(name)                                                                                      \
        bits_ = gpucc_fetch_four(GPUCC_RECORD_SIZE(record_), EACH, places_);                                           \
        if (sizeof(type) > 8)                                                                                          \
            high_ = gpucc_to_imaginary(record_, GPUCC_EACH_OF(bits_));                                                 \
        bits_ = gpucc_to_##code(record_, GPUCC_EACH_OF(bits_));                                                        \
        if (GPUCC_TAKES_HALVES(type) && GPUCC_RECORD_SIZE(record_) > 8) {                                              \
            _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) places_[e] += 8;                                     \
            struct gpucc_four half_ = gpucc_fetch_four(8, EACH, places_);                                              \
            half_ = gpucc_to_##code(record_, GPUCC_EACH_OF(half_));                                                    \
            gpucc_join_halves(sizeof(type), &bits_, &half_);                                                           \
        }                                                                                                              \
        _Pragma("unroll") for (unsigned e = 0; e < 4; e++)                                                             \
        {                                                                                                              \
            const struct gpucc_element element_ = {bits_.each[e], high_.each[e]};                                      \
            __builtin_memcpy(&four_[e], &element_, sizeof(type));                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) to[e] = four_[e];
#define GPUCC_EACH_OF(four) four.each[0], four.each[1], four.each[2], four.each[3]
#define GPUCC_GATHERED_LOAD(k, type, code)                                                                             \
    _Alignas(16) type each##k[EACH];                                                                                   \
    if (!in##k.data) {                                                                                                 \
        gpucc_u64 value_[2] = {in##k.value[0], in##k.value[1]};                                                        \
        GPUCC_HIDE(value_[0]);                                                                                         \
        GPUCC_HIDE(value_[1]);                                                                                         \
        _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) __builtin_memcpy(&each##k[e], value_, sizeof(type));     \
    } else if (in##k.record) {                                                                                         \
        GPUCC_GATHERED_CONVERT(each##k, in##k, type, code)                                                             \
    } else {                                                                                                           \
        GPUCC_GATHERED_COPY(each##k, in##k, type)                                                                      \
    }
#define GPUCC_GATHERED_ELEMENT(k, type, code) const type v##k = each##k[e];
/* Loads these elements into x. */
#define GPUCC_GATHER(x)                                                                                                \
    {                                                                                                                  \
        GPUCC_GATHERED(GPUCC_GATHERED_LOAD)                                                                            \
        _Pragma("unroll") for (unsigned e = 0; e < EACH; e++)                                                          \
        {                                                                                                              \
            GPUCC_GATHERED(GPUCC_GATHERED_ELEMENT)                                                                     \
            x[e] = GPUCC_SYMBOL(_element)(0 GPUCC_GATHERED(GPUCC_ARGUMENT));                                           \
        }                                                                                                              \
    }
/* Not 0 for those that the mask lets take part.  What is loaded here is not looked at before the elements are on their
 * way. */
#define GPUCC_GATHER_MASK(bytes)                                                                                       \
    _Alignas(4) uint8_t bytes[EACH];                                                                                   \
    _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) bytes[e] = 1;                                                \
    if (mask.data) {                                                                                                   \
        GPUCC_GATHERED_COPY(bytes, mask, uint8_t)                                                                      \
    }

static inline __attribute__((always_inline)) GPUCC_TYPE GPUCC_SYMBOL(_element)(int unused
                                                                               GPUCC_GATHERED(GPUCC_PARAMETER))
{
    (void)unused;
#if GPUCC_IS_FUSED
    unsigned slow = 0;
    GPUCC_CALL_QUICK
    if (__builtin_expect(slow, 0)) {
        GPUCC_CALL_CAREFUL
        return r0;
    }
    return r0;
#else
    return v0;
#endif
}

/* A result goes to its place: as it is, or as an element of the type that the record says, where that is not 0. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_put_gathered)(unsigned record, char *place,
                                                                              GPUCC_TYPE result)
{
    struct gpucc_element bits = {0, 0};
    __builtin_memcpy(&bits, &result, sizeof result);
    if (!record)
        *(GPUCC_TYPE *)place = result;
    else if (sizeof result > 8)
        gpucc_give_complex(record, place, 0, 1, bits.low, 0, 0, 0, bits.high, 0, 0, 0);
    else
        GPUCC_GIVE_RESULT(record, place, 0, 1, bits.low, 0, 0, 0);
}

/* `a` becomes what it and `b` make together, of which either may not be there. */
#define GPUCC_JOIN_SOME(a, has_a, b, has_b)                                                                            \
    {                                                                                                                  \
        const GPUCC_TYPE both_ = GPUCC_BY(_combine)(a, b);                                                             \
        a = (has_b) ? (has_a) ? both_ : b : a;                                                                         \
        has_a |= has_b;                                                                                                \
    }

#if GPUCC_REORDERABLE
/* Lanes with the bit clear go on with the part `a`, the others with `b`: each combines what it has of it with what the
 * lane has that differs in the bit.  Bits of `has` and `others` say of which parts there is something, in this lane and
 * in the other one.  Part `a` becomes what comes out, and has_a whether there is something. */
#define GPUCC_EXCHANGE_PARTS(a, b, bit, has, others)                                                                   \
    int has_##a;                                                                                                       \
    {                                                                                                                  \
        const _Bool upper_ = (lane & (bit)) != 0;                                                                      \
        const GPUCC_TYPE mine_ = upper_ ? x[b] : x[a];                                                                 \
        const GPUCC_TYPE other_ = GPUCC_BY(_of_lane)(upper_ ? x[a] : x[b], lane, bit);                                 \
        const int has_mine_ = (has) >> (upper_ ? b : a) & 1, has_other_ = (others) >> (upper_ ? b : a) & 1;            \
        const GPUCC_TYPE second_ = upper_ ? mine_ : other_;                                                            \
        const int has_second_ = upper_ ? has_mine_ : has_other_;                                                       \
        x[a] = upper_ ? other_ : mine_;                                                                                \
        has_##a = upper_ ? has_other_ : has_mine_;                                                                     \
        GPUCC_JOIN_SOME(x[a], has_##a, second_, has_second_)                                                           \
    }
/* Combines four parts in the first lane: two exchanges leave each lane a part of one, and in each later step fewer
 * lanes' values matter.  A single part takes part in every lane. */
#define GPUCC_JOIN_PARTS(is_single)                                                                                    \
    if (lanes == 1) {                                                                                                  \
        int has_0 = has & 1, has_2 = has >> 2 & 1;                                                                     \
        GPUCC_JOIN_SOME(x[0], has_0, x[1], (has >> 1 & 1))                                                             \
        GPUCC_JOIN_SOME(x[2], has_2, x[3], (has >> 3 & 1))                                                             \
        GPUCC_JOIN_SOME(x[0], has_0, x[2], has_2)                                                                      \
        has = has_0;                                                                                                   \
    } else {                                                                                                           \
        if (!(is_single)) {                                                                                            \
            const int others = (int)GPUCC_EXCHANGE_WORD((gpucc_word)has, 1);                                           \
            GPUCC_EXCHANGE_PARTS(0, 2, 1, has, others)                                                                 \
            GPUCC_EXCHANGE_PARTS(1, 3, 1, has, others)                                                                 \
            has = has_0 | has_1 << 1;                                                                                  \
            const int next = (int)GPUCC_EXCHANGE_WORD((gpucc_word)has, 2);                                             \
            {                                                                                                          \
                GPUCC_EXCHANGE_PARTS(0, 1, 2, has, next)                                                               \
                has = has_0;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        has &= 1;                                                                                                      \
        const unsigned last = (is_single) ? lanes / 2 : 2 * lanes;                                                     \
        _Pragma("nounroll") for (unsigned size = (is_single) ? 1 : 4; size <= last; size *= 2)                         \
        {                                                                                                              \
            const unsigned bit = size < lanes ? size : size == lanes ? 2 : 1; /* the last two join parts */            \
            const GPUCC_TYPE other = GPUCC_BY(_of_lane)(x[0], lane, bit);                                              \
            const int other_has = (int)GPUCC_EXCHANGE_WORD((gpucc_word)has, bit);                                      \
            GPUCC_JOIN_SOME(x[0], has, other, other_has)                                                               \
        }                                                                                                              \
    }

/* A group is four parts, each of four neighbours of every lane, which become one before lanes exchange theirs.  A lane
 * that has none of a part computes the run's first element, and drops it.  Inline phases would change the PTX. */
void GPUCC_SYMBOL(_gathered)(const struct gpucc_gather it,
                             const struct gpucc_gathered mask GPUCC_GATHERED(GPUCC_GATHERED_PARAMETER))
{
    enum { EACH = 4, PARTS = GPUCC_GATHERED_ELEMENTS / EACH };
    const unsigned lanes = 1u << it.lane_bits, lane = gpucc_threadIdx.x % 32, own_lane = lane & (lanes - 1);
    const unsigned part = EACH * lanes, unit = lane >> it.lane_bits; /* of the warp, whose units come together */
    const gpucc_u64 items = it.outputs * it.runs, step = gpucc_gridsize_1() >> it.lane_bits;
    GPUCC_TYPE *const stack = (GPUCC_TYPE *)gpucc_dynamic_shared_at(0) + gpucc_threadIdx.x; /* as in S_across */
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1() >> it.lane_bits; item - unit < items; item += step)
    {
        const gpucc_u64 done = item < items ? item : items - 1; /* the last one again where there is none */
        const gpucc_u64 run = it.runs == 1 ? 0 : done / it.outputs, output = done - run * it.outputs;
        gpucc_u64 begin = run * it.run;
        const gpucc_u64 left = it.length - begin;
        unsigned count = (unsigned)(left < it.run ? left : it.run);
        GPUCC_GATHERED_SLICE
        GPUCC_GATHERED(GPUCC_GATHERED_INPUT_PLACE)
        GPUCC_GATHERED_PLACE(mask)
        GPUCC_TYPE sum = {0};
        unsigned top = 0, stack_has = 0, group = 0;
        int has_sum = 0;
        _Pragma("nounroll") for (unsigned first = 0; first < count; first += PARTS * part)
        {
            GPUCC_TYPE x[PARTS] = {0};
            int has = 0; /* a bit for each part */
            _Pragma("nounroll") for (unsigned p = 0; p < PARTS; p++)
            {
                GPUCC_SHIFT(x, PARTS) /* in the place of one that is not there is the one before it */
                has >>= 1;
                if (first + p * part < count) {
                    const unsigned n = first + p * part + EACH * own_lane;
                    GPUCC_TYPE y[EACH];
                    int exists[EACH], there[EACH];
                    _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) exists[e] = n + e < count;
                    GPUCC_GATHER_MASK(bytes)
                    GPUCC_GATHER(y)
                    _Pragma("unroll") for (unsigned e = 0; e < EACH; e++) there[e] = exists[e] & (bytes[e] != 0);
                    GPUCC_JOIN_SOME(y[0], there[0], y[1], there[1])
                    GPUCC_JOIN_SOME(y[2], there[2], y[3], there[3])
                    GPUCC_JOIN_SOME(y[0], there[0], y[2], there[2])
                    x[PARTS - 1] = y[0];
                    has |= there[0] << (PARTS - 1);
                }
            }
            /* Units of a warp take the same steps, also where their slices differ. */
            const unsigned longest = GPUCC_HAS_SLICES && lanes < 32 ? (unsigned)it.length : count;
            GPUCC_JOIN_PARTS(longest - first <= part)
            /* With those before it, as in a binary counter. */
            sum = x[0];
            has_sum = has;
            _Pragma("nounroll") for (unsigned c = ++group; !(c & 1); c >>= 1)
            {
                GPUCC_TYPE before = stack[--top * gpucc_blockDim.x];
                int has_before = stack_has >> top & 1;
                GPUCC_JOIN_SOME(before, has_before, sum, has_sum)
                sum = before;
                has_sum = has_before;
            }
            stack[top * gpucc_blockDim.x] = sum;
            stack_has = (stack_has & ~(1u << top)) | (unsigned)has_sum << top;
            top++;
        }
        top--;
        _Pragma("nounroll") while (top > 0)
        {
            GPUCC_TYPE before = stack[--top * gpucc_blockDim.x];
            int has_before = stack_has >> top & 1;
            GPUCC_JOIN_SOME(before, has_before, sum, has_sum)
            sum = before;
            has_sum = has_before;
        }
        if (own_lane == 0 && item < items) {
            GPUCC_TYPE initial;
            gpucc_u64 bits[2] = {it.initial[0], it.initial[1]};
            GPUCC_HIDE(bits[0]);
            GPUCC_HIDE(bits[1]);
            __builtin_memcpy(&initial, bits, sizeof initial);
            if (it.runs == 1 && it.has_initial && has_sum)
                sum = GPUCC_BY(_combine)(initial, sum);
            if (it.runs == 1 && !has_sum)
                sum = initial;
            if (it.some)
                it.some[run * it.outputs + output] = (uint8_t)has_sum;
            GPUCC_GATHERED_PUT(sum)
        }
    }
}
#else
void GPUCC_SYMBOL(_gathered)(const struct gpucc_gather it,
                             const struct gpucc_gathered mask GPUCC_GATHERED(GPUCC_GATHERED_PARAMETER))
{
    enum { EACH = 1 };
    const gpucc_u64 items = it.outputs * it.runs, step = gpucc_gridsize_1();
    const int exists[] = {1};
    GPUCC_TYPE initial;
    gpucc_u64 bits[2] = {it.initial[0], it.initial[1]};
    GPUCC_HIDE(bits[0]);
    GPUCC_HIDE(bits[1]);
    __builtin_memcpy(&initial, bits, sizeof initial);
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1(); item < items; item += step)
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / it.outputs, output = item - run * it.outputs;
        gpucc_u64 begin = 0, count = it.length;
        GPUCC_HIDE(count);
        GPUCC_GATHERED_SLICE
        GPUCC_GATHERED(GPUCC_GATHERED_INPUT_PLACE)
        GPUCC_GATHERED_PLACE(mask)
        GPUCC_TYPE sum = initial;
        int has_sum = it.has_initial != 0;
        _Pragma("nounroll") for (gpucc_u64 n = 0; n < count; n++)
        {
            GPUCC_TYPE x[EACH];
            GPUCC_GATHER_MASK(bytes)
            if (!bytes[0])
                continue;
            GPUCC_GATHER(x)
            sum = has_sum ? GPUCC_BY(_combine)(sum, x[0]) : x[0];
            has_sum = 1;
        }
        GPUCC_GATHERED_PUT(sum)
    }
}
#endif

#undef GPUCC_DECLARE_TO
#undef GPUCC_GATHERED_PARAMETER
#undef GPUCC_HAS_SLICES
#undef GPUCC_GATHERED_SLICE
#undef GPUCC_GATHERED_RUN
#undef GPUCC_GATHERED_PUT
#undef GPUCC_GATHERED_PLACE
#undef GPUCC_GATHERED_INPUT_PLACE
#undef GPUCC_GATHERED_FIND
#undef GPUCC_GATHERED_COPY
#undef GPUCC_GATHERED_CONVERT
#undef GPUCC_EACH_OF
#undef GPUCC_GATHERED_LOAD
#undef GPUCC_GATHERED_ELEMENT
#undef GPUCC_GATHER
#undef GPUCC_GATHER_MASK
#undef GPUCC_JOIN_SOME
#undef GPUCC_EXCHANGE_PARTS
#undef GPUCC_JOIN_PARTS
