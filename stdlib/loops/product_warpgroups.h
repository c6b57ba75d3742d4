/* The body of a product's function for a tile that a block of a cluster makes on Hopper (product_plain.h has its
 * macros): `gpucc_work` (product_work.h) names the tile, whose width is a multiple of 64.  The thread either loads its
 * operands or multiplies them.  Pairs of tiles are numbered down groups of rows of them, so that clusters that run at
 * once share operands in the cache. */
typedef __typeof__(_Generic((GPUCC_PRODUCT_X){0}, __bf16: (__bf16)0, signed char: (signed char)0,
                            unsigned char: (unsigned char)0, gpucc_float8_e4m3fn: (unsigned char)0,
                            gpucc_float8_e5m2: (unsigned char)0, float: 0.0f, default: (_Float16)0)) product_unit;
#define GPUCC_PRODUCT_EIGHTS(kind, other, mixed)                                                                       \
    _Generic((GPUCC_PRODUCT_Y){0}, gpucc_float8_##other: GPUCC_WGMMA_##mixed, default: GPUCC_WGMMA_##kind)
enum {
    product_kind = _Generic((GPUCC_PRODUCT_X){0}, __bf16: GPUCC_WGMMA_BF16, signed char: GPUCC_WGMMA_S8,
                            unsigned char: GPUCC_WGMMA_U8, float: GPUCC_WGMMA_TF32,
                            gpucc_float8_e4m3fn: GPUCC_PRODUCT_EIGHTS(E4M3, e5m2, E4M3_E5M2),
                            gpucc_float8_e5m2: GPUCC_PRODUCT_EIGHTS(E5M2, e4m3fn, E5M2_E4M3),
                            default: GPUCC_WGMMA_F16),
    /* stages whose sums of 8-bit floating-point numbers, of fewer bits inside of the units, are added in float32 */
    product_promotes = _Generic((GPUCC_PRODUCT_X){0}, gpucc_float8_e4m3fn: 1, gpucc_float8_e5m2: 1, default: 0),
    product_turns = sizeof(product_unit) == 2, /* else all rows lie along k, those of a transposed b */
    product_depth = GPUCC_PRODUCT_ROW / sizeof(product_unit),
    product_group = 8
};
typedef __typeof__(_Generic((GPUCC_PRODUCT_X){0}, signed char: 0, unsigned char: 0, default: 0.0f)) product_sum;
typedef __typeof__(*GPUCC_PRODUCT_OUT) product_element;
typedef struct {
    _Alignas(4 * sizeof(product_element)) product_element x[4];
} product_run;
typedef struct {
    _Alignas(8) product_sum x[2];
} product_pair;
typedef struct {
    _Alignas(16) product_sum x[4];
} product_quad;
typedef product_sum product_sums[16][64]; /* of a warp, on their way to whole rows of the output */
const unsigned product_number = gpucc_work->pair, product_columns = gpucc_work->tiling.columns;
const unsigned product_first = product_number / (product_group * product_columns) * product_group;
const unsigned product_inside = product_number - product_first * product_columns;
const unsigned product_left = gpucc_work->tiling.row_pairs - product_first;
const unsigned product_height = product_left < product_group ? product_left : product_group;
const size_t row0 =
    ((product_first + product_inside % product_height) * (size_t)2 + gpucc_work->rank) * GPUCC_PRODUCT_HEIGHT;
const size_t column0 = product_inside / product_height * (size_t)(64 * gpucc_work->tiling.bands);
if (gpucc_work->tiling.bands == 4) {
#define GPUCC_PRODUCT_BANDS 4
#include <loops/product_warpgroup_tile.h>
} else if (gpucc_work->tiling.bands == 3) {
#define GPUCC_PRODUCT_BANDS 3
#include <loops/product_warpgroup_tile.h>
} else if (gpucc_work->tiling.bands == 2) {
#define GPUCC_PRODUCT_BANDS 2
#include <loops/product_warpgroup_tile.h>
} else {
#define GPUCC_PRODUCT_BANDS 1
#include <loops/product_warpgroup_tile.h>
}
#undef GPUCC_PRODUCT_EIGHTS
