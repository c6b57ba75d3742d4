/* Barriers that count, shuffles of every type, votes, matches and reductions, by whole warps and by parts of them. */
#include <gpucc.h>

#define FULL 0xffffffffu

/* Without padding, whose bytes need not be copied. */
struct small {
    int16 a;
    int8 b, c;
    float d;
};

struct large {
    double x;
    float y[3];
    uint8 z[4];
};

/* A value of any bits. */
#define TAKE(type, name, words)                                                                                        \
    type name;                                                                                                         \
    __builtin_memcpy(&name, words, sizeof name)
/* The next result of this thread. */
#define PUT(value)                                                                                                     \
    do {                                                                                                               \
        __auto_type put = (value);                                                                                     \
        __builtin_memcpy(to, &put, sizeof put);                                                                        \
        to += (sizeof put + 3) / 4;                                                                                    \
    } while (0)

/* Lanes of one parity make a part of their own. */
#define DEFINE_SHUFFLES(name, type)                                                                                    \
    kernel                                                                                                             \
    void shuffle_##name(const uint32 *in, uint32 *out)                                                                 \
    {                                                                                                                  \
        const unsigned i = threadIdx.x, lane = laneid;                                                                 \
        const unsigned part = lane % 2 ? 0xaaaaaaaau : 0x55555555u;                                                    \
        uint32 *to = out + i * 96;                                                                                     \
        TAKE(type, v, in + i * 8);                                                                                     \
        PUT(shfl_sync(FULL, v, 13));                                                                                   \
        PUT(shfl_sync(FULL, v, in[i]));                                                                                \
        PUT(shfl_sync(FULL, v, lane + 3, 8));                                                                          \
        PUT(shfl_up_sync(FULL, v, 5));                                                                                 \
        PUT(shfl_up_sync(FULL, v, 1, 4));                                                                              \
        PUT(shfl_down_sync(FULL, v, 9));                                                                               \
        PUT(shfl_down_sync(FULL, v, 2, 16));                                                                           \
        PUT(shfl_xor_sync(FULL, v, 21));                                                                               \
        PUT(shfl_xor_sync(FULL, v, 3, 4));                                                                             \
        if (lane % 2)                                                                                                  \
            PUT(shfl_sync(part, v, lane ^ 6));                                                                         \
        else                                                                                                           \
            PUT(shfl_xor_sync(part, v, 10));                                                                           \
    }
DEFINE_SHUFFLES(i8, int8)
DEFINE_SHUFFLES(u16, uint16)
DEFINE_SHUFFLES(i32, int32)
DEFINE_SHUFFLES(u32, uint32)
DEFINE_SHUFFLES(i64, int64)
DEFINE_SHUFFLES(u64, uint64)
DEFINE_SHUFFLES(f16, float16)
DEFINE_SHUFFLES(bf16, bfloat16)
DEFINE_SHUFFLES(f32, float32)
DEFINE_SHUFFLES(f64, float64)
DEFINE_SHUFFLES(c64, complex64)
DEFINE_SHUFFLES(small, struct small)
DEFINE_SHUFFLES(large, struct large)

kernel
void votes(const uint32 *in, uint32 *out)
{
    const unsigned i = threadIdx.x, lane = laneid;
    uint32 *to = out + i * 32;
    for (int k = 0; k < 4; k++) {
        const int p = k == 0 ? 1 : k == 1 ? 0 : k == 2 ? (in[i] & 1) : in[i] % 40 != 0;
        PUT(all_sync(FULL, p) != 0);
        PUT(any_sync(FULL, p) != 0);
        PUT(eq_sync(FULL, p) != 0);
        PUT(ballot_sync(FULL, p));
    }
    if (lane % 3 == 0)
        PUT(ballot_sync(0x49249249, in[i] & 2));
    else
        PUT(any_sync(~0x49249249u, in[i] & 4) != 0);
    PUT(lanemask_lt());
    PUT(lanemask_le());
    PUT(lanemask_eq());
    PUT(lanemask_ge());
    PUT(lanemask_gt());
    PUT(lane);
}

kernel
void matches(const uint32 *in, uint32 *out)
{
    const unsigned i = threadIdx.x;
    uint32 *to = out + i * 16;
    int all;
    PUT(match_any_sync(FULL, in[i] % 5));
    PUT(match_any_sync(FULL, (uint64)(in[i] % 3) << 40));
    PUT(match_any_sync(FULL, (float)(in[i] % 4)));
    PUT(match_any_sync(FULL, (double)(in[i] % 2)));
    PUT(match_any_sync(FULL, (int8)(in[i] % 7)));
    PUT(match_all_sync(FULL, in[i / 32], &all));
    PUT(all != 0);
    PUT(match_all_sync(FULL, (int64)in[i], &all));
    PUT(all != 0);
    if (laneid < 10)
        PUT(match_any_sync(0x3ff, in[i] % 3));
    else
        PUT(match_all_sync(~0x3ffu, in[i / 32] + 1, &all));
}

#define DEFINE_REDUCTIONS(name, type)                                                                                  \
    kernel                                                                                                             \
    void reduce_##name(const uint32 *in, uint32 *out)                                                                  \
    {                                                                                                                  \
        const unsigned i = threadIdx.x;                                                                                \
        uint32 *to = out + i * 32;                                                                                     \
        TAKE(type, v, in + 2 * i);                                                                                     \
        PUT(reduce_add_sync(FULL, v));                                                                                 \
        PUT(reduce_min_sync(FULL, v));                                                                                 \
        PUT(reduce_max_sync(FULL, v));                                                                                 \
        PUT(reduce_and_sync(FULL, v | (type)1 << i % 32));                                                             \
        PUT(reduce_or_sync(FULL, v & (type)1 << i % 32));                                                              \
        PUT(reduce_xor_sync(FULL, v));                                                                                 \
        if (laneid < 11) {                                                                                             \
            PUT(reduce_add_sync(0x7ff, v));                                                                            \
            PUT(reduce_min_sync(0x7ff, v));                                                                            \
        } else {                                                                                                       \
            PUT(reduce_max_sync(~0x7ffu, v));                                                                          \
            PUT(reduce_xor_sync(~0x7ffu, v));                                                                          \
        }                                                                                                              \
    }
DEFINE_REDUCTIONS(i32, int32)
DEFINE_REDUCTIONS(u32, uint32)
DEFINE_REDUCTIONS(i64, int64)
DEFINE_REDUCTIONS(u64, uint64)

/* A last warp of less than 32 lanes: those that are not there count for nothing. */
kernel
void partial_warp(const uint32 *in, uint32 *out)
{
    const unsigned i = threadIdx.x;
    uint32 *to = out + i * 8;
    PUT(ballot_sync(FULL, 1));
    PUT(all_sync(FULL, 1) != 0);
    PUT(reduce_add_sync(FULL, in[i] % 1000));
    PUT(reduce_max_sync(FULL, (uint64)in[i] << 8));
    PUT(shfl_up_sync(FULL, in[i], 1));
    syncwarp();
    PUT(match_any_sync(FULL, in[i] % 3));
}

kernel
void barriers(const uint32 *in, uint32 *out)
{
    shared uint32 values[1024];
    const unsigned i = threadIdx.x, n = blockDim.x;
    uint32 *to = out + i * 16;
    PUT(syncthreads_count(in[i] & 1));
    PUT(syncthreads_and(in[i] != 3) != 0);
    PUT(syncthreads_and(i != n - 1) != 0);
    PUT(syncthreads_or(i == n / 2) != 0);
    PUT(syncthreads_or(0) != 0);
    uint32 v = in[i];
    for (unsigned step = 0; step < 5; step++) {
        values[i] = v;
        syncthreads();
        v = v * 31 + values[(i + 7 * step + 1) % n];
        syncthreads();
    }
    PUT(v);
    values[i] = v;
    syncwarp();
    PUT(values[i / 32 * 32 + (i + 5) % 32 < n ? i / 32 * 32 + (i + 5) % 32 : i]);
    if (i >= n / 2)
        return;
    PUT(syncthreads_count(1)); /* of those that are still there */
}
