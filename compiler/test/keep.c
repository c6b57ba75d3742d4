/* A failure as it is told: what came out, the inputs as .npy files, and the commands that show it again. */
#include "test/test_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what came out ---- */

static void print_element(struct text *text, enum dtype dtype, const void *element)
{
    char *words = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&words, &size);
    if (!file)
        fatal("out of memory");
    element_print(file, dtype, element);
    fclose(file);
    text_append(text, words, size);
    free(words);
}

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

/* Makes the folder, and those that it is in; false with errno where that fails. */
static bool make_folders(struct arena *arena, const char *path)
{
    char *part = arena_strdup(arena, path);
    for (char *slash = part + strspn(part, "/"); (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            return false;
    }
    return !mkdir(part, 0777) || errno == EEXIST;
}

/* At once, whatever becomes of the process later.  False with errno where the file cannot be written. */
static bool save(const char *path, enum dtype dtype, int ndim, const int64_t *shape, const char *values)
{
    char header[HOST_ARRAY_HEADROOM];
    struct host_array array = {0};
    if (!host_array_lay_out(&array, dtype, ndim, shape, false))
        return false; /* never: it was allocated once */
    const size_t head = npy_header(&array, header), size = host_array_size(&array);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    const bool written = fwrite(header, 1, head, file) == head && fwrite(values, 1, size, file) == size;
    return !fclose(file) && written;
}

/* "DIR/add_f32f32_f32.cuda-0.x.npy" */
static const char *path_of(const struct test_options *options, struct arena *arena, const struct property *property,
                           const struct test_case *test, size_t k)
{
    const char *by = property->kind == SAME_BITS ? property->other->name : property->reference->function->name;
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

/* As a shell takes it for one word. */
static void print_word(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_printf(text, " %s", word);
        return;
    }
    text_printf(text, " '");
    for (; *word; word++)
        text_printf(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_printf(text, "'");
}

static void print_sources(struct text *text, const struct test_options *options)
{
    const struct options *compile = &options->compile;
    for (size_t i = 0; i < compile->input_count; i++)
        print_word(text, compile->inputs[i]);
    for (size_t i = 0; i < compile->linked_count; i++)
        print_word(text, compile->linked[i]);
}

/* How the program was compiled, as the command line says it; the plain one without optimisation. */
static void print_compilation(struct text *text, const struct test_options *options, bool is_plain)
{
    for (size_t i = 0; i < options->compile.taken_count; i++)
        print_word(text, options->compile.taken[i]);
    if (is_plain)
        text_printf(text, " -O0");
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
    text_printf(text, " --device=%s", with_gpu ? property->other->name : "cpu");
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

/* False with errno where they cannot be written. */
static bool save_all(const struct test_options *options, struct arena *arena, const struct property *property,
                     const struct test_case *test, const struct outcome *outcome)
{
    const struct instance *loop = test->loop;
    bool saved = make_folders(arena, options->keep);
    for (size_t k = 0; saved && k < loop->input_count; k++)
        saved = save(path_of(options, arena, property, test, k), loop->inputs[k], test->operands[k].ndim,
                     test->operands[k].shape, test->operands[k].values);
    for (size_t k = 0; saved && k < loop->output_count && !outcome->failure && property->kind != INVERTED; k++) {
        const struct operand *operand = &test->operands[loop->input_count + k];
        saved = save(path_of(options, arena, property, test, loop->input_count + k), outcome->outputs[k].wanted_type,
                     operand->ndim, operand->shape, outcome->outputs[k].wanted);
    }
    return saved;
}

const char *keep_failure(const struct test_options *options, struct arena *arena, const struct property *property,
                         const struct test_case *test, const struct outcome *outcome)
{
    struct text text = {.arena = arena};
    text_printf(&text, "%s", outcome->failure ? arena_printf(arena, "%s\n", outcome->failure)
                                              : describe_worst(arena, property, test, outcome));
    text_printf(&text, "with %s\n", describe_case(arena, test));
    const bool saved = save_all(options, arena, property, test, outcome);
    if (!saved)
        text_printf(&text, "these inputs cannot be saved in '%s': %s\n", options->keep, strerror(errno));
    if (!saved || outcome->in_memory || !is_packed(test)) {
        print_test(&text, options, property, test);
        return text.data;
    }
    print_run(&text, options, arena, property, test, "cpu", false);
    if (property->kind == SAME_BITS)
        print_run(&text, options, arena, property, test,
                  property->other->one_by_one ? "cpu" : property->other->name, property->other->one_by_one);
    return text.data;
}
