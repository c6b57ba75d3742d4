/* Calls in parts: host arrays that do not fit into a device's memory, or whose work several devices share; and split
 * arrays, of which each device does what it has. */
#ifndef GPUCC_RUNTIME_PARTS_H
#define GPUCC_RUNTIME_PARTS_H

#include "records/ufunc_call.h"

/* An operand as the parts see it. */
struct part_operand {
    const gpucc_array *array;
    size_t size; /* bytes that an element takes on the device, 0 if it is there already */
    signed char dims[GPUCC_MAX_DIMS]; /* of the space: which each of the array is; negative: it stays whole */
};

/* One part, from that index on, on that member of the context's group: views[i] is what it has of operand i. */
typedef gpucc_status part_call(void *data, int member, const int64_t *start, gpucc_array *const *views);

/* An index space that is cut into boxes. */
struct parts {
    gpucc_context *context;
    gpucc_stream *stream; /* the context's: in its order work on split arrays is done */
    int ndim;
    int64_t shape[GPUCC_MAX_DIMS];
    int operands;
    struct part_operand operand[CALL_OPERANDS];
    const int64_t *extents; /* of a box; null: as large as fits */
    bool in_order;          /* one after another, on the first device; else in any order on all */
    part_call *call;
    void *data;
};

/* Whether a call on `bytes` of host arrays is partitioned.  The context must have been entered. */
gpucc_status needs_partition(gpucc_context *context, size_t bytes, bool *wanted);
/* Whether a CPU call on `bytes` is partitioned, so that converted copies of operands are small and progress can be
 * reported. */
bool parts_spare(const struct call *call, size_t bytes);
/* Whether the calling thread executes a partition. */
bool parts_inside(void);
/* Bytes that one part of a call with `bytes` in all may take on a device, such that all devices have some. */
gpucc_status parts_size(gpucc_context *context, double bytes, double *size);

/* Aligns the operand's last dimensions with those of the space, as broadcasting does. */
void parts_align(const struct parts *parts, struct part_operand *operand);
/* Runs all partitions, and returns when the host arrays have their results.  If an operand is split, each device
 * executes the partition of its own rows. */
gpucc_status parts_run(const struct parts *parts);

/* Bytes that the array takes on the device where it is the host's, or on the CPU; 0 if it is there, or is one
 * value. */
static inline size_t parts_host_bytes(const struct call *call, const gpucc_array *array)
{
    const bool counts = call_is_away(call, array) || call->context->kind == GPUCC_DEVICE_CPU;
    return counts && !array_is_value(array) ? (size_t)array->count * dtypes[array->dtype].size : 0;
}
/* Whether each device of the call processes its own rows of a split operand. */
bool parts_are_split(const struct call *call);
/* The size of an element of operand i, in its own type or the loop's. */
size_t parts_element(const struct call *call, int i);
/* Copies the input of the call, which an output overlaps, until call_release(). */
gpucc_status parts_duplicate(struct call *call, int i, struct part_operand *operand);

/* ufunc_parts.c */

/* Whether the call goes in parts, once its shape is known. */
gpucc_status call_needs_partition(const struct call *call, bool *wanted);
gpucc_status call_run_parts(struct call *call);

#endif
