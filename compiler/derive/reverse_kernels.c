/* Adjoints of kernels: threads that share arrays. */
#include "bridge/bridge.h"
#include "derive/reverse_internal.h"

#include <gpucc/cpu.h>
#include <string.h>

/* ---- arrays ---- */

LLVMValueRef array_of(LLVMValueRef pointer)
{
    struct roots roots = {0};
    return find_roots(pointer, &roots) && roots.count && LLVMIsAArgument(roots.items[0]) ? roots.items[0] : NULL;
}

bool is_read(const struct reversal *r, LLVMValueRef array)
{
    FOR_INSTRUCTIONS_IN(i, r->body)
        if (LLVMIsALoadInst(i) && array_of(LLVMGetOperand(i, 0)) == array)
            return true;
    return false;
}

static LLVMValueRef written_array(LLVMValueRef i)
{
    return LLVMIsAStoreInst(i)       ? array_of(LLVMGetOperand(i, 1))
           : LLVMIsAAtomicRMWInst(i) ? array_of(LLVMGetOperand(i, 0))
                                     : NULL;
}

/* ---- extents ---- */

/* The bytes from the beginning of the running thread's record on the CPU; -1: not in it. */
static long long offset_in_thread(const struct deriving *d, LLVMValueRef pointer)
{
    long long offset = 0, inner;
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        if (!has_constant_distance(d, pointer, &inner))
            return -1;
        offset += inner;
    }
    LLVMValueRef callee = LLVMIsACallInst(pointer) ? called_function(pointer) : NULL;
    return callee && !strcmp(name_of(callee), "gpucc_cpu_self") ? offset : -1;
}

static const char *const registers[] = {"tid.", "ctaid.", "ntid.", "nctaid."};
static const char register_prefix[] = "llvm.nvvm.read.ptx.sreg.";

enum { INDEX_SIZE = 12 }; /* in struct gpucc_cpu_thread, whose first members they are */

static LLVMValueRef without_extension(LLVMValueRef value)
{
    return LLVMIsAZExtInst(value) || LLVMIsASExtInst(value) ? LLVMGetOperand(value, 0) : value;
}

int launch_axis(const struct deriving *d, LLVMValueRef value, enum launch kind)
{
    value = without_extension(value);
    LLVMValueRef callee = LLVMIsACallInst(value) ? called_function(value) : NULL;
    const char *name = callee ? name_of(callee) : "";
    const size_t prefix = strlen(register_prefix), length = strlen(registers[kind]);
    if (begins(name, register_prefix) && begins(name + prefix, registers[kind]))
        return name[prefix + length] - 'x';
    const long long at = LLVMIsALoadInst(value) ? offset_in_thread(d, LLVMGetOperand(value, 0)) : -1;
    return at >= 0 && at / INDEX_SIZE == (int)kind ? (int)(at % INDEX_SIZE / 4) : -1;
}

LLVMValueRef build_launch(const struct deriving *d, LLVMBuilderRef builder, enum launch kind, int axis)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(d->context);
    LLVMValueRef self = LLVMGetNamedFunction(d->module, "gpucc_cpu_self");
    if (begins(LLVMGetTarget(d->module), "nvptx")) {
        const char *name = arena_printf(d->arena, "%s%s%c", register_prefix, registers[kind], 'x' + axis);
        return build_call(builder, intrinsic(d->module, name, NULL, 0), NULL, 0);
    }
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(d->context),
                                       (unsigned)kind * INDEX_SIZE + (unsigned)axis * 4, false);
    LLVMValueRef record = build_call(builder, self, NULL, 0);
    return LLVMBuildLoad2(builder, type,
                          LLVMBuildGEP2(builder, LLVMInt8TypeInContext(d->context), record, &offset, 1, ""), "");
}

bool is_launch_shared(const struct deriving *d, LLVMValueRef root)
{
    const bool is_loaded = LLVMIsALoadInst(root) && LLVMGetTypeKind(LLVMTypeOf(root)) == LLVMPointerTypeKind;
    const long long member = offsetof(struct gpucc_cpu_thread, dynamic_shared);
    return (is_loaded && offset_in_thread(d, LLVMGetOperand(root, 0)) == member) ||
           (LLVMIsAGlobalVariable(root) && is_in_section(root, ".gpucc.dynamic_shared"));
}

/* An array whose extent the launch decides, on the CPU too: lower_cpu.c turns it into the record's pointer. */
void name_launch_shared(const struct deriving *d, LLVMValueRef function)
{
    static const char name[] = "gpucc_dynamic_shared_memory";
    enum { ALIGNMENT = 128 };
    FOR_INSTRUCTIONS_IN(i, function) {
        if (!LLVMIsALoadInst(i) || !is_launch_shared(d, i))
            continue;
        LLVMValueRef array = LLVMGetNamedGlobal(d->module, name);
        if (!array) {
            array = LLVMAddGlobal(d->module, LLVMArrayType2(LLVMInt8TypeInContext(d->context), 0), name);
            LLVMSetSection(array, ".gpucc.dynamic_shared");
            LLVMSetAlignment(array, ALIGNMENT);
        }
        LLVMReplaceAllUsesWith(i, array);
    }
}

LLVMValueRef build_launch_shared_size(const struct deriving *d, LLVMBuilderRef builder)
{
    static const char move[] = "mov.u32 $0, %dynamic_smem_size;", result[] = "=r";
    LLVMTypeRef type = LLVMInt32TypeInContext(d->context);
    if (begins(LLVMGetTarget(d->module), "nvptx")) {
        LLVMTypeRef function = LLVMFunctionType(type, NULL, 0, false);
        LLVMValueRef code = LLVMGetInlineAsm(function, move, strlen(move), result, strlen(result), false, false,
                                             LLVMInlineAsmDialectATT, false);
        return LLVMBuildCall2(builder, function, code, NULL, 0, "");
    }
    LLVMValueRef record = build_call(builder, LLVMGetNamedFunction(d->module, "gpucc_cpu_self"), NULL, 0);
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(d->context),
                                       offsetof(struct gpucc_cpu_thread, dynamic_shared_size), false);
    return LLVMBuildLoad2(builder, type,
                          LLVMBuildGEP2(builder, LLVMInt8TypeInContext(d->context), record, &offset, 1, ""), "");
}

/* 'n': blocks of the grid; 't': threads of a block; 0: neither. */
static char extent_kind(const struct deriving *d, LLVMValueRef value)
{
    return launch_axis(d, value, LAUNCH_GRID_DIM) >= 0 ? 'n' : launch_axis(d, value, LAUNCH_BLOCK_DIM) >= 0 ? 't' : 0;
}

static void bound_extent(LLVMValueRef extent, unsigned long long end)
{
    LLVMTypeRef type = LLVMTypeOf(extent);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMValueRef bounds[] = {LLVMConstInt(type, 1, false), LLVMConstInt(type, end, false)};
    LLVMSetMetadata(extent, LLVMGetMDKindIDInContext(context, "range", 5), LLVMMDNodeInContext(context, bounds, 2));
}

bool is_operation(LLVMValueRef i, LLVMOpcode opcode)
{
    return LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == opcode;
}

/* gridDim.x * blockDim.x */
static bool is_grid_size(const struct deriving *d, LLVMValueRef value)
{
    return is_operation(value, LLVMMul) && extent_kind(d, LLVMGetOperand(value, 0)) &&
           extent_kind(d, LLVMGetOperand(value, 1));
}

/* Whether the instruction reads an index or extent of the launch, or the record that holds them. */
static bool reads_launch(const struct deriving *d, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
    const char *name = callee ? name_of(callee) : "";
    for (size_t k = 0; k < sizeof registers / sizeof *registers; k++)
        if (begins(name, register_prefix) && begins(name + strlen(register_prefix), registers[k]))
            return true;
    return !strcmp(name, "gpucc_cpu_self") ||
           (LLVMIsALoadInst(i) && offset_in_thread(d, LLVMGetOperand(i, 0)) >= 0) ||
           (LLVMIsAGetElementPtrInst(i) && offset_in_thread(d, i) >= 0);
}

static bool is_constant_of_launch(const struct deriving *d, LLVMValueRef i)
{
    return reads_launch(d, i) || is_grid_size(d, i) ||
           ((LLVMIsAZExtInst(i) || LLVMIsASExtInst(i)) && extent_kind(d, LLVMGetOperand(i, 0)));
}

/* Loops that are reversed have them as constants.  An operand has been moved before its user. */
void hoist_launch(const struct deriving *d, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    size_t count;
    LLVMBasicBlockRef *blocks = ordered_blocks(d->arena, function, &count);
    for (size_t b = 0; b < count; b++)
        FOR_INSTRUCTIONS(i, blocks[b]) {
            if (!is_constant_of_launch(d, i))
                continue;
            LLVMValueRef moved = LLVMInstructionClone(i);
            LLVMPositionBuilderBefore(builder, first);
            LLVMInsertIntoBuilder(builder, moved);
            LLVMReplaceAllUsesWith(i, moved);
        }
    LLVMDisposeBuilder(builder);
}

/* for (i = grid(1); i < n; i += gridsize(1)): whether the pointer is a[i], which is another element each time. */
bool strides_over_grid(const struct reversal *r, LLVMValueRef pointer)
{
    if (!LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2 ||
        !LLVMIsAArgument(LLVMGetOperand(pointer, 0)))
        return false;
    LLVMValueRef phi = without_extension(LLVMGetOperand(pointer, 1));
    const struct loop *loop = LLVMIsAPHINode(phi) ? loop_of(r, LLVMGetInstructionParent(phi)) : NULL;
    if (!loop || loop->parent || loop->header != LLVMGetInstructionParent(phi))
        return false;
    LLVMValueRef next = incoming_from(phi, loop->latch);
    const unsigned other = is_operation(next, LLVMAdd) && LLVMGetOperand(next, 0) == phi;
    return is_operation(next, LLVMAdd) && LLVMGetOperand(next, 1 - other) == phi &&
           is_grid_size(r->d, without_extension(LLVMGetOperand(next, other)));
}

/* An extent of a grid is at least 1, and fits the type in which a kernel computes it, as do indices that it is added
 * to. */
void bound_extents(const struct deriving *d, LLVMValueRef body)
{
    FOR_INSTRUCTIONS_IN(i, body) {
        const char kind = without_extension(i) == i ? extent_kind(d, i) : 0;
        if (kind && LLVMTypeOf(i) == LLVMInt32TypeInContext(d->context))
            bound_extent(i, kind == 't' ? 1025 : 0x80000000);
        const bool is_step = is_operation(i, LLVMAdd) && (is_grid_size(d, without_extension(LLVMGetOperand(i, 0))) ||
                                                          is_grid_size(d, without_extension(LLVMGetOperand(i, 1))));
        if (is_grid_size(d, i) || is_step)
            LLVMSetNSW(i, true);
    }
}

/* ---- checks ---- */

/* Whether the load finds what the array held before the launch, whatever this thread stores. */
static bool precedes(struct reversal *r, LLVMValueRef load, LLVMValueRef write)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    return !may_follow(r, write, load) ||
           (LLVMIsAStoreInst(write) && LLVMGetOperand(write, 1) == pointer && stores_once(r, write) &&
            !follows_in_iteration(r, write, load, pointer));
}

void check_kernel_load(struct reversal *r, LLVMValueRef load, LLVMValueRef array)
{
    FOR_INSTRUCTIONS_IN(i, r->body) {
        if (written_array(i) != array)
            continue;
        if (LLVMIsAAtomicRMWInst(i))
            refuse(r->d, r->s, load, "it reads an array that atomic operations change");
        else if (!precedes(r, load, i))
            refuse(r->d, r->s, load, "it may read an element that was stored before: read a local variable instead");
        else
            continue;
        return;
    }
}

/* Whether a call may be repeated: the forward run of the adjoint makes it again. */
static bool is_repeatable(LLVMValueRef call, const char *name)
{
    static const char *const known[] = {"llvm.lifetime", "llvm.dbg", "llvm.assume", "llvm.trap",
                                        "llvm.experimental.noalias", SANITIZER_PREFIX, "gpucc_cpu_self"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (begins(name, known[k]))
            return true;
    if (begins(name, "llvm.nvvm.read.ptx.sreg."))
        return !strstr(name, "clock") && !strstr(name, "timer");
    return begins(name, "llvm.") && !begins(name, "llvm.nvvm.") &&
           LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
}

void check_kernel_call(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    const char *name = callee ? name_of(callee) : "";
    if (is_repeatable(i, name) || is_block_barrier(i) || is_shuffle(r->d, i) || is_vote(i))
        return;
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        refuse(r->d, r->s, i, "inline assembly has no derivative");
    else if (!callee)
        refuse(r->d, r->s, i, "the function that is called through a pointer is not known");
    else if (begins(name, "llvm.nvvm.barrier") || begins(name, "gpucc_cpu_barrier"))
        refuse(r->d, r->s, i, "the adjoint of a kernel supports no barrier but syncthreads()");
    else
        refuse(r->d, r->s, i, "the adjoint of a kernel does not support '%s'", shown_callee(callee));
}

void check_kernel_atomic(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef array = array_of(LLVMGetOperand(i, 0)), shared = shared_of(LLVMGetOperand(i, 0));
    const char role = array ? role_of(r, array) : shared ? 'm' : 0;
    if (!r->is_kernel || !role)
        refuse(r->d, r->s, i, "an atomic operation");
    else if (LLVMGetFirstUse(i))
        refuse(r->d, r->s, i, "an atomic operation whose result is used");
    else if (role == 'm' && LLVMGetAtomicRMWBinOp(i) != LLVMAtomicRMWBinOpFAdd)
        refuse(r->d, r->s, i, "an atomic operation other than an addition");
    else if (role == 'c')
        refuse(r->d, r->s, i, "it writes to an input");
}

/* ---- adjoints of elements ---- */

void add_to_element(struct reversal *r, LLVMValueRef array, LLVMValueRef shadow, LLVMValueRef adjoint)
{
    LLVMTypeRef type = LLVMTypeOf(adjoint);
    adjoint = number_if(r, r->has_rows, adjoint);
    if (map_get(&r->own_arrays, array)) {
        LLVMValueRef before = LLVMBuildLoad2(r->builder, type, shadow, "");
        LLVMBuildStore(r->builder, guarded_sum(r, LLVMBuildFAdd(r->builder, before, adjoint, ""), before), shadow);
        return;
    }
    adjoint = guarded_sum(r, adjoint, zero_of(type));
    LLVMBuildAtomicRMW(r->builder, LLVMAtomicRMWBinOpFAdd, shadow, adjoint, LLVMAtomicOrderingMonotonic, false);
}

/* Elsewhere adjoints are NaN. */
void find_rows(struct reversal *r)
{
    enum { WARP = 32 };
    LLVMBuilderRef builder = r->variables;
    LLVMTypeRef word = LLVMInt32TypeInContext(r->d->context);
    LLVMValueRef rows = LLVMConstInt(word, 1, false), row = build_launch(r->d, builder, LAUNCH_BLOCK_DIM, 0);
    LLVMValueRef rest = LLVMBuildAnd(builder, row, LLVMConstInt(word, WARP - 1, false), "");
    for (int axis = 1; axis < 3 && r->rows == ROWS_ONE; axis++)
        rows = LLVMBuildMul(builder, rows, build_launch(r->d, builder, LAUNCH_BLOCK_DIM, axis), "");
    r->has_rows = LLVMBuildICmp(builder, LLVMIntEQ, rest, LLVMConstNull(word), "");
    if (r->rows == ROWS_ONE)
        r->has_rows = LLVMBuildOr(builder, r->has_rows, LLVMBuildICmp(builder, LLVMIntEQ, rows,
                                                                      LLVMConstInt(word, 1, false), ""), "");
}

void reverse_atomic(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef is_inside, value = LLVMGetOperand(i, 1);
    r->is_alive = NULL;
    if (!has_adjoint(r, value))
        return;
    LLVMValueRef shadow = checked_shadow(r, LLVMGetOperand(i, 0), &is_inside);
    add_to_adjoint(r, value, number_if(r, is_inside, LLVMBuildLoad2(r->builder, LLVMTypeOf(value), shadow, "")));
}
