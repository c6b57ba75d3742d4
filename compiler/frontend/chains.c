/* Gufuncs, and reductions inside other calls, in fuse(name, expression).  Each is a step, which is computed once for
 * each call of the gufunc that the expression becomes; here core dimensions are found, and chain_text.c writes it. */
#include "frontend/fuse_internal.h"

#include <string.h>

static const struct shape number = {.kind = SHAPE_NUMBER};

/* ---- dimensions ---- */

size_t root_axis(const struct fused_chain *chain, size_t axis)
{
    while (chain->axes[axis].same_as != axis)
        axis = chain->axes[axis].same_as;
    return axis;
}

static size_t add_axis(struct parser *parser, const char *name)
{
    struct fused_chain *chain = &parser->chain;
    chain->axes = arena_grow(parser->parse->arena, chain->axes, chain->axis_count, sizeof *chain->axes);
    chain->axes[chain->axis_count] = (struct axis){chain->axis_count, name};
    return chain->axis_count++;
}

/* False if they are different numbers. */
static bool unite_axes(struct fused_chain *chain, size_t a, size_t b)
{
    a = root_axis(chain, a), b = root_axis(chain, b);
    const size_t root = a < b ? a : b, other = a < b ? b : a;
    const bool differ = is_extent(chain->axes[a].name) && is_extent(chain->axes[b].name) &&
                        strcmp(chain->axes[a].name, chain->axes[b].name) != 0;
    if (root == other || differ)
        return !differ;
    if (is_extent(chain->axes[other].name))
        chain->axes[root].name = chain->axes[other].name;
    chain->axes[other].same_as = root;
    return true;
}

static const char *shape_text(const struct parser *parser, const struct shape *shape)
{
    struct text text = {.arena = parser->parse->arena};
    text_printf(&text, "(");
    for (size_t k = 0; k < shape->axis_count; k++)
        text_printf(&text, "%s%s", k ? "," : "", parser->chain.axes[root_axis(&parser->chain, shape->axes[k])].name);
    text_printf(&text, ")");
    return text.data;
}

/* Makes the dimensions of two values the same; false if they cannot be. */
static bool unite_shapes(struct parser *parser, const struct shape *a, const struct shape *b)
{
    bool same = a->kind == b->kind && a->axis_count == b->axis_count;
    for (size_t k = 0; same && k < a->axis_count; k++)
        same = unite_axes(&parser->chain, a->axes[k], b->axes[k]);
    return same;
}

void join_shape(struct parser *parser, const char *at, struct shape *joined)
{
    const struct shape *shape = &parser->chain.shape;
    if (shape->kind == SHAPE_ARRAY && joined->kind == SHAPE_ARRAY && !unite_shapes(parser, joined, shape))
        FAIL(parser, at, name_length_at(at), "'%.*s' combines elements of %s and of %s", (int)name_length_at(at), at,
             shape_text(parser, joined), shape_text(parser, shape));
    if (shape->kind > joined->kind)
        *joined = *shape;
}

void settle_shape(struct parser *parser, const char *at, size_t first, const struct shape *joined)
{
    struct fused_chain *chain = &parser->chain;
    chain->shape = *joined;
    if (joined->kind == SHAPE_OPEN)
        return;
    for (size_t i = first; i < chain->open_count; i++) {
        struct parameter_use *use = &parser->parameters[chain->open[i]];
        const bool is_array = use->is_whole || use->shape.kind == SHAPE_ARRAY;
        if (is_array && joined->kind == SHAPE_ARRAY && !unite_shapes(parser, &use->shape, joined))
            FAIL(parser, at, name_length_at(at), "'%s' broadcasts to %s, and here to %s: each needs a parameter of its "
                                                 "own", use->name, shape_text(parser, &use->shape),
                 shape_text(parser, joined));
        chain->found_arrays |= use->shape.kind != SHAPE_OPEN && use->shape.kind != joined->kind;
        if (!is_array)
            use->shape = *joined;
    }
    chain->open_count = first;
}

/* Has the parameter be an array of these dimensions. */
static void be_whole(struct parser *parser, const char *at, size_t index, const struct shape *shape)
{
    struct parameter_use *use = &parser->parameters[index];
    if (use->is_whole && !unite_shapes(parser, &use->shape, shape))
        FAIL(parser, at, name_length_at(at), "'%s' has the dimensions %s, but %s here", use->name,
             shape_text(parser, &use->shape), shape_text(parser, shape));
    parser->chain.found_arrays |= !use->is_whole;
    use->is_whole = true;
    use->shape = *shape;
}

/* ---- elements ---- */

static void note_use(struct parser *parser, bool is_step, size_t index)
{
    struct element *element = &parser->chain.element;
    for (size_t i = 0; i < element->use_count; i++)
        if (element->uses[i].is_step == is_step && element->uses[i].index == index)
            return;
    element->uses = arena_grow(parser->parse->arena, element->uses, element->use_count, sizeof *element->uses);
    element->uses[element->use_count++] = (struct element_use){is_step, index};
}

void note_parameter(struct parser *parser, size_t index)
{
    struct fused_chain *chain = &parser->chain;
    note_use(parser, false, index);
    chain->shape = (struct shape){.kind = SHAPE_OPEN};
    if (parser->parameters[index].shape.kind == SHAPE_ARRAY) {
        chain->shape = parser->parameters[index].shape;
        return;
    }
    chain->open = arena_grow(parser->parse->arena, chain->open, chain->open_count, sizeof *chain->open);
    chain->open[chain->open_count++] = index;
}

/* The state of the element around what is read. */
struct outer {
    struct element element;
    struct text body;
    size_t *open;
    size_t open_count;
};

static struct outer begin_element(struct parser *parser)
{
    struct fused_chain *chain = &parser->chain;
    const struct outer outer = {chain->element, parser->body, chain->open, chain->open_count};
    chain->element = (struct element){0};
    chain->open = NULL;
    chain->open_count = 0;
    parser->body = (struct text){.arena = parser->parse->arena};
    text_append(&parser->body, "", 0);
    return outer;
}

static struct element end_element(struct parser *parser, const struct outer *outer)
{
    struct fused_chain *chain = &parser->chain;
    struct element element = chain->element;
    element.body = parser->body.data;
    element.shape = chain->shape;
    chain->element = outer->element;
    chain->open = outer->open;
    chain->open_count = outer->open_count;
    parser->body = outer->body;
    return element;
}

/* ---- steps ---- */

/* The index of the step, or of an earlier one that computes the same. */
static size_t add_step(struct parser *parser, const struct step *step)
{
    struct fused_chain *chain = &parser->chain;
    for (size_t i = 0; i < chain->step_count; i++)
        if (!strcmp(chain->steps[i].key, step->key))
            return i;
    chain->steps = arena_grow(parser->parse->arena, chain->steps, chain->step_count, sizeof *chain->steps);
    chain->steps[chain->step_count] = *step;
    return chain->step_count++;
}

/* Puts the step's value into the expression. */
static void use_step(struct parser *parser, const struct step *step, const struct type *wanted,
                     const struct function *by, struct type *made)
{
    const size_t index = add_step(parser, step);
    if (wanted && !same_fused_type(wanted, &step->type))
        FAIL_AT(parser, step->place, "'%s' returns '%s', but '%s' takes '%s' here", step->function->name,
                fused_type_text(&step->type), by->name, fused_type_text(wanted));
    text_printf(&parser->body, "gpucc_step%zu", index);
    note_use(parser, true, index);
    parser->chain.shape = step->shape;
    if (made)
        *made = step->type;
}

static bool is_floating(const struct parser *parser, const struct type *type)
{
    const struct typevar *typevar = type->variable ? find_typevar(parser->parse->unit, type->variable) : NULL;
    const enum dtype *dtypes = typevar ? typevar->dtypes : &type->dtype;
    bool is = false;
    for (size_t i = 0; i < (typevar ? typevar->dtype_count : 1); i++)
        is = is || strchr("fc", dtype_kind(dtypes[i]));
    return is;
}

/* The step of a reduction of that element. */
static struct step reduction(struct parser *parser, const char *at, const struct function *by, struct element element)
{
    const size_t length = name_length_at(at);
    const bool needs_identity = by->reorderable_place.file && is_floating(parser, &by->result);
    if (needs_identity && !identity_in_c(parser, by))
        FAIL(parser, at, length, "'%s' needs 'identity(…)', from which it combines numbers inside an expression",
             by->name);
    if (element.shape.axis_count > 1)
        FAIL(parser, at, length, "'%.*s' combines elements along one dimension, but here are %s", (int)length, at,
             shape_text(parser, &element.shape));
    return (struct step){.kind = STEP_REDUCTION, .function = by, .element = element, .type = by->result,
                         .shape = number, .place = place_at(parser, at, length),
                         .key = arena_printf(parser->parse->arena, "reduce(%s, %s)", by->name, element.body)};
}

/* The first parameter of the element; SIZE_MAX if it has none. */
static size_t first_parameter(const struct element *element)
{
    for (size_t i = 0; i < element->use_count; i++)
        if (!element->uses[i].is_step)
            return element->uses[i].index;
    return SIZE_MAX;
}

/* Ends the element that a reduction combines: its first parameter is an array if nothing else says what is. */
static void settle_element(struct parser *parser, const char *at)
{
    struct fused_chain *chain = &parser->chain;
    struct shape shape = chain->shape;
    const size_t first = first_parameter(&chain->element);
    if (parser->failed)
        return;
    if (shape.kind != SHAPE_ARRAY && first == SIZE_MAX)
        FAIL(parser, at, name_length_at(at), "'%.*s' combines elements, but no parameter has any here",
             (int)name_length_at(at), at);
    if (shape.kind != SHAPE_ARRAY && !parser->failed) {
        size_t *axes = arena_alloc(parser->parse->arena, sizeof *axes);
        axes[0] = add_axis(parser, "n");
        shape = (struct shape){SHAPE_ARRAY, axes, 1};
        if (chain->reading > 1) /* then it is known what gufuncs take */
            be_whole(parser, at, first, &shape);
        chain->found_arrays = true;
    }
    settle_shape(parser, at, 0, &shape);
}

/* Notes that the expression has steps. */
static void begin_step(struct parser *parser, const char *at)
{
    parser->chain.exists = true;
    if (parser->product.exists)
        FAIL(parser, at, name_length_at(at), "a fused function with 'matmul' has no other gufunc and no 'reduce'");
}

/* Ends the element that `combining` reduces, and puts the result into the expression around it. */
static void end_step(struct parser *parser, const char *at, const struct function *combining, const struct outer *outer,
                     const struct type *wanted, const struct function *by, struct type *made)
{
    settle_element(parser, at);
    const struct element element = end_element(parser, outer);
    if (parser->failed)
        return;
    const struct step step = reduction(parser, at, combining, element);
    use_step(parser, &step, wanted, by, made);
}

void read_reduction(struct parser *parser, const char *name, const struct type *wanted, const struct function *by,
                    struct type *made)
{
    begin_step(parser, name);
    const struct function *combining = read_reducer(parser);
    if (!combining)
        return;
    const struct outer outer = begin_element(parser);
    read_argument(parser, &combining->result, combining);
    skip_spaces(parser);
    if (!parser->failed && *parser->at != ')')
        FAIL(parser, parser->at, 1, "here stands ')'");
    parser->at++;
    end_step(parser, name, combining, &outer, wanted, by, made);
}

void read_fused_reduction(struct parser *parser, const char *name, const struct function *function,
                          const struct type *wanted, const struct function *by, struct type *made)
{
    begin_step(parser, name);
    const struct function *combining = find_ufunc(parser->parse->unit, function->by, strlen(function->by));
    const struct outer outer = begin_element(parser);
    text_printf(&parser->body, "%s(", function->name);
    parser->at++;
    read_arguments(parser, name, function);
    parser->at++;
    text_printf(&parser->body, ")");
    end_step(parser, name, combining, &outer, wanted, by, made);
}

void end_reduction(struct parser *parser, const char *at)
{
    const struct outer none = {.body = {.arena = parser->parse->arena}};
    end_step(parser, at, parser->by, &none, NULL, NULL, NULL);
    parser->by = NULL;
}

/* ---- gufuncs ---- */

/* The dimensions of one operand, in this call. */
static struct shape shape_of_core(struct parser *parser, const struct core *core, const size_t *axes,
                                  const struct function *function)
{
    struct shape shape = {.kind = core->count ? SHAPE_ARRAY : SHAPE_NUMBER, .axis_count = core->count};
    size_t *own = arena_alloc(parser->parse->arena, (core->count + 1) * sizeof *own);
    for (size_t k = 0; k < core->count; k++) {
        own[k] = SIZE_MAX;
        for (size_t i = 0; i < function->parameter_count; i++)
            if (axes[i] != SIZE_MAX && !strcmp(function->parameters[i].name, core->dimensions[k]))
                own[k] = axes[i];
        if (own[k] == SIZE_MAX)
            own[k] = add_axis(parser, core->dimensions[k]);
    }
    shape.axes = own;
    return shape;
}

/* An axis for each parameter that is a core dimension, SIZE_MAX for others. */
static size_t *axes_of_call(struct parser *parser, const struct function *function, size_t size_count)
{
    size_t *axes = arena_alloc(parser->parse->arena, (function->parameter_count + 1) * sizeof *axes);
    for (size_t i = 0; i < function->parameter_count; i++)
        axes[i] = i < size_count ? add_axis(parser, function->parameters[i].name) : SIZE_MAX;
    return axes;
}

/* Whether calls of the gufunc can be written; reports it if not. */
static bool can_call(struct parser *parser, const char *at, const struct function *function, const struct core *cores,
                     size_t input_count, size_t operand_count)
{
    const size_t length = strlen(function->name), size_count = function->parameter_count - operand_count;
    if (function->tiles || function->cooperative_place.file)
        FAIL(parser, at, length, "'%s' uses a block of threads by itself: 'fuse' takes other gufuncs", function->name);
    else if (operand_count != input_count + 1)
        FAIL(parser, at, length, "'%s' has %zu outputs: 'fuse' takes gufuncs with one", function->name,
             operand_count - input_count);
    for (size_t i = 0; i < operand_count && !parser->failed; i++)
        for (size_t k = 0; k < cores[i].count; k++) {
            bool is_known = is_extent(cores[i].dimensions[k]);
            for (size_t p = 0; p < size_count; p++)
                is_known |= !strcmp(function->parameters[p].name, cores[i].dimensions[k]);
            if (!is_known)
                FAIL(parser, at, length, "'%s' has the core dimension '%s': 'fuse' takes numbers and parameters",
                     function->name, cores[i].dimensions[k]);
        }
    return !parser->failed;
}

/* An array: a parameter. */
static struct element_use read_array(struct parser *parser, const struct function *function, const struct type *type,
                                     const struct shape *shape)
{
    const char *name = parser->at;
    const size_t length = name_length_at(name);
    const struct type element = {.kind = TYPE_SCALAR, .dtype = type->dtype, .variable = type->variable};
    struct element_use use = {0};
    parser->at += length;
    skip_spaces(parser);
    if (!length || *parser->at == '(') {
        FAIL(parser, name, length ? length : 1,
             "'%s' reads an array here, which must be a parameter; 'reduce' combines elements of an expression",
             function->name);
        return use;
    }
    const struct outer outer = begin_element(parser);
    use_parameter(parser, name, length, &element, function);
    use.index = parser->chain.element.uses[0].index;
    (void)end_element(parser, &outer);
    if (!parser->failed)
        be_whole(parser, name, use.index, shape);
    return use;
}

/* A number: a step of its own. */
static struct element_use read_number(struct parser *parser, const struct function *function, const struct type *type)
{
    const char *at = parser->at;
    const struct type wanted = {.kind = TYPE_SCALAR, .dtype = type->dtype, .variable = type->variable};
    const struct outer outer = begin_element(parser);
    read_argument(parser, &wanted, function);
    struct shape shape = parser->chain.shape;
    if (shape.kind == SHAPE_ARRAY)
        FAIL(parser, at, name_length_at(at), "'%s' takes one number here, not elements of %s", function->name,
             shape_text(parser, &shape));
    else
        settle_shape(parser, at, 0, &number);
    const struct element element = end_element(parser, &outer);
    const struct step step = {.kind = STEP_NUMBER, .function = function, .element = element, .type = wanted,
                              .shape = number, .place = place_at(parser, at, 1),
                              .key = arena_printf(parser->parse->arena, "number %s %s", fused_type_text(&wanted),
                                                  element.body)};
    return (struct element_use){true, parser->failed ? 0 : add_step(parser, &step)};
}

static void read_operands(struct parser *parser, const char *name, struct step *step, const struct core *cores,
                          size_t input_count, const size_t *axes)
{
    const struct function *function = step->function;
    const size_t size_count = function->parameter_count - input_count - 1;
    step->arguments = arena_alloc(parser->parse->arena, (input_count + 1) * sizeof *step->arguments);
    parser->at++;
    skip_spaces(parser);
    while (!parser->failed && *parser->at != ')') {
        if (step->argument_count == input_count) {
            report_count(parser, name, function, input_count, input_count + 1);
            return;
        }
        const struct core *core = &cores[step->argument_count];
        const struct type *type = &function->parameters[size_count + step->argument_count].type;
        const struct shape shape = shape_of_core(parser, core, axes, function);
        step->arguments[step->argument_count++] =
            core->count ? read_array(parser, function, type, &shape) : read_number(parser, function, type);
        skip_spaces(parser);
        if (*parser->at == ',')
            parser->at++, skip_spaces(parser);
        else if (!parser->failed && *parser->at != ')')
            FAIL(parser, parser->at, 1, "expected ',' or ')'");
    }
    if (!parser->failed && step->argument_count != input_count)
        report_count(parser, name, function, input_count, step->argument_count);
    parser->at++;
}

void read_gufunc(struct parser *parser, const char *name, const struct function *function, const struct type *wanted,
                 const struct function *by, struct type *made)
{
    struct arena *arena = parser->parse->arena;
    struct core *cores = NULL;
    size_t operand_count;
    const size_t input_count = read_cores(arena, function->annotation, &cores, &operand_count);
    begin_step(parser, name);
    if (function->parameter_count < operand_count || !operand_count) { /* its own error is reported with it */
        parser->failed = true;
        return;
    }
    if (!can_call(parser, name, function, cores, input_count, operand_count))
        return;
    const size_t *axes = axes_of_call(parser, function, function->parameter_count - operand_count);
    const struct type *result = &function->parameters[function->parameter_count - 1].type;
    struct step step = {.kind = STEP_GUFUNC, .function = function,
                        .place = place_at(parser, name, strlen(function->name)),
                        .type = {.kind = TYPE_SCALAR, .dtype = result->dtype, .variable = result->variable},
                        .shape = shape_of_core(parser, &cores[input_count], axes, function)};
    const char *at = parser->at;
    read_operands(parser, name, &step, cores, input_count, axes);
    if (parser->failed)
        return;
    step.key = arena_printf(arena, "%s%.*s", function->name, (int)(parser->at - at), at);
    use_step(parser, &step, wanted, by, made);
}

/* ---- the expression ---- */

void begin_reading(struct parser *parser)
{
    struct fused_chain *chain = &parser->chain;
    for (size_t i = 0; i < parser->parameter_count; i++) {
        struct parameter_use *use = &parser->parameters[i];
        if (!use->is_whole && (use->shape.kind != SHAPE_ARRAY || chain->reading == 1))
            use->shape = (struct shape){0};
    }
    chain->steps = NULL;
    chain->open = NULL;
    chain->element = (struct element){0};
    chain->step_count = chain->open_count = 0;
    chain->found_arrays = false;
    chain->reading++;
    parser->product = (struct product){0};
    parser->by = NULL;
    parser->at = parser->fuse->expression;
    parser->body = (struct text){.arena = parser->parse->arena};
    text_append(&parser->body, "", 0);
}
