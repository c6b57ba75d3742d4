/* Shared by the files that write derivatives as C text. */
#ifndef GPUCC_DERIVATIVES_INTERNAL_H
#define GPUCC_DERIVATIVES_INTERNAL_H

#include "frontend/frontend_internal.h"

enum { MOST_DIRECTIONS = 8 };

/* One statement, and f. */
struct derivation {
    const struct parse *parse;
    const struct fuse *statement;
    const struct function *of;
    size_t input_count, output_count, number_count;
    bool returns;        /* f has one output, its result */
    bool is_reverse;     /* in reverse mode */
    bool is_kernel;      /* inputs are all parameters */
    size_t size_count;   /* of a gufunc: its first parameters, which are core dimensions */
    struct core *cores;  /* of a gufunc's operands */
};

/* The parameters that the function has so far. */
struct parameters {
    struct arena *arena;
    struct parameter *items;
    size_t count;
};

/* derivatives.c */

struct place place_of_statement(const struct fuse *statement);
const char *statement_name(const struct derivation *derivation);

#define REFUSE(derivation, ...)                                                                                        \
    (diagnose((derivation)->parse->diagnostics, SEVERITY_ERROR, place_of_statement((derivation)->statement), NULL,     \
              __VA_ARGS__),                                                                                            \
     false)

/* Whether derivatives by it exist. */
bool has_derivative(const struct derivation *derivation, const struct type *type);
/* Reports types without derivatives. */
bool check_types(const struct derivation *derivation, const struct type *type);
const char *type_in_c(const struct type *type);
const char *input_name(const struct derivation *derivation, size_t i);
const char *output_name(const struct derivation *derivation, size_t k);
const struct type *output_type(const struct derivation *derivation, size_t k);
/* A name of its own, made of a prefix or suffix and another's. */
void add_parameter(struct parameters *parameters, const char *name, const struct type *type, bool is_output);
void write_input_operands(struct text *text, const struct derivation *derivation, const char *prefix, bool only_numbers,
                          bool with_types, bool follows);
/* The ufunc's parameters for f's inputs, as the derived functions take them. */
void write_given_inputs(struct text *text, const struct derivation *derivation, const struct parameters *all);
void write_output_operands(struct text *text, const struct derivation *derivation, const char *prefix, bool with_types);
/* In a function's body that is replaced: so that the rules are part of the code. */
void write_rule_calls(struct text *text, const struct unit *unit);

/* adjoints.c: reverse mode */

/* The function of a ufunc whose body is replaced: (x…, y_bar *…, x_bar *…). */
void write_reverse_marker(struct text *text, const struct derivation *derivation);
/* A call of it, which leaves the adjoints in gpuccxb0 …. */
void write_reverse_call(struct text *text, const struct derivation *derivation, const struct parameters *all);
/* Fills in what the gufunc f is; false after reporting that it cannot be derived. */
bool describe_gufunc(struct derivation *derivation);
/* The adjoint of a gufunc. */
void write_gufunc_adjoint(struct text *text, const struct derivation *derivation, struct function *made);

/* Parts of the text of a gufunc f's derivatives, whose operands are counted without sizes. */
const struct parameter *core_operand(const struct derivation *derivation, size_t i);
bool is_by_value(const struct derivation *derivation, size_t i);
void add_core_operand(struct parameters *parameters, const char *name, const struct parameter *like, bool is_value,
                      bool is_const);
void write_sizes(struct text *text, const struct derivation *derivation, bool with_types);
/* In front of operand i. */
const char *separator(const struct derivation *derivation, size_t i);
const char *numbered(const struct text *text, const char *prefix, size_t i);
/* const T NAME[m][n], T *NAME, or T NAME */
void write_declaration(struct text *text, const struct derivation *derivation, size_t i, const char *name,
                       bool is_const, bool is_value);
void write_layout_group(struct text *text, const struct core *core, bool follows);
/* The static function that calls f. */
void write_gufunc_primal(struct text *text, const struct derivation *derivation);
/* The derivative's annotations and name, up to its parameters. */
void write_gufunc_head(struct text *text, const struct derivation *derivation, const char *layout);

/* gufunc_tangents.c */
void write_gufunc_tangent(struct text *text, const struct derivation *derivation, struct function *made);

/* kernel_adjoints.c: the same for a kernel f */
bool describe_kernel(struct derivation *derivation);
void write_kernel_adjoint(struct text *text, const struct derivation *derivation, struct function *made);

#endif
