/* Lowers shared variables for native code: a block, not the program, owns them, at offsets in the memory that the
 * executor allocates for each block. */
#include "blocks/blocks.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

static bool is_shared(LLVMValueRef global)
{
    return is_in_section(global, ".gpucc.shared");
}

static size_t align_up(size_t offset, size_t align)
{
    return align ? (offset + align - 1) / align * align : offset;
}

static size_t shared_end(LLVMModuleRef module, LLVMValueRef global, size_t offset)
{
    return offset + LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGlobalGetValueType(global));
}

static size_t cpu_shared_bytes(LLVMModuleRef module)
{
    size_t bytes = 0;
    FOR_GLOBALS(global, module)
        if (is_shared(global))
            bytes = shared_end(module, global, align_up(bytes, LLVMGetAlignment(global)));
    return bytes;
}

/* Offsets in struct gpucc_cpu_thread of the addresses of static and of dynamic shared memory. */
enum { SHARED = 4 * 3 * sizeof(unsigned), DYNAMIC_SHARED = SHARED + sizeof(char *) };

/* A variable's place in shared memory. */
struct shared_place {
    unsigned field; /* SHARED or DYNAMIC_SHARED */
    size_t offset;
};

/* gpucc_cpu_self()->field + offset, where the builder stands */
static LLVMValueRef shared_address(LLVMModuleRef module, LLVMBuilderRef builder, struct shared_place place)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), byte = LLVMInt8TypeInContext(context);
    LLVMTypeRef type = LLVMFunctionType(pointer, NULL, 0, false);
    LLVMValueRef self = LLVMGetNamedFunction(module, "gpucc_cpu_self");
    if (!self) {
        self = LLVMAddFunction(module, "gpucc_cpu_self", type);
        unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6); /* 0: touches none */
        LLVMAddAttributeAtIndex(self, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, memory, 0));
    }
    LLVMTypeRef size_type = LLVMInt64TypeInContext(context);
    LLVMValueRef thread = LLVMBuildCall2(builder, type, self, NULL, 0, "");
    LLVMValueRef at = LLVMConstInt(size_type, place.field, false);
    LLVMValueRef field = LLVMBuildInBoundsGEP2(builder, byte, thread, &at, 1, "");
    LLVMValueRef base = LLVMBuildLoad2(builder, pointer, field, "");
    LLVMValueRef by = LLVMConstInt(size_type, place.offset, false);
    return LLVMBuildInBoundsGEP2(builder, byte, base, &by, 1, "");
}

/* The instruction that computes what the constant `value`, based on `global`, is when the global is at `base`. */
static LLVMValueRef rebase(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef global, LLVMValueRef base)
{
    if (value == global)
        return base;
    if (!LLVMIsAConstantExpr(value))
        return value;
    LLVMValueRef operand = rebase(builder, LLVMGetOperand(value, 0), global, base);
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    if (opcode == LLVMGetElementPtr) {
        LLVMValueRef indices[16];
        int count = LLVMGetNumOperands(value) - 1;
        for (int k = 0; k < count && k < 16; k++)
            indices[k] = LLVMGetOperand(value, k + 1);
        return LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(value), operand, indices, (unsigned)count, "");
    }
    if (LLVMGetNumOperands(value) == 1)
        return LLVMBuildCast(builder, opcode, operand, LLVMTypeOf(value), "");
    return LLVMBuildBinOp(builder, opcode, operand, rebase(builder, LLVMGetOperand(value, 1), global, base), "");
}

static void rebase_operand(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef user, int k, LLVMValueRef used,
                           LLVMValueRef global, struct shared_place place)
{
    if (LLVMIsAPHINode(user))
        LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, (unsigned)k)));
    else
        LLVMPositionBuilderBefore(builder, user);
    LLVMSetOperand(user, (unsigned)k, rebase(builder, used, global, shared_address(module, builder, place)));
}

/* Rewrites every instruction that uses `used`, the global itself or a constant built on it: all of an instruction's
 * operands at once, which are several uses. */
static void rebase_uses(struct arena *arena, LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef used,
                        LLVMValueRef global, struct shared_place place)
{
    LLVMValueRef *users = NULL;
    size_t count = 0;
    FOR_USES(use, used) {
        users = arena_grow(arena, users, count, sizeof(LLVMValueRef));
        users[count++] = LLVMGetUser(use);
    }
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAConstant(users[i])) {
            rebase_uses(arena, module, builder, users[i], global, place);
            continue;
        }
        for (int k = 0; k < LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], (unsigned)k) == used)
                rebase_operand(module, builder, users[i], k, used, global, place);
    }
}

/* ---- for debuggers ---- */

/* A shared variable as a debugger knows it. */
struct described {
    LLVMMetadataRef variable, type;
    const char *name;
};

static bool find_description(struct arena *arena, LLVMModuleRef module, LLVMValueRef global, struct described *found)
{
    enum { NAME = 1, TYPE = 3, MOST = 16 }; /* of its operands */
    size_t count = 0;
    LLVMValueRef operands[MOST];
    unsigned length = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    *found = (struct described){0};
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind)
            found->variable = LLVMDIGlobalVariableExpressionGetVariable(node);
    }
    LLVMDisposeValueMetadataEntries(entries);
    if (!found->variable)
        return false;
    LLVMValueRef node = LLVMMetadataAsValue(LLVMGetModuleContext(module), found->variable);
    if (LLVMGetMDNodeNumOperands(node) <= TYPE || LLVMGetMDNodeNumOperands(node) > MOST)
        return false;
    LLVMGetMDNodeOperands(node, operands);
    if (!operands[NAME] || !operands[TYPE])
        return false;
    found->type = LLVMValueAsMetadata(operands[TYPE]);
    const char *name = LLVMGetMDString(operands[NAME], &length);
    found->name = arena_strndup(arena, name, length);
    return true;
}

/* An instruction of the function that uses the variable and says where it stands; null if there is none. */
static LLVMValueRef first_user(LLVMValueRef function, LLVMValueRef used)
{
    FOR_USES(use, used) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef found = LLVMIsAConstantExpr(user) ? first_user(function, user) : user;
        if (found && LLVMIsAInstruction(found) && LLVMInstructionGetDebugLoc(found) &&
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(found)) == function)
            return found;
    }
    return NULL;
}

/* A local variable that says where the block's is, as no address does so for all blocks. */
static void describe_in(LLVMModuleRef module, LLVMBuilderRef builder, LLVMDIBuilderRef debug,
                        const struct described *described, LLVMValueRef user, struct shared_place place)
{
    enum { DEREFERENCE = 0x06 }; /* DW_OP_deref */
    uint64_t operation = DEREFERENCE;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(user), scope = LLVMDIVariableGetScope(described->variable);
    const unsigned line = LLVMDIVariableGetLine(described->variable);
    LLVMMetadataRef variable =
        LLVMDIBuilderCreateAutoVariable(debug, scope, described->name, strlen(described->name),
                                        LLVMDIVariableGetFile(described->variable), line, described->type, true,
                                        LLVMDIFlagZero, 0);
    LLVMMetadataRef where =
        LLVMDIBuilderCreateDebugLocation(context, line, 0, scope, LLVMDILocationGetInlinedAt(at));
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    LLVMPositionBuilderBefore(builder, first);
    LLVMValueRef slot = LLVMBuildAlloca(builder, LLVMPointerTypeInContext(context, 0), described->name);
    LLVMBuildStore(builder, shared_address(module, builder, place), slot);
    LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(debug, &operation, 1);
    if (LLVMIsNewDbgInfoFormat(module))
        LLVMDIBuilderInsertDeclareRecordBefore(debug, slot, variable, expression, where, first);
}

static void describe_shared(struct arena *arena, LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef global,
                            struct shared_place place)
{
    struct described described;
    if (!find_description(arena, module, global, &described))
        return;
    LLVMDIBuilderRef debug = LLVMCreateDIBuilderDisallowUnresolved(module);
    FOR_FUNCTIONS(f, module) {
        LLVMValueRef user = first_user(f, global);
        if (user)
            describe_in(module, builder, debug, &described, user, place);
    }
    LLVMDIBuilderFinalize(debug);
    LLVMDisposeDIBuilder(debug);
    LLVMGlobalClearMetadata(global);
}

/* ---- places ---- */

static void place_shared(struct arena *arena, LLVMModuleRef module, bool is_stepped)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    size_t offset = 0;
    FOR_GLOBALS(global, module) {
        if (is_in_section(global, ".gpucc.dynamic_shared"))
            rebase_uses(arena, module, builder, global, global, (struct shared_place){DYNAMIC_SHARED, 0});
        if (!is_shared(global))
            continue;
        offset = align_up(offset, LLVMGetAlignment(global));
        const struct shared_place place = {SHARED, offset};
        if (is_stepped)
            describe_shared(arena, module, builder, global, place);
        rebase_uses(arena, module, builder, global, global, place);
        offset = shared_end(module, global, offset);
    }
    LLVMDisposeBuilder(builder);
}

/* The manifest's entries for native functions. */
static void note_native(struct arena *arena, struct program *program, LLVMModuleRef module)
{
    program->cpu_shared_bytes = cpu_shared_bytes(module);
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++) {
            struct instance *instance = &program->passes[p].instances[i];
            const char *entry = block_entry(arena, instance);
            instance->runs_blocks = entry && LLVMGetNamedFunction(module, arena_printf(arena, "%s_block", entry));
        }
}

static enum reporting reporting_of(unsigned checks)
{
    switch (checks & CHECK_MEMORY) {
    case 0: return checks & CHECK_UNDEFINED ? REPORT_EXTENTS : REPORT_ALL;
    case CHECK_ADDRESS: return REPORT_EXTENTS;
    default: return checks & CHECK_ADDRESS ? REPORT_ORDER : REPORT_ALL;
    }
}

void lower_cpu(struct build *build)
{
    struct arena *arena = build->options.arena;
    yield_in_waits(arena, build->module);
    place_shared(arena, build->module, is_stepped(build));
    if (is_stepped(build))
        drop_blocks(build->module);
    else
        lower_blocks(build->module, reporting_of(build->options.checks));
    note_native(arena, &build->program, build->module);
}
