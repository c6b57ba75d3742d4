/* Checks a function's properties for any inputs: no faults, the same bits on all devices, and its reference's
 * results. */
#include "test/test_internal.h"

#include <math.h>
#include <string.h>

/* ---- calls ---- */

/* Outputs are filled beforehand, the tested function's and its reference's differently, so that an element that neither
 * writes still differs.  Neither byte is the other's number, sign or truth. */
enum { BEFORE = 0xa5, BEFORE_OTHER = 0x5a };

/* False if there is nothing to compare, as the outcome says. */
static bool called(const struct side *side, const struct test_case *test, int before, struct arena *arena,
                   struct results *results, struct outcome *outcome)
{
    guard(test->loop->function->name);
    call_on(side, test, before, arena, results);
    const bool is_shape = results->status == GPUCC_BAD_SHAPE || results->status == GPUCC_INVALID_ARGUMENT;
    if (is_shape && test->loop->layout && before == BEFORE)
        outcome->applies = false; /* a gufunc need not take arrays of every size; what is compared with it takes its */
    else if (side->faults && side->faults->count)
        outcome->failure = arena_strndup(arena, side->faults->text.data, side->faults->text.size - 1);
    else if (results->status)
        outcome->failure = arena_printf(arena, "the call on %s fails: %s", side->name, results->reason);
    else if (results->strayed)
        outcome->failure = arena_printf(arena, "%s %s", side->faults ? "it" : side->name, results->strayed);
    outcome->in_memory |= results->strayed != NULL;
    return outcome->applies && !outcome->failure;
}

static struct compared *begin(struct outcome *outcome, const struct test_case *test, size_t k, char *got,
                              struct arena *arena)
{
    struct compared *compared = &outcome->outputs[k];
    compared->count = element_count(&test->operands[test->loop->input_count + k]);
    compared->got = got;
    compared->errors = arena_alloc(arena, (compared->count + 1) * sizeof *compared->errors);
    return compared;
}

/* ---- the same bits ---- */

bool are_alike(enum dtype dtype, const char *a, const char *b)
{
    long double x[2], y[2];
    element_parts(dtype, a, x);
    element_parts(dtype, b, y);
    for (int i = 0; i < 2; i++)
        if (!(isnan(x[i]) && isnan(y[i])) && !(x[i] == y[i] && signbit(x[i]) == signbit(y[i])))
            return false;
    return true;
}

/* Which bits the NaNs of a gufunc have is not said. */
static bool are_same(const struct instance *loop, enum dtype dtype, const char *a, const char *b)
{
    return memcmp(a, b, dtype_size(dtype)) == 0 || (loop->layout && are_alike(dtype, a, b));
}

static void compare_bits(const struct property *property, const struct test_case *test, const struct results *results,
                         struct arena *arena, struct outcome *outcome)
{
    struct results others;
    if (!called(property->other, test, BEFORE_OTHER, arena, &others, outcome))
        return;
    for (size_t k = 0; k < test->loop->output_count; k++) {
        const enum dtype dtype = test->loop->outputs[k];
        const size_t size = dtype_size(dtype);
        struct compared *compared = begin(outcome, test, k, results->outputs[k], arena);
        compared->wanted = others.outputs[k];
        compared->wanted_type = dtype;
        for (size_t i = 0; i < compared->count; i++) {
            const char *got = compared->got + i * size, *wanted = compared->wanted + i * size;
            compared->errors[i] = are_same(test->loop, dtype, got, wanted) ? 0 : INFINITY;
        }
    }
}

/* ---- a reference ---- */

static char *convert(struct arena *arena, enum dtype to, enum dtype from, const char *values, size_t count)
{
    char *converted = arena_alloc(arena, (count + 1) * dtype_size(to));
    elements_convert(to, converted, from, values, count);
    return converted;
}

/* The case for another function of the same parameters, whose types are at least as wide. */
static struct test_case for_reference(const struct test_case *test, const struct instance *reference,
                                      struct arena *arena)
{
    struct test_case other = *test;
    other.loop = reference;
    other.in_place = -1;
    for (size_t k = 0; k < operand_count(reference); k++) {
        struct operand *operand = &other.operands[k];
        const enum dtype from = operand->dtype;
        const bool is_input = k < reference->input_count;
        operand->dtype = is_input ? reference->inputs[k] : reference->outputs[k - reference->input_count];
        operand->spacing = SPACING_PACKED;
        if (is_input)
            operand->values = convert(arena, operand->dtype, from, operand->values, element_count(operand));
    }
    return other;
}

static void compare_reference(const struct property *property, const struct test_case *test,
                              const struct results *results, struct arena *arena, struct outcome *outcome)
{
    const struct instance *reference = property->reference;
    const struct test_case other = for_reference(test, reference, arena);
    struct results wanted;
    if (!called(property->side, &other, BEFORE_OTHER, arena, &wanted, outcome))
        return;
    for (size_t k = 0; k < test->loop->output_count; k++) {
        const enum dtype dtype = test->loop->outputs[k], wide = reference->outputs[k];
        struct compared *compared = begin(outcome, test, k, results->outputs[k], arena);
        compared->wanted = wanted.outputs[k];
        compared->wanted_type = wide;
        for (size_t i = 0; i < compared->count; i++)
            compared->errors[i] = error_in_ulps(dtype, compared->got + i * dtype_size(dtype), wide,
                                                compared->wanted + i * dtype_size(wide));
    }
}

/* ---- an inverse ---- */

/* The neighbours of a real number: `up` is towards positive infinity, at which it ends. */
static void move_to_neighbour(enum dtype dtype, bool up, char *element)
{
    uint64_t bits = 0;
    const size_t size = dtype_size(dtype);
    const uint64_t sign = (uint64_t)1 << (size * 8 - 1);
    long double parts[2];
    memcpy(&bits, element, size);
    element_parts(dtype, element, parts);
    if (isnan(parts[0]) || (isinf(parts[0]) && up == (parts[0] > 0)))
        return;
    if (!(bits & ~sign)) /* of either zero */
        bits = up ? 1 : sign | 1;
    else
        bits += up == !(bits & sign) ? 1 : (uint64_t)-1;
    memcpy(element, &bits, size);
}

/* The reference's results for the results, or for the numbers next to them. */
static char *invert(const struct property *property, const struct test_case *test, const char *results, int beside,
                    struct arena *arena, struct outcome *outcome)
{
    const struct instance *reference = property->reference;
    const enum dtype dtype = test->loop->outputs[0];
    struct test_case other = *test;
    struct operand *operand = &other.operands[0];
    struct results inverted;
    *operand = other.operands[1];
    const size_t count = element_count(operand), size = dtype_size(dtype);
    char *values = arena_alloc(arena, (count + 1) * size);
    memcpy(values, results, count * size);
    for (size_t i = 0; beside && dtype_kind(dtype) == 'f' && i < count; i++)
        move_to_neighbour(dtype, beside > 0, values + i * size);
    operand->values = values;
    other = for_reference(&other, reference, arena);
    return called(property->side, &other, BEFORE_OTHER, arena, &inverted, outcome) ? inverted.outputs[0] : NULL;
}

/* How far f(g(x)) is from x: in steps of the result, which are what f makes of its neighbours, or of x, whichever says
 * less.  Where there is no result, f(g(x)) is not to be x; where x lies between what f makes of neighbours, it is as
 * near as can be. */
static double inverse_error(enum dtype result, const char *y, enum dtype argument, const char *x, enum dtype wide,
                            const char *const back[3])
{
    long double made[2], given[2], at[3][2];
    element_parts(result, y, made);
    element_parts(argument, x, given);
    for (int i = 0; i < 3; i++)
        element_parts(wide, back[i], at[i]);
    if (isnan(made[0]) || isnan(given[0]))
        return isnan(at[1][0]) || isnan(made[0]) ? NAN : INFINITY;
    const double direct = error_in_ulps(argument, x, wide, back[1]);
    if (dtype_kind(result) != 'f' || isnan(at[1][0]) || direct <= 1)
        return direct;
    long double step = 0;
    for (int i = 0; i < 3; i += 2) {
        const long double low = fminl(at[i][0], at[1][0]), high = fmaxl(at[i][0], at[1][0]);
        if (low <= given[0] && given[0] <= high)
            return 1;
        if (isfinite(at[i][0]))
            step = fmaxl(step, fabsl(at[i][0] - at[1][0]));
    }
    const double steps = step > 0 ? (double)(fabsl(at[1][0] - given[0]) / step) : INFINITY;
    return isnan(steps) ? INFINITY : fmin(direct, steps);
}

static void compare_inverse(const struct property *property, const struct test_case *test,
                            const struct results *results, struct arena *arena, struct outcome *outcome)
{
    const struct instance *reference = property->reference;
    const enum dtype result = test->loop->outputs[0], argument = test->loop->inputs[0], wide = reference->outputs[0];
    const char *back[3];
    for (int i = 0; i < 3; i++)
        if (!(back[i] = invert(property, test, results->outputs[0], i - 1, arena, outcome)))
            return;
    struct compared *compared = begin(outcome, test, 0, results->outputs[0], arena);
    compared->wanted = (char *)(uintptr_t)back[1];
    compared->wanted_type = wide;
    for (size_t i = 0; i < compared->count; i++) {
        const size_t at = i * dtype_size(wide);
        const char *const around[3] = {back[0] + at, back[1] + at, back[2] + at};
        compared->errors[i] = inverse_error(result, compared->got + i * dtype_size(result), argument,
                                            test->operands[0].values + i * dtype_size(argument), wide, around);
    }
}

/* ---- all ---- */

static void find_worst(const struct test_case *test, struct outcome *outcome)
{
    outcome->worst = -1;
    for (size_t k = 0; k < test->loop->output_count; k++)
        for (size_t i = 0; i < outcome->outputs[k].count; i++)
            if (outcome->outputs[k].errors[i] > outcome->worst) {
                outcome->worst = outcome->outputs[k].errors[i];
                outcome->worst_output = k;
                outcome->worst_element = i;
            }
}

void judge(const struct property *property, const struct test_case *test, struct arena *arena,
           struct outcome *outcome)
{
    struct results results;
    *outcome = (struct outcome){.applies = true};
    if (!called(property->side, test, BEFORE, arena, &results, outcome))
        return;
    switch (property->kind) {
    case SAME_BITS: compare_bits(property, test, &results, arena, outcome); break;
    case AS_REFERENCE: compare_reference(property, test, &results, arena, outcome); break;
    case INVERTED: compare_inverse(property, test, &results, arena, outcome); break;
    case DERIVED: compare_derivative(property, test, &results, arena, outcome); break;
    case NO_FAULTS: break;
    }
    find_worst(test, outcome);
}

bool fails(const struct property *property, const struct outcome *outcome)
{
    return outcome->applies && (outcome->failure || outcome->worst > property->within);
}

static bool same_output(const struct test_case *test, size_t k, const struct results *a, const struct results *b)
{
    const enum dtype dtype = test->loop->outputs[k];
    const size_t count = element_count(&test->operands[test->loop->input_count + k]), size = dtype_size(dtype);
    for (size_t i = 0; i < count; i++)
        if (!are_same(test->loop, dtype, a->outputs[k] + i * size, b->outputs[k] + i * size))
            return false;
    return true;
}

const char *depends_on_before(const struct property *property, const struct test_case *test, struct arena *arena)
{
    static const int before[] = {BEFORE, BEFORE_OTHER, BEFORE};
    struct results results[3];
    guard(test->loop->function->name);
    for (int i = 0; i < 3; i++) {
        call_on(property->side, test, before[i], arena, &results[i]);
        if (results[i].status)
            return NULL;
    }
    for (size_t k = 0; k < test->loop->output_count; k++)
        if (same_output(test, k, &results[0], &results[2]) && !same_output(test, k, &results[0], &results[1]))
            return operand_name(test->loop, test->loop->input_count + k);
    return NULL;
}
