/* Reductions of gathered elements on the CPU: copied, converted, or made by a fused function's native loop, a buffer at
 * a time, with a note of which take part; pairs of which one is left out need no work. */
#include "base/floating_point.h"
#include "cpu/cpu_loops.h"
#include "nests/convert.h"
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 64,            /* outputs that go together */
    CHUNK = 2048,         /* elements of a buffer, … */
    ROWS = 16,            /* … or of each of neighbouring outputs, which are a row of so many bytes */
    ROW_BYTES = 2048,
    UPPER = 16,           /* rows of what becomes of such buffers */
    FEW_OUTPUTS = 32,
    SHORT_RUN = 16,
    PAIRS = 256,          /* that are combined at once */
    LEAST_RUN = 64,
    WORTH_WAKING = 32768, /* elements: fewer are not worth waking anybody for */
    SHORT_ROW = 512,      /* elements of an output, of which several are reduced at once, … */
    ROWS_AT_ONCE = 256,   /* so many at most */
    BLOCK = 256,          /* elements of a fused function's input that are converted at once */
    LARGEST = 16          /* bytes of an element */
};

/* Elements and whether each takes part; without a mask all do, and nothing is noted. */
struct elements {
    char *values;
    uint8_t *some;
    uint64_t count;
};

/* One pass over runs of elements. */
struct pass {
    const struct gathering *gathering;
    uint64_t run, runs;
    uint64_t units; /* of outputs */
    struct nest kept; /* whose output is a place among the results, where these are not the last */
    char *results;  /* run after run, as many as there are outputs of each; null: outputs of the reduction */
    uint8_t *some;  /* of each result; null if all elements take part */
    bool has_lanes; /* neighbouring outputs are made together, element by element */
};

/* A run of some outputs, on its way through them. */
struct piece {
    const struct pass *pass;
    uint64_t begin, count, number;
    struct nest reduced; /* whose operands are at the output in question */
};

/* ---- elements ---- */

struct sink {
    const struct gathering *gathering;
    struct elements *elements;
    int64_t lanes; /* that make a row of each element, … */
    const int64_t *lane_steps;
};

/* Runs the fused function on n elements; inputs of other types are converted, a buffer at a time. */
static void map_some(const struct gathering *gathering, char *const *args, int64_t n, const int64_t *steps, char *to)
{
    _Alignas(16) char converted[GPUCC_FUSED_INPUTS][BLOCK * LARGEST];
    const int inputs = gathering->inputs;
    const int64_t size = (int64_t)gathering->size;
    char *operands[GPUCC_LOOP_OPERANDS];
    intptr_t each[GPUCC_LOOP_OPERANDS];
    bool converts = false;
    for (int i = 0; i < inputs; i++)
        converts |= gathering->from[i] != gathering->map->types[i];
    const int64_t most = converts ? BLOCK : n;
    for (int64_t at = 0; at < n; at += most) {
        intptr_t count = (intptr_t)(n - at < most ? n - at : most);
        for (int i = 0; i < inputs; i++) {
            const gpucc_dtype type = gathering->map->types[i];
            operands[i] = args[i] + at * steps[i];
            each[i] = (intptr_t)steps[i];
            if (gathering->from[i] == type)
                continue;
            convert_row(type, converted[i], dtypes[type].size, gathering->from[i], operands[i], steps[i], count);
            operands[i] = converted[i];
            each[i] = dtypes[type].size;
        }
        operands[inputs] = to + at * size;
        each[inputs] = (intptr_t)size;
        gathering->map->native(operands, &count, each, NULL);
    }
}

/* Elements of neighbouring places, behind those that are there. */
static void gather_some(const struct sink *sink, char *const *args, int64_t n, const int64_t *steps, uint64_t place)
{
    const struct gathering *gathering = sink->gathering;
    const int inputs = gathering->inputs;
    char *to = sink->elements->values + place * gathering->size;
    if (gathering->map) {
        map_some(gathering, args, n, steps, to);
    } else if (gathering->from[0] != gathering->type) {
        convert_row(gathering->type, to, (int64_t)gathering->size, gathering->from[0], args[0], steps[0], n);
    } else {
        copy_plane(gathering->size, to, 0, (int64_t)gathering->size, args[0], 0, steps[0], 1, n);
    }
    for (int64_t i = 0; gathering->is_masked && i < n; i++)
        sink->elements->some[place + (uint64_t)i] = *(const uint8_t *)(args[inputs] + i * steps[inputs]) != 0;
}

static void gather_row(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct sink *sink = data;
    gather_some(sink, args, n, steps, sink->elements->count);
    sink->elements->count += (uint64_t)n;
}

static void gather_lanes(void *data, char **args, int64_t n, const int64_t *steps)
{
    const struct sink *sink = data;
    char *row[CALL_OPERANDS];
    for (int64_t r = 0; r < n; r++) {
        for (int k = 0; k < sink->gathering->inputs + sink->gathering->is_masked; k++)
            row[k] = args[k] + r * steps[k];
        gather_some(sink, row, sink->lanes, sink->lane_steps, sink->elements->count * (uint64_t)sink->lanes);
        sink->elements->count++;
    }
}

/* Elements begin … end - 1 of the output at which the piece is. */
static void gather_elements(const struct piece *piece, uint64_t begin, uint64_t end, struct elements *elements)
{
    struct sink sink = {piece->pass->gathering, elements, 1, NULL};
    elements->count = 0;
    nest_walk(&piece->reduced, begin, end, gather_row, &sink);
}

/* ---- pairs ---- */

static inline void move_one(char *to, const char *from, size_t size)
{
    switch (size) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16);
    }
}

static void combine(const struct gathering *gathering, char *left, char *right, char *to, uint64_t n)
{
    const intptr_t size = (intptr_t)gathering->size, steps[3] = {size, size, size};
    intptr_t count = (intptr_t)n;
    char *args[3] = {left, right, to};
    if (n > 0)
        gathering->by->native(args, &count, steps, NULL);
}

/* The places of pairs and of their results; steps in elements. */
struct pairs {
    char *left, *right, *to;
    uint8_t *some_left, *some_right, *some_to;
    uint64_t count, step, to_step;
};

/* Combines two elements that take part by the ufunc; else the result is the one that does. */
static void join_pairs(const struct gathering *gathering, const struct pairs *pairs)
{
    _Alignas(16) char left[PAIRS * LARGEST], right[PAIRS * LARGEST], both[PAIRS * LARGEST];
    uint16_t places[PAIRS];
    const size_t size = gathering->size;
    for (uint64_t at = 0; at < pairs->count; at += PAIRS) {
        const uint64_t m = pairs->count - at < PAIRS ? pairs->count - at : PAIRS;
        char *const to = pairs->to + at * pairs->to_step * size;
        uint64_t found = 0;
        for (uint64_t i = 0; i < m; i++) {
            const uint64_t from = (at + i) * pairs->step;
            const char *a = pairs->left + from * size, *b = pairs->right + from * size;
            const uint8_t has_a = pairs->some_left[from], has_b = pairs->some_right[from];
            move_one(left + found * size, a, size);
            move_one(right + found * size, b, size);
            places[found] = (uint16_t)i;
            found += has_a & has_b;
            move_one(to + i * pairs->to_step * size, has_a ? a : b, size);
            pairs->some_to[(at + i) * pairs->to_step] = has_a | has_b;
        }
        combine(gathering, left, right, both, found);
        for (uint64_t i = 0; i < found; i++)
            move_one(to + places[i] * pairs->to_step * size, both + i * size, size);
    }
}

static void join_neighbours(const struct gathering *gathering, struct elements *elements)
{
    const size_t size = gathering->size;
    const uint64_t n = elements->count, count = n / 2;
    const struct pairs pairs = {elements->values, elements->values + size, elements->values, elements->some,
                                elements->some + 1, elements->some, count, 2, 1};
    join_pairs(gathering, &pairs);
    if (n % 2) {
        move_one(elements->values + count * size, elements->values + (n - 1) * size, size);
        elements->some[count] = elements->some[n - 1];
    }
    elements->count = count + n % 2;
}

/* Elements are rows of so many: neighbouring rows become one. */
static void join_neighbouring_rows(const struct gathering *gathering, struct elements *rows, uint64_t lanes)
{
    const size_t row = lanes * gathering->size;
    const uint64_t n = rows->count;
    for (uint64_t j = 0; j < n / 2; j++) {
        char *const values = rows->values + 2 * j * row;
        uint8_t *const some = rows->some + 2 * j * lanes;
        const struct pairs pairs = {values, values + row, rows->values + j * row,
                                    some,   some + lanes, rows->some + j * lanes,
                                    lanes,  1,            1};
        join_pairs(gathering, &pairs);
    }
    if (n % 2 && n > 1) {
        memmove(rows->values + n / 2 * row, rows->values + (n - 1) * row, row);
        memmove(rows->some + n / 2 * lanes, rows->some + (n - 1) * lanes, lanes);
    }
    rows->count = n / 2 + n % 2;
}

/* Leaves one row. */
static void join_rows(const struct gathering *gathering, struct elements *rows, uint64_t lanes)
{
    const intptr_t size = (intptr_t)gathering->size;
    while (rows->count > 1 && gathering->is_masked && memchr(rows->some, 0, rows->count * lanes))
        join_neighbouring_rows(gathering, rows, lanes);
    if (rows->count == 1)
        return;
    _Alignas(16) char result[ROW_BYTES];
    char *args[2] = {rows->values, result};
    intptr_t dimensions[2] = {(intptr_t)lanes, (intptr_t)rows->count}, steps[3] = {size, size, (intptr_t)lanes * size};
    gathering->by->native_reduce(args, dimensions, steps, NULL);
    memcpy(rows->values, result, lanes * gathering->size);
    rows->count = 1;
}

/* Leaves one element. */
static void join_all(const struct gathering *gathering, struct elements *elements)
{
    while (elements->count > 1 && gathering->is_masked && memchr(elements->some, 0, elements->count))
        join_neighbours(gathering, elements);
    if (elements->count == 1)
        return;
    _Alignas(16) char result[LARGEST];
    char *args[2] = {elements->values, result};
    intptr_t dimensions[2] = {1, (intptr_t)elements->count}, steps[3] = {0, 0, (intptr_t)gathering->size};
    gathering->by->native_reduce(args, dimensions, steps, NULL);
    memcpy(elements->values, result, gathering->size);
    elements->count = 1;
}

/* ---- one output ---- */

/* In the tree; returns whether an element takes part. */
static bool reduce_tree(const struct piece *piece, char *result)
{
    enum { CHUNKS = GPUCC_REDUCE_NATIVE_MOST / CHUNK };
    _Alignas(16) char values[CHUNK * LARGEST], upper_values[CHUNKS * LARGEST];
    uint8_t some[CHUNK], upper_some[CHUNKS];
    const struct gathering *gathering = piece->pass->gathering;
    const size_t size = gathering->size;
    struct elements elements = {values, some, 0}, upper = {upper_values, upper_some, 0};
    for (uint64_t done = 0; done < piece->count; done += CHUNK) {
        const uint64_t left = piece->count - done, begin = piece->begin + done;
        gather_elements(piece, begin, begin + (left < CHUNK ? left : CHUNK), &elements);
        join_all(gathering, &elements);
        memcpy(upper_values + upper.count * size, values, size);
        upper_some[upper.count++] = gathering->is_masked ? some[0] : 1;
    }
    join_all(gathering, &upper);
    memcpy(result, upper_values, size);
    return upper_some[0];
}

/* From the left. */
static bool fold(const struct piece *piece, char *result)
{
    _Alignas(16) char values[CHUNK * LARGEST];
    uint8_t some[CHUNK];
    const struct gathering *gathering = piece->pass->gathering;
    const size_t size = gathering->size;
    struct elements elements = {values, some, 0};
    bool has = gathering->has_initial;
    memcpy(result, gathering->start, size);
    for (uint64_t done = 0; done < piece->count; done += CHUNK) {
        const uint64_t left = piece->count - done, begin = piece->begin + done;
        uint64_t kept = 0;
        gather_elements(piece, begin, begin + (left < CHUNK ? left : CHUNK), &elements);
        for (uint64_t i = 0; gathering->is_masked && i < elements.count; i++) {
            move_one(values + kept * size, values + i * size, size);
            kept += some[i];
        }
        kept = gathering->is_masked ? kept : elements.count;
        const uint64_t first = kept > 0 && !has;
        if (first)
            memcpy(result, values, size);
        has |= kept > 0;
        char *args[3] = {result, values + first * size, result};
        intptr_t count = (intptr_t)(kept - first), steps[3] = {0, (intptr_t)size, 0};
        if (count > 0)
            gathering->by->native(args, &count, steps, NULL);
    }
    return has;
}

/* Results, one behind another, go to outputs that are so many bytes apart. */
static void put_results(const struct gathering *gathering, char *results, char *out, int64_t step, int64_t n)
{
    const int64_t size = (int64_t)gathering->size;
    if (gathering->to != gathering->type)
        convert_row(gathering->to, out, step, gathering->type, results, size, n);
    else
        copy_plane(gathering->size, out, 0, step, results, 0, size, 1, n);
}

static void finish(const struct piece *piece, char *result, bool has, char *out)
{
    const struct pass *pass = piece->pass;
    const struct gathering *gathering = pass->gathering;
    _Alignas(16) char start[LARGEST];
    memcpy(start, gathering->start, sizeof start);
    if (pass->results) {
        const uint64_t place = (uint64_t)(out - pass->results) / gathering->size;
        out += piece->number * gathering->outputs * gathering->size;
        if (pass->some)
            pass->some[piece->number * gathering->outputs + place] = has;
    } else if (!has) {
        result = start;
    } else if (gathering->is_tree && gathering->has_initial) {
        combine(gathering, start, result, result, 1);
    }
    if (pass->results)
        memcpy(out, result, gathering->size);
    else
        put_results(gathering, result, out, 0, 1);
}

/* Writes n outputs, `step` bytes apart; `some` says for each whether it has elements, or is null: all have. */
static void finish_some(const struct piece *piece, char *results, const uint8_t *some, char *out, int64_t step,
                        int64_t n)
{
    const struct gathering *gathering = piece->pass->gathering;
    if (!some && !gathering->has_initial && !piece->pass->results) {
        put_results(gathering, results, out, step, n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        finish(piece, results + (size_t)i * gathering->size, !some || some[i], out + i * step);
}

/* ---- neighbouring outputs ---- */

static void reduce_lanes(struct piece *piece, char **args, int64_t lanes, const int64_t *steps)
{
    _Alignas(16) char values[ROWS * ROW_BYTES], upper_values[UPPER * ROW_BYTES];
    uint8_t some[ROWS * ROW_BYTES], upper_some[UPPER * ROW_BYTES];
    const struct gathering *gathering = piece->pass->gathering;
    const int out = piece->reduced.operands;
    const size_t size = gathering->size, row = (size_t)lanes * size;
    struct elements rows = {values, some, 0}, upper = {upper_values, upper_some, 0};
    struct sink sink = {gathering, &rows, lanes, steps};
    memcpy(piece->reduced.data, args, (size_t)out * sizeof *args);
    for (uint64_t done = 0; done < piece->count; done += ROWS) {
        const uint64_t left = piece->count - done, begin = piece->begin + done;
        rows.count = 0;
        nest_walk(&piece->reduced, begin, begin + (left < ROWS ? left : ROWS), gather_lanes, &sink);
        join_rows(gathering, &rows, (uint64_t)lanes);
        memcpy(upper_values + upper.count * row, values, row);
        if (gathering->is_masked)
            memcpy(upper_some + upper.count * (uint64_t)lanes, some, (size_t)lanes);
        upper.count++;
    }
    join_rows(gathering, &upper, (uint64_t)lanes);
    finish_some(piece, upper_values, gathering->is_masked ? upper_some : NULL, args[out], steps[out], lanes);
}

/* Whether outputs are many and lie closer together than the elements of one, or these are few. */
static bool has_lanes(const struct gathering *gathering)
{
    const struct nest *kept = &gathering->kept, *reduced = &gathering->reduced;
    int64_t along = 0, across = 0;
    if (!gathering->is_tree || kept->ndim == 0 || kept->shape[kept->ndim - 1] < FEW_OUTPUTS)
        return false;
    for (int k = 0; k < gathering->inputs; k++) {
        along += llabs(reduced->strides[k][reduced->ndim - 1]);
        across += llabs(kept->strides[k][kept->ndim - 1]);
    }
    return gathering->length <= SHORT_RUN || across < along;
}

/* ---- short rows ---- */

/* Whether elements of neighbouring outputs are one row, of all inputs. */
static bool are_one_row(const struct piece *piece, const int64_t *steps)
{
    const struct nest *reduced = &piece->reduced;
    bool are = reduced->ndim == 1;
    for (int k = 0; are && k < piece->pass->gathering->inputs; k++)
        are = steps[k] == reduced->strides[k][0] * (int64_t)piece->count;
    return are;
}

/* The elements of n outputs, one output's behind another's. */
static void gather_rows(struct piece *piece, char **args, int64_t n, const int64_t *steps, struct elements *elements)
{
    struct sink sink = {piece->pass->gathering, elements, 1, NULL};
    const int inputs = piece->reduced.operands;
    elements->count = 0;
    if (are_one_row(piece, steps)) {
        int64_t along[CALL_OPERANDS];
        for (int k = 0; k < inputs; k++)
            along[k] = piece->reduced.strides[k][0];
        gather_row(&sink, args, n * (int64_t)piece->count, along);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < inputs; k++)
            piece->reduced.data[k] = args[k] + i * steps[k];
        nest_walk(&piece->reduced, piece->begin, piece->begin + piece->count, gather_row, &sink);
    }
}

/* Elements of as many outputs as a buffer has room for are reduced together. */
static void reduce_rows(struct piece *piece, char **args, int64_t n, const int64_t *steps)
{
    _Alignas(16) char values[CHUNK * LARGEST], results[ROWS_AT_ONCE * LARGEST];
    const struct gathering *gathering = piece->pass->gathering;
    const int out = piece->reduced.operands;
    const int64_t room = CHUNK / (int64_t)piece->count, most = room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE;
    const intptr_t size = (intptr_t)gathering->size, count = (intptr_t)piece->count;
    struct elements elements = {values, NULL, 0};
    for (int64_t at = 0; at < n; at += most) {
        char *first[CALL_OPERANDS], *reduce[2] = {values, results};
        const int64_t rows = n - at < most ? n - at : most;
        intptr_t dimensions[2] = {(intptr_t)rows, count}, all[3] = {count * size, size, size};
        for (int k = 0; k <= out; k++)
            first[k] = args[k] + at * steps[k];
        gather_rows(piece, first, rows, steps, &elements);
        gathering->by->native_reduce(reduce, dimensions, all, NULL);
        finish_some(piece, results, NULL, first[out], steps[out], rows);
    }
}

static bool has_short_rows(const struct piece *piece)
{
    const struct gathering *gathering = piece->pass->gathering;
    return gathering->is_tree && !gathering->is_masked && piece->count <= SHORT_ROW;
}

static void reduce_one(struct piece *piece, char **args)
{
    _Alignas(16) char result[LARGEST];
    const int out = piece->reduced.operands;
    memcpy(piece->reduced.data, args, (size_t)out * sizeof *args);
    const bool has = piece->pass->gathering->is_tree ? reduce_tree(piece, result) : fold(piece, result);
    finish(piece, result, has, args[out]);
}

static void reduce_outputs(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct piece *piece = data;
    const bool has_lanes = piece->pass->has_lanes;
    const int64_t each = has_lanes ? ROW_BYTES / (int64_t)piece->pass->gathering->size : 1;
    if (!has_lanes && has_short_rows(piece)) {
        reduce_rows(piece, args, n, steps);
        return;
    }
    for (int64_t at = 0; at < n; at += each) {
        char *first[CALL_OPERANDS];
        for (int k = 0; k <= piece->reduced.operands; k++)
            first[k] = args[k] + at * steps[k];
        if (has_lanes)
            reduce_lanes(piece, first, n - at < each ? n - at : each, steps);
        else
            reduce_one(piece, first);
    }
}

/* ---- passes ---- */

/* Units begin … end - 1 of all runs' outputs, those of one run together. */
static void run_units(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct pass *pass = data;
    const struct gathering *gathering = pass->gathering;
    struct piece piece;
    piece.pass = pass;
    nest_copy(&piece.reduced, &gathering->reduced);
    (void)worker;
    unsigned modes = fp_enter();
    while (begin < end) {
        const uint64_t unit = begin % pass->units;
        const uint64_t n = pass->units - unit < end - begin ? pass->units - unit : end - begin;
        const uint64_t last = (unit + n) * UNIT;
        piece.number = begin / pass->units;
        piece.begin = piece.number * pass->run;
        piece.count = gathering->length - piece.begin < pass->run ? gathering->length - piece.begin : pass->run;
        nest_walk(&pass->kept, unit * UNIT, last < gathering->outputs ? last : gathering->outputs, reduce_outputs,
                  &piece);
        begin += n;
    }
    fp_leave(modes);
}

static void run_pass(struct pass *pass)
{
    const struct gathering *gathering = pass->gathering;
    if (gathering->outputs * gathering->length < WORTH_WAKING)
        run_units(pass, 0, pass->units * pass->runs, 0);
    else
        pool_run(gathering->call->context->pool, pass->units * pass->runs, 1, run_units, pass);
}

/* Elements in a run: so few that every worker gets some. */
static uint64_t choose_run(const struct gathering *gathering, uint64_t units, bool by_lanes)
{
    const uint64_t workers = (uint64_t)pool_size(gathering->call->context->pool);
    const uint64_t wanted = workers > 1 ? 4 * workers : 1;
    uint64_t run = by_lanes ? UPPER * ROWS : GPUCC_REDUCE_NATIVE_MOST;
    while (divide_up(gathering->length, run) * units < wanted && run * gathering->outputs > WORTH_WAKING &&
           run > LEAST_RUN)
        run /= 2;
    return run;
}

/* The results of runs, next to one another, and what is reduced further: they. */
static void send_to(struct pass *pass, struct gathering *rest)
{
    const struct gathering *gathering = pass->gathering;
    const int out = gathering->kept.operands - 1, size = (int)gathering->size;
    int64_t place = 1;
    gathering_copy(rest, gathering);
    rest->map = NULL;
    rest->from[0] = rest->type;
    rest->inputs = 1;
    rest->length = pass->runs;
    rest->kept.operands = 2 + gathering->is_masked;
    rest->kept.values = rest->reduced.values = 0;
    for (int k = 1 + gathering->is_masked; k-- > 0;) {
        rest->kept.data[k] = k ? (char *)pass->some : pass->results;
        rest->reduced.strides[k][0] = (int64_t)gathering->outputs * (k ? 1 : size);
    }
    rest->kept.data[1 + gathering->is_masked] = gathering->kept.data[out];
    rest->reduced.ndim = 1;
    rest->reduced.operands = 1 + gathering->is_masked;
    rest->reduced.shape[0] = (int64_t)pass->runs;
    pass->kept.data[out] = pass->results;
    for (int d = gathering->kept.ndim; d-- > 0; place *= gathering->kept.shape[d]) {
        const int64_t to = gathering->kept.strides[out][d];
        pass->kept.strides[out][d] = rest->kept.strides[0][d] = place * size;
        if (gathering->is_masked)
            rest->kept.strides[1][d] = place;
        rest->kept.strides[1 + gathering->is_masked][d] = to;
    }
}

static gpucc_status run_tree(const struct gathering *gathering)
{
    struct gathering rest;
    struct pass pass;
    pass.gathering = gathering;
    pass.results = NULL;
    pass.some = NULL;
    nest_copy(&pass.kept, &gathering->kept);
    pass.units = divide_up(gathering->outputs, UNIT);
    pass.has_lanes = has_lanes(gathering);
    pass.run = gathering->is_tree ? choose_run(gathering, pass.units, pass.has_lanes) : gathering->length;
    pass.runs = divide_up(gathering->length, pass.run);
    if (pass.runs == 1) {
        run_pass(&pass);
        return GPUCC_OK;
    }
    const size_t each = gathering->size + gathering->is_masked;
    size_t size;
    if (__builtin_mul_overflow(pass.runs * each, gathering->outputs, &size) || !(pass.results = malloc(size)))
        return fail_memory(pass.runs * each * gathering->outputs, "a reduction");
    if (gathering->is_masked)
        pass.some = (uint8_t *)pass.results + pass.runs * gathering->outputs * gathering->size;
    send_to(&pass, &rest);
    run_pass(&pass);
    gpucc_status status = run_tree(&rest);
    free(pass.results);
    return status;
}

/* ---- slices ---- */

/* How many slices from the first of these on begin among elements of those before, which all fit in a buffer; *last is
 * behind the last element. */
static uint64_t count_close(const struct gpucc_slice *slices, uint64_t most, uint64_t *last)
{
    uint64_t n = 0;
    *last = slices[0].begin;
    for (; n < most && slices[n].begin >= slices[0].begin && slices[n].begin <= *last; n++) {
        const uint64_t end = slices[n].begin + slices[n].count;
        if (end - slices[0].begin > CHUNK)
            break;
        *last = end > *last ? end : *last;
    }
    return n;
}

/* In the tree, of one output: the elements of slices that are close together are converted at once.  Tells how many
 * slices that are; none if the first one is too long for that. */
static uint64_t reduce_close(struct piece *piece, const struct gathering *gathering, const struct gpucc_slice *slices,
                             uint64_t most)
{
    _Alignas(16) char values[CHUNK * LARGEST], results[CHUNK * LARGEST];
    const intptr_t size = (intptr_t)gathering->size;
    struct elements elements = {values, NULL, 0};
    uint64_t last, alike;
    const uint64_t n = count_close(slices, most, &last);
    if (n == 0)
        return 0;
    piece->reduced.shape[0] = gathering->reduced.shape[0];
    piece->reduced.data[0] = gathering->kept.data[0];
    gather_elements(piece, slices[0].begin, last, &elements);
    for (uint64_t k = 0; k < n; k += alike) {
        const intptr_t count = (intptr_t)slices[k].count;
        char *args[2] = {values + (intptr_t)(slices[k].begin - slices[0].begin) * size, results};
        for (alike = 1; k + alike < n && slices[k + alike].count == slices[k].count &&
                        slices[k + alike].begin == slices[k].begin + alike * slices[k].count;)
            alike++;
        intptr_t dimensions[2] = {(intptr_t)alike, count}, steps[3] = {count * size, size, size};
        gathering->by->native_reduce(args, dimensions, steps, NULL);
        put_results(gathering, results, gathering->kept.data[1] + (int64_t)slices[k].place * gathering->each_out,
                    gathering->each_out, (int64_t)alike);
    }
    return n;
}

static void run_short_slices(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct gathering *gathering = data;
    const int operands = gathering->kept.operands;
    const bool may_be_close = gathering->is_tree && gathering->outputs == 1;
    struct gathering one;
    struct pass pass;
    struct piece piece;
    uint64_t done;
    (void)worker;
    gathering_copy(&one, gathering);
    pass.gathering = &one;
    pass.results = NULL;
    pass.some = NULL;
    nest_copy(&pass.kept, &gathering->kept);
    piece.pass = &pass;
    piece.begin = piece.number = 0;
    nest_copy(&piece.reduced, &gathering->reduced);
    unsigned modes = fp_enter();
    for (uint64_t k = begin; k < end; k += done) {
        done = may_be_close ? reduce_close(&piece, gathering, &gathering->slices[k], end - k) : 0;
        if (done > 0)
            continue;
        done = 1;
        if (slice_is_long(&gathering->slices[k], gathering->outputs))
            continue;
        gathering_select_slice(&one, gathering, &gathering->slices[k]);
        memcpy(pass.kept.data, one.kept.data, (size_t)operands * sizeof *one.kept.data);
        pass.has_lanes = has_lanes(&one);
        piece.reduced.shape[0] = one.reduced.shape[0];
        piece.count = one.length;
        nest_walk(&pass.kept, 0, one.outputs, reduce_outputs, &piece);
    }
    fp_leave(modes);
}

static gpucc_status run_long_slice(const void *data, const struct gpucc_slice *slice)
{
    const struct gathering *gathering = data;
    struct gathering one;
    gathering_copy(&one, gathering);
    gathering_select_slice(&one, gathering, slice);
    return run_tree(&one);
}

static gpucc_status run_slices(const struct gathering *gathering)
{
    const struct slices slices = {gathering->slices, gathering->slice_count, gathering->outputs,
                                  gathering->call->context->pool, run_long_slice, run_short_slices, gathering};
    return cpu_divide_slices(&slices);
}

gpucc_status cpu_run_gathering(const struct gathering *gathering)
{
    const struct loop *by = gathering->by;
    if (!by->native || (gathering->is_tree && !by->native_reduce) || (gathering->map && !gathering->map->native))
        return fail(GPUCC_UNSUPPORTED, "%s has no native code for reductions of these types",
                    gathering->call->ufunc->name);
    return gathering->slices ? run_slices(gathering) : run_tree(gathering);
}
