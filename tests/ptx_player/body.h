/* Shared by the files that read a function's body. */
#ifndef PTX_BODY_H
#define PTX_BODY_H

#include "ptx.h"

enum { MOST_DEPTH = 16 };

struct register_name {
    const char *name; /* with its '%' */
    int length, scope;
    int32_t number, count; /* count: of NAME<count>, else 0 */
    uint8_t bits;
    int next; /* of the same hash, -1: none */
};

struct label {
    const char *name;
    int length, scope;
    int32_t at;
};

/* A use of a label that may come later. */
struct use {
    const char *name;
    int length, scope;
    int32_t *target;
    int32_t instruction; /* whose target it is where `target` is null */
};

struct prototype {
    const char *name;
    int length;
};

struct body {
    struct lexer lexer;
    struct function *function;
    struct register_name *registers;
    int register_name_count;
    struct label *labels;
    int label_count;
    struct use *uses;
    int use_count;
    struct { struct targets *targets; const char *name; int length; } *tables;
    int table_count;
    struct prototype *prototypes;
    int prototype_count;
    int *parents; /* of each scope */
    int scope_count, scope;
    struct { int32_t opening, first; } open[MOST_DEPTH]; /* scopes: their instruction, and their first register */
    int depth;
    int code_room, constant_room;
    const char *statement; /* its text */
};

/* Memory that lives as long as the function. */
void *function_allocate(struct function *function, size_t size);
/* body.c */
struct instruction *append_instruction(struct body *body, execute *run);
const struct local_variable *find_local(const struct body *body, const char *name, int length);
void use_label(struct body *body, const char *name, int length, int32_t *target);
/* operands.c */
int32_t constant_register(struct body *body, enum constant_kind kind, uint64_t value);
int32_t find_register(const struct body *body, const char *name, int length, uint8_t *bits);
/* Reads operands up to the semicolon. */
void read_operands(struct body *body, struct instruction *i);
void read_call(struct body *body, struct instruction *i);

#endif
