/* softmax(scale q k^T / log2(e)) v of bfloat16, for heads of n rows of 128 elements, in one pass: no matrix of n x n
 * elements is stored.  Hopper's copy engine loads and its warpgroups multiply; sums are float32.
 *
 * A block makes BLOCK rows of one head's result.  Its first warpgroup only starts copies: the rows of q once, then one
 * tile of k and v after the other, STAGES ahead.  The other two have 64 rows each.  For each tile they compute the
 * scores, the largest score so far and the exponentials, which are the next product's left operand without leaving
 * their registers.  The product with v of one tile runs while the scores of the next one are computed.
 *
 * Launch: (n + BLOCK - 1) / BLOCK x heads blocks of THREADS threads with SHARED bytes of dynamic shared memory.  The
 * maps are of arrays heads x n x WIDTH, with boxes of 1 x BLOCK x BAND and swizzle 128. */
#include <gpucc.h>
#include <gpucc/tma.h>
#include <gpucc/wgmma.h>
#include <math.h>

enum {
    BLOCK = 128, /* rows of q, and of k and v in a tile */
    WIDTH = 128, /* elements of a row */
    BAND = 64,   /* of bfloat16: 128 bytes, the swizzle's row */
    BANDS = WIDTH / BAND,
    STAGES = 2,
    STEP = 16, /* elements along the sum that a product has */
    WARPGROUP = 128,
    THREADS = 3 * WARPGROUP,
    SHARED = (1 + 2 * STAGES) * BLOCK * WIDTH * 2 + 1024,
};

_Static_assert(THREADS == 384 && SHARED == 164864, "what the host asks for");

typedef bfloat16 tile[BANDS][BLOCK][BAND];

struct tiles {
    tile q, k[STAGES], v[STAGES];
};

struct barriers {
    mbarrier q, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
};

static inline void load_tile(tile to, const tensor_map *from, mbarrier *arrived, int row, int head)
{
    mbarrier_arrive_expect(arrived, sizeof(tile));
    for (int band = 0; band < BANDS; band++)
        tma_load(to[band], *from, arrived, band * BAND, row, head);
}

/* The parity of the phase in which the i-th tile is in its stage. */
static inline unsigned parity_of(int i)
{
    return (unsigned)(i / STAGES) % 2;
}

/* One thread for its warpgroup, whose products have been waited for. */
static inline void release(mbarrier *empty)
{
    if (threadIdx.x % WARPGROUP == 0)
        mbarrier_arrive(empty);
}

/* Elements of a thread with i / 2 % 2 == half are of one row of 64 x 128, which four threads share. */
fast_math static inline float largest_of_row(const float x[BLOCK / 2], int half, float largest)
{
    unroll()
    for (int i = 0; i < BLOCK / 2; i++)
        if (i / 2 % 2 == half)
            largest = fmaxf(largest, x[i]);
    largest = fmaxf(largest, shfl_xor_sync(0xffffffff, largest, 1));
    return fmaxf(largest, shfl_xor_sync(0xffffffff, largest, 2));
}

/* The softmax of two rows, as far as it is known. */
struct softmax {
    float largest[2], sum[2];
};

/* Scores become exponentials, which bfloat16 rounds more than fast_math does.  `shrink`: by how much earlier ones are
 * too large. */
fast_math static inline void add_scores(struct softmax *known, float x[BLOCK / 2], float scale, float shrink[2])
{
    for (int half = 0; half < 2; half++) {
        const float before = known->largest[half], largest = largest_of_row(x, half, before);
        float sum = 0;
        unroll()
        for (int i = 0; i < BLOCK / 2; i++)
            if (i / 2 % 2 == half) {
                x[i] = exp2f(fmaf(x[i], scale, -largest * scale));
                sum += x[i];
            }
        shrink[half] = exp2f((before - largest) * scale);
        known->sum[half] = known->sum[half] * shrink[half] + sum;
        known->largest[half] = largest;
    }
}

/* Keys behind the last one do not count. */
static inline void hide_columns(float x[BLOCK / 2], int count)
{
    unroll()
    for (int i = 0; i < BLOCK / 2; i++)
        if ((int)wgmma_column(i) >= count)
            x[i] = -INFINITY;
}

static inline void scale_rows(float x[WIDTH / 2], const float by[2])
{
    unroll()
    for (int i = 0; i < WIDTH / 2; i++)
        x[i] *= by[i / 2 % 2];
}

/* Each of the four threads has added up its own exponentials. */
static inline void divide_by_sums(float x[WIDTH / 2], const struct softmax *known)
{
    float inverse[2];
    for (int half = 0; half < 2; half++) {
        float sum = known->sum[half] + shfl_xor_sync(0xffffffff, known->sum[half], 1);
        sum += shfl_xor_sync(0xffffffff, sum, 2);
        inverse[half] = 1 / sum;
    }
    scale_rows(x, inverse);
}

static inline void store_rows(bfloat16 *out, const float x[WIDTH / 2], int first, int n)
{
    unroll()
    for (int i = 0; i < WIDTH / 2; i += 2) {
        const int row = first + (int)wgmma_row(i);
        if (row < n) {
            struct pair {
                bfloat16 x, y;
            } __attribute__((aligned(4))) two = {(bfloat16)x[i], (bfloat16)x[i + 1]};
            *(struct pair *)&out[(size_t)row * WIDTH + wgmma_column(i)] = two;
        }
    }
}

static inline void make_parts(wgmma_part parts[BLOCK / STEP], const float x[BLOCK / 2])
{
    unroll()
    for (int step = 0; step < BLOCK / STEP; step++)
        parts[step] = wgmma_part_bf16(&x[step * 8]);
}

/* Starts s = q k^T, for 64 rows of q. */
#define START_SCORES(s, q, row, k)                                                                                     \
    do {                                                                                                               \
        unroll()                                                                                                       \
        for (int step = 0; step < WIDTH / STEP; step++)                                                                \
            wgmma_bf16(s, wgmma_offset(wgmma_rows((q)[step * STEP / BAND][row], 128), step * STEP % BAND * 2),         \
                       wgmma_offset(wgmma_rows((k)[step * STEP / BAND], 128), step * STEP % BAND * 2), step > 0);      \
        wgmma_commit();                                                                                                \
    } while (0)

/* Starts o += parts v. */
#define START_RESULT(o, parts, v)                                                                                      \
    do {                                                                                                               \
        unroll()                                                                                                       \
        for (int step = 0; step < BLOCK / STEP; step++)                                                                \
            wgmma_bf16(o, (parts)[step],                                                                               \
                       wgmma_offset(wgmma_columns(v, sizeof (v)[0]), step * STEP * BAND * 2), 1);                      \
        wgmma_commit();                                                                                                \
    } while (0)

kernel launch_bounds(THREADS, 1)
void attention(const tensor_map q, const tensor_map k, const tensor_map v, int n, float scale, bfloat16 *out)
{
    dynamic_shared(unsigned char, memory);
    shared struct barriers b;
    struct tiles *tiles = (void *)(((uintptr_t)memory + 1023) & ~(uintptr_t)1023);
    const int warpgroup = (int)threadIdx.x / WARPGROUP, thread = (int)threadIdx.x % WARPGROUP;
    const int first = (int)blockIdx.x * BLOCK, head = (int)blockIdx.y, count = (n + BLOCK - 1) / BLOCK;

    if (threadIdx.x == 0) {
        mbarrier_init(&b.q, 1);
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(&b.k_full[i], 1);
            mbarrier_init(&b.v_full[i], 1);
            mbarrier_init(&b.k_empty[i], 2); /* warpgroups */
            mbarrier_init(&b.v_empty[i], 2);
        }
        mbarrier_fence_init();
    }
    syncthreads();

    if (warpgroup == 0) {
        wgmma_registers_less(24);
        if (thread == 0) {
            load_tile(tiles->q, &q, &b.q, first, head);
            for (int i = 0; i < count; i++) {
                const int stage = i % STAGES;
                mbarrier_wait(&b.k_empty[stage], parity_of(i) ^ 1); /* new ones count as empty */
                load_tile(tiles->k[stage], &k, &b.k_full[stage], i * BLOCK, head);
                mbarrier_wait(&b.v_empty[stage], parity_of(i) ^ 1);
                load_tile(tiles->v[stage], &v, &b.v_full[stage], i * BLOCK, head);
            }
        }
    } else {
        wgmma_registers_more(240);
        const int row = (warpgroup - 1) * 64;
        struct softmax known = {{-INFINITY, -INFINITY}, {0, 0}};
        float s[BLOCK / 2], o[WIDTH / 2] = {0}, shrink[2];
        wgmma_part parts[BLOCK / STEP];

        mbarrier_wait(&b.q, 0);
        mbarrier_wait(&b.k_full[0], 0);
        wgmma_fence(s);
        START_SCORES(s, tiles->q, row, tiles->k[0]);
        wgmma_wait(0, s);
        release(&b.k_empty[0]);
        if (n < BLOCK)
            hide_columns(s, n);
        add_scores(&known, s, scale, shrink);
        make_parts(parts, s);
        for (int i = 1; i < count; i++) {
            const int stage = i % STAGES, before = (i - 1) % STAGES;
            mbarrier_wait(&b.k_full[stage], parity_of(i));
            wgmma_fence(s);
            START_SCORES(s, tiles->q, row, tiles->k[stage]);
            mbarrier_wait(&b.v_full[before], parity_of(i - 1));
            wgmma_fence(o);
            START_RESULT(o, parts, tiles->v[before]);
            wgmma_wait(1, s);
            release(&b.k_empty[stage]);
            if (n - i * BLOCK < BLOCK)
                hide_columns(s, n - i * BLOCK);
            add_scores(&known, s, scale, shrink);
            wgmma_wait(0, o);
            release(&b.v_empty[before]);
            scale_rows(o, shrink);
            make_parts(parts, s);
        }
        mbarrier_wait(&b.v_full[(count - 1) % STAGES], parity_of(count - 1));
        wgmma_fence(o);
        START_RESULT(o, parts, tiles->v[(count - 1) % STAGES]);
        wgmma_wait(0, o);
        divide_by_sums(o, &known);
        store_rows(&out[(size_t)head * (size_t)n * WIDTH], o, first + row, n);
    }
}
