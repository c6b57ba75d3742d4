/* C = A B of bfloat16 with float32 sums, by Hopper's copy engine and warpgroup products.  n and k are multiples of 8:
 * then every row begins at a multiple of 16 bytes, as the copy engine wants it.
 *
 * Blocks are persistent: a cluster of two takes one pair of tiles of C after the other, 128 x 256 elements for each
 * block.  Both need the same tile of B, so each loads half of it for both.  A block's first warpgroup only starts
 * copies, up to STAGES tiles ahead.  The other two multiply, each 64 rows of C.  The barrier `full` of a stage says
 * that its tiles have arrived, `empty` that the warpgroups of both blocks have read them.
 *
 * Launch: an even number of blocks of THREADS threads, one for each multiprocessor, with SHARED bytes of dynamic shared
 * memory.  a has boxes of BLOCK_M x BLOCK_K elements, b of BLOCK_K x 64, both with swizzle 128. */
#include <gpucc.h>
#include <gpucc/tma.h>
#include <gpucc/wgmma.h>

enum {
    BLOCK_M = 128,
    BLOCK_N = 256,
    BLOCK_K = 64, /* of bfloat16: 128 bytes, the swizzle's row */
    BANDS = BLOCK_N / 64, /* a row of the swizzle is 64 columns of B */
    STAGES = 4,
    WARPGROUP = 128,
    THREADS = 3 * WARPGROUP,
    STEP = 16, /* elements along k of a product */
    SHARED = STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * 2 + 1024,
};

_Static_assert(THREADS == 384 && SHARED == 197632, "what the host asks for");

struct stages {
    bfloat16 a[STAGES][BLOCK_M][BLOCK_K];
    bfloat16 b[STAGES][BANDS][BLOCK_K][64];
};

/* A stage and the parity of its phase: each round through the stages turns it. */
struct place {
    unsigned stage, parity;
};

static inline void advance(struct place *at)
{
    if (++at->stage == STAGES) {
        at->stage = 0;
        at->parity ^= 1;
    }
}

/* One product of a warpgroup's 64 x BLOCK_K part of A by the whole tile of B. */
#define MULTIPLY(d, x, y, keep)                                                                                        \
    do {                                                                                                               \
        wgmma_fence(d);                                                                                                \
        wgmma_bf16(d, x, y, keep);                                                                                     \
        wgmma_bf16(d, wgmma_offset(x, 1 * STEP * 2), wgmma_offset(y, 1 * STEP * 128), 1);                              \
        wgmma_bf16(d, wgmma_offset(x, 2 * STEP * 2), wgmma_offset(y, 2 * STEP * 128), 1);                              \
        wgmma_bf16(d, wgmma_offset(x, 3 * STEP * 2), wgmma_offset(y, 3 * STEP * 128), 1);                              \
        wgmma_commit();                                                                                                \
        wgmma_wait(0, d);                                                                                              \
    } while (0)

kernel cluster(2) launch_bounds(THREADS, 1)
void gemm_wgmma(const tensor_map a, const tensor_map b, int m, int n, int k, bfloat16 *c)
{
    dynamic_shared(unsigned char, memory);
    shared mbarrier full[STAGES], empty[STAGES];
    struct stages *tiles = (void *)(((uintptr_t)memory + 1023) & ~(uintptr_t)1023);
    const int rank = (int)clusterrank, warpgroup = (int)threadIdx.x / WARPGROUP, thread = (int)threadIdx.x % WARPGROUP;
    const int row_pairs = (m + 2 * BLOCK_M - 1) / (2 * BLOCK_M), columns = (n + BLOCK_N - 1) / BLOCK_N;
    const int pairs = row_pairs * columns, steps = (k + BLOCK_K - 1) / BLOCK_K;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(&full[i], 1);
            mbarrier_init(&empty[i], 4); /* two warpgroups of each of two blocks */
        }
        mbarrier_fence_init();
    }
    cluster_sync();

    if (warpgroup == 0) {
        wgmma_registers_less(40);
        struct place at = {0, 1}; /* new barriers: the phase before the first one has ended */
        for (int pair = (int)blockIdx.x / 2; thread == 0 && pair < pairs; pair += (int)gridDim.x / 2) {
            const int row = (pair % row_pairs * 2 + rank) * BLOCK_M, column = pair / row_pairs * BLOCK_N;
            for (int step = 0; step < steps; step++, advance(&at)) {
                mbarrier *arrived = &full[at.stage];
                mbarrier_wait(&empty[at.stage], at.parity);
                mbarrier_arrive_expect(arrived, sizeof tiles->a[0] + sizeof tiles->b[0]);
                tma_load(tiles->a[at.stage], a, arrived, step * BLOCK_K, row);
                for (int band = rank * BANDS / 2; band < (rank + 1) * BANDS / 2; band++)
                    tma_load_multicast(tiles->b[at.stage][band], b, arrived, 3, column + band * 64, step * BLOCK_K);
            }
        }
    } else {
        wgmma_registers_more(232);
        struct place at = {0, 0};
        float d[BLOCK_N / 2];
        for (int pair = (int)blockIdx.x / 2; pair < pairs; pair += (int)gridDim.x / 2) {
            const int row = (pair % row_pairs * 2 + rank) * BLOCK_M + (warpgroup - 1) * 64;
            const int column = pair / row_pairs * BLOCK_N;
            for (int step = 0; step < steps; step++, advance(&at)) {
                mbarrier_wait(&full[at.stage], at.parity);
                const wgmma_tile x = wgmma_rows(tiles->a[at.stage][(warpgroup - 1) * 64], 128);
                const wgmma_tile_columns y = wgmma_columns(tiles->b[at.stage], sizeof tiles->b[0][0]);
                MULTIPLY(d, x, y, step > 0);
                if (thread < 2)
                    mbarrier_arrive_rank(&empty[at.stage], (unsigned)thread);
            }
            unroll()
            for (int i = 0; i < BLOCK_N / 2; i += 2) {
                const int to_row = row + (int)wgmma_row(i), to_column = column + (int)wgmma_column(i);
                if (to_row < m && to_column < n) {
                    struct pair {
                        bfloat16 x, y;
                    } __attribute__((aligned(4))) two = {(bfloat16)d[i], (bfloat16)d[i + 1]};
                    *(struct pair *)&c[(size_t)to_row * (size_t)n + (size_t)to_column] = two;
                }
            }
        }
    }
    cluster_sync(); /* no block ends while the other one copies to its memory */
}
