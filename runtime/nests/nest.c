/* Nested loops over operands with strides: broadcasting, merging and ordering of dimensions, and the walk itself. */
#include "base/common.h"
#include "base/floating_point.h"
#include "nests/nest.h"
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 1024,           /* elements: the pool's ranges begin at whole cache lines, whatever the element's size */
    GRAIN = 16384 / UNIT,
};

bool broadcast(int *out_ndim, int64_t *out_shape, int ndim, const int64_t *shape)
{
    if (ndim > *out_ndim) {
        memmove(out_shape + (ndim - *out_ndim), out_shape, (size_t)*out_ndim * sizeof *out_shape);
        for (int d = 0; d < ndim - *out_ndim; d++)
            out_shape[d] = 1;
        *out_ndim = ndim;
    }
    int64_t *tail = out_shape + (*out_ndim - ndim);
    for (int d = 0; d < ndim; d++) {
        if (tail[d] != shape[d] && tail[d] != 1 && shape[d] != 1)
            return false;
        if (tail[d] == 1)
            tail[d] = shape[d];
    }
    return true;
}

void nest_set(struct nest *nest, int operand, char *data, size_t size, int ndim, const int64_t *shape,
              const int64_t *strides)
{
    int missing = nest->ndim - ndim;
    nest->data[operand] = data;
    nest->sizes[operand] = size;
    for (int d = 0; d < nest->ndim; d++)
        nest->strides[operand][d] = d < missing || shape[d - missing] == 1 ? 0 : strides[d - missing];
}

int64_t nest_count(const struct nest *nest)
{
    int64_t count = 1;
    for (int d = 0; d < nest->ndim; d++)
        count *= nest->shape[d];
    return count;
}

/* Walks the leader upwards in memory. */
static void flip_backward_dimensions(struct nest *nest, int leader)
{
    for (int d = 0; d < nest->ndim; d++) {
        if (nest->strides[leader][d] >= 0)
            continue;
        for (int i = 0; i < nest->operands; i++) {
            nest->data[i] += (nest->shape[d] - 1) * nest->strides[i][d];
            nest->strides[i][d] = -nest->strides[i][d];
        }
    }
}

static void move_dimension(struct nest *nest, int to, int from)
{
    nest->shape[to] = nest->shape[from];
    for (int i = 0; i < nest->operands; i++)
        nest->strides[i][to] = nest->strides[i][from];
}

static void swap_dimensions(struct nest *nest, int a, int b)
{
    int64_t extent = nest->shape[a];
    nest->shape[a] = nest->shape[b];
    nest->shape[b] = extent;
    for (int i = 0; i < nest->operands; i++) {
        int64_t stride = nest->strides[i][a];
        nest->strides[i][a] = nest->strides[i][b];
        nest->strides[i][b] = stride;
    }
}

static void drop_unit_dimensions(struct nest *nest)
{
    int kept = 0;
    for (int d = 0; d < nest->ndim; d++) {
        if (nest->shape[d] != 1)
            move_dimension(nest, kept++, d);
    }
    nest->ndim = kept;
}

/* Largest stride of the leader outermost; dimensions with equal strides stay as they are. */
static void sort_dimensions(struct nest *nest, int leader)
{
    const int64_t *strides = nest->strides[leader];
    for (int sorted = 1; sorted < nest->ndim; sorted++) {
        for (int d = sorted; d > 0 && strides[d - 1] < strides[d]; d--)
            swap_dimensions(nest, d - 1, d);
    }
}

static bool can_merge(const struct nest *nest, int outer, int inner)
{
    for (int i = 0; i < nest->operands; i++) {
        if (nest->strides[i][outer] != nest->strides[i][inner] * nest->shape[inner])
            return false;
    }
    return true;
}

static void merge_dimensions(struct nest *nest)
{
    int kept = 0;
    for (int d = 1; d < nest->ndim; d++) {
        if (can_merge(nest, kept, d)) {
            int64_t extent = nest->shape[kept];
            move_dimension(nest, kept, d);
            nest->shape[kept] *= extent;
        } else {
            move_dimension(nest, ++kept, d);
        }
    }
    nest->ndim = nest->ndim ? kept + 1 : 0;
}

void nest_simplify(struct nest *nest, int leader)
{
    if (nest_count(nest) == 0) { /* its addresses need not exist */
        nest->ndim = 1;
        nest->shape[0] = 0;
        return;
    }
    drop_unit_dimensions(nest);
    flip_backward_dimensions(nest, leader);
    sort_dimensions(nest, leader);
    merge_dimensions(nest);
}

void nest_merge(struct nest *nest)
{
    drop_unit_dimensions(nest);
    merge_dimensions(nest);
    if (nest->ndim > 0)
        return;
    nest->ndim = 1;
    nest->shape[0] = 1;
    for (int i = 0; i < nest->operands; i++)
        nest->strides[i][0] = 0;
}

void nest_transpose_for_most(struct nest *nest)
{
    const int last = nest->ndim - 1;
    int others = 0; /* for whom the rows are the columns, less those for whom they are not */
    for (int i = 0; last > 0 && i < nest->operands; i++) {
        const int64_t along = llabs(nest->strides[i][last]), across = llabs(nest->strides[i][last - 1]);
        if (along != 0 && across != 0 && along != across)
            others += across < along ? 1 : -1;
    }
    if (others > 0 && nest->shape[last - 1] >= nest->shape[last])
        swap_dimensions(nest, last - 1, last);
}

/* ---- walking ---- */

struct walk {
    const struct nest *nest;
    uint64_t count, inner; /* elements in all, and in the innermost dimension */
    nest_body *body;
    void *data;
};

/* A place in the outer dimensions, with the operands' addresses there. */
struct place {
    int64_t index[GPUCC_MAX_DIMS];
    char *row[CALL_OPERANDS];
};

static void place_set(struct place *place, const struct nest *nest, uint64_t row)
{
    memcpy(place->row, nest->data, (size_t)nest->operands * sizeof *place->row);
    for (int d = nest->ndim - 1; d-- > 0;) {
        uint64_t extent = (uint64_t)nest->shape[d];
        place->index[d] = (int64_t)(row % extent);
        row /= extent;
        for (int i = 0; i < nest->operands; i++)
            place->row[i] += place->index[d] * nest->strides[i][d];
    }
}

static void place_advance(struct place *place, const struct nest *nest)
{
    for (int d = nest->ndim - 1; d-- > 0;) {
        bool wraps = ++place->index[d] == nest->shape[d];
        int64_t steps = wraps ? 1 - nest->shape[d] : 1;
        for (int i = 0; i < nest->operands; i++)
            place->row[i] += steps * nest->strides[i][d];
        if (!wraps)
            return;
        place->index[d] = 0;
    }
}

static void walk_elements(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct nest *nest = walk->nest;
    int last = nest->ndim - 1;
    struct place place;
    int64_t steps[CALL_OPERANDS];
    for (int i = 0; i < nest->operands; i++)
        steps[i] = last < 0 ? 0 : nest->strides[i][last];
    place_set(&place, nest, begin / walk->inner);
    uint64_t column = begin % walk->inner;
    while (begin < end) {
        char *args[CALL_OPERANDS];
        uint64_t n = walk->inner - column < end - begin ? walk->inner - column : end - begin;
        for (int i = 0; i < nest->operands; i++)
            args[i] = place.row[i] + (int64_t)column * steps[i];
        walk->body(walk->data, args, (int64_t)n, steps);
        begin += n;
        column = 0;
        if (begin < end)
            place_advance(&place, nest);
    }
}

static void walk_units(void *data, uint64_t begin, uint64_t end, int worker)
{
    const struct walk *walk = data;
    (void)worker;
    uint64_t last = end * UNIT < walk->count ? end * UNIT : walk->count;
    unsigned modes = fp_enter();
    walk_elements(walk, begin * UNIT, last);
    fp_leave(modes);
}

void nest_run(struct pool *pool, const struct nest *nest, nest_body *body, void *data)
{
    struct walk walk = {
        .nest = nest,
        .count = (uint64_t)nest_count(nest),
        .inner = nest->ndim ? (uint64_t)nest->shape[nest->ndim - 1] : 1,
        .body = body,
        .data = data,
    };
    uint64_t units = (walk.count + UNIT - 1) / UNIT;
    if (walk.count == 0)
        return;
    if (!pool || walk.count < INLINE_BELOW)
        walk_units(&walk, 0, units, 0);
    else
        pool_run(pool, units, GRAIN, walk_units, &walk);
}

/* Whether an operand's neighbours along rows lie in cache lines of their own, which other rows share. */
static bool leaves_lines(const struct nest *nest)
{
    enum { LINE = 64 };
    const int last = nest->ndim - 1;
    for (int i = 0; last > 0 && i < nest->operands; i++) {
        const int64_t along = llabs(nest->strides[i][last]), across = llabs(nest->strides[i][last - 1]);
        if (along >= LINE && across > 0 && across < LINE)
            return true;
    }
    return false;
}

/* The rows' first `tiles` times `width` elements, tile by tile. */
static void run_tiles(struct pool *pool, const struct nest *nest, int64_t tiles, int64_t width, nest_body *body,
                      void *data)
{
    const int last = nest->ndim - 1;
    struct nest tiled;
    nest_copy(&tiled, nest);
    tiled.ndim++;
    tiled.shape[last - 1] = tiles;
    tiled.shape[last] = nest->shape[last - 1];
    tiled.shape[last + 1] = width;
    for (int i = 0; i < nest->operands; i++) {
        tiled.strides[i][last - 1] = width * nest->strides[i][last];
        tiled.strides[i][last] = nest->strides[i][last - 1];
        tiled.strides[i][last + 1] = nest->strides[i][last];
    }
    nest_run(pool, &tiled, body, data);
}

void nest_run_in_tiles(struct pool *pool, const struct nest *nest, nest_body *body, void *data)
{
    enum { WIDTH = 512 };
    const int last = nest->ndim - 1;
    if (!leaves_lines(nest) || nest->shape[last] <= WIDTH || nest->ndim == GPUCC_MAX_DIMS) {
        nest_run(pool, nest, body, data);
        return;
    }
    const int64_t extent = nest->shape[last], width = extent / (extent / WIDTH + 1) + 1, tiles = extent / width;
    struct nest rest;
    run_tiles(pool, nest, tiles, width, body, data);
    nest_copy(&rest, nest);
    rest.shape[last] = extent - tiles * width;
    for (int i = 0; i < nest->operands; i++)
        rest.data[i] += tiles * width * nest->strides[i][last];
    nest_run(pool, &rest, body, data);
}

void nest_walk(const struct nest *nest, uint64_t begin, uint64_t end, nest_body *body, void *data)
{
    const struct walk walk = {
        .nest = nest,
        .count = (uint64_t)nest_count(nest),
        .inner = nest->ndim ? (uint64_t)nest->shape[nest->ndim - 1] : 1,
        .body = body,
        .data = data,
    };
    walk_elements(&walk, begin, end);
}

/* ---- splitting ---- */

struct split {
    struct nest part;
    int64_t extent; /* of the part's first dimension, before it is cut */
    int64_t piece;
    nest_part *body;
    void *data;
    gpucc_status status;
};

static void split_run(void *data, char **args, int64_t n, const int64_t *steps)
{
    struct split *split = data;
    struct nest *part = &split->part;
    for (int64_t k = 0; k < n; k++) {
        for (int64_t at = 0; at < split->extent && !split->status; at += split->piece) {
            for (int i = 0; i < part->operands; i++)
                part->data[i] = args[i] + k * steps[i] + at * part->strides[i][0];
            part->shape[0] = split->extent - at < split->piece ? split->extent - at : split->piece;
            split->status = split->body(split->data, part);
        }
    }
}

/* Elements behind one index of the first of the last `inner` dimensions. */
static uint64_t elements_behind(const struct nest *nest, int inner)
{
    uint64_t count = 1;
    for (int d = nest->ndim - inner + 1; d < nest->ndim; d++)
        count *= (uint64_t)nest->shape[d];
    return count;
}

gpucc_status nest_split(const struct nest *nest, int dims, uint64_t most, nest_part *body, void *data)
{
    struct split split;
    struct nest outer, *part = &split.part;
    nest_copy(&outer, nest);
    nest_copy(part, nest);
    split.body = body;
    split.data = data;
    split.status = GPUCC_OK;
    int inner = nest->ndim < dims ? nest->ndim : dims;
    while (inner > 1 && elements_behind(nest, inner) > most)
        inner--;
    outer.ndim = nest->ndim - inner;
    part->ndim = inner;
    for (int d = 0; d < inner; d++)
        move_dimension(part, d, outer.ndim + d);
    split.extent = part->shape[0];
    uint64_t piece = most / elements_behind(nest, inner);
    split.piece = (uint64_t)split.extent < piece ? split.extent : (int64_t)piece;
    nest_run(NULL, &outer, split_run, &split);
    return split.status;
}
