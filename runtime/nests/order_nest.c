/* The order of a nest's dimensions in memory. */
#include "nests/nest.h"
#include <stdlib.h>
#include <string.h>

enum relation { UNDECIDED, INSIDE, OUTSIDE };

/* Whether a dimension belongs inside another that stands before it: the operands' strides say so, which are 0 if one
 * is repeated; where they do not agree, C order wins. */
static enum relation relate(const struct nest *given, int inner, int outer)
{
    enum relation relation = UNDECIDED;
    for (int i = 0; i < given->operands; i++) {
        int64_t of_inner = llabs(given->strides[i][inner]), of_outer = llabs(given->strides[i][outer]);
        if (of_inner == 0 || of_outer == 0)
            continue;
        if (of_inner <= of_outer)
            return INSIDE;
        relation = OUTSIDE;
    }
    return relation;
}

/* Insertion sort, from the innermost dimension on, as NumPy's iterator sorts: where nothing is decided between two
 * dimensions one goes on to the next, so that the result for strides that do not agree is NumPy's too. */
void nest_order(const struct nest *given, int *order)
{
    const int ndim = given->ndim;
    int *from_inside = order; /* turned round at the end */
    for (int d = 0; d < ndim; d++)
        from_inside[d] = ndim - 1 - d;
    for (int at = 1; at < ndim; at++) {
        int dimension = from_inside[at], to = at;
        for (int k = at - 1; k >= 0; k--) {
            enum relation relation = relate(given, from_inside[k], dimension);
            if (relation == INSIDE)
                break;
            if (relation == OUTSIDE)
                to = k;
        }
        memmove(&from_inside[to + 1], &from_inside[to], (size_t)(at - to) * sizeof *from_inside);
        from_inside[to] = dimension;
    }
    for (int d = 0; d < ndim / 2; d++) {
        int other = order[ndim - 1 - d];
        order[ndim - 1 - d] = order[d];
        order[d] = other;
    }
}
