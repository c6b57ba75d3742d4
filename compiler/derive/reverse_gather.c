/* Adjoints of stencils as stencils: see reverse_gather.h. */
#include "derive/reverse_gather.h"
#include "bridge/bridge.h"

#include <string.h>

int lane_axis(const struct lanes *lanes, LLVMValueRef value)
{
    for (int axis = 0; axis < AXES; axis++)
        if (lanes->parameters[axis] == value)
            return axis;
    return -1;
}

static LLVMTypeRef index_type(const struct deriving *d)
{
    return LLVMInt64TypeInContext(d->context);
}

static LLVMValueRef index_constant(const struct deriving *d, long long value)
{
    return LLVMConstInt(index_type(d), (unsigned long long)value, true);
}

/* ---- the function of a lane ---- */

/* blockIdx.x * blockDim.x + threadIdx.x: its axis; -1: another value. */
static int axis_of_lane(const struct deriving *d, LLVMValueRef value)
{
    for (unsigned n = 0; n < 2 && is_operation(value, LLVMAdd); n++) {
        LLVMValueRef product = LLVMGetOperand(value, n);
        const int thread = launch_axis(d, LLVMGetOperand(value, 1 - n), LAUNCH_THREAD);
        for (unsigned k = 0; k < 2 && thread >= 0 && is_operation(product, LLVMMul); k++)
            if (launch_axis(d, LLVMGetOperand(product, k), LAUNCH_BLOCK) == thread &&
                launch_axis(d, LLVMGetOperand(product, 1 - k), LAUNCH_BLOCK_DIM) == thread)
                return thread;
    }
    return -1;
}

/* Its type with parameters behind: the lane, a place, and pointers to each array's sum and whether it got any. */
static LLVMTypeRef type_of_lane(const struct deriving *d, LLVMValueRef body, size_t arrays)
{
    LLVMTypeRef own = LLVMGlobalGetValueType(body), pointer = LLVMPointerTypeInContext(d->context, 0);
    const unsigned count = LLVMCountParams(body);
    unsigned n = count;
    LLVMTypeRef *types = arena_alloc(d->arena, (count + 2 * AXES + 2 * arrays) * sizeof *types);
    LLVMGetParamTypes(own, types);
    for (; n < count + 2 * AXES; n++)
        types[n] = index_type(d);
    for (; n < count + 2 * AXES + 2 * arrays; n++)
        types[n] = pointer;
    return LLVMFunctionType(LLVMVoidTypeInContext(d->context), types, n, false);
}

/* A copy of the kernel's body whose place in the grid is a parameter. */
static LLVMValueRef lane_function(const struct deriving *d, LLVMValueRef body, size_t arrays)
{
    const unsigned count = LLVMCountParams(body);
    LLVMValueRef made = LLVMAddFunction(d->module, "gpucc_lane", type_of_lane(d, body, arrays));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(d->context);
    struct copy copy = {.values.arena = d->arena};
    size_t block_count;
    LLVMBasicBlockRef *blocks = ordered_blocks(d->arena, body, &block_count);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    set_mark(made, REGISTERS_MARK);
    set_mark(made, DERIVED_MARK);
    copy_attributes(body, made, count);
    for (unsigned k = 0; k < count; k++)
        map_put(&copy.values, LLVMGetParam(body, k), LLVMGetParam(made, k));
    copy_blocks(&copy, made, blocks, block_count);
    for (size_t b = 0; b < block_count; b++) {
        LLVMPositionBuilderAtEnd(builder, copied_block(&copy, blocks[b]));
        FOR_INSTRUCTIONS(i, blocks[b]) {
            const int axis = axis_of_lane(d, i);
            if (axis < 0)
                copy_instruction(&copy, builder, i);
            else
                map_put(&copy.values, i, LLVMBuildIntCast2(builder, LLVMGetParam(made, count + (unsigned)axis),
                                                           LLVMTypeOf(i), false, ""));
        }
    }
    for (size_t b = 0; b < block_count; b++)
        FOR_INSTRUCTIONS(i, blocks[b])
            if (LLVMIsAPHINode(i))
                complete_phi(&copy, i);
    LLVMDisposeBuilder(builder);
    if (!codegen_run_passes(made, "adce"))
        fatal("this LLVM does not have adce");
    return made;
}

/* ---- the plan ---- */

/* Whether what a thread computes depends on its place through grid() alone. */
static bool depends_on_lane_only(const struct gathering *g)
{
    FOR_INSTRUCTIONS_IN(i, g->r->body) {
        const struct deriving *d = g->r->d;
        LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
        if (LLVMIsAAtomicRMWInst(i) || is_shuffle(g->r->d, i) || is_vote(i) ||
            launch_axis(d, i, LAUNCH_THREAD) >= 0 || launch_axis(d, i, LAUNCH_BLOCK) >= 0)
            return false;
        if (callee && begins(name_of(callee), "llvm.nvvm.") && launch_axis(d, i, LAUNCH_BLOCK_DIM) < 0 &&
            launch_axis(d, i, LAUNCH_GRID_DIM) < 0)
            return false;
    }
    return true;
}

static bool add_array(struct gathering *g, LLVMValueRef array)
{
    for (size_t k = 0; k < g->array_count; k++)
        if (g->arrays[k] == array)
            return true;
    g->arrays = arena_grow(g->r->d->arena, g->arrays, g->array_count, sizeof *g->arrays);
    g->arrays[g->array_count++] = array;
    return true;
}

static const struct site *site_of_array(const struct gathering *g, LLVMValueRef array)
{
    for (size_t k = 0; k < g->site_count; k++)
        if (g->sites[k].array == array)
            return &g->sites[k];
    return NULL;
}

static bool has_strides_of(const struct site *site, const struct site *other)
{
    for (int axis = 0; axis < AXES; axis++) {
        const struct coordinate *a = &site->coordinates[axis], *b = &other->coordinates[axis];
        if (a->value && (a->stride.scale != b->stride.scale || !same_factors(&a->stride, &b->stride)))
            return false;
    }
    return true;
}

static bool add_site(struct gathering *g, LLVMValueRef load)
{
    struct site site = {.load = load, .array = array_of(LLVMGetOperand(load, 0))};
    g->load = load;
    if (!describe_site(g, LLVMGetOperand(load, 0), &site))
        return false;
    const struct site *other = site_of_array(g, site.array);
    if (other && !has_strides_of(&site, other))
        return false;
    g->sites = arena_grow(g->r->d->arena, g->sites, g->site_count, sizeof *g->sites);
    g->sites[g->site_count++] = site;
    return add_array(g, site.array);
}

static bool add_place(struct gathering *g, const long long *place)
{
    for (size_t k = 0; k < g->place_count; k++)
        if (!memcmp(g->places[k], place, sizeof g->places[k]))
            return true;
    if (g->place_count == MOST_PLACES)
        return false;
    memcpy(g->places[g->place_count++], place, sizeof *g->places);
    return true;
}

/* All combinations of a site's offsets along the axes. */
static bool add_places(struct gathering *g, const struct site *site, int axis, long long *place)
{
    if (axis == AXES)
        return add_place(g, place);
    const struct coordinate *at = &site->coordinates[axis];
    place[axis] = 0;
    for (unsigned k = 0; k < (at->value ? at->offsets.count : 1); k++) {
        if (at->value)
            place[axis] = at->offsets.items[k] + at->step;
        if (!add_places(g, site, axis + 1, place))
            return false;
    }
    return true;
}

/* Whether all that the kernel reads of its arrays is around its threads' places. */
static bool plan(struct gathering *g)
{
    struct reversal *r = g->r;
    if (r->loops || !depends_on_lane_only(g))
        return false;
    FOR_INSTRUCTIONS_IN(i, r->body) {
        LLVMValueRef array = LLVMIsALoadInst(i) ? array_of(LLVMGetOperand(i, 0)) : NULL;
        if (array && (role_of(r, array) == 'm' || (has_adjoint(r, i) && !add_site(g, i))))
            return false;
    }
    for (size_t k = 0; k < g->site_count; k++)
        if (!add_places(g, &g->sites[k], 0, (long long[AXES]){0}))
            return false;
    return g->site_count;
}

/* ---- arrays of which each thread has one element ---- */

static bool has_one_axis(const struct lanes *lanes)
{
    int count = 0;
    for (int axis = 0; axis < AXES; axis++)
        count += lanes->are_used[axis];
    return count == 1;
}

/* Whether two sites are always the same element of a thread, and no other thread's. */
static bool is_own_element(const struct site *a, const struct site *b)
{
    for (int axis = 0; axis < AXES; axis++) {
        const struct coordinate *x = &a->coordinates[axis], *y = &b->coordinates[axis];
        if (x->value && (x->offsets.count != 1 || y->offsets.count != 1 ||
                         x->offsets.items[0] + x->step != y->offsets.items[0] + y->step))
            return false;
    }
    return has_strides_of(a, b);
}

static bool is_own_array(struct gathering *g, LLVMValueRef array)
{
    struct site first = {.load = NULL};
    FOR_INSTRUCTIONS_IN(i, g->r->body) {
        LLVMValueRef pointer = LLVMIsALoadInst(i)    ? LLVMGetOperand(i, 0)
                               : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1)
                                                     : NULL;
        struct site site = {.load = i, .array = array};
        if (!pointer || array_of(pointer) != array)
            continue;
        g->load = i;
        if (!describe_site(g, pointer, &site) || !is_own_element(&site, first.load ? &first : &site))
            return false;
        first = site;
    }
    return first.load;
}

/* Notes the arrays to whose adjoints threads add without atomic operations. */
static void find_own_arrays(struct gathering *g, struct reversal *kernel)
{
    for (unsigned k = 0; k < g->first && has_one_axis(g->lanes) && depends_on_lane_only(g); k++)
        if ((kernel->roles[k] == 'c' || kernel->roles[k] == 'm') && is_own_array(g, LLVMGetParam(g->r->body, k)))
            map_put(&kernel->own_arrays, LLVMGetParam(kernel->body, k), kernel);
}

/* ---- what a lane adds ---- */

static const struct site *site_of(const struct gathering *g, LLVMValueRef load)
{
    for (size_t k = 0; k < g->site_count; k++)
        if (g->sites[k].load == load)
            return &g->sites[k];
    return NULL;
}

static unsigned array_index(const struct gathering *g, LLVMValueRef array)
{
    unsigned k = 0;
    while (g->arrays[k] != array)
        k++;
    return k;
}

/* Adds the adjoint to the sum if the load read the element at the place. */
void gather_element(struct reversal *r, LLVMValueRef load, LLVMValueRef adjoint)
{
    const struct gathering *g = r->gathering;
    const struct site *site = site_of(g, load);
    LLVMTypeRef bit = LLVMInt1TypeInContext(r->d->context), type = LLVMTypeOf(load);
    LLVMValueRef matches = LLVMConstInt(bit, 1, false);
    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct coordinate *at = &site->coordinates[axis];
        if (!at->value)
            continue;
        LLVMValueRef value = LLVMBuildIntCast2(r->builder, primal(r, at->value), index_type(r->d), at->is_signed, "");
        LLVMValueRef moved = LLVMBuildAdd(r->builder, value, index_constant(r->d, at->step), "");
        LLVMValueRef place = LLVMGetParam(r->made, g->first + AXES + axis);
        LLVMValueRef is_same = LLVMBuildICmp(r->builder, LLVMIntEQ, moved, place, "");
        matches = LLVMBuildAnd(r->builder, matches, is_same, "");
    }
    const unsigned array = array_index(g, site->array);
    LLVMValueRef sum = LLVMGetParam(r->made, g->first + 2 * AXES + 2 * array);
    LLVMValueRef flag = LLVMGetParam(r->made, g->first + 2 * AXES + 2 * array + 1);
    LLVMValueRef before = LLVMBuildLoad2(r->builder, type, sum, "");
    LLVMValueRef after = guarded_sum(r, LLVMBuildFAdd(r->builder, before, adjoint, ""), before);
    LLVMBuildStore(r->builder, LLVMBuildSelect(r->builder, matches, after, before, ""), sum);
    LLVMBuildStore(r->builder, LLVMBuildOr(r->builder, LLVMBuildLoad2(r->builder, bit, flag, ""), matches, ""), flag);
}

/* ---- the kernel ---- */

struct gatherer {
    const struct gathering *g;
    struct deriving *d;
    LLVMValueRef made, lane; /* the function that is being made; that of a lane */
    LLVMBuilderRef builder;
    LLVMValueRef lanes[AXES], extents[AXES], places[AXES]; /* of axes that are used */
    LLVMValueRef *sums, *flags;
    bool is_inside;
};

static LLVMBasicBlockRef append(const struct gatherer *t)
{
    return LLVMAppendBasicBlockInContext(t->d->context, t->made, "");
}

/* The least and the largest step from a thread to a place along an axis; of both signs. */
static void find_reach(const struct gathering *g, unsigned axis, long long *least, long long *most)
{
    *least = *most = 0;
    for (size_t k = 0; k < g->place_count; k++) {
        *least = g->places[k][axis] < *least ? g->places[k][axis] : *least;
        *most = g->places[k][axis] > *most ? g->places[k][axis] : *most;
    }
}

/* Adds what the thread that is a place's distance away adds to the element. */
static void add_from_place(struct gatherer *t, const long long *place)
{
    const unsigned own = t->g->first;
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context);
    LLVMValueRef is_thread = LLVMConstInt(bit, 1, false);
    const unsigned count = LLVMCountParams(t->lane);
    LLVMValueRef *values = arena_alloc(t->d->arena, count * sizeof *values);
    for (unsigned k = 0; k < own; k++)
        values[k] = LLVMGetParam(t->made, k);
    for (unsigned k = own; k < count; k++) /* arrays that no load reads have no sums */
        values[k] = LLVMConstNull(LLVMTypeOf(LLVMGetParam(t->lane, k)));
    for (unsigned axis = 0; axis < AXES; axis++) {
        if (!t->g->lanes->are_used[axis])
            continue;
        values[own + AXES + axis] = t->places[axis];
        values[own + axis] = LLVMBuildSub(t->builder, t->places[axis], index_constant(t->d, place[axis]), "");
        LLVMValueRef is_inside = LLVMBuildICmp(t->builder, LLVMIntULT, values[own + axis], t->extents[axis], "");
        is_thread = LLVMBuildAnd(t->builder, is_thread, is_inside, "");
    }
    for (size_t k = 0; k < t->g->array_count; k++) {
        values[own + 2 * AXES + 2 * k] = t->sums[k];
        values[own + 2 * AXES + 2 * k + 1] = t->flags[k];
    }
    LLVMBasicBlockRef inside = append(t), next = append(t);
    if (t->is_inside)
        LLVMBuildBr(t->builder, inside);
    else
        LLVMBuildCondBr(t->builder, is_thread, inside, next);
    LLVMPositionBuilderAtEnd(t->builder, inside);
    build_call(t->builder, t->lane, values, count);
    LLVMBuildBr(t->builder, next);
    LLVMPositionBuilderAtEnd(t->builder, next);
}

static unsigned parameter_index(LLVMValueRef body, LLVMValueRef parameter)
{
    unsigned k = 0;
    while (LLVMGetParam(body, k) != parameter)
        k++;
    return k;
}

/* The adjoint of an array. */
static LLVMValueRef shadow_parameter(const struct gatherer *t, LLVMValueRef array)
{
    const struct reversal *r = t->g->r;
    const unsigned index = parameter_index(r->body, array);
    unsigned shadow = 0;
    while (r->roles[shadow] != 'b')
        shadow++;
    for (unsigned k = 0; k < index; k++)
        shadow += is_input_role(r->roles[k]);
    return LLVMGetParam(t->made, shadow);
}

/* A value that is the same in all threads. */
static LLVMValueRef own_uniform(const struct gatherer *t, LLVMValueRef body, LLVMValueRef value)
{
    if (LLVMIsAArgument(value))
        return LLVMGetParam(t->made, parameter_index(body, value));
    if (!LLVMIsAInstruction(value))
        return value;
    LLVMValueRef made = LLVMInstructionClone(value);
    FOR_OPERANDS(n, value)
        LLVMSetOperand(made, n, own_uniform(t, body, LLVMGetOperand(value, n)));
    LLVMInsertIntoBuilder(t->builder, made);
    return made;
}

static LLVMValueRef build_stride(struct gatherer *t, const struct stride *stride)
{
    LLVMValueRef product = index_constant(t->d, stride->scale);
    for (unsigned k = 0; k < stride->count; k++) {
        LLVMValueRef own = own_uniform(t, t->g->r->body, stride->factors[k]);
        LLVMValueRef factor = LLVMBuildIntCast2(t->builder, own, index_type(t->d), stride->are_signed[k], "");
        product = LLVMBuildMul(t->builder, product, factor, "");
    }
    return product;
}

/* outer / inner, the extent of the inner axis; null if that is not known. */
static LLVMValueRef build_quotient(struct gatherer *t, const struct stride *outer, const struct stride *inner)
{
    struct stride quotient = {.scale = outer->scale / inner->scale};
    unsigned k = 0;
    for (unsigned n = 0; n < outer->count; n++) {
        if (k < inner->count && inner->factors[k] == outer->factors[n]) {
            k++;
            continue;
        }
        quotient.factors[quotient.count] = outer->factors[n];
        quotient.are_signed[quotient.count++] = outer->are_signed[n];
    }
    return k < inner->count || outer->scale % inner->scale ? NULL : build_stride(t, &quotient);
}

static bool is_outer(const struct stride *a, const struct stride *b)
{
    return a->count > b->count || (a->count == b->count && a->scale > b->scale);
}

/* The stride of the next axis outside of this one; null: it is the outermost. */
static const struct stride *next_outer(const struct site *site, unsigned axis)
{
    const struct stride *own = &site->coordinates[axis].stride, *found = NULL;
    for (unsigned k = 0; k < AXES; k++) {
        const struct stride *other = &site->coordinates[k].stride;
        if (site->coordinates[k].value && k != axis && !is_outer(own, other) && (!found || is_outer(found, other)))
            found = other;
    }
    return found;
}

/* Whether no other place has the same address: places beyond the end of a row are in the next one. */
static LLVMValueRef build_is_alone(struct gatherer *t, const struct site *site)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context);
    LLVMValueRef is_alone = LLVMConstInt(bit, 1, false);
    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct stride *outer = site->coordinates[axis].value ? next_outer(site, axis) : NULL;
        LLVMValueRef extent = outer ? build_quotient(t, outer, &site->coordinates[axis].stride) : NULL;
        long long least, most;
        if (!outer)
            continue;
        if (!extent)
            return LLVMConstNull(bit);
        find_reach(t->g, axis, &least, &most);
        LLVMValueRef last = LLVMBuildAdd(t->builder, t->extents[axis], index_constant(t->d, most - 1), "");
        LLVMValueRef behind = LLVMBuildSub(t->builder, last, extent, "");
        LLVMValueRef end = LLVMBuildAdd(t->builder, extent, index_constant(t->d, least), "");
        LLVMValueRef conditions[] = {
            LLVMBuildICmp(t->builder, LLVMIntSGT, t->places[axis], behind, ""),
            LLVMBuildICmp(t->builder, LLVMIntSLT, t->places[axis], end, ""),
            LLVMBuildICmp(t->builder, LLVMIntSGE, t->places[axis], index_constant(t->d, 0), "")};
        for (unsigned k = 0; k < 3; k++)
            is_alone = LLVMBuildAnd(t->builder, is_alone, conditions[k], "");
    }
    return is_alone;
}

/* Adds an array's sum to its adjoint's element, if a thread read it. */
static void add_sum(struct gatherer *t, size_t k)
{
    const struct site *site = site_of_array(t->g, t->g->arrays[k]);
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context), type = LLVMTypeOf(site->load);
    LLVMBasicBlockRef read = append(t), alone = append(t), shared = append(t), next = append(t);
    LLVMBuildCondBr(t->builder, LLVMBuildLoad2(t->builder, bit, t->flags[k], ""), read, next);
    LLVMPositionBuilderAtEnd(t->builder, read);
    LLVMValueRef distance = index_constant(t->d, 0), sum = LLVMBuildLoad2(t->builder, type, t->sums[k], "");
    for (unsigned axis = 0; axis < AXES; axis++)
        if (site->coordinates[axis].value)
            distance = LLVMBuildAdd(t->builder, distance,
                                    LLVMBuildMul(t->builder, t->places[axis],
                                                 build_stride(t, &site->coordinates[axis].stride), ""), "");
    LLVMTypeRef byte = LLVMInt8TypeInContext(t->d->context);
    LLVMValueRef element = LLVMBuildGEP2(t->builder, byte, shadow_parameter(t, site->array), &distance, 1, "");
    LLVMValueRef is_alone = t->is_inside ? LLVMConstInt(bit, 1, false) : build_is_alone(t, site);
    LLVMBuildCondBr(t->builder, is_alone, alone, shared);
    LLVMPositionBuilderAtEnd(t->builder, alone);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, type, element, "");
    LLVMBuildStore(t->builder, LLVMBuildFAdd(t->builder, before, sum, ""), element);
    LLVMBuildBr(t->builder, next);
    LLVMPositionBuilderAtEnd(t->builder, shared);
    LLVMBuildAtomicRMW(t->builder, LLVMAtomicRMWBinOpFAdd, element, sum, LLVMAtomicOrderingMonotonic, false);
    LLVMBuildBr(t->builder, next);
    LLVMPositionBuilderAtEnd(t->builder, next);
}

/* The sums of one element of each array. */
static void add_element(struct gatherer *t)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context);
    for (size_t k = 0; k < t->g->array_count; k++) {
        LLVMTypeRef type = LLVMTypeOf(site_of_array(t->g, t->g->arrays[k])->load);
        LLVMBuildStore(t->builder, zero_of(type), t->sums[k]);
        LLVMBuildStore(t->builder, LLVMConstNull(bit), t->flags[k]);
    }
    for (size_t k = 0; k < t->g->place_count; k++)
        add_from_place(t, t->g->places[k]);
    for (size_t k = 0; k < t->g->array_count; k++)
        add_sum(t, k);
}

/* Loops over the elements of a thread: its own, and at the grid's border those beyond it. */
static void add_elements(struct gatherer *t, unsigned axis)
{
    if (axis == AXES) {
        add_element(t);
        return;
    }
    if (!t->g->lanes->are_used[axis]) {
        add_elements(t, axis + 1);
        return;
    }
    long long least, most;
    find_reach(t->g, axis, &least, &most);
    LLVMValueRef lane = t->lanes[axis], zero = index_constant(t->d, 0), one = index_constant(t->d, 1);
    LLVMValueRef last = LLVMBuildSub(t->builder, t->extents[axis], one, "");
    LLVMValueRef is_first = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, zero, "");
    LLVMValueRef is_last = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, last, "");
    LLVMValueRef from = LLVMBuildSelect(t->builder, is_first, index_constant(t->d, least), lane, "");
    LLVMValueRef beyond = LLVMBuildAdd(t->builder, lane, index_constant(t->d, most), "");
    LLVMValueRef to = LLVMBuildSelect(t->builder, is_last, beyond, lane, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->builder), loop = append(t), end = append(t);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef at = t->places[axis] = LLVMBuildPhi(t->builder, index_type(t->d), "");
    add_elements(t, axis + 1);
    LLVMValueRef next = LLVMBuildNSWAdd(t->builder, at, one, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    LLVMAddIncoming(at, (LLVMValueRef[]){from, next}, (LLVMBasicBlockRef[]){before, here}, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntSLE, next, to, ""), loop, end);
    LLVMPositionBuilderAtEnd(t->builder, end);
}

/* The thread's place in the grid, and the grid's extent. */
static void begin_kernel(struct gatherer *t)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context);
    for (int axis = 0; axis < AXES; axis++) {
        if (!t->g->lanes->are_used[axis])
            continue;
        LLVMValueRef values[LAUNCH_COUNT];
        for (int kind = 0; kind < LAUNCH_COUNT; kind++) {
            LLVMValueRef value = build_launch(t->d, t->builder, (enum launch)kind, axis);
            values[kind] = LLVMBuildZExt(t->builder, value, index_type(t->d), "");
        }
        LLVMValueRef first = LLVMBuildMul(t->builder, values[LAUNCH_BLOCK], values[LAUNCH_BLOCK_DIM], "");
        t->lanes[axis] = LLVMBuildAdd(t->builder, first, values[LAUNCH_THREAD], "");
        t->extents[axis] = LLVMBuildMul(t->builder, values[LAUNCH_GRID_DIM], values[LAUNCH_BLOCK_DIM], "");
    }
    t->sums = arena_alloc(t->d->arena, t->g->array_count * sizeof *t->sums);
    t->flags = arena_alloc(t->d->arena, t->g->array_count * sizeof *t->flags);
    for (size_t k = 0; k < t->g->array_count; k++) {
        t->sums[k] = LLVMBuildAlloca(t->builder, LLVMTypeOf(site_of_array(t->g, t->g->arrays[k])->load), "");
        t->flags[k] = LLVMBuildAlloca(t->builder, bit, "");
    }
}

/* ---- the inside ---- */

static LLVMValueRef build_at_least(struct gatherer *t, LLVMValueRef value, long long least)
{
    return LLVMBuildICmp(t->builder, LLVMIntSGE, value, index_constant(t->d, least), "");
}

/* Whether all threads around this one keep to a limit. */
static LLVMValueRef build_is_within(struct gatherer *t, const struct gathering *inner, const struct limit *limit)
{
    long long least, most;
    LLVMTypeRef type = index_type(t->d);
    LLVMValueRef lane = t->lanes[limit->axis], own = own_uniform(t, inner->r->body, limit->value);
    LLVMValueRef value = LLVMBuildIntCast2(t->builder, own, type, limit->is_signed, "");
    find_reach(t->g, (unsigned)limit->axis, &least, &most);
    const long long offset = limit->offset - (limit->is_upper ? least : most);
    LLVMValueRef moved = LLVMBuildAdd(t->builder, lane, index_constant(t->d, offset), "");
    LLVMValueRef keeps = LLVMBuildICmp(t->builder, limit->is_upper ? LLVMIntSLT : LLVMIntSGT, moved, value, "");
    if (!limit->is_upper || limit->is_signed || limit->offset >= 0)
        return keeps;
    return LLVMBuildAnd(t->builder, keeps, build_at_least(t, lane, most - limit->offset), "");
}

/* Whether all threads around this one are inside, and no element is another thread's too. */
static LLVMValueRef build_is_inside(struct gatherer *t, const struct gathering *inner)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(t->d->context);
    LLVMValueRef is_inside = LLVMConstInt(bit, 1, false);
    for (unsigned axis = 0; axis < AXES; axis++) {
        long long least, most;
        if (!t->g->lanes->are_used[axis])
            continue;
        find_reach(t->g, axis, &least, &most);
        const long long reach = most > -least ? most : -least;
        LLVMValueRef end = LLVMBuildSub(t->builder, t->extents[axis], index_constant(t->d, reach), "");
        LLVMValueRef conditions[] = {
            build_at_least(t, t->lanes[axis], reach),
            LLVMBuildICmp(t->builder, LLVMIntSLT, t->lanes[axis], end, ""),
            LLVMBuildICmp(t->builder, LLVMIntSLT, t->extents[axis], index_constant(t->d, 0x7fffffff), "")};
        for (unsigned k = 0; k < 3; k++)
            is_inside = LLVMBuildAnd(t->builder, is_inside, conditions[k], "");
    }
    for (size_t k = 0; k < inner->limit_count; k++)
        is_inside = LLVMBuildAnd(t->builder, is_inside, build_is_within(t, inner, &inner->limits[k]), "");
    for (size_t k = 0; k < t->g->array_count; k++)
        is_inside = LLVMBuildAnd(t->builder, is_inside,
                                 build_is_alone(t, site_of_array(t->g, t->g->arrays[k])), "");
    return is_inside;
}

/* Threads inside take a path without the borders. */
static void add_inside(struct gatherer *t, const struct gathering *borders, const struct gathering *inner,
                       LLVMValueRef lane)
{
    struct gatherer inside = *t;
    LLVMBasicBlockRef path = append(t), others = append(t);
    inside.g = inner;
    inside.lane = lane;
    inside.is_inside = true;
    for (unsigned axis = 0; axis < AXES; axis++)
        inside.places[axis] = t->places[axis] = t->lanes[axis];
    LLVMBuildCondBr(t->builder, build_is_inside(t, borders), path, others);
    LLVMPositionBuilderAtEnd(t->builder, path);
    add_element(&inside);
    LLVMBuildRetVoid(t->builder);
    LLVMPositionBuilderAtEnd(t->builder, others);
}

static void inline_lane(LLVMValueRef lane)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(lane));)
        if (!codegen_inline_call(LLVMGetUser(use)))
            fatal("a lane of a stencil cannot be inlined");
    LLVMDeleteFunction(lane);
}

/* A lane's adjoint, as a function of its own. */
static LLVMValueRef make_lane(struct gathering *g, LLVMValueRef like)
{
    struct reversal *r = g->r;
    r->made = LLVMAddFunction(r->d->module, "", LLVMGlobalGetValueType(r->s->function));
    LLVMSetLinkage(r->made, LLVMInternalLinkage);
    copy_attributes(like, r->made, g->first);
    r->gathering = g;
    make_reversal(r);
    return r->made;
}

static const char *roles_of_lane(const struct reversal *r, unsigned count, unsigned more)
{
    struct text text = {.arena = r->d->arena};
    text_printf(&text, "%.*s", (int)count, r->roles);
    for (unsigned k = 0; k < more; k++)
        text_printf(&text, "s");
    return text.data;
}

static void find_lanes(struct lanes *lanes, LLVMValueRef function, unsigned first)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        lanes->parameters[axis] = LLVMGetParam(function, first + axis);
        lanes->are_used[axis] = LLVMGetFirstUse(lanes->parameters[axis]);
    }
}

/* The function of a lane inside, and its borders. */
static LLVMValueRef inner_function(struct gathering *borders, LLVMValueRef function)
{
    static const char passes[] = "instcombine<no-verify-fixpoint>,simplifycfg<no-speculate-blocks>,"
                                 "instcombine<no-verify-fixpoint>,adce";
    struct reversal *r = borders->r;
    r->body = codegen_clone(function);
    set_mark(r->body, REGISTERS_MARK);
    r->blocks = ordered_blocks(r->d->arena, r->body, &r->block_count);
    find_lanes((struct lanes *)borders->lanes, r->body, borders->first);
    if (!settle_borders(borders))
        return NULL;
    LLVMValueRef made = codegen_clone(r->body);
    set_mark(made, REGISTERS_MARK);
    if (!codegen_run_passes(made, passes))
        fatal("this LLVM does not have the passes that reverse mode needs");
    return made;
}

static bool have_same_arrays(const struct gathering *a, const struct gathering *b)
{
    bool same = a->array_count == b->array_count;
    for (size_t k = 0; same && k < a->array_count; k++)
        same = parameter_index(a->r->body, a->arrays[k]) == parameter_index(b->r->body, b->arrays[k]);
    return same;
}

static void make_kernel(struct gathering *g, struct reversal *kernel, LLVMValueRef function)
{
    static const char passes[] = "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,jump-threading,simplifycfg,"
                                 "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,adce,jump-threading,"
                                 "simplifycfg";
    struct deriving *d = g->r->d;
    struct lanes border_lanes, inner_lanes;
    struct reversal bordering = {.d = d}, r;
    struct gathering borders = {.r = &bordering, .lanes = &border_lanes, .first = g->first};
    struct gathering inner = {.r = &r, .lanes = &inner_lanes, .first = g->first};
    struct gatherer t = {.g = g, .d = d, .made = kernel->made, .builder = LLVMCreateBuilderInContext(d->context)};
    LLVMValueRef inside = inner_function(&borders, function), inner_lane = NULL;
    t.lane = make_lane(g, kernel->made);
    LLVMPositionBuilderAtEnd(t.builder, append(&t));
    begin_kernel(&t);
    if (inside) {
        open_reversal(&r, d, inside, g->r->roles, kernel->s->name);
        const bool is_known = analyse_reversal(&r);
        find_lanes(&inner_lanes, r.body, g->first);
        if (is_known && plan(&inner) && have_same_arrays(&inner, g)) {
            inner_lane = make_lane(&inner, kernel->made);
            add_inside(&t, &borders, &inner, inner_lane);
        }
        close_reversal(&r);
    }
    add_elements(&t, 0);
    LLVMBuildRetVoid(t.builder);
    LLVMDisposeBuilder(t.builder);
    inline_lane(t.lane);
    if (inner_lane)
        inline_lane(inner_lane);
    if (!codegen_run_passes(kernel->made, passes))
        fatal("this LLVM does not have the passes that reverse mode needs");
}

bool gather_kernel(struct reversal *kernel)
{
    struct deriving *d = kernel->d;
    const unsigned count = LLVMCountParams(kernel->body);
    size_t arrays = 0;
    for (unsigned k = 0; k < count; k++)
        arrays += kernel->roles[k] == 'c';
    LLVMValueRef function = lane_function(d, kernel->body, arrays);
    struct reversal r;
    struct lanes lanes;
    struct gathering g = {.r = &r, .lanes = &lanes, .first = count};
    open_reversal(&r, d, function, roles_of_lane(kernel, count, 2 * AXES + 2 * (unsigned)arrays), kernel->s->name);
    bool is_stencil = analyse_reversal(&r);
    find_lanes(&lanes, r.body, count);
    is_stencil = is_stencil && !uses_block(kernel) && plan(&g);
    if (is_stencil)
        make_kernel(&g, kernel, function);
    else
        find_own_arrays(&g, kernel);
    close_reversal(&r);
    return is_stencil;
}
