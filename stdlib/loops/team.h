/* The functions that the compiler calls when it distributes a gufunc's loops over a team of threads
 * (bridge/team_rounds.h), and the fixed tree of floating-point sums and products.  A team is a row of a block's
 * threads: one warp, or several in a block of one row; or it is several such blocks.
 *
 * Absent elements of the tree are −0 in sums and 1 in products, which change nothing that they are combined with.
 */
#ifndef GPUCC_LOOPS_TEAM_H
#define GPUCC_LOOPS_TEAM_H

#include <gpucc/loops.h>
#include <loops/lanes.h>

/* A team of several blocks, as the threads of one know it. */
static GPUCC_SECTION(".gpucc.shared") struct {
    uint64_t *values;  /* two for each block, which alternate */
    unsigned *barrier; /* of the team's blocks */
    unsigned blocks, turn;
} gpucc_team;

/* The compiler puts 1 in the place of its calls, in all that a team of one block calls. */
static unsigned gpucc_team_blocks(void)
{
    return gpucc_team.blocks;
}

static inline unsigned gpucc_team_rank(void)
{
    return gpucc_blockIdx.x & (gpucc_team_blocks() - 1);
}

/* The block's team of these has the words of room from `room` on. */
static inline void gpucc_team_begin(struct gpucc_together together)
{
    if ((gpucc_threadIdx.x | gpucc_threadIdx.y) == 0) {
        const unsigned blocks = (unsigned)together.blocks;
        uint64_t *const room = together.room + gpucc_blockIdx.x / blocks * gpucc_together_room(blocks);
        gpucc_team.barrier = (unsigned *)room;
        gpucc_team.values = room + GPUCC_TOGETHER_VALUES;
        gpucc_team.blocks = blocks;
        gpucc_team.turn = 0;
    }
    gpucc_syncthreads();
}

static unsigned gpucc_team_index(void)
{
    return gpucc_team_rank() * gpucc_blockDim.x + gpucc_threadIdx.x;
}

static unsigned gpucc_team_size(void)
{
    return gpucc_team_blocks() * gpucc_blockDim.x;
}

static inline void gpucc_team_wait(void)
{
    gpucc_blocks_sync(gpucc_team.barrier, gpucc_team.blocks, gpucc_team_rank() == 0);
}

static void gpucc_team_barrier(void)
{
    if (gpucc_team_blocks() > 1)
        gpucc_team_wait();
    else if (gpucc_blockDim.x > 32)
        gpucc_syncthreads();
    else
        GPUCC_SYNC_WARP;
}

/* A value of each warp, between barriers. */
static GPUCC_SECTION(".gpucc.shared") uint64_t gpucc_team_values[GPUCC_TEAM_THREADS_MOST / 32];

/* The value that the block `from` of the team stores where `stores` is true, in one of its threads.  Apart, for its
 * registers. */
static __attribute__((noinline)) uint64_t gpucc_team_exchange(uint64_t value, _Bool stores, unsigned from)
{
    volatile uint64_t *const values = gpucc_team.values + gpucc_team.turn * gpucc_team.blocks;
    gpucc_syncthreads(); /* all threads know whose turn it is */
    if (stores)
        values[gpucc_team_rank()] = value;
    if (gpucc_threadIdx.x == 0)
        gpucc_team.turn ^= 1;
    gpucc_team_wait();
    return values[from];
}

/* The value of the thread whose index differs in this bit.  Beyond a warp, all threads of a warp have the same one;
 * beyond a block, all threads of a block. */
static uint64_t gpucc_team_swap_64(uint64_t value, unsigned bit)
{
    const unsigned lane = gpucc_threadIdx.x % 32, warp = gpucc_threadIdx.x / 32;
    (void)lane;
    if (bit < 32) {
        GPUCC_TAKE_WORDS(value, GPUCC_EXCHANGE_WORD, bit);
        return value;
    }
    if (gpucc_team_blocks() > 1 && bit >= gpucc_blockDim.x)
        return gpucc_team_exchange(value, gpucc_threadIdx.x == 0, gpucc_team_rank() ^ bit / gpucc_blockDim.x);
    if (lane == 0)
        gpucc_team_values[warp] = value;
    gpucc_syncthreads();
    value = gpucc_team_values[warp ^ bit / 32];
    gpucc_syncthreads();
    return value;
}

static uint32_t gpucc_team_swap_32(uint32_t value, unsigned bit)
{
    const unsigned lane = gpucc_threadIdx.x % 32;
    (void)lane;
    if (bit >= 32)
        return (uint32_t)gpucc_team_swap_64(value, bit);
    GPUCC_TAKE_WORDS(value, GPUCC_EXCHANGE_WORD, bit);
    return value;
}

/* The value of the team's thread of this index. */
static uint64_t gpucc_team_fetch(uint64_t value, unsigned index)
{
    if (gpucc_team_blocks() > 1)
        return gpucc_team_exchange(value, gpucc_team_index() == index, index / gpucc_blockDim.x);
    if (gpucc_blockDim.x <= 32) {
        GPUCC_TAKE_WORDS(value, GPUCC_FETCH_WORD, index);
        return value;
    }
    if (gpucc_threadIdx.x == index)
        gpucc_team_values[0] = value;
    gpucc_syncthreads();
    value = gpucc_team_values[0];
    gpucc_syncthreads();
    return value;
}

/* Consecutive iterations that each warp runs of so many: a power of two, so that they are a subtree. */
static uint64_t gpucc_team_run(uint64_t count)
{
    const unsigned warps = gpucc_team_size() / 32;
    uint64_t run = 32;
    while (run * warps < count)
        run *= 2;
    return run;
}

/* The function of words, of the values that have their bits. */
#define GPUCC_AS_WORD(name, of_word, type, word)                                                                       \
    static inline type name(type value, unsigned where)                                                                \
    {                                                                                                                  \
        word bits;                                                                                                     \
        __builtin_memcpy(&bits, &value, sizeof bits);                                                                  \
        bits = (word)of_word(bits, where);                                                                             \
        __builtin_memcpy(&value, &bits, sizeof value);                                                                 \
        return value;                                                                                                  \
    }

/* The trees.  Of a team: lanes push consecutive elements in rounds.  state[level] is a subtree that waits for its
 * right neighbour, of 2^level lanes and as many rounds; lane k's state[5] is a complete subtree of 1024 * 2^k elements.
 * Of one thread: state[level] is a complete subtree of 2^level elements. */
#define GPUCC_CALLED __attribute__((noinline))
#define GPUCC_PUSH_LEVEL(name, level)                                                                                  \
    if (!(number >> level & 1)) {                                                                                      \
        s##level = value;                                                                                              \
        goto done;                                                                                                     \
    }                                                                                                                  \
    value = gpucc_exchange_##name(s##level, value, 1u << level);
#define GPUCC_TREES(name, type, word, operator, identity)                                                              \
    static inline type gpucc_of_lane_##name(type value, unsigned bit)                                                  \
    {                                                                                                                  \
        const unsigned lane = gpucc_threadIdx.x % 32;                                                                  \
        (void)lane;                                                                                                    \
        GPUCC_TAKE_WORDS(value, GPUCC_EXCHANGE_WORD, bit);                                                             \
        return value;                                                                                                  \
    }                                                                                                                  \
    static inline type gpucc_from_lane_##name(type value, unsigned from)                                               \
    {                                                                                                                  \
        GPUCC_TAKE_WORDS(value, GPUCC_FETCH_WORD, from);                                                               \
        return value;                                                                                                  \
    }                                                                                                                  \
    /* Lanes without the bit combine two neighbours of the earlier rounds, the others of the later ones. */            \
    static inline type gpucc_exchange_##name(type earlier, type later, unsigned bit)                                   \
    {                                                                                                                  \
        const _Bool is_later = gpucc_threadIdx.x & bit;                                                                \
        const type own = is_later ? later : earlier;                                                                   \
        const type other = gpucc_of_lane_##name(is_later ? earlier : later, bit);                                      \
        return (is_later ? other : own) operator (is_later ? own : other);                                             \
    }                                                                                                                  \
    static inline type gpucc_of_lanes_##name(type value)                                                               \
    {                                                                                                                  \
        _Pragma("unroll") for (unsigned bit = 1; bit < 32; bit *= 2)                                                   \
        {                                                                                                              \
            const type other = gpucc_of_lane_##name(value, bit);                                                       \
            value = gpucc_threadIdx.x & bit ? other operator value : value operator other;                             \
        }                                                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    static void gpucc_team_push_##name(type *state, uint64_t round, type value)                                        \
    {                                                                                                                  \
        const unsigned number = (unsigned)round % 32;                                                                  \
        type s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3], s4 = state[4], s5 = state[5];                 \
        unsigned top = 0;                                                                                              \
        GPUCC_PUSH_LEVEL(name, 0)                                                                                      \
        GPUCC_PUSH_LEVEL(name, 1)                                                                                      \
        GPUCC_PUSH_LEVEL(name, 2)                                                                                      \
        GPUCC_PUSH_LEVEL(name, 3)                                                                                      \
        GPUCC_PUSH_LEVEL(name, 4)                                                                                      \
        value = gpucc_of_lanes_##name(value);                                                                          \
        for (uint64_t rest = round / 32; rest & 1; rest /= 2)                                                          \
            value = gpucc_from_lane_##name(s5, top++) operator value;                                                  \
        s5 = gpucc_threadIdx.x % 32 == top ? value : s5;                                                               \
    done:                                                                                                              \
        state[0] = s0, state[1] = s1, state[2] = s2, state[3] = s3, state[4] = s4, state[5] = s5;                      \
    }                                                                                                                  \
    static inline type gpucc_of_warp_##name(type *state, uint64_t rounds)                                              \
    {                                                                                                                  \
        type value = identity;                                                                                         \
        unsigned level = 0;                                                                                            \
        if (rounds % 32) {                                                                                             \
            _Pragma("unroll") for (unsigned at = 0; at < 5; at++) value =                                              \
                rounds >> at & 1 ? gpucc_exchange_##name(state[at], value, 1u << at)                                   \
                                 : gpucc_exchange_##name(value, identity, 1u << at);                                   \
            value = gpucc_of_lanes_##name(value);                                                                      \
        }                                                                                                              \
        for (uint64_t rest = rounds / 32; rest; rest /= 2, level++)                                                    \
            if (rest & 1)                                                                                              \
                value = gpucc_from_lane_##name(state[5], level) operator value;                                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    GPUCC_AS_WORD(gpucc_swap_##name, gpucc_team_swap_64, type, word)                                                   \
    GPUCC_AS_WORD(gpucc_of_team_##name, gpucc_team_fetch, type, word)                                                  \
    static type gpucc_team_finish_##name(type *state, uint64_t rounds)                                                 \
    {                                                                                                                  \
        const unsigned index = gpucc_team_index(), size = gpucc_team_size();                                           \
        type value = gpucc_of_warp_##name(state, rounds);                                                              \
        for (unsigned bit = 32; bit < size; bit *= 2) {                                                                \
            const type other = gpucc_swap_##name(value, bit);                                                          \
            value = index & bit ? other operator value : value operator other;                                         \
        }                                                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    /* In order: state[0] is the sum, to which each lane adds its term in turn.  Returns the sum before the lane's. */ \
    static type gpucc_team_append_##name(type *state, type value)                                                      \
    {                                                                                                                  \
        type sum = state[0], before = sum;                                                                             \
        _Pragma("unroll") for (unsigned from = 0; from < 32; from++)                                                   \
        {                                                                                                              \
            before = gpucc_threadIdx.x % 32 == from ? sum : before;                                                    \
            sum = sum operator gpucc_from_lane_##name(value, from);                                                    \
        }                                                                                                              \
        state[0] = sum;                                                                                                \
        return before;                                                                                                 \
    }                                                                                                                  \
    static void gpucc_alone_push_##name(type *state, uint64_t number, type value)                                      \
    {                                                                                                                  \
        unsigned level = 0;                                                                                            \
        for (; number & 1; number /= 2)                                                                                \
            value = state[level++] operator value;                                                                     \
        state[level] = value;                                                                                          \
    }                                                                                                                  \
    /* The result of an accumulation; state[64 + level] is the last one that ended with 2^level elements. */           \
    static type gpucc_alone_scan_##name(type *state, uint64_t number, type value)                                      \
    {                                                                                                                  \
        const uint64_t before = number & (number + 1);                                                                 \
        unsigned level = 0;                                                                                            \
        for (; number & 1; number /= 2)                                                                                \
            value = state[level++] operator value;                                                                     \
        state[level] = value;                                                                                          \
        if (before)                                                                                                    \
            value = state[64 + __builtin_ctzll(before)] operator value;                                                \
        state[64 + level] = value;                                                                                     \
        return value;                                                                                                  \
    }                                                                                                                  \
    static type gpucc_alone_finish_##name(type *state, uint64_t count)                                                 \
    {                                                                                                                  \
        type value = identity;                                                                                         \
        for (unsigned level = 0; count; count /= 2, level++)                                                           \
            if (count & 1)                                                                                             \
                value = state[level] operator value;                                                                   \
        return value;                                                                                                  \
    }                                                                                                                  \
    /* In place: no later iteration reads what one stores. */                                                          \
    static inline type gpucc_pairs_##name(type *terms, unsigned count)                                                 \
    {                                                                                                                  \
        for (unsigned half; count > 1; count -= half) {                                                                \
            const type last = terms[count - 1];                                                                        \
            half = count / 2;                                                                                          \
            _Pragma("clang loop vectorize(assume_safety) interleave_count(1)") for (unsigned i = 0; i < half; i++)     \
                terms[i] = terms[2 * i] operator terms[2 * i + 1];                                                     \
            terms[half] = count & 1 ? last : terms[half];                                                              \
        }                                                                                                              \
        return terms[0];                                                                                               \
    }                                                                                                                  \
    /* The same, by groups first, of up to GPUCC_CHUNK terms. */                                                       \
    static inline type gpucc_run_##name(type *terms, unsigned count)                                                   \
    {                                                                                                                  \
        enum { GROUP = 32 / sizeof(type), BLOCK = GROUP * GROUP };                                                     \
        while (count >= BLOCK) {                                                                                       \
            unsigned to = 0, from = 0;                                                                                 \
            for (; from + BLOCK <= count; from += BLOCK, to += GROUP)                                                  \
                gpucc_join_block_##name(terms + from, terms + to);                                                     \
            for (unsigned i = count; i % GROUP; i++)                                                                   \
                terms[i] = identity;                                                                                   \
            for (; from < count; from += GROUP)                                                                        \
                terms[to++] = gpucc_join_group_##name(terms + from);                                                   \
            count = to;                                                                                                \
        }                                                                                                              \
        return gpucc_pairs_##name(terms, count);                                                                       \
    }                                                                                                                  \
    /* The sum of all chunks, with what is behind the last complete one. */                                            \
    static inline type gpucc_chunks_end_##name(type *state, type value, uint64_t chunks)                               \
    {                                                                                                                  \
        for (unsigned level = GPUCC_CHUNK_LEVELS; chunks; chunks /= 2, level++)                                        \
            if (chunks & 1)                                                                                            \
                value = state[level] operator value;                                                                   \
        return value;                                                                                                  \
    }                                                                                                                  \
    static inline void gpucc_fill_##name(type *terms)                                                                  \
    {                                                                                                                  \
        for (unsigned k = 0; k < 32 / sizeof(type); k++)                                                               \
            terms[k] = identity;                                                                                       \
    }                                                                                                                  \
    static void gpucc_chunk_push_##name(type *state, type *terms, uint64_t chunk)                                      \
    {                                                                                                                  \
        gpucc_alone_push_##name(state + GPUCC_CHUNK_LEVELS, chunk, gpucc_run_##name(terms, GPUCC_CHUNK));              \
    }                                                                                                                  \
    static type gpucc_chunk_finish_##name(type *state, type *terms, uint64_t chunk, uint64_t count)                    \
    {                                                                                                                  \
        return gpucc_chunks_end_##name(state, gpucc_run_##name(terms, (unsigned)count), chunk);                        \
    }                                                                                                                  \
    /* Blocks: state[64 ...] has the vectors of up to 8 of them, which make a chunk. */                                \
    static inline __attribute__((always_inline)) void gpucc_block_push_##name(type *state, type *terms,                \
                                                                              uint64_t block)                          \
    {                                                                                                                  \
        enum { GROUP = 32 / sizeof(type) };                                                                            \
        type *const vectors = state + 64;                                                                              \
        gpucc_join_places_##name(terms, vectors + block % 8 * GROUP);                                                  \
        if (block % 8 == 7)                                                                                            \
            gpucc_alone_push_##name(state + GPUCC_CHUNK_LEVELS, block / 8, gpucc_join_chunk_##name(vectors));          \
    }                                                                                                                  \
    static GPUCC_CALLED type gpucc_block_finish_##name(type *state, type *terms, uint64_t blocks, uint64_t rest)       \
    {                                                                                                                  \
        enum { GROUP = 32 / sizeof(type) };                                                                            \
        const unsigned before = blocks % 8;                                                                            \
        unsigned count = (unsigned)rest;                                                                               \
        type *const vectors = state + 64, *const last = vectors + before * GROUP;                                      \
        type value;                                                                                                    \
        for (; count % GROUP; count++)                                                                                 \
            terms[count] = identity;                                                                                   \
        if (blocks == 0 && count == GROUP)                                                                             \
            return gpucc_join_group_##name(terms);                                                                     \
        for (; count < GPUCC_TERMS; count += GROUP)                                                                    \
            gpucc_fill_##name(terms + count);                                                                          \
        gpucc_join_places_##name(terms, last);                                                                         \
        if (before == 0)                                                                                               \
            value = gpucc_join_group_##name(last);                                                                     \
        else if (before == 1)                                                                                          \
            value = gpucc_join_group_##name(vectors) operator gpucc_join_group_##name(last);                           \
        else {                                                                                                         \
            for (unsigned k = before + 1; k < 8; k++)                                                                  \
                gpucc_fill_##name(vectors + k * GROUP);                                                                \
            value = gpucc_join_chunk_##name(vectors);                                                                  \
        }                                                                                                              \
        return gpucc_chunks_end_##name(state, value, blocks / 8);                                                      \
    }                                                                                                                  \
    /* Sums of 8 rows at once, of 8 places each: sums[k] has theirs of 8 columns, for up to 64 times as many, and      \
     * sums[64 + level] those of 512 * 2^level. */                                                                     \
    static inline void gpucc_rows_join_##name(gpucc_rows_##name *sums, unsigned count)                                 \
    {                                                                                                                  \
        for (unsigned half; count > 1; count -= half) {                                                                \
            half = count / 2;                                                                                          \
            for (unsigned i = 0; i < half; i++)                                                                        \
                sums[i] = sums[2 * i] operator sums[2 * i + 1];                                                        \
            sums[half] = sums[count - 1];                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static GPUCC_CALLED void gpucc_rows_carry_##name(gpucc_rows_##name *sums, uint64_t number)                         \
    {                                                                                                                  \
        gpucc_rows_##name *upper = sums + 64;                                                                          \
        gpucc_rows_join_##name(sums, 64);                                                                              \
        for (; number & 1; number /= 2, upper++)                                                                       \
            sums[0] = *upper operator sums[0];                                                                         \
        *upper = sums[0];                                                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void gpucc_rows_push_##name(gpucc_rows_##name *sums, type *terms,     \
                                                                             uint64_t block)                           \
    {                                                                                                                  \
        gpucc_join_rows_##name(terms, (type *)(sums + block % 64));                                                    \
        if (block % 64 == 63)                                                                                          \
            gpucc_rows_carry_##name(sums, block / 64);                                                                 \
    }                                                                                                                  \
    /* The result is in sums[0]. */                                                                                    \
    static GPUCC_CALLED void gpucc_rows_finish_##name(gpucc_rows_##name *sums, type *terms, uint64_t blocks,           \
                                                     uint64_t rest)\
    {                                                                                                                  \
        const gpucc_rows_##name *upper = sums + 64;                                                                    \
        for (unsigned i = 0; i < 64; i++)                                                                              \
            terms[i] = i % 8 < rest ? terms[i] : identity;                                                             \
        gpucc_join_rows_##name(terms, (type *)(sums + blocks % 64));                                                   \
        gpucc_rows_join_##name(sums, blocks % 64 + 1);                                                                 \
        for (uint64_t chunks = blocks / 64; chunks; chunks /= 2, upper++)                                              \
            if (chunks & 1)                                                                                            \
                sums[0] = *upper operator sums[0];                                                                     \
    }

/* The results before and behind each warp's elements, of which `total` is the tree. */
#define GPUCC_SCAN_ENDS(suffix, name, type, operator, identity, levels, how, unrolling)                                \
    /* The result behind so many warps, from a subtree of each level that their number has. */                         \
    static inline type gpucc_scan_join_##suffix(const type *subtrees, unsigned warps)                                  \
    {                                                                                                                  \
        type result = identity;                                                                                        \
        _Pragma(unrolling) for (unsigned level = levels; level-- > 0;)                                                 \
            if (warps >> level & 1)                                                                                    \
                result = warps >> level == 1 ? subtrees[level] : result operator subtrees[level];                      \
        return result;                                                                                                 \
    }                                                                                                                  \
    static how struct gpucc_ends_##name gpucc_scan_ends_##suffix(type total)                                           \
    {                                                                                                                  \
        const unsigned warp = gpucc_team_index() / 32, warps = gpucc_team_size() / 32, rest = warp & (warp + 1);       \
        type subtrees[levels], last = total;                                                                           \
        _Pragma(unrolling) for (unsigned level = 0; level < levels; level++)                                           \
        {                                                                                                              \
            if (1u << level >= warps)                                                                                  \
                break;                                                                                                 \
            const type other = subtrees[level] = gpucc_swap_##name(total, 32u << level);                               \
            total = warp >> level & 1 ? other operator total : total operator other;                                   \
            last = (warp ^ rest) >> level & 1 ? total : last;                                                          \
        }                                                                                                              \
        const type before = gpucc_scan_join_##suffix(subtrees, warp);                                                  \
        const type merged = gpucc_scan_join_##suffix(subtrees, rest);                                                  \
        return (struct gpucc_ends_##name){before, rest ? merged operator last : last};                                 \
    }

/* The results of an accumulation, a warp's round at a time.  In a team of several, state[5] is the result
 * before the warp's elements, and state[6] that behind as many rounds as it has at most.  state[0] is the result before
 * the round's elements; lane k's state[1] is a complete subtree of 32 * 2^k elements, and its state[2] the last result
 * that ended with one; state[3] is the result before the thread's element, and state[4] that of the thread's last
 * element. */
#define GPUCC_SCANS(name, type, operator, identity)                                                                    \
/* The result behind 32 elements, of which this is the total. */                                                   \
    static inline void gpucc_scan_step_##name(type *state, uint64_t number, uint64_t rounds, type total)               \
    {                                                                                                                  \
        const uint64_t next = number + 1, before = number & next;                                                      \
        unsigned level = 0;                                                                                            \
        for (uint64_t rest = number; rest & 1; rest /= 2)                                                              \
            total = gpucc_from_lane_##name(state[1], level++) operator total;                                          \
        type result = total;                                                                                           \
        if (before)                                                                                                    \
            result = gpucc_from_lane_##name(state[2], (unsigned)__builtin_ctzll(before)) operator total;               \
        else if (gpucc_team_size() > 32)                                                                               \
            result = next == rounds ? state[6] : gpucc_team_index() >= 32 ? state[5] operator total : total;           \
        state[1] = gpucc_threadIdx.x % 32 == level ? total : state[1];                                                 \
        state[2] = gpucc_threadIdx.x % 32 == level ? result : state[2];                                                \
        state[0] = result;                                                                                             \
    }                                                                                                                  \
    struct gpucc_ends_##name {                                                                                         \
        type before, behind;                                                                                           \
    };                                                                                                                 \
    /* One block's are in registers; those of several apart, as that needs more of them. */                            \
    GPUCC_SCAN_ENDS(block_##name, name, type, operator, identity, 4, inline, "unroll")                                 \
    GPUCC_SCAN_ENDS(blocks_##name, name, type, operator, identity, 27, __attribute__((noinline)), "nounroll")          \
    static inline struct gpucc_ends_##name gpucc_scan_ends_##name(type total)                                          \
    {                                                                                                                  \
        return gpucc_team_blocks() > 1 ? gpucc_scan_ends_blocks_##name(total) : gpucc_scan_ends_block_##name(total);   \
    }                                                                                                                  \
    static void gpucc_team_start_scan_##name(type *state, uint64_t rounds)                                             \
    {                                                                                                                  \
        const struct gpucc_ends_##name ends = gpucc_scan_ends_##name(gpucc_of_warp_##name(state, rounds));             \
        state[0] = state[5] = ends.before;                                                                             \
        state[6] = ends.behind;                                                                                        \
    }                                                                                                                  \
    static type gpucc_team_scan_##name(type *state, uint64_t round, uint64_t rounds, type value, _Bool exists)         \
    {                                                                                                                  \
        const unsigned lane = gpucc_threadIdx.x % 32, count = lane + 1;                                                \
        type runs[5], before = state[0];                                                                               \
        _Pragma("unroll") for (unsigned level = 0; level < 5; level++)                                                 \
        {                                                                                                              \
            const type other = gpucc_of_lane_##name(value, 1u << level);                                               \
            runs[level] = value;                                                                                       \
            value = lane >> level & 1 ? other operator value : value operator other;                                   \
        }                                                                                                              \
        gpucc_scan_step_##name(state, round, rounds, value);                                                           \
        const type behind = state[0];                                                                                  \
        value = before;                                                                                                \
        _Pragma("unroll") for (unsigned level = 5; level-- > 0;)                                                       \
        {                                                                                                              \
            const type run = gpucc_from_lane_##name(runs[level], count >> (level + 1) << (level + 1) & 31);            \
            value = count >> level & 1 ? value operator run : value;                                                   \
        }                                                                                                              \
        value = lane == 31 ? behind : value;                                                                           \
        const type left = gpucc_from_lane_##name(value, (lane - 1) & 31);                                              \
        state[3] = lane ? left : before;                                                                               \
        state[4] = exists ? value : state[4];                                                                          \
        return value;                                                                                                  \
    }                                                                                                                  \
    /* The result of the last element, which the thread of this index had. */                                          \
    static type gpucc_team_last_##name(type *state, unsigned index)                                                    \
    {                                                                                                                  \
        return gpucc_of_team_##name(state[4], index);                                                                  \
    }

/* Elements whose terms a thread computes before it combines them (bridge/team_trees.h), so that both vectorise. */
#define GPUCC_CHUNK_LEVELS 9
#define GPUCC_CHUNK (1u << GPUCC_CHUNK_LEVELS)
#define GPUCC_TERMS 64u /* the same, if the number of iterations is known: in registers, and a vector is their result */

/* One thread joins consecutive terms: a group of 32 bytes becomes one term, and a block of as many groups as a group
 * has terms becomes a group.  Pairs are taken inside of halves of 16 bytes, as processors do that in one step. */
#define GPUCC_JOINS_F32(name, operator)                                                                                \
    static inline float gpucc_join_group_##name(const float *x)                                                        \
    {                                                                                                                  \
        return ((x[0] operator x[1]) operator(x[2] operator x[3])) operator((x[4] operator x[5]) operator(             \
            x[6] operator x[7]));                                                                                      \
    }                                                                                                                  \
    static inline void gpucc_join_block_##name(const float *terms, float *to)                                          \
    {                                                                                                                  \
        const gpucc_floats *x = (const gpucc_floats *)terms;                                                           \
        const gpucc_floats a = GPUCC_PAIRS_F32(x[0], x[1], operator), b = GPUCC_PAIRS_F32(x[2], x[3], operator);       \
        const gpucc_floats c = GPUCC_PAIRS_F32(x[4], x[5], operator), d = GPUCC_PAIRS_F32(x[6], x[7], operator);       \
        const gpucc_floats e = GPUCC_PAIRS_F32(a, b, operator), f = GPUCC_PAIRS_F32(c, d, operator);                   \
        *(gpucc_floats *)to = __builtin_shufflevector(e, f, 0, 1, 2, 3, 8, 9, 10, 11) operator                         \
            __builtin_shufflevector(e, f, 4, 5, 6, 7, 12, 13, 14, 15);                                                 \
    }                                                                                                                  \
    static inline void gpucc_join_places_##name(const float *terms, float *to)                                         \
    {                                                                                                                  \
        gpucc_join_block_##name(terms, to);                                                                            \
    }                                                                                                                  \
    typedef gpucc_floats gpucc_rows_##name;                                                                            \
    static inline void gpucc_join_rows_##name(const float *terms, float *to)                                           \
    {                                                                                                                  \
        gpucc_join_block_##name(terms, to);                                                                            \
    }                                                                                                                  \
    static inline float gpucc_join_chunk_##name(const float *vectors)                                                  \
    {                                                                                                                  \
        float to[8];                                                                                                   \
        gpucc_join_block_##name(vectors, to);                                                                          \
        return gpucc_join_group_##name(to);                                                                            \
    }
#define GPUCC_JOINS_F64(name, operator)                                                                                \
    static inline double gpucc_join_group_##name(const double *x)                                                      \
    {                                                                                                                  \
        return (x[0] operator x[1]) operator(x[2] operator x[3]);                                                      \
    }                                                                                                                  \
    static inline void gpucc_join_block_##name(const double *terms, double *to)                                        \
    {                                                                                                                  \
        const gpucc_doubles *x = (const gpucc_doubles *)terms;                                                         \
        const gpucc_doubles a = GPUCC_PAIRS_F64(x[0], x[1], operator), b = GPUCC_PAIRS_F64(x[2], x[3], operator);      \
        *(gpucc_doubles *)to =                                                                                         \
            __builtin_shufflevector(a, b, 0, 1, 4, 5) operator __builtin_shufflevector(a, b, 2, 3, 6, 7);              \
    }                                                                                                                  \
    static inline void gpucc_join_places_##name(const double *terms, double *to)                                       \
    {                                                                                                                  \
        double groups[16];                                                                                             \
        gpucc_join_block_##name(terms, groups);                                                                        \
        gpucc_join_block_##name(terms + 16, groups + 4);                                                               \
        gpucc_join_block_##name(terms + 32, groups + 8);                                                               \
        gpucc_join_block_##name(terms + 48, groups + 12);                                                              \
        gpucc_join_block_##name(groups, to);                                                                           \
    }                                                                                                                  \
    typedef gpucc_8_doubles gpucc_rows_##name;                                                                         \
    static inline void gpucc_join_rows_##name(const double *terms, double *to)                                         \
    {                                                                                                                  \
        const gpucc_doubles *x = (const gpucc_doubles *)terms;                                                         \
        for (unsigned k = 0; k < 2; k++, x += 8, to += 4) {                                                            \
            const gpucc_doubles left[4] = {x[0], x[2], x[4], x[6]}, right[4] = {x[1], x[3], x[5], x[7]};               \
            double both[8];                                                                                            \
            gpucc_join_block_##name((const double *)left, both);                                                       \
            gpucc_join_block_##name((const double *)right, both + 4);                                                  \
            *(gpucc_doubles *)to = *(gpucc_doubles *)both operator *(gpucc_doubles *)(both + 4);                       \
        }                                                                                                              \
    }                                                                                                                  \
    static inline double gpucc_join_chunk_##name(const double *vectors)                                                \
    {                                                                                                                  \
        double to[8];                                                                                                  \
        gpucc_join_block_##name(vectors, to);                                                                          \
        gpucc_join_block_##name(vectors + 16, to + 4);                                                                 \
        return gpucc_join_group_##name(to) operator gpucc_join_group_##name(to + 4);                                   \
    }

typedef float gpucc_floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef double gpucc_doubles __attribute__((vector_size(32), aligned(8), may_alias));
typedef double gpucc_8_doubles __attribute__((vector_size(64), aligned(8), may_alias));
#define GPUCC_PAIRS_F32(x, y, operator)                                                                                \
    (__builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14) operator                                                 \
     __builtin_shufflevector(x, y, 1, 3, 9, 11, 5, 7, 13, 15))
#define GPUCC_PAIRS_F64(x, y, operator)                                                                                \
    (__builtin_shufflevector(x, y, 0, 4, 2, 6) operator __builtin_shufflevector(x, y, 1, 5, 3, 7))

GPUCC_JOINS_F32(sum_f32, +)
GPUCC_JOINS_F32(product_f32, *)
GPUCC_JOINS_F64(sum_f64, +)
GPUCC_JOINS_F64(product_f64, *)

GPUCC_TREES(sum_f32, float, uint32_t, +, -0.0f)
GPUCC_TREES(sum_f64, double, uint64_t, +, -0.0)
GPUCC_TREES(product_f32, float, uint32_t, *, 1.0f)
GPUCC_TREES(product_f64, double, uint64_t, *, 1.0)
GPUCC_SCANS(sum_f32, float, +, -0.0f)
GPUCC_SCANS(sum_f64, double, +, -0.0)
GPUCC_SCANS(product_f32, float, *, 1.0f)
GPUCC_SCANS(product_f64, double, *, 1.0)

/* The same of products that are added without a rounding, and the first warp's sum. */
#define GPUCC_SUMS(name, type, fma)                                                                              \
    static type gpucc_team_fuse_##name(type *state, type a, type b)                                                    \
    {                                                                                                                  \
        type sum = state[0], before = sum;                                                                             \
        _Pragma("unroll") for (unsigned from = 0; from < 32; from++)                                                   \
        {                                                                                                              \
            before = gpucc_threadIdx.x % 32 == from ? sum : before;                                                    \
            sum = fma(gpucc_from_lane_sum_##name(a, from), gpucc_from_lane_sum_##name(b, from), sum);                  \
        }                                                                                                              \
        state[0] = sum;                                                                                                \
        return before;                                                                                                 \
    }                                                                                                                  \
    static type gpucc_team_first_##name(type *state)                                                                   \
    {                                                                                                                  \
        return gpucc_of_team_sum_##name(state[0], 0);                                                                  \
    }

GPUCC_SUMS(f32, float, __builtin_fmaf)
GPUCC_SUMS(f64, double, __builtin_fma)

/* Called where a function may be distributed; the compiler finds the functions here and removes the call. */
void gpucc_team_parts(const void *, ...);
#define GPUCC_ALONE_PARTS                                                                                              \
    (void *)gpucc_alone_push_sum_f32, (void *)gpucc_alone_push_sum_f64, (void *)gpucc_alone_push_product_f32,          \
        (void *)gpucc_alone_push_product_f64, (void *)gpucc_alone_finish_sum_f32, (void *)gpucc_alone_finish_sum_f64,  \
        (void *)gpucc_alone_finish_product_f32, (void *)gpucc_alone_finish_product_f64,                                \
        (void *)gpucc_chunk_push_sum_f32, (void *)gpucc_chunk_push_sum_f64, (void *)gpucc_chunk_push_product_f32,      \
        (void *)gpucc_chunk_push_product_f64, (void *)gpucc_chunk_finish_sum_f32, (void *)gpucc_chunk_finish_sum_f64,  \
        (void *)gpucc_chunk_finish_product_f32, (void *)gpucc_chunk_finish_product_f64,                                \
        (void *)gpucc_alone_scan_sum_f32, (void *)gpucc_alone_scan_sum_f64, (void *)gpucc_alone_scan_product_f32,      \
        (void *)gpucc_alone_scan_product_f64
#define GPUCC_NATIVE_PARTS                                                                                             \
    (void *)gpucc_block_push_sum_f32, (void *)gpucc_block_push_sum_f64, (void *)gpucc_block_push_product_f32,          \
        (void *)gpucc_block_push_product_f64, (void *)gpucc_block_finish_sum_f32, (void *)gpucc_block_finish_sum_f64,  \
        (void *)gpucc_block_finish_product_f32, (void *)gpucc_block_finish_product_f64,                                \
        (void *)gpucc_rows_push_sum_f32, (void *)gpucc_rows_push_sum_f64, (void *)gpucc_rows_push_product_f32,         \
        (void *)gpucc_rows_push_product_f64, (void *)gpucc_rows_finish_sum_f32, (void *)gpucc_rows_finish_sum_f64,     \
        (void *)gpucc_rows_finish_product_f32, (void *)gpucc_rows_finish_product_f64
#define GPUCC_TEAM_PARTS                                                                                               \
    (void *)gpucc_team_index, (void *)gpucc_team_size, (void *)gpucc_team_barrier, (void *)gpucc_team_swap_32,         \
        (void *)gpucc_team_swap_64, (void *)gpucc_team_run, (void *)gpucc_team_push_sum_f32,                           \
        (void *)gpucc_team_push_sum_f64, (void *)gpucc_team_push_product_f32, (void *)gpucc_team_push_product_f64,     \
        (void *)gpucc_team_finish_sum_f32, (void *)gpucc_team_finish_sum_f64, (void *)gpucc_team_finish_product_f32,   \
        (void *)gpucc_team_finish_product_f64, (void *)gpucc_team_append_sum_f32, (void *)gpucc_team_append_sum_f64,   \
        (void *)gpucc_team_append_product_f32, (void *)gpucc_team_append_product_f64, (void *)gpucc_team_fuse_f32,     \
        (void *)gpucc_team_fuse_f64, (void *)gpucc_team_first_f32, (void *)gpucc_team_first_f64,                       \
        (void *)gpucc_team_start_scan_sum_f32, (void *)gpucc_team_start_scan_sum_f64,                                  \
        (void *)gpucc_team_start_scan_product_f32, (void *)gpucc_team_start_scan_product_f64,                          \
        (void *)gpucc_team_scan_sum_f32, (void *)gpucc_team_scan_sum_f64, (void *)gpucc_team_scan_product_f32,         \
        (void *)gpucc_team_scan_product_f64, (void *)gpucc_team_last_sum_f32, (void *)gpucc_team_last_sum_f64,         \
        (void *)gpucc_team_last_product_f32, (void *)gpucc_team_last_product_f64, (void *)gpucc_team_blocks

#endif
