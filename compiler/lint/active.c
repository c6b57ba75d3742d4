/* Which threads of a warp come to a block of code, by the conditions on its way. */
#include "lint/lint_internal.h"

static const uint32_t all_lanes = ~(uint32_t)0;

/* Lanes for which a condition may be so; 0: it is not known for which. */
static uint32_t lanes_with(const struct lanes *lanes, LLVMValueRef condition, bool wanted, unsigned depth);

static bool compares(LLVMIntPredicate predicate, int64_t a, int64_t b)
{
    switch (predicate) {
    case LLVMIntEQ: return a == b;
    case LLVMIntNE: return a != b;
    case LLVMIntUGT: return (uint64_t)a > (uint64_t)b;
    case LLVMIntUGE: return (uint64_t)a >= (uint64_t)b;
    case LLVMIntULT: return (uint64_t)a < (uint64_t)b;
    case LLVMIntULE: return (uint64_t)a <= (uint64_t)b;
    case LLVMIntSGT: return a > b;
    case LLVMIntSGE: return a >= b;
    case LLVMIntSLT: return a < b;
    case LLVMIntSLE: return a <= b;
    }
    return false;
}

/* In the warp whose number begins with the common part 0, which stands for all where it is not the only one; where
 * none of its lanes passes, another warp's may. */
static uint32_t lanes_of_comparison(const struct lanes *lanes, LLVMValueRef compare, bool wanted)
{
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    const struct form a = form_of(lanes, LLVMGetOperand(compare, 0)), b = form_of(lanes, LLVMGetOperand(compare, 1));
    const bool is_one = predicate == (wanted ? LLVMIntEQ : LLVMIntNE);
    uint32_t found = 0;
    if (a.state != FORM_KNOWN || b.state != FORM_KNOWN)
        return 0;
    if (a.is_scaled || b.is_scaled || !(a.is_exact || b.is_exact)) /* numbers that are known at run time only */
        return is_one ? 1 : all_lanes;
    for (unsigned l = 0; l < WARP; l++)
        if (compares(predicate, a.common + a.lane[l], b.common + b.lane[l]) == wanted)
            found |= (uint32_t)1 << l;
    return found || (a.is_exact && b.is_exact) ? found : is_one ? 1 : all_lanes;
}

/* For a logical operation: `both` of its operands must be as wanted, or one. */
static uint32_t lanes_of_two(const struct lanes *lanes, LLVMValueRef a, LLVMValueRef b, bool wanted, bool both,
                             unsigned depth)
{
    const uint32_t first = lanes_with(lanes, a, wanted, depth), second = lanes_with(lanes, b, wanted, depth);
    return !first || !second ? 0 : both ? first & second : first | second;
}

static bool is_number(LLVMValueRef value, bool number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

static uint32_t lanes_with(const struct lanes *lanes, LLVMValueRef condition, bool wanted, unsigned depth)
{
    enum { MOST_DEPTH = 20 };
    const struct form form = form_of(lanes, condition);
    if (is_alike(&form))
        return all_lanes;
    if (!LLVMIsAInstruction(condition) || depth > MOST_DEPTH)
        return 0;
    LLVMValueRef a = LLVMGetOperand(condition, 0);
    switch (LLVMGetInstructionOpcode(condition)) {
    case LLVMICmp: return lanes_of_comparison(lanes, condition, wanted);
    case LLVMFreeze: return lanes_with(lanes, a, wanted, depth + 1);
    case LLVMAnd:
    case LLVMOr: {
        const bool is_and = LLVMGetInstructionOpcode(condition) == LLVMAnd;
        return lanes_of_two(lanes, a, LLVMGetOperand(condition, 1), wanted, is_and == wanted, depth + 1);
    }
    case LLVMXor:
        return is_number(LLVMGetOperand(condition, 1), true) ? lanes_with(lanes, a, !wanted, depth + 1) : 0;
    case LLVMSelect: {
        LLVMValueRef yes = LLVMGetOperand(condition, 1), no = LLVMGetOperand(condition, 2);
        if (is_number(no, false)) /* a && yes */
            return lanes_of_two(lanes, a, yes, wanted, wanted, depth + 1);
        if (is_number(yes, true)) /* a || no */
            return lanes_of_two(lanes, a, no, wanted, !wanted, depth + 1);
        return 0;
    }
    default: return 0;
    }
}

uint32_t active_lanes(const struct linted *linted, const struct lanes *lanes, LLVMValueRef instruction)
{
    const struct control *control = linted->control;
    const struct flow *flow = control->flow;
    const int block = block_of(control, instruction);
    const unsigned threads = (unsigned)linted->instance->launch_threads;
    uint32_t active = threads && threads < WARP ? ((uint32_t)1 << threads) - 1 : all_lanes;
    for (int by = 0; by < flow->count; by++) {
        uint32_t ways = 0;
        if (!is_controlled(control, block, by))
            continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[by]);
        const struct form condition = form_of(lanes, LLVMGetOperand(end, 0));
        if (is_alike(&condition))
            continue;
        if (LLVMGetInstructionOpcode(end) != LLVMBr)
            return 0;
        for (int k = 0; k < 2; k++) {
            const int next = flow->successors[by][k];
            const uint32_t way = lanes_with(lanes, LLVMGetCondition(end), k == 0, 0);
            if (!way)
                return 0;
            if (next == block || set_has(control->reached[next], (size_t)block))
                ways |= way;
        }
        active &= ways;
    }
    return active;
}
