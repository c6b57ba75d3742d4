/* Adjoints of stencils: kernels whose loads are a few elements away from the thread's place in the grid.
 *
 * A thread adds up what its element gets from the threads around it, which it computes as if it was each of them.  An
 * element's place in the grid is that of the thread whose lane has the same coordinates; those next to the grid belong
 * to the threads at its border. */
#ifndef GPUCC_REVERSE_GATHER_H
#define GPUCC_REVERSE_GATHER_H

#include "derive/reverse_internal.h"

enum { AXES = 3, MOST_OFFSETS = 12, MOST_DISTANCE = 8, MOST_FACTORS = 4, MOST_PLACES = 32, MOST_LIMITS = 24 };

/* Parameters that stand for grid(3): x, y, z. */
struct lanes {
    LLVMValueRef parameters[AXES];
    bool are_used[AXES];
};

/* The axis of a lane's parameter; -1: another value. */
int lane_axis(const struct lanes *lanes, LLVMValueRef value);

/* A coordinate is the lane's plus one of these. */
struct offsets {
    int axis;
    long long items[MOST_OFFSETS];
    unsigned count;
};

/* Bytes: scale * factors. */
struct stride {
    long long scale;
    LLVMValueRef factors[MOST_FACTORS];
    bool are_signed[MOST_FACTORS];
    unsigned count;
};

struct coordinate {
    LLVMValueRef value;  /* null: the address does not depend on this axis */
    bool is_signed;
    long long step;      /* to be added to it */
    struct offsets offsets;
    struct stride stride;
};

/* A load of an array: its address is the array's plus the coordinates, each by its stride. */
struct site {
    LLVMValueRef load, array;
    struct coordinate coordinates[AXES];
    long long constant;
    struct stride uniforms[MOST_FACTORS];
    unsigned uniform_count;
};

/* Inside, a lane plus the offset is less than the value, or more. */
struct limit {
    int axis;
    LLVMValueRef value;
    bool is_upper, is_signed;
    long long offset;
};

struct gathering {
    struct reversal *r;
    const struct lanes *lanes;
    LLVMValueRef load;     /* that is being described */
    struct site *sites;
    size_t site_count;
    LLVMValueRef *arrays;  /* that have adjoints; of r->body */
    size_t array_count;
    long long places[MOST_PLACES][AXES]; /* elements relative to the thread */
    size_t place_count;
    struct limit limits[MOST_LIMITS]; /* of the inside */
    size_t limit_count;
    unsigned first;        /* parameter of the made function: lanes, the element's place, sums, flags */
};

/* reverse_offsets.c */

/* Fills in a site's coordinates; false: the address is none of a stencil. */
bool describe_site(const struct gathering *g, LLVMValueRef pointer, struct site *site);
/* Fills in what a coordinate may be; false: not known. */
bool describe_offsets(const struct gathering *g, LLVMValueRef value, struct offsets *offsets);
/* Whether all threads have the same value. */
bool is_same_in_all(const struct lanes *lanes, LLVMValueRef value);
bool same_factors(const struct stride *a, const struct stride *b);

/* reverse_interior.c: makes the function of a lane, g->r->body, that of lanes inside; false if it has no borders */
bool settle_borders(struct gathering *g);

#endif
