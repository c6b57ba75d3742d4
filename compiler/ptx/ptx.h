/* PTX text as statements, and programs' PTX joined with other texts. Statements point into the text, which must
 * outlive them; new texts are in the arena. An invalid text is a diagnostic without a place in the source. */
#ifndef GPUCC_PTX_H
#define GPUCC_PTX_H

#include "base/base.h"

enum ptx_kind { PTX_FUNCTION, PTX_ENTRY, PTX_VARIABLE, PTX_DEBUG, PTX_OTHER };

/* Something at module scope: a declaration or definition with its body, up to and with its ';' or '}'. */
struct ptx_statement {
    enum ptx_kind kind;
    bool is_extern, is_visible; /* visible: .visible, .weak or .common */
    const char *name;           /* null for PTX_DEBUG and PTX_OTHER */
    const char *signature;      /* of a function: "32(64,12*)", bits and bytes* of what it returns and takes */
    const char *begin, *end;
};

struct ptx_text {
    int isa;                    /* 63 for .version 6.3; 0 if there is none */
    const char *target;         /* "sm_75", or null */
    int address_size;           /* 64, or 0 if it is not said */
    struct ptx_statement *statements;
    size_t count;
};

/* Reads `source`, into which the result points.  What is no PTX gives few statements, and no target. */
struct ptx_text ptx_read(struct arena *arena, const char *source);
/* Whether every brace is closed, and the last statement ends. */
bool ptx_is_complete(const char *source);

/* ptx_shared.c: bytes of static shared memory that the functions of these names in linked PTX need together. */
size_t ptx_shared_bytes(struct arena *arena, struct bytes ptx, const char *const *names, size_t count);

/* ready_ptx.c */

/* Whether a program need only declare the function of the math library. */
bool ptx_is_ready(const char *name);
/* The program's PTX with such functions in place of their declarations. */
struct bytes ptx_with_ready(struct arena *arena, struct bytes code);

/* ready_loops.c */

/* How the ufuncs are called in whose place programs put theirs, what stands for the code of operand 0 … of these, and
 * the words between loops and a ufunc's function: what a loop has done by it, `READY_CALL results…, slow, inputs…;`,
 * and in the function's own text what it takes and gives, `READY_TAKE inputs…;` and `READY_GIVE results…, slow;`. */
#define READY_LOOPS "gpucc_ready"
#define READY_CODE "gpucc$"
#define READY_CALL "gpucc$E "
#define READY_TAKE "gpucc$I "
#define READY_GIVE "gpucc$O "

/* A ufunc whose loops stand ready. */
struct ready_ufunc {
    const struct embedded_file *loops;
    const char *symbol, *element, *apart; /* the last two are functions of the program */
    const char **codes;                   /* of its operands' types */
    const char **entries;                 /* the loops that are wanted, by name */
    size_t entry_count;
};

/* The loops of functions of operands of these sizes in bits, "32_32", that have no slow paths; null if none are. */
const struct embedded_file *ready_loops(const char *operands);
/* The same for functions that have. */
const struct embedded_file *ready_loops_with_slow_paths(const struct embedded_file *loops);
/* The program's PTX with loops around such functions. */
struct bytes ptx_with_loops(struct arena *arena, struct bytes code, const struct ready_ufunc *ufuncs, size_t count);

/* ptx_needs.c */

/* Loops of a program, and what is known of its variables. */
struct ptx_loops {
    uint64_t stamp;            /* the program's ABI */
    const char *const *names;  /* of the entries */
    size_t count;
    const char *const *tables; /* private variables that nothing writes */
    size_t table_count;
};

/* The PTX with comments that say which loops need what; the same text where no loop can be compiled without the
 * rest. */
struct bytes ptx_with_needs(struct arena *arena, struct bytes code, const struct ptx_loops *loops);

/* One token at or behind *at: a word (with its dots), a string, or another character; null at the end.  *at is moved
 * behind it. */
const char *ptx_token(const char **at, size_t *length);

#endif
