/* The meaning of a C prototype as a ufunc or a gufunc. */
#include "../runtime/base/extent.h"
#include "semantics/semantics.h"

#include <gpucc/loops.h>
#include <string.h>

struct parser {
    const struct function *function;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct prototype *prototype;
};

static void note_function(const struct parser *parser)
{
    diagnose(parser->diagnostics, SEVERITY_NOTE, parser->function->place, NULL, "'%s' is defined here",
             parser->function->name);
}

static void add_operand(const struct parser *parser, const struct parameter *parameter, bool output)
{
    struct prototype *prototype = parser->prototype;
    size_t count = prototype->input_count + prototype->output_count;
    prototype->operands = arena_grow(parser->arena, prototype->operands, count, sizeof *prototype->operands);
    prototype->operands[count] = parameter;
    *(output ? &prototype->output_count : &prototype->input_count) += 1;
}

/* ---- ufuncs ---- */

static bool is_output(const struct type *type)
{
    return type->kind == TYPE_POINTER && !type->is_const && !type->dimension_count;
}

static void report_bad_input(const struct parser *parser, const struct parameter *parameter)
{
    const struct type *type = &parameter->type;
    const char *name = parser->function->name;
    bool pointer = type->kind == TYPE_POINTER;
    diagnose(parser->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
             pointer ? "input '%s' of '%s' is a pointer ('%s'), but vectorize functions take scalars"
                     : "input '%s' of '%s' has type '%s', which is not a dtype",
             parameter->name, name, type->spelling);
    if (!pointer)
        return;
    if (parser->function->result.kind != TYPE_VOID)
        diagnose(parser->diagnostics, SEVERITY_NOTE, parameter->place, NULL,
                 "for several outputs make the function 'void', with trailing pointers for all of them");
    else
        diagnose(parser->diagnostics, SEVERITY_NOTE, parameter->place, NULL,
                 "for functions of whole arrays there is guvectorize(…); only trailing pointers to non-const are "
                 "outputs");
}

static bool check_inputs(const struct parser *parser, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const struct parameter *parameter = &parser->function->parameters[i];
        if (parameter->type.kind != TYPE_SCALAR) {
            report_bad_input(parser, parameter);
            good = false;
        }
        add_operand(parser, parameter, false);
    }
    return good;
}

static bool check_outputs(const struct parser *parser, size_t first)
{
    const struct function *function = parser->function;
    for (size_t i = first; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameters[i];
        if (parameter->type.dtype == DTYPE_NONE) {
            diagnose(parser->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
                     "output '%s' of '%s' has type '%s', which does not point to a dtype", parameter->name,
                     function->name, parameter->type.spelling);
            return false;
        }
        add_operand(parser, parameter, true);
    }
    return true;
}

static bool check_result(const struct parser *parser)
{
    const struct function *function = parser->function;
    struct parameter *result = arena_alloc(parser->arena, sizeof *result);
    *result = (struct parameter){"", function->result, function->place};
    add_operand(parser, result, true);
    if (function->result.kind == TYPE_SCALAR)
        return true;
    diagnose(parser->diagnostics, SEVERITY_ERROR, function->place, NULL,
             "'%s' returns '%s', which is not a dtype", function->name, function->result.spelling);
    return false;
}

static bool check_operand_count(const struct parser *parser)
{
    const struct function *function = parser->function;
    size_t inputs = parser->prototype->input_count, outputs = parser->prototype->output_count;
    const char *wrong = NULL;
    if (!outputs)
        wrong = "'%s' has no output: return a value, or write through trailing pointers";
    else if (!inputs)
        wrong = "'%s' has no input: a vectorize function takes at least one scalar";
    else if (inputs + outputs > GPUCC_LOOP_OPERANDS)
        wrong = "'%s' has too many inputs and outputs: at most 64";
    else if (function->by && inputs > GPUCC_FUSED_INPUTS)
        wrong = "'%s' has too many inputs: a fused reduction takes at most 43";
    if (wrong)
        diagnose(parser->diagnostics, SEVERITY_ERROR, function->place, NULL, wrong, function->name);
    return !wrong;
}

_Static_assert(GPUCC_LOOP_OPERANDS == 64 && GPUCC_FUSED_INPUTS == 43, "check_operand_count() says the numbers");

static bool read_ufunc(const struct parser *parser)
{
    const struct function *function = parser->function;
    bool returns = function->result.kind != TYPE_VOID;
    size_t inputs = function->parameter_count;
    while (!returns && inputs && is_output(&function->parameters[inputs - 1].type))
        inputs--;
    parser->prototype->results_by_value = returns;
    bool good = check_inputs(parser, inputs);
    good = (returns ? check_result(parser) : check_outputs(parser, inputs)) && good;
    return good && check_operand_count(parser);
}

/* ---- gufuncs ---- */

static bool is_number(const struct layout *layout, size_t index)
{
    return index < layout->input_count && layout->operands[index].dimension_count == 0;
}

/* The leading size_t parameters, each of which is a core dimension.  Another number is the first operand, where that
 * may be one. */
static bool match_sizes(const struct parser *parser, struct layout *layout)
{
    const struct function *function = parser->function;
    bool good = true;
    size_t i = 0;
    for (; i < function->parameter_count && function->parameters[i].type.kind == TYPE_SCALAR; i++) {
        const struct parameter *parameter = &function->parameters[i];
        const size_t k = find_named_dimension(layout, parameter->name, strlen(parameter->name));
        const bool is_known = k < layout->dimension_count;
        if (!is_known && is_number(layout, 0))
            break;
        if (!is_known || parameter->type.dtype != DTYPE_uint64) {
            diagnose(parser->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
                     is_known ? "core dimension '%s' of '%s' must be a 'size_t'"
                              : "parameter '%s' is not a core dimension of '%s'",
                     parameter->name, layout->text);
            good = false;
        }
        if (is_known) {
            layout->dimensions[k].parameter = i;
            layout->dimensions[k].has_parameter = true;
        }
    }
    layout->first_array = i;
    return good;
}

/* Returns an output's declared extent for a dimension that no input has, "m + n - 1"; else null. */
static const char *declared_extent(const struct parser *parser, const struct layout *layout, size_t dimension)
{
    const char *extent = NULL;
    for (size_t i = 0; i < layout->input_count + layout->output_count; i++) {
        const size_t parameter = layout->first_array + i;
        const struct operand_layout *operand = &layout->operands[i];
        for (size_t k = 0; k < operand->dimension_count; k++) {
            if (operand->dimensions[k] != dimension)
                continue;
            if (i < layout->input_count || parameter >= parser->function->parameter_count)
                return NULL;
            const struct type *type = &parser->function->parameters[parameter].type;
            if (k < type->dimension_count && !extent)
                extent = type->dimensions[k];
        }
    }
    return extent && *extent ? extent : NULL;
}

static bool has_size(void *data, const char *name, size_t length, int64_t *value)
{
    const struct layout *layout = data;
    const size_t k = find_named_dimension(layout, name, length);
    *value = 1; /* whatever it will be */
    return k < layout->dimension_count && layout->dimensions[k].has_parameter;
}

/* A dimension that is no parameter has an extent made of those that are. */
static bool find_extent(const struct parser *parser, struct layout *layout, size_t k)
{
    struct core_dimension *dimension = &layout->dimensions[k];
    dimension->extent = declared_extent(parser, layout, k);
    if (!dimension->extent) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, dimension->place, NULL,
                 "'%s' has no parameter 'size_t %s' for this core dimension", parser->function->name, dimension->name);
        note_function(parser);
    } else if (!extent_is_known(dimension->extent, has_size, layout)) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, dimension->place, NULL,
                 "the extent '%s' that '%s' declares for this core dimension is not made of numbers and of core "
                 "dimensions that are parameters",
                 dimension->extent, parser->function->name);
        note_function(parser);
        return false;
    }
    return dimension->extent;
}

static bool match_extents(const struct parser *parser, struct layout *layout)
{
    bool good = match_sizes(parser, layout);
    for (size_t k = 0; k < layout->dimension_count; k++) {
        const struct core_dimension *dimension = &layout->dimensions[k];
        if (dimension->is_optional && !dimension->has_parameter) {
            diagnose(parser->diagnostics, SEVERITY_ERROR, dimension->place, NULL,
                     "an optional core dimension must be a parameter of '%s'; it is 1 in calls that omit the dimension",
                     parser->function->name);
            good = false;
        } else if (dimension->name && !dimension->has_parameter) {
            good = find_extent(parser, layout, k) && good;
        }
    }
    return good;
}

static bool same_dimension(const struct core_dimension *dimension, const char *extent)
{
    char size[24];
    snprintf(size, sizeof size, "%zu", dimension->size);
    return !*extent || !strcmp(extent, dimension->extent ? dimension->extent
                                       : dimension->name ? dimension->name
                                                         : size);
}

static const char *layout_dimensions(const struct parser *parser, const struct layout *layout, size_t index)
{
    const struct operand_layout *operand = &layout->operands[index];
    struct text text = {.arena = parser->arena};
    text_append(&text, "", 0);
    for (size_t i = 0; i < operand->dimension_count; i++) {
        const struct core_dimension *dimension = &layout->dimensions[operand->dimensions[i]];
        if (dimension->name)
            text_printf(&text, "[%s]", dimension->extent ? dimension->extent : dimension->name);
        else
            text_printf(&text, "[%zu]", dimension->size);
    }
    return text.data;
}

/* The integer of a struct's alignment, of which an operand of structs consists; NONE for other operands. */
static enum dtype record_words(const struct type *type)
{
    if (type->kind != TYPE_POINTER || type->dtype != DTYPE_NONE || !type->record || !type->record->plain)
        return DTYPE_NONE;
    switch (type->record->align) {
    case 1: return DTYPE_uint8;
    case 2: return DTYPE_uint16;
    case 4: return DTYPE_uint32;
    case 8: return DTYPE_uint64;
    default: return DTYPE_NONE;
    }
}

/* The operand as the loops have it: structs are an innermost core dimension of integers. */
static const struct parameter *operand_of(const struct parser *parser, struct layout *layout, size_t index,
                                          const struct parameter *parameter)
{
    const enum dtype words = record_words(&parameter->type);
    if (words == DTYPE_NONE)
        return parameter;
    struct parameter *operand = arena_alloc(parser->arena, sizeof *operand);
    *operand = *parameter;
    operand->type.dtype = words;
    append_fixed_dimension(layout, index, parameter->type.element_size / dtype_size(words), parser->arena);
    layout->has_records = true;
    return operand;
}

static bool matches_layout(const struct layout *layout, size_t index, const struct type *type)
{
    const struct operand_layout *operand = &layout->operands[index];
    if (type->kind == TYPE_SCALAR && is_number(layout, index))
        return true;
    if (type->kind != TYPE_POINTER || (type->dtype == DTYPE_NONE && record_words(type) == DTYPE_NONE) ||
        type->dimension_count != operand->dimension_count)
        return false;
    for (size_t i = 0; i < operand->dimension_count; i++)
        if (!same_dimension(&layout->dimensions[operand->dimensions[i]], type->dimensions[i]))
            return false;
    return true;
}

static bool check_array(const struct parser *parser, const struct layout *layout, size_t index,
                        const struct parameter *parameter)
{
    bool output = index >= layout->input_count;
    const char *extents = layout_dimensions(parser, layout, index);
    const struct record *record = parameter->type.kind == TYPE_POINTER ? parameter->type.record : NULL;
    if (record && !record->plain) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
                 "%s '%s' is an array of '%s', which has a union, bit-fields or an alignment of its own: hosts may lay "
                 "it out differently",
                 output ? "output" : "input", parameter->name, record->spelling);
        return false;
    }
    if (!matches_layout(layout, index, &parameter->type)) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, layout->operands[index].place, NULL,
                 "the layout of %s '%s' does not match its declaration", output ? "output" : "input", parameter->name);
        diagnose(parser->diagnostics, SEVERITY_NOTE, parameter->place, NULL, "it asks for '%s%s%s%s' here",
                 output ? "T " : "const T ", *extents ? "" : "*", parameter->name, extents);
        return false;
    }
    if (parameter->type.kind == TYPE_POINTER && parameter->type.is_const == output) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
                 output ? "output '%s' must not be const" : "input '%s' must point to const", parameter->name);
        return false;
    }
    return true;
}

static bool match_arrays(const struct parser *parser, struct layout *layout)
{
    const struct function *function = parser->function;
    size_t operands = layout->input_count + layout->output_count;
    size_t arrays = function->parameter_count - layout->first_array;
    bool good = arrays == operands;
    if (!good) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, function->annotation_place, NULL,
                 "this layout has %zu operands, but '%s' takes %zu arrays", operands, function->name, arrays);
        note_function(parser);
    }
    for (size_t i = 0; i < operands && arrays == operands; i++) {
        const struct parameter *parameter = &function->parameters[layout->first_array + i];
        good = check_array(parser, layout, i, parameter) && good;
        add_operand(parser, good ? operand_of(parser, layout, i, parameter) : parameter, i >= layout->input_count);
    }
    return good;
}

static bool read_gufunc(const struct parser *parser)
{
    const struct function *function = parser->function;
    struct layout *layout = arena_alloc(parser->arena, sizeof *layout);
    if (!parse_layout(function->annotation, function->annotation_place, parser->arena, parser->diagnostics, layout))
        return false;
    parser->prototype->layout = layout;
    if (function->result.kind != TYPE_VOID) {
        diagnose(parser->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "'%s' returns '%s', but a guvectorize function writes its results into arrays: make it 'void'",
                 function->name, function->result.spelling);
        return false;
    }
    return match_extents(parser, layout) && match_arrays(parser, layout);
}

bool read_prototype(const struct function *function, struct arena *arena, struct diagnostics *diagnostics,
                    struct prototype *prototype)
{
    struct parser parser = {function, arena, diagnostics, prototype};
    *prototype = (struct prototype){0};
    return function->kind == FUNCTION_UFUNC ? read_ufunc(&parser) : read_gufunc(&parser);
}
