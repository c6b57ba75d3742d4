/* Runs each loop on all devices: their bits must agree with one another and with the reference. */
#include "test/test_internal.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- one property ---- */

enum { WORST = 3 };

struct tally {
    uint64_t cases, elements, points;
    struct errors *errors;
    struct worst {
        double error;
        const char *text;
    } worst[WORST]; /* of as many cases, the largest error first */
};

/* Notes a case's worst result where it is among the worst of all. */
static void note_worst(struct tally *tally, const struct property *property, const struct test_case *test,
                       struct arena *arena, const struct outcome *outcome)
{
    int at = WORST;
    while (at > 0 && outcome->worst > tally->worst[at - 1].error)
        at--;
    if (at == WORST)
        return;
    memmove(tally->worst + at + 1, tally->worst + at, (size_t)(WORST - 1 - at) * sizeof *tally->worst);
    tally->worst[at] = (struct worst){outcome->worst, describe_worst(arena, property, test, outcome)};
}

static const char *worst_lines(struct arena *arena, const struct tally *tally)
{
    struct text text = {.arena = arena};
    for (int i = 0; i < WORST && tally->worst[i].text; i++)
        text_printf(&text, "%s", tally->worst[i].text);
    return text.data;
}

static void count(struct tally *tally, const struct property *property, const struct test_case *test,
                  struct arena *arena, const struct outcome *outcome)
{
    tally->cases++;
    tally->points += outcome->points;
    if (property->kind == AS_REFERENCE || property->kind == INVERTED)
        note_worst(tally, property, test, arena, outcome);
    for (size_t k = 0; k < test->loop->output_count; k++) {
        tally->elements += outcome->outputs[k].count;
        for (size_t i = 0; i < outcome->outputs[k].count; i++)
            count_error(tally->errors, outcome->outputs[k].errors[i]);
    }
}

/* How far results are off. */
static const char *worst_text(struct arena *arena, const struct errors *errors, enum dtype dtype)
{
    return arena_printf(arena, "at most %.3g%s, %.3Lg on average, of %llu results", errors->most, unit_name(dtype),
                        errors->finite ? errors->sum / (long double)errors->finite : 0,
                        (unsigned long long)errors->count);
}

static void fail_case(const struct test_options *options, const struct property *property, struct test_case *test,
                      struct arena *arena, struct verdict *verdict)
{
    struct outcome outcome;
    shrink(property, arena, test);
    judge(property, test, arena, &outcome);
    const bool steady = fails(property, &outcome);
    const char *output = steady && !outcome.failure ? depends_on_before(property, test, arena) : NULL;
    if (!steady)
        outcome.failure = "its results differ between calls with the same arguments";
    else if (output)
        outcome.failure = arena_printf(arena, "%s leaves '%s' partly unwritten: the result depends on the output's "
                                              "previous contents",
                                       property->side->name, output);
    outcome.in_memory |= !steady || output;
    verdict->kind = FAILED;
    verdict->more = save_failure(options, arena, property, test, &outcome);
}

/* Tries all cases, or those up to the first that fails. */
static void try_property(const struct test_options *options, const struct property *property,
                         const struct instance *loop, struct verdicts *verdicts, struct verdict verdict)
{
    const double start = seconds_now();
    struct tally tally = {.errors = arena_alloc(verdicts->arena, sizeof *tally.errors)};
    struct test_case test;
    bool more = true;
    for (uint64_t number = 0; more && verdict.kind == PASSED; number++) {
        struct arena *arena = arena_new();
        struct outcome outcome = {0};
        more = make_case(arena, options, loop, number, &test);
        if (more && property->kind == DERIVED)
            draw_ordinary(options, number, arena, &test);
        if (more) {
            struct verdict crashed = verdict;
            const struct left_files files = foresee_failure(options, arena, property, &test, &crashed.more);
            foresee_crash(verdicts, crashed, &files);
            judge(property, &test, arena, &outcome);
        }
        if (more && outcome.applies && !outcome.failure)
            count(&tally, property, &test, verdicts->arena, &outcome);
        if (more && fails(property, &outcome))
            fail_case(options, property, &test, verdicts->arena, &verdict);
        forget_files(verdicts);
        arena_free(arena);
    }
    verdict.seconds = seconds_now() - start;
    if (verdict.kind == PASSED && !tally.cases) {
        verdict.kind = SKIPPED;
        verdict.detail = "it accepts arrays of none of the shapes that were tried";
    } else if (property->kind == DERIVED) {
        verdict.detail = arena_printf(verdicts->arena, "%llu points", (unsigned long long)tally.points);
        if (verdict.kind == PASSED && !tally.points) {
            verdict.kind = SKIPPED;
            verdict.detail = "differences settle nowhere";
        }
    } else if (property->kind == NO_FAULTS) {
        verdict.detail = arena_printf(verdicts->arena, "%llu calls", (unsigned long long)tally.cases);
    } else if (property->kind == SAME_BITS) {
        verdict.detail = arena_printf(verdicts->arena, "%llu calls, %llu elements", (unsigned long long)tally.cases,
                                      (unsigned long long)tally.elements);
    } else if (verdict.kind == PASSED && !tally.errors->count) {
        verdict.kind = property->kind == INVERTED ? FAILED : SKIPPED;
        verdict.detail = "nothing to compare: all results are NaN";
    } else {
        verdict.detail = worst_text(verdicts->arena, tally.errors,
                                    property->kind == INVERTED ? loop->inputs[0] : loop->outputs[0]);
        verdict.errors = tally.errors;
        verdict.more = verdict.more ? verdict.more : worst_lines(verdicts->arena, &tally);
    }
    add_verdict(verdicts, verdict);
}

/* ---- references ---- */

/* Returns the most bits that a number of the type needs: for integers all, except for the sign. */
static int significant_bits(enum dtype dtype)
{
    return dtype_digits(dtype) ? dtype_digits(dtype) : (int)dtype_size(dtype) * 8 - (dtype_kind(dtype) == 'i');
}

/* Whether the wide types have all numbers of the narrow ones: float64 has not those of int64, to which NumPy casts
 * safely. */
static bool can_represent(const enum dtype *narrow, const enum dtype *wide, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!gpucc_can_cast((gpucc_dtype)narrow[i], (gpucc_dtype)wide[i], GPUCC_CASTING_SAFE) ||
            (dtype_digits(wide[i]) && significant_bits(narrow[i]) > dtype_digits(wide[i])))
            return false;
    return true;
}

static bool same_dimension(const struct core_dimension *a, const struct core_dimension *b)
{
    const bool computed = a->extent && b->extent;
    return a->size == b->size && a->is_optional == b->is_optional && a->broadcasts == b->broadcasts &&
           !a->target == !b->target && (computed ? !strcmp(a->extent, b->extent) : a->extent == b->extent);
}

static bool same_operand(const struct operand_layout *a, const struct operand_layout *b)
{
    bool same = a->dimension_count == b->dimension_count;
    for (size_t d = 0; same && d < a->dimension_count; d++)
        same = a->dimensions[d] == b->dimensions[d];
    return same;
}

/* Whatever names their dimensions have. */
static bool same_layout(const struct layout *a, const struct layout *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->dimension_count == b->dimension_count && a->input_count == b->input_count &&
                a->output_count == b->output_count;
    for (size_t i = 0; same && i < a->dimension_count; i++)
        same = same_dimension(&a->dimensions[i], &b->dimensions[i]);
    for (size_t k = 0; same && k < a->input_count + a->output_count; k++)
        same = same_operand(&a->operands[k], &b->operands[k]);
    return same;
}

/* Whether it can say what the loop's results should be; of an inverse, what its arguments were. */
static bool can_judge(const struct instance *reference, const struct instance *loop, bool is_inverse)
{
    const enum dtype *inputs = is_inverse ? loop->outputs : loop->inputs;
    const enum dtype *outputs = is_inverse ? loop->inputs : loop->outputs;
    return has_loops(reference) && !reference->by && reference->input_count == loop->input_count &&
           reference->output_count == loop->output_count && same_layout(reference->layout, loop->layout) &&
           can_represent(inputs, reference->inputs, loop->input_count) &&
           can_represent(outputs, reference->outputs, loop->output_count);
}

/* The widest that can; null if none does. */
static const struct instance *choose_reference(const struct program *program, const struct instance *loop,
                                               const struct reference *reference)
{
    const struct instance *widest = NULL;
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *other = written_instance(program, i);
        if (strcmp(other->function->name, reference->name) != 0 || !can_judge(other, loop, reference->is_inverse))
            continue;
        if (!widest || dtype_size(other->outputs[0]) > dtype_size(widest->outputs[0]))
            widest = other;
    }
    return widest;
}

/* Names the place of the reference and, if another function gave it its layout, that function. */
static const char *why_none(struct arena *arena, const struct program *program, const struct instance *loop)
{
    const struct place *place = &loop->function->reference->place;
    const char *name = loop->function->reference->name, *says = "this names it";
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *other = written_instance(program, i);
        if (!strcmp(other->function->name, name) && other->function->is_plain &&
            !same_layout(other->layout, loop->layout))
            says = arena_printf(arena, "'%s' has the layout %s, from the first function that names it, but '%s' has %s",
                                name, other->function->annotation, loop->function->name,
                                loop->function->annotation);
    }
    return arena_printf(arena, "%s:%u:%u: %s\n", place->file, place->line, place->column, says);
}

static bool is_invertible(const struct instance *loop)
{
    return !loop->layout && loop->input_count == 1 && loop->output_count == 1 && dtype_kind(loop->inputs[0]) != 'c' &&
           dtype_kind(loop->outputs[0]) != 'c';
}

static void try_reference(const struct test_options *options, const struct program *program, const struct side *cpu,
                          const struct instance *loop, struct verdicts *verdicts)
{
    const struct reference *reference = loop->function->reference;
    const struct instance *other = choose_reference(program, loop, reference);
    struct verdict verdict = {.symbol = loop->symbol};
    verdict.what = arena_printf(verdicts->arena, reference->is_inverse ? "inverse(%s)" : "reference(%s)",
                                reference->name);
    if (reference->is_inverse && !is_invertible(loop)) {
        verdict.kind = FAILED;
        verdict.detail = "inverse(…) requires ufuncs with one real input and one real output";
    } else if (!other) {
        verdict.kind = FAILED;
        verdict.detail = arena_printf(verdicts->arena, "'%s' has no loop of the same parameters in wider types",
                                      reference->name);
        verdict.more = why_none(verdicts->arena, program, loop);
    } else if (other == loop && !reference->is_inverse) {
        verdict.kind = SKIPPED;
        verdict.detail = "it is its own reference, and has no loop of wider types";
    } else {
        const struct property property = {.kind = reference->is_inverse ? INVERTED : AS_REFERENCE, .side = cpu,
                                          .reference = other,
                                          .within = reference->within < 0 ? INFINITY : reference->within};
        try_property(options, &property, loop, verdicts, verdict);
        return;
    }
    add_verdict(verdicts, verdict);
}

static void try_derivative(const struct test_options *options, const struct side *cpu, const struct instance *loop,
                           const struct instance *derived, struct verdicts *verdicts)
{
    const struct property property = {.kind = DERIVED, .side = cpu, .reference = derived};
    const char *what = arena_printf(verdicts->arena, "derivative(%s)", derived->function->name);
    try_property(options, &property, loop, verdicts, (struct verdict){.symbol = loop->symbol, .what = what});
}

/* ---- a loop ---- */

void try_loop(const struct test_options *options, const struct program *program, const struct side *sides,
              const struct side *checked, const struct instance *loop, struct verdicts *verdicts)
{
    if (checked)
        try_property(options, &(struct property){.kind = NO_FAULTS, .side = checked}, loop, verdicts,
                     (struct verdict){.symbol = loop->symbol, .what = checked->name});
    const bool is_fast = loop->function->fast_math || options->compile.fast_math;
    for (const struct side *other = sides->next; other; other = other->next) {
        const struct property property = {.kind = SAME_BITS, .side = sides, .other = other};
        struct verdict verdict = {.symbol = loop->symbol,
                                  .what = arena_printf(verdicts->arena, "%s and %s", sides->name, other->name)};
        if (is_fast || (options->compile.libdevice && !other->one_by_one)) {
            verdict.kind = SKIPPED;
            verdict.detail = is_fast ? "with fast-math results need not be the same everywhere"
                                     : "with --math=libdevice a GPU's results need not be the CPU's";
            add_verdict(verdicts, verdict);
        } else {
            try_property(options, &property, loop, verdicts, verdict);
        }
    }
    if (loop->function->reference)
        try_reference(options, program, sides, loop, verdicts);
    const struct instance *derived = derived_instance(program, loop);
    if (derived)
        try_derivative(options, sides, loop, derived, verdicts);
}
