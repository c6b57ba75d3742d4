/* Each region as a loop over the block's threads, x innermost: what the thread kept is read, the region's code runs,
 * what is needed behind the cut to which it came is kept.  Behind the loop, the block goes on at the cut to which all
 * came.
 *
 * Between barriers no thread may write what another one accesses, but atomically.  So metadata marks the rounds of a
 * loop as independent of one another.
 *
 * In checked code a region may have three such loops: one that looks at the addresses, and one of two others that runs
 * the code. */
#include "blocks/blocks_internal.h"
#include "bridge/bridge.h"

#include <gpucc/cpu.h>
#include <string.h>

enum loop {
    TELLS,    /* runs the code that notifies the executor of accesses */
    PRESCANS, /* computes addresses and notes whether one may be wrong */
    TRUSTS,   /* runs the code as if unchecked */
};

struct region {
    struct kernel_block *k;
    enum loop kind;
    struct prescan *prescan; /* in checked code, else null */
    size_t number; /* 0, or 1 + that of the cut behind which it begins */
    LLVMBasicBlockRef head, start;
    LLVMBasicBlockRef loop[3], next[3]; /* x, y, z: where a round begins, and where it ends */
    LLVMBasicBlockRef after;
    LLVMValueRef index[3], linear; /* the thread's, and its number as 64 bits */
    struct pointer_map copies;     /* of values and blocks */
    LLVMBasicBlockRef *exits;      /* for each cut: what is done when a thread comes to it, or null */
    LLVMBasicBlockRef end;         /* when it ends */
    LLVMMetadataRef group;
    LLVMValueRef all_run; /* whether no thread has ended, where the kernel is ragged */
    bool scatters;        /* threads may leave it to different places */
};

/* Shared by the regions. */
struct regions {
    struct region *items;
    LLVMTypeRef i8, i32, i64, pointer;
    LLVMValueRef extent[3]; /* the block's, 32 bits */
    LLVMValueRef threads;   /* how many, 32 bits */
    LLVMValueRef choice;    /* a variable: the region to go on with */
    LLVMValueRef next; /* the same for each thread, an array, where the kernel is ragged: 0 for those that have ended */
    LLVMValueRef ended;     /* a variable: whether there are any such */
    LLVMValueRef any_ended; /* another one, which gpucc_cpu_agree() sets */
    LLVMValueRef *kept;     /* in the region's head: the uniform values */
    LLVMValueRef doubt;     /* a variable: whether an address of a region may be wrong … */
    LLVMValueRef wrong;     /* … and another one: of a thread */
};

static LLVMValueRef i32(const struct regions *r, size_t value)
{
    return LLVMConstInt(r->i32, value, false);
}

static LLVMValueRef declare(const struct kernel_block *k, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(k->module, name);
    return function ? function : LLVMAddFunction(k->module, name, type);
}

/* Tells LLVM that no other round of the loop is concerned. */
static void set_group(const struct region *region, LLVMValueRef access)
{
    LLVMContextRef context = region->k->context;
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(context, "llvm.access.group", 17),
                    LLVMMetadataAsValue(context, region->group));
}

/* ---- memory ---- */

static LLVMValueRef element(const struct kernel_block *k, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(k->builder, type, array, &index, 1, "");
}

/* Truth values are kept in bytes. */
static LLVMTypeRef slot_type(const struct regions *r, LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1 ? r->i8 : type;
}

static LLVMValueRef load_slot(const struct region *region, const struct regions *r, LLVMTypeRef type, LLVMValueRef at)
{
    const struct kernel_block *k = region->k;
    LLVMValueRef value = LLVMBuildLoad2(k->builder, slot_type(r, type), at, "");
    set_group(region, value);
    return LLVMTypeOf(value) == type ? value : LLVMBuildTrunc(k->builder, value, type, "");
}

static void store_slot(const struct region *region, const struct regions *r, LLVMValueRef value, LLVMValueRef at)
{
    const struct kernel_block *k = region->k;
    LLVMTypeRef type = slot_type(r, LLVMTypeOf(value));
    LLVMValueRef kept = type == LLVMTypeOf(value) ? value : LLVMBuildZExt(k->builder, value, type, "");
    set_group(region, LLVMBuildStore(k->builder, kept, at));
}

/* A thread's bytes in all that is kept for each; notes where the arrays begin, in bytes of a thread. */
static uint64_t lay_out(const struct kernel_block *k, const struct regions *r, uint64_t *slots, uint64_t *objects)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(k->module);
    uint64_t bytes = k->ragged ? sizeof(int32_t) : 0;
    for (size_t n = 0; n < k->slot_count; n++)
        if (k->slots[n].kept && !k->slots[n].uniform) {
            slots[n] = bytes;
            bytes += LLVMABISizeOfType(layout, slot_type(r, k->slots[n].type));
        }
    for (size_t n = 0; n < k->object_count && k->cut_count; n++) {
        objects[n] = bytes;
        bytes += k->objects[n].size;
    }
    return bytes;
}

/* Arrays of as many elements as the block has threads, rounded up so that all are aligned to 64 bytes. */
static void allocate_thread_arrays(struct kernel_block *k, struct regions *r)
{
    LLVMBuilderRef b = k->builder;
    uint64_t *slots = arena_alloc(k->arena, (k->slot_count + 1) * sizeof *slots);
    uint64_t *objects = arena_alloc(k->arena, (k->object_count + 1) * sizeof *objects);
    const uint64_t bytes = lay_out(k, r, slots, objects);
    LLVMValueRef memory = NULL, count = LLVMBuildZExt(b, r->threads, r->i64, "");
    count = LLVMBuildAnd(b, LLVMBuildAdd(b, count, LLVMConstInt(r->i64, 63, false), ""),
                         LLVMConstInt(r->i64, ~63ull, false), "");
    if (bytes) {
        LLVMTypeRef type = LLVMFunctionType(r->pointer, &r->i64, 1, false);
        LLVMValueRef size = LLVMBuildMul(b, count, LLVMConstInt(r->i64, bytes, false), "");
        memory = LLVMBuildCall2(b, type, declare(k, "gpucc_cpu_scratch", type), &size, 1, "");
        unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
        LLVMAddCallSiteAttribute(memory, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(k->context, noalias, 0));
    }
    r->next = memory;
    r->choice = LLVMBuildAlloca(b, r->i32, "");
    r->ended = LLVMBuildAlloca(b, r->i32, "");
    r->any_ended = LLVMBuildAlloca(b, r->i32, "");
    r->doubt = LLVMBuildAlloca(b, r->i32, "");
    r->wrong = LLVMBuildAlloca(b, r->i32, "");
    LLVMBuildStore(b, i32(r, 0), r->ended);
    for (size_t n = 0; n < k->slot_count; n++)
        if (k->slots[n].kept)
            k->slots[n].keeper =
                k->slots[n].uniform
                    ? LLVMBuildAlloca(b, slot_type(r, k->slots[n].type), "")
                    : element(k, r->i8, memory, LLVMBuildMul(b, count, LLVMConstInt(r->i64, slots[n], false), ""));
    for (size_t n = 0; n < k->object_count && k->cut_count; n++)
        k->objects[n].keeper =
            element(k, r->i8, memory, LLVMBuildMul(b, count, LLVMConstInt(r->i64, objects[n], false), ""));
}

/* So LLVM sees that indices such as 3 * t do not wrap. */
static void limit_extent(const struct regions *r, LLVMValueRef extent, int most)
{
    LLVMContextRef context = LLVMGetTypeContext(r->i32);
    LLVMMetadataRef limits[] = {LLVMValueAsMetadata(LLVMConstInt(r->i32, 1, false)),
                                LLVMValueAsMetadata(LLVMConstInt(r->i32, (unsigned)most + 1, false))};
    LLVMMetadataRef range = LLVMMDNodeInContext2(context, limits, 2);
    LLVMSetMetadata(extent, LLVMGetMDKindIDInContext(context, "range", 5), LLVMMetadataAsValue(context, range));
}

static void read_extents(struct kernel_block *k, struct regions *r)
{
    for (unsigned d = 0; d < 3; d++) {
        size_t place = offsetof(struct gpucc_cpu_thread, block_dim) + d * sizeof(unsigned);
        LLVMValueRef at = element(k, r->i8, k->self, LLVMConstInt(r->i64, place, false));
        r->extent[d] = LLVMBuildLoad2(k->builder, r->i32, at, "");
        limit_extent(r, r->extent[d], d < 2 ? GPUCC_BLOCK_THREADS : GPUCC_BLOCK_DEPTH);
        r->threads = d ? LLVMBuildMul(k->builder, r->threads, r->extent[d], "") : r->extent[d];
    }
}

/* ---- the loop ---- */

static LLVMValueRef begin_round(struct region *region, const struct regions *r, int d, LLVMBasicBlockRef before)
{
    struct kernel_block *k = region->k;
    LLVMValueRef zero = i32(r, 0);
    LLVMPositionBuilderAtEnd(k->builder, before);
    LLVMBuildBr(k->builder, region->loop[d]);
    LLVMPositionBuilderAtEnd(k->builder, region->loop[d]);
    LLVMValueRef index = LLVMBuildPhi(k->builder, r->i32, "");
    LLVMAddIncoming(index, &zero, &before, 1);
    return region->index[d] = index;
}

static LLVMValueRef end_round(struct region *region, const struct regions *r, int d, LLVMBasicBlockRef after)
{
    struct kernel_block *k = region->k;
    LLVMPositionBuilderAtEnd(k->builder, region->next[d]);
    LLVMValueRef more = LLVMBuildAdd(k->builder, region->index[d], i32(r, 1), "");
    LLVMSetNUW(more, true);
    LLVMSetNSW(more, true);
    LLVMAddIncoming(region->index[d], &more, &region->next[d], 1);
    LLVMValueRef goes_on = LLVMBuildICmp(k->builder, LLVMIntULT, more, r->extent[d], "");
    return LLVMBuildCondBr(k->builder, goes_on, region->loop[d], after);
}

/* The number of the row's first thread: (z * ny + y) * nx, which does not wrap. */
static LLVMValueRef row_index(const struct region *region, const struct regions *r)
{
    LLVMBuilderRef b = region->k->builder;
    LLVMValueRef rows = LLVMBuildNUWMul(b, region->index[2], r->extent[1], "");
    rows = LLVMBuildNUWAdd(b, rows, region->index[1], "");
    return LLVMBuildZExt(b, LLVMBuildNUWMul(b, rows, r->extent[0], ""), r->i64, "");
}

static void store_index(const struct region *region, const struct regions *r)
{
    struct kernel_block *k = region->k;
    for (unsigned d = 0; d < 3; d++)
        LLVMBuildStore(k->builder, region->index[d],
                       element(k, r->i8, k->self, LLVMConstInt(r->i64, d * sizeof(unsigned), false)));
}

/* If no thread has ended, which is tested once, LLVM can make a loop without conditions. */
static void skip_ended(const struct region *region, const struct regions *r)
{
    struct kernel_block *k = region->k;
    LLVMBasicBlockRef prescan = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMBasicBlockRef runs = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMBuildCondBr(k->builder, region->all_run, runs, prescan);
    LLVMPositionBuilderAtEnd(k->builder, prescan);
    LLVMValueRef next = LLVMBuildLoad2(k->builder, r->i32, element(k, r->i32, r->next, region->linear), "");
    set_group(region, next);
    LLVMBuildCondBr(k->builder, LLVMBuildICmp(k->builder, LLVMIntNE, next, i32(r, 0), ""), runs, region->next[0]);
    LLVMPositionBuilderAtEnd(k->builder, runs);
}

/* From where a round begins to the beginning of the region's code. */
static void begin_thread(struct region *region, const struct regions *r)
{
    struct kernel_block *k = region->k;
    LLVMBuilderRef b = k->builder;
    const struct cut *cut = region->number ? &k->cuts[region->number - 1] : NULL;
    if (k->ragged && cut)
        skip_ended(region, r);
    for (size_t n = 0; cut && n < k->slot_count; n++) {
        struct slot *slot = &k->slots[n];
        if (!set_has(cut->live, n))
            continue;
        LLVMTypeRef type = slot_type(r, slot->type);
        LLVMValueRef value = r->kept[n];
        if (!slot->uniform)
            value = load_slot(region, r, slot->type, element(k, type, slot->keeper, region->linear));
        LLVMBuildStore(b, value, slot->variable);
    }
    for (size_t n = 0; n < k->object_count && k->cut_count; n++) {
        LLVMValueRef size = LLVMConstInt(r->i64, k->objects[n].size, false);
        LLVMValueRef at = element(k, r->i8, k->objects[n].keeper, LLVMBuildMul(b, region->linear, size, ""));
        map_put(&region->copies, k->objects[n].variable, at);
    }
    if (region->kind == PRESCANS)
        LLVMBuildStore(b, i32(r, 0), r->wrong);
    else if (k->reads_index_in_memory)
        store_index(region, r);
}

/* ---- where a region is left ---- */

static void store_next(const struct region *region, const struct regions *r, size_t next)
{
    struct kernel_block *k = region->k;
    LLVMBuildStore(k->builder, i32(r, next), r->choice);
    if (region->scatters || (k->ragged && region->number == 0))
        set_group(region, LLVMBuildStore(k->builder, i32(r, next), element(k, r->i32, r->next, region->linear)));
}

/* A new block, in which the builder stands then; it comes back with end_exit(). */
static LLVMBasicBlockRef begin_exit(const struct region *region)
{
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(region->k->context, region->k->function, "");
    LLVMPositionBuilderAtEnd(region->k->builder, block);
    return block;
}

static void end_exit(const struct region *region, LLVMBasicBlockRef back)
{
    LLVMBuildBr(region->k->builder, region->next[0]);
    LLVMPositionBuilderAtEnd(region->k->builder, back);
}

static void vote(const struct kernel_block *k, const struct regions *r, const struct cut *cut)
{
    LLVMValueRef sum = LLVMBuildAdd(k->builder, LLVMBuildLoad2(k->builder, r->i32, cut->votes, ""),
                                    LLVMBuildLoad2(k->builder, r->i32, cut->vote, ""), "");
    LLVMBuildStore(k->builder, sum, cut->votes);
}

static LLVMBasicBlockRef exit_to(struct region *region, const struct regions *r, size_t c)
{
    struct kernel_block *k = region->k;
    const struct cut *cut = &k->cuts[c];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(k->builder);
    if (region->kind == PRESCANS)
        return region->next[0];
    if (region->exits[c])
        return region->exits[c];
    region->exits[c] = begin_exit(region);
    for (size_t n = 0; n < k->slot_count; n++) {
        struct slot *slot = &k->slots[n];
        if (!set_has(cut->live, n))
            continue;
        LLVMValueRef at = slot->keeper;
        if (!slot->uniform)
            at = element(k, slot_type(r, slot->type), at, region->linear);
        store_slot(region, r, LLVMBuildLoad2(k->builder, slot->type, slot->variable, ""), at);
    }
    if (cut->vote)
        vote(k, r, cut);
    store_next(region, r, c + 1);
    end_exit(region, here);
    return region->exits[c];
}

static LLVMBasicBlockRef exit_at_end(struct region *region, const struct regions *r)
{
    if (region->kind == PRESCANS)
        return region->next[0];
    if (!region->end) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(region->k->builder);
        region->end = begin_exit(region);
        store_next(region, r, 0);
        end_exit(region, here);
    }
    return region->end;
}

/* ---- the code of a region ---- */

static LLVMBasicBlockRef copy_of_block(struct region *region, const struct regions *r, LLVMBasicBlockRef block)
{
    struct kernel_block *k = region->k;
    for (size_t c = 0; c < k->cut_count; c++)
        if (k->cuts[c].block == block)
            return exit_to(region, r, c);
    return map_get(&region->copies, block);
}

bool calls_executor(LLVMValueRef function, int depth)
{
    size_t size;
    if (!strncmp(LLVMGetValueName2(function, &size), "gpucc_cpu_", 10) || depth == 0)
        return true;
    FOR_BLOCKS(block, function)
    FOR_INSTRUCTIONS(i, block)
    {
        LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (called && (!LLVMIsAFunction(called) || calls_executor(called, depth - 1)))
            return true;
    }
    return false;
}

/* Whether what is called may ask for the thread's index. */
static bool needs_index(LLVMValueRef i)
{
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return called && (!LLVMIsAFunction(called) || calls_executor(called, 8));
}

/* Whether the memory may be a variable that all threads use one after the other. */
static bool may_be_object(const struct kernel_block *k, LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return !is_steady(k, pointer) || LLVMIsAAllocaInst(pointer);
}

static void mark_independent(const struct region *region, LLVMValueRef i, LLVMValueRef copy)
{
    struct kernel_block *k = region->k;
    const bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i), call = LLVMIsACallInst(i);
    if (!load && !store && !call)
        return;
    if (!k->cut_count && k->object_count && (call || may_be_object(k, LLVMGetOperand(i, store ? 1 : 0))))
        return;
    set_group(region, copy);
}

static void clone(struct region *region, LLVMValueRef i)
{
    LLVMValueRef copy = LLVMInstructionClone(i);
    LLVMInsertIntoBuilder(region->k->builder, copy);
    if (region->prescan && region->kind != TRUSTS && LLVMIsAGetElementPtrInst(copy))
        LLVMSetIsInBounds(copy, false); /* that is the question */
    mark_independent(region, i, copy);
    map_put(&region->copies, i, copy);
}

/* Only what may be wrong is reported. */
static void check_if_in_doubt(struct region *region, const struct regions *r, LLVMValueRef access)
{
    struct kernel_block *k = region->k;
    LLVMBasicBlockRef reporting = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMBasicBlockRef goes_on = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMBuildCondBr(k->builder, build_doubt(k, region->prescan, &region->copies, access), reporting, goes_on);
    LLVMPositionBuilderAtEnd(k->builder, reporting);
    store_index(region, r);
    clone(region, access);
    LLVMBuildBr(k->builder, goes_on);
    LLVMPositionBuilderAtEnd(k->builder, goes_on);
}

static void prescan_access(const struct region *region, const struct regions *r, LLVMValueRef access)
{
    struct kernel_block *k = region->k;
    LLVMValueRef doubt = LLVMBuildZExt(k->builder, build_doubt(k, region->prescan, &region->copies, access), r->i32,
                                       "");
    LLVMValueRef wrong = LLVMBuildLoad2(k->builder, r->i32, r->wrong, "");
    LLVMBuildStore(k->builder, LLVMBuildOr(k->builder, wrong, doubt, ""), r->wrong);
}

/* Behind the region's loop over threads, with a doubt. */
static void leave_prescan(const struct region *region, const struct regions *r)
{
    LLVMBuildStore(region->k->builder, i32(r, 1), r->doubt);
    LLVMBuildBr(region->k->builder, region->after);
}

/* In a region with loops the first suspicious access ends the prescan: the thread might loop forever, which it would
 * not in code that reports. */
static void leave_if_wrong(const struct region *region, const struct regions *r, LLVMBasicBlockRef from)
{
    struct kernel_block *k = region->k;
    bool any = false;
    FOR_INSTRUCTIONS(i, from)
        any |= is_access(i) || reports_undefined(i);
    if (!any || !region->prescan->loops)
        return;
    LLVMBasicBlockRef leaves = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMBasicBlockRef goes_on = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMValueRef wrong = LLVMBuildLoad2(k->builder, r->i32, r->wrong, "");
    LLVMBuildCondBr(k->builder, LLVMBuildICmp(k->builder, LLVMIntNE, wrong, i32(r, 0), ""), leaves, goes_on);
    LLVMPositionBuilderAtEnd(k->builder, leaves);
    leave_prescan(region, r);
    LLVMPositionBuilderAtEnd(k->builder, goes_on);
}

/* Unknown values have no copy, nor have their users and stores to memory. */
static bool is_left_out(const struct region *region, LLVMValueRef i)
{
    const struct prescan *prescan = region->prescan;
    if (LLVMIsATerminatorInst(i))
        return false;
    if (LLVMIsAStoreInst(i))
        return map_get(&prescan->unknown, LLVMGetOperand(i, 1)) || !LLVMIsAAllocaInst(LLVMGetOperand(i, 1)) ||
               map_get(&prescan->unknown, LLVMGetOperand(i, 0));
    return map_get(&prescan->unknown, i) || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind ||
           LLVMGetInstructionOpcode(i) == LLVMFence;
}

static void copy_to_prescan(struct region *region, const struct regions *r, LLVMValueRef i)
{
    struct kernel_block *k = region->k;
    LLVMBasicBlockRef join =
        LLVMIsATerminatorInst(i) ? map_get(&region->prescan->parted, LLVMGetInstructionParent(i)) : NULL;
    LLVMValueRef overflow = is_left_out(region, i) ? NULL : build_overflow(k, &region->copies, i);
    if (is_access(i))
        prescan_access(region, r, i);
    else if (reports_undefined(i))
        LLVMBuildStore(k->builder, i32(r, 1), r->wrong);
    else if (overflow)
        map_put(&region->copies, i, overflow);
    else if (join)
        LLVMBuildBr(k->builder, copy_of_block(region, r, join));
    else if (!is_left_out(region, i))
        clone(region, i);
}

static void copy_instruction(struct region *region, const struct regions *r, LLVMValueRef i)
{
    struct kernel_block *k = region->k;
    const int index = index_loaded(k, i);
    const bool access = region->prescan && is_access(i);
    if (region->kind == PRESCANS && LLVMIsATerminatorInst(i))
        leave_if_wrong(region, r, LLVMGetInstructionParent(i));
    if (index >= 0) {
        map_put(&region->copies, i, region->index[index / (int)sizeof(unsigned)]);
    } else if (LLVMGetInstructionOpcode(i) == LLVMRet) {
        LLVMBuildBr(k->builder, exit_at_end(region, r));
    } else if (region->kind == PRESCANS) {
        copy_to_prescan(region, r, i);
    } else if (access && region->kind == TELLS) {
        check_if_in_doubt(region, r, i);
    } else if (!access) {
        if (needs_index(i))
            store_index(region, r);
        clone(region, i);
    }
}

/* The launch ends here, or reports undefined behaviour. A region that checks has reported it before; a region that
 * trusts never reaches this block. */
static bool copy_fault(const struct region *region, const struct regions *r, LLVMBasicBlockRef block)
{
    LLVMBuilderRef b = region->k->builder;
    const bool is_seen = region->kind == TRUSTS && sees_undefined(region->prescan, block);
    if (region->kind == TELLS || (!is_fatal(block) && !is_seen))
        return false;
    if (region->kind == TRUSTS) {
        LLVMBuildUnreachable(b);
    } else if (region->prescan->loops) {
        leave_prescan(region, r);
    } else {
        LLVMBuildStore(b, i32(r, 1), r->wrong);
        LLVMBuildBr(b, region->next[0]);
    }
    return true;
}

static void rename_operands(struct region *region, const struct regions *r, LLVMValueRef copy)
{
    FOR_OPERANDS(n, copy)
    {
        LLVMValueRef operand = LLVMGetOperand(copy, n);
        LLVMValueRef renamed = LLVMValueIsBasicBlock(operand)
                                   ? LLVMBasicBlockAsValue(copy_of_block(region, r, LLVMValueAsBasicBlock(operand)))
                                   : map_get(&region->copies, operand);
        if (renamed)
            LLVMSetOperand(copy, n, renamed);
    }
}

static void copy_code(struct region *region, const struct regions *r, const struct flow *flow)
{
    struct kernel_block *k = region->k;
    uint64_t *stop = flow_set(flow), *inside = flow_set(flow);
    for (size_t c = 0; c < k->cut_count; c++)
        set_add(stop, (size_t)flow_number(flow, k->cuts[c].block));
    flow_reach(flow, flow_number(flow, region->start), stop, inside);
    for (int b = 0; b < flow->count; b++)
        if (set_has(inside, (size_t)b) && !set_has(stop, (size_t)b)) {
            map_put(&region->copies, flow->blocks[b], LLVMAppendBasicBlockInContext(k->context, k->function, ""));
            region->scatters |= map_get(&k->scattering, flow->blocks[b]) != NULL;
        }
    LLVMBuildBr(k->builder, copy_of_block(region, r, region->start));
    for (int b = 0; b < flow->count; b++) {
        LLVMBasicBlockRef block = set_has(inside, (size_t)b) ? map_get(&region->copies, flow->blocks[b]) : NULL;
        if (!block)
            continue;
        LLVMPositionBuilderAtEnd(k->builder, block);
        if (copy_fault(region, r, flow->blocks[b]))
            continue;
        FOR_INSTRUCTIONS(i, flow->blocks[b])
        copy_instruction(region, r, i);
    }
    for (int b = 0; b < flow->count; b++)
        if (set_has(inside, (size_t)b) && !set_has(stop, (size_t)b))
            FOR_INSTRUCTIONS(i, flow->blocks[b])
    if (index_loaded(k, i) < 0 && map_get(&region->copies, i))
        rename_operands(region, r, map_get(&region->copies, i));
}

/* ---- from region to region ---- */

/* A table of where the barriers are, for messages. */
static LLVMValueRef places(const struct kernel_block *k, const struct regions *r)
{
    LLVMValueRef *items = arena_alloc(k->arena, (k->cut_count + 1) * sizeof *items);
    for (size_t c = 0; c < k->cut_count; c++)
        items[c] = k->cuts[c].place ? k->cuts[c].place : LLVMConstNull(r->pointer);
    LLVMValueRef array = LLVMConstArray2(r->pointer, items, k->cut_count);
    LLVMValueRef global = LLVMAddGlobal(k->module, LLVMTypeOf(array), "");
    LLVMSetInitializer(global, array);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* In checked code the executor learns at which barrier each thread is, in case it has to report. */
static void pass_sites(const struct kernel_block *k, const struct regions *r)
{
    LLVMValueRef *sites = arena_alloc(k->arena, (k->cut_count + 1) * sizeof *sites);
    bool any = false;
    for (size_t c = 0; c < k->cut_count; c++) {
        sites[c] = k->cuts[c].site ? k->cuts[c].site : LLVMConstNull(r->pointer);
        any |= k->cuts[c].site != NULL;
    }
    if (!any)
        return;
    LLVMTypeRef parameters[] = {r->pointer, r->i32, r->pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(k->context), parameters, 3, false);
    LLVMValueRef table = private_global(k->module, LLVMConstArray2(r->pointer, sites, k->cut_count), true);
    LLVMValueRef arguments[] = {r->next, r->threads, table};
    LLVMBuildCall2(k->builder, type, declare(k, "gpucc_cpu_watch_barriers", type), arguments, 3, "");
}

/* The number of the region to which all threads have come. */
static LLVMValueRef agreed(const struct region *region, const struct regions *r)
{
    const struct kernel_block *k = region->k;
    if (!region->scatters)
        return LLVMBuildLoad2(k->builder, r->i32, r->choice, "");
    pass_sites(k, r);
    LLVMTypeRef parameters[] = {r->pointer, r->i32, r->pointer, r->pointer};
    LLVMTypeRef type = LLVMFunctionType(r->i32, parameters, 4, false);
    LLVMValueRef arguments[] = {r->next, r->threads, places(k, r), r->any_ended};
    LLVMValueRef where = LLVMBuildCall2(k->builder, type, declare(k, "gpucc_cpu_agree", type), arguments, 4, "");
    LLVMBuildStore(k->builder, LLVMBuildLoad2(k->builder, r->i32, r->any_ended, ""), r->ended);
    return where;
}

static void go_on(const struct region *region, const struct regions *r)
{
    struct kernel_block *k = region->k;
    LLVMBasicBlockRef only = region->end;
    unsigned ways = region->end != NULL;
    for (size_t c = 0; c < k->cut_count; c++)
        if (region->exits[c]) {
            only = r->items[c + 1].head;
            ways++;
        }
    LLVMBasicBlockRef finish = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMPositionBuilderAtEnd(k->builder, finish);
    LLVMBuildRetVoid(k->builder);
    LLVMPositionBuilderAtEnd(k->builder, region->after);
    if (ways <= 1) {
        LLVMBuildBr(k->builder, only && only != region->end ? only : finish);
        return;
    }
    LLVMValueRef choice = LLVMBuildSwitch(k->builder, agreed(region, r), finish, ways);
    for (size_t c = 0; c < k->cut_count; c++)
        if (region->exits[c])
            LLVMAddCase(choice, i32(r, c + 1), r->items[c + 1].head);
}

/* When all threads have come to the cut: votes are counted, and the executor of checked code learns of a barrier. */
static void pass_cut(const struct kernel_block *k, const struct regions *r, const struct cut *cut)
{
    if (cut->vote) {
        LLVMBuildStore(k->builder, LLVMBuildLoad2(k->builder, r->i32, cut->votes, ""), cut->outcome);
        LLVMBuildStore(k->builder, i32(r, 0), cut->votes);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(k->context), NULL, 0, false);
    if (cut->site)
        LLVMBuildCall2(k->builder, type, declare(k, "gpucc_cpu_watch_synced", type), NULL, 0, "");
}

/* Before the loop: loads the uniform values. */
static void begin_region(const struct region *region, struct regions *r)
{
    struct kernel_block *k = region->k;
    const struct cut *cut = region->number ? &k->cuts[region->number - 1] : NULL;
    for (size_t n = 0; cut && n < k->slot_count; n++)
        if (set_has(cut->live, n) && k->slots[n].uniform)
            r->kept[n] = load_slot(region, r, k->slots[n].type, k->slots[n].keeper);
}

/* At a round's end. */
static void note_doubt(const struct region *region, const struct regions *r)
{
    LLVMBuilderRef b = region->k->builder;
    LLVMPositionBuilderAtEnd(b, region->next[0]);
    LLVMValueRef doubt = LLVMBuildLoad2(b, r->i32, r->doubt, ""), wrong = LLVMBuildLoad2(b, r->i32, r->wrong, "");
    LLVMBuildStore(b, LLVMBuildOr(b, doubt, wrong, ""), r->doubt);
}

/* Before the region's first loop. */
static void begin_prescan(const struct region *region, const struct regions *r)
{
    struct kernel_block *k = region->k;
    LLVMValueRef trust = build_trust(k, region->prescan);
    if (region->kind == PRESCANS)
        LLVMBuildStore(k->builder, LLVMBuildZExt(k->builder, LLVMBuildNot(k->builder, trust, ""), r->i32, ""),
                       r->doubt);
}

static void make_region(struct region *region, struct regions *r, const struct flow *flow)
{
    struct kernel_block *k = region->k;
    LLVMMetadataRef loop = codegen_parallel_loop(k->context, &region->group);
    region->copies.arena = k->arena;
    region->exits = arena_alloc(k->arena, (k->cut_count + 1) * sizeof *region->exits);
    region->after = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMPositionBuilderAtEnd(k->builder, region->head);
    LLVMValueRef ended = LLVMBuildLoad2(k->builder, r->i32, r->ended, "");
    region->all_run = LLVMBuildICmp(k->builder, LLVMIntEQ, ended, i32(r, 0), "");
    if (region->number && region == &r->items[region->number])
        pass_cut(k, r, &k->cuts[region->number - 1]);
    if (region->prescan && region == &r->items[region->number])
        begin_prescan(region, r);
    for (int d = 0; d < 3; d++) {
        region->loop[d] = LLVMAppendBasicBlockInContext(k->context, k->function, "");
        region->next[d] = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    }
    begin_region(region, r);
    begin_round(region, r, 2, region->head);
    begin_round(region, r, 1, region->loop[2]);
    LLVMValueRef first = row_index(region, r);
    LLVMValueRef x = begin_round(region, r, 0, region->loop[1]);
    region->linear = LLVMBuildNUWAdd(k->builder, first, LLVMBuildZExt(k->builder, x, r->i64, ""), "");
    begin_thread(region, r);
    copy_code(region, r, flow);
    if (region->kind == PRESCANS)
        note_doubt(region, r);
    LLVMValueRef branch = end_round(region, r, 0, region->next[1]);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(k->context, "llvm.loop", 9),
                    LLVMMetadataAsValue(k->context, loop));
    end_round(region, r, 1, region->next[2]);
    end_round(region, r, 2, region->after);
    if (region->kind != PRESCANS)
        go_on(region, r);
}

/* Looks first, and then runs the code in one of two ways. */
static void make_checked_region(struct region *prescanned, struct regions *r, const struct flow *flow)
{
    struct kernel_block *k = prescanned->k;
    struct region trusts = *prescanned, reporting = *prescanned;
    trusts.kind = TRUSTS;
    trusts.head = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    reporting.kind = TELLS;
    reporting.head = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    prescanned->kind = PRESCANS;
    make_region(prescanned, r, flow);
    LLVMPositionBuilderAtEnd(k->builder, prescanned->after);
    LLVMValueRef doubt = LLVMBuildLoad2(k->builder, r->i32, r->doubt, "");
    LLVMBuildCondBr(k->builder, LLVMBuildICmp(k->builder, LLVMIntEQ, doubt, i32(r, 0), ""), trusts.head,
                    reporting.head);
    make_region(&trusts, r, flow);
    make_region(&reporting, r, flow);
}

static void delete_old(const struct kernel_block *k, const struct flow *flow)
{
    for (int b = 0; b < flow->count; b++)
        if (flow->blocks[b] != k->prologue)
            LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(flow->blocks[b]));
    for (int b = 0; b < flow->count; b++)
        if (flow->blocks[b] != k->prologue)
            LLVMDeleteBasicBlock(flow->blocks[b]);
}

void make_regions(struct kernel_block *k)
{
    const struct flow *flow = flow_new(k->arena, k->function);
    struct regions r = {.i8 = LLVMInt8TypeInContext(k->context),
                        .i32 = LLVMInt32TypeInContext(k->context),
                        .i64 = LLVMInt64TypeInContext(k->context),
                        .pointer = LLVMPointerTypeInContext(k->context, 0)};
    r.items = arena_alloc(k->arena, (k->cut_count + 1) * sizeof *r.items);
    r.kept = arena_alloc(k->arena, (k->slot_count + 1) * sizeof *r.kept);
    for (size_t n = 0; n <= k->cut_count; n++)
        r.items[n] = (struct region){.k = k,
                                     .number = n,
                                     .start = n ? k->cuts[n - 1].after : k->body,
                                     .head = LLVMAppendBasicBlockInContext(k->context, k->function, "")};
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(k->prologue));
    LLVMPositionBuilderAtEnd(k->builder, k->prologue);
    read_extents(k, &r);
    allocate_thread_arrays(k, &r);
    for (size_t c = 0; c < k->cut_count; c++)
        if (k->cuts[c].vote)
            LLVMBuildStore(k->builder, i32(&r, 0), k->cuts[c].votes);
    LLVMBuildBr(k->builder, r.items[0].head);
    const int *joins = k->reporting != REPORT_ALL ? flow_joins(flow) : NULL;
    for (size_t n = 0; n <= k->cut_count; n++) {
        struct region *region = &r.items[n];
        region->prescan = joins ? prescan_region(k, flow, joins, region->start) : NULL;
        (region->prescan && region->prescan->first ? make_checked_region : make_region)(region, &r, flow);
    }
    delete_old(k, flow);
}
