/* The function that is reversed: its calls inlined, its loops simple, and which values an output depends on. */
#include "bridge/bridge.h"
#include "derive/reverse_internal.h"

#include <string.h>

/* Nothing runs that C would not run: the derivative of a square root in a branch not taken may be infinite. */
static const char pipeline[] =
    "early-cse<memssa>,simplifycfg<no-speculate-blocks>,jump-threading,instcombine<no-verify-fixpoint>,"
    "loop-mssa(licm<no-allowspeculation>,loop-rotate,licm<no-allowspeculation>),"
    "loop-unroll<O2;no-partial;no-peeling;no-profile-peeling;no-runtime;no-upperbound;full-unroll-max=16>,"
    "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg<no-speculate-blocks>,adce,loop-simplify,lcssa,loop(indvars),loop-simplify,lcssa";

static void run(LLVMValueRef function, const char *passes)
{
    if (!codegen_run_passes(function, passes))
        fatal("this LLVM does not have the passes that reverse mode needs");
}

/* ---- calls ---- */

/* A call that can be inlined; null if none is left. */
static LLVMValueRef next_call(struct deriving *d, LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        if (!LLVMIsACallInst(i))
            continue;
        const struct call call = call_of(d, i);
        if (call.kind != CALL_DERIVED)
            continue;
        if (call.function != called_function(i)) /* the body that the math library has for derivatives */
            LLVMSetOperand(i, LLVMGetNumArgOperands(i), call.function);
        return i;
    }
    return NULL;
}

static void delete_rule_calls(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (called_function(i) && begins(name_of(called_function(i)), RULE_PREFIX))
            LLVMInstructionEraseFromParent(i);
}

/* A recursive function's calls remain. */
static void inline_calls(struct deriving *d, LLVMValueRef function)
{
    enum { MOST = 1000 };
    for (int count = 0; count < MOST; count++) {
        LLVMValueRef call = next_call(d, function);
        if (!call || !codegen_inline_call(call))
            return;
    }
}

/* So that loops may keep elements of outputs in registers, and what is not needed goes. */
static void mark_math(struct deriving *d, LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsACallInst(i) && call_of(d, i).kind == CALL_MATH)
            mark_pure(d, i);
}

/* It stays where none needs its number: lanes of its mask may meet another one in its place. */
static void mark_kept(struct deriving *d, LLVMValueRef shuffle)
{
    LLVMAddCallSiteAttribute(shuffle, LLVMAttributeFunctionIndex, attribute(d->context, "nounwind"));
    LLVMAddCallSiteAttribute(shuffle, LLVMAttributeFunctionIndex, attribute(d->context, "memory")); /* none */
}

/* The lanes that execute one stay together.  Nothing is lost where none needs the number. */
static void mark_shuffles(struct deriving *d, LLVMValueRef function, bool are_kept)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        if (!is_shuffle(d, i) && !is_vote(i))
            continue;
        set_attribute(called_function(i), "convergent");
        if (call_of(d, i).kind == CALL_SHUFFLE && !is_struct_shuffle(i))
            (are_kept ? mark_kept : mark_pure)(d, i);
    }
}

/* A variable that is read before it is written holds zero, as lower_open.c has it. */
static void define_operands(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        FOR_OPERANDS(n, i) {
            LLVMValueRef operand = LLVMGetOperand(i, n);
            const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
            if ((LLVMIsUndef(operand) || LLVMIsPoison(operand)) && kind != LLVMStructTypeKind &&
                kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
                LLVMSetOperand(i, n, LLVMConstNull(LLVMTypeOf(operand)));
        }
}

/* ---- copies ---- */

void find_leaves(const struct deriving *d, LLVMTypeRef type, unsigned long long offset, struct leaves *leaves)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    const bool is_struct = kind == LLVMStructTypeKind;
    if (!is_struct && kind != LLVMArrayTypeKind) {
        leaves->is_incomplete |= leaves->count == sizeof leaves->types / sizeof *leaves->types;
        if (!leaves->is_incomplete) {
            leaves->types[leaves->count] = type;
            leaves->offsets[leaves->count++] = offset;
        }
        return;
    }
    const unsigned long long count = is_struct ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength2(type);
    for (unsigned long long k = 0; k < count && !leaves->is_incomplete; k++) {
        LLVMTypeRef element = is_struct ? LLVMStructGetTypeAtIndex(type, (unsigned)k) : LLVMGetElementType(type);
        const unsigned long long at = is_struct ? LLVMOffsetOfElement(d->layout, type, (unsigned)k)
                                                : k * LLVMABISizeOfType(d->layout, element);
        find_leaves(d, element, offset + at, leaves);
    }
}

/* The type of a variable of which a copy copies all; null if neither is one. */
static LLVMTypeRef copied_type(const struct deriving *d, LLVMValueRef copy)
{
    LLVMValueRef size = LLVMGetOperand(copy, 2);
    for (unsigned n = 0; n < 2 && LLVMIsAConstantInt(size); n++) {
        LLVMValueRef variable = LLVMGetOperand(copy, n);
        if (LLVMIsAAllocaInst(variable) && has_numbers(LLVMGetAllocatedType(variable)) &&
            LLVMABISizeOfType(d->layout, LLVMGetAllocatedType(variable)) == LLVMConstIntGetZExtValue(size))
            return LLVMGetAllocatedType(variable);
    }
    return NULL;
}

LLVMValueRef element_at(const struct deriving *d, LLVMBuilderRef builder, LLVMValueRef pointer,
                        unsigned long long offset)
{
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(d->context), offset, false);
    return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(d->context), pointer, &index, 1, "");
}

/* Element by element, as their adjoints need. */
static void expand_copy(struct deriving *d, LLVMBuilderRef builder, LLVMValueRef copy)
{
    struct leaves leaves = {.count = 0};
    LLVMValueRef values[64];
    LLVMTypeRef type = copied_type(d, copy);
    if (type)
        find_leaves(d, type, 0, &leaves);
    if (!type || leaves.is_incomplete)
        return;
    LLVMPositionBuilderBefore(builder, copy);
    for (unsigned k = 0; k < leaves.count; k++)
        values[k] = LLVMBuildLoad2(builder, leaves.types[k],
                                   element_at(d, builder, LLVMGetOperand(copy, 1), leaves.offsets[k]), "");
    for (unsigned k = 0; k < leaves.count; k++)
        LLVMBuildStore(builder, values[k], element_at(d, builder, LLVMGetOperand(copy, 0), leaves.offsets[k]));
    LLVMInstructionEraseFromParent(copy);
}

static void expand_copies(struct deriving *d, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsACallInst(i) && call_of(d, i).kind == CALL_COPY)
            expand_copy(d, builder, i);
    LLVMDisposeBuilder(builder);
}

const char *name_of_reversed(LLVMValueRef marker)
{
    LLVMValueRef found = NULL, primal = NULL;
    FOR_INSTRUCTIONS_IN(i, marker)
        if (called_function(i) && begins(name_of(called_function(i)), PRIMAL_PREFIX))
            primal = called_function(i);
    FOR_INSTRUCTIONS_IN(i, primal)
        if (called_function(i) && !begins(name_of(called_function(i)), "llvm."))
            found = called_function(i);
    return name_of(found ? found : primal);
}

/* ---- outputs to which a function adds ---- */

static bool is_used_once(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use);
}

/* Whether the function is a derivative, or calls one. */
static bool is_derivative(LLVMValueRef function, unsigned depth)
{
    enum { MOST_DEPTH = 8 };
    if (has_mark(function, DERIVED_MARK))
        return true;
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = called_function(i);
        if (callee && depth < MOST_DEPTH && !LLVMIsDeclaration(callee) && is_derivative(callee, depth + 1))
            return true;
    }
    return false;
}

static LLVMContextRef context_of(LLVMValueRef i)
{
    return LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))));
}

static unsigned added_kind(LLVMValueRef store)
{
    return LLVMGetMDKindIDInContext(context_of(store), "gpucc.added", strlen("gpucc.added"));
}

bool is_added(LLVMValueRef store)
{
    return LLVMGetMetadata(store, added_kind(store));
}

/* The load of what the store changes, if nothing is stored between them. */
static bool is_load_before(LLVMValueRef load, LLVMValueRef store)
{
    if (!LLVMIsALoadInst(load) || LLVMGetOperand(load, 0) != LLVMGetOperand(store, 1) || !is_used_once(load))
        return false;
    for (LLVMValueRef i = load; i && i != store; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i))
            return false;
    return LLVMGetInstructionParent(load) == LLVMGetInstructionParent(store);
}

/* y[i] += v; becomes y[i] = v; with a mark: an adjoint adds to elements that begin as zero. */
static void mark_added(LLVMBuilderRef builder, LLVMValueRef store)
{
    LLVMValueRef sum = LLVMGetOperand(store, 0), root = array_of(LLVMGetOperand(store, 1));
    const bool is_sum = is_operation(sum, LLVMFAdd), is_difference = is_operation(sum, LLVMFSub);
    if (!root || !LLVMIsAArgument(root) || !(is_sum || is_difference) || !is_used_once(sum))
        return;
    const unsigned at = is_load_before(LLVMGetOperand(sum, 0), store) ? 0 : 1;
    if (!is_load_before(LLVMGetOperand(sum, at), store) || (is_difference && at))
        return;
    LLVMValueRef load = LLVMGetOperand(sum, at), term = LLVMGetOperand(sum, 1 - at);
    LLVMPositionBuilderBefore(builder, store);
    LLVMSetOperand(store, 0, is_difference ? LLVMBuildFNeg(builder, term, "") : term);
    LLVMInstructionEraseFromParent(sum);
    LLVMInstructionEraseFromParent(load);
    LLVMContextRef context = context_of(store);
    LLVMSetMetadata(store, added_kind(store), LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

static void mark_sums(struct deriving *d, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAStoreInst(i))
            mark_added(builder, i);
    LLVMDisposeBuilder(builder);
}

LLVMValueRef prepared_body(struct deriving *d, LLVMValueRef marker)
{
    const bool is_of_derivative = is_derivative(marker, 0);
    LLVMValueRef function = codegen_clone(marker);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    set_mark(function, REGISTERS_MARK);
    set_mark(function, DERIVED_MARK);
    for (unsigned k = 0; k < LLVMCountParams(function); k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, k))) == LLVMPointerTypeKind)
            LLVMAddAttributeAtIndex(function, k + 1, attribute(d->context, "noalias"));
    delete_rule_calls(function);
    inline_calls(d, function);
    expand_struct_shuffles(d, function);
    mark_shuffles(d, function, shuffle_apart(d, function, NULL));
    run(function, "sroa");
    expand_copies(d, function);
    hoist_launch(d, function);
    define_operands(function);
    mark_math(d, function);
    run(function, pipeline);
    mark_shuffles(d, function, false);
    define_operands(function);
    name_launch_shared(d, function);
    if (is_of_derivative)
        mark_sums(d, function);
    return function;
}

/* ---- loops ---- */

struct loop *loop_of(const struct reversal *r, LLVMBasicBlockRef block)
{
    return map_get(&r->loop_of, block);
}

bool is_inside(const struct loop *loop, const struct loop *region)
{
    while (loop && loop != region)
        loop = loop->parent;
    return loop == region;
}

bool is_repeated(const struct loop *loop)
{
    while (loop && loop->is_taped)
        loop = loop->parent;
    return loop;
}

/* The elements of a tape in the loop; a loop without a tape fills those inside anew. */
static unsigned long long entries_of(const struct loop *loop)
{
    return loop && loop->is_taped ? loop->most * entries_of(loop->parent) : 1;
}

static LLVMValueRef first_of(LLVMValueRef end, unsigned successor)
{
    return LLVMGetFirstInstruction(LLVMGetSuccessor(end, successor));
}

static bool is_described(const struct codegen_loop *described, LLVMValueRef value)
{
    for (size_t k = 0; LLVMIsAInstruction(value) && k < described->block_count; k++)
        if (described->blocks[k] == LLVMGetInstructionParent(value))
            return true;
    return false;
}

/* Whether the latch alone leaves the loop, but for code that ends the program. */
static bool ends_at_latch(const struct codegen_loop *described)
{
    for (size_t k = 0; k < described->block_count; k++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(described->blocks[k]);
        for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
            LLVMValueRef next = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(end, n));
            if (described->blocks[k] != described->latch && !is_described(described, next) &&
                !LLVMIsAUnreachableInst(next))
                return false;
        }
    }
    return true;
}

/* for (k = 1; k < n; k *= 2): how often the header runs at most, as one bit moves up; 0: another loop. */
static unsigned most_doublings(const struct codegen_loop *described)
{
    LLVMValueRef end = described->latch ? LLVMGetBasicBlockTerminator(described->latch) : NULL;
    LLVMValueRef condition = end && LLVMGetNumSuccessors(end) == 2 ? LLVMGetCondition(end) : NULL;
    if (!condition || !LLVMIsAICmpInst(condition) || !ends_at_latch(described))
        return 0;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    for (unsigned n = 0; n < 2 && predicate != LLVMIntEQ && predicate != LLVMIntNE; n++) {
        LLVMValueRef next = LLVMGetOperand(condition, n), phi = LLVMIsAInstruction(next) ? next : NULL;
        if (phi && LLVMIsABinaryOperator(phi) && LLVMGetInstructionOpcode(phi) == LLVMShl)
            phi = LLVMGetOperand(phi, 0);
        if (!phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != described->header ||
            is_described(described, LLVMGetOperand(condition, 1 - n)))
            continue;
        LLVMValueRef moved = incoming_from(phi, described->latch);
        if (LLVMIsABinaryOperator(moved) && LLVMGetInstructionOpcode(moved) == LLVMShl &&
            LLVMGetOperand(moved, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(moved, 1)) &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(moved, 1)) > 0)
            return LLVMGetIntTypeWidth(LLVMTypeOf(phi)) + 1;
    }
    return 0;
}

/* for (; bits; bits &= bits - 1): the header runs once for each bit at most, if it tests the bits behind its end. */
static unsigned most_bits(const struct codegen_loop *described)
{
    LLVMValueRef end = described->latch ? LLVMGetBasicBlockTerminator(described->latch) : NULL;
    LLVMValueRef condition = end && LLVMGetNumSuccessors(end) == 2 ? LLVMGetCondition(end) : NULL;
    if (!condition || !LLVMIsAICmpInst(condition) || !ends_at_latch(described) ||
        (LLVMGetICmpPredicate(condition) != LLVMIntEQ && LLVMGetICmpPredicate(condition) != LLVMIntNE) ||
        !LLVMIsNull(LLVMGetOperand(condition, 1)) || !is_operation(LLVMGetOperand(condition, 0), LLVMAnd) ||
        (LLVMGetICmpPredicate(condition) == LLVMIntEQ) == is_described(described, first_of(end, 0)))
        return 0;
    LLVMValueRef next = LLVMGetOperand(condition, 0);
    for (unsigned n = 0; n < 2; n++) {
        LLVMValueRef phi = LLVMGetOperand(next, n), less = LLVMGetOperand(next, 1 - n);
        if (LLVMIsAPHINode(phi) && LLVMGetInstructionParent(phi) == described->header &&
            incoming_from(phi, described->latch) == next && is_operation(less, LLVMAdd) &&
            LLVMGetOperand(less, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(less, 1)) &&
            LLVMConstIntGetSExtValue(LLVMGetOperand(less, 1)) == -1)
            return LLVMGetIntTypeWidth(LLVMTypeOf(phi)) + 1;
    }
    return 0;
}

static void add_loop(void *data, const struct codegen_loop *described)
{
    enum { MOST_ITERATIONS = 4096 };
    struct reversal *r = data;
    struct loop *loop = arena_alloc(r->d->arena, sizeof *loop), **last = &r->loops;
    *loop = (struct loop){.header = described->header, .preheader = described->preheader, .latch = described->latch,
                          .parent = loop_of(r, described->header),
                          .most = described->most ? described->most : most_doublings(described)};
    if (!loop->most)
        loop->most = most_bits(described);
    loop->is_taped = loop->most && loop->most * entries_of(loop->parent) <= MOST_ITERATIONS;
    for (size_t k = 0; k < described->block_count; k++)
        map_put(&r->loop_of, described->blocks[k], loop);
    while (*last)
        last = &(*last)->next;
    *last = loop;
}

/* ---- values that outputs depend on ---- */

char role_of(const struct reversal *r, LLVMValueRef parameter)
{
    for (unsigned k = 0; k < LLVMCountParams(r->body); k++)
        if (LLVMGetParam(r->body, k) == parameter)
            return r->roles[k];
    return 0;
}

bool is_input_role(char role)
{
    return role == 'i' || role == 'c' || role == 'm';
}

static bool is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

bool has_adjoint(const struct reversal *r, LLVMValueRef value)
{
    return (LLVMIsAInstruction(value) || LLVMIsAArgument(value)) && !is_pointer(value) &&
           map_get(&r->useful, value) && activity_of(r->s, value);
}

static bool mark_useful(struct reversal *r, LLVMValueRef value)
{
    if (map_get(&r->useful, value) ||
        !(LLVMIsAInstruction(value) || LLVMIsAArgument(value) || is_shared_array(value)))
        return false;
    map_put(&r->useful, value, value);
    return true;
}

static bool mark_roots(struct reversal *r, LLVMValueRef pointer)
{
    struct roots roots = {0};
    bool changed = false;
    find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++)
        changed |= mark_useful(r, roots.items[k]);
    return changed;
}

static bool are_useful(const struct reversal *r, LLVMValueRef pointer)
{
    struct roots roots = {0};
    find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++)
        if (map_get(&r->useful, roots.items[k]))
            return true;
    return false;
}

static bool mark_operands(struct reversal *r, LLVMValueRef i)
{
    const struct call call = LLVMIsACallInst(i) ? call_of(r->d, i) : (struct call){0};
    bool changed = false;
    if (LLVMIsAStoreInst(i))
        return are_useful(r, LLVMGetOperand(i, 1)) && mark_useful(r, LLVMGetOperand(i, 0));
    if (LLVMIsAAtomicRMWInst(i))
        return are_useful(r, LLVMGetOperand(i, 0)) && mark_useful(r, LLVMGetOperand(i, 1));
    if (call.kind == CALL_COPY)
        return are_useful(r, LLVMGetOperand(i, 0)) && mark_roots(r, LLVMGetOperand(i, 1));
    if (!map_get(&r->useful, i) || !activity_of(r->s, i))
        return false;
    if (LLVMIsALoadInst(i))
        return mark_roots(r, LLVMGetOperand(i, 0));
    FOR_OPERANDS(n, i)
        if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, n)))
            changed |= mark_useful(r, LLVMGetOperand(i, n));
    return changed;
}

static void find_useful(struct reversal *r)
{
    bool changed = true;
    for (unsigned k = 0; k < LLVMCountParams(r->body); k++)
        if (r->roles[k] == 'o' || r->roles[k] == 'm')
            mark_useful(r, LLVMGetParam(r->body, k));
    while (changed) {
        changed = false;
        for (size_t b = r->block_count; b > 0; b--)
            for (LLVMValueRef i = LLVMGetLastInstruction(r->blocks[b - 1]); i; i = LLVMGetPreviousInstruction(i))
                changed |= mark_operands(r, i);
    }
}

/* Values that a selection may discard, and those that only serve to compute them. */
static bool mark_optional(struct reversal *r, LLVMValueRef i)
{
    const bool is_choice = LLVMIsASelectInst(i);
    bool changed = false;
    if (!has_adjoint(r, i) || LLVMIsALoadInst(i) || !(is_choice || map_get(&r->optional, i)))
        return false;
    FOR_OPERANDS(n, i) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        if (LLVMValueIsBasicBlock(operand) || !has_adjoint(r, operand) || map_get(&r->optional, operand))
            continue;
        map_put(&r->optional, operand, operand);
        changed = true;
    }
    return changed;
}

static void find_optional(struct reversal *r)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t b = r->block_count; b > 0; b--)
            for (LLVMValueRef i = LLVMGetLastInstruction(r->blocks[b - 1]); i; i = LLVMGetPreviousInstruction(i))
                changed |= mark_optional(r, i);
    }
}

/* ---- all ---- */

/* Each branch backward is that of a loop. */
static bool check_loops(struct reversal *r)
{
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(r->blocks[b]);
        for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, n);
            const struct loop *loop = loop_of(r, to);
            const bool is_back = map_get(&r->numbers, to) <= map_get(&r->numbers, r->blocks[b]);
            if (is_back && !(loop && loop->header == to && loop->latch == r->blocks[b] && loop->preheader)) {
                refuse(r->d, r->s, end, "a jump into a loop cannot be reversed");
                return false;
            }
        }
    }
    return true;
}

bool analyse_reversal(struct reversal *r)
{
    r->body = r->s->body;
    settle_activity(r->d);
    r->blocks = ordered_blocks(r->d->arena, r->body, &r->block_count);
    for (size_t b = 0; b < r->block_count; b++)
        map_put(&r->numbers, r->blocks[b], (void *)(uintptr_t)(b + 1));
    codegen_visit_loops(r->body, add_loop, r);
    find_useful(r);
    find_optional(r);
    return check_loops(r);
}
