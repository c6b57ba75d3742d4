/* Rewrites accesses to memory and initial values that LLVM 19's PTX back end gets wrong.  It runs after LLVM's passes,
 * which would undo it. */
#include "emit/emit_internal.h"
#include "bridge/bridge.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum { LARGE = 128 }; /* bytes that the back end copies in a loop */

struct mender {
    struct arena *arena;
    LLVMTargetDataRef layout;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMTypeRef i64;
};

/* ---- vectors below their alignment ---- */

/* The size of the pieces that the load's alignment permits, where the back end would load 16 bytes at any address: of
 * vectors of bytes, and of elements below their alignment, whose bytes it asks for. */
static unsigned piece_of(const struct mender *m, LLVMValueRef load)
{
    enum { WIDE = 16 };
    LLVMTypeRef type = LLVMTypeOf(load);
    const unsigned align = LLVMGetAlignment(load);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || align >= WIDE || LLVMStoreSizeOfType(m->layout, type) % WIDE ||
        LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
        return 0;
    const uint64_t element = LLVMStoreSizeOfType(m->layout, LLVMGetElementType(type));
    return element == 1 || align < element ? align : 0;
}

static void load_in_pieces(const struct mender *m, LLVMValueRef load, unsigned size)
{
    LLVMTypeRef type = LLVMTypeOf(load), piece = LLVMIntTypeInContext(m->context, 8 * size);
    const unsigned count = (unsigned)LLVMStoreSizeOfType(m->layout, type) / size;
    LLVMValueRef pieces = LLVMGetPoison(LLVMVectorType(piece, count));
    LLVMPositionBuilderBefore(m->b, load);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef index = LLVMConstInt(m->i64, i, false);
        LLVMValueRef value = LLVMBuildLoad2(
            m->b, piece, LLVMBuildGEP2(m->b, piece, LLVMGetOperand(load, 0), &index, 1, ""), "");
        LLVMSetAlignment(value, size);
        LLVMSetVolatile(value, LLVMGetVolatile(load));
        pieces = LLVMBuildInsertElement(m->b, pieces, value, index, "");
    }
    LLVMReplaceAllUsesWith(load, LLVMBuildBitCast(m->b, pieces, type, ""));
    LLVMInstructionEraseFromParent(load);
}

/* The back end would make a load of bytes of one whose bytes are asked for, however it is aligned.  It does not look
 * through a freeze. */
static void freeze_type(const struct mender *m, LLVMValueRef load)
{
    enum { WIDE = 16 };
    LLVMTypeRef type = LLVMTypeOf(load);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if ((kind != LLVMVectorTypeKind && kind != LLVMIntegerTypeKind) || LLVMGetAlignment(load) >= WIDE ||
        LLVMStoreSizeOfType(m->layout, type) % WIDE)
        return;
    LLVMPositionBuilderBefore(m->b, LLVMGetNextInstruction(load));
    LLVMValueRef same = LLVMBuildFreeze(m->b, load, "");
    LLVMReplaceAllUsesWith(load, same);
    LLVMSetOperand(same, 0, load);
}

/* ---- large values that are loaded and stored ---- */

/* The back end makes a loop of this, from the first byte to the last, in the place of the store: also where it stores
 * to what is still to be loaded, and where something else is stored between the two.  It does not look through a
 * freeze. */
static void freeze_copy(const struct mender *m, LLVMValueRef load)
{
    LLVMUseRef use = LLVMGetFirstUse(load);
    if (!use || LLVMGetNextUse(use) || !LLVMIsAStoreInst(LLVMGetUser(use)) ||
        LLVMStoreSizeOfType(m->layout, LLVMTypeOf(load)) < LARGE)
        return;
    LLVMValueRef store = LLVMGetUser(use);
    LLVMPositionBuilderBefore(m->b, store);
    LLVMSetOperand(store, 0, LLVMBuildFreeze(m->b, load, ""));
}

/* ---- lanes at an index that is not known ---- */

/* The back end makes accesses to single elements of these, where the vector is loaded or stored, and forgets which
 * memory that is in: an offset in shared memory became an address of its own.  It does not look through a freeze. */
static void freeze_vector(const struct mender *m, LLVMValueRef i)
{
    const bool is_extract = LLVMIsAExtractElementInst(i), is_insert = LLVMIsAInsertElementInst(i);
    if (!(is_extract || is_insert) || LLVMIsConstant(LLVMGetOperand(i, is_extract ? 1 : 2)) ||
        LLVMIsConstant(LLVMGetOperand(i, 0)))
        return;
    LLVMPositionBuilderBefore(m->b, i);
    LLVMSetOperand(i, 0, LLVMBuildFreeze(m->b, LLVMGetOperand(i, 0), ""));
}

/* ---- memmove ---- */

struct move {
    LLVMValueRef to, from, length; /* bytes */
    LLVMTypeRef unit;
    unsigned unit_size;
    bool is_volatile;
};

static unsigned argument_alignment(LLVMValueRef call, unsigned argument)
{
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1,
                                                          LLVMGetEnumAttributeKindForName("align", 5));
    return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

/* As many bytes at once as both alignments and the length permit. */
static struct move read_move(const struct mender *m, LLVMValueRef call)
{
    struct move move = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), NULL, 8,
                        LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)) != 0};
    const uint64_t length = LLVMIsAConstantInt(move.length) ? LLVMConstIntGetZExtValue(move.length) : 1;
    while (argument_alignment(call, 0) % move.unit_size || argument_alignment(call, 1) % move.unit_size ||
           length % move.unit_size)
        move.unit_size /= 2;
    move.unit = LLVMIntTypeInContext(m->context, 8 * move.unit_size);
    return move;
}

static LLVMValueRef generic_address(const struct mender *m, LLVMValueRef pointer)
{
    LLVMTypeRef generic = LLVMPointerTypeInContext(m->context, 0);
    if (LLVMTypeOf(pointer) != generic)
        pointer = LLVMBuildAddrSpaceCast(m->b, pointer, generic, "");
    return LLVMBuildPtrToInt(m->b, pointer, m->i64, "");
}

/* Copies the unit at `index`. */
static void move_unit(const struct mender *m, const struct move *move, LLVMValueRef index)
{
    LLVMValueRef from = LLVMBuildGEP2(m->b, move->unit, move->from, &index, 1, "");
    LLVMValueRef to = LLVMBuildGEP2(m->b, move->unit, move->to, &index, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(m->b, move->unit, from, "");
    LLVMValueRef store = LLVMBuildStore(m->b, value, to);
    LLVMSetAlignment(value, move->unit_size);
    LLVMSetAlignment(store, move->unit_size);
    LLVMSetVolatile(value, move->is_volatile);
    LLVMSetVolatile(store, move->is_volatile);
}

/* Between `before`, which has no terminator, and `after`: a loop from the end of the memory that lies further from the
 * source. */
static void build_moves(const struct mender *m, const struct move *move, LLVMBasicBlockRef before,
                        LLVMBasicBlockRef loop, LLVMBasicBlockRef after)
{
    LLVMPositionBuilderAtEnd(m->b, before);
    LLVMValueRef zero = LLVMConstNull(m->i64), one = LLVMConstInt(m->i64, 1, false);
    LLVMValueRef count = LLVMBuildUDiv(m->b, LLVMBuildIntCast2(m->b, move->length, m->i64, false, ""),
                                       LLVMConstInt(m->i64, move->unit_size, false), "");
    LLVMValueRef is_up = LLVMBuildICmp(m->b, LLVMIntULT, generic_address(m, move->to),
                                       generic_address(m, move->from), "");
    LLVMValueRef first = LLVMBuildSelect(m->b, is_up, zero, LLVMBuildSub(m->b, count, one, ""), "");
    LLVMValueRef step = LLVMBuildSelect(m->b, is_up, one, LLVMConstAllOnes(m->i64), "");
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, count, zero, ""), after, loop);
    LLVMPositionBuilderAtEnd(m->b, loop);
    LLVMValueRef index = LLVMBuildPhi(m->b, m->i64, ""), left = LLVMBuildPhi(m->b, m->i64, "");
    move_unit(m, move, index);
    LLVMValueRef next = LLVMBuildAdd(m->b, index, step, ""), rest = LLVMBuildSub(m->b, left, one, "");
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, rest, zero, ""), after, loop);
    LLVMAddIncoming(index, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMAddIncoming(left, (LLVMValueRef[]){count, rest}, (LLVMBasicBlockRef[]){before, loop}, 2);
}

static bool is_long_move(LLVMValueRef i)
{
    LLVMValueRef called = called_function(i), length = called ? LLVMGetOperand(i, 2) : NULL;
    return called && begins(name_of(called), "llvm.memmove.") &&
           !(LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) < LARGE);
}

/* The back end leaves out a memmove between two address spaces. */
static void expand_move(const struct mender *m, LLVMValueRef call)
{
    const struct move move = read_move(m, call);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef after = codegen_split_block(call), loop = LLVMInsertBasicBlockInContext(m->context, after, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    build_moves(m, &move, before, loop, after);
    LLVMInstructionEraseFromParent(call);
}

static void expand_moves(const struct mender *m, LLVMValueRef function)
{
    for (LLVMValueRef i = first_instruction(function), next; i; i = next) {
        next = next_instruction(i);
        if (is_long_move(i))
            expand_move(m, i);
    }
}

/* ---- initial values ---- */

/* The back end writes vectors without the padding behind their elements. */
static void fill_initial_values(const struct mender *m, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        LLVMValueRef value = LLVMGetInitializer(global);
        LLVMValueRef filled = value ? filled_constant(m->arena, m->layout, value) : NULL;
        if (filled != value)
            codegen_initialize(global, filled);
    }
}

void avoid_memory_faults(struct arena *arena, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct mender m = {arena, LLVMGetModuleDataLayout(module), context, LLVMCreateBuilderInContext(context),
                             LLVMInt64TypeInContext(context)};
    FOR_ALL_INSTRUCTIONS(i, module) {
        freeze_vector(&m, i);
        if (!LLVMIsALoadInst(i))
            continue;
        freeze_copy(&m, i);
        if (piece_of(&m, i))
            load_in_pieces(&m, i, piece_of(&m, i));
        else
            freeze_type(&m, i);
    }
    FOR_FUNCTIONS(function, module)
        expand_moves(&m, function);
    fill_initial_values(&m, module);
    LLVMDisposeBuilder(m.b);
}
