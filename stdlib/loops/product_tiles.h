/* The body of a product's function for the tiles that a block makes (product_plain.h has its macros): 16-bit elements,
 * and 8-bit floating-point ones as float16, on the matrix units, if the GPU has them, else sums in the order of k.
 * Tiles are numbered down groups of rows of tiles, so that blocks that run at once share slices in the cache. */
#include <loops/product_types.h>
#if defined(__NVPTX__) && __CUDA_ARCH__ < 800
enum { product_has_units = 0 };
#else
enum { product_has_units = _Generic((GPUCC_PRODUCT_X){0}, _Float16: 1, __bf16: 1, gpucc_float8_e4m3fn: 1,
                                    gpucc_float8_e5m2: 1, default: 0) };
#endif
enum { product_tile = sizeof(product_sum) == 4 ? 128 : 64, product_group = 8 };
const size_t product_tile_rows = (m + product_tile - 1) / product_tile;
const size_t product_tile_columns = (n + product_tile - 1) / product_tile;
/* Elements of an operand that a thread loads at once: `run` of them. */
#define GPUCC_PRODUCT_RUN(a, A)                                                                                        \
    typedef struct {                                                                                                   \
        _Alignas(run * sizeof(GPUCC_PRODUCT_ELEMENT_##A)) GPUCC_PRODUCT_ELEMENT_##A x[run];                            \
    } product_run_##a
gpucc_shared _Alignas(16) char product_memory[37888]; /* two slices of a and of b */
for (size_t tile = gpucc_blockIdx.y; tile < product_tile_rows * product_tile_columns; tile += gpucc_gridDim.y) {
    const size_t product_first = tile / (product_group * product_tile_columns) * product_group;
    const size_t product_inside = tile - product_first * product_tile_columns;
    const size_t product_left = product_tile_rows - product_first;
    const size_t product_height = product_left < product_group ? product_left : product_group;
    const size_t row0 = (product_first + product_inside % product_height) * product_tile;
    const size_t column0 = product_inside / product_height * product_tile;
    gpucc_syncthreads(); /* shared memory may still be read */
    if (product_has_units) {
#include <loops/product_units.h>
    } else {
#include <loops/product_sums.h>
    }
}
#undef GPUCC_PRODUCT_RUN
