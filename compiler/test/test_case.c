/* Makes the cases of a function from its loop's signature and a number, always the same ones. */
#include "../runtime/base/extent.h"
#include "test/test_internal.h"

#include <math.h>
#include <string.h>

static const struct shape {
    int ndim;
    int64_t extents[OUTER_MOST];
} shapes[] = {
#define SHAPE(dimensions, ...) {dimensions, {__VA_ARGS__}},
#include "test/shapes.def"
};

enum {
    SHAPE_COUNT = sizeof shapes / sizeof *shapes,
    VARIANTS = 4,        /* of each shape: packed, and others */
    CORE_MOST = 1 << 12, /* elements that a gufunc's operand has at one outer index, but for dimensions of fixed size */
    CORE_ALL = 1 << 16,  /* the product of all dimensions, as a function has it that goes through all of them */
    OUTER_INDICES = 80,  /* of a gufunc */
    LARGE = 1 << 16,     /* elements of fixed size of which one array is enough */
    LARGEST = 1 << 28,   /* and of which none is tried */
};

size_t element_count(const struct operand *operand)
{
    size_t count = 1;
    for (int d = 0; d < operand->ndim; d++)
        count *= (size_t)operand->shape[d];
    return count;
}

void next_index(const struct test_case *test, int64_t *index)
{
    for (int d = test->outer; d-- > 0;) {
        if (++index[d] < test->extents[d])
            return;
        index[d] = 0;
    }
}

void index_of_element(const struct test_case *test, const struct operand *output, size_t element, int64_t *index)
{
    for (int d = output->outer; d < output->ndim; d++)
        element /= output->shape[d] ? (size_t)output->shape[d] : 1;
    for (int d = test->outer; d-- > 0;) {
        const size_t extent = test->extents[d] ? (size_t)test->extents[d] : 1;
        index[d] = (int64_t)(element % extent);
        element /= extent;
    }
}

size_t core_at(const struct operand *operand, const int64_t *index)
{
    size_t at = 0;
    for (int d = 0; d < operand->ndim; d++) {
        const bool is_outer = d < operand->outer;
        at = at * (size_t)operand->shape[d] + (is_outer && operand->shape[d] > 1 ? (size_t)index[operand->axes[d]] : 0);
    }
    return at * dtype_size(operand->dtype);
}

const char *operand_name(const struct instance *loop, size_t k)
{
    const bool is_result = loop->results_by_value && k >= loop->input_count;
    return is_result ? "out" : loop->function->parameters[first_operand(loop) + k].name;
}

/* ---- shapes ---- */

/* An axis's extent, by the name of the layout's dimension. */
static bool axis_extent(void *data, const char *name, size_t length, int64_t *value)
{
    const struct test_case *test = data;
    const struct layout *layout = test->loop->layout;
    const size_t i = find_named_dimension(layout, name, length);
    if (i == layout->dimension_count)
        return false;
    *value = test->extents[test->outer + (int)i];
    return true;
}

static void add_dimension(struct operand *operand, int axis, int64_t extent)
{
    operand->axes[operand->ndim] = axis;
    operand->shape[operand->ndim++] = extent;
}

/* Dimensions along all outer axes, then those of the core. */
static void shape_operand(struct test_case *test, size_t k)
{
    const struct layout *layout = test->loop->layout;
    struct operand *operand = &test->operands[k];
    operand->ndim = 0;
    for (int d = 0; d < test->outer; d++)
        add_dimension(operand, d, test->extents[d]);
    operand->outer = operand->ndim;
    for (size_t d = 0; layout && d < layout->operands[k].dimension_count; d++) {
        const size_t dimension = layout->operands[k].dimensions[d];
        const int axis = test->outer + (int)dimension;
        if (!(test->lacking >> dimension & 1))
            add_dimension(operand, axis, test->extents[axis]);
    }
}

bool shape_outputs(struct test_case *test)
{
    const struct layout *layout = test->loop->layout;
    for (size_t i = 0; layout && i < layout->dimension_count; i++) {
        const char *extent = layout->dimensions[i].extent;
        if (extent && !extent_value(extent, axis_extent, test, &test->extents[test->outer + (int)i]))
            return false;
    }
    for (size_t k = test->loop->input_count; k < operand_count(test->loop); k++)
        shape_operand(test, k);
    return true;
}

/* Extents of dimensions of which nothing but the layout says what they are. */
static const int64_t core_extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 65, 129};

static double core_elements(const struct operand_layout *operand, const int64_t *extents)
{
    double elements = 1;
    for (size_t d = 0; d < operand->dimension_count; d++)
        elements *= (double)extents[operand->dimensions[d]];
    return elements;
}

/* The elements that an operand has at one outer index because the layout says numbers: of the largest operand. */
static double fixed_elements(const struct layout *layout)
{
    int64_t extents[GPUCC_CORE_DIMS];
    double most = 1;
    for (size_t i = 0; i < layout->dimension_count; i++)
        extents[i] = layout->dimensions[i].size ? (int64_t)layout->dimensions[i].size : 1;
    for (size_t k = 0; k < layout->input_count + layout->output_count; k++)
        most = fmax(most, core_elements(&layout->operands[k], extents));
    return most;
}

/* Whether the arrays are larger than they need be. */
static bool are_too_large(const struct layout *layout, const int64_t *extents)
{
    double all = 1;
    for (size_t i = 0; i < layout->dimension_count; i++)
        all *= layout->dimensions[i].size ? 1 : (double)extents[i];
    for (size_t k = 0; k < layout->input_count + layout->output_count; k++)
        if (core_elements(&layout->operands[k], extents) > CORE_MOST)
            return true;
    return all > CORE_ALL;
}

/* Draws extents, and makes the largest smaller until all arrays are small, as far as they are free. */
static void draw_core(const struct layout *layout, struct random *random, int64_t *extents)
{
    size_t drawn[GPUCC_CORE_DIMS], count = sizeof core_extents / sizeof *core_extents, largest;
    for (size_t i = 0; i < layout->dimension_count; i++) {
        const size_t size = layout->dimensions[i].size;
        drawn[i] = size ? 0 : draw_below(random, count);
        extents[i] = size ? (int64_t)size : core_extents[drawn[i]];
    }
    while (are_too_large(layout, extents)) {
        largest = 0;
        for (size_t i = 1; i < layout->dimension_count; i++)
            largest = drawn[i] > drawn[largest] ? i : largest;
        if (!drawn[largest])
            return;
        extents[largest] = core_extents[--drawn[largest]];
    }
}

static int64_t outer_count(const struct shape *shape)
{
    return shape->extents[0] * shape->extents[1] * shape->extents[2];
}

static void shape_case(struct test_case *test, const struct shape *shape, struct random *random)
{
    const struct layout *layout = test->loop->layout;
    int64_t core[GPUCC_CORE_DIMS];
    test->outer = test->axes = shape->ndim;
    memcpy(test->extents, shape->extents, sizeof shape->extents);
    if (layout)
        draw_core(layout, random, core);
    for (size_t i = 0; layout && i < layout->dimension_count; i++) {
        const struct core_dimension *dimension = &layout->dimensions[i];
        /* Beside outer dimensions one of these would be taken for it. */
        const bool lacks = dimension->is_optional && !test->outer && draw(random) & 1;
        test->lacking |= (unsigned)lacks << i;
        test->extents[test->axes++] = lacks ? 1 : core[i];
    }
    for (size_t i = 0; layout && i < layout->dimension_count; i++) {
        const char *name = layout->dimensions[i].target;
        const size_t target = name ? find_named_dimension(layout, name, strlen(name)) : 0;
        if (!name)
            continue;
        test->lacking |= (test->lacking >> target & 1) << i;
        test->extents[test->outer + (int)i] = draw(random) & 1 ? test->extents[test->outer + (int)target] : 1;
    }
    for (size_t k = 0; k < test->loop->input_count; k++)
        shape_operand(test, k);
}

/* ---- variants: operands that are repeated, and lie in memory otherwise ---- */

/* Along one axis, from the first one on, or along all; of a gufunc also along core dimensions that may be. */
static void repeat(const struct layout *layout, const struct test_case *test, struct operand *operand,
                   struct random *random)
{
    const uint64_t from = draw_below(random, (uint64_t)operand->outer + 1);
    const bool one_alone = draw(random) & 1;
    for (int d = (int)from; d < operand->outer; d++)
        if (operand->shape[d] > 1 && !(one_alone && d > (int)from))
            operand->shape[d] = 1;
    for (int d = operand->outer; d < operand->ndim; d++)
        if (layout->dimensions[operand->axes[d] - test->outer].broadcasts && draw(random) & 1)
            operand->shape[d] = 1;
}

/* With so many dimensions less in front, where these are repeated anyway. */
static void drop_repeated(struct operand *operand)
{
    int drop = 0;
    while (drop < operand->outer && operand->shape[drop] == 1)
        drop++;
    operand->outer -= drop;
    operand->ndim -= drop;
    memmove(operand->shape, operand->shape + drop, (size_t)operand->ndim * sizeof *operand->shape);
    memmove(operand->axes, operand->axes + drop, (size_t)operand->ndim * sizeof *operand->axes);
}

static void vary(struct test_case *test, struct random *random)
{
    const struct instance *loop = test->loop;
    for (size_t k = 0; k < operand_count(loop); k++) {
        struct operand *operand = &test->operands[k];
        operand->spacing = (enum spacing)draw_below(random, SPACING_COUNT);
        if (k < loop->input_count && loop->input_count > 1 && draw_below(random, 3) == 0) {
            repeat(loop->layout, test, operand, random);
            if (draw(random) & 1)
                drop_repeated(operand);
        }
    }
}

/* The case has the inputs' broadcast shape; if all inputs repeat along an axis, so do the outputs. */
static void settle_extents(struct test_case *test)
{
    for (int axis = 0; axis < test->axes; axis++) {
        int64_t extent = 1;
        bool has = axis < test->outer;
        for (size_t k = 0; k < test->loop->input_count; k++)
            for (int d = 0; d < test->operands[k].ndim; d++)
                if (test->operands[k].axes[d] == axis) {
                    has = true;
                    extent = test->operands[k].shape[d] != 1 ? test->operands[k].shape[d] : extent;
                }
        if (has) /* a core dimension may be the outputs' alone */
            test->extents[axis] = extent;
    }
}

static void put_in_place(struct test_case *test, struct random *random)
{
    const struct operand *output = &test->operands[test->loop->input_count];
    const size_t k = draw_below(random, test->loop->input_count);
    const struct operand *input = &test->operands[k];
    if (!test->loop->layout && input->dtype == output->dtype && input->ndim == output->ndim &&
        !memcmp(input->shape, output->shape, (size_t)input->ndim * sizeof *input->shape))
        test->in_place = (int)k;
}

/* ---- values ---- */

static void fill(struct arena *arena, struct random *random, struct operand *operand)
{
    const size_t size = dtype_size(operand->dtype), count = element_count(operand);
    operand->values = arena_alloc(arena, (count + 1) * size);
    if (draw_below(random, 8) == 0) { /* all alike */
        draw_elements(random, operand->dtype, 1, operand->values);
        for (size_t i = 1; i < count; i++)
            memcpy(operand->values + i * size, operand->values, size);
    } else {
        draw_elements(random, operand->dtype, count, operand->values);
    }
}

/* Every combination of special values in front, as far as there is room. */
static void put_specials(struct test_case *test, size_t room)
{
    size_t before = 1;
    for (size_t k = 0; k < test->loop->input_count && before <= room; k++) { /* beyond, `before` may not be a number */
        struct operand *operand = &test->operands[k];
        const size_t size = dtype_size(operand->dtype), specials = special_count(operand->dtype);
        for (size_t i = 0; i < room; i++)
            special_element(operand->dtype, i / before % specials, operand->values + i * size);
        before *= specials;
    }
}

/* ---- cases ---- */

/* The shape of the case of that number; null past the last one.  A gufunc's outer dimensions are few, fewer where its
 * arrays are large without them. */
static const struct shape *shape_of(const struct instance *loop, uint64_t number)
{
    const double fixed = loop->layout ? fixed_elements(loop->layout) : 0;
    if (fixed > LARGE)
        return fixed <= LARGEST && number < 2 ? &shapes[0] : NULL;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        if (loop->layout && (double)outer_count(&shapes[i]) > fmax(1, OUTER_INDICES * fmin(1, CORE_MOST / fixed)))
            continue;
        if (number < VARIANTS)
            return &shapes[i];
        number -= VARIANTS;
    }
    return NULL;
}

bool make_case(struct arena *arena, const struct test_options *options, const struct instance *loop, uint64_t number,
               struct test_case *test)
{
    struct random random = random_of(options->seed, loop->symbol, number);
    const struct shape all = {1, {(int64_t)options->count, 1, 1}};
    const bool is_long = !loop->layout && number < VARIANTS; /* a ufunc's first ones */
    const struct shape *shape = is_long ? &all : shape_of(loop, loop->layout ? number : number - VARIANTS);
    if (!shape)
        return false;
    *test = (struct test_case){.loop = loop, .in_place = -1};
    for (size_t k = 0; k < operand_count(loop); k++)
        test->operands[k].dtype =
            k < loop->input_count ? loop->inputs[k] : loop->outputs[k - loop->input_count];
    shape_case(test, shape, &random);
    if (number % VARIANTS)
        vary(test, &random);
    settle_extents(test);
    for (size_t k = 0; k < loop->input_count; k++)
        fill(arena, &random, &test->operands[k]);
    if (is_long && number == 0)
        put_specials(test, (size_t)options->count / 2);
    for (size_t k = 0; options->integers && k < loop->input_count; k++)
        bound_integers(loop->inputs[k], options->integers, element_count(&test->operands[k]),
                       test->operands[k].values);
    if (!shape_outputs(test))
        return true; /* the call says so */
    if (number % VARIANTS == VARIANTS - 1 && loop->input_count)
        put_in_place(test, &random);
    return true;
}

const char *describe_case(struct arena *arena, const struct test_case *test)
{
    static const char *const words[] = {
#define SPACING(id, text) text,
#include "test/spacings.def"
    };
    struct text text = {.arena = arena};
    for (size_t k = 0; k < operand_count(test->loop); k++) {
        const struct operand *operand = &test->operands[k];
        text_printf(&text, "%s%s %s", k ? ", " : "", operand_name(test->loop, k),
                    shape_spelling(arena, operand->ndim, operand->shape));
        if (k == test->loop->input_count && test->in_place >= 0)
            text_printf(&text, " in place of %s", operand_name(test->loop, (size_t)test->in_place));
        else if (operand->spacing != SPACING_PACKED)
            text_printf(&text, " %s", words[operand->spacing]);
    }
    return text.data;
}
