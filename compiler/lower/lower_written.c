/* Which gufuncs write all of an output, whatever stands there, so that a caller's array need not be read first: found
 * by following, in a copy of the code that LLVM has simplified, which bytes have been written on every way to the end.
 * Outputs are looked at whose core has a fixed size; loops that go round a fixed number of times are unrolled,
 * unless that makes them too large. */
#include "codegen/codegen.h"
#include "lower/lower_internal.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

enum {
    MOST_BYTES = 4096,
    MOST_ACCESSES = 4096 /* of an output */
};

struct access {
    LLVMValueRef instruction;
    size_t offset, size;
    bool writes;
};

struct proof {
    struct arena *arena;
    LLVMTargetDataRef layout;
    size_t bytes;            /* of the output's core */
    struct access *accesses;
    size_t access_count;
    LLVMBasicBlockRef *blocks;
    uint8_t **written;       /* of each block: the bytes that every way to its beginning has written */
    size_t block_count;
};

/* ---- what is done with an output's address ---- */

static bool add_access(struct proof *proof, LLVMValueRef instruction, size_t offset, size_t size, bool writes)
{
    if (offset > proof->bytes || size > proof->bytes - offset || proof->access_count == MOST_ACCESSES)
        return false;
    proof->accesses = arena_grow(proof->arena, proof->accesses, proof->access_count, sizeof *proof->accesses);
    proof->accesses[proof->access_count++] = (struct access){instruction, offset, size, writes};
    return true;
}

/* The bytes that a getelementptr with constant indices adds. */
static bool constant_offset(const struct proof *proof, LLVMValueRef address, int64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++) {
        LLVMValueRef index = LLVMGetOperand(address, i);
        if (!LLVMIsAConstantInt(index))
            return false;
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return false;
        type = i > 1 ? LLVMGetElementType(type) : type;
        *offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(proof->layout, type);
    }
    return true;
}

static bool is_memset(LLVMValueRef instruction, LLVMValueRef address)
{
    LLVMValueRef called = called_function(instruction);
    return called && !strncmp(name_of(called), "llvm.memset.", 12) && LLVMGetOperand(instruction, 0) == address &&
           LLVMIsAConstantInt(LLVMGetOperand(instruction, 2));
}

/* False where something else is done with it than to read and write at places that are known. */
static bool follow(struct proof *proof, LLVMValueRef address, int64_t offset)
{
    FOR_USES(use, address) {
        LLVMValueRef user = LLVMGetUser(use);
        int64_t further = offset;
        bool known = LLVMIsAInstruction(user) != NULL && offset >= 0;
        if (known && LLVMIsAGetElementPtrInst(user))
            known = LLVMGetOperand(user, 0) == address && constant_offset(proof, user, &further) &&
                    follow(proof, user, further);
        else if (known && LLVMIsAStoreInst(user))
            known = LLVMGetOperand(user, 0) != address && !LLVMGetVolatile(user) &&
                    add_access(proof, user, (size_t)offset,
                               LLVMStoreSizeOfType(proof->layout, LLVMTypeOf(LLVMGetOperand(user, 0))), true);
        else if (known && LLVMIsALoadInst(user))
            known = add_access(proof, user, (size_t)offset, LLVMStoreSizeOfType(proof->layout, LLVMTypeOf(user)),
                               false);
        else
            known = known && is_memset(user, address) &&
                    add_access(proof, user, (size_t)offset, LLVMConstIntGetZExtValue(LLVMGetOperand(user, 2)), true);
        if (!known)
            return false;
    }
    return true;
}

/* ---- every way to the end ---- */

static const struct access *access_of(const struct proof *proof, LLVMValueRef instruction)
{
    for (size_t i = 0; i < proof->access_count; i++)
        if (proof->accesses[i].instruction == instruction)
            return &proof->accesses[i];
    return NULL;
}

static size_t block_number(const struct proof *proof, LLVMBasicBlockRef block)
{
    size_t number = 0;
    while (proof->blocks[number] != block)
        number++;
    return number;
}

/* Goes on with what the block writes; false if it reads what may not have been written. */
static bool pass_block(const struct proof *proof, LLVMBasicBlockRef block, uint8_t *written)
{
    bool good = true;
    FOR_INSTRUCTIONS(i, block) {
        const struct access *access = access_of(proof, i);
        if (access && access->writes)
            memset(written + access->offset, 1, access->size);
        else if (access)
            good = good && !memchr(written + access->offset, 0, access->size);
    }
    return good;
}

/* Propagates a block's end state to its successors, as far as their other predecessors agree. */
static bool hand_on(const struct proof *proof, LLVMBasicBlockRef block, const uint8_t *written)
{
    bool changed = false;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        uint8_t *next = proof->written[block_number(proof, LLVMGetSuccessor(end, s))];
        for (size_t b = 0; b < proof->bytes; b++) {
            changed |= next[b] && !written[b];
            next[b] &= written[b];
        }
    }
    return changed;
}

static void begin_blocks(struct proof *proof, LLVMValueRef function)
{
    FOR_BLOCKS(block, function) {
        proof->blocks = arena_grow(proof->arena, proof->blocks, proof->block_count, sizeof *proof->blocks);
        proof->blocks[proof->block_count++] = block;
    }
    proof->written = arena_alloc(proof->arena, proof->block_count * sizeof *proof->written);
    for (size_t k = 0; k < proof->block_count; k++) {
        proof->written[k] = arena_alloc(proof->arena, proof->bytes);
        memset(proof->written[k], k > 0, proof->bytes); /* but for the first, until a way to it is seen */
    }
}

static bool writes_all(struct proof *proof, LLVMValueRef function)
{
    uint8_t *written = arena_alloc(proof->arena, proof->bytes);
    begin_blocks(proof, function);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < proof->block_count; k++) {
            memcpy(written, proof->written[k], proof->bytes);
            (void)pass_block(proof, proof->blocks[k], written);
            changed |= hand_on(proof, proof->blocks[k], written);
        }
    }
    for (size_t k = 0; k < proof->block_count; k++) {
        memcpy(written, proof->written[k], proof->bytes);
        if (!pass_block(proof, proof->blocks[k], written))
            return false;
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(proof->blocks[k])) && memchr(written, 0, proof->bytes))
            return false;
    }
    return true;
}

/* ---- the copy ---- */

/* Bytes of an operand's core; 0 if its size is not fixed, or it is large. */
static size_t core_bytes(const struct instance *instance, size_t output)
{
    const struct operand_layout *operand = &instance->layout->operands[instance->input_count + output];
    size_t bytes = dtype_size(instance->outputs[output]);
    for (size_t d = 0; d < operand->dimension_count && bytes; d++) {
        const size_t extent = instance->layout->dimensions[operand->dimensions[d]].size;
        bytes = extent > MOST_BYTES ? 0 : bytes * extent;
        bytes = bytes > MOST_BYTES ? 0 : bytes;
    }
    return bytes;
}

static bool is_candidate(const struct instance *instance)
{
    bool is = false;
    for (size_t o = 0; instance->layout && !instance->by_block && o < instance->output_count; o++)
        is |= core_bytes(instance, o) > 0;
    return is;
}

static LLVMValueRef callee_in(struct arena *arena, LLVMModuleRef module, const struct instance *instance)
{
    return LLVMGetNamedFunction(module, arena_printf(arena, "gpucc_callee_%s", instance->symbol));
}

static void unroll_loops(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
    FOR_ALL_INSTRUCTIONS(i, module)
        if (LLVMIsABranchInst(i))
            LLVMSetMetadata(i, kind, loop_to_unroll(context, false));
}

static void drop_global(LLVMModuleRef module, const char *name)
{
    LLVMValueRef global = LLVMGetNamedGlobal(module, name);
    if (global)
        LLVMDeleteGlobal(global);
}

/* The functions of stdlib/loops/team.h, which the call names, write no output here, and are long. */
static void drop_team_parts(LLVMModuleRef module)
{
    LLVMValueRef parts = LLVMGetNamedFunction(module, "gpucc_team_parts");
    for (LLVMUseRef use; parts && (use = LLVMGetFirstUse(parts));)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
}

/* The candidates' functions and what they call, simplified. */
static LLVMModuleRef simplified(const struct build *build, const struct pass *pass, LLVMModuleRef module)
{
    struct arena *arena = build->options.arena;
    LLVMModuleRef copy = LLVMCloneModule(module);
    define_numbers(arena, copy); /* as the code will mean them: what C leaves undefined proves nothing */
    drop_team_parts(copy);
    drop_global(copy, "llvm.used");
    drop_global(copy, "llvm.compiler.used");
    FOR_FUNCTIONS(f, copy)
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    for (size_t i = 0; i < pass->instance_count; i++) {
        LLVMValueRef callee = is_candidate(&pass->instances[i]) ? callee_in(arena, copy, &pass->instances[i]) : NULL;
        if (callee)
            LLVMSetLinkage(callee, LLVMExternalLinkage);
    }
    run_passes(copy, "globaldce", NULL);
    FOR_FUNCTIONS(f, copy)
        if (!LLVMIsDeclaration(f) && !has_attribute(f, "noinline"))
            set_attribute(f, "alwaysinline");
    run_passes(copy, "always-inline,globaldce", NULL); /* before loops are unrolled, which makes functions large */
    unroll_loops(copy);
    run_passes(copy, "default<O2>", NULL);
    return copy;
}

void note_written(const struct build *build, struct pass *pass, LLVMModuleRef module)
{
    struct arena *arena = build->options.arena;
    LLVMModuleRef copy = NULL;
    for (size_t i = 0; i < pass->instance_count; i++) {
        struct instance *instance = &pass->instances[i];
        if (!is_candidate(instance))
            continue;
        copy = copy ? copy : simplified(build, pass, module);
        LLVMValueRef callee = callee_in(arena, copy, instance);
        for (size_t o = 0; callee && o < instance->output_count && o < 64; o++) {
            struct proof proof = {.arena = arena, .layout = LLVMGetModuleDataLayout(copy),
                                  .bytes = core_bytes(instance, o)};
            const unsigned parameter = (unsigned)(1 + instance->input_count + o);
            if (proof.bytes && follow(&proof, LLVMGetParam(callee, parameter), 0) && writes_all(&proof, callee))
                instance->overwrites |= UINT64_C(1) << o;
        }
    }
    if (copy)
        LLVMDisposeModule(copy);
}
