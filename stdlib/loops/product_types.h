/* The type of a product's sums: unsigned for integers, modulo whose range the sum is the same in any order. */
typedef __typeof__(_Generic((GPUCC_PRODUCT_X){0}, double: 0.0, long: 0ul, unsigned long: 0ul, int: 0u, unsigned: 0u,
                            short: 0u, unsigned short: 0u, signed char: 0u, unsigned char: 0u,
                            default: 0.0f)) product_sum;
