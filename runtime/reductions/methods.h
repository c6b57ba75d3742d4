/* Shared by the methods of a ufunc that combine an array's elements one after another: reduce, accumulate, reduceat. */
#ifndef GPUCC_RUNTIME_METHODS_H
#define GPUCC_RUNTIME_METHODS_H

#include "records/reduction.h"
#include "records/scatter.h"

enum { INPUT = 1, OUTPUT = 2 }; /* operands of the call, which has no other input */

/* A request, from which a struct reduction is made. */
struct request {
    struct call call; /* of the shape that comes out */
    const char *what; /* "a reduction", for messages */
    const gpucc_array *input;   /* null of a fused reduction, which has several */
    int ndim;                   /* of the elements: the input's, … */
    const int64_t *shape;
    int64_t shape_[GPUCC_MAX_DIMS]; /* … or what several broadcast to */
    const gpucc_array *initial;
    const gpucc_array *where;   /* which elements take part; null: all */
    bool reduced[GPUCC_MAX_DIMS]; /* of the elements' dimensions */
    int axes;                     /* how many */
    bool keepdims;                /* those that are reduced are dimensions of the output */
    uint64_t length;              /* elements along them */
    uint64_t start[2];            /* `initial`, or the identity for want of elements, in the loop's type */
    struct gpucc_slice *slices;       /* of the one axis, which have a result each; null: all of it has one */
    uint64_t slice_count;
};

/* The result is the call's operand of this number. */
static inline int request_output(const struct request *request)
{
    return request->call.ufunc->inputs;
}

/* The type of elements and results. */
static inline gpucc_dtype request_type(const struct request *request)
{
    return request->call.loop->types[request_output(request)];
}

/* The one axis of what goes along one. */
static inline int request_axis(const struct request *request)
{
    int axis = 0;
    while (!request->reduced[axis])
        axis++;
    return axis;
}

/* Checks ufunc and operands; no axis is named yet.  `out` may be null. */
gpucc_status request_begin(struct request *request, gpucc_ufunc *ufunc, const char *what, const gpucc_array *input,
                           gpucc_array *out, gpucc_stream *stream);
/* The same without an input, of which nothing is known yet. */
gpucc_status request_start(struct request *request, gpucc_ufunc *ufunc, const char *what, gpucc_array *out,
                           gpucc_stream *stream);
gpucc_status request_add_axis(struct request *request, int axis);
/* Applies the options to a reduction whose elements' shape and loop are known. */
gpucc_status request_set_options(struct request *request, const gpucc_reduce_options *options);
/* The loop of `dtype` alone; or, where it is null, that of a call with an element of `first` and one of the input, or,
 * if there is none, with two of the input. */
gpucc_status request_find_loop(struct request *request, const gpucc_dtype *dtype, gpucc_dtype first);
/* For what goes along one axis, *found, and has the input's other dimensions: the loop, the axis and the shape.  As in
 * NumPy the output's type has a say in which loop runs, and any conversion is right. */
gpucc_status request_find_along(struct request *request, const gpucc_dtype *dtype, int axis, int *found);
/* Makes the elements to combine, from the operands as the loop sees them. */
void request_lay_out(const struct request *request, struct reduction *reduction);

/* Without elements to combine the result is `start`, or a failure. */
gpucc_status request_check_empty(struct request *request);
/* Reduces elements that are gathered (gather.c). */
gpucc_status request_gather(struct request *request);
/* Whether a ufunc's input is of another type than its loop, so that its elements are gathered. */
bool request_converts_elements(const struct request *request);

/* Whether results go to an output of another type each for itself.  Else they are made beside it and then converted:
 * where they are few, and where it shares memory with what is read. */
bool request_converts_results(const struct request *request);

/* Makes or checks the output, has `work` fill it, from operands on the loop's device and of its types, and delivers it;
 * with no elements to come out there is no work.  The input is copied first where it shares memory with the output in
 * another way than `in_place` allows: element by element.  Then *out is made where it was null, or null again. */
typedef gpucc_status request_work(struct request *request);
struct request_run {
    request_work *check, *work; /* `check`, or null, once there is an output */
    request_work *parts;        /* the same as `work` where it goes in parts, from operands as the caller sees them; or
                                   null: it does not */
    bool in_place;
    bool combines; /* the results of parts of what is combined can be combined */
    bool places; /* `work` brings the operands to the device itself */
};
gpucc_status request_run(struct request *request, const struct request_run *how, gpucc_array **out);

/* gpucc_ufunc_reduce() and gpucc_ufunc_accumulate() of arguments that are not null, for those that consist of
 * others. */
gpucc_status ufunc_reduce(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                          const gpucc_reduce_options *options);
gpucc_status ufunc_accumulate(gpucc_ufunc *ufunc, const gpucc_array *input, gpucc_array **out,
                              const gpucc_accumulate_options *options);

/* reduce_parts.c: a reduction or accumulation of a host array, on several devices or one whose memory it exceeds, or of
 * a split array */

/* Whether devices can each do what they have of the split input; else the first one does all.  `combines`: what is
 * combined can be divided. */
bool request_divides(const struct request *request, bool combines);

gpucc_status reduce_in_parts(struct request *request);
gpucc_status accumulate_in_parts(struct request *request);

/* indices.c */

gpucc_status indices_check(const gpucc_ufunc *ufunc, const gpucc_array *indices);
/* The array's integers, in C order, as int64; free them.  Waits for work that the array is used by. */
gpucc_status indices_read(const gpucc_ufunc *ufunc, const gpucc_array *indices, int64_t **out);

#endif
