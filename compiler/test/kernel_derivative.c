/* Compares adjoints of kernels with differences of the kernels, at the arrays of a test's cases.
 *
 * The adjoint gets random cotangents.  Its slope in a random direction is compared with central differences of three
 * widths, extrapolated by Richardson's rule.  Cases where they do not settle are passed over. */
#include "test/test_internal.h"

#include <math.h>
#include <string.h>

enum { WIDTHS = 3 };

static const double widest = 0x1p-10, settled = 1e-8, allowed = 1e-5; /* the latter two of the terms' size */

static const struct function *function_of(const struct kernel_case *with)
{
    return with->of->kernel->function;
}

/* ---- which kernels ---- */

static size_t find_parameter(const struct function *function, const char *name, size_t size)
{
    size_t i = 0;
    while (i < function->parameter_count && (strlen(function->parameters[i].name) != size ||
                                             memcmp(function->parameters[i].name, name, size) != 0))
        i++;
    return i;
}

static bool is_number_array(const struct parameter *parameter)
{
    return parameter->type.kind == TYPE_POINTER && parameter->type.dtype != DTYPE_NONE &&
           strchr("fc", dtype_kind(parameter->type.dtype));
}

/* Differences need the precision. */
static bool is_double(const struct function *kernel)
{
    for (size_t i = 0; i < kernel->parameter_count; i++)
        if (is_number_array(&kernel->parameters[i]) && kernel->parameters[i].type.dtype != DTYPE_float64)
            return false;
    return true;
}

const struct instance *adjoint_of_kernel(const struct program *program, const struct instance *kernel)
{
    const char *types = kernel->symbol + strlen(kernel->function->name);
    for (size_t i = 0; i < program->written_count && is_double(kernel->function); i++) {
        const struct instance *other = written_instance(program, i);
        const struct function *function = other->function;
        if (function->kind == FUNCTION_KERNEL && function->derivative_of &&
            !strcmp(function->derivative_of, kernel->function->name) &&
            !strcmp(other->symbol + strlen(function->name), types))
            return other;
    }
    return NULL;
}

/* ---- the adjoint's launch ---- */

/* A parameter of the adjoint is one of the kernel's, or the cotangent of one: "x_bar". */
static size_t original_of(const struct kernel_case *with, const struct parameter *parameter, bool *is_bar)
{
    const struct function *kernel = function_of(with);
    const size_t size = strlen(parameter->name), suffix = strlen("_bar");
    const size_t i = find_parameter(kernel, parameter->name, size);
    *is_bar = i == kernel->parameter_count;
    return *is_bar && size > suffix ? find_parameter(kernel, parameter->name, size - suffix) : i;
}

static double draw_part(struct random *random)
{
    const double part = 0.5 + 0x1p-63 * (double)(draw(random) >> 2);
    return draw_below(random, 2) ? part : -part;
}

struct slope {
    const struct station *stations;
    const struct kernel_case *with;
    double **steps, **weights, **bars; /* of each parameter of the kernel; null: none */
    struct attempt *attempt;
};

static double *new_numbers(const struct slope *s, size_t i)
{
    double *made = arena_alloc(s->with->arena, (s->with->held[i].count + 1) * sizeof *made);
    return made;
}

/* Directions of what the kernel reads, and the weights of what it writes. */
static void draw_slope(struct slope *s)
{
    struct random random = random_of(s->with->seed, s->with->of->symbol, 0);
    for (size_t i = 0; i < function_of(s->with)->parameter_count; i++) {
        const struct parameter *parameter = &function_of(s->with)->parameters[i];
        const double *values = (const double *)(void *)s->with->held[i].data;
        if (!is_number_array(parameter) || !values)
            continue;
        s->steps[i] = new_numbers(s, i);
        s->weights[i] = parameter->type.is_const ? NULL : new_numbers(s, i);
        for (size_t k = 0; k < s->with->held[i].count; k++) {
            s->steps[i][k] = draw_part(&random) * (values[k] == 0 ? 1 : fabs(values[k]));
            if (s->weights[i])
                s->weights[i][k] = draw_part(&random);
        }
    }
}

static const char *launch_adjoint(struct slope *s, const struct instance *adjoint)
{
    const struct function *function = adjoint->function;
    const size_t count = function->parameter_count;
    struct arena *arena = s->with->arena;
    struct test test = *s->with->of->test;
    struct kernel_test of = *s->with->of;
    struct kernel_case with = *s->with;
    char **after = arena_alloc(arena, (count + 1) * sizeof *after);
    bool is_bar;
    test.arguments = arena_alloc(arena, (count + 1) * sizeof *test.arguments);
    with.held = arena_alloc(arena, (count + 1) * sizeof *with.held);
    of.test = &test;
    of.kernel = adjoint;
    with.of = &of;
    with.launch.shared = (with.launch.shared + 7) / 8 * 16; /* room for shadows */
    for (size_t j = 0; j < count; j++) {
        const size_t i = original_of(s->with, &function->parameters[j], &is_bar);
        test.arguments[j] = s->with->of->test->arguments[i];
        with.held[j] = s->with->held[i];
        if (is_bar)
            with.held[j].data = (char *)(s->weights[i] ? s->weights[i] : new_numbers(s, i));
    }
    const struct station *checked = &s->stations[CHECKED_STATION];
    const char *wrong = checked->program ? launch_case(checked, &with, 0, after) : NULL;
    wrong = wrong ? wrong : launch_case(&s->stations[CPU_STATION], &with, 0, after);
    s->attempt->is_launch = wrong != NULL;
    s->attempt->launches += 1 + (checked->program != NULL);
    for (size_t j = 0; j < count && !wrong; j++) {
        const size_t i = original_of(s->with, &function->parameters[j], &is_bar);
        if (is_bar)
            s->bars[i] = (double *)(void *)after[j];
    }
    return wrong ? arena_printf(arena, "%sin its adjoint %s\n", wrong, adjoint->symbol) : NULL;
}

/* ---- slopes ---- */

static double dot(const double *a, const double *b, size_t count, double *size)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
        *size += fabs(a[k] * b[k]);
    }
    return sum;
}

/* An array that the kernel only writes has no derivative by its contents before: its cotangent is as it was. */
static double slope_of(struct slope *s, double *size)
{
    double slope = 0;
    for (size_t i = 0; i < function_of(s->with)->parameter_count; i++) {
        const size_t count = s->with->held[i].count;
        if (!s->steps[i])
            continue;
        if (s->weights[i] && !memcmp(s->weights[i], s->bars[i], count * sizeof(double)))
            memset(s->steps[i], 0, count * sizeof(double));
        else
            slope += dot(s->steps[i], s->bars[i], count, size);
    }
    return slope;
}

/* The weighted sum of what the kernel writes, `distance` steps away. */
static const char *value_at(struct slope *s, double distance, double *value, double *size)
{
    const size_t parameters = function_of(s->with)->parameter_count;
    struct kernel_case with = *s->with;
    char **after = arena_alloc(with.arena, (parameters + 1) * sizeof *after);
    with.held = arena_alloc(with.arena, (parameters + 1) * sizeof *with.held);
    for (size_t i = 0; i < parameters; i++) {
        with.held[i] = s->with->held[i];
        double *moved = s->steps[i] ? new_numbers(s, i) : NULL;
        for (size_t k = 0; moved && k < with.held[i].count; k++)
            moved[k] = ((const double *)(void *)s->with->held[i].data)[k] + distance * s->steps[i][k];
        if (moved)
            with.held[i].data = (char *)moved;
    }
    const char *wrong = launch_case(&s->stations[CPU_STATION], &with, 0, after);
    s->attempt->is_launch = wrong != NULL;
    s->attempt->launches++;
    *value = 0;
    for (size_t i = 0; i < parameters && !wrong; i++)
        if (s->weights[i])
            *value += dot(s->weights[i], (double *)(void *)after[i], with.held[i].count, size);
    return wrong;
}

/* The slope by differences; NaN where they do not settle. */
static const char *measure_slope(struct slope *s, double size, double *measured)
{
    double slopes[WIDTHS], bends[WIDTHS], middle, ahead, behind, ignored = 0;
    const char *wrong = value_at(s, 0, &middle, &size);
    for (int i = 0; i < WIDTHS && !wrong; i++) {
        const double width = ldexp(widest, -i);
        wrong = value_at(s, width, &ahead, &ignored);
        wrong = wrong ? wrong : value_at(s, -width, &behind, &ignored);
        slopes[i] = wrong ? 0 : (ahead - behind) / (2 * width);
        bends[i] = wrong ? 0 : fabs(ahead - 2 * middle + behind) / width;
    }
    if (wrong)
        return wrong;
    const double first = (4 * slopes[1] - slopes[0]) / 3, second = (4 * slopes[2] - slopes[1]) / 3;
    const bool has_kink = bends[2] > 0.7 * bends[1] && bends[1] > settled * size;
    *measured = isfinite(size) && fabs(first - second) <= settled * size && !has_kink ? second : NAN;
    return NULL;
}

const char *check_kernel_adjoint(const struct station *stations, const struct kernel_case *with,
                                 const struct instance *adjoint, struct attempt *attempt)
{
    const size_t room = (function_of(with)->parameter_count + 1) * sizeof(double *);
    double size = 0, wanted = NAN, got;
    struct slope s = {stations, with, arena_alloc(with->arena, room), arena_alloc(with->arena, room),
                      arena_alloc(with->arena, room), attempt};
    draw_slope(&s);
    const char *wrong = launch_adjoint(&s, adjoint);
    if (wrong)
        return wrong;
    got = slope_of(&s, &size);
    wrong = measure_slope(&s, size, &wanted);
    attempt->compared += !isnan(wanted);
    if (!wrong && !isnan(wanted) && !(fabs(got - wanted) <= allowed * (size + fabs(wanted))))
        wrong = arena_printf(with->arena, "the slope of %s in a direction is %.12g, and %.12g by differences of '%s'\n",
                             adjoint->symbol, got, wanted, with->of->kernel->symbol);
    return wrong;
}
