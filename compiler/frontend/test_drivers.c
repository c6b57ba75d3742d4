/* A driver for each test: a function in C that computes the test's values and calls the functions that it names, so
 * that all that is C in a test means what it means in the file.  It is compiled as a kernel, and called by a thread of
 * the CPU's:
 *   step      0: compute the values; others: call the function of that step
 *   case      which value of each each(…), from 0; of each any(…) the number, which is brought within its bounds
 *   cells     where values stand, as struct test says
 *   after     the arrays of the kernel's parameters; `before`: as they were before the launch */
#include "frontend/frontend_internal.h"

#include <stdio.h>
#include <string.h>

/* A piece of the source on a line of its own, in which Clang reports mistakes at its place. */
static void append_from_source(struct text *text, const char *words, struct place place)
{
    text_printf(text, "\n#line %u \"", place.line);
    for (const char *p = place.file; *p; p++)
        text_printf(text, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
    text_printf(text, "\"\n%*s%s\n", (int)place.column - 1, "", words);
}

/* In parentheses; Clang's errors in them, such as a value without an end, are reported at the value too. */
static void append_value(struct text *text, const struct test_value *value)
{
    text_printf(text, "(");
    append_from_source(text, value->text, value->place);
    append_from_source(text, ")", value->place);
}

static void write_value(struct text *text, const struct test_value *value)
{
    text_printf(text, "*(%s *)(void *)(gpucc_cells + %zu)", value->type, value->cell);
    append_from_source(text, "=", value->place); /* where Clang reports types that do not fit */
    append_value(text, value);
    text_printf(text, ";\n");
}

static void write_values(struct text *text, const struct test_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        write_value(text, &values->items[i]);
}

static void write_array(struct text *text, const struct test_array *array)
{
    write_values(text, &array->numbers);
    write_values(text, &array->extents);
}

static void write_tolerance(struct text *text, const struct tolerance *tolerance)
{
    write_values(text, &tolerance->ulps);
    write_values(text, &tolerance->absolute);
    write_values(text, &tolerance->relative);
}

/* Between its bounds, which stand in their cells then. */
static void write_any(struct text *text, const struct test_axis *axis, size_t number)
{
    char bounds[2][64];
    write_values(text, &axis->values);
    for (int i = 0; i < 2; i++)
        snprintf(bounds[i], sizeof bounds[i], "*(long long *)(void *)(gpucc_cells + %zu)", axis->values.items[i].cell);
    text_printf(text, "const long long %s = gpucc_case[%zu] < %s ? %s : gpucc_case[%zu] > %s ? %s : gpucc_case[%zu];\n",
                axis->name, number, bounds[0], bounds[0], number, bounds[1], bounds[1], number);
}

/* A conditional expression has the type that all values have room in. */
static void write_each(struct text *text, const struct test_axis *axis, size_t number)
{
    text_printf(text, "const __auto_type %s = ", axis->name);
    for (size_t i = 0; i < axis->values.count; i++) {
        if (i + 1 < axis->values.count)
            text_printf(text, "gpucc_case[%zu] == %zu ? ", number, i);
        append_value(text, &axis->values.items[i]);
        append_from_source(text, i + 1 < axis->values.count ? ":" : ";", axis->values.items[i].place);
    }
}

static void write_all_values(struct text *text, const struct test *test)
{
    for (size_t i = 0; i < test->kernel->parameter_count; i++)
        if (test->arguments[i].is_array)
            write_array(text, &test->arguments[i].array);
        else
            write_value(text, &test->arguments[i].value);
    for (size_t i = 0; i < test->axis_count; i++)
        write_value(text, &test->axes[i].as_real);
    const struct test_values *const lists[] = {&test->threads, &test->grid, &test->block, &test->shared, &test->seed,
                                               &test->schedules};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        write_values(text, lists[i]);
    for (size_t i = 0; i < test->claim_count; i++) {
        write_array(text, &test->claims[i].array);
        write_tolerance(text, &test->claims[i].within);
    }
    write_tolerance(text, &test->devices);
}

/* A value from its cell, or an array: `before` the launch where the name says so. */
static void write_argument(struct text *text, const struct test *test, const char *name)
{
    bool before;
    const size_t i = find_test_parameter(test->kernel, name, &before);
    const struct test_argument *argument = &test->arguments[i];
    if (argument->is_array)
        text_printf(text, "%s[%zu]", before ? "gpucc_before" : "gpucc_after", i);
    else
        text_printf(text, "*(%s *)(void *)(gpucc_cells + %zu)", argument->value.type, argument->value.cell);
}

static void write_step(struct text *text, const struct test *test, const struct test_function *function,
                       bool is_property)
{
    text_printf(text, "case %d: ", function->step);
    if (is_property)
        text_printf(text, "*(int *)(void *)(gpucc_cells + %zu) = !!", test->verdict_cell);
    text_printf(text, "%s(", function->name);
    for (size_t i = 0; i < function->parameter_count; i++) {
        text_printf(text, i ? ", " : "");
        write_argument(text, test, function->parameters[i].name);
    }
    text_printf(text, "); break;\n");
}

static void write_driver(struct text *text, const struct test *test)
{
    append_from_source(text, "", test->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.kernel\")))\nvoid %s(int gpucc_step, "
                      "const long long *gpucc_case, char *gpucc_cells, void **gpucc_after, void **gpucc_before)\n{\n",
                test->driver);
    text_printf(text, "switch (gpucc_step) {\ncase 0: {\n");
    for (size_t i = 0; i < test->axis_count; i++)
        (test->axes[i].is_any ? write_any : write_each)(text, &test->axes[i], i);
    write_all_values(text, test);
    text_printf(text, "break; }\n");
    for (size_t i = 0; i < test->prepare_count; i++)
        write_step(text, test, &test->prepares[i], false);
    for (size_t i = 0; i < test->claim_count; i++)
        if (test->claims[i].clause != TEST_CLAUSE_EXPECT)
            write_step(text, test, &test->claims[i].function, test->claims[i].clause == TEST_CLAUSE_HOLDS);
    text_printf(text, "}\n}\n");
}

void write_test_drivers(const struct parse *parse, struct text *text)
{
    for (size_t i = 0; i < parse->unit->test_count; i++)
        write_driver(text, &parse->unit->tests[i]);
}
