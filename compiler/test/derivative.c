/* Compares derivatives with differences of their functions: the slopes in a random direction, in float64.
 *
 * Central differences of three widths are extrapolated by Richardson's rule.  Points where they do not settle are
 * passed over: kinks, jumps, and arguments at which rounding hides the slope. */
#include "test/test_internal.h"

#include <math.h>
#include <string.h>

enum { WIDTHS = 3, POINTS = 1 + 2 * WIDTHS, BEFORE = 0xa5 };

static const double widest = 0x1p-10, settled = 1e-8, allowed = 1e-5; /* the latter two of the terms' size */
/* Arguments other than 0 lie between: rounding does not hide a step, and floor() does not seem linear. */
static const double smallest = 0x1p-20, largest = 0x1p6;

/* A derivative's case with all that is computed for it: each operand's elements for every outer index. */
struct slopes {
    const struct property *property;
    const struct test_case *test;
    const struct instance *function;
    struct arena *arena;
    size_t outer;                            /* indices */
    double *given[GPUCC_LOOP_OPERANDS];      /* of the derivative's operands; null: not floating-point */
    double *steps[GPUCC_LOOP_OPERANDS];      /* of the function's inputs */
    double *lengths;                         /* of the steps at each outer index, by which the tangents are too long */
    double *made[POINTS][GPUCC_LOOP_OPERANDS]; /* the function's outputs at 0, and at each width ahead and behind */
};

/* ---- which functions ---- */

static bool is_number(enum dtype dtype)
{
    return dtype_kind(dtype) == 'f' && !dtype_is_stored(dtype);
}

static bool is_double(const enum dtype *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dtype_kind(types[i]) == 'c' || (is_number(types[i]) && types[i] != DTYPE_float64))
            return false;
    return true;
}

const struct instance *derived_instance(const struct program *program, const struct instance *loop)
{
    for (size_t i = 0; loop->function->derivative_of && i < program->written_count; i++) {
        const struct instance *other = written_instance(program, i);
        if (!strcmp(other->function->name, loop->function->derivative_of) && has_loops(other) &&
            other->input_count <= loop->input_count &&
            !memcmp(other->inputs, loop->inputs, other->input_count * sizeof *loop->inputs) &&
            is_double(loop->inputs, loop->input_count) && is_double(loop->outputs, loop->output_count))
            return other;
    }
    return NULL;
}

void draw_ordinary(const struct test_options *options, uint64_t number, struct arena *arena, struct test_case *test)
{
    struct random random = random_of(options->seed, test->loop->function->name, number);
    if (!test->loop->layout && number % 2 == 0) /* special values too */
        return;
    for (size_t k = 0; k < test->loop->input_count; k++) {
        struct operand *operand = &test->operands[k];
        double *values = arena_alloc(arena, (element_count(operand) + 1) * sizeof *values);
        if (operand->dtype != DTYPE_float64)
            continue;
        for (size_t i = 0; i < element_count(operand); i++)
            values[i] = (number % 4 < 2 ? 0.1 : -2) + 0x1p-62 * (double)(draw(&random) >> 2) * (number % 4 < 2 ? 2 : 4);
        operand->values = (char *)values;
    }
}

/* ---- points ---- */

static size_t core_size(const struct operand *operand)
{
    size_t count = 1;
    for (int d = operand->outer; d < operand->ndim; d++)
        count *= (size_t)operand->shape[d];
    return count;
}

/* The operand's elements for each outer index, along which it may be repeated. */
static double *expand(struct slopes *s, const struct operand *operand, const char *values)
{
    const size_t core = core_size(operand);
    double *made = arena_alloc(s->arena, (s->outer * core + 1) * sizeof *made);
    int64_t index[OUTER_MOST] = {0};
    for (size_t e = 0; e < s->outer; e++) {
        if (core)
            memcpy(made + e * core, values + core_at(operand, index), core * sizeof *made);
        next_index(s->test, index);
    }
    return made;
}

/* How many of the operand's own size the longest of its steps is. */
static double longest_step(const double *given, const double *steps, size_t count)
{
    double longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, fabs(steps[i]) / (given[i] == 0 ? 1 : fabs(given[i])));
    return longest;
}

static void measure_steps(struct slopes *s)
{
    s->lengths = arena_alloc(s->arena, (s->outer + 1) * sizeof *s->lengths);
    for (size_t e = 0; e < s->outer; e++) {
        double longest = 0;
        for (size_t k = 0; k < s->function->input_count; k++) {
            const size_t core = core_size(&s->test->operands[k]);
            if (s->given[k])
                longest = fmax(longest, longest_step(s->given[k] + e * core, s->steps[k] + e * core, core));
        }
        s->lengths[e] = longest > 0 ? 1 / longest : 1;
    }
}

/* The tangent, or a random direction whose length is that of the arguments. */
static void choose_steps(struct slopes *s)
{
    const bool is_tangent = s->test->loop->function->derivative == FUSE_TANGENT;
    struct random random = random_of(0, s->test->loop->symbol, s->outer);
    size_t tangent = s->function->input_count;
    for (size_t k = 0; k < s->function->input_count; k++) {
        const size_t count = s->outer * core_size(&s->test->operands[k]);
        if (!s->given[k])
            continue;
        s->steps[k] = is_tangent ? s->given[tangent++] : arena_alloc(s->arena, (count + 1) * sizeof *s->steps[k]);
        for (size_t i = 0; i < count && !is_tangent; i++) {
            const double part = 0.5 + 0x1p-63 * (double)(draw(&random) >> 2), size = fabs(s->given[k][i]);
            s->steps[k][i] = (draw_below(&random, 2) ? part : -part) * (size > 0 ? size : 1);
        }
    }
}

/* The operand with all outer dimensions. */
static struct operand expanded(const struct test_case *at, const struct operand *operand, double *values)
{
    struct operand made = {.dtype = operand->dtype, .outer = at->outer, .ndim = at->outer, .values = (char *)values};
    for (int d = 0; d < at->outer; d++) {
        made.axes[d] = d;
        made.shape[d] = at->extents[d];
    }
    for (int d = operand->outer; d < operand->ndim; d++) {
        made.axes[made.ndim] = operand->axes[d];
        made.shape[made.ndim++] = operand->shape[d];
    }
    return made;
}

/* Calls the function `distance` steps away. */
static bool call_at(struct slopes *s, double distance, double **made)
{
    struct test_case at = *s->test;
    struct results results;
    at.loop = s->function;
    at.in_place = -1;
    for (size_t k = 0; k < operand_count(s->function); k++) {
        const bool is_input = k < s->function->input_count;
        if (!is_input)
            at.operands[k] = (struct operand){.dtype = s->function->outputs[k - s->function->input_count]};
        at.operands[k].spacing = SPACING_PACKED;
        if (!is_input || !s->given[k])
            continue;
        const size_t core = core_size(&at.operands[k]), count = s->outer * core;
        double *values = arena_alloc(s->arena, (count + 1) * sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = s->given[k][i] + distance * s->lengths[i / core] * s->steps[k][i];
        at.operands[k] = expanded(&at, &at.operands[k], values);
    }
    if (!shape_outputs(&at))
        return false;
    guard(s->function->function->name);
    call_on(s->property->side, &at, BEFORE, s->arena, &results);
    for (size_t k = 0; k < s->function->output_count; k++)
        made[k] = (double *)(void *)results.outputs[k];
    return !results.status;
}

/* ---- slopes ---- */

static double dot(const double *a, const double *b, size_t count, double *size)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double product = b ? a[i] * b[i] : a[i];
        sum += product;
        *size += fabs(product);
    }
    return sum;
}

/* The derivative's slope at one outer index. */
static double slope_of(const struct slopes *s, size_t e, double *size)
{
    const struct instance *loop = s->test->loop;
    const bool is_tangent = loop->function->derivative == FUSE_TANGENT;
    double slope = 0;
    for (size_t k = 0, j = 0; k < (is_tangent ? s->function->output_count : s->function->input_count); k++) {
        if (is_tangent ? s->function->outputs[k] != DTYPE_float64 : !s->given[k])
            continue;
        const size_t output = loop->input_count + (is_tangent ? s->function->output_count + k : j++);
        const size_t core = core_size(&s->test->operands[output]);
        slope += dot(s->given[output] + e * core, is_tangent ? NULL : s->steps[k] + e * core, core, size);
    }
    *size *= s->lengths[e];
    return slope * s->lengths[e];
}

/* The function's outputs at one outer index, weighted by what the derivative got for them. */
static double value_of(const struct slopes *s, size_t e, int point, double *size)
{
    const bool is_adjoint = s->test->loop->function->derivative == FUSE_ADJOINT;
    const bool is_tangent = s->test->loop->function->derivative == FUSE_TANGENT;
    const size_t first = is_tangent ? s->test->loop->input_count : s->function->input_count;
    double value = 0;
    for (size_t k = 0; k < s->function->output_count; k++) {
        if (s->function->outputs[k] != DTYPE_float64)
            continue;
        const size_t core = is_adjoint || is_tangent ? core_size(&s->test->operands[first + k]) : 1;
        const double *weights = is_adjoint ? s->given[first + k] + e * core : NULL;
        value += dot(s->made[point][k] + e * core, weights, core, size);
    }
    return value;
}

/* The slope by differences; NaN where they do not settle, as on the two sides of a pole.  Their scale is that of the
 * values: the derivative's own claim may be as large as the pole makes it. */
static double measured_slope(const struct slopes *s, size_t e, double values)
{
    double slopes[WIDTHS], bends[WIDTHS], ignored = 0;
    const double middle = value_of(s, e, 0, &ignored);
    for (int i = 0; i < WIDTHS; i++) {
        const double width = ldexp(widest, -i);
        const double ahead = value_of(s, e, 1 + 2 * i, &ignored), behind = value_of(s, e, 2 + 2 * i, &ignored);
        slopes[i] = (ahead - behind) / (2 * width);
        bends[i] = fabs(ahead - 2 * middle + behind) / width;
    }
    const double first = (4 * slopes[1] - slopes[0]) / 3, second = (4 * slopes[2] - slopes[1]) / 3;
    const double scale = values + fabs(second);
    const bool has_kink = bends[2] > 0.7 * bends[1] && bends[1] > settled * scale;
    return fabs(first - second) <= settled * scale && !has_kink ? second : NAN;
}

static const char *describe_slopes(const struct slopes *s, size_t e, double got, double wanted)
{
    struct text text = {.arena = s->arena};
    int64_t index[OUTER_MOST] = {0};
    for (size_t i = 0; i < e; i++)
        next_index(s->test, index);
    text_printf(&text, "its slope in a direction is %.12g, and %.12g by differences of '%s'", got,
                wanted, s->function->function->name);
    for (size_t k = 0; k < s->test->loop->input_count && !s->test->loop->layout; k++) {
        const struct operand *operand = &s->test->operands[k];
        text_printf(&text, "%s%s = ", k ? ", " : " for ", operand_name(s->test->loop, k));
        print_element(&text, operand->dtype, operand->values + core_at(operand, index));
    }
    return text.data;
}

static bool is_ordinary(const struct slopes *s, size_t e)
{
    bool ordinary = true;
    for (size_t k = 0; k < s->test->loop->input_count; k++) {
        const size_t core = core_size(&s->test->operands[k]);
        for (size_t i = 0; s->given[k] && i < core; i++) {
            const double size = fabs(s->given[k][e * core + i]);
            ordinary &= size == 0 || (size >= smallest && size <= largest);
        }
    }
    return ordinary;
}

static void compare_slopes(const struct slopes *s, struct outcome *outcome)
{
    for (size_t e = 0; e < s->outer && !outcome->failure; e++) {
        double values = 0, size = 0;
        const double got = slope_of(s, e, &size);
        value_of(s, e, 0, &values);
        size += values;
        const double wanted = measured_slope(s, e, values);
        if (!is_ordinary(s, e) || !isfinite(size) || size < smallest || isnan(wanted))
            continue;
        outcome->points++;
        if (fabs(got - wanted) > allowed * size)
            outcome->failure = describe_slopes(s, e, got, wanted);
    }
}

void compare_derivative(const struct property *property, const struct test_case *test, const struct results *results,
                        struct arena *arena, struct outcome *outcome)
{
    struct slopes s = {.property = property, .test = test, .function = property->reference, .arena = arena, .outer = 1};
    for (int d = 0; d < test->outer; d++)
        s.outer *= (size_t)test->extents[d];
    for (size_t k = 0; k < operand_count(test->loop); k++) {
        const struct operand *operand = &test->operands[k];
        const bool is_input = k < test->loop->input_count;
        if (operand->dtype == DTYPE_float64)
            s.given[k] = expand(&s, operand, is_input ? operand->values
                                                      : results->outputs[k - test->loop->input_count]);
    }
    choose_steps(&s);
    measure_steps(&s);
    for (int point = 0; point < POINTS; point++) {
        const double distance = point ? ldexp(widest, -((point - 1) / 2)) * (point % 2 ? 1 : -1) : 0;
        if (!call_at(&s, distance, s.made[point])) {
            outcome->applies = false;
            return;
        }
    }
    compare_slopes(&s, outcome);
}
