/* Warp operations: the 32 lanes of a warp exchange values without memory; part of <gpucc.h>.
 *
 * `mask` has a bit for each lane that takes part, the calling one included.  Each of these lanes must execute the same
 * operation with the same mask, unless it has ended.
 *
 *   shfl_sync(mask, value, lane)      the value of that lane, of any scalar or struct type
 *   shfl_up_sync(mask, value, n)      the value of the lane n below;  shfl_down_sync(mask, value, n): n above
 *   shfl_xor_sync(mask, value, bits)  the value of the lane whose number differs in these bits
 *       With a fourth argument `width`, a power of two, the warp is that many lanes wide.  If the lane is outside, the
 *       result is the caller's own value.  Lanes, n and bits count modulo 32.
 *   all_sync(mask, p) any_sync(mask, p) eq_sync(mask, p)   whether all have p, any has, all agree;
 *       ballot_sync(mask, p): the lanes that have p
 *   match_any_sync(mask, value)       the lanes with the same value, of up to 8 bytes, compared bit by bit
 *   match_all_sync(mask, value, int *all)   `mask` if all have the same value, else 0; *all is 1 or
 *       0
 *   reduce_add_sync reduce_min_sync reduce_max_sync reduce_and_sync reduce_or_sync reduce_xor_sync(mask, value)
 *       over 32- and 64-bit integers
 *   activemask()                      the lanes that are executing together with this one
 *   lanemask_lt() _le _eq _ge _gt     the lanes below this one, and so on
 */
#ifndef GPUCC_WARP_H
#define GPUCC_WARP_H

#if defined(__NVPTX__)

#define gpucc_activemask() __nvvm_activemask()
#define gpucc_lanemask_lt() ((unsigned)__nvvm_read_ptx_sreg_lanemask_lt())
#define gpucc_lanemask_le() ((unsigned)__nvvm_read_ptx_sreg_lanemask_le())
#define gpucc_lanemask_eq() ((unsigned)__nvvm_read_ptx_sreg_lanemask_eq())
#define gpucc_lanemask_ge() ((unsigned)__nvvm_read_ptx_sreg_lanemask_ge())
#define gpucc_lanemask_gt() ((unsigned)__nvvm_read_ptx_sreg_lanemask_gt())
#define gpucc_all_sync(mask, predicate) ((int)__nvvm_vote_all_sync(mask, (predicate) != 0))
#define gpucc_any_sync(mask, predicate) ((int)__nvvm_vote_any_sync(mask, (predicate) != 0))
#define gpucc_eq_sync(mask, predicate) ((int)__nvvm_vote_uni_sync(mask, (predicate) != 0))
#define gpucc_ballot_sync(mask, predicate) __nvvm_vote_ballot_sync(mask, (predicate) != 0)

/* The operand after the lane in PTX: the sub-warps' width in the upper byte, and where the last lane is. */
#define GPUCC_SHUFFLE_idx(mask, word, by, width) __nvvm_shfl_sync_idx_i32(mask, word, by, (32 - (width)) << 8 | 31)
#define GPUCC_SHUFFLE_up(mask, word, by, width) __nvvm_shfl_sync_up_i32(mask, word, by, (32 - (width)) << 8)
#define GPUCC_SHUFFLE_down(mask, word, by, width) __nvvm_shfl_sync_down_i32(mask, word, by, (32 - (width)) << 8 | 31)
#define GPUCC_SHUFFLE_xor(mask, word, by, width) __nvvm_shfl_sync_bfly_i32(mask, word, by, (32 - (width)) << 8 | 31)
typedef int gpucc_shuffle_word;

#if __CUDA_ARCH__ >= 700

GPUCC_INLINE unsigned gpucc_match_any(unsigned mask, uint64_t bits, size_t size)
{
    return size <= 4 ? __nvvm_match_any_sync_i32(mask, (unsigned)bits) : __nvvm_match_any_sync_i64(mask, (long)bits);
}

GPUCC_INLINE unsigned gpucc_match_all(unsigned mask, uint64_t bits, size_t size, int *all)
{
    return size <= 4 ? __nvvm_match_all_sync_i32p(mask, (unsigned)bits, all)
                     : __nvvm_match_all_sync_i64p(mask, (long)bits, all);
}

#else

/* The value of the lane that is first in `lanes`, which all agree about. */
GPUCC_INLINE uint64_t gpucc_first_bits(unsigned mask, unsigned lanes, uint64_t bits)
{
    const int lane = __builtin_ctz(lanes);
    const unsigned low = (unsigned)__nvvm_shfl_sync_idx_i32(mask, (int)bits, lane, 31);
    const unsigned high = (unsigned)__nvvm_shfl_sync_idx_i32(mask, (int)(bits >> 32), lane, 31);
    return (uint64_t)high << 32 | low;
}

/* One value after another, until all lanes have found theirs. */
GPUCC_INLINE unsigned gpucc_match_any(unsigned mask, uint64_t bits, size_t size)
{
    unsigned mine = 0;
    (void)size;
    for (unsigned left = gpucc_ballot_sync(mask, 1), same; left; left &= ~same) {
        const _Bool equal = gpucc_first_bits(mask, left, bits) == bits;
        same = gpucc_ballot_sync(mask, equal);
        mine = equal ? same : mine;
    }
    return mine;
}

GPUCC_INLINE unsigned gpucc_match_all(unsigned mask, uint64_t bits, size_t size, int *all)
{
    const unsigned there = gpucc_ballot_sync(mask, 1);
    (void)size;
    *all = gpucc_all_sync(mask, gpucc_first_bits(mask, there, bits) == bits);
    return *all ? there : 0;
}

#endif

#else

#define gpucc_activemask() gpucc_cpu_warp_active(__COUNTER__)
#define gpucc_lanemask_eq() (1u << gpucc_laneid)
#define gpucc_lanemask_lt() (gpucc_lanemask_eq() - 1)
#define gpucc_lanemask_le() (gpucc_lanemask_lt() | gpucc_lanemask_eq())
#define gpucc_lanemask_ge() (~gpucc_lanemask_lt())
#define gpucc_lanemask_gt() (~gpucc_lanemask_le())

GPUCC_INLINE int gpucc_all_sync(unsigned mask, int predicate)
{
    uint64_t votes = gpucc_cpu_warp_vote(mask, predicate);
    return (unsigned)votes == votes >> 32;
}

GPUCC_INLINE int gpucc_any_sync(unsigned mask, int predicate)
{
    return (unsigned)gpucc_cpu_warp_vote(mask, predicate) != 0;
}

GPUCC_INLINE int gpucc_eq_sync(unsigned mask, int predicate)
{
    uint64_t votes = gpucc_cpu_warp_vote(mask, predicate);
    return (unsigned)votes == 0 || (unsigned)votes == votes >> 32;
}

#define gpucc_all_sync(mask, predicate) gpucc_all_sync(mask, (predicate) != 0)
#define gpucc_any_sync(mask, predicate) gpucc_any_sync(mask, (predicate) != 0)
#define gpucc_eq_sync(mask, predicate) gpucc_eq_sync(mask, (predicate) != 0)
#define gpucc_ballot_sync(mask, predicate) ((unsigned)gpucc_cpu_warp_vote(mask, (predicate) != 0))

/* The lane to read, or one's own where that is outside the sub-warp.  Distances are numbers of 5 bits, as in PTX. */
GPUCC_INLINE unsigned gpucc_lane_idx(unsigned lane, unsigned by, unsigned width)
{
    return (lane & ~(width - 1)) | (by & (width - 1));
}

GPUCC_INLINE unsigned gpucc_lane_up(unsigned lane, unsigned by, unsigned width)
{
    by %= 32;
    return by <= (lane & (width - 1)) ? lane - by : lane;
}

GPUCC_INLINE unsigned gpucc_lane_down(unsigned lane, unsigned by, unsigned width)
{
    by %= 32;
    return by < width - (lane & (width - 1)) ? lane + by : lane;
}

GPUCC_INLINE unsigned gpucc_lane_xor(unsigned lane, unsigned by, unsigned width)
{
    by %= 32;
    return (lane ^ by) <= (lane | (width - 1)) ? lane ^ by : lane;
}

#define GPUCC_SHUFFLE_idx(mask, word, by, width)                                                                       \
    gpucc_cpu_warp_shuffle(mask, word, gpucc_lane_idx(gpucc_laneid, by, width))
#define GPUCC_SHUFFLE_up(mask, word, by, width)                                                                        \
    gpucc_cpu_warp_shuffle(mask, word, gpucc_lane_up(gpucc_laneid, by, width))
#define GPUCC_SHUFFLE_down(mask, word, by, width)                                                                      \
    gpucc_cpu_warp_shuffle(mask, word, gpucc_lane_down(gpucc_laneid, by, width))
#define GPUCC_SHUFFLE_xor(mask, word, by, width)                                                                       \
    gpucc_cpu_warp_shuffle(mask, word, gpucc_lane_xor(gpucc_laneid, by, width))
typedef uint64_t gpucc_shuffle_word;

GPUCC_INLINE unsigned gpucc_match_any(unsigned mask, uint64_t bits, size_t size)
{
    (void)size;
    return (unsigned)gpucc_cpu_warp_match(mask, bits);
}

GPUCC_INLINE unsigned gpucc_match_all(unsigned mask, uint64_t bits, size_t size, int *all)
{
    uint64_t lanes = gpucc_cpu_warp_match(mask, bits);
    (void)size;
    *all = (unsigned)lanes == lanes >> 32;
    return *all ? (unsigned)lanes : 0;
}

#endif

/* ---- shuffles: word by word.  A macro, as much here, because what a program does not use then costs no time.  Numbers
 * have functions, which adjoints know.  A mode goes into names at once: <iso646.h> makes a macro of xor. ---- */

#define GPUCC_SHUFFLE_WORDS(shuffle, shuffled, lanes, far, width)                                                      \
    GPUCC_SHUFFLE_BYTES(shuffle, &shuffled, sizeof shuffled, lanes, far, width)
#define GPUCC_SHUFFLE_BYTES(shuffle, from, count, lanes, far, width)                                                   \
    do {                                                                                                               \
        char *gpucc_bytes = (char *)(from);                                                                            \
        for (size_t gpucc_left = (count), gpucc_size; gpucc_left > 0; gpucc_left -= gpucc_size) {                      \
            gpucc_shuffle_word gpucc_word = 0;                                                                         \
            gpucc_size = gpucc_left < sizeof gpucc_word ? gpucc_left : sizeof gpucc_word;                              \
            __builtin_memcpy(&gpucc_word, gpucc_bytes, gpucc_size);                                                    \
            gpucc_word = shuffle(lanes, gpucc_word, far, width);                                                       \
            __builtin_memcpy(gpucc_bytes, &gpucc_word, gpucc_size);                                                    \
            gpucc_bytes += gpucc_size;                                                                                 \
        }                                                                                                              \
    } while (0)
#define GPUCC_SHUFFLE_NUMBER(type, mode)                                                                               \
    GPUCC_INLINE type gpucc_shfl_##mode##_##type(unsigned mask, type value, unsigned by, unsigned width,               \
                                                 unsigned lane)                                                        \
    {                                                                                                                  \
        (void)lane; /* for adjoints */                                                                                 \
        GPUCC_SHUFFLE_WORDS(GPUCC_SHUFFLE_##mode, value, mask, by, width);                                             \
        return value;                                                                                                  \
    }
GPUCC_SHUFFLE_NUMBER(float, idx)
GPUCC_SHUFFLE_NUMBER(float, up)
GPUCC_SHUFFLE_NUMBER(float, down)
GPUCC_SHUFFLE_NUMBER(float, xor)
GPUCC_SHUFFLE_NUMBER(double, idx)
GPUCC_SHUFFLE_NUMBER(double, up)
GPUCC_SHUFFLE_NUMBER(double, down)
GPUCC_SHUFFLE_NUMBER(double, xor)
#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
GPUCC_SHUFFLE_NUMBER(float16, idx)
GPUCC_SHUFFLE_NUMBER(float16, up)
GPUCC_SHUFFLE_NUMBER(float16, down)
GPUCC_SHUFFLE_NUMBER(float16, xor)
#define GPUCC_IF_HALF(...) float16: __VA_ARGS__,
#else
#define GPUCC_IF_HALF(...)
#endif
/* As it is, its members are not known here: adjoints find them. */
#define GPUCC_SHUFFLE_STRUCT(mode)                                                                                     \
    GPUCC_INLINE void gpucc_shfl_##mode##_struct(void *bytes, size_t size, unsigned mask, unsigned by, unsigned width, \
                                                 unsigned lane)                                                        \
    {                                                                                                                  \
        (void)lane;                                                                                                    \
        GPUCC_SHUFFLE_BYTES(GPUCC_SHUFFLE_##mode, bytes, size, mask, by, width);                                       \
    }
GPUCC_SHUFFLE_STRUCT(idx)
GPUCC_SHUFFLE_STRUCT(up)
GPUCC_SHUFFLE_STRUCT(down)
GPUCC_SHUFFLE_STRUCT(xor)
enum { GPUCC_STRUCT_CLASS = 12 }; /* of __builtin_classify_type() */
#define GPUCC_SHUFFLE_AS(type, shuffle)                                                                                \
    shuffle(gpucc_lanes, _Generic(gpucc_shuffled, type: gpucc_shuffled, default: (type)0), gpucc_far, gpucc_width,     \
            gpucc_laneid)
#define GPUCC_SHUFFLE(mode, mask, value, by, width)                                                                    \
    __extension__({                                                                                                    \
        GPUCC_KEEP(gpucc_shuffled, value);                                                                             \
        const unsigned gpucc_lanes = (mask), gpucc_far = (unsigned)(by), gpucc_width = (width);                        \
        if (_Generic(gpucc_shuffled, float: 1, double: 1, GPUCC_IF_HALF(1) default: 0))                                \
            gpucc_shuffled = _Generic(gpucc_shuffled, float: GPUCC_SHUFFLE_AS(float, gpucc_shfl_##mode##_float),       \
                                      double: GPUCC_SHUFFLE_AS(double, gpucc_shfl_##mode##_double),                    \
                                      GPUCC_IF_HALF(GPUCC_SHUFFLE_AS(float16, gpucc_shfl_##mode##_float16))            \
                                      default: gpucc_shuffled);                                                        \
        else if (__builtin_classify_type(gpucc_shuffled) == GPUCC_STRUCT_CLASS)                                        \
            gpucc_shfl_##mode##_struct(&gpucc_shuffled, sizeof gpucc_shuffled, gpucc_lanes, gpucc_far, gpucc_width,    \
                                       gpucc_laneid);                                                                  \
        else                                                                                                           \
            GPUCC_SHUFFLE_WORDS(GPUCC_SHUFFLE_##mode, gpucc_shuffled, gpucc_lanes, gpucc_far, gpucc_width);            \
        gpucc_shuffled;                                                                                                \
    })
#define gpucc_shfl_sync(mask, value, ...)                                                                              \
    GPUCC_SHUFFLE(idx, mask, value, GPUCC_FIRST(__VA_ARGS__, ~), GPUCC_SECOND(__VA_ARGS__, 32, ~))
#define gpucc_shfl_up_sync(mask, value, ...)                                                                           \
    GPUCC_SHUFFLE(up, mask, value, GPUCC_FIRST(__VA_ARGS__, ~), GPUCC_SECOND(__VA_ARGS__, 32, ~))
#define gpucc_shfl_down_sync(mask, value, ...)                                                                         \
    GPUCC_SHUFFLE(down, mask, value, GPUCC_FIRST(__VA_ARGS__, ~), GPUCC_SECOND(__VA_ARGS__, 32, ~))
#define gpucc_shfl_xor_sync(mask, value, ...)                                                                          \
    GPUCC_SHUFFLE(xor, mask, value, GPUCC_FIRST(__VA_ARGS__, ~), GPUCC_SECOND(__VA_ARGS__, 32, ~))

/* ---- matches ---- */

#define GPUCC_BITS(name, value)                                                                                        \
    GPUCC_KEEP(gpucc_matched, value);                                                                                  \
    uint64_t name = 0;                                                                                                 \
    _Static_assert(sizeof gpucc_matched <= 8, "values of up to 8 bytes can be matched");                               \
    __builtin_memcpy(&name, &gpucc_matched, sizeof gpucc_matched)
#define gpucc_match_any_sync(mask, value)                                                                              \
    __extension__({                                                                                                    \
        GPUCC_BITS(gpucc_bits, value);                                                                                 \
        gpucc_match_any(mask, gpucc_bits, sizeof gpucc_matched);                                                       \
    })
#define gpucc_match_all_sync(mask, value, all)                                                                         \
    __extension__({                                                                                                    \
        GPUCC_BITS(gpucc_bits, value);                                                                                 \
        gpucc_match_all(mask, gpucc_bits, sizeof gpucc_matched, all);                                                  \
    })

/* ---- reductions ---- */

#define GPUCC_REDUCE_ONCE(mask, value, reduction)                                                                      \
    __extension__({                                                                                                    \
        const unsigned gpucc_mask = (mask);                                                                            \
        __auto_type gpucc_given = (value) + 0;                                                                         \
        _Static_assert((__typeof__(gpucc_given))0.5 == 0, "reductions are for integers");                              \
        reduction;                                                                                                     \
    })

#if defined(__NVPTX__)

/* Over the lanes that are there: in five steps where that is the whole warp, else lane by lane. */
#define GPUCC_REDUCE_WORDS(combined)                                                                                   \
    __extension__({                                                                                                    \
        const __typeof__(gpucc_given) gpucc_own = gpucc_given;                                                         \
        __typeof__(gpucc_given) gpucc_a = gpucc_given, gpucc_b;                                                        \
        const unsigned gpucc_there = gpucc_ballot_sync(gpucc_mask, 1);                                                 \
        if (gpucc_there == 0xffffffffu) {                                                                              \
            for (int gpucc_by = 16; gpucc_by > 0; gpucc_by /= 2) {                                                     \
                gpucc_b = gpucc_shfl_xor_sync(gpucc_mask, gpucc_a, gpucc_by);                                          \
                gpucc_a = combined;                                                                                    \
            }                                                                                                          \
        } else {                                                                                                       \
            gpucc_a = gpucc_shfl_sync(gpucc_mask, gpucc_own, __builtin_ctz(gpucc_there));                              \
            for (unsigned gpucc_left = gpucc_there & (gpucc_there - 1); gpucc_left; gpucc_left &= gpucc_left - 1) {    \
                gpucc_b = gpucc_shfl_sync(gpucc_mask, gpucc_own, __builtin_ctz(gpucc_left));                           \
                gpucc_a = combined;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        gpucc_a;                                                                                                       \
    })
#if __CUDA_ARCH__ >= 800
#define GPUCC_REDUCE_BY_TYPE(of_signed, of_unsigned, combined)                                                         \
    _Generic(gpucc_given, int: __nvvm_redux_sync_##of_signed((int)gpucc_given, (int)gpucc_mask),                       \
             unsigned: (unsigned)__nvvm_redux_sync_##of_unsigned(gpucc_given, (int)gpucc_mask),                        \
             default: GPUCC_REDUCE_WORDS(combined))
#else
#define GPUCC_REDUCE_BY_TYPE(of_signed, of_unsigned, combined) GPUCC_REDUCE_WORDS(combined)
#endif
#define GPUCC_REDUCE(mask, value, ...) GPUCC_REDUCE_ONCE(mask, value, GPUCC_REDUCE_BY_TYPE(__VA_ARGS__))
#define gpucc_reduce_add_sync(mask, value) GPUCC_REDUCE(mask, value, add, add, gpucc_a + gpucc_b)
#define gpucc_reduce_min_sync(mask, value) GPUCC_REDUCE(mask, value, min, umin, gpucc_a < gpucc_b ? gpucc_a : gpucc_b)
#define gpucc_reduce_max_sync(mask, value) GPUCC_REDUCE(mask, value, max, umax, gpucc_a > gpucc_b ? gpucc_a : gpucc_b)
#define gpucc_reduce_and_sync(mask, value) GPUCC_REDUCE(mask, value, and, and, gpucc_a & gpucc_b)
#define gpucc_reduce_or_sync(mask, value) GPUCC_REDUCE(mask, value, or, or, gpucc_a | gpucc_b)
#define gpucc_reduce_xor_sync(mask, value) GPUCC_REDUCE(mask, value, xor, xor, gpucc_a ^ gpucc_b)

#else

/* The executor reduces 64-bit integers: narrower ones are extended and cut. */
#define GPUCC_REDUCE_AS(type, reduction) ((type)gpucc_cpu_warp_reduce(gpucc_mask, (uint64_t)gpucc_given, reduction))
#define GPUCC_REDUCE_BY_TYPE(of_signed, of_unsigned)                                                                   \
    _Generic(gpucc_given, int32_t: GPUCC_REDUCE_AS(int32_t, of_signed),                                                \
             uint32_t: GPUCC_REDUCE_AS(uint32_t, of_unsigned), long: GPUCC_REDUCE_AS(long, of_signed),                 \
             long long: GPUCC_REDUCE_AS(long long, of_signed),                                                         \
             unsigned long: GPUCC_REDUCE_AS(unsigned long, of_unsigned),                                               \
             unsigned long long: GPUCC_REDUCE_AS(unsigned long long, of_unsigned), default: 0)
#define GPUCC_REDUCE(mask, value, ...) GPUCC_REDUCE_ONCE(mask, value, GPUCC_REDUCE_BY_TYPE(__VA_ARGS__))
#define gpucc_reduce_add_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_ADD, GPUCC_CPU_ADD)
#define gpucc_reduce_min_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_MIN, GPUCC_CPU_UMIN)
#define gpucc_reduce_max_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_MAX, GPUCC_CPU_UMAX)
#define gpucc_reduce_and_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_AND, GPUCC_CPU_AND)
#define gpucc_reduce_or_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_OR, GPUCC_CPU_OR)
#define gpucc_reduce_xor_sync(mask, value) GPUCC_REDUCE(mask, value, GPUCC_CPU_XOR, GPUCC_CPU_XOR)

#endif

#ifndef GPUCC_NO_SHORT_NAMES
#define shfl_sync(mask, value, ...) gpucc_shfl_sync(mask, value, __VA_ARGS__)
#define shfl_up_sync(mask, value, ...) gpucc_shfl_up_sync(mask, value, __VA_ARGS__)
#define shfl_down_sync(mask, value, ...) gpucc_shfl_down_sync(mask, value, __VA_ARGS__)
#define shfl_xor_sync(mask, value, ...) gpucc_shfl_xor_sync(mask, value, __VA_ARGS__)
#define all_sync(mask, predicate) gpucc_all_sync(mask, predicate)
#define any_sync(mask, predicate) gpucc_any_sync(mask, predicate)
#define eq_sync(mask, predicate) gpucc_eq_sync(mask, predicate)
#define ballot_sync(mask, predicate) gpucc_ballot_sync(mask, predicate)
#define match_any_sync(mask, value) gpucc_match_any_sync(mask, value)
#define match_all_sync(mask, value, all) gpucc_match_all_sync(mask, value, all)
#define reduce_add_sync(mask, value) gpucc_reduce_add_sync(mask, value)
#define reduce_min_sync(mask, value) gpucc_reduce_min_sync(mask, value)
#define reduce_max_sync(mask, value) gpucc_reduce_max_sync(mask, value)
#define reduce_and_sync(mask, value) gpucc_reduce_and_sync(mask, value)
#define reduce_or_sync(mask, value) gpucc_reduce_or_sync(mask, value)
#define reduce_xor_sync(mask, value) gpucc_reduce_xor_sync(mask, value)
#define activemask() gpucc_activemask()
#define lanemask_lt() gpucc_lanemask_lt()
#define lanemask_le() gpucc_lanemask_le()
#define lanemask_eq() gpucc_lanemask_eq()
#define lanemask_ge() gpucc_lanemask_ge()
#define lanemask_gt() gpucc_lanemask_gt()
#endif

#endif
