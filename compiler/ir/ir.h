/* Helpers for LLVM's IR: walks, names, attributes and calls. They change modules in place and return values of the
 * module. A module belongs to one thread at a time. */
#ifndef GPUCC_IR_H
#define GPUCC_IR_H

#include "base/base.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* The current one may be deleted, and whatever stands before the next one may change.  `next` is a name of the loop's
 * own. */
#define FOR_FUNCTIONS(f, module)                                                                                       \
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next_##f;                                                      \
         f && (next_##f = LLVMGetNextFunction(f), true); f = next_##f)
#define FOR_GLOBALS(global, module)                                                                                    \
    for (LLVMValueRef global = LLVMGetFirstGlobal(module), next_##global;                                              \
         global && (next_##global = LLVMGetNextGlobal(global), true); global = next_##global)
#define FOR_USES(use, value)                                                                                           \
    for (LLVMUseRef use = LLVMGetFirstUse(value), next_##use;                                                          \
         use && (next_##use = LLVMGetNextUse(use), true); use = next_##use)
#define FOR_BLOCKS(block, function)                                                                                    \
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
#define FOR_INSTRUCTIONS(i, block)                                                                                     \
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next_##i;                                                    \
         i && (next_##i = LLVMGetNextInstruction(i), true); i = next_##i)
/* Loops over all blocks of a function, and all functions of a module. */
#define FOR_INSTRUCTIONS_IN(i, function)                                                                               \
    for (LLVMValueRef i = first_instruction(function), next_##i; i && (next_##i = next_instruction(i), true);          \
         i = next_##i)
#define FOR_ALL_INSTRUCTIONS(i, module)                                                                                \
    FOR_FUNCTIONS(function_of_##i, module)                                                                             \
    FOR_INSTRUCTIONS_IN(i, function_of_##i)
#define FOR_OPERANDS(n, value) for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(value); n++)

/* Null if there is none. */
LLVMValueRef first_instruction(LLVMValueRef function);
LLVMValueRef next_instruction(LLVMValueRef instruction); /* of its function */

/* "" where it has none */
const char *name_of(LLVMValueRef value);
/* Whether it stands in this section: ".gpucc.shared". */
bool is_in_section(LLVMValueRef global, const char *section);
/* Sets a function's attribute by its name in IR: "noinline". */
bool has_attribute(LLVMValueRef function, const char *name);
void set_attribute(LLVMValueRef function, const char *name);
/* The same for names that LLVM does not know, and keeps. */
bool has_mark(LLVMValueRef function, const char *mark);
void set_mark(LLVMValueRef function, const char *mark);
#define KERNEL_MARK "gpucc-kernel" /* of PTX: a user's */
#define LARGE_MARK "gpucc-large"   /* of a function that loops call, as it is too large to be copied */
LLVMAttributeRef attribute(LLVMContextRef context, const char *name);
/* Whether the function has a tensor map (<gpucc/tensor_map.h>) by value as its parameter with that index, from 0. */
bool is_tensor_map(LLVMValueRef function, unsigned index);
/* Whether the program goes one way or another by the value, or by bits of it. */
bool is_compared(LLVMValueRef value);
/* The callee of a call, if known; null for other instructions. */
LLVMValueRef called_function(LLVMValueRef instruction);
/* The declaration of an intrinsic for these types: "llvm.fma". */
LLVMValueRef intrinsic(LLVMModuleRef module, const char *name, LLVMTypeRef *types, size_t count);
/* A variable of the module's own; text is constant, and may be one with the same text elsewhere. */
LLVMValueRef private_global(LLVMModuleRef module, LLVMValueRef value, bool is_constant);
LLVMValueRef private_text(LLVMModuleRef module, const char *text);
/* A loop's metadata, for its branch back, that has LLVM unroll it whole, as `#pragma unroll` does: however long that
 * makes the code, or where it is not very long. */
LLVMValueRef loop_to_unroll(LLVMContextRef context, bool however_long);
/* Says of an entry what ptxas is told of it. */
void add_note(LLVMModuleRef module, LLVMValueRef function, const char *key, unsigned value);
LLVMValueRef build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count);
/* Has LLVM run these passes ("cgscc(inline),globaldce") over the module; ends the process if there are none such. */
void run_passes(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine);

/* padding.c */

/* A type of the same size and alignment in which every byte belongs to an element: integers stand where `type` has
 * padding, and vectors have as many elements as their memory holds.  `type` itself where it has no padding. */
LLVMTypeRef filled_type(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type);
/* The same for a struct that is passed by value at a multiple of `align`.  If that or its packing is below what its
 * elements need, or it has vectors of bytes, its elements are integers of that alignment. */
LLVMTypeRef passed_type(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type, unsigned align);
/* The constant with the filled type; padding is zero. */
LLVMValueRef filled_constant(struct arena *arena, LLVMTargetDataRef layout, LLVMValueRef constant);

/* From pointers to pointers, in the arena. */
struct pointer_map {
    struct arena *arena;
    size_t count, capacity;
    struct {
        const void *key;
        void *value;
    } *items;
};

void *map_get(const struct pointer_map *map, const void *key); /* null if there is none */
void map_put(struct pointer_map *map, const void *key, void *value);

#endif
