/* Shared by the player's files; prototypes stand under the file that defines them. */
#ifndef PTX_H
#define PTX_H

#include "player.h"

#include <setjmp.h>

/* A register: its bits, and which of them are undefined.  Bits above the register's width are 0 in both. */
struct reg {
    uint64_t value, undefined;
};

enum type_kind { UNSIGNED, SIGNED, BITS, FLOAT, BFLOAT, PREDICATE, PACKED /* two 16-bit floats */, PACKED_BFLOAT };
struct type {
    uint8_t kind, bits;
};

enum space { GENERIC, GLOBAL, CONSTANT, SHARED, LOCAL, PARAM, SPACE_COUNT };

/* Generic addresses of the other spaces; a block's shared memory in a cluster is SHARED_BLOCK apart. */
#define SHARED_WINDOW (UINT64_C(0x51) << 40)
#define LOCAL_WINDOW (UINT64_C(0x52) << 40)
#define PARAM_WINDOW (UINT64_C(0x53) << 40)
#define WINDOW_SIZE (UINT64_C(1) << 32)
enum { SHARED_BLOCK = 1 << 24, SHARED_FIRST = 1024 };

/* Behind the barriers of a block is one for each of its warpgroups. */
enum { MOST_OPERANDS = 14, WARP = 32, MOST_BARRIERS = 16, ALL_BARRIERS = MOST_BARRIERS + 8, WORKSPACE = 1 << 20 };

struct thread;
struct instruction;
typedef void execute(struct thread *thread, struct reg *r, const struct instruction *i);

/* An instruction; operands are the numbers of registers of the frame, constants among them. */
struct instruction {
    execute *run;
    int32_t guard; /* a predicate, or -1 */
    bool guard_negated;
    uint8_t count;       /* of operands */
    uint8_t vector;      /* elements that a memory access has */
    uint8_t space, mode; /* mode: a comparison, a rounding or another detail of the opcode */
    uint8_t detail, flags;
    struct type type, from; /* the result's; the source's */
    uint8_t width; /* of the register that operand 0 is, in bits */
    int32_t operand[MOST_OPERANDS]; /* -1: none; it reads as zero */
    int64_t offset;                 /* of an address */
    union {
        int32_t target; /* a branch's */
        const struct call *call;
        const struct targets *targets;
        const struct local_variable *variable; /* of a parameter access */
        int32_t *list;                         /* LISTED: `vector` registers */
    };
    const char *text; /* in the module, for messages */
};

/* UNPACK: the first operand is a vector; PAIR: two results, `d|p`; LISTED: a long vector before all operands. */
enum flag { SATURATE = 1, FLUSH = 2, NEGATED = 4, NAN_RESULT = 8, VOLATILE = 16, UNPACK = 32, PAIR = 64, LISTED = 128 };

/* A variable of a function: parameters, results and .local arrays. */
struct local_variable {
    const char *name;
    int length; /* of the name */
    int scope;
    enum space space;
    size_t size, align, offset; /* in the frame's memory of that space */
};

struct targets {
    int count;
    int32_t *at;
};

/* The arguments of a call: numbers of local variables. */
struct call {
    struct function *callee; /* null: operand 0 holds its address */
    int argument_count, has_result;
    const struct local_variable *result;
    const struct local_variable *arguments[64];
};

/* ENTRY_SHARED: of a variable of the launch's entry. */
enum constant_kind { VALUE, SPECIAL, SHARED_ADDRESS, ENTRY_SHARED, LOCAL_ADDRESS, PARAM_ADDRESS, DYNAMIC_SHARED };
/* A register that is filled when a frame begins. */
struct constant {
    enum constant_kind kind;
    int32_t number; /* of the register */
    uint64_t value;
};

struct function {
    struct ptx_module *module;
    const char *name;
    int length;
    bool is_entry, is_declared_only, is_parsed;
    bool is_wanted; /* called, or its address is known */
    const char *head, *body; /* the parameters; behind '{' */
    struct instruction *code;
    int code_count;
    int register_count, constant_count;
    struct constant *constants;
    struct reg *initial; /* of its registers: undefined, or constant */
    struct local_variable **variables;
    int variable_count;
    const struct local_variable *result, **parameters;
    int parameter_count;
    size_t local_size, param_size;
    size_t shared_size; /* of an entry's own variables: those of others take no room beside them */
    char **scratch; /* what the parser has allocated for it */
    int scratch_count;
};

struct variable {
    const char *name;
    int length;
    enum space space;
    size_t size, align;
    uint64_t address; /* of shared memory: the offset */
    bool is_dynamic, is_of_entry;
};

struct ptx_module {
    const char *text;
    struct ptx_memory memory;
    struct function **functions;
    int function_count;
    struct variable **variables;
    int variable_count;
    size_t shared_size;
    jmp_buf failure; /* of reading */
    char *message;
    ptx_report *report; /* of unknown opcodes; null: they are errors */
};

/* ---- threads ---- */

struct frame {
    struct function *function;
    const struct instruction *next; /* where its caller goes on */
    const struct call *call;
    size_t registers, local, param; /* where its own begin */
};

/* Memory with a shadow: each bit of a byte of `undefined` is one of `bytes`. */
struct shadowed {
    uint8_t *bytes, *undefined;
    size_t size, room;
};

/* Bytes of memory; the shadow is null for global memory, unless the launch tracks that. */
struct place {
    uint8_t *bytes, *undefined;
    bool is_global;
};

/* An asynchronous copy that has not landed: `source` bytes, and zeros up to its size. */
struct copy {
    struct place to, from;
    size_t size, source;
    uint64_t group; /* the number of groups committed before it */
};

struct copies {
    struct copy *items;
    size_t count, room;
    uint64_t groups; /* committed */
};

enum state { RUNNING, YIELDED, AT_BARRIER, AT_WARP, AT_CLUSTER, DONE };

struct thread {
    const struct instruction *next;
    enum state state;
    int budget; /* branches until it yields */
    bool carry;
    const struct instruction *waiting; /* what it waits at for others */
    struct reg *current; /* its frame's registers; the one before the first is zero */
    struct reg *registers;
    size_t register_count, register_room;
    struct frame *frames;
    int frame_count, frame_room;
    struct shadowed local, param;
    struct copies copies;
    struct block *block;
    unsigned id[3], number; /* in the block */
    uint32_t barrier, expected; /* that it waits at, and for how many threads */
    uint64_t arrivals;          /* at the cluster's barrier */
};

struct block {
    struct launch *launch;
    unsigned id[3], rank; /* in its cluster */
    struct thread *threads;
    unsigned thread_count, done;
    unsigned arrived[ALL_BARRIERS]; /* threads that do not wait */
    struct shadowed shared;
    struct block *cluster; /* its first block */
};

enum { RANGES = 16 };
/* An allocation of global memory that the launch has reached. */
struct range {
    uint64_t begin, end;
};

enum { PAGE = 4096 };
/* The shadow of a page of global memory. */
struct page {
    uint64_t begin;
    uint8_t undefined[PAGE];
    struct page *next;
};

struct launch {
    struct page *pages; /* the one used last is the first */
    struct range ranges[RANGES]; /* those reached last, by `range_at` in turn */
    unsigned range_at;
    struct ptx_module *module;
    struct function *entry;
    const struct ptx_launch *asked;
    unsigned thread_count, cluster_size, block_count;
    struct block *blocks; /* those that are resident */
    size_t shared_size, entry_begin, dynamic_begin;
    char *workspace; /* that the driver lends a cooperative launch; else null */
    jmp_buf failure;
    char *message;
    const struct instruction *at; /* for messages */
};

/* ---- lexer.c ---- */

struct lexer {
    struct ptx_module *module;
    const char *at;    /* behind the token */
    const char *token; /* the current one; its length 0 at the end */
    int length;
};

void next_token(struct lexer *lexer);
bool token_is(const struct lexer *lexer, const char *text);
bool token_begins(const struct lexer *lexer, const char *text);
bool accept_token(struct lexer *lexer, const char *text);
void expect_token(struct lexer *lexer, const char *text);
bool is_number(const struct lexer *lexer);
/* A literal's bits: integers, decimal floats as float64, 0f and 0d as they are. */
uint64_t read_number(struct lexer *lexer);
void skip_line(struct lexer *lexer);
/* The module's text is wrong here. */
_Noreturn void syntax_error(const struct lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- types.c ---- */

/* `.u32` and its kind. */
bool find_type(const char *text, int length, struct type *type);
uint64_t type_mask(struct type type);

/* ---- module.c ---- */

struct function *find_function(const struct ptx_module *module, const char *name, int length);
struct variable *find_variable(const struct ptx_module *module, const char *name, int length);
void *must_allocate(size_t size);
/* [.align N] TYPE NAME [ '[' COUNT ']' ], `.global` and its kind being read; names point into the text. */
struct declaration {
    const char *name;
    int length;
    size_t size, align, element;
    bool is_dynamic;
};
void read_declaration(struct lexer *lexer, struct declaration *declaration);
struct variable *add_variable(struct ptx_module *module, const struct declaration *declaration, enum space space);
/* One of shared memory, of the function's own. */
void add_shared(struct function *function, const struct declaration *declaration);

/* ---- body.c ---- */

/* Reads the bodies of the entry and of all functions that it may call, unless that was done. */
void parse_reachable(struct ptx_module *module, struct function *entry);
/* The function's definition, where this is a declaration alone; null where there is none. */
struct function *definition_of(struct function *function);

/* ---- decode.c ---- */

/* Finds what executes an opcode (`text` without guard, `length` characters); the details go into the instruction. */
bool decode_opcode(const char *text, int length, struct instruction *i);

/* One row of the tables of opcodes. */
struct opcode {
    const char *name;
    execute *run;
    struct type type;
    uint8_t mode;
};
extern const struct opcode integer_opcodes[], bit_opcodes[], float_opcodes[], control_opcodes[], place_opcodes[];

/* The parts of an opcode between dots. */
struct parts {
    int count;
    const char *text[16];
    int length[16];
};
bool part_is(const struct parts *parts, int index, const char *text);
/* The index of the part `text`; -1: none. */
int find_part(const struct parts *parts, const char *text);

/* ---- floats.c, halves.c, convert.c, compare.c, access.c, texels.c, atomic.c, warp.c: opcodes with modifiers ---- */

bool decode_float(const struct parts *parts, struct instruction *i);
bool decode_half(const struct parts *parts, struct instruction *i);
bool decode_convert(const struct parts *parts, struct instruction *i);
bool decode_compare(const struct parts *parts, struct instruction *i);
bool decode_access(const struct parts *parts, struct instruction *i);
bool decode_texel(const struct parts *parts, struct instruction *i);
bool decode_atomic(const struct parts *parts, struct instruction *i);
bool decode_warp(const struct parts *parts, struct instruction *i);
void run_move(struct thread *t, struct reg *r, const struct instruction *i);
void run_pack(struct thread *t, struct reg *r, const struct instruction *i);
void run_unpack(struct thread *t, struct reg *r, const struct instruction *i);

/* ---- numbers: floats.c, halves.c ---- */

enum rounding { TO_NEAREST, TO_ZERO, DOWN, UP, TO_NEAREST_AWAY };
bool find_rounding(const struct parts *parts, enum rounding *rounding);
float float_of(uint64_t bits);
double double_of(uint64_t bits);
uint64_t bits_of_float(float number);
uint64_t bits_of_double(double number);
double half_of(uint64_t bits);  /* float16 */
double brain_of(uint64_t bits); /* bfloat16 */
uint64_t round_to_half(double number, enum rounding rounding);
uint64_t round_to_brain(double number, enum rounding rounding);
uint64_t round_to_tf32(float number);
float flush(float number); /* denormals to zero */

/* ---- compare.c ---- */

/* Whether the two are equal follows from their defined bits, or their undefined ones are the same (see memory.c). */
bool is_equality_decided(struct reg a, struct reg b);

/* ---- memory.c ---- */

struct place find_place(struct thread *thread, enum space space, uint64_t address, size_t size, bool is_store);
/* Address of operand `k` plus the offset; a fault where it is undefined. */
uint64_t address_of(struct thread *thread, const struct reg *r, const struct instruction *i, int k);
struct reg load_place(struct place place, size_t size);
void store_place(struct thread *thread, struct place place, size_t size, struct reg value);
void shadowed_grow(struct shadowed *memory, size_t size);

/* ---- control.c ---- */

void run_branch(struct thread *t, struct reg *r, const struct instruction *i);
void run_branch_table(struct thread *t, struct reg *r, const struct instruction *i);
void run_call(struct thread *t, struct reg *r, const struct instruction *i);
void run_return(struct thread *t, struct reg *r, const struct instruction *i);
void run_nothing(struct thread *t, struct reg *r, const struct instruction *i);
void run_scope(struct thread *t, struct reg *r, const struct instruction *i);
void push_frame(struct thread *t, struct function *function, const struct call *call);
/* print.c */
void run_print(struct thread *t, uint64_t format, uint64_t values);

/* ---- warp.c, matrix.c ---- */

/* The lanes that execute one instruction. */
struct group {
    struct thread *lanes[WARP];
    uint32_t mask;
    const struct instruction *i;
};
static inline struct reg *lane_operand(const struct group *g, int lane, int k)
{
    return &g->lanes[lane]->current[g->i->operand[k]];
}

bool decode_matrix(const struct parts *parts, struct instruction *i);
void require_all_lanes(const struct group *g);
void run_product(const struct group *g);
void run_load_matrix(const struct group *g);

/* Executes what all lanes of some group wait for; false where none does. */
bool release_warp(struct thread *threads, unsigned count);

/* ---- barrier.c ---- */

bool decode_barrier(const struct parts *parts, struct instruction *i);
bool release_barriers(struct block *block);
bool release_cluster(struct block *blocks, unsigned count);

/* ---- copy_engine.c, warpgroup_product.c ---- */

bool decode_engine(const struct parts *parts, struct instruction *i);
bool decode_warpgroup(const struct parts *parts, struct instruction *i);
void run_part_product(const struct group *g);

/* ---- special.c ---- */

/* The number of a special register; -1: none. */
int find_special(const char *name, int length);
uint64_t special_value(const struct thread *thread, int number);
bool special_changes(int number); /* while a thread runs, as a clock does */
void run_special(struct thread *t, struct reg *r, const struct instruction *i);

/* ---- play.c ---- */

_Noreturn void fault(struct thread *thread, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_thread(struct thread *thread);

/* All bits from the lowest undefined one on: what carries reach. */
static inline uint64_t spread_up(uint64_t undefined)
{
    return undefined | (0 - undefined);
}

static inline uint64_t all_if(uint64_t undefined, uint64_t mask)
{
    return undefined ? mask : 0;
}

#define MASK_1 UINT64_C(1)
#define MASK_16 UINT64_C(0xffff)
#define MASK_32 UINT64_C(0xffffffff)
#define MASK_64 UINT64_MAX

/* halves.c: the whole number that the rounding mode chooses. */
double round_integer(double number, enum rounding rounding);

#endif
