/* Double arithmetic whose operands come from floats, and whose results become floats again: an accident, most often of
 * a constant without an f.  A sum that is kept in double, or a double out of memory, was meant. */
#include "lint/lint_internal.h"

#include <string.h>

static bool is_double(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind;
}

/* The functions that convert wide integers have no double operands. */
static bool is_math_call(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    bool has_double_operand = false;
    FOR_OPERANDS(k, i)
        has_double_operand |= is_double(LLVMGetOperand(i, k));
    return callee && has_double_operand && LLVMIsDeclaration(callee) &&
           (!strncmp(name_of(callee), "gpucc_", 6) || LLVMGetIntrinsicID(callee));
}

/* Whether doubles go in or come out. */
static bool handles_doubles(LLVMValueRef i)
{
    bool found = is_double(i);
    FOR_OPERANDS(k, i)
        found |= is_double(LLVMGetOperand(i, k));
    return found;
}

static bool is_arithmetic(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFCmp:
    case LLVMFNeg: return true;
    case LLVMCall: return is_math_call(i);
    default: return false;
    }
}

static bool is_conversion(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSelect:
    case LLVMFreeze: return true;
    default: return false;
    }
}

/* A group of operations connected by doubles. */
struct group {
    LLVMValueRef *items;
    size_t count;
    bool is_meant, has_floats;
};

static void add(struct arena *arena, struct pointer_map *seen, struct group *group, LLVMValueRef value)
{
    group->is_meant |= LLVMIsAArgument(value) != NULL;
    if (!LLVMIsAInstruction(value) || map_get(seen, value))
        return;
    map_put(seen, value, value);
    group->items = arena_grow(arena, group->items, group->count, sizeof *group->items);
    group->items[group->count++] = value;
}

static struct group group_of(struct arena *arena, struct pointer_map *seen, LLVMValueRef first)
{
    struct group group = {0};
    add(arena, seen, &group, first);
    for (size_t k = 0; k < group.count; k++) {
        LLVMValueRef i = group.items[k];
        const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        group.is_meant |= !is_arithmetic(i) && !is_conversion(i);
        group.has_floats |= opcode == LLVMFPExt || opcode == LLVMFPTrunc;
        FOR_OPERANDS(n, i)
            if (is_double(LLVMGetOperand(i, n)))
                add(arena, seen, &group, LLVMGetOperand(i, n));
        if (is_double(i))
            FOR_USES(use, i)
                add(arena, seen, &group, LLVMGetUser(use));
    }
    return group;
}

/* Places of the source, as unrolled loops have operations many times. */
static size_t count_places(const struct group *group, size_t count, LLVMValueRef *found)
{
    for (size_t k = 0; k < group->count; k++) {
        bool is_new = is_arithmetic(group->items[k]);
        for (size_t n = 0; n < count && is_new; n++)
            is_new = !same_source(found[n], group->items[k]);
        if (is_new)
            found[count++] = group->items[k];
    }
    return count;
}

/* "1/2 on sm_60, sm_80; 1/64 on sm_86" */
static const char *rates(struct arena *arena)
{
    static const int parts[] = {2, 32, 64};
    struct text text = {.arena = arena};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        bool any = false;
        for (int capability = 50; capability < 200; capability++) {
            const struct architecture *architecture = architecture_of(capability);
            if (arch_capability(architecture->number) != capability || architecture->double_part != parts[k])
                continue;
            if (!any)
                text_printf(&text, "%s1/%d on ", text.size ? "; " : "", parts[k]);
            text_printf(&text, "%s%s", any ? ", " : "", arch_name(arena, capability));
            any = true;
        }
    }
    return text.data;
}

void lint_precision(struct linted *linted)
{
    struct pointer_map seen = {.arena = linted->arena};
    LLVMValueRef *found = NULL;
    size_t count = 0, most = 0;
    FOR_INSTRUCTIONS_IN(i, linted->function)
        most++;
    found = arena_alloc(linted->arena, most * sizeof(LLVMValueRef));
    FOR_INSTRUCTIONS_IN(i, linted->function) {
        if (!is_arithmetic(i) || !handles_doubles(i) || map_get(&seen, i))
            continue;
        const struct group group = group_of(linted->arena, &seen, i);
        if (!group.is_meant && group.has_floats)
            count = count_places(&group, count, found);
    }
    if (!count)
        return;
    report_slow(linted, found[0], "'%s' has float inputs and outputs, but does %zu operation%s in double arithmetic",
                linted->instance->function->name, count, count == 1 ? "" : "s");
    report_remedy(linted, NULL, "double arithmetic runs at a fraction of float's rate: %s; 0.5f and sinf() are "
                                "floats, 0.5 and sin() are not",
                  rates(linted->arena));
}
