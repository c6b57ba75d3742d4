/* Whether arrays share memory, exactly: elements do where a sum of strides, each taken some whole number of times
 * within its dimension, comes closer to 0, or to the distance of two arrays, than an element is large.  Such sums are
 * searched, largest strides first, as far as the smaller ones can still get there. */
#include "arrays/arrays.h"
#include <stdlib.h>
#include <string.h>

/* The search can take exponential time, for strides that nobody has: after so many steps, some milliseconds, the answer
 * is that they do share memory. */
enum { MOST_STEPS = 1 << 16, MOST_TERMS = 2 * GPUCC_MAX_DIMS };

typedef __int128 wide; /* no sum of what fits in 64 bits overflows it */

/* `step` is positive; its factor is in [low, high]. */
struct term {
    int64_t step;
    wide low, high;
};

/* Whether there are factors, if `any` is set not all of them 0, for which from < Σ factor * step < to. */
struct search {
    int count;
    struct term terms[MOST_TERMS];
    wide least[MOST_TERMS + 1], most[MOST_TERMS + 1]; /* what the first k terms can add */
    int64_t divisor[MOST_TERMS + 1];                  /* of all steps of the first k */
    wide from, to;
    int steps_left;
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Its parts are large, and few of them are used. */
static void begin(struct search *search)
{
    search->count = 0;
    search->least[0] = search->most[0] = search->divisor[0] = 0;
    search->steps_left = MOST_STEPS;
}

/* The largest multiple of `step` up to a number, over `step`. */
static wide divide_down(wide number, int64_t step)
{
    return number / step - (number % step < 0);
}

static void add_term(struct search *search, int64_t stride, wide low, wide high)
{
    struct term *term = &search->terms[search->count++];
    *term = stride < 0 ? (struct term){-stride, -high, -low} : (struct term){stride, low, high};
}

static int by_step(const void *a, const void *b)
{
    int64_t p = ((const struct term *)a)->step, q = ((const struct term *)b)->step;
    return (p > q) - (p < q);
}

/* Terms of one step become one. */
static void prepare(struct search *search)
{
    int kept = 0;
    qsort(search->terms, (size_t)search->count, sizeof *search->terms, by_step);
    for (int k = 0; k < search->count; k++) {
        const struct term *term = &search->terms[k];
        if (kept == 0 || search->terms[kept - 1].step != term->step) {
            search->terms[kept++] = *term;
        } else {
            search->terms[kept - 1].low += term->low;
            search->terms[kept - 1].high += term->high;
        }
    }
    search->count = kept;
    for (int k = 0; k < kept; k++) {
        const struct term *term = &search->terms[k];
        search->least[k + 1] = search->least[k] + term->low * term->step;
        search->most[k + 1] = search->most[k] + term->high * term->step;
        search->divisor[k + 1] = common_divisor(search->divisor[k], term->step);
    }
}

/* With the first k terms still free, and a sum of those behind them; `moved` unless these were all 0 times. */
static bool find(struct search *search, int k, wide sum, bool moved)
{
    wide from = search->from - sum, to = search->to - sum;
    if (k == 0)
        return moved && from < 0 && 0 < to;
    if (search->most[k] <= from || search->least[k] >= to ||
        (divide_down(from, search->divisor[k]) + 1) * search->divisor[k] >= to)
        return false;
    if (search->steps_left-- <= 0)
        return true;
    const struct term *term = &search->terms[k - 1];
    wide low = divide_down(from - search->most[k - 1], term->step) + 1;
    wide high = -divide_down(search->least[k - 1] - to, term->step) - 1;
    wide lowest = moved ? term->low : 0; /* what is the same but for its sign need not be looked at */
    low = low > lowest ? low : lowest;
    high = high < term->high ? high : term->high;
    for (wide factor = low; factor <= high; factor++)
        if (find(search, k - 1, sum + factor * term->step, moved || factor != 0))
            return true;
    return false;
}

bool array_overlaps_itself(const gpucc_array *array)
{
    struct search search;
    const wide size = dtypes[array->dtype].size;
    if (array->contiguous || array->count <= 1)
        return false;
    begin(&search);
    for (int d = 0; d < array->ndim; d++) {
        if (array->shape[d] == 1)
            continue;
        if (array->strides[d] == 0)
            return true;
        add_term(&search, array->strides[d], 1 - array->shape[d], array->shape[d] - 1);
    }
    int terms = search.count;
    prepare(&search);
    if (search.count < terms) /* two dimensions have one stride */
        return true;
    search.from = -size;
    search.to = size;
    return find(&search, search.count, 0, false);
}

bool arrays_overlap(const gpucc_array *a, const gpucc_array *b)
{
    struct search search;
    if (a->count == 0 || b->count == 0)
        return false;
    begin(&search);
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != 0)
            add_term(&search, a->strides[d], 0, a->shape[d] - 1);
    for (int d = 0; d < b->ndim; d++)
        if (b->shape[d] > 1 && b->strides[d] != 0)
            add_term(&search, b->strides[d], 1 - b->shape[d], 0);
    prepare(&search);
    /* an element of `a` less one of `b` */
    wide distance = (wide)(uintptr_t)a->data - (wide)(uintptr_t)b->data;
    search.from = -(wide)dtypes[a->dtype].size - distance;
    search.to = (wide)dtypes[b->dtype].size - distance;
    return find(&search, search.count, 0, true);
}

bool arrays_are_same(const gpucc_array *a, const gpucc_array *b)
{
    size_t size = (size_t)a->ndim * sizeof *a->shape;
    return a->data == b->data && a->ndim == b->ndim && dtypes[a->dtype].size == dtypes[b->dtype].size &&
           memcmp(a->shape, b->shape, size) == 0 && memcmp(a->strides, b->strides, size) == 0;
}

int gpucc_array_overlaps(const gpucc_array *a, const gpucc_array *b)
{
    return a && b && a->where == b->where && arrays_overlap(a, b);
}
