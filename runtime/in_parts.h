/* Calls in parts: host arrays that do not fit into a device's memory, or whose work several devices share. */
#ifndef GPUCC_RUNTIME_PARTS_H
#define GPUCC_RUNTIME_PARTS_H

#include "internal.h"

/* An operand as the parts see it. */
struct part_operand {
    const gpucc_array *array;
    size_t size; /* bytes that an element takes on the device, 0 where it is there already */
    signed char dims[GPUCC_MAX_DIMS]; /* of the space: which each of the array is; negative: it stays whole */
};

/* One part on that member of the context's group: views[i] is what it has of operand i. */
typedef gpucc_status part_call(void *data, int member, gpucc_array *const *views);

/* An index space that is cut into boxes, whose order does not matter. */
struct parts {
    gpucc_context *context;
    int ndim;
    int64_t shape[GPUCC_MAX_DIMS];
    int operands;
    struct part_operand operand[CALL_OPERANDS];
    part_call *call;
    void *data;
};

/* Whether a call with so many bytes of host arrays is to go in parts.  The context is to be entered. */
gpucc_status parts_wanted(gpucc_context *context, size_t bytes, bool *wanted);
/* Whether the calling thread is at work on one. */
bool parts_inside(void);
/* Bytes that one part of a call with `bytes` in all may take on a device, such that all devices have some. */
gpucc_status parts_size(gpucc_context *context, double bytes, double *size);

/* Says that the operand's last dimensions are those of the space, as in broadcasting. */
void parts_align(const struct parts *parts, struct part_operand *operand);
/* Runs them all, and returns when host arrays have what they are to have. */
gpucc_status parts_run(const struct parts *parts);

/* ufunc_parts.c, gufunc_parts.c, reduce_parts.c: which space each method has */

struct request;
struct gufunc_call;
/* Whether the call goes in parts, once its shape is known. */
gpucc_status call_wants_parts(const struct call *call, bool *wanted);
gpucc_status call_run_parts(struct call *call);

#endif
