/* A tile of a product by warpgroups (product_warpgroups.h) that is GPUCC_PRODUCT_BANDS times 64 columns wide.  Both
 * blocks of a cluster need the same elements of b, so each loads half of them for both: half of the bands, or half of
 * each band's rows.  Of a turned matrix they are the transposed one's, 64 of its rows in a band.  Two warpgroups make
 * 64 rows each; their sums leave by way of shared memory, so that a thread makes 4 results that are contiguous. */
enum { bands = GPUCC_PRODUCT_BANDS, loads = bands % 2 ? bands : bands / 2, at_once = 2 };
enum { at_a_time = product_promotes && bands == 4 ? 2 : bands }; /* of the bands: there are registers for 192 sums */
#define GPUCC_PRODUCT_PROMOTE(first)                                                                                   \
    _Pragma("unroll") for (unsigned i = 0; i < 32 * at_a_time; i++)                                                    \
    {                                                                                                                  \
        promoted[product_promotes ? 32 * (first) + i : 0] += d[i];                                                     \
        GPUCC_PRODUCT_SETTLE(promoted[product_promotes ? 32 * (first) + i : 0]);                                       \
    }
#define GPUCC_PRODUCT_SUM_AT(i) (product_promotes ? promoted[product_promotes ? (i) : 0] : d[i])
typedef struct {
    product_unit a[GPUCC_PRODUCT_HEIGHT][product_depth];
    product_unit b[bands][64][product_depth];
} product_stage;
enum {
    stages = GPUCC_PRODUCT_ROOM / sizeof(product_stage) < GPUCC_PRODUCT_STAGES
                 ? GPUCC_PRODUCT_ROOM / sizeof(product_stage)
                 : GPUCC_PRODUCT_STAGES
};
product_stage *const product_memory = (product_stage *)gpucc_work->memory;
if (gpucc_work->warpgroup == 0) {
    const int index_a = gpucc_work->tiling.left_varies ? (int)gpucc_work->index : 0;
    const int index_b = gpucc_work->tiling.right_varies ? (int)gpucc_work->index : 0;
    const unsigned rank = gpucc_work->rank;
    _Pragma("nounroll") for (size_t l = 0; l < k; l += product_depth)
    {
        product_stage *const stage = &product_memory[gpucc_work->stage];
        gpucc_mbarrier *const full = &gpucc_work->full[gpucc_work->stage];
        gpucc_mbarrier_wait(&gpucc_work->empty[gpucc_work->stage], gpucc_work->parity);
        gpucc_mbarrier_arrive_expect(full, sizeof(product_stage));
        if (product_turns && gpucc_work->tiling.turned & 1)
            _Pragma("unroll") for (unsigned i = 0; i < 2; i++)
                gpucc_tma_load(stage->a[64 * i], *gpucc_work->left, full, (int)(row0 + 64 * i), (int)l, index_a);
        else
            gpucc_tma_load(stage->a, *gpucc_work->left, full, (int)l, (int)row0, index_a);
        _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
        {
            const unsigned band = bands % 2 ? i : rank * loads + i, below = bands % 2 ? rank * 32 : 0;
            const size_t column = column0 + 64 * band;
            const _Bool is_turned = !product_turns || gpucc_work->tiling.turned & 2;
            gpucc_tma_load_multicast(stage->b[band][below], *gpucc_work->right, full, 3, (int)(is_turned ? l : column),
                                     (int)((is_turned ? column : l) + below), index_b);
        }
        gpucc_product_advance(gpucc_work, stages);
    }
} else {
    /* Registers that nothing defines would be live across all widths of tiles. */
    product_sum d[32 * at_a_time] = {0}, promoted[product_promotes ? 32 * bands : 1] = {0};
    unsigned since = 0; /* stages whose sums are in d */
    const unsigned thread = gpucc_threadIdx.x % 128, lane = gpucc_laneid, warp = gpucc_threadIdx.x / 32 - 4;
    _Pragma("nounroll") for (size_t l = 0; l < k; l += product_depth)
    {
        product_stage *const stage = &product_memory[gpucc_work->stage];
        gpucc_mbarrier_wait(&gpucc_work->full[gpucc_work->stage], gpucc_work->parity);
        const void *const x = stage->a[(gpucc_work->warpgroup - 1) * 64], *const y = stage->b;
        if (at_a_time < bands)
            _Pragma("unroll") for (unsigned first = 0; first < bands; first += at_a_time)
            {
                GPUCC_PRODUCT_MULTIPLY(gpucc_wgmma_rows(x, 128), 32, gpucc_wgmma_rows(stage->b[first], 128), 32);
                if (first + at_a_time < bands)
                    GPUCC_PRODUCT_PROMOTE(first)
            }
        else if (!product_turns || gpucc_work->tiling.turned == 2)
            GPUCC_PRODUCT_MULTIPLY(gpucc_wgmma_rows(x, 128), 32, gpucc_wgmma_rows(y, 128), 32);
        else if (gpucc_work->tiling.turned == 0)
            GPUCC_PRODUCT_MULTIPLY(gpucc_wgmma_rows(x, 128), 32, gpucc_wgmma_columns(y, 8192), 2048);
        else if (gpucc_work->tiling.turned == 1)
            GPUCC_PRODUCT_MULTIPLY(gpucc_wgmma_columns(x, 8192), 2048, gpucc_wgmma_columns(y, 8192), 2048);
        else
            GPUCC_PRODUCT_MULTIPLY(gpucc_wgmma_columns(x, 8192), 2048, gpucc_wgmma_rows(y, 128), 32);
        if (thread < 2)
            gpucc_mbarrier_arrive_rank(&gpucc_work->empty[gpucc_work->stage], thread);
        gpucc_product_advance(gpucc_work, stages);
        if (product_promotes && (at_a_time < bands || ++since == product_promotes || k - l <= product_depth)) {
            GPUCC_PRODUCT_PROMOTE(bands - at_a_time)
            since = 0;
        }
    }
    const size_t first_row = row0 + 16 * warp;
    const _Bool is_whole = first_row + 16 <= m && column0 + 64 * bands <= n && n % 4 == 0 &&
                           (uintptr_t)GPUCC_PRODUCT_OUT % sizeof(product_run) == 0;
    _Pragma("nounroll") for (unsigned band = 0; band < bands; band++)
    {
        /* Addresses are computed in each round: all of them together would take the registers that d needs. */
        size_t pitch = n;
        unsigned place = lane;
        GPUCC_PRODUCT_HIDE(pitch);
        GPUCC_PRODUCT_HIDE(place);
        product_sums *const sums = (product_sums *)(gpucc_work->memory + GPUCC_PRODUCT_ROOM) + warp;
        _Pragma("unroll") for (unsigned b = 0; b < bands; b++) if (b == band)
            _Pragma("unroll") for (unsigned i = 0; i < 32; i += 2)
            {
                const unsigned row = place / 4 + i / 2 % 2 * 8, block = i / 4 % 4 ^ place / 4 % 4;
                *(product_pair *)&(*sums)[row][i / 16 * 32 + block * 8 + place % 4 * 2] =
                    (product_pair){{GPUCC_PRODUCT_SUM_AT(32 * b + i), GPUCC_PRODUCT_SUM_AT(32 * b + i + 1)}};
            }
        gpucc_syncwarp();
        const size_t column = column0 + 64 * band + place % 16 * 4;
        if (is_whole)
            _Pragma("unroll") for (unsigned first = 0; first < 8; first += at_once)
            {
                product_run results[at_once]; /* before the first is stored: no load moves in front of a store */
                _Pragma("unroll") for (unsigned r = first; r < first + at_once; r++)
                {
                    const unsigned inside = 2 * r + place / 16;
                    const size_t row = first_row + inside;
                    const product_quad sum =
                        *(const product_quad *)&(*sums)[inside][(place % 16 * 4 ^ place / 16 * 8) ^ r % 2 * 16];
                    _Pragma("unroll") for (unsigned e = 0; e < 4; e++) results[r - first].x[e] =
                        GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)sum.x[e], row, column + e);
                }
                _Pragma("unroll") for (unsigned r = first; r < first + at_once; r++)
                {
                    const size_t row = first_row + 2 * r + place / 16;
                    *(product_run *)&GPUCC_PRODUCT_OUT[row * pitch + column] = results[r - first];
                }
            }
        else
            _Pragma("nounroll") for (unsigned i = place; i < 16 * 64; i += 32)
            {
                const unsigned inside = i / 64;
                const size_t row = first_row + inside, to = column0 + 64 * band + i % 64;
                if (row < m && to < n)
                    GPUCC_PRODUCT_OUT[row * n + to] = GPUCC_PRODUCT_FINISH(
                        (GPUCC_PRODUCT_SUM)(*sums)[inside][i % 64 ^ inside % 4 * 8], row, to);
            }
        gpucc_syncwarp();
    }
}
#undef GPUCC_PRODUCT_BANDS
#undef GPUCC_PRODUCT_SUM_AT
#undef GPUCC_PRODUCT_PROMOTE
