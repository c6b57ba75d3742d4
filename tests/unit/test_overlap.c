/* Whether arrays share memory, against a look at every byte. */
#include "arrays/arrays.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 12, DIMS = 4 };

/* Wide enough for every stride and extent below, in both directions. */
static char bytes[BYTES];
static gpucc_context *context;

static void open_context(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 1};
    cr_assert_eq(gpucc_context_create(&options, &context), GPUCC_OK, "%s", gpucc_last_error());
    srand(1);
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(overlap, .init = open_context, .fini = close_context);

static gpucc_array *wrap(gpucc_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides, char *data)
{
    gpucc_array *array;
    cr_assert_eq(gpucc_array_wrap(context, dtype, ndim, shape, strides, data, GPUCC_MEMORY_HOST, &array), GPUCC_OK,
                 "%s", gpucc_last_error());
    return array;
}

static gpucc_array *random_array(void)
{
    static const gpucc_dtype sizes[] = {GPUCC_INT8, GPUCC_INT16, GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_COMPLEX128};
    int64_t shape[DIMS], strides[DIMS];
    int ndim = rand() % (DIMS + 1);
    for (int d = 0; d < ndim; d++) {
        shape[d] = rand() % 20 == 0 ? 0 : 1 + rand() % 5;
        strides[d] = rand() % 3 ? rand() % 129 - 64 : 16 * (rand() % 17 - 8);
    }
    return wrap(sizes[rand() % 5], ndim, shape, strides, bytes + BYTES / 2 + rand() % 64);
}

/* How often the array's elements cover each byte. */
static void cover(const gpucc_array *array, unsigned char *covered)
{
    memset(covered, 0, BYTES);
    for (int64_t i = 0; i < array->count; i++) {
        int64_t rest = i, at = array->data - bytes;
        for (int d = array->ndim; d-- > 0; rest /= array->shape[d])
            at += rest % array->shape[d] * array->strides[d];
        cr_assert(at >= 0 && at + dtypes[array->dtype].size <= BYTES);
        for (int k = 0; k < dtypes[array->dtype].size; k++)
            covered[at + k] += covered[at + k] < 2;
    }
}

Test(overlap, is_found_exactly)
{
    static unsigned char a_covered[BYTES], b_covered[BYTES];
    int counts[2][2] = {{0}};
    for (int i = 0; i < 20000; i++) {
        gpucc_array *a = random_array(), *b = random_array();
        bool itself = false, each_other = false;
        cover(a, a_covered);
        cover(b, b_covered);
        for (int k = 0; k < BYTES; k++) {
            itself |= a_covered[k] > 1;
            each_other |= a_covered[k] && b_covered[k];
        }
        cr_assert_eq(array_overlaps_itself(a), itself, "%d: itself %d", i, itself);
        cr_assert_eq(arrays_overlap(a, b), each_other, "%d: each other %d", i, each_other);
        counts[0][itself]++;
        counts[1][each_other]++;
        gpucc_array_release(a);
        gpucc_array_release(b);
    }
    cr_assert(counts[0][0] > 1000 && counts[0][1] > 1000 && counts[1][0] > 1000 && counts[1][1] > 1000);
}

/* Strides that no look at every byte could do: memory is not touched. */
Test(overlap, is_found_in_large_arrays)
{
    static const struct {
        int64_t shape[3], strides[3];
        bool itself;
    } cases[] = {
        {{1 << 20, 1 << 20, 1}, {8, 8 << 20, 0}, false},
        {{1 << 20, 1 << 20, 1}, {8, (8 << 20) - 8, 0}, true},
        {{1 << 20, 1 << 20, 1}, {-8, 8 << 20, 0}, false},
        {{1000000, 999999, 1}, {8 * 999999, 8 * 1000000, 0}, false}, /* 1000000 of the one are 999999 of the other */
        {{1000001, 999999, 1}, {8 * 999999, 8 * 1000000, 0}, false},
        {{1000001, 1000000, 1}, {8 * 999999, 8 * 1000000, 0}, true},
        {{1 << 10, 1 << 10, 1 << 10}, {16, 24, 1 << 20}, true},
        {{2, 1 << 10, 1 << 10}, {8, 16, 1 << 20}, false}, /* real and imaginary parts */
        {{3, 1 << 10, 1 << 10}, {8, 16, 1 << 20}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpucc_array *array = wrap(GPUCC_FLOAT64, 3, cases[i].shape, cases[i].strides, (char *)(uintptr_t)(1ull << 46));
        cr_assert_eq(array_overlaps_itself(array), cases[i].itself, "case %zu", i);
    }
    int64_t shape[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS], halves[GPUCC_MAX_DIMS];
    for (int d = 0; d < 40; d++) {
        shape[d] = 2;
        strides[d] = (int64_t)16 << d;
        halves[d] = (int64_t)8 << d;
    }
    gpucc_array *even = wrap(GPUCC_FLOAT64, 40, shape, strides, (char *)(uintptr_t)(1ull << 46));
    gpucc_array *odd = wrap(GPUCC_FLOAT64, 40, shape, strides, (char *)(uintptr_t)(1ull << 46) + 8);
    gpucc_array *all = wrap(GPUCC_FLOAT64, 40, shape, halves, (char *)(uintptr_t)(1ull << 46));
    cr_assert(!array_overlaps_itself(even) && !arrays_overlap(even, odd) && arrays_overlap(even, all));
}
