/* C = A B of bfloat16 with float32 sums, on the matrix units.  n and k are multiples of 8: then every row begins at a
 * multiple of 16 bytes, as the copies want it.
 *
 * A block of 8 warps makes 128 x 256 elements of C, each warp 64 x 64 of them in registers.  Tiles of A and B go to
 * shared memory by asynchronous copies, STAGES - 1 tiles ahead of the multiplication; their rows are padded by 16
 * bytes, so that the 8 rows that ldmatrix reads at once lie in different banks.  Fragments are loaded one step ahead of
 * the multiplication.
 *
 * Launch: ceil(m / 128) * ceil(n / 256) blocks of 256 threads, with STAGES * 27136 bytes of dynamic shared memory where
 * TILE_K is 32. */
#include <gpucc.h>
#include <gpucc/matrix.h>

#ifndef TILE_K
#define TILE_K 32
#endif
#ifndef STAGES
#define STAGES 4
#endif

enum {
    TILE_M = 128,
    TILE_N = 256,
    WARP_M = 64,
    WARP_N = 64,
    THREADS = TILE_M / WARP_M * (TILE_N / WARP_N) * 32,
    STEPS = TILE_K / 16,
    PAD = 8,
    CHUNK = 8,       /* elements of a 16-byte copy */
    GROUP = 8,       /* rows of blocks that follow one another, to find one another's tiles in the L2 cache */
    ROWS = WARP_M / 16,
    COLUMNS = WARP_N / 8,
};

struct stage {
    bfloat16 a[TILE_M][TILE_K + PAD], b[TILE_K][TILE_N + PAD];
};

_Static_assert(STEPS % 2 == 0, "fragments alternate between two places: TILE_K is a multiple of 32");
_Static_assert(sizeof(struct stage) == 10240 + 16896 || TILE_K != 32, "what the host asks for");

struct fragments {
    mma_a_bf16 a[ROWS];
    mma_b_bf16 b[COLUMNS];
};

struct problem {
    size_t m, n, k;
    const bfloat16 *A, *B;
    size_t row, column; /* of the block's part of C */
};

/* Begins to copy the tiles that stand at `depth` in A's rows and B's columns; what is outside becomes 0. */
static void fetch(const struct problem *p, struct stage *to, size_t depth)
{
    enum { A_CHUNKS = TILE_K / CHUNK, B_CHUNKS = TILE_N / CHUNK };
    const unsigned t = threadIdx.x, a_row = t / A_CHUNKS, b_row = t / B_CHUNKS;
    const unsigned a_column = t % A_CHUNKS * CHUNK, b_column = t % B_CHUNKS * CHUNK;
    const bfloat16 *a = p->A + (p->row + a_row) * p->k + depth + a_column;
    const bfloat16 *b = p->B + (depth + b_row) * p->n + p->column + b_column;
    const _Bool a_inside = depth + a_column < p->k, b_inside = p->column + b_column < p->n;
    unroll() for (unsigned i = 0; i < TILE_M; i += THREADS / A_CHUNKS)
        memcpy_async(&to->a[a_row + i][a_column], a + i * p->k, 16, a_inside && p->row + a_row + i < p->m ? 0 : 16);
    unroll() for (unsigned i = 0; i < TILE_K; i += THREADS / B_CHUNKS)
        memcpy_async(&to->b[b_row + i][b_column], b + i * p->n, 16, b_inside && depth + b_row + i < p->k ? 0 : 16);
    memcpy_async_commit();
}

/* Loads a warp's operands of one step: 64 x 16 of A, 16 x 64 of B. */
static void load(struct fragments *f, const struct stage *from, unsigned step)
{
    const unsigned warp = threadIdx.x / 32, row = warp % 2 * WARP_M, column = warp / 2 * WARP_N;
    unroll() for (unsigned i = 0; i < ROWS; i++)
        mma_load_a_shared(&f->a[i], &from->a[row + 16 * i][16 * step], TILE_K + PAD);
    unroll() for (unsigned j = 0; j < COLUMNS; j += 2)
        mma_load_b_pair_shared(&f->b[j], &from->b[16 * step][column + 8 * j], TILE_N + PAD);
}

static void multiply(mma_c_f32 sums[ROWS][COLUMNS], const struct fragments *f)
{
    unroll() for (unsigned i = 0; i < ROWS; i++)
        unroll() for (unsigned j = 0; j < COLUMNS; j++)
            sums[i][j] = mma(f->a[i], f->b[j], sums[i][j]);
}

/* A fragment of C that reaches past its last row is stored element by element. */
static void store(const struct problem *p, bfloat16 *C, size_t row, size_t column, mma_c_f32 sum)
{
    if (column >= p->n)
        return;
    if (row + 16 <= p->m) {
        mma_store(&C[row * p->n + column], p->n, sum);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        if (row + mma_row(i) < p->m)
            C[(row + mma_row(i)) * p->n + column + mma_column(i)] = (bfloat16)sum.x[i];
}

/* Blocks go down GROUP rows of C's tiles before they go on to the next column. */
static void place(struct problem *p, unsigned block)
{
    const unsigned tile_rows = (unsigned)((p->m + TILE_M - 1) / TILE_M);
    const unsigned tile_columns = (unsigned)((p->n + TILE_N - 1) / TILE_N);
    const unsigned first = block / (GROUP * tile_columns) * GROUP, left = tile_rows - first;
    const unsigned rows = left < GROUP ? left : GROUP, inside = block - first * tile_columns;
    p->row = (size_t)(first + inside % rows) * TILE_M;
    p->column = (size_t)(inside / rows) * TILE_N;
}

kernel launch_bounds(THREADS, 1)
void gemm_bf16(size_t m, size_t n, size_t k, const bfloat16 A[m][k], const bfloat16 B[k][n], bfloat16 C[m][n])
{
    dynamic_shared(struct stage, stages);
    struct problem p = {m, n, k, &A[0][0], &B[0][0], 0, 0};
    struct fragments fragments[2];
    mma_c_f32 sums[ROWS][COLUMNS] = {0};
    place(&p, blockIdx.x);

    for (unsigned i = 0; i < STAGES - 1; i++)
        fetch(&p, &stages[i], i * TILE_K);
    memcpy_async_wait(STAGES - 2);
    syncthreads();
    load(&fragments[0], &stages[0], 0);

    unsigned now = 0, next = 1 % STAGES, last = STAGES - 1;
    for (size_t depth = 0; depth < k; depth += TILE_K) {
        unroll() for (unsigned step = 0; step < STEPS; step++) {
            if (step + 1 == STEPS) { /* the next tile is there, and nobody reads this one's elements any more */
                memcpy_async_wait(STAGES - 2);
                syncthreads();
            }
            load(&fragments[(step + 1) % 2], &stages[step + 1 < STEPS ? now : next], (step + 1) % STEPS);
            if (step == 0)
                fetch(&p, &stages[last], depth + (STAGES - 1) * TILE_K);
            multiply(sums, &fragments[step % 2]);
        }
        last = now;
        now = next;
        next = next + 1 < STAGES ? next + 1 : 0;
    }

    const unsigned warp = threadIdx.x / 32;
    const size_t row = p.row + warp % 2 * WARP_M, column = p.column + warp / 2 * WARP_N;
    unroll() for (unsigned i = 0; i < ROWS; i++)
        unroll() for (unsigned j = 0; j < COLUMNS; j++)
            store(&p, &C[0][0], row + 16 * i, column + 8 * j, sums[i][j]);
}
