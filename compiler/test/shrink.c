/* Makes a case that fails smaller for as long as it fails: fewer elements, then packed arrays, then simpler values. */
#include "test/test_internal.h"

#include <string.h>

struct shrinking {
    const struct property *property;
    struct arena *arena;
    struct test_case *test; /* the smallest so far */
};

/* Takes the case for the smallest where it fails. */
static bool accept(const struct shrinking *shrinking, const struct test_case *test)
{
    struct arena *arena = arena_new();
    struct outcome outcome;
    judge(shrinking->property, test, arena, &outcome);
    const bool failed = fails(shrinking->property, &outcome);
    if (failed)
        *shrinking->test = *test;
    arena_free(arena);
    return failed;
}

/* ---- fewer elements ---- */

/* The part of an input's elements from `from` on along a dimension. */
static void select_part(struct arena *arena, struct operand *operand, int dimension, int64_t from, int64_t count)
{
    struct operand part = *operand;
    part.shape[dimension] = count;
    const size_t size = dtype_size(operand->dtype);
    size_t inner = size, outer = 1;
    for (int d = 0; d < operand->ndim; d++)
        if (d < dimension)
            outer *= (size_t)operand->shape[d];
        else if (d > dimension)
            inner *= (size_t)operand->shape[d];
    part.values = arena_alloc(arena, (element_count(&part) + 1) * size);
    for (size_t i = 0; i < outer; i++)
        memcpy(part.values + i * (size_t)count * inner,
               operand->values + (i * (size_t)operand->shape[dimension] + (size_t)from) * inner, (size_t)count * inner);
    *operand = part;
}

static bool cut(const struct shrinking *shrinking, int axis, int64_t from, int64_t count)
{
    struct test_case test = *shrinking->test;
    const int64_t extent = test.extents[axis];
    test.extents[axis] = count;
    for (size_t k = 0; k < test.loop->input_count; k++)
        for (int d = 0; d < test.operands[k].ndim; d++)
            if (test.operands[k].axes[d] == axis && test.operands[k].shape[d] == extent && extent != 1)
                select_part(shrinking->arena, &test.operands[k], d, from, count);
    return shape_outputs(&test) && accept(shrinking, &test);
}

/* Whether the layout leaves the extent of the axis to whoever calls. */
static bool is_free(const struct test_case *test, int axis)
{
    const struct core_dimension *dimension =
        axis < test->outer ? NULL : &test->loop->layout->dimensions[axis - test->outer];
    return !dimension || !(dimension->size || dimension->extent);
}

/* Smaller and smaller parts, down to one element. */
static void shorten(const struct shrinking *shrinking, int axis)
{
    int64_t part = shrinking->test->extents[axis] / 2;
    while (part > 0 && shrinking->test->extents[axis] > 1) {
        const int64_t extent = shrinking->test->extents[axis];
        bool shorter = false;
        for (int64_t from = 0; from < extent && !shorter; from += part) { /* a part alone, or all but a part */
            const int64_t count = from + part < extent ? part : extent - from;
            shorter = cut(shrinking, axis, from, count) ||
                      (from == 0 && cut(shrinking, axis, count, extent - count)) ||
                      (from + count == extent && cut(shrinking, axis, 0, from));
        }
        part = shorter && shrinking->test->extents[axis] / 2 < part ? shrinking->test->extents[axis] / 2
               : shorter                                             ? part
                                                                     : part / 2;
    }
}

/* The element that is worst, by itself: nearly always enough. */
static void select_worst(const struct shrinking *shrinking)
{
    struct arena *arena = arena_new();
    struct outcome outcome;
    judge(shrinking->property, shrinking->test, arena, &outcome);
    const struct operand *output =
        &shrinking->test->operands[shrinking->test->loop->input_count + outcome.worst_output];
    int64_t index[OUTER_MOST];
    index_of_element(shrinking->test, output, outcome.worst_element, index);
    for (int d = 0; d < shrinking->test->outer && !outcome.failure; d++)
        if (shrinking->test->extents[d] > 1)
            cut(shrinking, d, index[d], 1);
    arena_free(arena);
}

/* ---- simpler shapes and strides ---- */

static void drop_outer(const struct shrinking *shrinking)
{
    struct test_case test = *shrinking->test;
    while (test.outer > 0 && test.extents[0] == 1) {
        test.outer--;
        test.axes--;
        memmove(test.extents, test.extents + 1, (size_t)test.axes * sizeof *test.extents);
        for (size_t k = 0; k < test.loop->input_count; k++) {
            struct operand *operand = &test.operands[k];
            const bool has = operand->outer > 0 && operand->axes[0] == 0;
            operand->outer -= has;
            operand->ndim -= has;
            memmove(operand->shape, operand->shape + has, (size_t)operand->ndim * sizeof *operand->shape);
            memmove(operand->axes, operand->axes + has, (size_t)operand->ndim * sizeof *operand->axes);
            for (int d = 0; d < operand->ndim; d++)
                operand->axes[d]--;
        }
    }
    if (test.outer < shrinking->test->outer && shape_outputs(&test))
        accept(shrinking, &test);
}

static void straighten(const struct shrinking *shrinking)
{
    struct test_case test = *shrinking->test;
    test.in_place = -1;
    for (size_t k = 0; k < operand_count(test.loop); k++)
        test.operands[k].spacing = SPACING_PACKED;
    if (accept(shrinking, &test))
        return;
    for (size_t k = 0; k < operand_count(test.loop); k++) {
        test = *shrinking->test;
        test.operands[k].spacing = SPACING_PACKED;
        accept(shrinking, &test);
    }
    test = *shrinking->test;
    test.in_place = -1;
    accept(shrinking, &test);
}

/* ---- simpler values ---- */

enum { VALUES_MOST = 16 }; /* of an input that are looked at */

static bool try_value(const struct shrinking *shrinking, size_t k, size_t i, const char *value)
{
    struct test_case test = *shrinking->test;
    struct operand *operand = &test.operands[k];
    const size_t size = dtype_size(operand->dtype), bytes = element_count(operand) * size;
    char *values = arena_alloc(shrinking->arena, bytes);
    memcpy(values, operand->values, bytes);
    if (!memcmp(values + i * size, value, size))
        return false;
    memcpy(values + i * size, value, size);
    operand->values = values;
    return accept(shrinking, &test);
}

/* Zero or a small number; else with as few bits at its end as can be. */
static void simplify_value(const struct shrinking *shrinking, size_t k, size_t i)
{
    static const double simple[] = {0, 1, 2, -1};
    const enum dtype dtype = shrinking->test->operands[k].dtype;
    const size_t size = dtype_size(dtype);
    char value[16];
    for (size_t s = 0; s < sizeof simple / sizeof *simple; s++) {
        const double parts[2] = {simple[s], 0};
        if (simple[s] < 0 && strchr("bu", dtype_kind(dtype)))
            break;
        elements_from_double(dtype, parts, 1, value);
        if (!memcmp(value, shrinking->test->operands[k].values + i * size, size) ||
            try_value(shrinking, k, i, value))
            return;
    }
    for (size_t bit = 0; bit < size * 8; bit++) {
        memcpy(value, shrinking->test->operands[k].values + i * size, size);
        if (value[bit / 8] >> bit % 8 & 1) {
            value[bit / 8] = (char)(value[bit / 8] & ~(1 << bit % 8));
            try_value(shrinking, k, i, value);
        }
    }
}

static void simplify(const struct shrinking *shrinking)
{
    for (size_t k = 0; k < shrinking->test->loop->input_count; k++) {
        const size_t count = element_count(&shrinking->test->operands[k]);
        for (size_t i = 0; i < count && count <= VALUES_MOST; i++)
            simplify_value(shrinking, k, i);
    }
}

void shrink(const struct property *property, struct arena *arena, struct test_case *test)
{
    const struct shrinking shrinking = {property, arena, test};
    select_worst(&shrinking);
    straighten(&shrinking);
    for (int axis = 0; axis < test->axes; axis++)
        if (is_free(test, axis))
            shorten(&shrinking, axis);
    drop_outer(&shrinking);
    straighten(&shrinking);
    simplify(&shrinking);
}
