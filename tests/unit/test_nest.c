/* Index spaces: broadcasting, and that simplifying and walking them visits the same elements as plain loops do. */
#include "base/common.h"
#include "nests/nest.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(nest, broadcasts_as_numpy_does)
{
    static const struct {
        int n[3];
        int64_t shapes[3][4];
        int out_ndim; /* -1: they do not fit */
        int64_t out[4];
    } cases[] = {
        {{1, 1, 0}, {{3}, {3}}, 1, {3}},
        {{2, 1, 0}, {{4, 3}, {3}}, 2, {4, 3}},
        {{1, 2, 0}, {{3}, {4, 1}}, 2, {4, 3}},
        {{3, 2, 1}, {{5, 1, 1}, {4, 1}, {3}}, 3, {5, 4, 3}},
        {{2, 2, 0}, {{4, 3}, {3, 4}}, -1, {0}},
        {{1, 1, 0}, {{0}, {1}}, 1, {0}},
        {{1, 1, 0}, {{1}, {0}}, 1, {0}},
        {{1, 1, 0}, {{0}, {2}}, -1, {0}},
        {{0, 2, 0}, {{0}, {2, 3}}, 2, {2, 3}},
        {{0, 0, 0}, {{0}, {0}}, 0, {0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int ndim = 0;
        int64_t shape[GPUCC_MAX_DIMS];
        bool fits = true;
        for (int i = 0; i < 3; i++)
            fits = fits && broadcast(&ndim, shape, cases[c].n[i], cases[c].shapes[i]);
        cr_assert_eq(fits, cases[c].out_ndim >= 0, "case %zu", c);
        if (fits) {
            cr_assert_eq(ndim, cases[c].out_ndim, "case %zu: %d dimensions", c, ndim);
            cr_assert_arr_eq(shape, cases[c].out, (size_t)ndim * sizeof *shape, "case %zu", c);
        }
    }
}

enum { ROOM = 40000 };

/* Counts in `seen` how often the output's element at an offset met the input's at another. */
struct visits {
    char *bases[2];
    int count;
    struct {
        int32_t out, in;
    } seen[ROOM];
};

static void visit(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct visits *visits = data;
    for (int64_t i = 0; i < n && visits->count < ROOM; i++) {
        visits->seen[visits->count].out = (int32_t)(args[0] + i * steps[0] - visits->bases[0]);
        visits->seen[visits->count++].in = (int32_t)(args[1] + i * steps[1] - visits->bases[1]);
    }
}

static int compare(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void visit_plainly(struct visits *visits, const struct nest *nest, int d, char *out, char *in)
{
    if (d == nest->ndim) {
        visit(visits, (char *[]){out, in}, 1, (int64_t[]){0, 0});
        return;
    }
    for (int64_t i = 0; i < nest->shape[d]; i++)
        visit_plainly(visits, nest, d + 1, out + i * nest->strides[0][d], in + i * nest->strides[1][d]);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Permuted, reversed, broadcast and gapped layouts of random shapes. */
static void random_nest(struct nest *nest, uint32_t *state)
{
    int order[2][GPUCC_MAX_DIMS];
    nest->ndim = (int)(next_random(state) % 7);
    nest->operands = 2;
    nest->values = 0;
    for (int d = 0; d < nest->ndim; d++)
        nest->shape[d] = 1 + (int64_t)(next_random(state) % 5);
    for (int i = 0; i < 2; i++) {
        int64_t step = nest->sizes[i] = 4;
        for (int d = 0; d < nest->ndim; d++)
            order[i][d] = d;
        for (int d = nest->ndim; d-- > 1;) {
            int other = (int)(next_random(state) % 4 ? (unsigned)d : next_random(state) % (unsigned)(d + 1));
            int kept = order[i][d];
            order[i][d] = order[i][other];
            order[i][other] = kept;
        }
        for (int k = nest->ndim; k-- > 0;) {
            int d = order[i][k];
            unsigned kind = next_random(state) % 8;
            nest->strides[i][d] = kind == 0 ? -step : kind == 1 && i == 1 ? 0 : step;
            step *= nest->shape[d] + (kind == 2);
        }
    }
}

Test(nest, visits_the_same_elements_however_it_is_simplified)
{
    static char memory[2];
    static struct visits plain, simple;
    uint32_t state = 7;
    struct pool *pool;
    cr_assert_eq(pool_create(3, &pool), GPUCC_OK);
    for (int round = 0; round < 3000; round++) {
        struct nest nest;
        random_nest(&nest, &state);
        nest.data[0] = plain.bases[0] = simple.bases[0] = memory;
        nest.data[1] = plain.bases[1] = simple.bases[1] = memory + 1;
        plain.count = simple.count = 0;
        visit_plainly(&plain, &nest, 0, nest.data[0], nest.data[1]);
        int before = nest.ndim;
        nest_simplify(&nest, 0);
        cr_assert(nest.ndim <= before);
        for (int d = 1; d < nest.ndim; d++)
            cr_assert(nest.strides[0][d - 1] >= nest.strides[0][d], "round %d: unsorted", round);
        if (round % 2)
            nest_transpose_for_most(&nest);
        nest_run(NULL, &nest, visit, &simple);
        qsort(plain.seen, (size_t)plain.count, sizeof *plain.seen, compare);
        qsort(simple.seen, (size_t)simple.count, sizeof *simple.seen, compare);
        cr_assert_eq(plain.count, simple.count, "round %d: %d for %d", round, simple.count, plain.count);
        cr_assert_arr_eq(plain.seen, simple.seen, (size_t)plain.count * sizeof *plain.seen, "round %d", round);
    }
    pool_destroy(pool);
}

struct parts {
    struct visits *visits;
    int dims;
    uint64_t most;
    int count;
};

static gpucc_status visit_part(void *data, const struct nest *part)
{
    struct parts *parts = data;
    cr_assert(part->ndim >= 1 && part->ndim <= parts->dims, "%d dimensions", part->ndim);
    cr_assert((uint64_t)nest_count(part) <= parts->most, "%lld elements", (long long)nest_count(part));
    nest_run(NULL, part, visit, parts->visits);
    parts->count++;
    return GPUCC_OK;
}

static gpucc_status refuse_part(void *data, const struct nest *part)
{
    (void)part;
    ++*(int *)data;
    return GPUCC_BAD_LAUNCH;
}

Test(nest, splits_into_parts_that_are_small_enough)
{
    static char memory[2];
    static struct visits plain, split;
    uint32_t state = 3;
    for (int round = 0; round < 2000; round++) {
        struct nest nest;
        do
            random_nest(&nest, &state);
        while (nest.ndim == 0);
        struct parts parts = {&split, 1 + (int)(next_random(&state) % 4), 1 + next_random(&state) % 60, 0};
        nest.data[0] = plain.bases[0] = split.bases[0] = memory;
        nest.data[1] = plain.bases[1] = split.bases[1] = memory + 1;
        plain.count = split.count = 0;
        visit_plainly(&plain, &nest, 0, nest.data[0], nest.data[1]);
        cr_assert_eq(nest_split(&nest, parts.dims, parts.most, visit_part, &parts), GPUCC_OK);
        qsort(plain.seen, (size_t)plain.count, sizeof *plain.seen, compare);
        qsort(split.seen, (size_t)split.count, sizeof *split.seen, compare);
        cr_assert_eq(plain.count, split.count, "round %d: %d for %d", round, split.count, plain.count);
        cr_assert_arr_eq(plain.seen, split.seen, (size_t)plain.count * sizeof *plain.seen, "round %d", round);
    }
    struct nest nest = {.ndim = 1, .operands = 1, .shape = {10}, .data = {memory}, .strides = {{0}}};
    int calls = 0;
    cr_assert_eq(nest_split(&nest, 4, 3, refuse_part, &calls), GPUCC_BAD_LAUNCH);
    cr_assert_eq(calls, 1);
}

/* A million millions of elements, none of which is looked at. */
static gpucc_status count_part(void *data, const struct nest *part)
{
    *(uint64_t *)data += (uint64_t)nest_count(part);
    return nest_count(part) <= UINT32_MAX ? GPUCC_OK : GPUCC_BAD_LAUNCH;
}

Test(nest, splits_more_than_32_bits_of_elements)
{
    static char memory[1];
    uint64_t count = 0;
    struct nest nest = {.ndim = 3, .operands = 1, .shape = {7, 1 << 20, 1 << 17}, .data = {memory}};
    cr_assert_eq(nest_split(&nest, 4, UINT32_MAX, count_part, &count), GPUCC_OK);
    cr_assert_eq(count, 7ull << 37);
    nest = (struct nest){.ndim = 1, .operands = 1, .shape = {1ll << 40}, .data = {memory}};
    count = 0;
    cr_assert_eq(nest_split(&nest, 4, UINT32_MAX, count_part, &count), GPUCC_OK);
    cr_assert_eq(count, 1ull << 40);
}

Test(nest, merges_what_is_adjacent)
{
    /* Fortran order on both sides is one run; so is the same with both reversed */
    struct nest nest = {.ndim = 3, .operands = 2, .shape = {4, 3, 2}, .strides = {{4, 16, 48}, {4, 16, 48}}};
    nest_simplify(&nest, 0);
    cr_assert(nest.ndim == 1 && nest.shape[0] == 24 && nest.strides[0][0] == 4);
    struct nest backward = {.ndim = 2, .operands = 2, .shape = {4, 3}, .strides = {{-12, -4}, {-12, -4}}};
    static char memory[64];
    backward.data[0] = backward.data[1] = memory + 44;
    nest_simplify(&backward, 0);
    cr_assert(backward.ndim == 1 && backward.strides[1][0] == 4 && backward.data[1] == memory);
    /* a row added to each row of a matrix is not */
    struct nest row = {.ndim = 3, .operands = 2, .shape = {4, 1, 3}, .strides = {{12, 12, 4}, {0, 0, 4}}};
    nest_simplify(&row, 0);
    cr_assert(row.ndim == 2 && row.shape[0] == 4 && row.shape[1] == 3);
}

Test(nest, turns_to_what_most_operands_have_neighbours_along)
{
    struct nest out = {.ndim = 2, .operands = 3, .shape = {9, 8}, .strides = {{4, 36}, {4, 36}, {32, 4}}};
    nest_transpose_for_most(&out);
    cr_assert(out.shape[1] == 9 && out.strides[0][1] == 4 && out.strides[2][1] == 32);
    nest_transpose_for_most(&out);
    cr_assert(out.shape[1] == 9);
    struct nest in = {.ndim = 2, .operands = 3, .shape = {9, 8}, .strides = {{4, 36}, {32, 4}, {32, 4}}};
    nest_transpose_for_most(&in);
    cr_assert(in.shape[1] == 8);
    struct nest broadcast = {.ndim = 2, .operands = 3, .shape = {9, 8}, .strides = {{4, 0}, {0, 4}, {32, 4}}};
    nest_transpose_for_most(&broadcast);
    cr_assert(broadcast.shape[1] == 8);
}

struct count {
    _Atomic uint64_t elements;
    _Atomic int unaligned;
    char *base;
};

static void count_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct count *count = data;
    (void)steps;
    atomic_fetch_add(&count->elements, (uint64_t)n);
    if ((args[0] - count->base) % 64 != 0)
        atomic_fetch_add(&count->unaligned, 1);
}

Test(nest, splits_large_runs_at_cache_lines)
{
    static char memory[1 << 20];
    struct count count = {.base = memory};
    struct nest nest = {.ndim = 1, .operands = 1, .shape = {(1 << 20) - 3}, .data = {memory}, .strides = {{1}}};
    struct pool *pool;
    cr_assert_eq(pool_create(4, &pool), GPUCC_OK);
    nest_run(pool, &nest, count_run, &count);
    cr_assert_eq(count.elements, (1 << 20) - 3);
    cr_assert_eq(count.unaligned, 0);
    pool_destroy(pool);
}

/* A matrix whose rows lie in C order beside one whose columns do. */
static void mark_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    int *const longest = data;
    for (int64_t i = 0; i < n; i++) {
        cr_assert_eq(args[0][i * steps[0]], args[1][i * steps[1]], "not the same element");
        args[1][i * steps[1]]++;
    }
    if (n > *longest)
        *longest = (int)n;
}

Test(nest, visits_elements_once_in_tiles)
{
    enum { ROWS = 70, MOST = 2000 };
    static char turned[MOST][ROWS], plain[ROWS][MOST];
    static const int64_t widths[] = {1, 511, 512, 513, 514, 1023, 1024, 1025, 1536, 2000};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        const int64_t width = widths[k];
        int longest = 0;
        struct nest nest = {.ndim = 2, .operands = 2, .shape = {ROWS, width}, .data = {turned[0], plain[0]},
                            .strides = {{1, ROWS}, {MOST, 1}}};
        for (int r = 0; r < ROWS; r++)
            for (int64_t c = 0; c < width; c++)
                turned[c][r] = plain[r][c] = (char)(r * 7 + c % 50);
        nest_run_in_tiles(NULL, &nest, mark_run, &longest);
        cr_assert_leq(longest, 512, "%lld", (long long)width);
        for (int r = 0; r < ROWS; r++)
            for (int64_t c = 0; c < width; c++)
                cr_assert_eq(plain[r][c], (char)(turned[c][r] + 1), "%lld: row %d", (long long)width, r);
    }
}
