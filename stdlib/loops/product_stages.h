/* Tiles of a product of float32 or float64 matrices (product_tiles.h) from sm_90 on, GPUCC_PRODUCT_HEIGHT times
 * GPUCC_PRODUCT_WIDTH, out of stages of shared memory: while one is multiplied, asynchronous copies fill the others.
 * Sums follow the order of k, out of stages that lie along k.  Behind its end elements of a are -0 and those of b are
 * 0, whose products -0 change no sum.  Elements outside otherwise are others of the same matrix, for no result. */
enum {
    is_wide = sizeof(product_sum) == 8,
    tile_rows = GPUCC_PRODUCT_HEIGHT,
    tile_columns = GPUCC_PRODUCT_WIDTH,
    threads = 256,
    depth = 8,
    stages = 3,
    run = 16 / sizeof(product_sum),
    a_lines = threads / depth,
    b_runs = tile_columns / run,
    b_lines = threads / b_runs,
    pad = is_wide ? 0 : 4, /* behind the rows of one l */
    warp_columns = 256 / sizeof(product_sum),
    warps_down = threads / 32 / (tile_columns / warp_columns),
    warp_rows = tile_rows / warps_down
};
typedef struct {
    product_sum a[depth][tile_rows + pad], b[depth][tile_columns];
} product_stage;
typedef struct {
    _Alignas(16) product_sum x[run];
} product_numbers;
typedef struct {
    _Alignas(run * sizeof(product_element)) product_element x[run];
} product_run;
typedef product_sum product_lines[16][warp_columns]; /* of a warp, on their way to whole rows of the output */
_Static_assert(!product_has_stages || stages * sizeof(product_stage) <= sizeof product_memory, "the stages fit");
_Static_assert(!product_has_stages || threads / 32 * sizeof(product_lines) <= sizeof product_memory, "results fit");
product_stage *const product_stages = (product_stage *)product_memory;
const unsigned thread = gpucc_threadIdx.x, lane = thread % 32, warp = thread / 32;
const unsigned a_line = thread / depth, a_l = thread % depth, b_l = thread / b_runs, b_column = thread % b_runs * run;
const unsigned b_line = thread / tile_columns, b_place = thread % tile_columns; /* where elements come one by one */
for (size_t tile = gpucc_blockIdx.y;; tile += gpucc_gridDim.y) {
    const size_t tiles_down = (m + tile_rows - 1) / tile_rows, tiles_across = (n + tile_columns - 1) / tile_columns;
    if (tile >= tiles_down * tiles_across)
        break;
    const size_t first = tile / (product_group * tiles_across) * product_group;
    const size_t inside = tile - first * tiles_across, left = tiles_down - first;
    const size_t height = left < product_group ? left : product_group;
    const size_t row0 = (first + inside % height) * tile_rows, column0 = inside / height * tile_columns;
    const _Bool has_rows = row0 + tile_rows <= m;
    const _Bool has_runs = column0 + tile_columns <= n && n % run == 0 && (uintptr_t)GPUCC_PRODUCT_B % 16 == 0;
    const product_sum *a_from = (const product_sum *)GPUCC_PRODUCT_A + ((row0 + a_line) * k + a_l);
    const product_sum *b_from = (const product_sum *)GPUCC_PRODUCT_B;
    const size_t b_last = n - 1 - column0;
    b_from += has_runs ? b_l * n + column0 + b_column : b_line * n + column0 + (b_place < b_last ? b_place : b_last);
/* The compiler then does not compute what follows from it before the loop. */
#if defined(__NVPTX__)
#define GPUCC_PRODUCT_KEEP(x) __asm__ volatile("" : "+l"(x))
#else
#define GPUCC_PRODUCT_KEEP(x) __asm__ volatile("" : "+r"(x))
#endif
/* Elements of 8 bytes lie so that pairs of one l are in other banks than those of the others. */
#define GPUCC_PRODUCT_AT(matrix, l, i) (&(matrix)[l][is_wide ? (i) ^ (l) % 4 * 4 ^ (l) / 4 % 2 * 2 : (i)])
/* Starts the copies of the slice that begins at l0.  Addresses follow one another: all of them together would take the
 * registers that the sums need. */
#define GPUCC_PRODUCT_COPY(from_l, to)                                                                                 \
    do {                                                                                                               \
        const size_t l0 = (from_l);                                                                                    \
        product_stage *const stage = &product_stages[to];                                                              \
        if (l0 + depth <= k) {                                                                                         \
            const product_sum *from = a_from;                                                                          \
            if (has_rows)                                                                                              \
                _Pragma("unroll") for (unsigned i = 0; i < tile_rows / a_lines; i++)                                   \
                {                                                                                                      \
                    gpucc_memcpy_async(GPUCC_PRODUCT_AT(stage->a, a_l, a_line + i * a_lines), from, sizeof *from);     \
                    from += a_lines * k;                                                                               \
                    GPUCC_PRODUCT_KEEP(from);                                                                          \
                }                                                                                                      \
            else {                                                                                                     \
                size_t row = row0 + a_line;                                                                            \
                _Pragma("unroll") for (unsigned i = 0; i < tile_rows / a_lines; i++)                                   \
                {                                                                                                      \
                    GPUCC_PRODUCT_KEEP(row);                                                                           \
                    gpucc_memcpy_async(GPUCC_PRODUCT_AT(stage->a, a_l, a_line + i * a_lines),                          \
                                       row < m ? from : (const product_sum *)GPUCC_PRODUCT_A, sizeof *from);           \
                    row += a_lines;                                                                                    \
                    from += a_lines * k;                                                                               \
                    GPUCC_PRODUCT_KEEP(from);                                                                          \
                }                                                                                                      \
            }                                                                                                          \
            from = b_from;                                                                                             \
            if (has_runs)                                                                                              \
                _Pragma("unroll") for (unsigned i = 0; i < depth / b_lines; i++)                                       \
                {                                                                                                      \
                    gpucc_memcpy_async(GPUCC_PRODUCT_AT(stage->b, b_l + i * b_lines, b_column), from, 16);             \
                    from += b_lines * n;                                                                               \
                    GPUCC_PRODUCT_KEEP(from);                                                                          \
                }                                                                                                      \
            else                                                                                                       \
                _Pragma("unroll") for (unsigned i = 0; i < depth * tile_columns / threads; i++)                        \
                {                                                                                                      \
                    gpucc_memcpy_async(GPUCC_PRODUCT_AT(stage->b, b_line + i * (threads / tile_columns), b_place),     \
                                       from, sizeof *from);                                                            \
                    from += threads / tile_columns * n;                                                                \
                    GPUCC_PRODUCT_KEEP(from);                                                                          \
                }                                                                                                      \
        } else if (l0 < k + depth) {                                                                                   \
            unsigned place = thread;                                                                                   \
            __asm__ volatile("" : "+r"(place));                                                                        \
            _Pragma("nounroll") for (unsigned i = place; i < tile_rows * depth; i += threads)                          \
            {                                                                                                          \
                const size_t row = row0 + i / depth, l = l0 + i % depth;                                               \
                product_sum *const at = GPUCC_PRODUCT_AT(stage->a, i % depth, i / depth);                              \
                if (l < k)                                                                                             \
                    gpucc_memcpy_async(at, (const product_sum *)GPUCC_PRODUCT_A + ((row < m ? row : m - 1) * k + l),   \
                                       sizeof *at);                                                                    \
                else                                                                                                   \
                    *at = (product_sum)-0.0;                                                                           \
            }                                                                                                          \
            _Pragma("nounroll") for (unsigned i = place; i < tile_columns * depth; i += threads)                       \
            {                                                                                                          \
                const size_t column = column0 + i % tile_columns, l = l0 + i / tile_columns;                           \
                product_sum *const at = GPUCC_PRODUCT_AT(stage->b, i / tile_columns, i % tile_columns);                \
                if (l < k)                                                                                             \
                    gpucc_memcpy_async(at,                                                                             \
                                       (const product_sum *)GPUCC_PRODUCT_B + (l * n + (column < n ? column : n - 1)), \
                                       sizeof *at);                                                                    \
                else                                                                                                   \
                    *at = 0;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        a_from += depth;                                                                                               \
        b_from += depth * n;                                                                                           \
        gpucc_memcpy_async_commit();                                                                                   \
    } while (0)
    gpucc_syncthreads(); /* shared memory may still be read */
    _Pragma("nounroll") for (unsigned i = thread; i < tile_rows * depth; i += threads)
        *GPUCC_PRODUCT_AT(product_stages[stages - 1].a, i % depth, i / depth) = (product_sum)-0.0;
    _Pragma("nounroll") for (unsigned i = thread; i < tile_columns * depth; i += threads)
        *GPUCC_PRODUCT_AT(product_stages[stages - 1].b, i % depth, i / depth) = 0;
    _Pragma("unroll") for (unsigned i = 0; i < stages - 1; i++) GPUCC_PRODUCT_COPY(i * depth, i);
    gpucc_syncthreads();
    unsigned now = stages - 1, next = 0;
    if (is_wide) {
#include <loops/product_stages_64.h>
    } else {
#include <loops/product_stages_32.h>
    }
}
#undef GPUCC_PRODUCT_AT
#undef GPUCC_PRODUCT_COPY
#undef GPUCC_PRODUCT_KEEP
#undef GPUCC_PRODUCT_HEIGHT
#undef GPUCC_PRODUCT_WIDTH
