/* In code that notifies the executor of accesses: which regions can be looked over before they run, and what is asked
 * of each access.
 *
 * An access is trusted if nothing but its address can be wrong.  Where races and values are checked too, these are
 * plain reads of arrays that the launch does not write; and of shared variables that nobody writes until the next
 * barrier, once all of the variable has been written.
 *
 * A region whose accesses are all trusted, and whose addresses depend on the thread's index, on what is uniform and on
 * what the thread has kept, not on what the region loads, is looked over by a loop over its threads that computes
 * addresses alone.  Where none of them may be wrong the region then runs as unchecked code does, vectorised; else as
 * code that reports each access that may be wrong, in the threads' order, and the executor decides.  Other regions
 * run as that code in any case. */
#include "blocks/blocks_internal.h"

#include <gpucc/cpu.h>
#include <string.h>

/* The base of accesses: the array's first byte's address, and bytes. */
struct base {
    LLVMValueRef pointer, begin, size;
    bool is_parameter, is_written;
    LLVMValueRef is_quiet; /* whether the launch writes into no part of it; null if that is not known */
};

/* An access, from the fields of its struct gpucc_cpu_site. */
struct site {
    uint64_t extent;
    unsigned size, align, access;
};

bool is_watch(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    return callee && !strncmp(name_of(callee), "gpucc_cpu_watch", 15);
}

bool is_place(LLVMValueRef i)
{
    return is_watch(i) && LLVMGetNumArgOperands(i) == 1;
}

bool is_access(LLVMValueRef i)
{
    return is_watch(i) && LLVMGetNumArgOperands(i) > 1;
}

bool reports_undefined(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    return callee && !strcmp(name_of(callee), "gpucc_cpu_undefined");
}

static uint64_t site_field(LLVMValueRef site, unsigned field)
{
    return LLVMConstIntGetZExtValue(LLVMGetAggregateElement(LLVMGetInitializer(site), field));
}

static struct site site_of(LLVMValueRef access)
{
    enum { EXTENT = 2, SIZE = 4, ALIGN, ACCESS }; /* in struct gpucc_cpu_site */
    LLVMValueRef site = LLVMGetOperand(access, LLVMGetNumArgOperands(access) - 1);
    return (struct site){.extent = site_field(site, EXTENT), .size = (unsigned)site_field(site, SIZE),
                         .align = (unsigned)site_field(site, ALIGN), .access = (unsigned)site_field(site, ACCESS)};
}

/* ---- extents ---- */

static LLVMTypeRef wide(const struct kernel_block *k)
{
    return LLVMInt64TypeInContext(k->context);
}

static LLVMValueRef extent_function(const struct kernel_block *k, LLVMTypeRef *type)
{
    LLVMTypeRef fields[] = {wide(k), wide(k)}, pointer = LLVMPointerTypeInContext(k->context, 0);
    *type = LLVMFunctionType(LLVMStructTypeInContext(k->context, fields, 2, false), &pointer, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(k->module, "gpucc_cpu_watch_extent");
    if (function)
        return function;
    function = LLVMAddFunction(k->module, "gpucc_cpu_watch_extent", *type);
    const unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6); /* 0: touches none that code may see */
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(k->context, memory, 0));
    set_attribute(function, "nounwind");
    set_attribute(function, "willreturn");
    return function;
}

static struct base *base_of(const struct kernel_block *k, LLVMValueRef access)
{
    for (size_t n = 0; n < k->base_count; n++)
        if (k->bases[n].pointer == LLVMGetOperand(access, 1))
            return &k->bases[n];
    return NULL;
}

static struct base *add_base(struct kernel_block *k, LLVMValueRef pointer)
{
    LLVMTypeRef type;
    LLVMValueRef function = extent_function(k, &type);
    k->bases = arena_grow(k->arena, k->bases, k->base_count, sizeof *k->bases);
    struct base *base = &k->bases[k->base_count++];
    *base = (struct base){.pointer = pointer, .is_parameter = is_parameter(k, pointer)};
    LLVMPositionBuilderBefore(k->builder, LLVMGetBasicBlockTerminator(k->prologue));
    LLVMValueRef both = LLVMBuildCall2(k->builder, type, function, &pointer, 1, "");
    base->begin = LLVMBuildExtractValue(k->builder, both, 0, "");
    base->size = LLVMBuildExtractValue(k->builder, both, 1, "");
    return base;
}

static void note_base(struct kernel_block *k, LLVMValueRef access)
{
    LLVMValueRef pointer = LLVMGetOperand(access, 1);
    const struct site site = site_of(access);
    if (site.extent)
        return; /* a variable */
    struct base *base = base_of(k, access);
    if (!base && is_steady(k, pointer))
        base = add_base(k, pointer);
    if (!(site.access & GPUCC_CPU_WRITE))
        return;
    if (base)
        base->is_written = true;
    else
        k->writes_anywhere = true;
    k->writes_chosen |= !is_parameter(k, pointer) && !is_dynamic_shared(k, pointer);
}

/* Both are arrays that the executor knows, and not the same. */
static LLVMValueRef build_apart(const struct kernel_block *k, const struct base *one, const struct base *other)
{
    LLVMValueRef none = LLVMConstNull(wide(k));
    LLVMValueRef known = LLVMBuildICmp(k->builder, LLVMIntNE, other->size, none, "");
    LLVMValueRef apart = LLVMBuildICmp(k->builder, LLVMIntNE, one->begin, other->begin, "");
    return LLVMBuildAnd(k->builder, known, apart, "");
}

static void find_quiet(struct kernel_block *k, struct base *base)
{
    LLVMPositionBuilderBefore(k->builder, LLVMGetBasicBlockTerminator(k->prologue));
    base->is_quiet = LLVMBuildICmp(k->builder, LLVMIntNE, base->size, LLVMConstNull(wide(k)), "");
    for (size_t n = 0; n < k->base_count; n++)
        if (k->bases[n].is_written)
            base->is_quiet = LLVMBuildAnd(k->builder, base->is_quiet, build_apart(k, base, &k->bases[n]), "");
}

/* Whether a call may notify the executor of accesses that are not seen here. */
static bool hides_accesses(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    if (!LLVMIsACallInst(i) || is_watch(i) || is_barrier(i) || (callee && LLVMGetIntrinsicID(callee)))
        return false;
    if (reports_undefined(i) || (callee && begins(name_of(callee), "gpucc_cpu_nonfinite")))
        return false; /* an operation's result */
    return !callee || calls_executor(callee, 8);
}

void find_bases(struct kernel_block *k)
{
    for (LLVMBasicBlockRef block = k->body; block && k->reporting != REPORT_ALL; block = LLVMGetNextBasicBlock(block))
        FOR_INSTRUCTIONS(i, block) {
            if (is_access(i))
                note_base(k, i);
            else
                k->writes_anywhere |= hides_accesses(i) && !is_fatal(block);
        }
    for (size_t n = 0; n < k->base_count; n++)
        if (k->bases[n].is_parameter && !k->bases[n].is_written && !k->writes_anywhere)
            find_quiet(k, &k->bases[n]);
}

static bool has_extent(const struct kernel_block *k, LLVMValueRef access)
{
    return site_of(access).extent || base_of(k, access);
}

static bool is_local(LLVMValueRef access)
{
    return LLVMGetNumArgOperands(access) == 5;
}

/* ---- the question ---- */

static LLVMValueRef constant(const struct kernel_block *k, uint64_t value)
{
    return LLVMConstInt(wide(k), value, false);
}

static LLVMValueRef copy_of(const struct pointer_map *copies, LLVMValueRef value)
{
    LLVMValueRef copy = map_get(copies, value);
    return copy ? copy : value;
}

/* How many offsets there are at which `bytes` lie inside. */
static LLVMValueRef room(const struct kernel_block *k, LLVMValueRef size, unsigned bytes)
{
    LLVMValueRef fits = LLVMBuildICmp(k->builder, LLVMIntUGE, size, constant(k, bytes), "");
    LLVMValueRef places = LLVMBuildSub(k->builder, size, constant(k, (uint64_t)bytes - 1), "");
    return LLVMBuildSelect(k->builder, fits, places, constant(k, 0), "");
}

static LLVMValueRef build_outside(const struct kernel_block *k, LLVMValueRef offset, LLVMValueRef size, unsigned bytes,
                                  LLVMValueRef reported_bytes)
{
    if (bytes)
        return LLVMBuildICmp(k->builder, LLVMIntUGE, offset, room(k, size, bytes), "");
    LLVMValueRef beyond = LLVMBuildICmp(k->builder, LLVMIntUGT, offset, size, "");
    LLVMValueRef left = LLVMBuildSub(k->builder, size, offset, "");
    return LLVMBuildOr(k->builder, beyond, LLVMBuildICmp(k->builder, LLVMIntUGT, reported_bytes, left, ""), "");
}

static LLVMValueRef truth(const struct kernel_block *k, bool value)
{
    return LLVMConstInt(LLVMInt1TypeInContext(k->context), value, false);
}

LLVMValueRef build_doubt(struct kernel_block *k, const struct prescan *prescan, const struct pointer_map *copies,
                         LLVMValueRef access)
{
    LLVMBuilderRef b = k->builder;
    LLVMValueRef operands[4];
    for (unsigned n = 0; n < 4; n++)
        operands[n] = copy_of(copies, LLVMGetOperand(access, n));
    const struct base *asked = base_of(k, access);
    const struct site site = site_of(access);
    LLVMValueRef trust = map_get(&prescan->trust, access);
    if (!has_extent(k, access) || !trust)
        return truth(k, true);
    LLVMValueRef address = LLVMBuildPtrToInt(b, operands[0], wide(k), "");
    LLVMValueRef begin = site.extent ? LLVMBuildPtrToInt(b, operands[1], wide(k), "") : asked->begin;
    LLVMValueRef size = site.extent ? constant(k, site.extent) : asked->size;
    LLVMValueRef doubt = build_outside(k, LLVMBuildSub(b, address, begin, ""), size, site.size,
                                       is_local(access) ? operands[3] : operands[2]);
    doubt = LLVMBuildOr(b, doubt, LLVMBuildNot(b, trust, ""), "");
    if (site.align <= 1)
        return doubt;
    LLVMValueRef odd = LLVMBuildAnd(b, address, constant(k, site.align - 1), "");
    return LLVMBuildOr(b, doubt, LLVMBuildICmp(b, LLVMIntNE, odd, constant(k, 0), ""), "");
}

/* ---- operations that may overflow ---- */

static LLVMValueRef extended(const struct kernel_block *k, LLVMValueRef value)
{
    return LLVMBuildSExt(k->builder, value, wide(k), "");
}

/* For 64 bits: overflow if both operands have a sign that the result does not have. */
static LLVMValueRef build_sign_lost(const struct kernel_block *k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef result)
{
    LLVMBuilderRef builder = k->builder;
    LLVMValueRef lost = LLVMBuildAnd(builder, LLVMBuildXor(builder, a, result, ""),
                                     LLVMBuildXor(builder, b, result, ""), "");
    return LLVMBuildICmp(builder, LLVMIntSLT, lost, constant(k, 0), "");
}

/* For a product of 64 bits by a positive constant. */
static LLVMValueRef build_out_of_range(const struct kernel_block *k, LLVMValueRef value, LLVMValueRef factor)
{
    const int64_t by = LLVMConstIntGetSExtValue(factor);
    LLVMValueRef most = constant(k, (uint64_t)(INT64_MAX / by)), least = constant(k, (uint64_t)(INT64_MIN / by));
    return LLVMBuildOr(k->builder, LLVMBuildICmp(k->builder, LLVMIntSGT, value, most, ""),
                       LLVMBuildICmp(k->builder, LLVMIntSLT, value, least, ""), "");
}

static bool is_positive(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) > 0;
}

LLVMValueRef build_overflow(const struct kernel_block *k, const struct pointer_map *copies, LLVMValueRef i)
{
    LLVMValueRef call = LLVMIsAExtractValueInst(i) ? LLVMGetOperand(i, 0) : NULL;
    const char *name = call && called_function(call) ? name_of(called_function(call)) : "";
    const LLVMOpcode opcode = begins(name, "llvm.sadd.with.overflow.")   ? LLVMAdd
                              : begins(name, "llvm.ssub.with.overflow.") ? LLVMSub
                              : begins(name, "llvm.smul.with.overflow.") ? LLVMMul : (LLVMOpcode)0;
    if (!opcode)
        return NULL;
    LLVMValueRef a = copy_of(copies, LLVMGetOperand(call, 0)), b = copy_of(copies, LLVMGetOperand(call, 1));
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(a));
    const bool is_long_product = bits > 32 && opcode == LLVMMul, is_value = *LLVMGetIndices(i) == 0;
    if (bits > 64 || (is_long_product && (bits < 64 || (!is_positive(a) && !is_positive(b)))))
        return NULL;
    LLVMValueRef result = LLVMBuildBinOp(k->builder, opcode, a, b, "");
    if (is_value)
        return result;
    if (is_long_product)
        return is_positive(b) ? build_out_of_range(k, a, b) : build_out_of_range(k, b, a);
    if (bits > 32) /* a - b overflows where b + (a - b) does */
        return opcode == LLVMAdd ? build_sign_lost(k, extended(k, a), extended(k, b), extended(k, result))
                                 : build_sign_lost(k, extended(k, b), extended(k, result), extended(k, a));
    LLVMValueRef exact = LLVMBuildBinOp(k->builder, opcode, extended(k, a), extended(k, b), "");
    return LLVMBuildICmp(k->builder, LLVMIntNE, exact, extended(k, result), "");
}

struct survey {
    struct kernel_block *k;
    const struct flow *flow;
    const int *joins;
    const uint64_t *inside; /* the region, and the cuts at which it ends */
    struct pointer_map known; /* variables: of slots and of what barriers have counted */
    struct prescan *prescan;
    bool changed, accesses, unfit;
};

/* ---- what is trusted ---- */

static bool is_barrier_cut(const struct kernel_block *k, LLVMBasicBlockRef block)
{
    for (size_t c = 0; c < k->cut_count; c++)
        if (k->cuts[c].block == block)
            return k->cuts[c].place != NULL;
    return false;
}

/* The blocks between which and `from` there is no barrier, one way or the other. */
static uint64_t *unparted(const struct kernel_block *k, const struct flow *flow, int from)
{
    uint64_t *found = flow_set(flow);
    set_add(found, (size_t)from);
    for (bool grows = true; grows;) {
        grows = false;
        for (int b = 0; b < flow->count; b++)
            for (int n = 0; n < flow->successor_counts[b]; n++) {
                const int next = flow->successors[b][n];
                const bool has = set_has(found, (size_t)b), has_next = set_has(found, (size_t)next);
                if (has == has_next || is_barrier_cut(k, flow->blocks[b]) || is_barrier_cut(k, flow->blocks[next]))
                    continue;
                set_add(found, (size_t)(has ? next : b));
                grows = true;
            }
    }
    return found;
}

/* Whether a shared variable may be written before the next barrier, or since the last one. */
static bool is_written_near(const struct kernel_block *k, const struct flow *flow, LLVMValueRef access, long place)
{
    const uint64_t *blocks = unparted(k, flow, flow_number(flow, LLVMGetInstructionParent(access)));
    for (int b = 0; b < flow->count; b++) {
        if (!set_has(blocks, (size_t)b))
            continue;
        FOR_INSTRUCTIONS(i, flow->blocks[b])
            if (is_access(i) && site_of(i).access & GPUCC_CPU_WRITE &&
                place_in_shared(k, LLVMGetOperand(i, 1)) == place)
                return true;
    }
    return false;
}

bool can_trust(const struct kernel_block *k, const struct flow *flow, LLVMValueRef access)
{
    if (k->reporting != REPORT_ORDER || !is_access(access))
        return k->reporting == REPORT_EXTENTS;
    const struct site site = site_of(access);
    if (is_local(access))
        return LLVMIsConstant(LLVMGetOperand(access, 2)); /* nobody asks what of it is written */
    if (site.access & (GPUCC_CPU_WRITE | GPUCC_CPU_STRONG) || k->writes_anywhere)
        return false;
    const struct base *base = base_of(k, access);
    if (base)
        return base->is_quiet != NULL;
    const long place = place_in_shared(k, LLVMGetOperand(access, 1));
    return site.extent && place >= 0 && !k->writes_chosen && is_steady(k, LLVMGetOperand(access, 1)) &&
           !is_written_near(k, flow, access, place);
}

static void add_trusted(struct survey *s, LLVMValueRef access)
{
    struct prescan *prescan = s->prescan;
    prescan->trusted = arena_grow(s->k->arena, prescan->trusted, prescan->trusted_count, sizeof *prescan->trusted);
    prescan->trusted[prescan->trusted_count++] = access;
    map_put(&prescan->trust, access, truth(s->k, true));
}

static void find_trusted(struct survey *s)
{
    for (int b = 0; b < s->flow->count; b++) {
        if (!set_has(s->inside, (size_t)b) || is_fatal(s->flow->blocks[b]))
            continue;
        FOR_INSTRUCTIONS(i, s->flow->blocks[b]) {
            if (is_access(i) && can_trust(s->k, s->flow, i))
                add_trusted(s, i);
        }
    }
}

/* Whether all of a shared variable has been written in this block. */
static LLVMValueRef emit_written_query(const struct kernel_block *k, LLVMValueRef access)
{
    LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(k->context, 0), wide(k)};
    LLVMTypeRef word = LLVMInt32TypeInContext(k->context), type = LLVMFunctionType(word, parameters, 2, false);
    LLVMValueRef function = LLVMGetNamedFunction(k->module, "gpucc_cpu_watch_written");
    if (!function)
        function = LLVMAddFunction(k->module, "gpucc_cpu_watch_written", type);
    LLVMValueRef arguments[] = {LLVMGetOperand(access, 1), constant(k, site_of(access).extent)};
    LLVMValueRef written = LLVMBuildCall2(k->builder, type, function, arguments, 2, "");
    return LLVMBuildICmp(k->builder, LLVMIntNE, written, LLVMConstNull(word), "");
}

LLVMValueRef build_trust(struct kernel_block *k, struct prescan *prescan)
{
    struct pointer_map asked = {.arena = k->arena}; /* by place in shared memory, + 1 */
    LLVMValueRef all = truth(k, true);
    for (size_t n = 0; n < prescan->trusted_count && k->reporting == REPORT_ORDER; n++) {
        LLVMValueRef access = prescan->trusted[n], trust = truth(k, true);
        const void *place = (const void *)(intptr_t)(place_in_shared(k, LLVMGetOperand(access, 1)) + 1);
        if (is_local(access)) {
            /* no other thread's */
        } else if (base_of(k, access)) {
            trust = base_of(k, access)->is_quiet;
        } else if (place) {
            trust = map_get(&asked, place);
            if (!trust)
                map_put(&asked, place, trust = emit_written_query(k, access));
        }
        map_put(&prescan->trust, access, trust);
        all = LLVMBuildAnd(k->builder, all, trust, "");
    }
    return all;
}

/* ---- what is not known before a region runs ---- */

static bool is_unknown(const struct survey *s, LLVMValueRef value)
{
    return map_get(&s->prescan->unknown, value) != NULL;
}

static void mark_unknown(struct survey *s, LLVMValueRef value)
{
    if (is_unknown(s, value))
        return;
    map_put(&s->prescan->unknown, value, value);
    s->changed = true;
}

static bool has_unknown_operand(const struct survey *s, LLVMValueRef i)
{
    FOR_OPERANDS(n, i)
        if (is_unknown(s, LLVMGetOperand(i, n)))
            return true;
    return false;
}

static bool is_known_at_run_time(const struct survey *s, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        if (index_loaded(s->k, i) >= 0)
            return false;
        return !map_get(&s->known, LLVMGetOperand(i, 0)) || has_unknown_operand(s, i);
    case LLVMCall:
        return !is_function_of_operands(i) || has_unknown_operand(s, i);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return true;
    default:
        return has_unknown_operand(s, i);
    }
}

/* Whether a thread may come to the block again, or do so without passing what is in `stop`. */
static bool is_reentered(const struct flow *flow, const uint64_t *stop, int block)
{
    uint64_t *after = flow_set(flow);
    for (int n = 0; n < flow->successor_counts[block]; n++)
        flow_reach(flow, flow->successors[block][n], stop, after);
    return set_has(after, (size_t)block);
}

/* Polling is reported each time. */
static bool polls(const struct survey *s, LLVMValueRef access, int block)
{
    return site_of(access).access & GPUCC_CPU_STRONG && is_reentered(s->flow, NULL, block);
}

static void survey_instruction(struct survey *s, LLVMValueRef i, int block)
{
    if (is_access(i)) {
        s->accesses = true;
        s->unfit |= has_unknown_operand(s, i) && (is_unknown(s, LLVMGetOperand(i, 0)) || !site_of(i).size);
        s->unfit |= !has_extent(s->k, i) || !map_get(&s->prescan->trust, i) || polls(s, i, block);
        return;
    }
    s->unfit |= hides_accesses(i);
    if (LLVMIsAStoreInst(i)) {
        if (is_unknown(s, LLVMGetOperand(i, 0)) && map_get(&s->known, LLVMGetOperand(i, 1)))
            mark_unknown(s, LLVMGetOperand(i, 1));
    } else if (!LLVMIsATerminatorInst(i) && is_known_at_run_time(s, i)) {
        mark_unknown(s, i);
    }
}

/* In a block to which some threads come, it is not known which: nothing may be asked there, and what is stored there
 * is not known. */
static void survey_divergent(struct survey *s, int block)
{
    map_put(&s->prescan->between, s->flow->blocks[block], s->prescan);
    s->unfit |= !set_has(s->inside, (size_t)block) || s->flow->returns[block] || is_fatal(s->flow->blocks[block]);
    for (size_t c = 0; c < s->k->cut_count; c++)
        s->unfit |= s->k->cuts[c].block == s->flow->blocks[block];
    FOR_INSTRUCTIONS(i, s->flow->blocks[block]) {
        s->unfit |= is_access(i);
        if (LLVMIsAStoreInst(i) && map_get(&s->known, LLVMGetOperand(i, 1)))
            mark_unknown(s, LLVMGetOperand(i, 1));
    }
}

static void survey_end(struct survey *s, int block)
{
    const struct flow *flow = s->flow;
    LLVMBasicBlockRef from = flow->blocks[block];
    if (flow->successor_counts[block] < 2 || !is_unknown(s, LLVMGetOperand(LLVMGetBasicBlockTerminator(from), 0)))
        return;
    const int join = s->joins[block];
    s->unfit |= join < 0;
    if (s->unfit)
        return;
    uint64_t *stop = flow_set(flow), *between = flow_set(flow);
    set_add(stop, (size_t)join);
    for (int n = 0; n < flow->successor_counts[block]; n++)
        flow_reach(flow, flow->successors[block][n], stop, between);
    for (int b = 0; b < flow->count; b++)
        if (b != join && set_has(between, (size_t)b))
            survey_divergent(s, b);
    map_put(&s->prescan->parted, from, flow->blocks[join]);
}

static void note_known(struct survey *s)
{
    s->known.arena = s->k->arena;
    for (size_t n = 0; n < s->k->slot_count; n++)
        map_put(&s->known, s->k->slots[n].variable, s->k);
    for (size_t c = 0; c < s->k->cut_count; c++)
        if (s->k->cuts[c].outcome)
            map_put(&s->known, s->k->cuts[c].outcome, s->k);
}

bool sees_undefined(const struct prescan *prescan, LLVMBasicBlockRef block)
{
    FOR_INSTRUCTIONS(i, block)
        if (reports_undefined(i))
            return !map_get(&prescan->between, block);
    return false;
}

struct prescan *prescan_region(struct kernel_block *k, const struct flow *flow, const int *joins,
                               LLVMBasicBlockRef start)
{
    uint64_t *stop = flow_set(flow), *inside = flow_set(flow);
    struct survey s = {.k = k, .flow = flow, .joins = joins, .inside = inside, .changed = true,
                       .prescan = arena_alloc(k->arena, sizeof *s.prescan)};
    for (size_t c = 0; c < k->cut_count; c++)
        set_add(stop, (size_t)flow_number(flow, k->cuts[c].block));
    flow_reach(flow, flow_number(flow, start), stop, inside);
    s.prescan->unknown.arena = s.prescan->parted.arena = s.prescan->between.arena = s.prescan->trust.arena = k->arena;
    note_known(&s);
    find_trusted(&s);
    while (s.changed && !s.unfit) {
        s.changed = false;
        for (int b = 0; b < flow->count; b++) {
            if (!set_has(inside, (size_t)b) || set_has(stop, (size_t)b) || is_fatal(flow->blocks[b]))
                continue;
            FOR_INSTRUCTIONS(i, flow->blocks[b])
                survey_instruction(&s, i, b);
            survey_end(&s, b);
        }
    }
    for (int b = 0; b < flow->count; b++)
        if (set_has(inside, (size_t)b) && !set_has(stop, (size_t)b)) {
            s.prescan->loops |= is_reentered(flow, stop, b);
            s.accesses |= sees_undefined(s.prescan, flow->blocks[b]);
        }
    s.prescan->first = s.accesses && !s.unfit;
    return s.prescan;
}
