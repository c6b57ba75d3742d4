/* The C text of a fused function with steps (chains.c): a gufunc of plain loops, which threads and SIMD code share as
 * they do those of any other gufunc.  Its functions have names without "gpucc_", which is the library's. */
#include "frontend/fuse_internal.h"

#include <string.h>

/* ---- names ---- */

static const char *output_name(const struct parser *parser)
{
    return fused_output_name(parser, "result");
}

/* Whether a parameter has the dimension; others are left from earlier readings. */
static bool is_used(const struct parser *parser, size_t root)
{
    for (size_t i = 0; i < parser->parameter_count; i++)
        for (size_t k = 0; k < parser->parameters[i].shape.axis_count; k++)
            if (root_axis(&parser->chain, parser->parameters[i].shape.axes[k]) == root)
                return true;
    return false;
}

/* The size_t of a dimension, or its number: the layout's name where no earlier dimension has it. */
static const char *axis_name(const struct parser *parser, size_t axis)
{
    const struct fused_chain *chain = &parser->chain;
    const size_t root = root_axis(chain, axis);
    const char *name = chain->axes[root].name;
    size_t earlier = 0;
    for (size_t i = 0; i < root; i++)
        earlier += root_axis(chain, i) == i && !strcmp(chain->axes[i].name, name) && is_used(parser, i);
    return earlier && !is_extent(name) ? arena_printf(parser->parse->arena, "%s_%zu", name, earlier) : name;
}

/* The extent of a dimension of a parameter that broadcasts. */
static const char *extent_name(const struct parser *parser, const struct parameter_use *use, size_t k)
{
    return arena_printf(parser->parse->arena, "%s_%s", use->name, axis_name(parser, use->shape.axes[k]));
}

static bool is_array(const struct parameter_use *use)
{
    return use->shape.kind == SHAPE_ARRAY;
}

/* ---- the layout ---- */

static void write_shape(const struct parser *parser, struct text *text, const struct parameter_use *use,
                        const struct shape *shape)
{
    text_printf(text, "(");
    for (size_t k = 0; k < shape->axis_count; k++) {
        const char *axis = axis_name(parser, shape->axes[k]);
        text_printf(text, "%s", k ? "," : "");
        if (use && !use->is_whole)
            text_printf(text, "%s:%s", extent_name(parser, use, k), axis);
        else
            text_printf(text, "%s", axis);
    }
    text_printf(text, ")");
}

static const char *layout_of(const struct parser *parser)
{
    struct text text = {.arena = parser->parse->arena};
    for (size_t i = 0; i < parser->parameter_count; i++) {
        text_printf(&text, i ? "," : "");
        write_shape(parser, &text, &parser->parameters[i], &parser->parameters[i].shape);
    }
    text_printf(&text, "->");
    write_shape(parser, &text, NULL, &parser->chain.element.shape);
    return text.data;
}

static void add_size(struct text *text, struct function *made, const struct parser *parser, const char *name)
{
    const struct type type = {.kind = TYPE_SCALAR, .dtype = DTYPE_NONE};
    if (is_extent(name))
        return;
    for (size_t i = 0; i < made->parameter_count; i++)
        if (!strcmp(made->parameters[i].name, name))
            return;
    text_printf(text, "%s__SIZE_TYPE__ %s", made->parameter_count ? ", " : "", name);
    made->parameters = arena_grow(parser->parse->arena, made->parameters, made->parameter_count,
                                  sizeof *made->parameters);
    made->parameters[made->parameter_count++] = (struct parameter){name, type, parser->fuse->place};
}

/* The sizes, then the inputs: "size_t n, const T gpucc_x[n], T gpucc_eps". */
static void write_inputs(struct text *text, struct function *made, const struct parser *parser)
{
    struct arena *arena = parser->parse->arena;
    for (unsigned broadcasts = 0; broadcasts < 2; broadcasts++)
        for (size_t i = 0; i < parser->parameter_count; i++) {
            const struct parameter_use *use = &parser->parameters[i];
            for (size_t k = 0; k < use->shape.axis_count; k++)
                add_size(text, made, parser, broadcasts && !use->is_whole ? extent_name(parser, use, k)
                                                                          : axis_name(parser, use->shape.axes[k]));
        }
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        struct type type = use->type;
        text_printf(text, "%s%s%s gpucc_%s", made->parameter_count ? ", " : "", is_array(use) ? "const " : "",
                    fused_type(&use->type), use->name);
        for (size_t k = 0; k < use->shape.axis_count; k++)
            text_printf(text, "[%s]", use->is_whole ? axis_name(parser, use->shape.axes[k])
                                                    : extent_name(parser, use, k));
        type.kind = is_array(use) ? TYPE_POINTER : TYPE_SCALAR;
        type.is_const = is_array(use);
        made->parameters = arena_grow(arena, made->parameters, made->parameter_count, sizeof *made->parameters);
        made->parameters[made->parameter_count++] = (struct parameter){use->name, type, use->place};
    }
}

/* ---- elements ---- */

static const struct step *array_step(const struct parser *parser, const struct element_use *use)
{
    const struct step *step = use->is_step ? &parser->chain.steps[use->index] : NULL;
    return step && step->shape.kind == SHAPE_ARRAY ? step : NULL;
}

static const struct type *type_of_use(const struct parser *parser, const struct element_use *use)
{
    return use->is_step ? &parser->chain.steps[use->index].type : &parser->parameters[use->index].type;
}

static const char *name_of_use(const struct parser *parser, const struct element_use *use)
{
    struct arena *arena = parser->parse->arena;
    return use->is_step ? arena_printf(arena, "gpucc_step%zu", use->index)
                        : arena_printf(arena, "gpucc_%s", parser->parameters[use->index].name);
}

/* static T gpuccelementI_NAME(T gpucc_x, T gpucc_step0) { return …; } */
static void write_element_function(const struct parser *parser, struct text *text, const struct element *element,
                                   size_t number, const struct type *result)
{
    text_printf(text, "static inline __attribute__((always_inline)) %s gpuccelement%zu_%s(", fused_type(result), number,
                parser->fuse->name);
    for (size_t i = 0; i < element->use_count; i++)
        text_printf(text, "%s%s %s", i ? ", " : "", fused_type(type_of_use(parser, &element->uses[i])),
                    name_of_use(parser, &element->uses[i]));
    text_printf(text, "%s) { return %s; }\n", element->use_count ? "" : "void", element->body);
}

/* The value at gpucc_0, gpucc_1, …, or at the number `at` if there is one. */
static void write_value(const struct parser *parser, struct text *text, const struct element_use *use, const char *at)
{
    const struct parameter_use *parameter = use->is_step ? NULL : &parser->parameters[use->index];
    const struct step *step = array_step(parser, use);
    const struct shape *shape = step ? &step->shape : parameter ? &parameter->shape : NULL;
    text_printf(text, "%s", step ? arena_printf(text->arena, "gpucc_%s", output_name(parser))
                                 : name_of_use(parser, use));
    for (size_t k = 0; shape && k < shape->axis_count; k++) {
        const char *index = at ? at : arena_printf(text->arena, "gpucc_%zu", k);
        if (step || parameter->is_whole)
            text_printf(text, "[%s]", index);
        else
            text_printf(text, "[%s > 1 ? %s : 0]", extent_name(parser, parameter, k), index);
    }
}

static void write_element_call(const struct parser *parser, struct text *text, const struct element *element,
                               size_t number, const char *at)
{
    text_printf(text, "gpuccelement%zu_%s(", number, parser->fuse->name);
    for (size_t i = 0; i < element->use_count; i++) {
        text_printf(text, i ? ", " : "");
        write_value(parser, text, &element->uses[i], at);
    }
    text_printf(text, ")");
}

/* ---- steps ---- */

/* A reorderable reduction begins with the identity, which the tree leaves out, and where nothing changes by combining a
 * value with itself, as in a maximum, with the first element: NaN alone stays NaN.  Others go from the first element
 * on, as they do without fusion. */
static void write_reduction_body(const struct parser *parser, struct text *text, const struct step *step, size_t number)
{
    const char *const n = axis_name(parser, step->element.shape.axes[0]);
    const char *const by = step->function->name, *const type = fused_type(&step->type);
    const char *const identity = identity_in_c(parser, step->function);
    const bool in_tree = identity && step->function->reorderable_place.file;
    text_printf(text, "{ %s gpucc_value = (%s)%s; if (%s", type, type, identity ? identity : "0", n);
    if (in_tree)
        text_printf(text, " && %s((%s)3, (%s)3) == (%s)3 && %s((%s)1, (%s)1) == (%s)1", by, type, type, type, by, type,
                    type, type);
    text_printf(text, ") gpucc_value = ");
    write_element_call(parser, text, &step->element, number, "0");
    text_printf(text, "; for (__SIZE_TYPE__ gpucc_0 = %d; gpucc_0 < %s; gpucc_0++) gpucc_value = %s(gpucc_value, ",
                in_tree ? 0 : 1, n, by);
    write_element_call(parser, text, &step->element, number, NULL);
    text_printf(text, "); return gpucc_value; }\n");
}

/* static T gpuccreduceI_NAME(size_t n, const T gpucc_x[n], …, T gpucc_step0, …) */
static void write_reduction(const struct parser *parser, struct text *text, size_t number)
{
    const struct step *step = &parser->chain.steps[number];
    struct function made = {0};
    write_element_function(parser, text, &step->element, number, &step->type);
    text_printf(text, "static inline %s " REDUCTION_PREFIX "%zu_%s(", fused_type(&step->type), number,
                parser->fuse->name);
    write_inputs(text, &made, parser);
    for (size_t i = 0; i < step->element.use_count; i++)
        if (step->element.uses[i].is_step)
            text_printf(text, ", %s %s", fused_type(type_of_use(parser, &step->element.uses[i])),
                        name_of_use(parser, &step->element.uses[i]));
    text_printf(text, ")\n");
    write_reduction_body(parser, text, step, number);
}

static void write_reduction_call(const struct parser *parser, struct text *text, const struct function *made,
                                 size_t number)
{
    const struct step *step = &parser->chain.steps[number];
    const size_t size_count = made->parameter_count - parser->parameter_count;
    text_printf(text, "const %s gpucc_step%zu = " REDUCTION_PREFIX "%zu_%s(", fused_type(&step->type), number, number,
                parser->fuse->name);
    for (size_t i = 0; i < made->parameter_count; i++)
        text_printf(text, "%s%s%s", i ? ", " : "", i < size_count ? "" : "gpucc_", made->parameters[i].name);
    for (size_t i = 0; i < step->element.use_count; i++)
        if (step->element.uses[i].is_step)
            text_printf(text, ", %s", name_of_use(parser, &step->element.uses[i]));
    text_printf(text, ");\n");
}

/* The dimension that a size_t of the gufunc is in this call of it: that of the operand that has it. */
static const char *size_in_call(const struct parser *parser, const struct step *step, const struct core *cores,
                                const char *size)
{
    for (size_t i = 0; i <= step->argument_count; i++)
        for (size_t k = 0; k < cores[i].count; k++) {
            if (strcmp(cores[i].dimensions[k], size) != 0)
                continue;
            const struct shape *shape = i == step->argument_count ? &step->shape
                                                                  : &parser->parameters[step->arguments[i].index].shape;
            return axis_name(parser, shape->axes[k]);
        }
    return "0";
}

static void write_gufunc_call(const struct parser *parser, struct text *text, size_t number)
{
    const struct step *step = &parser->chain.steps[number];
    const struct function *function = step->function;
    const size_t size_count = function->parameter_count - step->argument_count - 1;
    struct core *cores = NULL;
    size_t count;
    (void)read_cores(text->arena, function->annotation, &cores, &count);
    if (step->shape.kind != SHAPE_ARRAY)
        text_printf(text, "%s gpucc_step%zu; ", fused_type(&step->type), number);
    text_printf(text, "%s(", function->name);
    for (size_t i = 0; i < size_count; i++)
        text_printf(text, "%s, ", size_in_call(parser, step, cores, function->parameters[i].name));
    for (size_t i = 0; i < step->argument_count; i++) {
        const bool is_pointer = function->parameters[size_count + i].type.kind == TYPE_POINTER;
        text_printf(text, "%s%s, ", step->arguments[i].is_step && is_pointer ? "&" : "",
                    name_of_use(parser, &step->arguments[i]));
    }
    if (step->shape.kind == SHAPE_ARRAY)
        text_printf(text, "gpucc_%s);\n", output_name(parser));
    else
        text_printf(text, "&gpucc_step%zu);\n", number);
}

static void write_step(const struct parser *parser, struct text *text, const struct function *made, size_t number)
{
    const struct step *step = &parser->chain.steps[number];
    switch (step->kind) {
    case STEP_REDUCTION: write_reduction_call(parser, text, made, number); break;
    case STEP_GUFUNC: write_gufunc_call(parser, text, number); break;
    case STEP_NUMBER:
        text_printf(text, "const %s gpucc_step%zu = ", fused_type(&step->type), number);
        write_element_call(parser, text, &step->element, number, NULL);
        text_printf(text, ";\n");
        break;
    }
}

/* ---- checks ---- */

/* An array that a gufunc returns must be the output's, which the elements are then made of in place. */
static void check_arrays(struct parser *parser, const struct type *made)
{
    const struct fused_chain *chain = &parser->chain;
    const struct step *found = NULL;
    for (size_t i = 0; i < chain->step_count; i++) {
        const struct step *step = &chain->steps[i];
        bool is_inside = step->shape.kind == SHAPE_ARRAY && (found || !same_fused_type(&step->type, made));
        for (size_t k = 0; k < step->element.use_count; k++)
            is_inside = is_inside || array_step(parser, &step->element.uses[k]);
        if (step->shape.kind == SHAPE_ARRAY)
            found = step;
        if (is_inside) {
            const struct step *refused = found ? found : step;
            FAIL_AT(parser, refused->place,
                    "'%s' returns an array, for which this expression has no place: it may return one, of the type of "
                    "the result, to the ufuncs around it", refused->function->name);
        }
    }
}

/* Whether sums and products follow the tree: they do in all steps or in none. */
static bool is_reorderable(struct parser *parser)
{
    const struct fused_chain *chain = &parser->chain;
    const struct step *in_tree = NULL, *in_order = NULL;
    for (size_t i = 0; i < chain->step_count; i++) {
        const struct step *step = &chain->steps[i];
        if (step->kind == STEP_NUMBER)
            continue;
        if (step->function->reorderable_place.file)
            in_tree = step;
        else
            in_order = step;
    }
    if (in_tree && in_order)
        FAIL_AT(parser, in_order->place,
                "'%s' is not 'reorderable', but '%s' is: all that an expression combines follows one order",
                in_order->function->name, in_tree->function->name);
    return in_tree;
}

/* ---- the function ---- */

static void write_loops(const struct parser *parser, struct text *text)
{
    const struct fused_chain *chain = &parser->chain;
    const struct shape *shape = &chain->element.shape;
    for (size_t k = 0; k < shape->axis_count; k++)
        text_printf(text, "for (__SIZE_TYPE__ gpucc_%zu = 0; gpucc_%zu < %s; gpucc_%zu++) ", k, k,
                    axis_name(parser, shape->axes[k]), k);
    text_printf(text, "%sgpucc_%s", shape->axis_count ? "" : "*", output_name(parser));
    for (size_t k = 0; k < shape->axis_count; k++)
        text_printf(text, "[gpucc_%zu]", k);
    text_printf(text, " = ");
    write_element_call(parser, text, &chain->element, chain->step_count, NULL);
    text_printf(text, "; }\n");
}

static void write_definition(const struct parser *parser, struct text *text, const struct type *made,
                             struct function *function)
{
    const struct fused_chain *chain = &parser->chain;
    struct type output = *made;
    write_line(text, &parser->fuse->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.guvectorize %s\")%s)) void %s(", function->annotation,
                function->reorderable_place.file ? ", annotate(\"gpucc.reorderable\")" : "", parser->fuse->name);
    write_inputs(text, function, parser);
    text_printf(text, ", %s %sgpucc_%s", fused_type(made), chain->element.shape.axis_count ? "" : "*",
                output_name(parser));
    for (size_t k = 0; k < chain->element.shape.axis_count; k++)
        text_printf(text, "[%s]", axis_name(parser, chain->element.shape.axes[k]));
    text_printf(text, ") {\n");
    for (size_t i = 0; i < chain->step_count; i++)
        write_step(parser, text, function, i);
    write_loops(parser, text);
    output.kind = TYPE_POINTER;
    function->parameters = arena_grow(parser->parse->arena, function->parameters, function->parameter_count,
                                      sizeof *function->parameters);
    function->parameters[function->parameter_count++] =
        (struct parameter){output_name(parser), output, parser->fuse->place};
}

struct function write_chain(struct parser *parser, struct text *text, const struct type *made)
{
    struct fused_chain *chain = &parser->chain;
    struct function function = {.kind = FUNCTION_GUFUNC, .name = parser->fuse->name, .place = parser->fuse->place};
    chain->element.body = parser->body.data;
    chain->element.shape = chain->shape;
    check_arrays(parser, made);
    if (is_reorderable(parser))
        function.reorderable_place = parser->fuse->place;
    if (parser->failed)
        return function;
    function.annotation = layout_of(parser);
    write_line(text, &parser->fuse->place);
    for (size_t i = 0; i < chain->step_count; i++) {
        if (chain->steps[i].kind == STEP_REDUCTION)
            write_reduction(parser, text, i);
        else if (chain->steps[i].kind == STEP_NUMBER)
            write_element_function(parser, text, &chain->steps[i].element, i, &chain->steps[i].type);
    }
    write_element_function(parser, text, &chain->element, chain->step_count, made);
    write_definition(parser, text, made, &function);
    return function;
}
