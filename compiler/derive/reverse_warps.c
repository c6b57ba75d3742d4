/* Adjoints of kernels: warp shuffles.
 *
 * A lane that takes part has the number of its source, or its own where that is outside or has ended.  On the way back,
 * a number's adjoint gets those of all lanes that have read it: along a constant distance that is one lane, besides the
 * lane itself; else each lane asks all others, one after another.  So sums have one order. */
#include "derive/reverse_internal.h"

#include <string.h>

enum { WARP = 32 };

static bool is_cpu(const struct reversal *r)
{
    return !begins(LLVMGetTarget(r->d->module), "nvptx");
}

bool is_shuffle(struct deriving *d, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
    const char *name = callee ? name_of(callee) : "";
    return begins(name, "llvm.nvvm.shfl") || !strcmp(name, "gpucc_cpu_warp_shuffle") ||
           (callee && call_of(d, i).kind == CALL_SHUFFLE);
}

bool is_vote(LLVMValueRef i)
{
    static const char *const names[] = {"llvm.nvvm.vote.", "llvm.nvvm.match.", "llvm.nvvm.redux.",
                                        "gpucc_cpu_warp_vote", "gpucc_cpu_warp_match", "gpucc_cpu_warp_reduce"};
    LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
    for (size_t k = 0; callee && k < sizeof names / sizeof *names; k++)
        if (begins(name_of(callee), names[k]))
            return true;
    return false;
}

/* The reversal of one shuffle; lanes are numbers of 32 bits. */
struct exchange {
    struct reversal *r;
    LLVMBuilderRef builder;
    LLVMTypeRef word;
    LLVMValueRef mask, by, width, lane;
    LLVMValueRef first, low;    /* the sub-warp's first lane, and the lane in it */
    LLVMValueRef there;         /* bits: the lanes that take part */
    LLVMValueRef alive;         /* bits: those whose number has not been discarded */
};

static LLVMValueRef number(const struct exchange *e, unsigned value)
{
    return LLVMConstInt(e->word, value, false);
}

static LLVMValueRef compare(const struct exchange *e, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->builder, predicate, a, b, "");
}

static LLVMValueRef both(const struct exchange *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(e->builder, a, b, "");
}

/* Whether a lane's bit is set; lanes are below 32. */
static LLVMValueRef has_lane(const struct exchange *e, LLVMValueRef bits, LLVMValueRef lane)
{
    LLVMValueRef bit = LLVMBuildLShr(e->builder, bits, both(e, lane, number(e, WARP - 1)), "");
    return LLVMBuildTrunc(e->builder, bit, LLVMInt1TypeInContext(e->r->d->context), "");
}

/* ---- what lanes do together ---- */

static LLVMValueRef executor_function(const struct exchange *e, const char *name, LLVMTypeRef *types, unsigned count)
{
    LLVMValueRef function = LLVMGetNamedFunction(e->r->d->module, name);
    LLVMTypeRef result = LLVMInt64TypeInContext(e->r->d->context);
    return function ? function
                    : LLVMAddFunction(e->r->d->module, name, LLVMFunctionType(result, types, count, false));
}

static LLVMValueRef call_together(const struct exchange *e, LLVMValueRef function, LLVMValueRef *values, unsigned count)
{
    set_attribute(function, "convergent");
    return build_call(e->builder, function, values, count);
}

/* Bits: the lanes that take part and for which the condition holds. */
static LLVMValueRef vote(const struct exchange *e, LLVMValueRef condition)
{
    LLVMModuleRef module = e->r->d->module;
    if (!is_cpu(e->r)) {
        LLVMValueRef values[] = {e->mask, condition};
        return call_together(e, intrinsic(module, "llvm.nvvm.vote.ballot.sync", NULL, 0), values, 2);
    }
    LLVMTypeRef types[] = {e->word, e->word};
    LLVMValueRef values[] = {e->mask, LLVMBuildZExt(e->builder, condition, e->word, "")};
    LLVMValueRef lanes = call_together(e, executor_function(e, "gpucc_cpu_warp_vote", types, 2), values, 2);
    return LLVMBuildTrunc(e->builder, lanes, e->word, "");
}

static LLVMValueRef word_of_lane(const struct exchange *e, LLVMValueRef word, LLVMValueRef lane)
{
    LLVMValueRef values[] = {e->mask, word, lane, number(e, WARP - 1)};
    return call_together(e, intrinsic(e->r->d->module, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0), values, 4);
}

static LLVMValueRef bits_of_lane(const struct exchange *e, LLVMValueRef bits, LLVMValueRef lane)
{
    LLVMTypeRef wide = LLVMInt64TypeInContext(e->r->d->context), type = LLVMTypeOf(bits);
    if (is_cpu(e->r)) {
        LLVMTypeRef types[] = {e->word, wide, e->word};
        LLVMValueRef values[] = {e->mask, LLVMBuildZExt(e->builder, bits, wide, ""), lane};
        LLVMValueRef got = call_together(e, executor_function(e, "gpucc_cpu_warp_shuffle", types, 3), values, 3);
        return LLVMBuildTrunc(e->builder, got, type, "");
    }
    if (LLVMGetIntTypeWidth(type) <= WARP) {
        LLVMValueRef word = word_of_lane(e, LLVMBuildZExt(e->builder, bits, e->word, ""), lane);
        return LLVMBuildTrunc(e->builder, word, type, "");
    }
    LLVMValueRef half = LLVMConstInt(wide, WARP, false);
    LLVMValueRef low = word_of_lane(e, LLVMBuildTrunc(e->builder, bits, e->word, ""), lane);
    LLVMValueRef high = LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, bits, half, ""), e->word, "");
    high = LLVMBuildZExt(e->builder, word_of_lane(e, high, lane), wide, "");
    return LLVMBuildOr(e->builder, LLVMBuildShl(e->builder, high, half, ""),
                       LLVMBuildZExt(e->builder, low, wide, ""), "");
}

/* The number that a lane has, which takes part. */
static LLVMValueRef number_of_lane(const struct exchange *e, LLVMValueRef value, LLVMValueRef lane)
{
    const unsigned long long size = LLVMStoreSizeOfType(e->r->d->layout, LLVMTypeOf(value));
    LLVMTypeRef bits = LLVMIntTypeInContext(e->r->d->context, 8 * (unsigned)size);
    LLVMValueRef got = bits_of_lane(e, LLVMBuildBitCast(e->builder, value, bits, ""), lane);
    return LLVMBuildBitCast(e->builder, got, LLVMTypeOf(value), "");
}

/* ---- the lanes that numbers came from ---- */

/* The sub-warp and the distance, of which hardware takes five bits. */
static void find_place(struct exchange *e, LLVMValueRef by)
{
    e->by = both(e, by, number(e, WARP - 1));
    e->low = both(e, e->lane, LLVMBuildSub(e->builder, e->width, number(e, 1), ""));
    e->first = LLVMBuildSub(e->builder, e->lane, e->low, "");
}

enum mode { MODE_IDX, MODE_UP, MODE_DOWN, MODE_XOR };

static enum mode mode_of(LLVMValueRef i)
{
    const char *mode = name_of(called_function(i)) + strlen("gpucc_shfl_");
    return begins(mode, "idx") ? MODE_IDX : begins(mode, "up") ? MODE_UP : begins(mode, "down") ? MODE_DOWN : MODE_XOR;
}

/* The lane at this distance, and whether the sub-warp has it. */
static LLVMValueRef lane_along(const struct exchange *e, enum mode mode, LLVMValueRef *is_inside)
{
    LLVMValueRef last = LLVMBuildSub(e->builder, e->width, number(e, 1), "");
    LLVMValueRef lane = mode == MODE_UP     ? LLVMBuildSub(e->builder, e->lane, e->by, "")
                        : mode == MODE_DOWN ? LLVMBuildAdd(e->builder, e->lane, e->by, "")
                        : mode == MODE_XOR  ? LLVMBuildXor(e->builder, e->lane, e->by, "")
                                            : LLVMBuildOr(e->builder, e->first, both(e, e->by, last), "");
    *is_inside = mode == MODE_UP     ? compare(e, LLVMIntULE, e->by, e->low)
                 : mode == MODE_DOWN ? compare(e, LLVMIntULT, e->by, LLVMBuildSub(e->builder, e->width, e->low, ""))
                 : mode == MODE_XOR  ? compare(e, LLVMIntULE, lane, LLVMBuildOr(e->builder, e->lane, last, ""))
                                     : LLVMConstInt(LLVMInt1TypeInContext(e->r->d->context), 1, false);
    return lane;
}

/* The lane whose number this one has got. */
static LLVMValueRef source_lane(const struct exchange *e, enum mode mode)
{
    LLVMValueRef is_inside, lane = lane_along(e, mode, &is_inside);
    return LLVMBuildSelect(e->builder, both(e, is_inside, has_lane(e, e->there, lane)), lane, e->lane, "");
}

/* ---- sums ---- */

/* The adjoint's summands so far, and whether one is not discarded. */
struct sum {
    LLVMValueRef value, is_alive;
};

static void add_if(const struct exchange *e, struct sum *sum, LLVMValueRef condition, LLVMValueRef summand)
{
    LLVMValueRef added = LLVMBuildFAdd(e->builder, sum->value, summand, "");
    sum->value = LLVMBuildSelect(e->builder, condition, added, sum->value, "");
    sum->is_alive = LLVMBuildOr(e->builder, sum->is_alive, condition, "");
}

/* Along one distance: the lane on the other side, and this one where it has got its own number. */
static void add_opposite(const struct exchange *e, enum mode mode, LLVMValueRef adjoint, struct sum *sum)
{
    const enum mode back = mode == MODE_UP ? MODE_DOWN : mode == MODE_DOWN ? MODE_UP : MODE_XOR;
    LLVMValueRef is_inside, lane = lane_along(e, back, &is_inside), source = source_lane(e, mode);
    LLVMValueRef is_other = both(e, both(e, is_inside, has_lane(e, e->alive, lane)),
                                 compare(e, LLVMIntNE, lane, e->lane));
    LLVMValueRef got = number_of_lane(e, adjoint, LLVMBuildSelect(e->builder, is_other, lane, e->lane, ""));
    add_if(e, sum, is_other, got);
    add_if(e, sum, both(e, compare(e, LLVMIntEQ, source, e->lane), has_lane(e, e->alive, e->lane)), adjoint);
}

/* All lanes that have got this one's number, the lowest first. */
static void add_readers(const struct exchange *e, enum mode mode, LLVMValueRef adjoint, struct sum *sum)
{
    LLVMValueRef source = source_lane(e, mode);
    for (unsigned k = 0; k < WARP; k++) {
        LLVMValueRef is_there = has_lane(e, e->there, number(e, k));
        LLVMValueRef lane = LLVMBuildSelect(e->builder, is_there, number(e, k), e->lane, "");
        LLVMValueRef read = bits_of_lane(e, source, lane), got = number_of_lane(e, adjoint, lane);
        add_if(e, sum, both(e, has_lane(e, e->alive, number(e, k)), compare(e, LLVMIntEQ, read, e->lane)), got);
    }
}

/* Whether each lane has one lane on the other side: the distance is the same for all. */
static bool is_mirrored(struct reversal *r, LLVMValueRef i, enum mode mode)
{
    LLVMValueRef by = LLVMGetOperand(i, 2), width = LLVMGetOperand(i, 3);
    if (mode == MODE_IDX || !LLVMIsAConstantInt(width) || !is_same_in_block(r, by))
        return false;
    const unsigned long long lanes = LLVMConstIntGetZExtValue(width);
    return mode != MODE_XOR || lanes == WARP ||
           (LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) % WARP < lanes);
}

void reverse_shuffle(struct reversal *r, LLVMValueRef i)
{
    const enum mode mode = mode_of(i);
    LLVMTypeRef bit = LLVMInt1TypeInContext(r->d->context);
    LLVMValueRef adjoint = pop_adjoint(r, i), is_alive = r->is_alive;
    struct exchange e = {.r = r, .builder = r->builder, .word = LLVMInt32TypeInContext(r->d->context),
                         .mask = primal(r, LLVMGetOperand(i, 0)), .width = primal(r, LLVMGetOperand(i, 3)),
                         .lane = primal(r, LLVMGetOperand(i, 4))};
    struct sum sum = {LLVMConstReal(LLVMTypeOf(adjoint), -0.0), LLVMConstInt(bit, 0, false)};
    find_place(&e, primal(r, LLVMGetOperand(i, 2)));
    e.there = vote(&e, LLVMConstInt(bit, 1, false));
    e.alive = is_alive ? vote(&e, is_alive) : e.there;
    if (is_mirrored(r, i, mode))
        add_opposite(&e, mode, adjoint, &sum);
    else
        add_readers(&e, mode, adjoint, &sum);
    r->is_alive = sum.is_alive;
    add_to_adjoint(r, LLVMGetOperand(i, 1), sum.value);
}

/* ---- rows and columns of threads ---- */

/* Lanes whose numbers differ in the bits from `first` on, below `end`: powers of two. */
struct lanes {
    LLVMValueRef first, end;
};

/* As many aligned lanes as divide the warp and the row are in one row; others of a warp differ along other axes. */
static struct lanes lanes_of(const struct exchange *e, enum sharing sharing)
{
    LLVMValueRef extent = build_launch(e->r->d, e->builder, LAUNCH_BLOCK_DIM, 0);
    extent = LLVMBuildOr(e->builder, extent, number(e, WARP), "");
    extent = both(e, extent, LLVMBuildNeg(e->builder, extent, ""));
    return (struct lanes){sharing == SHARED_BY_COLUMNS ? extent : number(e, 1),
                          sharing == SHARED_BY_ROWS ? extent : number(e, WARP)};
}

/* The first of these lanes. */
static LLVMValueRef leader_of(const struct exchange *e, struct lanes lanes)
{
    LLVMValueRef bits = LLVMBuildSub(e->builder, lanes.end, lanes.first, "");
    return both(e, e->lane, LLVMBuildNot(e->builder, bits, ""));
}

/* for (by = first; by < end; by *= 2) sum += the sum of lane ^ by; in blocks of their own. */
static LLVMValueRef sum_of_lanes(const struct exchange *e, struct lanes lanes, LLVMValueRef summand)
{
    LLVMContextRef context = e->r->d->context;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(context, e->r->made, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, e->r->made, "");
    LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(context, e->r->made, "");
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, head);
    LLVMValueRef by = LLVMBuildPhi(e->builder, e->word, ""), sum = LLVMBuildPhi(e->builder, LLVMTypeOf(summand), "");
    LLVMBuildCondBr(e->builder, compare(e, LLVMIntULT, by, lanes.end), body, behind);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef other = number_of_lane(e, sum, LLVMBuildXor(e->builder, e->lane, by, ""));
    LLVMValueRef next_sum = LLVMBuildFAdd(e->builder, sum, other, "");
    LLVMValueRef next_by = LLVMBuildShl(e->builder, by, number(e, 1), "");
    LLVMBuildBr(e->builder, head);
    LLVMAddIncoming(by, (LLVMValueRef[]){lanes.first, next_by}, (LLVMBasicBlockRef[]){before, body}, 2);
    LLVMAddIncoming(sum, (LLVMValueRef[]){summand, next_sum}, (LLVMBasicBlockRef[]){before, body}, 2);
    LLVMPositionBuilderAtEnd(e->builder, behind);
    return sum;
}

/* Whether all lanes have their first one's address: those of a loop may be in different iterations. */
static LLVMValueRef have_one_place(const struct exchange *e, LLVMValueRef leader, LLVMValueRef shadow)
{
    LLVMValueRef place = LLVMBuildPtrToInt(e->builder, shadow, e->word, "");
    LLVMValueRef values[] = {e->mask, compare(e, LLVMIntEQ, word_of_lane(e, place, leader), place)};
    return call_together(e, intrinsic(e->r->d->module, "llvm.nvvm.vote.all.sync", NULL, 0), values, 2);
}

/* Whether all lanes are there, and more than one may use an element. */
static LLVMValueRef is_worth_sums(const struct exchange *e, struct lanes lanes)
{
    LLVMValueRef there = call_together(e, intrinsic(e->r->d->module, "llvm.nvvm.activemask", NULL, 0), NULL, 0);
    return both(e, compare(e, LLVMIntEQ, there, LLVMConstAllOnes(e->word)),
                compare(e, LLVMIntULT, lanes.first, lanes.end));
}

/* Atomic additions of floating-point numbers to one element of shared memory run one after another, each as a loop of
 * comparisons.  So whole warps add up what lanes add to it, and one lane stores that. */
void add_to_shared(struct reversal *r, enum sharing sharing, LLVMValueRef shadow, LLVMValueRef adjoint)
{
    LLVMContextRef context = r->d->context;
    const unsigned long long size = LLVMStoreSizeOfType(r->d->layout, LLVMTypeOf(adjoint));
    if (sharing == SHARED_BY_NONE || is_cpu(r) || size < 4) {
        add_to_element(r, NULL, shadow, adjoint);
        return;
    }
    struct exchange e = {.r = r, .builder = r->builder, .word = LLVMInt32TypeInContext(context)};
    LLVMBasicBlockRef whole = LLVMAppendBasicBlockInContext(context, r->made, "");
    LLVMBasicBlockRef summing = LLVMAppendBasicBlockInContext(context, r->made, "");
    LLVMBasicBlockRef adding = LLVMAppendBasicBlockInContext(context, r->made, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, r->made, "");
    adjoint = guarded_sum(r, adjoint, zero_of(LLVMTypeOf(adjoint)));
    r->is_alive = NULL;
    const struct lanes lanes = lanes_of(&e, sharing);
    LLVMBuildCondBr(e.builder, is_worth_sums(&e, lanes), whole, adding);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e.builder);
    LLVMPositionBuilderAtEnd(e.builder, whole);
    e.mask = LLVMConstAllOnes(e.word);
    e.lane = build_call(e.builder, intrinsic(r->d->module, "llvm.nvvm.read.ptx.sreg.laneid", NULL, 0), NULL, 0);
    LLVMValueRef leader = leader_of(&e, lanes);
    LLVMBuildCondBr(e.builder, have_one_place(&e, leader, shadow), summing, adding);
    LLVMPositionBuilderAtEnd(e.builder, summing);
    LLVMValueRef sum = sum_of_lanes(&e, lanes, adjoint);
    LLVMBasicBlockRef summed = LLVMGetInsertBlock(e.builder);
    LLVMBuildCondBr(e.builder, compare(&e, LLVMIntEQ, leader, e.lane), adding, done);
    LLVMPositionBuilderAtEnd(e.builder, adding);
    LLVMValueRef added = LLVMBuildPhi(e.builder, LLVMTypeOf(adjoint), "");
    LLVMAddIncoming(added, (LLVMValueRef[]){adjoint, adjoint, sum}, (LLVMBasicBlockRef[]){here, whole, summed}, 3);
    add_to_element(r, NULL, shadow, added);
    LLVMBuildBr(e.builder, done);
    LLVMPositionBuilderAtEnd(e.builder, done);
}

/* ---- structs ---- */

bool is_struct_shuffle(LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
    const char *name = callee ? name_of(callee) : "";
    return begins(name, "gpucc_shfl_") && strlen(name) > strlen("_struct") &&
           !strcmp(name + strlen(name) - strlen("_struct"), "_struct");
}

static bool can_be_shuffled(const struct deriving *d, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return (kind == LLVMIntegerTypeKind || kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ||
            kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) &&
           LLVMStoreSizeOfType(d->layout, type) <= 8;
}

/* A function like <gpucc/warp.h>'s, of which a file may not have those that its structs need. */
static LLVMValueRef define_shuffle(struct deriving *d, const char *name, LLVMTypeRef type, enum mode mode)
{
    struct reversal r = {.d = d};
    LLVMTypeRef word = LLVMInt32TypeInContext(d->context), types[] = {word, type, word, word, word};
    LLVMValueRef is_inside, made = LLVMAddFunction(d->module, name, LLVMFunctionType(type, types, 5, false));
    struct exchange e = {.r = &r, .builder = LLVMCreateBuilderInContext(d->context), .word = word,
                         .mask = LLVMGetParam(made, 0), .width = LLVMGetParam(made, 3), .lane = LLVMGetParam(made, 4)};
    LLVMSetLinkage(made, LLVMInternalLinkage);
    set_attribute(made, "alwaysinline");
    set_attribute(made, "convergent");
    set_attribute(made, "nounwind");
    LLVMPositionBuilderAtEnd(e.builder, LLVMAppendBasicBlockInContext(d->context, made, ""));
    find_place(&e, LLVMGetParam(made, 2));
    LLVMValueRef lane = lane_along(&e, mode, &is_inside);
    lane = LLVMBuildSelect(e.builder, is_inside, lane, e.lane, "");
    LLVMBuildRet(e.builder, number_of_lane(&e, LLVMGetParam(made, 1), lane));
    LLVMDisposeBuilder(e.builder);
    return made;
}

static LLVMValueRef shuffle_like(struct deriving *d, LLVMValueRef i, LLVMTypeRef type)
{
    const char *of = name_of(called_function(i));
    char *spelled = LLVMPrintTypeToString(type);
    const char *name = arena_printf(d->arena, "%.*s_%s", (int)(strlen(of) - strlen("_struct")), of, spelled);
    LLVMDisposeMessage(spelled);
    LLVMValueRef made = LLVMGetNamedFunction(d->module, name);
    return made ? made : define_shuffle(d, name, type, mode_of(i));
}

enum { VARIABLE, SIZE, MASK }; /* arguments of struct shuffles */

/* Members because of which a type is not shuffled one by one; null: it is. */
static const char *fault_of(const struct deriving *d, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    const char *name = kind == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    const char *fault = NULL;
    if (kind == LLVMPointerTypeKind)
        return "pointers";
    if (name && begins(name, "union."))
        return "unions";
    if (kind == LLVMArrayTypeKind)
        return LLVMGetArrayLength2(type) ? fault_of(d, LLVMGetElementType(type)) : NULL;
    if (kind != LLVMStructTypeKind)
        return can_be_shuffled(d, type) ? NULL : "vectors and wide numbers";
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type) && !fault; k++)
        fault = fault_of(d, LLVMStructGetTypeAtIndex(type, k));
    return fault;
}

void refuse_struct_shuffle(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef variable = LLVMGetOperand(i, VARIABLE);
    const char *fault = LLVMIsAAllocaInst(variable) ? fault_of(r->d, LLVMGetAllocatedType(variable)) : NULL;
    if (fault)
        refuse(r->d, r->s, i, "the adjoint of a kernel does not support shuffles of structs with %s", fault);
    else
        refuse(r->d, r->s, i,
               "the adjoint of a kernel supports shuffles of structs of at most 64 numbers and integers");
}

static void expand_struct_shuffle(struct deriving *d, LLVMBuilderRef builder, LLVMValueRef i)
{
    struct leaves leaves = {.count = 0};
    LLVMValueRef variable = LLVMGetOperand(i, VARIABLE), size = LLVMGetOperand(i, SIZE);
    if (!LLVMIsAAllocaInst(variable) || !LLVMIsAConstantInt(size) ||
        LLVMABISizeOfType(d->layout, LLVMGetAllocatedType(variable)) != LLVMConstIntGetZExtValue(size))
        return;
    find_leaves(d, LLVMGetAllocatedType(variable), 0, &leaves);
    if (leaves.is_incomplete || fault_of(d, LLVMGetAllocatedType(variable)))
        return;
    LLVMPositionBuilderBefore(builder, i);
    for (unsigned k = 0; k < leaves.count; k++) {
        LLVMValueRef place = element_at(d, builder, variable, leaves.offsets[k]);
        LLVMValueRef values[] = {LLVMGetOperand(i, MASK), LLVMBuildLoad2(builder, leaves.types[k], place, ""),
                                 LLVMGetOperand(i, MASK + 1), LLVMGetOperand(i, MASK + 2), LLVMGetOperand(i, MASK + 3)};
        LLVMValueRef got = build_call(builder, shuffle_like(d, i, leaves.types[k]), values, 5);
        LLVMBuildStore(builder, got, place);
    }
    LLVMInstructionEraseFromParent(i);
}

void expand_struct_shuffles(struct deriving *d, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    FOR_INSTRUCTIONS_IN(i, function)
        if (is_struct_shuffle(i))
            expand_struct_shuffle(d, builder, i);
    LLVMDisposeBuilder(builder);
}
