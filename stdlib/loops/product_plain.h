/* The body of a product's function: vectors of sums over blocks of rows and columns.  Each sum begins at 0 and adds its
 * products in the order of k, each product unrounded, as product_sums.h does.  The parameters include m, k and n.
 * The front end (products.c) defines:
 *   GPUCC_PRODUCT_X, _Y         the types of the elements that are multiplied, of a and of b
 *   GPUCC_PRODUCT_SUM           the type of the product, to which the sum is converted
 *   GPUCC_PRODUCT_A, _B, _OUT   pointers to the matrices
 *   GPUCC_PRODUCT_LEFT(x, i, l), GPUCC_PRODUCT_RIGHT(x, l, j)
 *                               x, an element of a or b, after the functions before the product
 *   GPUCC_PRODUCT_FINISH(x, i, j)   an element of the output, of one of the product
 */
#include <loops/product_types.h>
#if defined(__NVPTX__)
enum { product_rows = 1, product_columns = 1 };
#else
enum { product_rows = 6, product_columns = 64 / sizeof(product_sum) };
#endif
typedef product_sum product_row __attribute__((vector_size(product_columns * sizeof(product_sum))));
for (size_t product_j = 0; product_j < n; product_j += product_columns)
    for (size_t product_i = 0; product_i < m; product_i += product_rows) {
        const size_t product_height = m - product_i < product_rows ? m - product_i : product_rows;
        const size_t product_width = n - product_j < product_columns ? n - product_j : product_columns;
        product_row product_sums[product_rows];
        _Pragma("unroll") for (unsigned r = 0; r < product_rows; r++) product_sums[r] = (product_row){0};
        for (size_t l = 0; l < k; l++) {
            product_row product_right = {0};
            if (product_width == product_columns)
                _Pragma("unroll") for (unsigned c = 0; c < product_columns; c++) product_right[c] = (product_sum)
                    GPUCC_PRODUCT_RIGHT(GPUCC_PRODUCT_B[l * n + product_j + c], l, product_j + c);
            else
                for (unsigned c = 0; c < product_width; c++)
                    product_right[c] =
                        (product_sum)GPUCC_PRODUCT_RIGHT(GPUCC_PRODUCT_B[l * n + product_j + c], l, product_j + c);
            _Pragma("unroll") for (unsigned r = 0; r < product_rows; r++)
            {
                const size_t i = product_i + (r < product_height ? r : 0);
                const product_sum product_left = (product_sum)GPUCC_PRODUCT_LEFT(GPUCC_PRODUCT_A[i * k + l], i, l);
                product_sums[r] = product_left * product_right + product_sums[r];
            }
        }
        _Pragma("unroll") for (unsigned r = 0; r < product_rows; r++)
            for (unsigned c = 0; r < product_height && c < product_width; c++)
                GPUCC_PRODUCT_OUT[(product_i + r) * n + product_j + c] =
                    GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)product_sums[r][c], product_i + r, product_j + c);
    }
