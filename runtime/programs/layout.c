/* Reads a gufunc's layout, which the compiler has written without spaces, and believes nothing in it. */
#include "base/common.h"
#include "programs/layout.h"
#include <string.h>

#define SIGNS "(),-?|:"

struct reader {
    const char *at;
    struct gufunc_layout *layout;
};

static bool accept(struct reader *reader, const char *sign)
{
    const size_t length = strlen(sign);
    if (strncmp(reader->at, sign, length) != 0)
        return false;
    reader->at += length;
    return true;
}

int layout_find(const struct gufunc_layout *layout, const char *name, int length)
{
    int k = 0;
    while (k < layout->dimension_count && (layout->dimensions[k].length != length ||
                                           memcmp(layout->dimensions[k].name, name, (size_t)length) != 0))
        k++;
    return k;
}

static bool read_dimension(struct reader *reader, struct core_operand *operand)
{
    struct gufunc_layout *layout = reader->layout;
    struct core_dimension dimension = {.name = reader->at, .length = (int)strcspn(reader->at, SIGNS), .target = -1};
    for (int i = 0; i < dimension.length && dimension.name[0] >= '0' && dimension.name[0] <= '9'; i++) {
        const char digit = dimension.name[i];
        dimension.size = dimension.size * 10 + (digit - '0');
        if (digit < '0' || digit > '9' || dimension.size > INT32_MAX)
            return false;
    }
    const bool is_fixed = dimension.length > 0 && dimension.name[0] >= '0' && dimension.name[0] <= '9';
    if (dimension.length == 0 || (is_fixed && dimension.size == 0) || operand->rank == GPUCC_CORE_RANK)
        return false;
    reader->at += dimension.length;
    dimension.is_optional = accept(reader, "?");
    dimension.broadcasts = accept(reader, "|1");
    if (accept(reader, ":")) {
        dimension.is_optional = true;
        dimension.target_name = reader->at;
        dimension.target_length = (int)strcspn(reader->at, SIGNS);
        reader->at += dimension.target_length;
    }
    const int k = layout_find(layout, dimension.name, dimension.length);
    if (k == GPUCC_CORE_DIMS)
        return false;
    if (k == layout->dimension_count)
        layout->dimensions[layout->dimension_count++] = dimension;
    operand->dimensions[operand->rank++] = (unsigned char)k;
    return true;
}

static bool read_operand(struct reader *reader, int index)
{
    if (index == GPUCC_LOOP_OPERANDS || !accept(reader, "("))
        return false;
    struct core_operand *operand = &reader->layout->operands[index];
    if (accept(reader, ")"))
        return true;
    do {
        if (!read_dimension(reader, operand))
            return false;
    } while (accept(reader, ","));
    return accept(reader, ")");
}

static bool read_operands(struct reader *reader, int first, int *count)
{
    do {
        if (!read_operand(reader, first + (*count)++))
            return false;
    } while (accept(reader, ","));
    return true;
}

/* Each is a dimension of one operand, an input, which alone may lack it. */
static bool find_targets(struct gufunc_layout *layout)
{
    int uses[GPUCC_CORE_DIMS] = {0};
    for (int k = 0; k < layout->inputs + layout->outputs; k++)
        for (int d = 0; d < layout->operands[k].rank; d++)
            uses[layout->operands[k].dimensions[d]] += k < layout->inputs ? 1 : 2;
    for (int d = 0; d < layout->dimension_count; d++) {
        struct core_dimension *dimension = &layout->dimensions[d];
        if (!dimension->target_name)
            continue;
        dimension->target = layout_find(layout, dimension->target_name, dimension->target_length);
        if (uses[d] != 1 || dimension->size || dimension->target == layout->dimension_count ||
            layout->dimensions[dimension->target].target_name)
            return false;
    }
    return true;
}

gpucc_status layout_parse(const char *text, struct gufunc_layout *layout)
{
    struct reader reader = {text, layout};
    memset(layout, 0, sizeof *layout);
    layout->text = text;
    if (read_operands(&reader, 0, &layout->inputs) && accept(&reader, "->") &&
        read_operands(&reader, layout->inputs, &layout->outputs) && !*reader.at && find_targets(layout))
        return GPUCC_OK;
    return fail(GPUCC_BAD_PROGRAM, "\"%.80s\" is not a valid gufunc signature", text);
}
