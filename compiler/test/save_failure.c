/* The report of a failure: what came out, the inputs as .npy files, and the commands that show it again. */
#include "test/test_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- what came out ---- */

/* "x = 0.5, y = 3" where these are the numbers that made the output's element. */
static void print_arguments(struct text *text, const struct test_case *test, size_t output, size_t element)
{
    const struct instance *loop = test->loop;
    int64_t index[OUTER_MOST] = {0};
    index_of_element(test, &test->operands[loop->input_count + output], element, index);
    for (size_t k = 0; k < loop->input_count && !loop->layout; k++) {
        const struct operand *operand = &test->operands[k];
        text_printf(text, "%s%s = ", k ? ", " : " for ", operand_name(loop, k));
        print_element(text, operand->dtype, operand->values + core_at(operand, index));
    }
}

static void print_difference(struct text *text, const struct property *property, const struct test_case *test,
                             const struct outcome *outcome)
{
    const size_t k = outcome->worst_output, i = outcome->worst_element;
    const struct compared *compared = &outcome->outputs[k];
    const enum dtype dtype = test->loop->outputs[k];
    const enum dtype judged = property->kind == INVERTED ? test->loop->inputs[0] : dtype;
    const char *other = property->kind == SAME_BITS ? property->other->name : property->reference->function->name;
    text_printf(text, "%s", operand_name(test->loop, test->loop->input_count + k));
    if (compared->count > 1)
        text_printf(text, "[%zu]", i);
    text_printf(text, " is ");
    print_element(text, dtype, compared->got + i * dtype_size(dtype));
    text_printf(text, property->kind == INVERTED ? ", of which %s makes " : ", and by %s ", other);
    print_element(text, compared->wanted_type, compared->wanted + i * dtype_size(compared->wanted_type));
    print_arguments(text, test, k, i);
    if (property->kind != SAME_BITS && isfinite(outcome->worst))
        text_printf(text, " (%.3g%s%s)", outcome->worst, *unit_name(judged) ? "" : " off", unit_name(judged));
    text_printf(text, "\n");
}

/* ---- files ---- */

/* "DIR/add_f32f32_f32.cuda-0.x.npy" */
static const char *path_of(const struct test_options *options, struct arena *arena, const struct property *property,
                           const struct test_case *test, size_t k)
{
    const char *by = property->kind == SAME_BITS   ? property->other->name
                     : property->kind == NO_FAULTS ? property->side->name
                                                   : property->reference->function->name;
    char *path = arena_printf(arena, "%s/%s.%s.%s%s.npy", options->keep, test->loop->symbol, by,
                              operand_name(test->loop, k), k < test->loop->input_count ? "" : ".expected");
    for (char *c = path + strlen(options->keep) + 1; *c; c++)
        if (*c == ':' || *c == ' ')
            *c = '-';
    return path;
}

static bool is_packed(const struct test_case *test)
{
    bool packed = test->in_place < 0;
    for (size_t k = 0; k < operand_count(test->loop); k++)
        packed = packed && test->operands[k].spacing == SPACING_PACKED;
    return packed;
}

/* ---- commands ---- */

static void print_check(struct text *text, const struct test_options *options)
{
    text_printf(text, options->check ? " --check=%s" : " --check", options->check);
}

static void print_run(struct text *text, const struct test_options *options, struct arena *arena,
                      const struct property *property, const struct test_case *test, const char *device,
                      bool is_plain)
{
    text_printf(text, "gpucc run");
    print_sources(text, options);
    text_printf(text, " %s", test->loop->function->name);
    for (size_t k = 0; k < test->loop->input_count; k++)
        print_word(text, path_of(options, arena, property, test, k));
    if (property->kind == NO_FAULTS)
        print_check(text, options);
    else
        text_printf(text, " --device=%s", device);
    print_compilation(text, options, is_plain);
    text_printf(text, "\n");
}

static void print_test(struct text *text, const struct test_options *options, const struct property *property,
                       const struct test_case *test)
{
    const bool with_gpu = property->kind == SAME_BITS && !property->other->one_by_one;
    text_printf(text, "gpucc test");
    print_sources(text, options);
    text_printf(text, " %s --seed=%llu --count=%llu", test->loop->function->name, (unsigned long long)options->seed,
                (unsigned long long)options->count);
    if (options->integers)
        text_printf(text, " --integers=%llu", (unsigned long long)options->integers);
    text_printf(text, " --device=%s", with_gpu ? property->other->name : "cpu");
    if (options->check)
        print_check(text, options);
    print_compilation(text, options, false);
    text_printf(text, "\n");
}

const char *describe_worst(struct arena *arena, const struct property *property, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct text text = {.arena = arena};
    print_difference(&text, property, test, outcome);
    return text.data;
}

static struct left_files list_inputs(const struct test_options *options, struct arena *arena,
                                     const struct property *property, const struct test_case *test)
{
    struct left_files files = {.arena = arena};
    for (size_t k = 0; k < test->loop->input_count; k++) {
        const struct operand *operand = &test->operands[k];
        add_left_file(&files, path_of(options, arena, property, test, k), operand->dtype, operand->ndim, operand->shape,
                      operand->values);
    }
    return files;
}

static struct left_files list_files(const struct test_options *options, struct arena *arena,
                                    const struct property *property, const struct test_case *test,
                                    const struct outcome *outcome)
{
    const struct instance *loop = test->loop;
    struct left_files files = list_inputs(options, arena, property, test);
    for (size_t k = 0; k < loop->output_count && !outcome->failure && property->kind != INVERTED; k++) {
        const struct operand *operand = &test->operands[loop->input_count + k];
        add_left_file(&files, path_of(options, arena, property, test, loop->input_count + k),
                      outcome->outputs[k].wanted_type, operand->ndim, operand->shape, outcome->outputs[k].wanted);
    }
    return files;
}

/* The commands that reproduce the case: by its files, or if these are not enough, by the test. */
static void print_commands(struct text *text, const struct test_options *options, struct arena *arena,
                           const struct property *property, const struct test_case *test, bool by_files)
{
    if (!by_files || !is_packed(test)) {
        print_test(text, options, property, test);
        return;
    }
    print_run(text, options, arena, property, test, "cpu", false);
    if (property->kind == SAME_BITS)
        print_run(text, options, arena, property, test,
                  property->other->one_by_one ? "cpu" : property->other->name, property->other->one_by_one);
}

const char *save_failure(const struct test_options *options, struct arena *arena, const struct property *property,
                         const struct test_case *test, const struct outcome *outcome)
{
    struct text text = {.arena = arena};
    text_printf(&text, "%s", outcome->failure ? arena_printf(arena, "%s\n", outcome->failure)
                                              : describe_worst(arena, property, test, outcome));
    text_printf(&text, "with %s\n", describe_case(arena, test));
    const struct left_files files = list_files(options, arena, property, test, outcome);
    const bool saved = leave_files(options->keep, files.items, files.count);
    if (!saved)
        text_printf(&text, "these inputs cannot be saved in '%s': %s\n", options->keep, strerror(errno));
    print_commands(&text, options, arena, property, test, saved && !outcome->in_memory);
    return text.data;
}

struct left_files foresee_failure(const struct test_options *options, struct arena *arena,
                                  const struct property *property, const struct test_case *test, const char **more)
{
    struct text text = {.arena = arena};
    text_printf(&text, "with %s\n", describe_case(arena, test));
    print_commands(&text, options, arena, property, test, true);
    *more = text.data;
    return list_inputs(options, arena, property, test);
}
