/* Shared by the files of the lowering, in the order in which lower() calls them. */
#ifndef GPUCC_LOWER_INTERNAL_H
#define GPUCC_LOWER_INTERNAL_H

#include "ir/ir.h"
#include "lower/lower.h"

/* lower_options.c */

/* The attribute of functions with fast-math arithmetic only; the attribute has no value. */
#define FAST_MATH_ATTRIBUTE "gpucc-fast-math"
/* Notes what the annotations of a pass's module say, in instances or as attributes, and takes them away. */
void apply_annotations(const struct pass *pass, LLVMModuleRef module);

/* lower_errno.c */

/* Marks the functions of a pass that have their own errno in each call. */
void mark_calls(const struct pass *pass, LLVMModuleRef module);
/* Once the files are linked: gives them that. */
void lower_errno(const struct build *build);

/* lower_outputs.c */

/* Warns of a pass's functions that may leave an output unwritten: of those whose body is in another file, once they are
 * linked, or of the others. */
void warn_of_outputs(const struct build *build, const struct pass *pass, LLVMModuleRef module, bool of_other_files);

/* lower_libdevice.c; for PTX */

/* Links NVIDIA's functions in the place of those of the math library. */
void link_libdevice(const struct options *options, const struct program *program, LLVMModuleRef module);
/* Answers what linked libraries ask about the target and its numbers. */
void lower_reflection(const struct options *options, int arch, LLVMModuleRef module);

/* lower_fast.c */

/* Loosens the numbers of the functions for which that was asked; before the math library is linked.  `isa` is PTX's. */
void lower_fast(const struct options *options, enum target target, int isa, LLVMModuleRef module);

/* lower_reach.c */

/* Notes shared memory and barriers in the instances, in the linked program; false after reporting an excess. */
bool measure_kernels(const struct options *options, struct program *program, enum target target, LLVMModuleRef module,
                     struct diagnostics *diagnostics);
/* Whether the function, or one that it calls, refers to something whose name begins so; a large function, which is
 * called, keeps its references to itself. */
bool reaches(LLVMValueRef function, const char *prefix);

/* lower_constant.c */

/* Whether device code leaves constant variables alone, once it is inlined; reports where it does not. */
bool check_constants(const struct program *program, LLVMModuleRef module, struct diagnostics *diagnostics);

/* lower_exceptions.c; for the CPU */

/* Gives each ufunc the function that returns which exceptions C's code raises, or removes it where the loop's own flags
 * are those.  Before the math library joins the program. */
void lower_exceptions(const struct build *build);

/* lower_builtins.c */

/* Makes library calls of the user's code, and what back ends would make such calls of, calls of the math library. */
void lower_builtins(const struct build *build);
/* Once what is not used has gone: whether all that builtins call is there; reports what is not. */
bool check_builtins(const struct build *build);

/* lower_half.c */

/* Gives float16 and bfloat16 arithmetic and conversions steps that every target takes alike. */
void lower_half(LLVMModuleRef module, enum target target);
/* Whether there is something of this type in the module, or vectors of it. */
bool uses_type(LLVMModuleRef module, LLVMTypeKind kind);

/* lower_wide.c */

/* Divides integers of more than 64 bits, and converts between them and numbers, by functions of the math library. */
void lower_wide(LLVMModuleRef module);

/* lower_atomics.c */

/* Gives atomic operations and fences the instructions that PTX has for their memory orders. */
void lower_atomics(LLVMModuleRef module);
/* The instructions that a warp's lanes must come to together, written as assembly, stay where they are. */
void pin_collective_assembly(LLVMModuleRef module);

/* lower_padding.c */

/* Gives the types of structs that are passed and returned by value elements in the place of padding. */
void lower_padding(struct arena *arena, LLVMModuleRef module);

/* lower_copies.c */

/* Makes copies of small aligned structs single vector accesses, and gives those passed by value their alignment. */
void lower_copies(LLVMModuleRef module);

/* lower_written.c: notes in instances, before anything is done to the module, which outputs gufuncs write as a whole */
void note_written(const struct build *build, struct pass *pass, LLVMModuleRef module);

/* lower_wgmma.c */

/* Puts instructions in place of calls that <gpucc/wgmma.h> makes in code for GPUs. */
void lower_wgmma(struct arena *arena, LLVMModuleRef module);

/* lower_shared.c */

/* Before anything looks at sections: what is marked as CUDA's __shared__ gets the sections of `shared`, and where
 * a report will name it, `named`, keeps its name. */
void lower_shared(LLVMModuleRef module, bool named);

/* lower_cpu.c: what only native code needs */

/* Gives each block its own shared variables, makes the functions for whole blocks, and notes in the program which
 * kernels have one. */
void lower_cpu(struct build *build);

/* lower_waits.c */

/* Has the executor run other threads where one waits for them in a loop. */
void yield_in_waits(struct arena *arena, LLVMModuleRef module);

/* lower_checks.c */

/* Notifies the executor of what options->checks finds. */
void lower_checks(const struct options *options, LLVMModuleRef module);
/* The same for accesses beyond shared and local arrays through pointers, once functions are inlined. */
void lower_limits(const struct options *options, LLVMModuleRef module);

/* lower_faults.c */

/* Notifies the executor of operations whose results C leaves undefined. */
void lower_undefined(const struct options *options, LLVMModuleRef module);
/* Notifies the executor of operations that make a NaN or an infinity out of finite operands; before the math library,
 * whose own are none of the user's, joins the program. */
void lower_nonfinite(const struct options *options, LLVMModuleRef module);

enum undefined {
#define UNDEFINED(id, handler, values) UNDEFINED_##id,
#include <gpucc/undefined.def>
    UNDEFINED_KINDS
};

/* The fields of a struct gpucc_cpu_operation. */
struct operation {
    const char *path;
    unsigned line, column, kind;
    const char *name;
    unsigned bits;
    bool is_signed;
    unsigned operands;
};
LLVMValueRef operation_constant(LLVMModuleRef module, const struct operation *operation);
/* A function that the executor has for what is seldom reported. */
LLVMValueRef executors(LLVMModuleRef module, const char *name, LLVMTypeRef *parameters, unsigned count);
/* The loops around the user's function are no part of it. */
bool is_users(const char *path);

/* lower_unwritten.c */

/* Notifies the executor of reads of local variables that nobody has written; once functions are inlined, before
 * variables are in registers. */
void lower_unwritten(const struct options *options, LLVMModuleRef module);

/* lower_watch.c */

/* Before functions are inlined: no access is to happen that the source does not have. */
void preserve_accesses(LLVMModuleRef module);
/* Notifies the executor of what kernels do to memory, for those of options->checks that are in CHECK_MEMORY, and where
 * in the program they are when something else of them is reported. */
void lower_watch(const struct options *options, const struct program *program, LLVMModuleRef module);

/* Whether a load brings more than is used, which need not all be written. */
bool is_partial(LLVMValueRef load);

/* lower_entries.c */

/* Kinds of a name in the program's modules, as struct names stores them. */
enum { NAME_SHARED = 1, NAME_EXPORTED };

/* Marks the entries of a pass's module, and makes everything else internal that no other module uses. */
void mark_entries(const struct build *build, struct pass *pass, LLVMModuleRef module, struct names *shared);
/* Once the files are linked, nobody needs the names of what hosts do not see. */
void hide_globals(const struct program *program, LLVMModuleRef module);

/* kernel_options.c */

/* Their values are constants of C, known when apply_annotations() has noted them.  False after reporting the error.
 * */
bool check_kernel_options(const struct options *options, const struct pass *pass, struct diagnostics *diagnostics);

/* link.c */

/* The names of functions that a module of the program may have from another; functions of the math library's names that
 * the program defines get one name. */
struct names *shared_names(const struct build *build);
/* Once the files are linked: gives calls the types of the functions that they call; false after reporting where they
 * have others. */
bool settle_calls(const struct program *program, LLVMModuleRef module, struct diagnostics *diagnostics);
/* Once the files are linked: makes internal what is not exported, and drops what nothing reaches. */
void hide_shared(const struct build *build, const struct names *shared);
/* Links the IR for this target to the program, which gets what it calls.  False after reporting what does not fit. */
bool link_modules(const struct program *program, enum target target, LLVMModuleRef module,
                  struct diagnostics *diagnostics);
/* Links what the program calls of the math library. */
void link_library(LLVMModuleRef module);

/* lower_open.c */

/* Bytes that initial values leave open, and lanes that widen stored vectors, become zero. */
void define_open_bytes(struct arena *arena, LLVMModuleRef module);

/* lower_numbers.c */

/* In a pass's module: takes the annotations away that kept Clang from folding operands, and lets shifts see how large
 * their amounts were before they got the type of what is shifted. */
void lower_guards(LLVMModuleRef module);
/* Applies to the user's code; the library is written to need none of it. */
void define_numbers(struct arena *arena, LLVMModuleRef module);
/* Contraction was decided by the C expression; from here on it is a fused multiply-add on every target. */
void fuse(LLVMModuleRef module);

/* lower_large.c: before functions are inlined */

/* Finds them, and leaves them out of line. */
void part_large_functions(struct build *build);

/* lower_inline.c */

/* Device code is inlined whole, as every GPU compiler does, what is exported as well; slow paths stay out of line, as
 * do functions that were asked to.  Those that announce a flag follow when it has been raised. */
void inline_everything(LLVMModuleRef module);
void mark_inlined(LLVMValueRef function);
/* Whether one of its own instructions calls it. */
bool calls_itself(LLVMValueRef function);
/* Callees first, and each one tidied before it is copied into its callers: that halves the work that follows.
 * `as_written`: a store behind a condition is not made one of the old value or the new. */
void inline_marked(LLVMModuleRef module, bool as_written);
/* The same, but what is inlined stays as it is: for debuggers. */
void inline_untidied(LLVMModuleRef module);

/* lower_updates.c: once functions are inlined */

/* Gives the loops that work on cells in place their atomic operations; takes those out, and notes it in the instances,
 * whose functions are none of these. */
void lower_updates(struct build *build);
/* The result of a function of two arguments that only computes, in straight-line code, which inlining and a first
 * simplification have left; else null. */
LLVMValueRef straight_result(LLVMValueRef function);
/* Whether it is such an operation on integers as may combine them in any order. */
bool is_order_free(LLVMValueRef function);

/* lower_order.c: likewise */

/* Puts answers in place of what loops ask: gpucc_order(). */
void answer_orders(LLVMModuleRef module);

/* lower_questions.c: likewise */

/* In place of calls of `question` with a function, what `answer` says of it. */
void answer_question(LLVMModuleRef module, const char *question, unsigned (*answer)(LLVMValueRef function));
/* gpucc_is_short(). */
void answer_lengths(LLVMModuleRef module);

/* lower_slow_paths.c: in this order, before and after functions are inlined */

/* The function's call that announces a flag; null if there is none. */
LLVMValueRef any_announcement(LLVMValueRef function);
/* A loop's S_careful stands out of line for its slow paths; if there are none, the call is not worth it. */
void join_careful_code(LLVMModuleRef module);
/* For ufuncs with ready loops; selects the loops that call the function, if needed. */
void choose_slow_loops(struct build *build);
/* A loop's S_wide takes wide paths; if there are none, it is the S_fast that it names. */
void join_wide_code(LLVMModuleRef module);
/* Puts answers in place of what loops ask: gpucc_has_slow(). */
void answer_questions(LLVMModuleRef module);
/* In functions that announce it; where there are any, inlines again, as inline_marked(). */
void choose_wide_paths(LLVMModuleRef module, bool as_written);
/* The loops' fast code must hold the calls before these can become flags, so inlining comes first.  `exact`: the calls
 * stay, so that nothing is computed from numbers that are worthless. */
void flag_slow_paths(LLVMModuleRef module, bool exact);

/* lower_printing.c; once functions are inlined */

/* Gives printf() formats that mean the same on every target. */
void lower_printing(struct arena *arena, enum target target, LLVMModuleRef module);

/* lower_memory.c */

/* Whether a variable's initial value has an address in pieces, which PTX has from 7.1 on. */
bool splits_addresses(LLVMModuleRef module);
/* Moves shared and constant variables to the GPU's address spaces for them. */
void place_memory(LLVMModuleRef module);
/* Has pointers aligned without llvm.ptrmask, before anything is asked about them. */
void lower_masks(LLVMModuleRef module);
/* Notes in each ufunc's instance the operations of one element. */
void count_operations(struct build *build);

#endif
