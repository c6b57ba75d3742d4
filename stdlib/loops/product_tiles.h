/* The body of a product's function for the tiles that a block makes (product_plain.h has its macros): 16-bit elements,
 * and 8-bit floating-point ones as float16, on the matrix units, if the GPU has them, else sums in the order of k, of
 * float32 and float64 matrices as they lie by asynchronous copies.  Tiles are numbered down groups of rows of tiles, so
 * that blocks that run at once share slices in the cache. */
#include <loops/product_types.h>
#if defined(__NVPTX__) && __CUDA_ARCH__ < 800
enum { product_has_units = 0 };
#else
enum { product_has_units = _Generic((GPUCC_PRODUCT_X){0}, _Float16: 1, __bf16: 1, gpucc_float8_e4m3fn: 1,
                                    gpucc_float8_e5m2: 1, default: 0) };
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
enum { product_adds_in_order = 1 }; /* matrix units for float64: PTX states no order, Hopper's is measured */
#else
enum { product_adds_in_order = 0 };
#endif
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
enum { product_has_stages = GPUCC_PRODUCT_IS_PLAIN && _Generic((GPUCC_PRODUCT_X){0}, float: 1,
                                                               double: product_adds_in_order, default: 0) };
#else
enum { product_has_stages = 0 }; /* native code would switch threads in each product of the matrix units */
#endif
enum { product_tile = sizeof(product_sum) == 4 ? 128 : 64, product_group = 8 };
const size_t product_tile_rows = (m + product_tile - 1) / product_tile;
const size_t product_tile_columns = (n + product_tile - 1) / product_tile;
typedef __typeof__(*GPUCC_PRODUCT_OUT) product_element;
/* Elements of an operand that a thread loads at once: `run` of them. */
#define GPUCC_PRODUCT_RUN(a, A)                                                                                        \
    typedef struct {                                                                                                   \
        _Alignas(run * sizeof(GPUCC_PRODUCT_ELEMENT_##A)) GPUCC_PRODUCT_ELEMENT_##A x[run];                            \
    } product_run_##a
/* Two slices of a and of b, or three stages. */
gpucc_shared _Alignas(16) char product_memory[product_has_stages && sizeof(product_sum) == 8 ? 49152 : 37888];
if (product_has_stages) {
    /* The largest tiles of which there are enough for the multiprocessors of a large GPU. */
    enum { enough = 96, narrow = sizeof(product_sum) == 8 ? 64 : 128, wide = 2 * narrow };
    const size_t product_down = (m + 127) / 128 * gpucc_gridDim.x;
    if (product_down * ((n + wide - 1) / wide) >= enough) {
#define GPUCC_PRODUCT_HEIGHT 128
#define GPUCC_PRODUCT_WIDTH wide
#include <loops/product_stages.h>
    } else if (product_down * ((n + narrow - 1) / narrow) >= enough) {
#define GPUCC_PRODUCT_HEIGHT 128
#define GPUCC_PRODUCT_WIDTH narrow
#include <loops/product_stages.h>
    } else {
#define GPUCC_PRODUCT_HEIGHT 64
#define GPUCC_PRODUCT_WIDTH narrow
#include <loops/product_stages.h>
    }
} else
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
