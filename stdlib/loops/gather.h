/* Reductions on the GPU of elements that are computed on the way, or do not all take part (see <gpucc/loops.h>):
 * S_gathered.  loops.c defines, besides what operand.h lists:
 *   GPUCC_TYPE          the elements' C type
 *   GPUCC_REORDERABLE   1: in the fixed tree; 0: from the left
 *   GPUCC_GATHERED(X)   X(index, C type, code) for each input
 *   GPUCC_IS_FUSED      1: the elements are what S makes of the inputs; 0: they are the input
 *   GPUCC_BY(suffix)    what combine.h has defined for the ufunc that combines them
 */
#include <loops/element.h>

#define GPUCC_GATHERED_PARAMETER(k, type, code) , const struct gpucc_gathered in##k
/* An input's first element of an output; null where all elements are one value. */
#define GPUCC_GATHERED_PLACE(k, type, code)                                                                            \
    const char *const at##k =                                                                                          \
        in##k.data ? in##k.data + gpucc_offset(output, it.kept_dims, it.kept_shape, in##k.kept) : (const char *)0;
#define GPUCC_GATHERED_VALUE(k, type, code)                                                                            \
    type c##k;                                                                                                         \
    {                                                                                                                  \
        gpucc_u64 bits_[2] = {in##k.value[0], in##k.value[1]};                                                         \
        GPUCC_HIDE(bits_[0]);                                                                                          \
        GPUCC_HIDE(bits_[1]);                                                                                          \
        __builtin_memcpy(&c##k, bits_, sizeof c##k);                                                                   \
    }
/* Element number r of the output. */
#define GPUCC_GATHERED_OFFSET(r, operand)                                                                              \
    (it.reduced_dims == 1 ? (int64_t)(r) * (operand).reduced[0]                                                        \
                          : gpucc_offset(r, it.reduced_dims, it.reduced_shape, (operand).reduced))
#define GPUCC_GATHERED_LOAD(k, type, code)                                                                             \
    type v##k = c##k;                                                                                                  \
    if (at##k)                                                                                                         \
        v##k = *(const type *)(at##k + GPUCC_GATHERED_OFFSET(r_, in##k));
/* Element number r of the output, where none is converted. */
#define GPUCC_GATHER_PLAIN(x, r)                                                                                       \
    {                                                                                                                  \
        const gpucc_u64 r_ = r;                                                                                        \
        GPUCC_GATHERED(GPUCC_GATHERED_LOAD)                                                                            \
        x = GPUCC_SYMBOL(_element)(0 GPUCC_GATHERED(GPUCC_ARGUMENT));                                                  \
    }
/* Elements number r[0] … r[3], and one. */
#if GPUCC_IS_FUSED
#define GPUCC_GATHER_FOUR(x, r) _Pragma("unroll") for (unsigned k_ = 0; k_ < 4; k_++) GPUCC_GATHER_PLAIN(x[k_], r[k_])
#define GPUCC_GATHER_ONE GPUCC_GATHER_PLAIN
#else
#define GPUCC_GATHER_FOUR(x, r)                                                                                        \
    if (it.record) {                                                                                                   \
        const char *from_[4];                                                                                          \
        _Pragma("unroll") for (unsigned k_ = 0; k_ < 4; k_++) from_[k_] = at0 + GPUCC_GATHERED_OFFSET(r[k_], in0);     \
        GPUCC_SYMBOL(_convert)((unsigned)it.record, from_, x);                                                         \
    } else {                                                                                                           \
        _Pragma("unroll") for (unsigned k_ = 0; k_ < 4; k_++) GPUCC_GATHER_PLAIN(x[k_], r[k_])                         \
    }
#define GPUCC_GATHER_ONE(x, r)                                                                                         \
    if (it.record) {                                                                                                   \
        GPUCC_TYPE four_[4];                                                                                           \
        const char *const at_ = at0 + GPUCC_GATHERED_OFFSET(r, in0), *const from_[] = {at_, at_, at_, at_};            \
        GPUCC_SYMBOL(_convert)((unsigned)it.record, from_, four_);                                                     \
        x = four_[0];                                                                                                  \
    } else {                                                                                                           \
        GPUCC_GATHER_PLAIN(x, r)                                                                                       \
    }
#endif
#define GPUCC_TAKES_PART(r) (!mask_at || mask_at[GPUCC_GATHERED_OFFSET(r, mask)])

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

#if !GPUCC_IS_FUSED
extern struct gpucc_four gpucc_to_imaginary(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define GPUCC_DECLARE_TO(k, type, code)                                                                                \
    extern struct gpucc_four gpucc_to_##code(unsigned record, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define GPUCC_CONVERT_TO(k, type, code) gpucc_to_##code(record, low.each[0], low.each[1], low.each[2], low.each[3])
GPUCC_GATHERED(GPUCC_DECLARE_TO)

/* Four elements of another type, for all of which its branches are taken at once. */
static inline __attribute__((always_inline)) void GPUCC_SYMBOL(_convert)(unsigned record, const char *const *from,
                                                                         GPUCC_TYPE *x)
{
    const unsigned size = GPUCC_RECORD_SIZE(record);
    struct gpucc_four low, high = {0};
    _Pragma("unroll") for (unsigned k = 0; k < 4; k++) low.each[k] = gpucc_fetch(size, from[k]).low;
    if (sizeof *x > 8)
        high = gpucc_to_imaginary(record, low.each[0], low.each[1], low.each[2], low.each[3]);
    low = GPUCC_GATHERED(GPUCC_CONVERT_TO);
    _Pragma("unroll") for (unsigned k = 0; k < 4; k++)
    {
        const struct gpucc_element element = {low.each[k], high.each[k]};
        __builtin_memcpy(&x[k], &element, sizeof *x);
    }
}
#endif

/* `a` becomes what it and `b` make together, of which either may not be there. */
#define GPUCC_JOIN_SOME(a, has_a, b, has_b)                                                                            \
    if (has_b) {                                                                                                       \
        a = (has_a) ? GPUCC_BY(_combine)(a, b) : b;                                                                    \
        has_a = 1;                                                                                                     \
    }

#if GPUCC_REORDERABLE
/* A group is four neighbours of each lane, which become one before lanes exchange theirs.  A lane that has none
 * computes the run's first element, so that nothing need be skipped, and drops it. */
void GPUCC_SYMBOL(_gathered)(const struct gpucc_gather it,
                             const struct gpucc_gathered mask GPUCC_GATHERED(GPUCC_GATHERED_PARAMETER))
{
    enum { EACH = 4 };
    const unsigned lanes = 1u << it.lane_bits, lane = gpucc_threadIdx.x % 32, first_lane = lane & (lanes - 1);
    const gpucc_u64 items = it.outputs * it.runs, step = gpucc_gridsize_1() >> it.lane_bits;
    GPUCC_GATHERED(GPUCC_GATHERED_VALUE)
    _Pragma("nounroll") for (gpucc_u64 item = gpucc_grid_1() >> it.lane_bits; item < items; item += step)
    {
        const gpucc_u64 run = it.runs == 1 ? 0 : item / it.outputs, output = item - run * it.outputs;
        const gpucc_u64 begin = run * it.run, left = it.length - begin, count = left < it.run ? left : it.run;
        GPUCC_GATHERED(GPUCC_GATHERED_PLACE)
        const char *const mask_at =
            mask.data ? mask.data + gpucc_offset(output, it.kept_dims, it.kept_shape, mask.kept) : (const char *)0;
        GPUCC_TYPE stack[GPUCC_STACK], sum = {0};
        unsigned top = 0, stack_has = 0;
        int has = 0;
        _Pragma("nounroll") for (gpucc_u64 first = 0; first < count; first += EACH * lanes)
        {
            GPUCC_TYPE x[EACH];
            gpucc_u64 r[EACH];
            int there[EACH];
            _Pragma("unroll") for (unsigned k = 0; k < EACH; k++)
            {
                const gpucc_u64 at = first + EACH * first_lane + k;
                r[k] = begin + (at < count ? at : 0);
                there[k] = at < count && GPUCC_TAKES_PART(r[k]);
            }
            GPUCC_GATHER_FOUR(x, r)
            GPUCC_JOIN_SOME(x[0], there[0], x[1], there[1])
            GPUCC_JOIN_SOME(x[2], there[2], x[3], there[3])
            GPUCC_JOIN_SOME(x[0], there[0], x[2], there[2])
            _Pragma("nounroll") for (unsigned bit = 1; bit < lanes; bit *= 2)
            {
                const GPUCC_TYPE other = GPUCC_BY(_of_lane)(x[0], lane, bit);
                const int other_there = (int)GPUCC_EXCHANGE_WORD((gpucc_word)there[0], bit);
                if (!(lane & bit))
                    GPUCC_JOIN_SOME(x[0], there[0], other, other_there)
            }
            /* With those before it, as in a binary counter. */
            sum = x[0];
            has = there[0];
            _Pragma("nounroll") for (gpucc_u64 c = first / (EACH * lanes) + 1; !(c & 1); c >>= 1)
            {
                GPUCC_TYPE before = stack[--top];
                int before_has = stack_has >> top & 1;
                GPUCC_JOIN_SOME(before, before_has, sum, has)
                sum = before;
                has = before_has;
            }
            stack[top] = sum;
            stack_has = (stack_has & ~(1u << top)) | (unsigned)has << top;
            top++;
        }
        top--;
        _Pragma("nounroll") while (top > 0)
        {
            GPUCC_TYPE before = stack[--top];
            int before_has = stack_has >> top & 1;
            GPUCC_JOIN_SOME(before, before_has, sum, has)
            sum = before;
            has = before_has;
        }
        if (first_lane == 0) {
            GPUCC_TYPE initial;
            gpucc_u64 bits[2] = {it.initial[0], it.initial[1]};
            GPUCC_HIDE(bits[0]);
            GPUCC_HIDE(bits[1]);
            __builtin_memcpy(&initial, bits, sizeof initial);
            if (it.runs == 1 && it.has_initial && has)
                sum = GPUCC_BY(_combine)(initial, sum);
            if (it.runs == 1 && !has)
                sum = initial;
            if (it.some)
                it.some[run * it.outputs + output] = (uint8_t)has;
            *(GPUCC_TYPE *)(it.out + gpucc_offset(output, it.kept_dims, it.kept_shape, it.kept_out) +
                            (int64_t)run * it.run_out) = sum;
        }
    }
}
#else
void GPUCC_SYMBOL(_gathered)(const struct gpucc_gather it,
                             const struct gpucc_gathered mask GPUCC_GATHERED(GPUCC_GATHERED_PARAMETER))
{
    const gpucc_u64 step = gpucc_gridsize_1();
    GPUCC_TYPE initial;
    gpucc_u64 bits[2] = {it.initial[0], it.initial[1]};
    GPUCC_HIDE(bits[0]);
    GPUCC_HIDE(bits[1]);
    __builtin_memcpy(&initial, bits, sizeof initial);
    GPUCC_GATHERED(GPUCC_GATHERED_VALUE)
    _Pragma("nounroll") for (gpucc_u64 output = gpucc_grid_1(); output < it.outputs; output += step)
    {
        GPUCC_GATHERED(GPUCC_GATHERED_PLACE)
        const char *const mask_at =
            mask.data ? mask.data + gpucc_offset(output, it.kept_dims, it.kept_shape, mask.kept) : (const char *)0;
        GPUCC_TYPE sum = initial;
        int has = it.has_initial != 0;
        _Pragma("nounroll") for (gpucc_u64 r = 0; r < it.length; r++)
        {
            if (!GPUCC_TAKES_PART(r))
                continue;
            GPUCC_TYPE x;
            GPUCC_GATHER_ONE(x, r)
            GPUCC_JOIN_SOME(sum, has, x, 1)
        }
        *(GPUCC_TYPE *)(it.out + gpucc_offset(output, it.kept_dims, it.kept_shape, it.kept_out)) = sum;
    }
}
#endif

#undef GPUCC_GATHERED_PARAMETER
#undef GPUCC_GATHERED_PLACE
#undef GPUCC_GATHERED_VALUE
#undef GPUCC_GATHERED_OFFSET
#undef GPUCC_GATHERED_LOAD
#undef GPUCC_TAKES_PART
#undef GPUCC_GATHER_PLAIN
#undef GPUCC_GATHER_ONE
#undef GPUCC_GATHER_FOUR
#undef GPUCC_DECLARE_TO
#undef GPUCC_CONVERT_TO
#undef GPUCC_JOIN_SOME
