// Products of warpgroups.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/tma.h>
#include <gpucc/wgmma.h>

enum { BYTES = 128 };

#define OPERANDS shared float16 x[64][64] __attribute__((aligned(1024))), y[8][64] __attribute__((aligned(1024)))
#define STORE_SUMS(out, d)                                                                                             \
    for (int i = 0; i < 4; i++)                                                                                        \
    (out)[wgmma_row(i) * 8 + wgmma_column(i)] = (d)[i]

static inline void begin(mbarrier *full, unsigned arrivals)
{
    if (threadIdx.x == 0) {
        mbarrier_init(full, arrivals);
        mbarrier_fence_init();
    }
    syncthreads();
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void product_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    OPERANDS;
    shared mbarrier full;
    float d[4];
    begin(&full, 1);
    if (threadIdx.x == 127) {
        mbarrier_arrive_expect(&full, sizeof x + sizeof y);
        tma_load(x, a, &full, 0, 0); // fault: race on 'x'
        tma_load(y, b, &full, 0, 0); // fault: race on 'y'
    }
    RIGHT(mbarrier_wait(&full, 0);)
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    wgmma_commit();
    wgmma_wait(0, d);
    WRONG(mbarrier_wait(&full, 0);)
    STORE_SUMS(out, d);
}

// run: zeros:512:float32 --grid=1 --block=128
kernel void written_without_proxy_fence(float *out)
{
    OPERANDS;
    float d[4];
    for (unsigned i = threadIdx.x; i < 64 * 64; i += 128)
        x[i / 64][i % 64] = (float16)(i % 7); // fault: without fence_proxy_async()
    for (unsigned i = threadIdx.x; i < 8 * 64; i += 128)
        y[i / 64][i % 64] = (float16)(i % 5); // fault: without fence_proxy_async()
    RIGHT(fence_proxy_async();)
    syncthreads();
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0); // fault: read by a product of thread (0, 0, 0)
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void written_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    OPERANDS;
    shared mbarrier full;
    float d[4];
    begin(&full, 1);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof x + sizeof y);
        tma_load(x, a, &full, 0, 0);
        tma_load(y, b, &full, 0, 0);
    }
    mbarrier_wait(&full, 0);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    // note: wgmma_commit() and wgmma_wait() behind the product order them
    wgmma_commit();
    RIGHT(wgmma_wait(0, d);)
    syncthreads();
    x[threadIdx.x / 2][0] = 0; // fault: race on 'x'
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:128x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void loaded_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    OPERANDS;
    shared mbarrier full[2];
    float d[4];
    begin(&full[0], 1);
    begin(&full[1], 1);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full[0], sizeof x + sizeof y);
        tma_load(x, a, &full[0], 0, 0);
        tma_load(y, b, &full[0], 0, 0);
    }
    mbarrier_wait(&full[0], 0);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0); // fault: read by a product of thread (0, 0, 0)
    wgmma_commit();
    RIGHT(wgmma_wait(0, d);)
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full[1], sizeof x);
        tma_load(x, a, &full[1], 0, 64);
    }
    WRONG(wgmma_wait(0, d);)
    mbarrier_wait(&full[1], 0);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 1);
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:512x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=256
kernel void empty_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    shared float16 x[2][64][64] __attribute__((aligned(1024))), y[8][64] __attribute__((aligned(1024)));
    shared mbarrier full[2], empty[2], other;
    for (int i = 0; i < 2; i++) {
        begin(&full[i], 1);
        begin(&empty[i], 1);
    }
    begin(&other, 1);
    if (threadIdx.x == 128) {
        mbarrier_arrive_expect(&other, sizeof y);
        tma_load(y, b, &other, 0, 0);
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&empty[i % 2], ((unsigned)i / 2 + 1) & 1);
            mbarrier_arrive_expect(&full[i % 2], sizeof x[0]);
            tma_load(x[i % 2], a, &full[i % 2], 0, i * 64); // fault: nothing orders this write by the copy engine
        }
    } else if (threadIdx.x < 128) {
        float d[4];
        mbarrier_wait(&other, 0);
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&full[i % 2], (unsigned)i / 2 & 1);
            wgmma_fence(d);
            wgmma_f16(d, wgmma_rows(x[i % 2], BYTES), wgmma_rows(y, BYTES), i > 0);
            wgmma_commit();
            RIGHT(wgmma_wait(0, d);)
            if (threadIdx.x == 0)
                mbarrier_arrive(&empty[i % 2]);
            WRONG(wgmma_wait(0, d);)
        }
        STORE_SUMS(out, d);
    }
}

// run: map:64x64:128:random:512x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=256
kernel void one_group_may_be_under_way(const tensor_map a, const tensor_map b, float *out)
{
    shared float16 x[4][64][64] __attribute__((aligned(1024))), y[8][64] __attribute__((aligned(1024)));
    shared mbarrier full[4], empty[4], other;
    for (int i = 0; i < 4; i++) {
        begin(&full[i], 1);
        begin(&empty[i], 1);
    }
    begin(&other, 1);
    if (threadIdx.x == 128) {
        mbarrier_arrive_expect(&other, sizeof y);
        tma_load(y, b, &other, 0, 0);
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&empty[i % 4], ((unsigned)i / 4 + 1) & 1);
            mbarrier_arrive_expect(&full[i % 4], sizeof x[0]);
            tma_load(x[i % 4], a, &full[i % 4], 0, i * 64); // fault: nothing orders this write by the copy engine
        }
    } else if (threadIdx.x < 128) {
        float d[4];
        mbarrier_wait(&other, 0);
        wgmma_fence(d);
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&full[i % 4], (unsigned)i / 4 & 1);
            wgmma_f16(d, wgmma_rows(x[i % 4], BYTES), wgmma_rows(y, BYTES), i > 0);
            wgmma_commit();
            wgmma_wait(1, d); // the product before this one is complete
            if (threadIdx.x == 0 && i RIGHT(> 0) WRONG(>= 0))
                mbarrier_arrive(&empty[(i RIGHT(+ 3)) % 4]);
        }
        wgmma_wait(0, d);
        STORE_SUMS(out, d);
    }
}

#define LOADED(a, b)                                                                                                   \
    OPERANDS;                                                                                                          \
    shared mbarrier full;                                                                                              \
    begin(&full, 1);                                                                                                   \
    if (threadIdx.x == 0) {                                                                                            \
        mbarrier_arrive_expect(&full, sizeof x + sizeof y);                                                            \
        tma_load(x, a, &full, 0, 0);                                                                                   \
        tma_load(y, b, &full, 0, 0);                                                                                   \
    }                                                                                                                  \
    mbarrier_wait(&full, 0)

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void sums_read_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    wgmma_commit();
    RIGHT(wgmma_wait(0, d);)
    STORE_SUMS(out, d); // fault: read of sums that a product may still compute
    // note: wgmma_wait() must name the sums before they are used
    wgmma_wait(0, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void wait_names_other_sums(const tensor_map a, const tensor_map b, float *out)
{
    float d[4], e[4];
    LOADED(a, b);
    wgmma_fence(d);
    wgmma_fence(e);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    wgmma_f16(e, wgmma_offset(wgmma_rows(x, BYTES), 32), wgmma_offset(wgmma_rows(y, BYTES), 32), 0);
    wgmma_commit();
    wgmma_wait(0, d);
    RIGHT(wgmma_wait(0, e);)
    for (int i = 0; i < 4; i++)
        d[i] += e[i]; // fault: read of sums that a product may still compute
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void sums_of_the_newest_group(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    for (unsigned k = 0; k < 2; k++) {
        wgmma_f16(d, wgmma_offset(wgmma_rows(x, BYTES), 32 * k), wgmma_offset(wgmma_rows(y, BYTES), 32 * k), k > 0);
        wgmma_commit();
    }
    wgmma_wait(RIGHT(0) WRONG(1), d);
    STORE_SUMS(out, d); // fault: read of sums that a product may still compute
    wgmma_wait(0, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void sums_written_before_wait(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    wgmma_commit();
    RIGHT(wgmma_wait(0, d);)
    for (int i = 0; i < 4; i++)
        d[i] = (float)i; // fault: write of sums that a product may still compute
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void no_fence_of_sums(const tensor_map a, const tensor_map b, float *out)
{
    float d[4] = {0};
    LOADED(a, b);
    RIGHT(wgmma_fence(d);)
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 1); // fault: product into sums without wgmma_fence()
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void sums_scaled_without_fence(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    for (unsigned k = 0; k < 2; k++) {
        // fault: product into sums without wgmma_fence()
        wgmma_f16(d, wgmma_offset(wgmma_rows(x, BYTES), 32 * k), wgmma_offset(wgmma_rows(y, BYTES), 32 * k), k > 0);
        wgmma_commit();
        wgmma_wait(0, d);
        for (int i = 0; i < 4; i++)
            d[i] *= 0.5f;
        RIGHT(wgmma_fence(d);)
    }
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void wait_without_commit_of_products(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
    RIGHT(wgmma_commit();)
    wgmma_wait(0, d);
    STORE_SUMS(out, d); // fault: read of sums that a product may still compute
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void some_of_a_warpgroup(const tensor_map a, const tensor_map b, float *out)
{
    float d[4] = {0};
    LOADED(a, b);
    wgmma_fence(d);
    if (threadIdx.x < 96 RIGHT(|| 1)) {
        wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
        wgmma_commit(); // fault: 32 of the 128 threads of its warpgroup do not come
        wgmma_wait(0, d);
    }
    STORE_SUMS(out, d);
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:1024:float32 --grid=1 --block=192
kernel void warpgroup_of_two_warps(const tensor_map a, const tensor_map b, float *out)
{
    float d[4] = {0};
    LOADED(a, b);
    if (threadIdx.x < 128 WRONG(|| 1)) {
        wgmma_fence(d); // fault: a warpgroup has 128 threads, but the block has only 64 from thread 128 on
        wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0);
        wgmma_commit();
        wgmma_wait(0, d);
        STORE_SUMS(out + threadIdx.x / 128 * 512, d);
    }
}

// run: map:64x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void operand_beyond_shared_memory(const tensor_map a, const tensor_map b, float *out)
{
    float d[4];
    LOADED(a, b);
    wgmma_fence(d);
    // fault: an operand is not within the block's shared memory
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows((char *)y WRONG(+ (1 << 20)), BYTES), 0);
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: map:32x64:128:random:64x64:float16 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void half_of_an_operand(const tensor_map a, const tensor_map b, float *out)
{
    OPERANDS;
    shared mbarrier full;
    float d[4];
    begin(&full, 1);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, RIGHT(sizeof x) WRONG(sizeof x / 2) + sizeof y);
        tma_load(x, a, &full, 0, 0);
        RIGHT(tma_load(x[32], a, &full, 0, 32);)
        tma_load(y, b, &full, 0, 0);
    }
    mbarrier_wait(&full, 0);
    wgmma_fence(d);
    wgmma_f16(d, wgmma_rows(x, BYTES), wgmma_rows(y, BYTES), 0); // fault: uninitialized
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: random:1024:float32 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void part_behind_its_fence(const float *in, const tensor_map b, float *out)
{
    shared float16 y[8][64] __attribute__((aligned(1024)));
    shared mbarrier full;
    float d[4];
    begin(&full, 1);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof y);
        tma_load(y, b, &full, 0, 0);
    }
    mbarrier_wait(&full, 0);
    WRONG(wgmma_fence(d);)
    const wgmma_part part = wgmma_part_f16(&in[threadIdx.x * 8]);
    RIGHT(wgmma_fence(d);)
    wgmma_f16(d, part, wgmma_rows(y, BYTES), 0); // fault: product of a part that was made behind wgmma_fence()
    wgmma_commit();
    wgmma_wait(0, d);
    STORE_SUMS(out, d);
}

// run: random:1024:float32 map:8x64:128:random:8x64:float16 zeros:512:float32 --grid=1 --block=128
kernel void product_of_a_part_before_wait(const float *in, const tensor_map b, float *out)
{
    shared float16 y[8][64] __attribute__((aligned(1024)));
    shared mbarrier full;
    float d[4];
    begin(&full, 1);
    if (threadIdx.x == 127) {
        mbarrier_arrive_expect(&full, sizeof y);
        tma_load(y, b, &full, 0, 0); // fault: race on 'y'
    }
    const wgmma_part part = wgmma_part_f16(&in[threadIdx.x * 8]);
    RIGHT(mbarrier_wait(&full, 0);)
    wgmma_fence(d);
    wgmma_f16(d, part, wgmma_rows(y, BYTES), 0);
    wgmma_commit();
    wgmma_wait(0, d);
    WRONG(mbarrier_wait(&full, 0);)
    STORE_SUMS(out, d);
}
