/* The parser of fuse(name, expression), which fuse.c, products.c and chains.c share. */
#ifndef GPUCC_FUSE_INTERNAL_H
#define GPUCC_FUSE_INTERNAL_H

#include "frontend/frontend_internal.h"

/* Around matmul(left, right), and inside its operands. */
enum product_side { PRODUCT_OUTSIDE, PRODUCT_LEFT, PRODUCT_RIGHT };

/* matmul(left, right) in an expression. */
struct product {
    bool exists;
    struct type elements, right_elements, result; /* the types that it multiplies, of the left one and of the right one,
                                                     and returns */
    const char *operands[2];       /* C, of one element each */
    bool has_own_type;             /* nothing states the type of the elements */
    bool are_tf32[2];              /* the operands: float32 elements without their last 13 bits */
};

/* The core dimensions of a value in an expression. */
enum shape_kind {
    SHAPE_OPEN,   /* as what it is combined with: of numbers, and of parameters that only ufuncs take */
    SHAPE_NUMBER, /* none */
    SHAPE_ARRAY
};

struct shape {
    enum shape_kind kind;
    const size_t *axes; /* indices into chain.axes, outermost first */
    size_t axis_count;
};

struct parameter_use {
    const char *name;
    struct type type;
    const char *by; /* the function that it is first given to */
    enum product_side side; /* of matmul(…) */
    struct place place;
    struct shape shape;
    bool is_whole; /* an array that a gufunc takes or a reduction combines; else it broadcasts to its shape */
};

/* A core dimension, or one that was found to be the same as another. */
struct axis {
    size_t same_as;   /* itself, or the index of an earlier one */
    const char *name; /* of the layout that it comes from, or a number */
};

/* Ufuncs' calls around each other: C, whose names are parameters and steps. */
struct element {
    const char *body;
    struct element_use {
        bool is_step;
        size_t index; /* of the parameter or step */
    } *uses;
    size_t use_count;
    struct shape shape;
};

/* A value that is computed once for each call, before the elements that need it. */
struct step {
    enum step_kind {
        STEP_REDUCTION, /* of the element's values, by the function */
        STEP_GUFUNC,    /* a call of the function */
        STEP_NUMBER     /* the element, which has no dimensions */
    } kind;
    const struct function *function;
    const char *key; /* equal keys are one step */
    struct element element;
    struct element_use *arguments; /* of a gufunc: parameters, and numbers that are steps */
    size_t argument_count;
    struct type type;
    struct shape shape;
    struct place place;
};

/* An expression with gufuncs, or reductions inside it. */
struct fused_chain {
    bool exists;
    unsigned reading; /* the expression is read so often, until every shape is known */
    bool found_arrays; /* another reading may find other shapes */
    struct axis *axes;
    size_t axis_count;
    struct step *steps;
    size_t step_count;
    struct element element; /* the one that is read */
    size_t *open;           /* parameters in what is read that may broadcast to what they are combined with */
    size_t open_count;
    struct shape shape;     /* of what was read last */
};

struct parser {
    const struct parse *parse;
    const struct fuse *fuse;
    const char *at;      /* in fuse->expression */
    struct text body;    /* C */
    struct parameter_use *parameters;
    size_t parameter_count;
    const struct function *by; /* of reduce(by, …); or null */
    struct product product;
    struct fused_chain chain;
    enum product_side side; /* where the text that is read stands */
    bool failed;
};

#define FAIL_AT(parser, where, ...)                                                                                    \
    do {                                                                                                               \
        if (!(parser)->failed)                                                                                         \
            diagnose((parser)->parse->diagnostics, SEVERITY_ERROR, where, NULL, __VA_ARGS__);                          \
        (parser)->failed = true;                                                                                       \
    } while (0)
#define FAIL(parser, at, length, ...) FAIL_AT(parser, place_at(parser, at, length), __VA_ARGS__)

struct place place_at(const struct parser *parser, const char *at, size_t length);
void skip_spaces(struct parser *parser);
/* Returns the length of the C name that begins there, or 0. */
size_t name_length_at(const char *at);

bool same_fused_type(const struct type *a, const struct type *b);
const char *fused_type_text(const struct type *type);
/* As C has it, in every pass. */
const char *fused_type(const struct type *type);

/* The name of the output: "out", or another where a parameter has that one. */
const char *fused_output_name(const struct parser *parser, const char *otherwise);
/* Appends the parameter, whose name stands at `at`, to the body; `by` takes it. */
void use_parameter(struct parser *parser, const char *at, size_t length, const struct type *type,
                   const struct function *by);
/* At the parenthesis; `wanted` is what `by` takes here, or null.  `made` gets the type of the result, or is null. */
void read_call(struct parser *parser, const char *name, size_t length, const struct type *wanted,
               const struct function *by, struct type *made);

/* Returns null if the file has no function of that kind and name. */
const struct function *find_fusable(const struct unit *unit, enum function_kind kind, const char *name, size_t length);
const struct function *find_ufunc(const struct unit *unit, const char *name, size_t length);
/* The ufunc of this name, whose text begins at `at`; null after reporting that there is none that can stand here. */
const struct function *callee(struct parser *parser, const char *at, size_t length);
/* Reports a count of arguments that is not the function's. */
void report_count(struct parser *parser, const char *at, const struct function *function, size_t wanted, size_t given);
/* An argument of `by`: a call, a number, or a parameter. */
void read_argument(struct parser *parser, const struct type *wanted, const struct function *by);
/* The arguments of a ufunc, behind its parenthesis. */
void read_arguments(struct parser *parser, const char *name, const struct function *function);
/* reduce(ufunc, …): goes on behind the comma.  Null after an error. */
const struct function *read_reducer(struct parser *parser);
/* The number of identity(…) in C; null where there is none. */
const char *identity_in_c(const struct parser *parser, const struct function *function);

/* chains.c */

/* Adds the dimensions of what was read to those of the values that a ufunc combines. */
void join_shape(struct parser *parser, const char *at, struct shape *joined);
/* Ends a call of a ufunc: gives the parameters that it opened, those from `first` on, the shape that it has. */
void settle_shape(struct parser *parser, const char *at, size_t first, const struct shape *joined);
void note_parameter(struct parser *parser, size_t index);
/* At the parenthesis; as read_call(). */
void read_reduction(struct parser *parser, const char *name, const struct type *wanted, const struct function *by,
                    struct type *made);
void read_gufunc(struct parser *parser, const char *name, const struct function *function, const struct type *wanted,
                 const struct function *by, struct type *made);
/* The same of the name of a fused reduction. */
void read_fused_reduction(struct parser *parser, const char *name, const struct function *function,
                          const struct type *wanted, const struct function *by, struct type *made);
/* Makes a step of the whole expression, which parser->by combines. */
void end_reduction(struct parser *parser, const char *at);
/* Forgets what a reading of the expression found but for whole parameters and axes. */
void begin_reading(struct parser *parser);
/* The index of the dimension that stands for all that are the same. */
size_t root_axis(const struct fused_chain *chain, size_t axis);

/* chain_text.c */


/* Appends the gufunc to the text. */
struct function write_chain(struct parser *parser, struct text *text, const struct type *made);

/* products.c */

/* The same of matmul(…), the built-in gufunc. */
void read_product(struct parser *parser, const char *name, const struct type *wanted, const struct function *by,
                  struct type *made);
/* Appends the gufunc to the text, and the function of its tiles to the unit's text of those. */
struct function write_product(struct parser *parser, struct text *text, const struct type *made);

#endif
