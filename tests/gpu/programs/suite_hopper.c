/* Products by warpgroups and copies of tiles: <gpucc/wgmma.h>, <gpucc/tma.h>. */
#include <gpucc.h>
#include <gpucc/tma.h>
#include <gpucc/wgmma.h>

/* Both tiles have rows of `swizzle` bytes along k. */
#define DEFINE_PRODUCT(name, sum, N)                                                                                   \
    kernel launch_bounds(128)                                                                                          \
    void product_##name##_##N(const tensor_map a, const tensor_map b, unsigned swizzle, sum *c)                        \
    {                                                                                                                  \
        shared unsigned char x[64 * 128] __attribute__((aligned(1024))), y[N * 128] __attribute__((aligned(1024)));    \
        shared mbarrier full;                                                                                          \
        sum d[N / 2];                                                                                                  \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_init(&full, 1);                                                                                   \
            mbarrier_fence_init();                                                                                     \
        }                                                                                                              \
        syncthreads();                                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_arrive_expect(&full, (64 + N) * swizzle);                                                         \
            tma_load(x, a, &full, 0, 0);                                                                               \
            tma_load(y, b, &full, 0, 0);                                                                               \
        }                                                                                                              \
        mbarrier_wait(&full, 0);                                                                                       \
        wgmma_fence(d);                                                                                                \
        for (unsigned at = 0; at < swizzle; at += 32)                                                                  \
            wgmma_##name(d, wgmma_offset(wgmma_rows(x, swizzle), at), wgmma_offset(wgmma_rows(y, swizzle), at),        \
                         at > 0);                                                                                      \
        wgmma_commit();                                                                                                \
        wgmma_wait(0, d);                                                                                              \
        for (int i = 0; i < N / 2; i++)                                                                                \
            c[wgmma_row(i) * N + wgmma_column(i)] = d[i];                                                              \
    }
#define DEFINE_PRODUCTS(name, sum)                                                                                     \
    DEFINE_PRODUCT(name, sum, 8)                                                                                       \
    DEFINE_PRODUCT(name, sum, 96)                                                                                      \
    DEFINE_PRODUCT(name, sum, 256)
DEFINE_PRODUCTS(f16, float)
DEFINE_PRODUCTS(bf16, float)
DEFINE_PRODUCTS(tf32, float)
DEFINE_PRODUCTS(e4m3, float)
DEFINE_PRODUCTS(e5m2, float)
DEFINE_PRODUCTS(e4m3_e5m2, float)
DEFINE_PRODUCTS(e5m2_e4m3, float)
DEFINE_PRODUCTS(s8, int32)
DEFINE_PRODUCTS(u8, int32)

/* 64 steps of k, two tiles of B beside each other; A and B have rows along k or across. */
#define DEFINE_COLUMNS(name, a_tile, b_tile, suffix)                                                                   \
    kernel launch_bounds(128)                                                                                          \
    void columns_##name##_##suffix(const tensor_map a, const tensor_map b, float *c)                                   \
    {                                                                                                                  \
        shared unsigned char x[64 * 128] __attribute__((aligned(1024))), y[128 * 128] __attribute__((aligned(1024)));  \
        shared mbarrier full;                                                                                          \
        float d[64];                                                                                                   \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_init(&full, 1);                                                                                   \
            mbarrier_fence_init();                                                                                     \
        }                                                                                                              \
        syncthreads();                                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_arrive_expect(&full, sizeof x + sizeof y);                                                        \
            tma_load(x, a, &full, 0, 0);                                                                               \
            tma_load(y, b, &full, 0, 0);                                                                               \
            LOAD_OTHER_##b_tile(y, b);                                                                                 \
        }                                                                                                              \
        mbarrier_wait(&full, 0);                                                                                       \
        wgmma_fence(d);                                                                                                \
        for (unsigned step = 0; step < 4; step++)                                                                      \
            wgmma_##name(d, wgmma_offset(TILE_##a_tile(x), STEP_##a_tile * step),                                      \
                         wgmma_offset(TILE_##b_tile(y), STEP_##b_tile * step), step > 0);                              \
        wgmma_commit();                                                                                                \
        wgmma_wait(0, d);                                                                                              \
        for (int i = 0; i < 64; i++)                                                                                   \
            c[wgmma_row(i) * 128 + wgmma_column(i)] = d[i];                                                            \
    }
#define STEP_ROWS 32u
#define STEP_COLUMNS 2048u
#define TILE_ROWS(p) wgmma_rows(p, 128)
#define TILE_COLUMNS(p) wgmma_columns(p, 8192)
#define LOAD_OTHER_ROWS(y, b) tma_load(y + 8192, b, &full, 0, 64)
#define LOAD_OTHER_COLUMNS(y, b) tma_load(y + 8192, b, &full, 64, 0)
DEFINE_COLUMNS(f16, ROWS, COLUMNS, b)
DEFINE_COLUMNS(f16, COLUMNS, ROWS, a)
DEFINE_COLUMNS(f16, COLUMNS, COLUMNS, both)
DEFINE_COLUMNS(bf16, ROWS, COLUMNS, b)
DEFINE_COLUMNS(bf16, COLUMNS, ROWS, a)
DEFINE_COLUMNS(bf16, COLUMNS, COLUMNS, both)

/* The same with A in registers. */
#define DEFINE_PARTS(name, b_tile, suffix)                                                                             \
    kernel launch_bounds(128)                                                                                          \
    void parts_##name##_##suffix(const tensor_map a, const tensor_map b, float *c)                                     \
    {                                                                                                                  \
        shared name##_element x[64 * 64] __attribute__((aligned(1024)));                                               \
        shared unsigned char y[128 * 128] __attribute__((aligned(1024)));                                              \
        shared mbarrier full;                                                                                          \
        wgmma_part parts[4];                                                                                           \
        float d[64];                                                                                                   \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_init(&full, 1);                                                                                   \
            mbarrier_fence_init();                                                                                     \
        }                                                                                                              \
        syncthreads();                                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            mbarrier_arrive_expect(&full, sizeof x + sizeof y);                                                        \
            tma_load(x, a, &full, 0, 0);                                                                               \
            tma_load(y, b, &full, 0, 0);                                                                               \
            LOAD_OTHER_##b_tile(y, b);                                                                                 \
        }                                                                                                              \
        mbarrier_wait(&full, 0);                                                                                       \
        unroll()                                                                                                       \
        for (unsigned step = 0; step < 4; step++) {                                                                    \
            float own[8];                                                                                              \
            for (unsigned i = 0; i < 8; i++) {                                                                         \
                const unsigned at = wgmma_row(i) * 64 + step * 16 + wgmma_column(i);                                   \
                own[i] = (float)x[at ^ (at / 8 & 56)]; /* as the swizzle has it */                                     \
            }                                                                                                          \
            parts[step] = wgmma_part_##name(own);                                                                      \
        }                                                                                                              \
        wgmma_fence(d);                                                                                                \
        unroll()                                                                                                       \
        for (unsigned step = 0; step < 4; step++)                                                                      \
            wgmma_##name(d, parts[step], wgmma_offset(TILE_##b_tile(y), STEP_##b_tile * step), step > 0);              \
        wgmma_commit();                                                                                                \
        wgmma_wait(0, d);                                                                                              \
        for (int i = 0; i < 64; i++)                                                                                   \
            c[wgmma_row(i) * 128 + wgmma_column(i)] = d[i];                                                            \
    }
typedef float16 f16_element;
typedef bfloat16 bf16_element;
DEFINE_PARTS(f16, ROWS, a)
DEFINE_PARTS(f16, COLUMNS, b)
DEFINE_PARTS(bf16, ROWS, a)
DEFINE_PARTS(bf16, COLUMNS, b)

/* Loads the box at at[0 …] and stores it at at[5 …], or adds it there. */
#define DEFINE_MOVE(rank, first, second)                                                                               \
    kernel                                                                                                             \
    void move_##rank(const tensor_map from, const tensor_map to, const int *at, unsigned bytes, int adds)              \
    {                                                                                                                  \
        dynamic_shared(unsigned char, memory);                                                                         \
        shared mbarrier full;                                                                                          \
        unsigned char *tile = (unsigned char *)(((uintptr_t)memory + 1023) & ~(uintptr_t)1023);                        \
        if (threadIdx.x != 0)                                                                                          \
            return;                                                                                                    \
        mbarrier_init(&full, 1);                                                                                       \
        mbarrier_fence_init();                                                                                         \
        mbarrier_arrive_expect(&full, bytes);                                                                          \
        tma_load(tile, from, &full, EXPAND first);                                                                     \
        mbarrier_wait(&full, 0);                                                                                       \
        if (adds)                                                                                                      \
            tma_add(to, tile, EXPAND second);                                                                          \
        else                                                                                                           \
            tma_store(to, tile, EXPAND second);                                                                        \
        tma_commit();                                                                                                  \
        tma_wait_read(0);                                                                                              \
        tma_wait(0);                                                                                                   \
    }
#define EXPAND(...) __VA_ARGS__
DEFINE_MOVE(1, (at[0]), (at[5]))
DEFINE_MOVE(2, (at[0], at[1]), (at[5], at[6]))
DEFINE_MOVE(3, (at[0], at[1], at[2]), (at[5], at[6], at[7]))
DEFINE_MOVE(4, (at[0], at[1], at[2], at[3]), (at[5], at[6], at[7], at[8]))
DEFINE_MOVE(5, (at[0], at[1], at[2], at[3], at[4]), (at[5], at[6], at[7], at[8], at[9]))

/* Each block of a cluster loads a quarter of the 4 x 64 words for all. */
kernel cluster(4) launch_bounds(64)
void spread(const tensor_map words, uint32 *out)
{
    shared uint32 tile[4][64] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, sizeof tile);
    }
    cluster_sync();
    if (threadIdx.x == 0)
        tma_load_multicast(tile[clusterrank], words, &full, 15, 0, (int)(blockIdx.x / 4 * 4 + clusterrank));
    mbarrier_wait(&full, 0);
    for (unsigned row = 0; row < 4; row++)
        out[(blockIdx.x * 4 + row) * 64 + threadIdx.x] = tile[row][threadIdx.x];
    cluster_sync();
}

/* A ring of `rounds` phases between a thread that copies pieces of 1 KiB and a warp that adds them up. */
kernel launch_bounds(64)
void pipeline(const uint32 *in, uint32 *out, int rounds)
{
    shared uint32 stages[3][256] __attribute__((aligned(128)));
    shared mbarrier full[3], empty[3];
    if (threadIdx.x < 3) {
        mbarrier_init(&full[threadIdx.x], 1);
        mbarrier_init(&empty[threadIdx.x], 32);
        mbarrier_fence_init();
    }
    syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < rounds; i++) {
            mbarrier_wait(&empty[i % 3], (unsigned)(i / 3 + 1) & 1);
            mbarrier_expect(&full[i % 3], 1024);
            mbarrier_arrive(&full[i % 3]);
            bulk_load(stages[i % 3], in + ((size_t)blockIdx.x * (size_t)rounds + (size_t)i) * 256, 1024, &full[i % 3]);
        }
    if (threadIdx.x >= 32) {
        uint32 sum = 0;
        for (int i = 0; i < rounds; i++) {
            while (!mbarrier_test(&full[i % 3], (unsigned)(i / 3) & 1))
                ;
            for (int k = 0; k < 8; k++)
                sum = sum * 31 + stages[i % 3][laneid + 32 * (unsigned)k];
            mbarrier_arrive(&empty[i % 3]);
        }
        out[blockIdx.x * 32 + laneid] = sum;
    }
}

/* Threads write a tile, and the copy engine reads it. */
kernel launch_bounds(256)
void written(uint32 *out)
{
    shared uint32 tile[256] __attribute__((aligned(128)));
    tile[threadIdx.x] = threadIdx.x * 2654435761u + blockIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out + blockIdx.x * 256, tile, sizeof tile);
        tma_commit();
        tma_wait(0);
    }
}
