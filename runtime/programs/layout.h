/* The layout of a gufunc, "(m,n),(n,p)->(m,p)": the core dimensions of each operand, which are its last dimensions. */
#ifndef GPUCC_LAYOUT_H
#define GPUCC_LAYOUT_H

#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <stdbool.h>

struct core_dimension {
    const char *name;    /* in the text, "n" or "3" … */
    int length;          /* … of this many characters */
    int64_t size;        /* of one of fixed size, else 0 */
    bool is_optional;    /* "n?": all operands may lack it */
    bool broadcasts;     /* "n|1": an operand with extent 1 along it is broadcast */
    const char *target_name; /* "p:n": n, … */
    int target_length;
    int target;          /* … its index; -1 for others.  The extent is n's or 1, which an input without it has */
    const char *extent;  /* its expression, "m + n - 1"; null: an operand or its fixed size determines it */
};

struct core_operand {
    int rank;
    unsigned char dimensions[GPUCC_CORE_RANK]; /* indices into those of the layout, outermost first */
};

enum { SHARED_LOOPS = 16 }; /* of a gufunc, of which more is known than that threads share them */

struct gufunc_layout {
    const char *text;
    int dimension_count, inputs, outputs;
    struct core_dimension dimensions[GPUCC_CORE_DIMS]; /* each once, in the order of their names' first places */
    struct core_operand operands[GPUCC_LOOP_OPERANDS]; /* inputs, then outputs */
};

/* Reads the text, which must live as long as the layout; GPUCC_BAD_PROGRAM if it is none. */
gpucc_status layout_parse(const char *text, struct gufunc_layout *layout);
/* The number of the dimension of that name, or dimension_count. */
int layout_find(const struct gufunc_layout *layout, const char *name, int length);

#endif
