/* Results of a tile (product_stages.h): warps turn bands of 16 rows in shared memory, so that a thread makes 16 bytes'
 * worth of sums that are contiguous. */
product_lines *const lines = (product_lines *)product_memory + warp;
const size_t first_row = row0 + warp % warps_down * warp_rows, to = column0 + warp / warps_down * warp_columns;
const _Bool is_whole = first_row + warp_rows <= m && to + warp_columns <= n && n % run == 0 &&
                       (uintptr_t)GPUCC_PRODUCT_OUT % sizeof(product_run) == 0;
gpucc_syncthreads();
_Pragma("nounroll") for (unsigned band = 0; band < warp_rows / 16; band++)
{
    unsigned mine = lane;  /* addresses are computed in each round */
    __asm__ volatile("" : "+r"(mine));
    _Pragma("unroll") for (unsigned b = 0; b < warp_rows / 16; b++) if (b == band) GPUCC_PRODUCT_STORE(*lines, b)
    gpucc_syncwarp();
    if (is_whole)
        _Pragma("nounroll") for (unsigned i = 0; i < 8; i++)
        {
            const unsigned inside = 2 * i + mine / 16, across = mine % 16 * run;
            const size_t row = first_row + 16 * band + inside, column = to + across;
            const product_numbers sum = *(const product_numbers *)&(*lines)[inside][across];
            product_run results;
            _Pragma("unroll") for (unsigned e = 0; e < run; e++) results.x[e] =
                GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)sum.x[e], row, column + e);
            *(product_run *)&GPUCC_PRODUCT_OUT[row * n + column] = results;
        }
    else
        _Pragma("nounroll") for (unsigned i = mine; i < 16 * warp_columns; i += 32)
        {
            const unsigned inside = i / warp_columns, across = i % warp_columns;
            const size_t row = first_row + 16 * band + inside, column = to + across;
            if (row < m && column < n)
                GPUCC_PRODUCT_OUT[row * n + column] =
                    GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)(*lines)[inside][across], row, column);
        }
    gpucc_syncwarp();
}
