/* Accumulations on the CPU.  In the fixed tree, places are counted from 1: the result at c = 2^a + … + 2^z is that at
 * c - 2^z combined with the total of the 2^z elements behind, which is made first; <gpucc/loops.h> says how, and
 * stdlib/loops/scan.h does the same on a GPU.  Where outputs are adjacent, or short, those of a block go on
 * together; others go by tiles, which are turned so that the native loop has rows to work on.  Long outputs
 * are cut into aligned runs for the workers; how they are cut never shows in the bits. */
#include "base/floating_point.h"
#include "cpu/cpu_loops.h"
#include "nests/convert.h"
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 256,          /* outputs that go together */
    FOLD_ROW = UNIT,     /* of so many at a time, where results are converted */
    ROW_BYTES = 2048,    /* of so many of them at a time */
    FEW_OUTPUTS = 8,     /* fewer are no row worth a call … */
    MANY_OUTPUTS = 64,   /* … and so many are, wherever they lie */
    WIDTH = 64,          /* a tile has so many columns of so many adjacent elements */
    TILE = WIDTH * WIDTH,
    DEPTH = 40,          /* bits of the number of elements, or of tiles, that memory holds */
    BUFFER = 1024,       /* results that are converted at once */
    LEAST_RUN = 1024,    /* elements of outputs that go together */
    WORTH_WAKING = 32768 /* elements: fewer are not worth waking anybody for */
};

/* One pass over runs of elements. */
struct pass {
    const struct reduction *reduction;
    struct nest kept;   /* operand 2: the totals of the first run; those of the next are `apart` bytes on */
    int64_t apart;
    uint64_t run, runs; /* elements in a run, and how many there are */
    uint64_t units;     /* of outputs */
    bool in_rows;       /* outputs go together */
};

/* right[i] = op(left[i], right[i]), with steps in bytes */
static void join(const struct reduction *reduction, const char *left, int64_t left_step, char *right,
                 int64_t right_step, uint64_t n)
{
    const intptr_t steps[3] = {(intptr_t)left_step, (intptr_t)right_step, (intptr_t)right_step};
    const intptr_t count = (intptr_t)n;
    char *args[3] = {(char *)(uintptr_t)left, right, right};
    if (n)
        reduction->call->loop->native(args, &count, steps, NULL);
}

static bool converts(const struct reduction *reduction)
{
    return reduction->to != reduction->call->loop->types[0];
}

/* Results that are `from_step` bytes apart go to their places. */
static void put_row(const struct reduction *reduction, char *to, int64_t step, char *from, int64_t from_step, int64_t n)
{
    if (converts(reduction))
        convert_row(reduction->to, to, step, reduction->call->loop->types[0], from, from_step, n);
    else
        copy_plane(reduction->size, to, 0, step, from, 0, from_step, 1, n);
}

/* Results before this one, of `number` units, elements or tiles: of those whose number has b as its lowest bit, the
 * total of 2^b of them, and the result at their end, a row for the outputs that go together. */
struct chain {
    uint64_t number;
    _Alignas(16) char totals[DEPTH][ROW_BYTES], results[DEPTH][ROW_BYTES];
};

/* The next unit has this total, whose place the result at its end takes. */
static void chain_join(const struct reduction *reduction, struct chain *chain, char *unit, uint64_t outputs)
{
    const int64_t size = (int64_t)reduction->size;
    const uint64_t number = ++chain->number, before = number & (number - 1);
    const int lowest = __builtin_ctzll(number);
    for (int b = 0; b < lowest; b++)
        join(reduction, chain->totals[b], size, unit, size, outputs);
    memcpy(chain->totals[lowest], unit, outputs * reduction->size);
    if (before)
        join(reduction, chain->results[__builtin_ctzll(before)], size, unit, size, outputs);
    memcpy(chain->results[lowest], unit, outputs * reduction->size);
}

/* The result at the last unit's end; NULL if there was none. */
static const char *chain_result(const struct chain *chain)
{
    return chain->number ? chain->results[__builtin_ctzll(chain->number)] : NULL;
}

/* Begins behind `run` runs of 2^bits units each: the totals of so many of them as each bit says stand where the last of
 * these runs had its own. */
static void chain_begin(const struct pass *pass, struct chain *chain, uint64_t run, unsigned bits, const char *totals,
                        int64_t step, uint64_t outputs)
{
    const int64_t size = (int64_t)pass->reduction->size;
    const char *before = NULL;
    chain->number = run << bits;
    for (uint64_t rest = run, bit; rest; rest ^= (uint64_t)1 << bit) { /* the longest first */
        bit = 63 - (uint64_t)__builtin_clzll(rest);
        const int64_t last = (int64_t)(run >> bit << bit) - 1;
        char *const total = chain->totals[bits + bit], *const result = chain->results[bits + bit];
        copy_plane((size_t)size, total, 0, size, totals + last * pass->apart, 0, step, 1, (int64_t)outputs);
        memcpy(result, total, outputs * (size_t)size);
        if (before)
            join(pass->reduction, before, size, result, size, outputs);
        before = result;
    }
}

/* A run of outputs on its way. */
struct piece {
    const struct pass *pass;
    uint64_t number, begin, count; /* of the run; elements */
};

/* ---- outputs together ---- */

static void accumulate_rows(const struct piece *piece, char **args, uint64_t n, const int64_t *steps)
{
    struct chain chain;
    _Alignas(16) char row[ROW_BYTES];
    const struct reduction *reduction = piece->pass->reduction;
    const int64_t size = (int64_t)reduction->size;
    const unsigned bits = (unsigned)__builtin_ctzll(piece->pass->run);
    chain_begin(piece->pass, &chain, piece->number, bits, args[2], steps[2], n);
    for (uint64_t r = piece->begin; r < piece->begin + piece->count; r++) {
        const char *in = args[0] + (int64_t)r * reduction->reduced_strides[0];
        copy_plane(reduction->size, row, 0, size, in, 0, steps[0], 1, (int64_t)n);
        chain_join(reduction, &chain, row, n);
        put_row(reduction, args[1] + (int64_t)r * reduction->each_out, steps[1], row, size, (int64_t)n);
    }
}

/* ---- an output by tiles ---- */

struct tile {
    _Alignas(16) char transposed[TILE * 16]; /* row j has element j of each column */
    _Alignas(16) char before[WIDTH * 16]; /* the result before each column */
    uint64_t count;
};

/* Elements of row j: the last column may be short. */
static uint64_t columns(const struct tile *tile, uint64_t j)
{
    return tile->count / WIDTH + (j < tile->count % WIDTH);
}

/* Between `turned` and memory whose elements are `step` apart. */
static void copy_transposed(const struct reduction *reduction, struct tile *tile, char *memory, int64_t step, bool out)
{
    const size_t size = reduction->size;
    const int64_t row = WIDTH * (int64_t)size, column = (int64_t)size;
    const int64_t whole = (int64_t)tile->count / WIDTH, rest = (int64_t)tile->count % WIDTH;
    for (int k = 0; k < 2; k++) {
        char *there = memory + k * whole * WIDTH * step, *here = tile->transposed + k * whole * column;
        const int64_t rows = k ? rest : WIDTH, width = k ? 1 : whole;
        if (out && converts(reduction))
            for (int64_t i = 0; i < width; i++)
                put_row(reduction, there + i * WIDTH * step, step, here + i * column, row, rows);
        else if (out)
            copy_plane(size, there, step, WIDTH * step, here, row, column, rows, width);
        else
            copy_plane(size, here, row, column, there, step, WIDTH * step, rows, width);
    }
}

/* Totals, in each column and then in the last row, which has those of the columns. */
static void go_up(const struct reduction *reduction, struct tile *tile)
{
    const int64_t size = (int64_t)reduction->size, row = WIDTH * size;
    char *const ends = tile->transposed + (WIDTH - 1) * row;
    for (int64_t half = 1; half < WIDTH; half *= 2)
        for (int64_t j = 2 * half - 1; j < WIDTH; j += 2 * half)
            join(reduction, tile->transposed + (j - half) * row, size, tile->transposed + j * row, size,
                 columns(tile, (uint64_t)j));
    for (int64_t half = 1; half < WIDTH; half *= 2)
        join(reduction, ends + (half - 1) * size, 2 * half * size, ends + (2 * half - 1) * size, 2 * half * size,
             tile->count / WIDTH / (uint64_t)(2 * half));
}

/* Results: at the columns' ends, but not the tile's, and then in each column.  `before` is NULL at the beginning. */
static void go_down(const struct reduction *reduction, struct tile *tile, const char *before)
{
    const int64_t size = (int64_t)reduction->size, row = WIDTH * size, whole = (int64_t)tile->count / WIDTH;
    char *const ends = tile->transposed + (WIDTH - 1) * row;
    for (int64_t half = WIDTH / 2; half > 0; half /= 2) {
        if (before && half <= whole)
            join(reduction, before, 0, ends + (half - 1) * size, size, 1);
        if (half <= whole)
            join(reduction, ends + (2 * half - 1) * size, 2 * half * size, ends + (3 * half - 1) * size,
                 2 * half * size, (uint64_t)((whole - half) / (2 * half)));
    }
    if (before)
        memcpy(tile->before, before, (size_t)size);
    memcpy(tile->before + size, ends, (size_t)((whole < WIDTH ? whole : WIDTH - 1) * size));
    const int64_t begin = before ? 0 : size;
    for (int64_t half = WIDTH / 2; half > 0; half /= 2) {
        const uint64_t all = columns(tile, (uint64_t)half - 1);
        join(reduction, tile->before + begin, size, tile->transposed + (half - 1) * row + begin, size,
             before || !all ? all : all - 1);
        for (int64_t j = 3 * half - 1; j < WIDTH - 1; j += 2 * half)
            join(reduction, tile->transposed + (j - half) * row, size, tile->transposed + j * row, size,
                 columns(tile, (uint64_t)j));
    }
}

/* One result after another, where the order of elements does not show; returns whether that is so, of no elements
 * too. */
static bool run_some(const struct reduction *reduction, char *in, char *out, int64_t out_step, const char *before,
                     int64_t n)
{
    int done = 0;
    char *args[3] = {in, out, (char *)(uintptr_t)before};
    const intptr_t count = (intptr_t)n, steps[2] = {(intptr_t)reduction->reduced_strides[0], (intptr_t)out_step};
    if (reduction->call->loop->native_running)
        reduction->call->loop->native_running(args, &count, steps, &done);
    return done;
}

static bool run_along(const struct reduction *reduction, char *in, char *out, const char *before, int64_t n)
{
    _Alignas(16) char results[BUFFER * 16], last[16];
    const int64_t size = (int64_t)reduction->size;
    if (n == 0 || !converts(reduction))
        return run_some(reduction, in, out, reduction->each_out, before, n);
    for (int64_t at = 0; at < n; at += BUFFER) {
        const int64_t count = n - at < BUFFER ? n - at : BUFFER;
        if (!run_some(reduction, in + at * reduction->reduced_strides[0], results, size, before, count))
            return false;
        put_row(reduction, out + at * reduction->each_out, reduction->each_out, results, size, count);
        before = memcpy(last, results + (count - 1) * size, (size_t)size);
    }
    return true;
}

static void accumulate_one(const struct piece *piece, char *in, char *out, const char *totals)
{
    struct tile tile;
    struct chain chain;
    _Alignas(16) char before[16], end[16];
    const struct reduction *reduction = piece->pass->reduction;
    const size_t size = reduction->size;
    const int64_t in_step = reduction->reduced_strides[0], out_step = reduction->each_out;
    chain_begin(piece->pass, &chain, piece->number, (unsigned)__builtin_ctzll(piece->pass->run / TILE | 1ull << 63),
                totals, 0, 1);
    if (run_along(reduction, in + (int64_t)piece->begin * in_step, out + (int64_t)piece->begin * out_step,
                  chain_result(&chain), (int64_t)piece->count))
        return;
    for (uint64_t at = piece->begin; at < piece->begin + piece->count; at += TILE) {
        const uint64_t left = piece->begin + piece->count - at;
        const char *result = chain_result(&chain);
        char *const last = tile.transposed + (TILE - 1) * size;
        tile.count = left < TILE ? left : TILE;
        copy_transposed(reduction, &tile, in + (int64_t)at * in_step, in_step, false);
        go_up(reduction, &tile);
        if (result)
            result = memcpy(before, result, size);
        if (tile.count == TILE) {
            memcpy(end, last, size);
            chain_join(reduction, &chain, end, 1);
        }
        go_down(reduction, &tile, result);
        if (tile.count == TILE)
            memcpy(last, end, size);
        copy_transposed(reduction, &tile, out + (int64_t)at * out_step, out_step, true);
    }
}

/* ---- runs ---- */

static void accumulate_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct piece *piece = data;
    const int64_t most = piece->pass->in_rows ? ROW_BYTES / (int64_t)piece->pass->reduction->size : 1;
    for (int64_t i = 0; i < n; i += most) {
        char *some[3] = {NULL}; /* one run has no totals */
        for (int k = 0; k < piece->pass->kept.operands; k++)
            some[k] = args[k] + i * steps[k];
        if (piece->pass->in_rows)
            accumulate_rows(piece, some, (uint64_t)(n - i < most ? n - i : most), steps);
        else
            accumulate_one(piece, some[0], some[1], some[2]);
    }
}

/* Units begin … end - 1 of all runs' outputs, those of one run together. */
static void run_units(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct pass *pass = data;
    (void)worker;
    unsigned modes = fp_enter();
    while (begin < end) {
        uint64_t k = begin / pass->units, unit = begin % pass->units;
        uint64_t n = pass->units - unit < end - begin ? pass->units - unit : end - begin;
        struct piece piece = {pass, k, k * pass->run, pass->run};
        if (piece.count > pass->reduction->length - piece.begin)
            piece.count = pass->reduction->length - piece.begin;
        uint64_t last = (unit + n) * UNIT < pass->reduction->outputs ? (unit + n) * UNIT : pass->reduction->outputs;
        nest_walk(&pass->kept, unit * UNIT, last, accumulate_outputs, &piece);
        begin += n;
    }
    fp_leave(modes);
}

/* Elements in a run: all of them, where outputs are enough for the workers; else so few that every worker gets some. */
static uint64_t choose_run(const struct pass *pass)
{
    const struct reduction *reduction = pass->reduction;
    const uint64_t workers = (uint64_t)pool_size(reduction->call->context->pool);
    const uint64_t least = pass->in_rows ? LEAST_RUN : TILE;
    uint64_t run = least;
    while (run < reduction->length)
        run *= 2;
    if (workers == 1 || pass->units >= 4 * workers || reduction->outputs * reduction->length < WORTH_WAKING)
        return run;
    run = run < GPUCC_REDUCE_NATIVE_MOST ? run : GPUCC_REDUCE_NATIVE_MOST;
    while (run > least && divide_up(reduction->length, run) * pass->units < 4 * workers)
        run /= 2;
    return run;
}

/* The results of runs, of which those that end where 2^b of them do become the result of these together. */
static gpucc_status make_totals(struct pass *pass, char **totals)
{
    const struct reduction *reduction = pass->reduction;
    const uint64_t outputs = reduction->outputs;
    size_t size;
    if (__builtin_mul_overflow(pass->runs * reduction->size, outputs, &size) || !(*totals = malloc(size)))
        return fail_memory(pass->runs * outputs * reduction->size, "an accumulation");
    pass->kept.operands = 3;
    pass->kept.data[2] = *totals;
    pass->kept.sizes[2] = reduction->size;
    pass->apart = (int64_t)reduction->size;
    for (int d = pass->kept.ndim; d-- > 0; pass->apart *= pass->kept.shape[d])
        pass->kept.strides[2][d] = pass->apart;
    cpu_reduce_runs(reduction, pass->run, *totals);
    unsigned modes = fp_enter();
    for (uint64_t r = 1; r < pass->runs; r++)
        for (uint64_t width = 1; r & width; width *= 2)
            join(reduction, *totals + (int64_t)(r - width) * pass->apart, (int64_t)reduction->size,
                 *totals + (int64_t)r * pass->apart, (int64_t)reduction->size, outputs);
    fp_leave(modes);
    return GPUCC_OK;
}

static bool is_row_wise(const struct reduction *reduction)
{
    const struct nest *kept = &reduction->kept;
    const int last = kept->ndim - 1;
    if (last < 0 || kept->shape[last] < FEW_OUTPUTS)
        return false;
    if (kept->strides[0][last] == (int64_t)reduction->size)
        return true;
    return (reduction->length <= WIDTH || kept->shape[last] >= MANY_OUTPUTS) &&
           !run_along(reduction, NULL, NULL, NULL, 0);
}

static gpucc_status run_tree(const struct reduction *reduction)
{
    struct pass pass;
    gpucc_status status = GPUCC_OK;
    char *totals = NULL;
    pass.reduction = reduction;
    pass.apart = 0;
    nest_copy(&pass.kept, &reduction->kept);
    pass.in_rows = is_row_wise(reduction);
    pass.units = divide_up(reduction->outputs, UNIT);
    pass.run = choose_run(&pass);
    pass.runs = divide_up(reduction->length, pass.run);
    if (pass.runs > 1)
        status = make_totals(&pass, &totals);
    if (!status && reduction->outputs * reduction->length < WORTH_WAKING)
        run_units(&pass, 0, pass.units * pass.runs, 0);
    else if (!status)
        pool_run(reduction->call->context->pool, pass.units * pass.runs, 1, run_units, &pass);
    free(totals);
    return status;
}

/* ---- from the left ---- */

static void fold_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct reduction *reduction = data;
    const int64_t in_step = reduction->reduced_strides[0], out_step = reduction->each_out;
    const bool in_rows = n >= FEW_OUTPUTS && llabs(steps[0]) <= llabs(in_step);
    copy_plane(reduction->size, args[1], 0, steps[1], args[0], 0, steps[0], 1, n);
    for (int64_t r = 1; in_rows && r < (int64_t)reduction->length; r++) {
        char *row[3] = {args[1] + (r - 1) * out_step, args[0] + r * in_step, args[1] + r * out_step};
        const intptr_t all[3] = {(intptr_t)steps[1], (intptr_t)steps[0], (intptr_t)steps[1]}, count = (intptr_t)n;
        reduction->call->loop->native(row, &count, all, NULL);
    }
    for (int64_t i = 0; !in_rows && i < n && reduction->length > 1; i++) {
        char *in = args[0] + i * steps[0], *out = args[1] + i * steps[1];
        char *one[3] = {out, in + in_step, out + out_step};
        const intptr_t along[3] = {(intptr_t)out_step, (intptr_t)in_step, (intptr_t)out_step};
        const intptr_t count = (intptr_t)reduction->length - 1;
        reduction->call->loop->native(one, &count, along, NULL);
    }
}

/* The same of outputs of another type: what comes next begins with a result as the loop has made it. */
static void fold_rows(const struct reduction *reduction, char *in, char *out, int64_t n, const int64_t *steps)
{
    _Alignas(16) char row[FOLD_ROW * 16];
    const int64_t size = (int64_t)reduction->size;
    copy_plane(reduction->size, row, 0, size, in, 0, steps[0], 1, n);
    put_row(reduction, out, steps[1], row, size, n);
    for (int64_t r = 1; r < (int64_t)reduction->length; r++) {
        char *args[3] = {row, in + r * reduction->reduced_strides[0], row};
        const intptr_t all[3] = {(intptr_t)size, (intptr_t)steps[0], (intptr_t)size}, count = (intptr_t)n;
        reduction->call->loop->native(args, &count, all, NULL);
        put_row(reduction, out + r * reduction->each_out, steps[1], row, size, n);
    }
}

static void fold_one(const struct reduction *reduction, char *in, char *out)
{
    _Alignas(16) char results[(1 + BUFFER) * 16];
    const int64_t size = (int64_t)reduction->size, length = (int64_t)reduction->length;
    const int64_t in_step = reduction->reduced_strides[0], out_step = reduction->each_out;
    memcpy(results, in, reduction->size);
    put_row(reduction, out, out_step, results, size, 1);
    for (int64_t at = 1, count; at < length; at += count) {
        count = length - at < BUFFER ? length - at : BUFFER;
        char *args[3] = {results, in + at * in_step, results + size};
        const intptr_t steps[3] = {(intptr_t)size, (intptr_t)in_step, (intptr_t)size}, some = (intptr_t)count;
        reduction->call->loop->native(args, &some, steps, NULL);
        put_row(reduction, out + at * out_step, out_step, results + size, size, count);
        memcpy(results, results + count * size, reduction->size);
    }
}

static void fold_converted(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct reduction *reduction = data;
    const bool in_rows = n >= FEW_OUTPUTS && llabs(steps[0]) <= llabs(reduction->reduced_strides[0]);
    const int64_t most = in_rows ? FOLD_ROW : 1;
    for (int64_t i = 0; i < n; i += most) {
        char *const in = args[0] + i * steps[0], *const out = args[1] + i * steps[1];
        if (in_rows)
            fold_rows(reduction, in, out, n - i < most ? n - i : most, steps);
        else
            fold_one(reduction, in, out);
    }
}

gpucc_status cpu_run_accumulation(const struct reduction *reduction)
{
    gpucc_status status = cpu_check_native(reduction->call);
    if (status || reduction->call->ufunc->reorderable)
        return status ? status : run_tree(reduction);
    cpu_walk_outputs(reduction, UNIT, converts(reduction) ? fold_converted : fold_outputs,
                     (void *)(uintptr_t)reduction);
    return GPUCC_OK;
}
