/* Shared by the files of `gpucc wrap`: wrap_options.c and wrap_list.c read, wrap_operands.c decides, wrap_text.c
 * writes. */
#ifndef GPUCC_WRAP_INTERNAL_H
#define GPUCC_WRAP_INTERNAL_H

#include "frontend/frontend.h"
#include "wrap/wrap.h"

/* The meaning of a function's result. */
enum result {
    RESULT_DEFAULT, /* the list does not say */
    RESULT_VALUE,   /* an output */
    RESULT_STATUS,  /* an output named `status` */
    RESULT_MASK,    /* an output named `failed`: whether it is not 0 */
    RESULT_NONE,    /* not an output */
};

struct wrap_options {
    struct options compile;
    const char *output;    /* "-" is standard output */
    const char *list;      /* the path of the list, or null */
    const char **patterns; /* of --select; none: all functions */
    size_t pattern_count;
    const char *prefix;    /* of --strip; "" without */
    enum result status;    /* of --status */
};

/* Reads the command line; ends the process with EXIT_USAGE after reporting an error. */
void wrap_options_parse(struct wrap_options *options, int argc, char **argv);
/* "value", "status", "mask" or "none"; RESULT_DEFAULT for any other word. */
enum result result_from_name(const char *name);

/* ---- wrap_list.c ---- */

enum role {
    ROLE_UNKNOWN,
    ROLE_INPUT,
    ROLE_OUTPUT,
    ROLE_BOTH, /* the function changes it: an input, whose copy is an output */
    ROLE_SIZE, /* an extent of an array */
};

/* The line of a parameter: x = "in[n][3]". */
struct listed_parameter {
    const char *name;
    struct place place;
    enum role role; /* ROLE_UNKNOWN: only extents are written */
    const char **extents;
    size_t extent_count;
};

/* A table of the list, [function]. */
struct listed {
    const char *name;
    struct place place;
    struct listed_parameter *parameters;
    size_t parameter_count;
    enum result result;
    const char *wrap_as;   /* the ufunc's name, or null */
    const char *leave_out; /* the reason, or null */
};

struct list {
    struct listed *items;
    size_t count;
};

/* Reads the file; reports its errors. */
struct list read_list(const struct options *options, const char *path, struct diagnostics *diagnostics);
/* Null for a function that the list does not name. */
const struct listed *find_listed(const struct list *list, const char *function);
const struct listed_parameter *find_listed_parameter(const struct listed *listed, const char *name);
/* Reports functions and parameters that the library does not have. */
void check_list(const struct list *list, const struct library *library, struct diagnostics *diagnostics);

/* ---- wrap_operands.c ---- */

/* A parameter of the function as the ufunc or gufunc has it. */
struct operand {
    const struct declared_parameter *parameter;
    const char *name, *output_name; /* they differ if it is an input and an output */
    enum role role;
    bool is_pointer;      /* the function's parameter is */
    bool is_struct;       /* or points to one; the gufunc's parameter points to it */
    const char **extents; /* C expressions; none: a scalar */
    size_t extent_count;
};

struct wrapped {
    const struct declared *function;
    const char *name;           /* of the ufunc or gufunc */
    const char *reason;         /* it is left out for; or null */
    struct operand *operands;   /* of each parameter */
    enum result result;
    bool is_gufunc;
    bool is_prototype;          /* the function itself is the ufunc: an annotated prototype is enough */
};

/* Decides how the function is wrapped, or why it is left out. */
struct wrapped wrap_function(const struct wrap_options *options, const struct library *library,
                             const struct list *list, const struct declared *function);

/* ---- wrap_text.c ---- */

/* The C source that wraps these functions. */
struct bytes wrapped_source(const struct wrap_options *options, const struct wrapped *functions, size_t count);

#endif
