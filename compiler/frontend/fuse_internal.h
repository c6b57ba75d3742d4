/* The parser of fuse(name, expression), which fuse.c and products.c share. */
#ifndef GPUCC_FUSE_INTERNAL_H
#define GPUCC_FUSE_INTERNAL_H

#include "frontend/frontend_internal.h"

/* Around matmul(left, right), and inside its operands. */
enum product_side { PRODUCT_OUTSIDE, PRODUCT_LEFT, PRODUCT_RIGHT };

/* matmul(left, right) in an expression. */
struct product {
    bool exists;
    struct type elements, result;  /* the types that it multiplies and returns */
    const char *operands[2];       /* C, of one element each */
    bool has_own_type;             /* nothing states the type of the elements */
};

struct parameter_use {
    const char *name;
    struct type type;
    const char *by; /* the function that it is first given to */
    enum product_side side; /* of matmul(…) */
    struct place place;
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
    enum product_side side; /* where the text that is read stands */
    bool failed;
};

#define FAIL(parser, at, length, ...)                                                                                 \
    do {                                                                                                               \
        if (!(parser)->failed)                                                                                        \
            diagnose((parser)->parse->diagnostics, SEVERITY_ERROR, place_at(parser, at, length), NULL, __VA_ARGS__); \
        (parser)->failed = true;                                                                                      \
    } while (0)

struct place place_at(const struct parser *parser, const char *at, size_t length);
void skip_spaces(struct parser *parser);
/* Returns the length of the C name that begins there, or 0. */
size_t name_length_at(const char *at);

bool same_fused_type(const struct type *a, const struct type *b);
const char *fused_type_text(const struct type *type);
/* As C has it, in every pass. */
const char *fused_type(const struct type *type);

/* Appends the parameter, whose name stands at `at`, to the body; `by` takes it. */
void use_parameter(struct parser *parser, const char *at, size_t length, const struct type *type,
                   const struct function *by);
/* At the parenthesis; `wanted` is what `by` takes here, or null.  `made` gets the type of the result, or is null. */
void read_call(struct parser *parser, const char *name, size_t length, const struct type *wanted,
               const struct function *by, struct type *made);

/* products.c */

/* The same of matmul(…), the built-in gufunc. */
void read_product(struct parser *parser, const char *name, const struct type *wanted, const struct function *by,
                  struct type *made);
/* Appends the gufunc to the text, and the function of its tiles to the unit's text of those. */
struct function write_product(struct parser *parser, struct text *text, const struct type *made);

#endif
