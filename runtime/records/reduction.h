/* Reductions and accumulations as devices get them: with resolved operands, order and results. */
#ifndef GPUCC_RUNTIME_REDUCTION_H
#define GPUCC_RUNTIME_REDUCTION_H

#include "records/ufunc_call.h"

/* The operands of a reduction, and the places of its results. */

struct reduction {
    const struct call *call;
    int reduced_dims; /* at least 1; those that are adjacent have been merged */
    int64_t reduced_shape[GPUCC_MAX_DIMS], reduced_strides[GPUCC_MAX_DIMS];
    uint64_t outputs, length; /* neither is 0 */
    size_t size;              /* of an element */
    gpucc_dtype to;           /* the output's type: the elements' own, but of accumulations any */
    const void *initial;      /* where a fold from the left begins; null: with the first element */
    int64_t each_out;         /* of an accumulation, and of slices: from one result of an output to the next; else 0 */
    const struct gpucc_slice *slices; /* each has a result of its own; null: there are none */
    uint64_t slice_count;
    struct nest kept; /* of the outputs, simplified; operand 0 is the input, 1 the output */
};

static inline void reduction_copy(struct reduction *to, const struct reduction *from)
{
    memcpy(to, from, offsetof(struct reduction, kept));
    nest_copy(&to->kept, &from->kept);
}

/* reduction.c */

/* The offset of reduced element number `index` from the first. */
int64_t reduction_offset(const struct reduction *reduction, uint64_t index);

/* A reduction whose elements a fused function computes on the way, or of which a mask
 * leaves some out, or that are converted; in the same order */

struct gathering {
    const struct call *call;
    const struct loop *map; /* makes the elements of the inputs; null: they are the one input's */
    const struct loop *by;  /* combines them */
    bool is_tree, is_masked;
    int inputs;             /* the first operands of both nests; the mask is the next, where there is one */
    uint64_t outputs, length; /* neither is 0 */
    size_t size;            /* of an element */
    gpucc_dtype type;       /* an element's */
    gpucc_dtype to;         /* the output's, to which results are converted */
    gpucc_dtype from[GPUCC_LOOP_OPERANDS]; /* the inputs', which are converted to gathering_input_type() */
    bool has_initial;       /* `start` comes before the elements */
    uint64_t start[2];      /* what stands for none, in the loop's type */
    const struct gpucc_slice *slices; /* of one dimension, without a mask: see struct reduction */
    uint64_t slice_count;
    int64_t each_out;       /* of slices */
    struct nest kept;       /* of the outputs, simplified; its last operand is the output */
    struct nest reduced;    /* of an output's elements, in their order; at least one dimension */
};

/* As which an input is taken. */
static inline gpucc_dtype gathering_input_type(const struct gathering *gathering, int k)
{
    return gathering->map ? gathering->map->types[k] : gathering->type;
}

static inline void gathering_copy(struct gathering *to, const struct gathering *from)
{
    memcpy(to, from, offsetof(struct gathering, kept));
    nest_copy(&to->kept, &from->kept);
    nest_copy(&to->reduced, &from->reduced);
}

/* Leaves a copy of what has slices with the elements of this one alone. */
static inline void gathering_select_slice(struct gathering *one, const struct gathering *all,
                                          const struct gpucc_slice *slice)
{
    const int out = all->kept.operands - 1;
    one->slices = NULL;
    one->length = slice->count;
    one->reduced.shape[0] = (int64_t)slice->count;
    for (int k = 0; k < out; k++)
        one->kept.data[k] = all->kept.data[k] + (int64_t)slice->begin * all->reduced.strides[k][0];
    one->kept.data[out] = all->kept.data[out] + (int64_t)slice->place * all->each_out;
}

#endif
