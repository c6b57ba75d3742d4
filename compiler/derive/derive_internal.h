/* Shared by the files of derivatives.
 *
 * A function is derived in up to 8 directions at once.  Each value has a mask of the directions in which it depends on
 * an input; in the others its tangent is zero and no code is made for it.  A tangent has the type of its value.  Local
 * variables that are not registers have shadows, a pointer has a pointer to the shadow. */
#ifndef GPUCC_DERIVE_INTERNAL_H
#define GPUCC_DERIVE_INTERNAL_H

#include "derive/derive.h"
#include "ir/ir.h"

#define DERIVED_MARK "gpucc-derived"       /* of functions whose body has been replaced */
#define SANITIZER_PREFIX "__ubsan_"        /* what reports undefined operations, with -fsanitize */
#define REGISTERS_MARK "gpucc-registers"   /* of copies, which go when all is done */

typedef unsigned directions; /* bit d: direction d */
enum { DIRECTIONS = 8 };

/* Integers that may hold the bits of floating-point numbers, as structs by value do in some ABIs. */
enum carries {
    CARRIES_NOTHING,
    CARRIES_MAYBE, /* extracted from a struct whose other members are numbers */
    CARRIES_BITS   /* loaded from bytes that are a number's */
};

/* A local variable, or the memory that a pointer parameter points to. */
struct object {
    directions mask;
    bool holds_bits; /* integers in it may be bits of numbers */
};

/* A function for parameters of these directions; a pointer's are those of the memory. */
struct derived {
    struct derived *next;
    LLVMValueRef function; /* the user's */
    const char *name;      /* to be shown in its place; or null */
    LLVMValueRef body;     /* its copy with registers for variables */
    directions *parameters;
    directions *stored;    /* of pointer parameters: what the function stores besides */
    directions result;
    enum carries result_carries;
    struct pointer_map masks, carries, objects; /* of the values of `body` */
    LLVMValueRef made;     /* the derived function, declared or defined; null: not called */
    bool is_settled;       /* the analysis is done */
};

/* A rule by hand. */
struct rule {
    struct rule *next;
    LLVMValueRef function, *partials; /* of each parameter */
};

struct deriving {
    const struct build *build;
    struct arena *arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    struct derived *first, **last;
    struct pointer_map bodies; /* from functions to their copies */
    struct rule *rules;
    struct derived **pending;  /* declared, and not defined yet */
    size_t pending_count;
    struct place statement;    /* that is being served */
    bool failed;
};

/* derive.c */

/* Reports that an instruction of a function's copy has no derivative; the text goes on "… cannot be derived: ". */
void refuse(struct deriving *d, const struct derived *s, LLVMValueRef instruction, const char *format, ...);

/* derive_copy.c */

/* Values and blocks of a function in one that is being made; constants are themselves. */
struct copy {
    struct pointer_map values;
};

LLVMValueRef copied(const struct copy *copy, LLVMValueRef value);
LLVMBasicBlockRef copied_block(const struct copy *copy, LLVMBasicBlockRef block);
/* The blocks that the entry reaches, each after its dominators. */
LLVMBasicBlockRef *ordered_blocks(struct arena *arena, LLVMValueRef function, size_t *count);
/* Appends an empty block for each. */
void copy_blocks(struct copy *copy, LLVMValueRef to, LLVMBasicBlockRef *blocks, size_t count);
/* Appends a copy of an instruction whose operands are copied; a phi gets its values by complete_phi(). */
LLVMValueRef copy_instruction(struct copy *copy, LLVMBuilderRef builder, LLVMValueRef i);
void complete_phi(const struct copy *copy, LLVMValueRef phi);
/* Attributes of the function, or of a call of it, and of their first parameters. */
void copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned parameters);
void copy_call_attributes(LLVMValueRef from, LLVMValueRef to, unsigned parameters);
/* Marks a call of the math library, which does nothing but return a number. */
void mark_pure(struct deriving *d, LLVMValueRef call);
/* Removes the attributes by which a parameter is the result. */
void remove_results(LLVMValueRef function, unsigned parameters);
/* Removes the places in the source. */
void drop_places(LLVMValueRef function);
/* An internal copy of a function with registers in the place of variables. */
LLVMValueRef registers_copy(struct deriving *d, LLVMValueRef function);

/* derive_places.c */

enum place_kind { PLACE_OF_INTEGERS, PLACE_OF_NUMBERS, PLACE_UNKNOWN };

/* Whether numbers or pointers lie in the type. */
bool has_numbers(LLVMTypeRef type);
/* The kind of the `size` bytes that a pointer points to, by the types of variables and members. */
enum place_kind place_kind(const struct deriving *d, LLVMValueRef pointer, unsigned long long size);
/* Whether a getelementptr adds a constant, in bytes. */
bool has_constant_distance(const struct deriving *d, LLVMValueRef gep, long long *distance);
/* Whether it is a variable that the threads of a block share. */
bool is_shared_array(LLVMValueRef value);
/* The variables, arguments, loads and calls that a pointer comes from; false if that is not known. */
struct roots {
    LLVMValueRef items[64], seen[128];
    unsigned count, seen_count;
    bool has_constant, has_variable; /* global ones */
};
bool find_roots(LLVMValueRef pointer, struct roots *roots);
/* Whether a store of an integer overwrites a part of a number: the body loads or stores larger ones there. */
bool splits_number(const struct deriving *d, LLVMValueRef body, LLVMValueRef store);
#define SPLIT_NUMBER "an integer is stored over a part of a floating-point number that depends on an input"

/* derive_rules.c */

/* How a call is derived. */
enum call_kind {
    CALL_WITHOUT, /* the result depends on nothing, and no memory is written */
    CALL_COPY, CALL_SET, /* of memory */
    CALL_RULE,    /* by a rule of the program's */
    CALL_MATH,    /* by functions of the math library */
    CALL_DERIVED, /* as its callee is */
    CALL_SHUFFLE, /* a number of another lane of the warp */
    CALL_UNKNOWN
};

struct call {
    enum call_kind kind;
    LLVMValueRef function; /* of CALL_DERIVED: with a body */
    const struct rule *rule;
    const char *name;      /* of CALL_MATH: as C has it: "sinf" */
};

struct call call_of(struct deriving *d, LLVMValueRef i);
/* The partial derivative of a call of the math library by argument k; null if the library has none. */
LLVMValueRef partial_function(struct deriving *d, const char *name, unsigned k, LLVMTypeRef type, LLVMValueRef i);

/* derive_activity.c */

directions activity_of(const struct derived *s, LLVMValueRef value);
enum carries carries_of(const struct derived *s, LLVMValueRef value);
/* A call's derived function for what the arguments depend on. */
struct derived *derived_for_call(struct deriving *d, const struct derived *s, LLVMValueRef i, LLVMValueRef function);
struct derived *derived_of(struct deriving *d, LLVMValueRef function, const directions *parameters);
/* Analyses all that has been asked for, until nothing changes. */
void settle_activity(struct deriving *d);

/* reverse_kernels.c: whether a pointer's root is the launch's dynamic shared memory */
bool is_launch_shared(const struct deriving *d, LLVMValueRef root);

/* derive_build.c */

/* The derived function, (parameters, for each of them tangents in its directions) -> {result, its tangents}. */
LLVMValueRef derived_function(struct deriving *d, struct derived *s);
/* Marks the shadows of structs passed by value in a call of it. */
void copy_shadow_attributes(const struct derived *callee, LLVMValueRef call);
/* Defines all that are declared. */
void define_derived(struct deriving *d);

/* The state of derive_build.c in one function. */
struct making {
    struct deriving *d;
    struct derived *s;
    struct copy copy;
    struct pointer_map tangents; /* of values: LLVMValueRef[DIRECTIONS] */
    struct pointer_map counted, counts; /* of derive_extrema.c: values with counts, and these */
    LLVMBuilderRef builder;
    LLVMValueRef at;             /* the instruction in s->body */
};

/* Null: zero. */
LLVMValueRef tangent(struct making *m, LLVMValueRef value, unsigned direction);
/* The tangent as a value; a pointer's is never zero. */
LLVMValueRef tangent_or_zero(struct making *m, LLVMValueRef value, unsigned direction);
void set_tangent(struct making *m, LLVMValueRef value, unsigned direction, LLVMValueRef tangent);
/* Refuses addresses of which the analysis does not know the variables, and stores of values with tangents in global
 * ones. */
void check_address(struct making *m, LLVMValueRef pointer, directions stored);
/* sum + partial * tangent, of which sum and tangent may be zero, that is null. */
LLVMValueRef accumulate(struct making *m, LLVMValueRef sum, LLVMValueRef partial, LLVMValueRef tangent);

/* derive_extrema.c */

/* Whether a value is that of fmax() or fmin(). */
bool is_extremum_call(struct deriving *d, LLVMValueRef value);
/* Finds the values that have counts; makes that of an instruction that has been copied; gives it to a phi. */
void find_counted(struct making *m);
void build_count(struct making *m, LLVMValueRef i);
void complete_count(struct making *m, LLVMValueRef phi);
/* The partial derivative by an argument, with the weight of equal elements. */
LLVMValueRef weighed_partial(struct making *m, LLVMValueRef call, unsigned argument, LLVMValueRef partial);

/* derive_operations.c: the tangents of an instruction that has been copied and is no call, phi or return */
void derive_operation(struct making *m, LLVMValueRef i);

/* derive_calls.c: copies a call, or makes what is in its place, with tangents */
void derive_call(struct making *m, LLVMValueRef i);

#endif
