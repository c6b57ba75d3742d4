/* gradient(name, f), tangent(name, f) and adjoint(name, f): checked against the ufunc f, and written as C text behind
 * the source: a ufunc around a static function, whose body compiler/derive/ replaces.  derivative(d0, …): checked and
 * written as a static function that calls f and the functions of its partial derivatives. */
#include "frontend/derivatives_internal.h"

#include <string.h>

static const char *const statement_names[] = {"fuse", "gradient", "tangent", "adjoint"};

const char *fuse_kind_name(enum fuse_kind kind)
{
    return statement_names[kind];
}

bool has_derivatives(const struct unit *unit)
{
    for (size_t i = 0; i < unit->fuse_count; i++)
        if (unit->fuses[i].kind != FUSE_EXPRESSION)
            return true;
    return false;
}

/* ---- checks ---- */

static bool is_real(enum dtype dtype)
{
    return dtype_kind(dtype) == 'f' && !dtype_is_stored(dtype);
}

/* Whether derivatives by it exist.  Types of one variable are alike after check_types(). */
static bool is_number(const struct unit *unit, const struct type *type)
{
    const struct typevar *typevar = type->variable ? find_typevar(unit, type->variable) : NULL;
    return is_real(typevar ? typevar->dtypes[0] : type->dtype);
}

struct place place_of_statement(const struct fuse *statement)
{
    struct place place = statement->start;
    const char *name = skip_space(statement->expression);
    if (statement->is_in_source)
        place = place_in_text(statement->expression, name, place);
    place.length = (unsigned)strlen(statement->is_in_source ? name : statement_names[statement->kind]);
    return place;
}

const char *statement_name(const struct derivation *derivation)
{
    return statement_names[derivation->statement->kind];
}

bool has_derivative(const struct derivation *derivation, const struct type *type)
{
    return is_number(derivation->parse->unit, type);
}

/* The types of an operand: no complex ones, and no integers among numbers. */
bool check_types(const struct derivation *derivation, const struct type *type)
{
    const struct typevar *typevar = type->variable ? find_typevar(derivation->parse->unit, type->variable) : NULL;
    const enum dtype *dtypes = typevar ? typevar->dtypes : &type->dtype;
    const size_t count = typevar ? typevar->dtype_count : 1;
    for (size_t i = 0; i < count; i++) {
        if (dtype_kind(dtypes[i]) == 'c')
            return REFUSE(derivation, "'%s' has operands of %s: complex functions cannot be derived",
                          derivation->of->name, dtype_name(dtypes[i]));
        if (is_real(dtypes[i]) != is_real(dtypes[0]))
            return REFUSE(derivation, "'%s' has loops of %s and of %s: only floating-point types have derivatives",
                          derivation->of->name, dtype_name(dtypes[0]), dtype_name(dtypes[i]));
    }
    return true;
}

static bool check_counts(const struct derivation *derivation)
{
    const char *name = derivation->of->name;
    if (!derivation->number_count)
        return REFUSE(derivation, "'%s' has no floating-point input to be derived by", name);
    if (derivation->statement->kind == FUSE_GRADIENT && derivation->output_count != 1)
        return REFUSE(derivation, "'%s' has %zu outputs, and a gradient is of one: use 'adjoint' or 'tangent'", name,
                      derivation->output_count);
    return true;
}

static const struct function *find_function(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (!strcmp(unit->functions[i].name, name))
            return &unit->functions[i];
    return NULL;
}

/* Whether it is a float8 type. */
static bool is_stored(const struct derivation *derivation, const struct type *type)
{
    const struct typevar *typevar = type->variable ? find_typevar(derivation->parse->unit, type->variable) : NULL;
    return dtype_is_stored(typevar ? typevar->dtypes[0] : type->dtype);
}

/* Fills in what f is; false after reporting that it cannot be derived. */
static bool describe(struct derivation *derivation)
{
    const struct unit *unit = derivation->parse->unit;
    const char *name = skip_space(derivation->statement->expression);
    const struct function *of = derivation->of = find_function(unit, name);
    if (of && of->kind == FUNCTION_GUFUNC && derivation->statement->kind != FUSE_GRADIENT)
        return describe_gufunc(derivation);
    if (of && of->kind == FUNCTION_KERNEL && derivation->statement->kind == FUSE_ADJOINT)
        return describe_kernel(derivation);
    if (of && of->kind == FUNCTION_KERNEL)
        return REFUSE(derivation, "'%s' is a kernel: '%s' applies to ufuncs, and 'adjoint' to both", name,
                      statement_name(derivation));
    if (of && of->kind == FUNCTION_GUFUNC)
        return REFUSE(derivation, "'%s' is a gufunc: 'gradient' applies to ufuncs, 'adjoint' and 'tangent' to both",
                      name);
    if (!of || of->kind != FUNCTION_UFUNC)
        return REFUSE(derivation, of ? "'%s' is not a ufunc: '%s' applies to functions with vectorize(…)"
                                     : "'%s' is not a ufunc of this file: '%s' applies to those",
                      name, statement_names[derivation->statement->kind]);
    if (of->by)
        return REFUSE(derivation, "'%s' is a fused reduction, which has no derivative", name);
    derivation->returns = of->result.kind == TYPE_SCALAR;
    for (size_t i = 0; i < of->parameter_count; i++) {
        const struct type *type = &of->parameters[i].type;
        if (!check_types(derivation, type))
            return false;
        derivation->input_count += type->kind == TYPE_SCALAR;
        derivation->output_count += type->kind == TYPE_POINTER;
        derivation->number_count += type->kind == TYPE_SCALAR && is_number(unit, type);
    }
    derivation->output_count += derivation->returns;
    for (size_t k = 0; k < derivation->output_count; k++)
        if (is_stored(derivation, output_type(derivation, k)))
            return REFUSE(derivation, "'%s' has an output of a float8 type, which has no derivative", of->name);
    derivation->is_reverse =
        derivation->statement->kind != FUSE_TANGENT && derivation->number_count > MOST_DIRECTIONS;
    return (!derivation->returns || check_types(derivation, &of->result)) && check_counts(derivation);
}

/* ---- operands ---- */

static bool is_input_number(const struct derivation *derivation, size_t i)
{
    return is_number(derivation->parse->unit, &derivation->of->parameters[i].type);
}

const struct type *output_type(const struct derivation *derivation, size_t k)
{
    const struct function *of = derivation->of;
    return derivation->returns ? &of->result : &of->parameters[derivation->input_count + k].type;
}

const char *type_in_c(const struct type *type)
{
    return type->variable ? type->variable : dtype_c_type(type->dtype);
}

const char *input_name(const struct derivation *derivation, size_t i)
{
    const char *name = derivation->of->parameters[i].name;
    return *name ? name : arena_printf(derivation->parse->arena, "in%zu", i);
}

const char *output_name(const struct derivation *derivation, size_t k)
{
    if (derivation->returns)
        return "out";
    const char *name = derivation->of->parameters[derivation->input_count + k].name;
    return *name ? name : arena_printf(derivation->parse->arena, "out%zu", k);
}

void add_parameter(struct parameters *parameters, const char *name, const struct type *type, bool is_output)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (!strcmp(parameters->items[i].name, name)) {
            add_parameter(parameters, arena_printf(parameters->arena, "%s_", name), type, is_output);
            return;
        }
    struct parameter parameter = {.name = name, .type = *type};
    parameter.type.kind = is_output ? TYPE_POINTER : TYPE_SCALAR;
    parameters->items = arena_grow(parameters->arena, parameters->items, parameters->count, sizeof *parameters->items);
    parameters->items[parameters->count++] = parameter;
}

/* ---- the functions ---- */

/* The ABI of some targets passes these structs by pointers.  The functions that are derived take their bits instead. */
static bool is_stored_input(const struct derivation *derivation, size_t i)
{
    return is_stored(derivation, &derivation->of->parameters[i].type);
}

void write_given_inputs(struct text *text, const struct derivation *derivation, const struct parameters *all)
{
    for (size_t i = 0; i < derivation->input_count; i++)
        text_printf(text, "%sgpucc_%s%s", i ? ", " : "", all->items[i].name,
                    is_stored_input(derivation, i) ? ".bits" : "");
}

/* T gpucc_x, T *gpucc_y */
static void write_parameters(struct text *text, const struct parameter *parameters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(text, "%s%s %sgpucc_%s", i ? ", " : "", type_in_c(&parameters[i].type),
                    parameters[i].type.kind == TYPE_POINTER ? "*" : "", parameters[i].name);
}

/* f's inputs, or the numbers among them, by names with this prefix; behind a comma if something comes before. */
void write_input_operands(struct text *text, const struct derivation *derivation, const char *prefix, bool only_numbers,
                          bool with_types, bool follows)
{
    for (size_t i = 0; i < derivation->input_count; i++) {
        if (only_numbers && !is_input_number(derivation, i))
            continue;
        const char *type = is_stored_input(derivation, i) ? "unsigned char"
                                                          : type_in_c(&derivation->of->parameters[i].type);
        text_printf(text, "%s%s %s%zu", follows ? ", " : "", with_types ? type : "", prefix, i);
        follows = true;
    }
}

void write_output_operands(struct text *text, const struct derivation *derivation, const char *prefix, bool with_types)
{
    for (size_t k = 0; k < derivation->output_count; k++)
        text_printf(text, ", %s%s%s%zu", with_types ? type_in_c(output_type(derivation, k)) : "",
                    with_types ? " *" : "", prefix, k);
}

/* static T gpucc_primal_NAME(T gpuccx0) { return f(gpuccx0); } */
static void write_primal(struct text *text, const struct derivation *derivation)
{
    const char *name = derivation->statement->name;
    text_printf(text, "static %s gpucc_primal_%s(", derivation->returns ? type_in_c(&derivation->of->result) : "void",
                name);
    write_input_operands(text, derivation, "gpuccx", false, true, false);
    if (!derivation->returns)
        write_output_operands(text, derivation, "gpuccy", true);
    text_printf(text, ") { %s%s(", derivation->returns ? "return " : "", derivation->of->name);
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_stored_input(derivation, i))
            text_printf(text, "%s(%s){{gpuccx%zu}}", i ? ", " : "", type_in_c(&derivation->of->parameters[i].type), i);
        else
            text_printf(text, "%sgpuccx%zu", i ? ", " : "", i);
    if (!derivation->returns)
        write_output_operands(text, derivation, "gpuccy", false);
    text_printf(text, "); }\n");
}

static size_t direction_count(const struct derivation *derivation)
{
    return derivation->statement->kind == FUSE_TANGENT ? 1 : derivation->number_count;
}

void write_rule_calls(struct text *text, const struct unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].partial_count)
            text_printf(text, "gpucc_rule_%s(); ", unit->functions[i].name);
}

/* The function whose body is replaced; as it stands it computes the outputs. */
static void write_marker(struct text *text, const struct derivation *derivation)
{
    const bool is_tangent = derivation->statement->kind == FUSE_TANGENT;
    text_printf(text, "static void gpucc_%s_%s(", is_tangent ? "tangent" : "jacobian", derivation->statement->name);
    write_input_operands(text, derivation, "gpuccx", false, true, false);
    if (is_tangent)
        write_input_operands(text, derivation, "gpuccdx", true, true, true);
    write_output_operands(text, derivation, "gpuccy", true);
    for (size_t d = 0; d < direction_count(derivation); d++)
        write_output_operands(text, derivation, arena_printf(text->arena, "gpuccd%zu_", d), true);
    text_printf(text, ") { ");
    write_rule_calls(text, derivation->parse->unit);
    text_printf(text, "%sgpucc_primal_%s(", derivation->returns ? "*gpuccy0 = " : "", derivation->statement->name);
    write_input_operands(text, derivation, "gpuccx", false, false, false);
    if (!derivation->returns)
        write_output_operands(text, derivation, "gpuccy", false);
    text_printf(text, "); }\n");
}

/* The ufunc's inputs: f's, and behind them tangents or cotangents. */
static void add_inputs(const struct derivation *derivation, struct parameters *parameters)
{
    struct arena *arena = parameters->arena;
    for (size_t i = 0; i < derivation->input_count; i++)
        add_parameter(parameters, input_name(derivation, i), &derivation->of->parameters[i].type, false);
    for (size_t i = 0; i < derivation->input_count && derivation->statement->kind == FUSE_TANGENT; i++)
        if (is_input_number(derivation, i))
            add_parameter(parameters, arena_printf(arena, "d%s", input_name(derivation, i)),
                          &derivation->of->parameters[i].type, false);
    for (size_t k = 0; k < derivation->output_count && derivation->statement->kind == FUSE_ADJOINT; k++)
        add_parameter(parameters, arena_printf(arena, "%s_bar", output_name(derivation, k)), output_type(derivation, k),
                      false);
}

/* Its outputs: f's and their tangents, or one for each floating input. */
static void add_outputs(const struct derivation *derivation, struct parameters *parameters)
{
    struct arena *arena = parameters->arena;
    const bool is_tangent = derivation->statement->kind == FUSE_TANGENT;
    for (size_t k = 0; k < derivation->output_count && is_tangent; k++)
        add_parameter(parameters, output_name(derivation, k), output_type(derivation, k), true);
    for (size_t k = 0; k < derivation->output_count && is_tangent; k++)
        add_parameter(parameters, arena_printf(arena, "d%s", output_name(derivation, k)), output_type(derivation, k),
                      true);
    for (size_t i = 0; i < derivation->input_count && !is_tangent; i++)
        if (is_input_number(derivation, i))
            add_parameter(parameters,
                          arena_printf(arena, derivation->statement->kind == FUSE_ADJOINT ? "%s_bar" : "d%s",
                                       input_name(derivation, i)),
                          &derivation->of->parameters[i].type, true);
}

/* Variables for f's outputs and their partial derivatives, filled in. */
static void write_jacobian_call(struct text *text, const struct derivation *derivation, const struct parameters *all)
{
    for (size_t k = 0; k < derivation->output_count; k++) {
        text_printf(text, "%s gpuccy%zu = 0", type_in_c(output_type(derivation, k)), k);
        for (size_t d = 0; d < derivation->number_count; d++)
            text_printf(text, ", gpuccd%zu_%zu = 0", d, k);
        text_printf(text, "; ");
    }
    text_printf(text, "gpucc_jacobian_%s(", derivation->statement->name);
    write_given_inputs(text, derivation, all);
    write_output_operands(text, derivation, "&gpuccy", false);
    for (size_t d = 0; d < derivation->number_count; d++)
        write_output_operands(text, derivation, arena_printf(text->arena, "&gpuccd%zu_", d), false);
    text_printf(text, "); ");
}

/* The partial derivative, or the sum of the cotangents' products with partial derivatives. */
static void write_result(struct text *text, const struct derivation *derivation, const struct parameters *all, size_t d)
{
    if (derivation->is_reverse)
        text_printf(text, "gpuccxb%zu", d);
    else if (derivation->statement->kind == FUSE_GRADIENT)
        text_printf(text, "gpuccd%zu_0", d);
    else
        for (size_t k = 0; k < derivation->output_count; k++)
            text_printf(text, "%sgpucc_%s * gpuccd%zu_%zu", k ? " + " : "",
                        all->items[derivation->input_count + k].name, d, k);
}

static void write_tangent_body(struct text *text, const struct derivation *derivation, const struct parameters *all,
                               size_t inputs)
{
    for (size_t k = inputs; k < all->count; k++)
        text_printf(text, "*gpucc_%s = 0; ", all->items[k].name);
    text_printf(text, "gpucc_tangent_%s(", derivation->statement->name);
    write_given_inputs(text, derivation, all);
    for (size_t i = derivation->input_count; i < all->count; i++)
        text_printf(text, ", gpucc_%s", all->items[i].name);
    text_printf(text, "); ");
}

/* The ufunc; what it is for later statements. */
static struct function write_ufunc(struct text *text, const struct derivation *derivation)
{
    const struct fuse *statement = derivation->statement;
    struct parameters all = {.arena = text->arena};
    add_inputs(derivation, &all);
    const size_t inputs = all.count;
    add_outputs(derivation, &all);
    const bool by_value = all.count == inputs + 1;
    struct function made = {.kind = FUNCTION_UFUNC, .name = statement->name, .annotation = "",
                            .place = statement->place, .parameters = all.items,
                            .parameter_count = all.count - by_value};
    if (by_value)
        made.result = all.items[inputs].type, made.result.kind = TYPE_SCALAR;
    text_printf(text, "__attribute__((annotate(\"gpucc.vectorize \"))) %s %s(",
                by_value ? type_in_c(&made.result) : "void", statement->name);
    write_parameters(text, made.parameters, made.parameter_count);
    text_printf(text, ") { ");
    if (statement->kind == FUSE_TANGENT)
        write_tangent_body(text, derivation, &all, inputs);
    else if (derivation->is_reverse)
        write_reverse_call(text, derivation, &all);
    else
        write_jacobian_call(text, derivation, &all);
    for (size_t d = 0; d < derivation->number_count && statement->kind != FUSE_TANGENT; d++) {
        if (by_value)
            text_printf(text, "return (%s)(", type_in_c(&made.result));
        else
            text_printf(text, "*gpucc_%s = (", all.items[inputs + d].name);
        write_result(text, derivation, &all, d);
        text_printf(text, "); ");
    }
    text_printf(text, "}\n");
    return made;
}

bool write_derivative(const struct parse *parse, const struct fuse *statement, struct text *text, struct function *made)
{
    struct derivation derivation = {.parse = parse, .statement = statement};
    if (!describe(&derivation))
        return false;
    if (derivation.is_kernel) {
        write_kernel_adjoint(text, &derivation, made);
        return true;
    }
    if (derivation.cores) {
        (derivation.is_reverse ? write_gufunc_adjoint : write_gufunc_tangent)(text, &derivation, made);
        return true;
    }
    write_line(text, &statement->place);
    write_primal(text, &derivation);
    write_line(text, &statement->place);
    if (derivation.is_reverse)
        write_reverse_marker(text, &derivation);
    else
        write_marker(text, &derivation);
    write_line(text, &statement->place);
    *made = write_ufunc(text, &derivation);
    return true;
}

/* ---- rules by hand ---- */

/* The functions named in derivative(…). */
static void read_names(const struct parse *parse, const char *text, struct function *function)
{
    for (const char *at = skip_space(text); *at; at = skip_space(at)) {
        const size_t length = strcspn(at, ", \t\r\n");
        function->partials = arena_grow(parse->arena, function->partials, function->partial_count,
                                        sizeof *function->partials);
        function->partials[function->partial_count++] = arena_strndup(parse->arena, at, length);
        at = skip_space(at + length);
        at += *at == ',';
    }
}

void read_partials(const struct parse *parse, const struct annotation *annotation, struct function *function)
{
    struct place start;
    if (!annotation)
        return;
    function->partials_place = annotation->place;
    function->partials_place.length = (unsigned)strlen("derivative");
    read_names(parse, annotation_text(parse, annotation, annotation->text, &start), function);
}

/* The inputs of a function that returns its one output, which are numbers. */
static size_t count_numbers(const struct parse *parse, const struct function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < function->parameter_count; i++)
        count += function->parameters[i].type.kind == TYPE_SCALAR &&
                 is_number(parse->unit, &function->parameters[i].type);
    return count;
}

static bool has_parameters_of(const struct function *partial, const struct function *function)
{
    bool same = partial->parameter_count == function->parameter_count && partial->result.kind == TYPE_SCALAR &&
                is_real(partial->result.dtype);
    for (size_t i = 0; same && i < function->parameter_count; i++)
        same = partial->parameters[i].type.kind == TYPE_SCALAR &&
               partial->parameters[i].type.dtype == function->parameters[i].type.dtype;
    return same;
}

static void check_partial(const struct parse *parse, const struct function *function, const char *name)
{
    const struct function partial = plain_function(parse, name);
    if (!partial.place.file)
        diagnose(parse->diagnostics, SEVERITY_ERROR, function->partials_place, NULL,
                 "the derivative of '%s' is '%s', but this file has no function of that name", function->name, name);
    else if (!has_parameters_of(&partial, function))
        diagnose(parse->diagnostics, SEVERITY_ERROR, function->partials_place, NULL,
                 "the derivative of '%s' is '%s', which must have its parameters and return a floating-point number",
                 function->name, name);
}

void check_partials(const struct parse *parse)
{
    for (size_t i = 0; i < parse->unit->function_count; i++) {
        const struct function *function = &parse->unit->functions[i];
        const size_t numbers = count_numbers(parse, function);
        if (!function->partials_place.file)
            continue;
        if (function->result.kind != TYPE_SCALAR || !is_real(function->result.dtype))
            diagnose(parse->diagnostics, SEVERITY_ERROR, function->partials_place, NULL,
                     "'%s' does not return a floating-point number: it can have no 'derivative'", function->name);
        else if (function->partial_count != numbers)
            diagnose(parse->diagnostics, SEVERITY_ERROR, function->partials_place, NULL,
                     "'%s' has %zu floating-point input%s, but 'derivative' names %zu function%s", function->name,
                     numbers, numbers == 1 ? "" : "s", function->partial_count,
                     function->partial_count == 1 ? "" : "s");
        for (size_t k = 0; k < function->partial_count; k++)
            check_partial(parse, function, function->partials[k]);
    }
}

static void write_call(struct text *text, const struct function *function, const char *name)
{
    text_printf(text, "%s(", name);
    for (size_t i = 0; i < function->parameter_count; i++)
        text_printf(text, "%s0", i ? ", " : "");
    text_printf(text, "); ");
}

void write_rules(const struct unit *unit, struct text *text)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        const struct function *function = &unit->functions[i];
        if (!function->partial_count)
            continue;
        text_printf(text, "\nstatic void gpucc_rule_%s(void) { ", function->name);
        write_call(text, function, function->name);
        for (size_t k = 0; k < function->partial_count; k++)
            write_call(text, function, function->partials[k]);
        text_printf(text, "}\n");
    }
}
