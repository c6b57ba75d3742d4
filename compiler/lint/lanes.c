/* How values differ between the threads of a warp: a flow analysis that begins with threadIdx.  What has another form
 * than the one in struct form is unknown, and nothing is said of it. */
#include "lint/lint_internal.h"

#include <llvm-c/Target.h>
#include <string.h>

struct lanes {
    struct arena *arena;
    LLVMTargetDataRef layout;
    const struct control *control;
    unsigned width;
    struct pointer_map forms; /* of instructions: struct form */
};

static const struct form unknown = {.state = FORM_UNKNOWN};

static struct form exactly(int64_t number)
{
    return (struct form){.state = FORM_KNOWN, .is_exact = true, .common = number};
}

/* A number of which only that is known. */
static struct form common(unsigned zeros)
{
    return (struct form){.state = FORM_KNOWN, .zeros = zeros};
}

bool is_alike(const struct form *form)
{
    return form->state == FORM_KNOWN && !form->varies;
}

static unsigned zeros_of(const struct form *form)
{
    if (!form->is_exact)
        return form->zeros;
    return form->common ? (unsigned)__builtin_ctzll((uint64_t)form->common) : 63;
}

/* A value that is the same in all lanes belongs to the common part. */
static struct form settle(struct form form)
{
    const int64_t first = form.lane[0];
    form.varies = false;
    for (unsigned l = 0; l < WARP; l++)
        form.varies |= form.lane[l] != first;
    if (!form.varies && first && form.is_exact)
        form.common += first;
    else if (!form.varies && first && (unsigned)__builtin_ctzll((uint64_t)first) < form.zeros)
        form.zeros = (unsigned)__builtin_ctzll((uint64_t)first);
    for (unsigned l = 0; l < WARP && !form.varies; l++)
        form.lane[l] = 0;
    form.is_scaled &= form.varies;
    if (form.zeros > 63)
        form.zeros = 63;
    return form;
}

/* ---- arithmetic ---- */

static struct form add(const struct form *a, const struct form *b, int64_t sign)
{
    struct form sum = {.state = FORM_KNOWN, .per_warp = a->per_warp || b->per_warp};
    if ((a->is_scaled && b->varies) || (b->is_scaled && a->varies))
        return unknown;
    sum.is_scaled = a->is_scaled || b->is_scaled;
    sum.is_exact = a->is_exact && b->is_exact;
    sum.common = sum.is_exact ? (int64_t)((uint64_t)a->common + (uint64_t)(sign * b->common)) : 0;
    sum.zeros = zeros_of(a) < zeros_of(b) ? zeros_of(a) : zeros_of(b);
    for (unsigned l = 0; l < WARP; l++)
        sum.lane[l] = a->lane[l] + sign * b->lane[l];
    return settle(sum);
}

static struct form multiply(const struct form *a, const struct form *b)
{
    if (a->varies && b->varies)
        return unknown;
    if (a->varies) {
        const struct form *swap = a;
        a = b;
        b = swap;
    }
    struct form product = *b; /* a is the same in all lanes */
    product.per_warp |= a->per_warp;
    product.is_exact = a->is_exact && b->is_exact;
    product.common = product.is_exact ? (int64_t)((uint64_t)a->common * (uint64_t)b->common) : 0;
    product.zeros = zeros_of(a) + zeros_of(b);
    product.is_scaled |= !a->is_exact;
    for (unsigned l = 0; l < WARP && a->is_exact; l++)
        product.lane[l] = (int64_t)((uint64_t)product.lane[l] * (uint64_t)a->common);
    return settle(product);
}

/* Whether the lanes' parts lie in the bits below those of the common part. */
static bool is_below(const struct form *form)
{
    const unsigned zeros = zeros_of(form);
    for (unsigned l = 0; l < WARP; l++)
        if (form->lane[l] < 0 || (zeros < 63 && form->lane[l] >> zeros))
            return false;
    return !form->is_scaled;
}

/* A number that is not wider than an index. */
static bool is_all_ones(int64_t number)
{
    return number == -1 || (number >= (1 << 24) && !(number & (number + 1)));
}

/* Whether the operation does to the two parts what it does to their sum: where they have bits of their own, and also
 * where bits of the lanes' parts are carried into those of the common part, of which a shift throws away none but zeros
 * and a mask takes none or all. */
static bool parts_apart(LLVMOpcode opcode, const struct form *form, int64_t number)
{
    const unsigned zeros = zeros_of(form);
    const bool all_zeros = zeros >= 63 || !(number >> zeros);
    if (is_below(form))
        return opcode != LLVMXor || all_zeros;
    for (unsigned l = 0; l < WARP; l++)
        if (form->lane[l] < 0)
            return false;
    if (form->is_scaled)
        return false;
    if (opcode == LLVMLShr || opcode == LLVMAShr)
        return number <= zeros;
    if (opcode == LLVMUDiv || opcode == LLVMSDiv)
        return (unsigned)__builtin_ctzll((uint64_t)number) <= zeros;
    return all_zeros || (opcode == LLVMAnd && is_all_ones(number >> zeros));
}

static int64_t compute(LLVMOpcode opcode, int64_t x, int64_t y)
{
    switch (opcode) {
    case LLVMAnd: return x & y;
    case LLVMXor: return x ^ y;
    case LLVMOr: return x | y;
    case LLVMLShr:
    case LLVMAShr: return x >> (y & 63);
    case LLVMUDiv:
    case LLVMSDiv: return x / y;
    default: return x % y;
    }
}

/* In one lane at least: how wide the number is then shows in what is made of it. */
static bool is_negative(const struct form *form)
{
    for (unsigned l = 0; l < WARP; l++)
        if (form->common + form->lane[l] < 0)
            return true;
    return false;
}

/* Applies an operation with a number to each lane, if all lanes and the number are known. */
static struct form each(LLVMOpcode opcode, const struct form *a, int64_t number)
{
    struct form result = exactly(0);
    for (unsigned l = 0; l < WARP; l++)
        result.lane[l] = compute(opcode, a->common + a->lane[l], number);
    result.per_warp = a->per_warp;
    return settle(result);
}

/* The same, where the common part and the lanes' parts go their own ways. */
static struct form apart(LLVMOpcode opcode, const struct form *a, int64_t number)
{
    const unsigned zeros = zeros_of(a);
    struct form result = *a;
    for (unsigned l = 0; l < WARP; l++)
        result.lane[l] = compute(opcode, a->lane[l], number);
    const bool shifts = opcode == LLVMLShr || opcode == LLVMAShr;
    if (shifts || opcode == LLVMUDiv || opcode == LLVMSDiv) {
        const unsigned by = shifts ? (unsigned)number : (unsigned)__builtin_ctzll((uint64_t)number);
        result.zeros = zeros > by ? zeros - by : 0;
    } else if (opcode != LLVMXor && zeros < 63 && !(number >> zeros)) {
        result.is_exact = true; /* nothing of the common part is left */
        result.common = 0;
        result.per_warp = false;
    }
    return settle(result);
}

/* Operations on bits, and divisions, by a number. */
static struct form by_number(LLVMOpcode opcode, const struct form *a, const struct form *b)
{
    const bool divides = opcode != LLVMAnd && opcode != LLVMXor && opcode != LLVMLShr && opcode != LLVMAShr;
    int64_t number = b->common;
    if (!b->is_exact || b->varies || a->is_scaled || (divides && number <= 0) || (opcode != LLVMAnd && number < 0))
        return unknown;
    if (a->is_exact)
        return opcode == LLVMAnd || !is_negative(a) ? each(opcode, a, number) : unknown;
    if (divides && (number & (number - 1)))
        return unknown; /* neither part is known to stay what it is */
    if (opcode == LLVMURem || opcode == LLVMSRem) {
        opcode = LLVMAnd;
        number--;
    }
    return parts_apart(opcode, a, number) ? apart(opcode, a, number) : unknown;
}

static struct form binary(LLVMValueRef i, const struct form *a, const struct form *b)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    switch (opcode) {
    case LLVMAdd: return add(a, b, 1);
    case LLVMSub: return add(a, b, -1);
    case LLVMMul: return multiply(a, b);
    case LLVMOr: return LLVMGetIsDisjoint(i) ? add(a, b, 1) : unknown;
    case LLVMShl: {
        struct form factor = b->is_exact && b->common >= 0 && b->common < 63 ? exactly((int64_t)1 << b->common)
                                                                            : common(0);
        factor.per_warp = b->per_warp;
        return b->varies ? unknown : multiply(a, &factor);
    }
    case LLVMAnd:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return opcode == LLVMAnd && a->is_exact && !b->is_exact && !a->varies ? by_number(opcode, b, a)
                                                                            : by_number(opcode, a, b);
    default: return unknown;
    }
}

/* ---- where threads differ ---- */

/* The registers that differ between threads, and those that do not. */
static struct form special_register(const struct lanes *lanes, const char *name, bool *found)
{
    static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";
    const char *rest = name + strlen(prefix);
    const unsigned width = lanes->width, height = WARP / width;
    struct form form = common(0);
    *found = !strncmp(name, prefix, strlen(prefix));
    if (!*found)
        return unknown;
    const bool x = !strcmp(rest, "tid.x"), y = !strcmp(rest, "tid.y"), lane = !strcmp(rest, "laneid");
    for (unsigned l = 0; l < WARP; l++)
        form.lane[l] = x ? l % width : y ? l / width : lane ? l : 0;
    form.per_warp = !strncmp(rest, "tid.", 4) || !strcmp(rest, "warpid");
    if (x && width == WARP)
        form.zeros = 5;
    if (y)
        form.zeros = (unsigned)__builtin_ctz(height);
    if ((x && width < WARP) || lane)
        form.is_exact = true;
    if (form.is_exact)
        form.per_warp = false;
    if (!strcmp(rest, "ntid.x")) /* as wide as the warps' rows, or a multiple of a warp */
        form = width < WARP ? exactly(width) : common(5);
    if (!strncmp(rest, "clock", 5) || !strncmp(rest, "globaltimer", 11) || !strncmp(rest, "lanemask", 8))
        form = unknown;
    return settle(form);
}

/* Whether the value was made in a loop that threads leave one after the other, and is used outside of it. */
static bool is_left_over(const struct lanes *lanes, LLVMValueRef value, int user)
{
    const struct control *control = lanes->control;
    if (!LLVMIsAInstruction(value))
        return false;
    const int made = block_of(control, value);
    for (size_t c = 0; c < control->cycle_count; c++) {
        const struct cycle *cycle = &control->cycles[c];
        if (!set_has(cycle->blocks, (size_t)made) || set_has(cycle->blocks, (size_t)user))
            continue;
        for (int b = 0; b < control->flow->count; b++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(control->flow->blocks[b]);
            if (!leaves(control, cycle, b))
                continue;
            struct form condition = form_of(lanes, LLVMGetOperand(end, 0));
            if (condition.varies || condition.state == FORM_UNKNOWN)
                return true;
        }
    }
    return false;
}

static struct form operand(const struct lanes *lanes, LLVMValueRef value, int user)
{
    return is_left_over(lanes, value, user) ? unknown : form_of(lanes, value);
}

struct form form_of(const struct lanes *lanes, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value)) {
        const struct form *form = map_get(&lanes->forms, value);
        return form ? *form : (struct form){0};
    }
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return exactly(LLVMConstIntGetSExtValue(value));
    return common(0);
}

/* ---- instructions ---- */

static struct form element_address(const struct lanes *lanes, LLVMValueRef i, int block)
{
    struct form address = operand(lanes, LLVMGetOperand(i, 0), block);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i) && address.state == FORM_KNOWN; k++) {
        LLVMValueRef index = LLVMGetOperand(i, k);
        struct form form = operand(lanes, index, block), size;
        if (form.state != FORM_KNOWN)
            return form;
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            const unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            form = exactly((int64_t)LLVMOffsetOfElement(lanes->layout, type, field));
            size = exactly(1);
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = k > 1 ? LLVMGetElementType(type) : type;
            size = exactly((int64_t)LLVMABISizeOfType(lanes->layout, type));
        }
        form = multiply(&form, &size);
        address = add(&address, &form, 1);
    }
    return address;
}

/* Whether threads come to the join by ways that not all of them take. */
static bool joins_divergent_paths(const struct lanes *lanes, LLVMValueRef phi)
{
    const struct control *control = lanes->control;
    const int at = block_of(control, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const int from = flow_number(control->flow, LLVMGetIncomingBlock(phi, k));
        for (int by = 0; by < control->flow->count; by++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(control->flow->blocks[by]);
            const bool parts = by == from ? LLVMGetNumSuccessors(end) > 1
                                          : is_controlled(control, from, by) && !is_controlled(control, at, by);
            const struct form condition = parts ? form_of(lanes, LLVMGetOperand(end, 0)) : common(0);
            if (condition.varies || condition.state == FORM_UNKNOWN)
                return true;
        }
    }
    return false;
}

static bool is_header(const struct control *control, int block)
{
    for (size_t c = 0; c < control->cycle_count; c++)
        if (control->cycles[c].header == block)
            return true;
    return false;
}

static bool same_lanes(const struct form *a, const struct form *b)
{
    return a->is_scaled == b->is_scaled && !memcmp(a->lane, b->lane, sizeof a->lane);
}

static bool same_form(const struct form *a, const struct form *b)
{
    return a->state == b->state && a->per_warp == b->per_warp && a->is_exact == b->is_exact &&
           a->common == b->common && a->zeros == b->zeros && same_lanes(a, b);
}

/* The join of both. */
static struct form meet(const struct form *a, const struct form *b)
{
    if (a->state == FORM_UNSEEN)
        return *b;
    if (b->state == FORM_UNSEEN)
        return *a;
    if (a->state == FORM_UNKNOWN || b->state == FORM_UNKNOWN || !same_lanes(a, b))
        return unknown;
    struct form both = *a;
    both.per_warp |= b->per_warp;
    both.is_exact = a->is_exact && b->is_exact && a->common == b->common;
    both.zeros = zeros_of(a) < zeros_of(b) ? zeros_of(a) : zeros_of(b);
    both.common = both.is_exact ? a->common : 0;
    return both;
}

static struct form join(const struct lanes *lanes, LLVMValueRef phi)
{
    const int at = block_of(lanes->control, phi);
    struct form form = {0};
    bool same = true;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const int from = flow_number(lanes->control->flow, LLVMGetIncomingBlock(phi, k));
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        struct form incoming = operand(lanes, value, from);
        same &= value == LLVMGetIncomingValue(phi, 0);
        form = meet(&form, &incoming);
    }
    if (form.state != FORM_KNOWN || same || form.is_exact || is_header(lanes->control, at))
        return form;
    return joins_divergent_paths(lanes, phi) ? unknown : form;
}

/* Whether what an address leads to is the same for all threads that have the same address: local memory is not. */
static bool is_private(LLVMValueRef address)
{
    for (unsigned depth = 0; depth < 100; depth++) {
        if (LLVMIsAAllocaInst(address) || LLVMIsAPHINode(address) || LLVMIsASelectInst(address))
            return true;
        if (!LLVMIsAGetElementPtrInst(address) && !LLVMIsAAddrSpaceCastInst(address))
            return false;
        address = LLVMGetOperand(address, 0);
    }
    return true;
}

/* The same operands give the same result in every thread. */
static bool is_function_of_operands(LLVMValueRef i)
{
    static const char *const names[] = {"llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax.", "llvm.abs.",
                                        "llvm.fma.",  "llvm.fmuladd.", "llvm.fabs.", "llvm.ctlz.", "llvm.cttz.",
                                        "llvm.fshl.", "llvm.fshr.", "llvm.ctpop.", "llvm.expect."};
    LLVMValueRef callee = called_function(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(i) &&
               !is_private(LLVMGetOperand(i, 0));
    case LLVMCall:
        for (size_t k = 0; callee && k < sizeof names / sizeof *names; k++)
            if (!strncmp(name_of(callee), names[k], strlen(names[k])))
                return true;
        return false;
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMPHI: return false;
    default: return true;
    }
}

static struct form of_operands(const struct lanes *lanes, LLVMValueRef i, int block)
{
    struct form result = common(0);
    if (!is_function_of_operands(i))
        return unknown;
    FOR_OPERANDS(k, i) {
        struct form form = operand(lanes, LLVMGetOperand(i, k), block);
        if (form.state != FORM_KNOWN || form.varies)
            return form.state == FORM_UNSEEN ? form : unknown;
        result.per_warp |= form.per_warp;
    }
    return result;
}

/* An index keeps its value. */
static struct form truncated(struct form form, LLVMTypeRef type)
{
    const unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    const struct form mask = exactly(bits < 32 ? ((int64_t)1 << bits) - 1 : 0);
    if (form.state != FORM_KNOWN || !form.varies || bits >= 32)
        return form;
    return by_number(LLVMAnd, &form, &mask);
}

static struct form of_instruction(const struct lanes *lanes, LLVMValueRef i)
{
    const int block = block_of(lanes->control, i);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef callee = called_function(i);
    bool is_special = false;
    struct form special = callee ? special_register(lanes, name_of(callee), &is_special) : unknown;
    if (is_special)
        return special;
    switch (opcode) {
    case LLVMPHI: return join(lanes, i);
    case LLVMGetElementPtr: return element_address(lanes, i, block);
    case LLVMTrunc: return truncated(operand(lanes, LLVMGetOperand(i, 0), block), LLVMTypeOf(i));
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze: return operand(lanes, LLVMGetOperand(i, 0), block);
    default: break;
    }
    struct form result = of_operands(lanes, i, block);
    if (LLVMIsABinaryOperator(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind) {
        struct form a = operand(lanes, LLVMGetOperand(i, 0), block), b = operand(lanes, LLVMGetOperand(i, 1), block);
        struct form form = a.state == FORM_KNOWN && b.state == FORM_KNOWN ? binary(i, &a, &b) : result;
        return form.state == FORM_KNOWN ? form : result;
    }
    return result;
}

struct lanes *lanes_new(struct arena *arena, LLVMModuleRef module, LLVMValueRef function,
                        const struct control *control, unsigned width)
{
    struct lanes *lanes = arena_alloc(arena, sizeof *lanes);
    *lanes = (struct lanes){.arena = arena, .layout = LLVMGetModuleDataLayout(module), .control = control,
                            .width = width, .forms = {.arena = arena}};
    for (bool changed = true; changed;) { /* forms only ever become less */
        changed = false;
        FOR_INSTRUCTIONS_IN(i, function) {
            struct form *old = map_get(&lanes->forms, i), new = of_instruction(lanes, i);
            if (!old) {
                old = arena_alloc(arena, sizeof *old);
                map_put(&lanes->forms, i, old);
            }
            new = meet(old, &new);
            changed |= !same_form(old, &new);
            *old = new;
        }
    }
    return lanes;
}

const struct lanes *lanes_along(struct linted *linted, unsigned width)
{
    struct lanes **lanes = &linted->lanes[__builtin_ctz(width)];
    if (!*lanes)
        *lanes = lanes_new(linted->arena, linted->module, linted->function, linted->control, width);
    return *lanes;
}
