/* Nested loops over operands with strides; what walks them is nest.c's. */
#ifndef GPUCC_RUNTIME_NEST_H
#define GPUCC_RUNTIME_NEST_H

#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pool;

/* A call's operands and its mask. */
enum { CALL_OPERANDS = GPUCC_LOOP_OPERANDS + 1 };

/* Some of them: bit i stands for operand i. */
typedef unsigned __int128 operand_set;

static inline operand_set operand_bit(int i)
{
    return (operand_set)1 << i;
}

/* An index space with operands, as loops walk it: data[i] + Σ index[d] * strides[i][d].  Dimension 0 is outermost. */
struct nest {
    int ndim;
    int operands;
    operand_set values; /* data[i] points to one host value, which every index shares */
    int64_t shape[GPUCC_MAX_DIMS];
    char *data[CALL_OPERANDS];
    size_t sizes[CALL_OPERANDS]; /* of an element */
    int64_t strides[CALL_OPERANDS][GPUCC_MAX_DIMS]; /* the last member: most of the nest's 33 KiB are here … */
};

/* … so that a nest is not set to zero as a whole, nor copied but for the operands that it has. */
static inline void nest_begin(struct nest *nest, int ndim, int operands)
{
    nest->ndim = ndim;
    nest->operands = operands;
    nest->values = 0;
}

static inline void nest_copy(struct nest *to, const struct nest *from)
{
    memcpy(to, from, offsetof(struct nest, strides) + (size_t)from->operands * sizeof *from->strides);
}

/* Broadcasts `shape` of `ndim` into *out_ndim, out_shape (start: ndim 0); false if they do not fit. */
bool broadcast(int *out_ndim, int64_t *out_shape, int ndim, const int64_t *shape);
/* Sets the operand's strides as seen from the nest's shape. */
void nest_set(struct nest *nest, int operand, char *data, size_t size, int ndim, const int64_t *shape,
              const int64_t *strides);
/* Orders dimensions by the strides of operand `leader`, drops those of size 1 and merges those that are adjacent in
 * every operand. */
void nest_simplify(struct nest *nest, int leader);
/* Leaves their order, and one dimension at least; the nest has elements. */
void nest_merge(struct nest *nest);
int64_t nest_count(const struct nest *nest);

enum { INLINE_BELOW = 32768 }; /* elements: fewer are not worth waking anybody */

/* Makes the last dimension but one the last where it is no shorter and more operands have neighbours along it. */
void nest_transpose_for_most(struct nest *nest);

/* Calls body(data, args, n, steps) for inner runs of the nest that together cover it, on the pool where it is large
 * (or inline: pool null). */
typedef void nest_body(void *data, char **args, int64_t n, const int64_t *steps);
void nest_run(struct pool *pool, const struct nest *nest, nest_body *body, void *data);
/* The same, by a part of each row where an operand's rows are columns in memory, so that their lines are still in the
 * cache for the next row. */
void nest_run_in_tiles(struct pool *pool, const struct nest *nest, nest_body *body, void *data);
/* The same in this thread for elements begin … end - 1 of a nest that has some. */
void nest_walk(const struct nest *nest, uint64_t begin, uint64_t end, nest_body *body, void *data);

/* Calls `body`, until it fails, for parts of the nest that together are all of it, each of at most `dims` dimensions
 * and `most` elements.  The nest has at least one dimension. */
typedef gpucc_status nest_part(void *data, const struct nest *part);
gpucc_status nest_split(const struct nest *nest, int dims, uint64_t most, nest_part *body, void *data);

/* order_nest.c */

/* The dimensions of the nest as operands with its strides have them in memory, outermost first. */
void nest_order(const struct nest *given, int *order);

#endif
