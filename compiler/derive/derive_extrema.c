/* Tangents of largest and smallest values so far, which a loop's iterations hand on.
 *
 * Elements that are equal to the last value get equal parts of its derivative: a variable of such a loop has a count of
 * the elements that are equal to it, a number of its own type, and fmax() of equals weighs tangents by counts. */
#include "derive/derive_internal.h"

#include <string.h>

bool is_extremum_call(struct deriving *d, LLVMValueRef value)
{
    static const char *const names[] = {"fmax", "fmin", "fmaxf", "fminf"};
    const struct call call = LLVMIsACallInst(value) ? call_of(d, value) : (struct call){0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (call.kind == CALL_MATH && !strcmp(call.name, names[k]))
            return true;
    return false;
}

/* The operands that the value may be, from the first to the one before the end. */
struct sources {
    unsigned first, end;
};

static struct sources sources_of(struct deriving *d, LLVMValueRef value)
{
    if (LLVMIsAPHINode(value))
        return (struct sources){0, LLVMCountIncoming(value)};
    if (LLVMIsASelectInst(value))
        return (struct sources){1, 3};
    return (struct sources){0, is_extremum_call(d, value) ? 2 : 0};
}

static LLVMValueRef source(LLVMValueRef value, unsigned k)
{
    return LLVMIsAPHINode(value) ? LLVMGetIncomingValue(value, k) : LLVMGetOperand(value, k);
}

/* Whether it comes from a value by nothing but choices. */
static bool comes_from(struct deriving *d, LLVMValueRef value, LLVMValueRef from, struct pointer_map *seen)
{
    const struct sources sources = sources_of(d, value);
    if (map_get(seen, value))
        return false;
    map_put(seen, value, value);
    for (unsigned k = sources.first; k < sources.end; k++)
        if (source(value, k) == from || comes_from(d, source(value, k), from, seen))
            return true;
    return false;
}

static void mark_sources(struct making *m, LLVMValueRef value)
{
    const struct sources sources = sources_of(m->d, value);
    if (map_get(&m->counted, value) || sources.first == sources.end)
        return;
    map_put(&m->counted, value, value);
    for (unsigned k = sources.first; k < sources.end; k++)
        mark_sources(m, source(value, k));
}

void find_counted(struct making *m)
{
    FOR_INSTRUCTIONS_IN(i, m->s->body) {
        struct pointer_map seen = {.arena = m->d->arena};
        if (activity_of(m->s, i) && is_extremum_call(m->d, i) && comes_from(m->d, i, i, &seen))
            mark_sources(m, i);
    }
}

/* How many elements a value stands for. */
static LLVMValueRef count_of(const struct making *m, LLVMValueRef value)
{
    LLVMValueRef count = map_get(&m->counts, value);
    return count ? count : LLVMConstReal(LLVMTypeOf(value), 1);
}

static LLVMValueRef build_equal(struct making *m, LLVMValueRef call)
{
    return LLVMBuildFCmp(m->builder, LLVMRealOEQ, copied(&m->copy, LLVMGetOperand(call, 0)),
                         copied(&m->copy, LLVMGetOperand(call, 1)), "");
}

/* Phis get theirs by complete_counts(). */
void build_count(struct making *m, LLVMValueRef i)
{
    LLVMBuilderRef builder = m->builder;
    if (!map_get(&m->counted, i))
        return;
    LLVMValueRef made;
    if (LLVMIsAPHINode(i)) {
        made = LLVMBuildPhi(builder, LLVMTypeOf(i), "");
    } else if (LLVMIsASelectInst(i)) {
        made = LLVMBuildSelect(builder, copied(&m->copy, LLVMGetOperand(i, 0)), count_of(m, LLVMGetOperand(i, 1)),
                               count_of(m, LLVMGetOperand(i, 2)), "");
    } else {
        LLVMValueRef first = count_of(m, LLVMGetOperand(i, 0)), second = count_of(m, LLVMGetOperand(i, 1));
        LLVMValueRef is_first = LLVMBuildFCmp(builder, LLVMRealOEQ, copied(&m->copy, i),
                                              copied(&m->copy, LLVMGetOperand(i, 0)), "");
        made = LLVMBuildSelect(builder, build_equal(m, i), LLVMBuildFAdd(builder, first, second, ""),
                               LLVMBuildSelect(builder, is_first, first, second, ""), "");
    }
    map_put(&m->counts, i, made);
}

void complete_count(struct making *m, LLVMValueRef phi)
{
    LLVMValueRef made = map_get(&m->counts, phi);
    for (unsigned n = 0; made && n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = copied_block(&m->copy, LLVMGetIncomingBlock(phi, n));
        LLVMValueRef value = count_of(m, LLVMGetIncomingValue(phi, n));
        if (from)
            LLVMAddIncoming(made, &value, &from, 1);
    }
}

LLVMValueRef weighed_partial(struct making *m, LLVMValueRef call, unsigned argument, LLVMValueRef partial)
{
    if (!map_get(&m->counted, call))
        return partial;
    LLVMValueRef own = count_of(m, LLVMGetOperand(call, argument));
    LLVMValueRef all = LLVMBuildFAdd(m->builder, own, count_of(m, LLVMGetOperand(call, 1 - argument)), "");
    LLVMValueRef part = LLVMBuildFDiv(m->builder, own, all, "");
    return LLVMBuildSelect(m->builder, build_equal(m, call), part, partial, "");
}
