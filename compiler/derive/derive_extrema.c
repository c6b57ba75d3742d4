/* Tangents of largest and smallest values so far, which a loop's iterations hand on.
 *
 * Elements that are equal to the last value get equal parts of its derivative: a variable of such a loop has a count of
 * the elements that are equal to it, and fmax() of equals weighs tangents by counts. */
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

/* Whether a variable comes from itself; `seen` gets all that it comes from. */
static bool comes_from_all(struct deriving *d, LLVMValueRef variable, struct pointer_map *seen)
{
    bool found = false;
    const struct sources sources = sources_of(d, variable);
    for (unsigned k = sources.first; k < sources.end; k++) {
        comes_from(d, source(variable, k), NULL, seen);
        found |= source(variable, k) == variable;
    }
    return found || map_get(seen, variable);
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

/* Whether no fmax() takes the variable twice: `m = fmax(m, x[i])` does not, and counts grow by as much as x[i] has.
 * Variables that are made of each other would count elements again and again. */
static bool is_counted_once(struct deriving *d, LLVMValueRef variable, const struct pointer_map *sources,
                            LLVMValueRef body)
{
    bool any = false;
    FOR_INSTRUCTIONS_IN(i, body) {
        if (!map_get(sources, i) || !is_extremum_call(d, i))
            continue;
        bool has[2];
        for (unsigned k = 0; k < 2; k++) {
            struct pointer_map seen = {.arena = d->arena};
            has[k] = source(i, k) == variable || comes_from(d, source(i, k), variable, &seen);
        }
        if (has[0] && has[1])
            return false;
        any |= has[0] || has[1];
    }
    return any;
}

void find_counted(struct making *m)
{
    FOR_INSTRUCTIONS_IN(i, m->s->body) {
        struct pointer_map seen = {.arena = m->d->arena};
        if (LLVMIsAPHINode(i) && activity_of(m->s, i) && comes_from_all(m->d, i, &seen) &&
            is_counted_once(m->d, i, &seen, m->s->body))
            mark_sources(m, i);
    }
}

/* How many elements a value stands for. */
static LLVMValueRef count_of(const struct making *m, LLVMValueRef value)
{
    LLVMValueRef count = map_get(&m->counts, value);
    return count ? count : LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value))), 1, false);
}

static LLVMValueRef build_equal(struct making *m, LLVMValueRef call)
{
    return LLVMBuildFCmp(m->builder, LLVMRealOEQ, copied(&m->copy, LLVMGetOperand(call, 0)),
                         copied(&m->copy, LLVMGetOperand(call, 1)), "");
}

/* Phis get theirs by complete_count(). */
void build_count(struct making *m, LLVMValueRef i)
{
    LLVMBuilderRef builder = m->builder;
    if (!map_get(&m->counted, i))
        return;
    LLVMValueRef made;
    if (LLVMIsAPHINode(i)) {
        made = LLVMBuildPhi(builder, LLVMTypeOf(count_of(m, i)), "");
    } else if (LLVMIsASelectInst(i)) {
        made = LLVMBuildSelect(builder, copied(&m->copy, LLVMGetOperand(i, 0)), count_of(m, LLVMGetOperand(i, 1)),
                               count_of(m, LLVMGetOperand(i, 2)), "");
    } else {
        LLVMValueRef first = count_of(m, LLVMGetOperand(i, 0)), second = count_of(m, LLVMGetOperand(i, 1));
        LLVMValueRef is_first = LLVMBuildFCmp(builder, LLVMRealOEQ, copied(&m->copy, i),
                                              copied(&m->copy, LLVMGetOperand(i, 0)), "");
        made = LLVMBuildSelect(builder, build_equal(m, i), LLVMBuildAdd(builder, first, second, ""),
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
    LLVMValueRef all = LLVMBuildAdd(m->builder, own, count_of(m, LLVMGetOperand(call, 1 - argument)), "");
    LLVMTypeRef type = LLVMTypeOf(partial);
    LLVMValueRef part = LLVMBuildFDiv(m->builder, LLVMBuildUIToFP(m->builder, own, type, ""),
                                      LLVMBuildUIToFP(m->builder, all, type, ""), "");
    return LLVMBuildSelect(m->builder, build_equal(m, call), part, partial, "");
}
