/* The claims of a test about a kernel's arrays after its launch. */
#include "test/test_internal.h"

#include <math.h>
#include <string.h>

static const struct parameter *parameter_of(const struct kernel_case *with, size_t i)
{
    return &with->of->kernel->function->parameters[i];
}

/* ---- two arrays ---- */

static bool are_near(const struct kernel_case *with, const struct tolerance *within, enum dtype dtype, const char *got,
                     enum dtype wide, const char *wanted)
{
    long double a[2], b[2], apart = 0, size = 0;
    element_parts(dtype, got, a);
    element_parts(wide, wanted, b);
    for (int i = 0; i < 2; i++) {
        if (isnan(a[i]) && isnan(b[i]))
            continue;
        apart = fmaxl(apart, a[i] == b[i] ? 0 : isnan(a[i] - b[i]) ? INFINITY : fabsl(a[i] - b[i]));
        size = fmaxl(size, fabsl(b[i]));
    }
    return (within->ulps.count && error_in_ulps(dtype, got, wide, wanted) <= real_of(with, within->ulps.items)) ||
           (within->absolute.count && apart <= real_of(with, within->absolute.items)) ||
           (within->relative.count && isfinite(size) && apart <= real_of(with, within->relative.items) * size);
}

/* Bit for bit, but that NaNs are alike: of a reference of a wider type what it rounds to. */
static bool are_equal(enum dtype dtype, size_t size, const char *got, enum dtype wide, const char *wanted)
{
    _Alignas(16) char rounded[16];
    if (wide != dtype) {
        elements_convert(dtype, rounded, wide, wanted, 1);
        wanted = rounded;
    }
    if (!memcmp(got, wanted, size))
        return true;
    return dtype != DTYPE_NONE && strchr("fc", dtype_kind(dtype)) && are_alike(dtype, got, wanted);
}

/* "out[3]", "field[2][5]" */
static void print_place(struct text *text, const struct parameter *parameter, const struct parameter_data *held,
                        size_t element)
{
    size_t left = held->count;
    text_printf(text, "%s", parameter->name);
    for (int d = 0; d < held->ndim; d++) {
        left /= (size_t)held->shape[d];
        text_printf(text, "[%zu]", element / left);
        element %= left;
    }
}

static void print_bytes(struct text *text, const char *bytes, size_t size)
{
    enum { SHOWN = 16 };
    for (size_t i = 0; i < size && i < SHOWN; i++)
        text_printf(text, "%s%02x", i ? " " : "bytes ", (unsigned char)bytes[i]);
    text_printf(text, size > SHOWN ? " …" : "");
}

struct comparison {
    const struct kernel_case *with;
    const struct tolerance *within;
    size_t parameter;
    const char *got, *wanted;
    enum dtype wide;  /* the type of what is wanted; NONE: the array's own bytes */
    const char *says; /* ", expected ", ", and by f " */
};

/* The first element that is not as it is to be, and how many are not. */
static void print_comparison(struct text *text, const struct comparison *comparison)
{
    const struct kernel_case *with = comparison->with;
    const struct parameter_data *held = &with->held[comparison->parameter];
    const enum dtype wide = comparison->wide == DTYPE_NONE ? held->dtype : comparison->wide;
    const size_t step = wide == DTYPE_NONE ? held->element : dtype_size(wide);
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < held->count; i++) {
        const char *got = comparison->got + i * held->element, *wanted = comparison->wanted + i * step;
        if (are_equal(held->dtype, held->element, got, wide, wanted) ||
            (held->dtype != DTYPE_NONE && are_near(with, comparison->within, held->dtype, got, wide, wanted)))
            continue;
        first = wrong++ ? first : i;
    }
    if (!wrong)
        return;
    const char *got = comparison->got + first * held->element, *wanted = comparison->wanted + first * step;
    print_place(text, parameter_of(with, comparison->parameter), held, first);
    text_printf(text, " is ");
    if (held->dtype == DTYPE_NONE)
        print_bytes(text, got, held->element);
    else
        print_element(text, held->dtype, got);
    text_printf(text, "%s", comparison->says);
    if (held->dtype == DTYPE_NONE)
        print_bytes(text, wanted, held->element);
    else
        print_element(text, wide, wanted);
    text_printf(text, wrong > 1 ? "; so with %zu of %zu elements\n" : "\n", wrong, held->count);
}

/* ---- what is claimed ---- */

static char **copy_arrays(const struct kernel_case *with, char *const *arrays)
{
    const size_t count = with->of->kernel->function->parameter_count;
    char **copies = arena_alloc(with->arena, (count + 1) * sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        const char *from = arrays ? arrays[i] : with->held[i].data;
        const size_t size = parameter_data_size(&with->held[i]);
        copies[i] = from ? memcpy(arena_alloc(with->arena, size + 1), from, size) : NULL;
    }
    return copies;
}

static void expect_file(const struct kernel_case *with, size_t parameter, enum dtype dtype, const char *values,
                        struct left_files *expected)
{
    const struct parameter_data *held = &with->held[parameter];
    if (held->dtype == DTYPE_NONE)
        return;
    add_left_file(expected, arena_printf(with->arena, "%s/%s.%s.expected.npy", with->of->options->keep,
                                         with->of->symbol, parameter_of(with, parameter)->name),
                  dtype == DTYPE_NONE ? held->dtype : dtype, held->ndim, held->shape, values);
}

static void check_reference(const struct kernel_case *with, const struct test_claim *claim, char *const *after,
                            struct text *text, struct left_files *expected)
{
    const size_t count = with->of->kernel->function->parameter_count;
    char **arrays = copy_arrays(with, NULL);
    for (size_t i = 0; i < count; i++) {
        const enum dtype wide = claim->function.dtypes[i];
        if (wide == DTYPE_NONE || !arrays[i])
            continue;
        char *converted = arena_alloc(with->arena, (with->held[i].count + 1) * dtype_size(wide));
        elements_convert(wide, converted, with->held[i].dtype, arrays[i], with->held[i].count);
        arrays[i] = converted;
    }
    if (call_step(with, claim->function.step, arrays, arrays)) {
        text_printf(text, "reference(%s) fails: %s\n", claim->function.name, gpucc_last_error());
        return;
    }
    for (size_t i = 0; i < count && !text->size; i++) {
        const struct type *type = &parameter_of(with, i)->type;
        if (type->kind != TYPE_POINTER || type->is_const)
            continue;
        const struct comparison comparison = {
            .with = with, .within = &claim->within, .parameter = i, .got = after[i], .wanted = arrays[i],
            .wide = claim->function.dtypes[i],
            .says = arena_printf(with->arena, ", and by %s ", claim->function.name)};
        print_comparison(text, &comparison);
        if (text->size)
            expect_file(with, i, claim->function.dtypes[i], arrays[i], expected);
    }
}

static void check_property(const struct kernel_case *with, const struct test_claim *claim, char *const *after,
                           struct text *text)
{
    int holds = 0;
    if (call_step(with, claim->function.step, copy_arrays(with, after), copy_arrays(with, NULL)))
        text_printf(text, "holds(%s) fails: %s\n", claim->function.name, gpucc_last_error());
    else if (memcpy(&holds, with->cells + with->of->test->verdict_cell, sizeof holds), !holds)
        text_printf(text, "%s does not hold\n", claim->function.name);
}

static void check_expectation(const struct kernel_case *with, const struct test_claim *claim, char *const *after,
                              struct text *text, struct left_files *expected)
{
    const size_t k = claim->parameter;
    const char *failure = NULL;
    const struct parameter_data wanted = make_parameter_data(with, &claim->array, k, &failure);
    if (failure) {
        text_printf(text, "%s", failure);
    } else if (parameter_data_size(&wanted) != parameter_data_size(&with->held[k])) {
        text_printf(text, "'%s' has %zu elements, but %zu are expected\n", parameter_of(with, k)->name,
                    with->held[k].count, wanted.count);
    } else {
        const struct comparison comparison = {.with = with, .within = &claim->within, .parameter = k, .got = after[k],
                                              .wanted = wanted.data, .wide = DTYPE_NONE, .says = ", expected "};
        print_comparison(text, &comparison);
        if (text->size)
            expect_file(with, k, DTYPE_NONE, wanted.data, expected);
    }
}

const char *check_claims(const struct kernel_case *with, char *const *after, struct left_files *expected)
{
    struct text all = {.arena = with->arena};
    for (size_t i = 0; i < with->of->test->claim_count; i++) {
        const struct test_claim *claim = &with->of->test->claims[i];
        struct text text = {.arena = with->arena};
        switch (claim->clause) {
        case TEST_CLAUSE_REFERENCE: check_reference(with, claim, after, &text, expected); break;
        case TEST_CLAUSE_HOLDS: check_property(with, claim, after, &text); break;
        default: check_expectation(with, claim, after, &text, expected);
        }
        if (text.size)
            text_printf(&all, "%s:%u:%u: %s", claim->place.file, claim->place.line, claim->place.column, text.data);
    }
    return all.data;
}

const char *compare_launches(const struct kernel_case *with, char *const *after, char *const *others,
                             const char *other)
{
    const struct test *test = with->of->test;
    struct text text = {.arena = with->arena};
    for (size_t i = 0; i < with->of->kernel->function->parameter_count && !test->devices.any; i++) {
        const struct comparison comparison = {.with = with, .within = &test->devices, .parameter = i, .got = after[i],
                                              .wanted = others[i], .wide = DTYPE_NONE,
                                              .says = arena_printf(with->arena, ", and %s ", other)};
        if (with->held[i].data)
            print_comparison(&text, &comparison);
    }
    return text.data;
}
