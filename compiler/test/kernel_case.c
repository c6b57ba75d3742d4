/* One launch of a test of the source: its values, by the test's driver, and its arrays. */
#include "../runtime/base/extent.h"
#include "test/test_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { CASES_MOST = 100000, SCHEDULES_MOST = 1000000, DRAWS = 16 };

/* How many cases there are with all that each(…) names as it is: numbers of any(…) are drawn together. */
static uint64_t count_draws(const struct test *test)
{
    bool any = false;
    for (size_t i = 0; i < test->axis_count; i++)
        any |= test->axes[i].is_any;
    return any ? DRAWS : 1;
}

uint64_t count_cases(const struct test *test)
{
    uint64_t count = count_draws(test);
    for (size_t i = 0; i < test->axis_count && count <= CASES_MOST; i++)
        count *= test->axes[i].is_any ? 1 : test->axes[i].values.count;
    return count <= CASES_MOST ? count : 0;
}

/* ---- values ---- */

double real_of(const struct kernel_case *with, const struct test_value *value)
{
    double real;
    memcpy(&real, with->cells + value->cell, sizeof real);
    return real;
}

int64_t whole_of(const struct kernel_case *with, const struct test_values *values, size_t i, int64_t otherwise)
{
    long long whole = otherwise;
    if (i < values->count)
        memcpy(&whole, with->cells + values->items[i].cell, sizeof whole);
    return whole;
}

static void fail(struct kernel_case *with, const char *reason)
{
    if (!with->failure)
        with->failure = reason;
}

gpucc_status call_step(const struct kernel_case *with, int step, char **after, char **before)
{
    void *parameters[] = {&step, (void *)(uintptr_t)&with->choice.numbers, (void *)&with->cells, &after, &before};
    const gpucc_launch once = {.size = sizeof once, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    guard(with->of->test->name);
    return gpucc_kernel_launch(with->of->driver, &once, parameters);
}

static const char *label_of(const struct kernel_case *with)
{
    struct text text = {.arena = with->arena};
    text_append(&text, "", 0);
    for (size_t i = 0; i < with->of->test->axis_count; i++) {
        const struct test_axis *axis = &with->of->test->axes[i];
        const double value = real_of(with, &axis->as_real);
        text_printf(&text, "%s%s = ", i ? ", " : "", axis->name);
        print_element(&text, DTYPE_float64, &value);
    }
    return text.data;
}

static void set_launch(struct kernel_case *with)
{
    const struct test *test = with->of->test;
    bool well = true;
    with->launch = (gpucc_launch){.size = sizeof with->launch};
    for (size_t d = 0; d < 3; d++) {
        const int64_t threads = whole_of(with, &test->threads, d, 1), grid = whole_of(with, &test->grid, d, 1);
        const int64_t block = whole_of(with, &test->block, d, 1);
        well = well && threads >= 0 && grid >= 0 && block >= 0 && grid <= UINT32_MAX && block <= UINT32_MAX;
        with->launch.threads[d] = test->threads.count ? (uint64_t)threads : 0;
        with->launch.grid[d] = test->grid.count ? (uint32_t)grid : 0;
        with->launch.block[d] = test->block.count ? (uint32_t)block : 0;
    }
    if (!with->launch.threads[1] || !with->launch.threads[2])
        with->launch.threads[0] = 0; /* none in one dimension are none at all */
    const int64_t shared = whole_of(with, &test->shared, 0, 0);
    with->launch.shared = (size_t)shared;
    if (!well || shared < 0)
        fail(with, "a number of threads, blocks or bytes is negative, or too large\n");
}

/* ---- arrays ---- */

static bool scalar_value(void *data, const char *name, size_t length, int64_t *value)
{
    const struct kernel_case *with = data;
    const struct function *kernel = with->of->kernel->function;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *parameter = &kernel->parameters[i];
        const enum dtype dtype = parameter->type.dtype;
        if (parameter->type.kind != TYPE_SCALAR || strlen(parameter->name) != length ||
            memcmp(parameter->name, name, length) != 0 || !strchr("iu", dtype_kind(dtype)))
            continue;
        elements_convert(DTYPE_int64, value, dtype, with->cells + with->of->test->arguments[i].value.cell, 1);
        return *value >= 0;
    }
    return false;
}

/* The shape that the brackets say, or the parameter's type; false if an extent is not known, or none that an array
 * can have. */
static bool find_extents(const struct kernel_case *with, const struct test_array *array,
                         const struct parameter *parameter, bool by_brackets, struct parameter_data *held)
{
    const struct type *type = &parameter->type;
    int64_t size = (int64_t)held->element;
    held->ndim = (int)(by_brackets ? array->extents.count : type->dimension_count);
    if (held->ndim > GPUCC_MAX_DIMS)
        return false;
    for (int d = 0; d < held->ndim; d++) {
        const size_t i = (size_t)d;
        if (by_brackets)
            held->shape[d] = whole_of(with, &array->extents, i, 0);
        else if (!extent_value(type->dimensions[d], scalar_value, (void *)(uintptr_t)with, &held->shape[d]))
            return false;
        if (held->shape[d] < 0 || __builtin_mul_overflow(size, held->shape[d], &size))
            return false;
    }
    held->count = (size_t)size / (held->element ? held->element : 1);
    return held->ndim > 0;
}

/* Reads the array; false with the reason. */
static bool find_shape(const struct kernel_case *with, const struct test_array *array,
                       const struct parameter *parameter, struct parameter_data *held, const char **failure)
{
    const struct place *place = &array->place;
    struct parameter_data declared = {.element = held->element};
    const bool known = find_extents(with, array, parameter, false, &declared);
    const bool is_said = array->extents.count > 0;
    if (!is_said)
        *held = (struct parameter_data){held->dtype, declared.element, declared.count, declared.ndim, {0}, NULL};
    memcpy(held->shape, declared.shape, sizeof held->shape);
    if (!(is_said ? find_extents(with, array, parameter, true, held) : known))
        *failure = arena_printf(with->arena, "%s:%u:%u: invalid extents for '%s'\n", place->file, place->line,
                                place->column, parameter->name);
    else if (known && held->count != declared.count)
        *failure = arena_printf(with->arena, "%s:%u:%u: '%s' has %zu elements, but '%s' takes %zu\n", place->file,
                                place->line, place->column, parameter->name, held->count,
                                with->of->kernel->function->name, declared.count);
    return !*failure;
}

/* For integers both bounds are included. */
static double draw_number(struct random *random, enum dtype dtype, double low, double high)
{
    if (!strchr("fc", dtype_kind(dtype)))
        return low + (double)draw_below(random, (uint64_t)fmax(high - low, 0) + 1);
    return low + (high - low) * ((double)(draw(random) >> 11) * 0x1p-53);
}

/* One element, of a complex type both parts, from the numbers that stand in the parentheses. */
static void fill_element(const struct parameter_data *held, enum test_fill fill, const double *numbers, size_t given,
                         size_t i,
                         struct random *random, char *element)
{
    const double steps = held->count > 1 ? (double)(held->count - 1) : 1;
    double parts[2] = {0};
    switch (fill) {
    case TEST_FILL_ONES: parts[0] = 1; break;
    case TEST_FILL_FULL: parts[0] = numbers[0]; break;
    case TEST_FILL_ARANGE: parts[0] = (given ? numbers[0] : 0) + (double)i * (given > 1 ? numbers[1] : 1); break;
    case TEST_FILL_LINSPACE: parts[0] = numbers[0] + (numbers[1] - numbers[0]) * ((double)i / steps); break;
    case TEST_FILL_RANDOM:
        parts[0] = draw_number(random, held->dtype, given ? numbers[0] : 0, given > 1 ? numbers[1] : 1);
        parts[1] = draw_number(random, held->dtype, given ? numbers[0] : 0, given > 1 ? numbers[1] : 1);
        break;
    default: break;
    }
    elements_from_double(held->dtype, parts, 1, element);
}

/* A simple number among those with which the array is filled. */
static void plain_element(const struct parameter_data *held, const struct test_array *array, const double *numbers,
                          char *element)
{
    const bool bounded = array->fill == TEST_FILL_RANDOM && array->numbers.count > 1;
    const bool has_zero = !bounded || (numbers[0] <= 0 && numbers[1] > 0);
    const double parts[2] = {has_zero ? 0 : numbers[0], has_zero ? 0 : numbers[0]};
    elements_from_double(held->dtype, parts, 1, element);
}

/* Random numbers follow from the seed, the test and the parameter. */
static void fill(const struct kernel_case *with, const struct test_array *array, size_t parameter,
                 struct parameter_data *held)
{
    double numbers[2] = {0};
    const size_t given = array->numbers.count;
    struct random random = random_of(with->seed, with->of->test->name, parameter);
    for (size_t i = 0; i < given; i++)
        numbers[i] = real_of(with, &array->numbers.items[i]);
    const bool is_any = array->fill == TEST_FILL_RANDOM && !given && strchr("biu", dtype_kind(held->dtype));
    for (size_t i = 0; i < held->count && array->fill != TEST_FILL_ZEROS; i++) {
        char *element = held->data + i * held->element;
        const uint64_t bits = is_any ? draw(&random) : 0;
        if (is_any && dtype_kind(held->dtype) == 'b')
            *element = (char)(bits & 1);
        else if (is_any)
            memcpy(element, &bits, held->element);
        else if (array->fill != TEST_FILL_SPECIAL)
            fill_element(held, array->fill, numbers, given, i, &random, element);
    }
    if (array->fill == TEST_FILL_SPECIAL)
        draw_elements(&random, held->dtype, held->count, held->data);
    const bool is_given = array == &with->of->test->arguments[parameter].array;
    const char *plain = is_given && with->choice.plain ? with->choice.plain[parameter] : NULL;
    for (size_t i = 0; i < held->count && plain; i++)
        if (plain[i])
            plain_element(held, array, numbers, held->data + i * held->element);
}

/* Beside the source, unless it says from the root. */
static const char *path_of(struct arena *arena, const struct test_array *array)
{
    const char *source = array->place.file;
    const size_t folder = (size_t)(base_name(source) - source);
    return *array->path == '/' ? array->path : arena_printf(arena, "%.*s%s", (int)folder, source, array->path);
}

static void read_file(const struct kernel_case *with, const struct test_array *array,
                      const struct parameter *parameter, struct parameter_data *held, const char **failure)
{
    struct host_array file = {0};
    struct parameter_data declared = {.element = held->element};
    const char *path = path_of(with->arena, array);
    if (access(path, R_OK)) {
        *failure = arena_printf(with->arena, "%s:%u:%u: cannot open '%s': %s\n", array->place.file,
                                array->place.line, array->place.column, path, strerror(errno));
        return;
    }
    npy_load(path, &file);
    const size_t size = host_array_size(&file), element = held->element ? held->element : 1;
    const bool typed = held->dtype == DTYPE_NONE || held->dtype == file.dtype;
    const bool known = find_extents(with, array, parameter, false, &declared);
    const char *wanted = NULL;
    if (!typed)
        wanted = dtype_name(held->dtype);
    else if (size % element || (known && parameter_data_size(&declared) != size))
        wanted = arena_printf(with->arena, known ? "%zu bytes" : "elements of %zu bytes",
                              known ? parameter_data_size(&declared) : element);
    else if (!host_array_is_contiguous(&file))
        wanted = "an array in C order";
    if (wanted)
        *failure = arena_printf(with->arena, "%s:%u:%u: '%s' takes %s, but \"%s\" has %zu bytes of %s\n",
                                array->place.file, array->place.line, array->place.column, parameter->name, wanted,
                                array->path, size, dtype_name(file.dtype));
    held->ndim = file.ndim;
    memcpy(held->shape, file.shape, sizeof held->shape);
    held->element = element;
    held->count = size / element;
    held->data = arena_alloc(with->arena, size + 1);
    if (!wanted)
        memcpy(held->data, file.data, size);
    host_array_free(&file);
}

struct parameter_data make_parameter_data(const struct kernel_case *with, const struct test_array *array,
                                          size_t parameter,
                                          const char **failure)
{
    const struct parameter *taken = &with->of->kernel->function->parameters[parameter];
    struct parameter_data held = {.dtype = taken->type.dtype, .element = taken->type.element_size};
    if (array->fill == TEST_FILL_FILE) {
        read_file(with, array, taken, &held, failure);
    } else if (find_shape(with, array, taken, &held, failure)) {
        held.data = arena_alloc(with->arena, parameter_data_size(&held) + 1);
        fill(with, array, parameter, &held);
    }
    return held;
}

static void prepare(struct kernel_case *with)
{
    const struct test *test = with->of->test;
    const size_t count = with->of->kernel->function->parameter_count;
    char **arrays = arena_alloc(with->arena, (count + 1) * sizeof *arrays);
    for (size_t i = 0; i < count; i++)
        arrays[i] = with->held[i].data;
    for (size_t i = 0; i < test->prepare_count && !with->failure; i++)
        if (call_step(with, test->prepares[i].step, arrays, arrays))
            fail(with, arena_printf(with->arena, "prepare(%s) fails: %s\n", test->prepares[i].name,
                                    gpucc_last_error()));
}

/* ---- which case ---- */

/* The smallest ones first, then the largest, then such as are as often small as large. */
static long long draw_any(struct random *random, uint64_t draw, long long least, long long most)
{
    const uint64_t span = most > least ? (uint64_t)most - (uint64_t)least : 0;
    if (draw < 2 || !span)
        return draw ? most : least;
    unsigned bits = 1;
    while (bits < 63 && span >> bits)
        bits++;
    const uint64_t reach = UINT64_C(1) << (1 + draw_below(random, bits));
    return least + (long long)draw_below(random, reach < span ? reach : span + 1);
}

/* A bound may be computed from the numbers before it, so each is asked for with these. */
void number_case(const struct kernel_test *of, uint64_t number, struct arena *arena, struct kernel_choice *choice)
{
    const struct test *test = of->test;
    const uint64_t draws = count_draws(test), draw = number % draws;
    struct random random = random_of(of->options->seed, test->name, number);
    *choice = (struct kernel_choice){.numbers = arena_alloc(arena, (test->axis_count + 1) * sizeof *choice->numbers)};
    number /= draws;
    for (size_t i = test->axis_count; i-- > 0;)
        if (!test->axes[i].is_any) {
            choice->numbers[i] = (long long)(number % test->axes[i].values.count);
            number /= test->axes[i].values.count;
        }
    for (size_t i = 0; i < test->axis_count; i++)
        if (test->axes[i].is_any) {
            long long bounds[2];
            choice_bounds(of, choice, i, arena, bounds);
            choice->numbers[i] = draw_any(&random, draw, bounds[0], bounds[1]);
        }
}

void choice_bounds(const struct kernel_test *of, const struct kernel_choice *choice, size_t axis, struct arena *arena,
                   long long bounds[2])
{
    struct kernel_case with = {.of = of, .arena = arena, .choice = *choice};
    with.cells = arena_alloc(arena, of->test->cell_size + 1);
    const bool known = call_step(&with, 0, NULL, NULL) == GPUCC_OK;
    for (size_t i = 0; i < 2; i++)
        bounds[i] = known ? whole_of(&with, &of->test->axes[axis].values, i, 0) : 0;
}

/* ---- all of it ---- */

void make_kernel_case(const struct kernel_test *of, const struct kernel_choice *choice, struct arena *arena,
                      struct kernel_case *made)
{
    enum { USUAL_SCHEDULES = 4 };
    const struct test *test = of->test;
    const size_t count = of->kernel->function->parameter_count;
    *made = (struct kernel_case){.of = of, .arena = arena, .choice = *choice, .label = ""};
    made->cells = arena_alloc(arena, test->cell_size + 1);
    made->held = arena_alloc(arena, (count + 1) * sizeof *made->held);
    if (call_step(made, 0, NULL, NULL))
        fail(made, arena_printf(arena, "its values cannot be computed: %s\n", gpucc_last_error()));
    made->label = label_of(made);
    made->seed = of->options->seed + (uint64_t)whole_of(made, &test->seed, 0, 0);
    made->schedules = (uint64_t)whole_of(made, &test->schedules, 0, USUAL_SCHEDULES);
    if (made->schedules > SCHEDULES_MOST)
        fail(made, "schedules(…) is negative, or more than 1000000\n");
    set_launch(made);
    for (size_t i = 0; i < count && !made->failure; i++)
        if (test->arguments[i].is_array)
            made->held[i] = make_parameter_data(made, &test->arguments[i].array, i, &made->failure);
    prepare(made);
}
