/* Shared by the samples that multiply matrices of bfloat16: data, and a check of the product. */
#ifndef BFLOAT16_MATRICES_H
#define BFLOAT16_MATRICES_H

#include "sample.h"
#include <string.h>

/* Whole numbers from -3 to 3: their products add up exactly, whatever the order. */
static inline uint16_t *whole_numbers(size_t count, uint32_t seed)
{
    static const uint16_t numbers[] = {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040};
    uint16_t *data = malloc(count * sizeof *data);
    if (!data)
        exit(3);
    for (size_t i = 0; i < count; i++)
        data[i] = numbers[(uint32_t)(sample_random(&seed) * 7)];
    return data;
}

static inline float to_float(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* To nearest, ties to even. */
static inline uint16_t to_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline gpucc_array *matrix(gpucc_context *context, int64_t rows, int64_t columns, const uint16_t *data)
{
    gpucc_array *array;
    CHECK(gpucc_array_from_host(context, GPUCC_BFLOAT16, 2, (int64_t[]){rows, columns}, NULL, data, &array));
    return array;
}

/* Some elements, those of the last row and column among them, against the sums that define them. */
static inline void check(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, const uint16_t *c)
{
    for (size_t s = 0; s < 1000; s++) {
        size_t row = s < 500 ? s * 7919 % m : m - 1, column = s < 500 ? s * 104729 % n : n - 1 - s % n;
        float sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += to_float(a[row * k + i]) * to_float(b[i * n + column]);
        EXPECT(c[row * n + column] == to_bfloat16(sum));
    }
}

#endif
