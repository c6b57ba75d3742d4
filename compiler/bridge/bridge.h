/* Functions that the C interfaces of Clang and LLVM lack: C text to IR by Clang's CodeGen, and more (codegen.cpp). */
#ifndef GPUCC_BRIDGE_H
#define GPUCC_BRIDGE_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct codegen_file {
    const char *path, *data; /* an in-memory header; data is NUL-terminated */
    size_t size;
};

/* Called for each error; `file` is null where there is no place. */
typedef void codegen_report(void *data, const char *file, unsigned line, unsigned column, const char *message);

/* A function or variable that hosts see, as one pass over the source declares it: passes that agree have equal
 * texts. */
struct declaration {
    const char *name, *file; /* the file of its name; null where that stands nowhere */
    unsigned line, column;
    bool is_function;
    const char *annotations; /* "kernel launch_bounds" */
    const char *type;        /* "void (unsigned long, float[n])", with nothing but C's own types and structs */
    const char *layout;      /* sizes, structs' members, values of enumerators in extents */
};

/* A name that stands in the source or a header of its own, as one pass finds it.  Offsets are what the request's
 * `place` gives; SIZE_MAX: in another file. */
struct codegen_name {
    const char *name;
    const size_t *written;    /* the name itself, and what stands for it: macros and their parameters */
    size_t written_count;
    size_t used;              /* the use of the macro by which it came there, else the name itself */
    size_t declared;          /* where it was first declared, or where the file is included that does so */
    bool is_local;            /* a parameter, or declared in a function */
    bool is_own;              /* of the compiler's own headers, a macro perhaps */
    bool is_declaration;      /* declares again, for all of the file, what was declared before */
};

/* A dependency of a host or device pass besides its text: a file that is opened, one that is not found; with no
 * path, the time or the date, and the working directory, from which Clang looks for what is embedded. */
enum codegen_probe_kind { PROBE_FILE, PROBE_NOTHING, PROBE_CLOCK, PROBE_FOLDER };

struct codegen_request {
    const char *path;             /* the source's name, for places and relative includes */
    const char *text;             /* what to compile instead of that file's contents; NUL-terminated */
    size_t size;
    const char *const *arguments; /* of clang -cc1 */
    size_t argument_count;
    const struct codegen_file *files;
    size_t file_count;
    const struct codegen_file *own_files; /* texts to read instead of these files' contents */
    size_t own_count;
    codegen_report *report;
    void *report_data;
    bool guards_numbers;          /* as number_guard.h says, for lower_numbers.c */
    const char *own_folder;       /* of the compiler's own headers; null: what follows is not asked for */
    /* Called for each that the user's files have; the texts live as long as the call. */
    void (*declare)(void *user_data, const struct declaration *declaration);
    /* Called for each file that was read, the compiler's own excepted, in the order of their inclusion. */
    void (*include)(void *user_data, const char *path, bool is_system);
    void (*probe)(void *user_data, enum codegen_probe_kind kind, const char *path); /* or null */
    void *user_data;
    /* Asked of each name: what is wrong with it, which becomes an error, or null.  May be null. */
    const char *(*misnamed)(void *namespaces, const struct codegen_name *name);
    void *namespaces;
    /* The column to report in place of this one in a file's text, and where that is in the source with its own
     * files.  Not asked where `spelling` is null. */
    unsigned (*column)(const void *spelling, const char *path, unsigned line, unsigned column);
    size_t (*place)(const void *spelling, const char *path, size_t offset);
    const void *spelling;
};

/* Replaces a variable by one with this initialiser and its type, which may be another. */
void codegen_initialize(LLVMValueRef global, LLVMValueRef constant);
/* Splits the block of the instruction before it, and returns the second half. */
LLVMBasicBlockRef codegen_split_block(LLVMValueRef instruction);
/* Replaces a function by one with the same body and another type; parameters of another type hold the bytes of the old
 * ones. */
void codegen_change_type(LLVMValueRef function, LLVMTypeRef type);
/* Gives each call of the functions that have the attribute a variable of its own, which is 0 at first, in the place of
 * a global one, and hands its address to what they call. */
void codegen_pass_variable(LLVMValueRef variable, const char *mark);
/* Makes a call with another type of function, and as many arguments, before a call, which remains. */
LLVMValueRef codegen_change_call(LLVMValueRef call, LLVMTypeRef type, LLVMValueRef *arguments);

/* Preprocesses the source, reports each "(::" in it (without a message) and each file whose reading may not end, and
 * says whether there was one. */
bool codegen_report_scopes(const struct codegen_request *request);
/* Preprocesses the source for `look`, and for `include` of what is embedded; says nothing of errors. */
void codegen_probe(const struct codegen_request *request);
/* Writes the file that the arguments name (-emit-pch, -o): the headers that the source includes, precompiled. */
bool codegen_precompile(const struct codegen_request *request);
/* The unoptimised module, owned by the caller; null after errors. */
LLVMModuleRef codegen(LLVMContextRef context, const struct codegen_request *request);
/* Has LLVM do that many rounds at once of loops in the function that read memory in each of unknown many, and have
 * `least` to `most` instructions, or fewer where they write memory that they may read. */
void codegen_unroll_load_loops(LLVMValueRef function, unsigned least, unsigned most, unsigned rounds);
/* From now on LLVM's own errors in this context, of optimising and emitting, are reported too. */
void codegen_watch(LLVMContextRef context, codegen_report *report, void *data);
/* Makes a definition the declaration of a function that is elsewhere. */
void codegen_drop_body(LLVMValueRef function);
/* Puts a copy of a function in the place of a call of it; false where that cannot be done. */
bool codegen_inline_call(LLVMValueRef call);
/* Whether branches choose something else than the end of a loop. */
bool codegen_has_conditions(LLVMValueRef value);
/* Links into `module` what it needs of a library in bitcode, whose memory must outlive the module; none of it is seen
 * from outside. */
bool codegen_link(LLVMModuleRef module, const char *bitcode, size_t size);
/* Runs passes ("sroa,loop(loop-rotate)") on one function; LLVM's C API runs them on modules only.  False where the text
 * is wrong. */
bool codegen_run_passes(LLVMValueRef function, const char *text);
/* The same of a module, for a machine or none (null).  LLVM's C API would register timers on the way, which stay where
 * they are when a job fails. */
bool codegen_run_module_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *text);
/* Runs LLVM's pipeline for native code, of level 0 to 3. */
void codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, int level);
/* The `llvm.loop` of a loop whose rounds are independent of one another as far as accesses go that have *group as their
 * `llvm.access.group`; LLVM's C API cannot make the distinct nodes that these must be. */
LLVMMetadataRef codegen_parallel_loop(LLVMContextRef context, LLVMMetadataRef *group);
/* Makes a copy of a function in its module. */
LLVMValueRef codegen_clone(LLVMValueRef function);
/* Arguments of a gufunc's function from this one on are outputs; nothing writes those before.  Outputs share memory
 * with nothing else. */
struct codegen_roles {
    unsigned first_output;
    bool is_reorderable;
};
/* The functions of stdlib/loops/team.h, in the order of GPUCC_ALONE_PARTS and GPUCC_TEAM_PARTS, or with
 * GPUCC_NATIVE_PARTS in the place of the latter. */
enum {
    CODEGEN_PARTS_NATIVE = 36,
    CODEGEN_BARRIER = 22,
    CODEGEN_SWAP,
    CODEGEN_RUN = 25,
    CODEGEN_BLOCKS = 54,
    CODEGEN_PARTS
};
struct codegen_parts {
    unsigned count;
    LLVMValueRef functions[CODEGEN_PARTS];
};
/* Distributes the loops of the function over the threads of a team.  False where none can be, and then the function is
 * of no use.  Its loops have the form of `loop-simplify,lcssa`; threads run so many rounds of short ones at once.
 * extents[l], bit d: how often loop l of those that are shared runs depends on core extent d; 0 at their end, or where
 * it depends on something else too. */
enum { CODEGEN_LOOPS = 16 };
bool codegen_share_loops(LLVMValueRef value, const struct codegen_roles *given, const struct codegen_parts *from,
                         unsigned rounds_at_once, bool has_tiles, uint64_t extents[CODEGEN_LOOPS]);
/* Exchanges two loops around a loop of sums, so that threads share the outer one; whether any. */
bool codegen_exchange_loops(LLVMValueRef value, const struct codegen_roles *given);
/* Makes of two loops around a loop of sums one over tiles of results, which threads share.  Results of a tile, the
 * least if there are several such loops; 0 if there are none. */
unsigned codegen_divide_grids(LLVMValueRef value, const struct codegen_roles *given);
/* Unrolls the loops of sums in those tiles, where neighbouring elements are loaded at once. */
void codegen_unroll_grids(LLVMValueRef value, const struct codegen_roles *given);
/* Whether a loop that threads share has one or two loops inside, the innermost one of sums. */
bool codegen_has_tiles(LLVMValueRef value, const struct codegen_roles *given);
/* Marks loops with so many loops inside, the innermost one of sums, for `loop-unroll-and-jam`, so many iterations at
 * once; whether any.  They have the form of `loop-simplify,lcssa`. */
bool codegen_mark_tiles(LLVMValueRef value, const struct codegen_roles *given, unsigned depth, unsigned count);
/* Marks the loops of sums in them for `loop-unroll`. */
void codegen_unroll_tiles(LLVMValueRef value, const struct codegen_roles *given);
/* Has loops of sums inside others that end by several conditions count their iterations; whether any. */
bool codegen_count_loops(LLVMValueRef value, const struct codegen_roles *given);
/* Marks loops that compute a floating-point sum in each iteration for `loop-unroll-and-jam`; whether any. */
bool codegen_mark_rows(LLVMValueRef value, const struct codegen_roles *given);
/* Gives a function that asks in several places whether an extent is zero one path for that, and one for others. */
bool codegen_separate_empty(LLVMValueRef value);
/* Has only the last store of loops that add to the same elements of an output one after another, with operations in
 * their order; whether any do.  Its loops have the form of `loop-simplify,lcssa`. */
bool codegen_defer_stores(LLVMValueRef value, const struct codegen_roles *given);
/* Has floating-point sums and products of loops follow the fixed tree, in one thread; in chunks, SIMD code can compute
 * and combine the terms. */
void codegen_sum_in_tree(LLVMValueRef value, const struct codegen_roles *given, const struct codegen_parts *from,
                         bool in_chunks);
/* Has loops that add to an element of memory, with checks in between, add to a variable too, for codegen_sum_in_tree();
 * they have the form of `loop-simplify,lcssa`. */
void codegen_keep_memory_sums(LLVMValueRef value, const struct codegen_roles *given);
/* Has loops compute maxima and minima of floating-point numbers by those of integers, as SIMD code can.  True where the
 * function changed; values without uses are left.  Its loops have the form of `loop-simplify,lcssa`. */
bool codegen_use_extreme_keys(LLVMValueRef value);
/* The same for those that a loop finds by `<` and `>`. */
bool codegen_use_compared_keys(LLVMValueRef value);
/* The same for those that are found with their indices, a chunk of iterations after another. */
bool codegen_chunk_winners(LLVMValueRef value, const struct codegen_roles *given);
/* Calls `report` for each loop that stays serial, and without a reason for those that are shared, but whose
 * floating-point sums keep C's order. */
void codegen_explain_loops(LLVMValueRef value, const struct codegen_roles *given,
                           void (*report)(void *data, LLVMMetadataRef place, const char *reason), void *data);
/* Why a loop of the function that is in no other hands values on in order, if one does; else null. */
const char *codegen_find_order(LLVMValueRef value, const struct codegen_roles *given);
/* A loop of the form of `loop-simplify`. */
struct codegen_loop {
    LLVMBasicBlockRef header, preheader, latch;
    const LLVMBasicBlockRef *blocks; /* those of inner loops too */
    size_t block_count;
    unsigned most; /* executions of the header, at most; 0: not known */
};
/* Visits outer loops before inner ones. */
void codegen_visit_loops(LLVMValueRef function, void (*visit)(void *data, const struct codegen_loop *loop), void *data);
/* Whether executions of a store never have a byte in common. */
bool codegen_stores_once(LLVMValueRef store);
/* Describes `moved` to debuggers as `global` is, in a memory space of CUDA's (8: shared); LLVM's C API cannot make such
 * a description of a variable that there is. */
void codegen_describe_in_space(LLVMValueRef moved, LLVMValueRef global, unsigned space);
/* Whether to vectorise the loop that this branch ends, if it does, is then LLVM's decision, whatever a pragma says. */
void codegen_leave_vectorising(LLVMValueRef branch);
/* Calls `report` with Clang's words for each warning option ("all", "no-error=format") that it does not know. */
void codegen_check_warnings(const char *const *names, size_t count, void (*report)(void *data, const char *message),
                            void *data);
/* Clang and LLVM call this, which does not return, where they get no memory; null: what was called before. */
void codegen_when_out_of_memory(void (*handler)(void));
/* The default action without the handler: for it to call in a thread that is not the compiler's. */
void codegen_out_of_memory_elsewhere(void);
/* Sets one of LLVM's options, which are the whole process's; false where somebody has set it, or there is none. */
bool codegen_set_option(const char *name, const char *value);
void codegen_reset_option(const char *name);
/* LLVM's note of what this thread is doing, the innermost first. */
void codegen_crash_trace(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
