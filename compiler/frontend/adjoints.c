/* Adjoints by reverse mode, as C text: the function whose body compiler/derive/ replaces, and the ufunc or gufunc
 * around it. */
#include "frontend/derivatives_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- ufuncs ---- */

static bool is_input_number(const struct derivation *derivation, size_t i)
{
    return has_derivative(derivation, &derivation->of->parameters[derivation->size_count + i].type);
}

/* The letters by which derive.h knows the parameters. */
static void write_roles(struct text *text, const struct derivation *derivation)
{
    text_printf(text, "gpucc_reverse_");
    for (size_t i = 0; i < derivation->size_count; i++)
        text_printf(text, "s");
    for (size_t i = 0; i < derivation->input_count; i++)
        text_printf(text, is_input_number(derivation, i) ? "i" : "s");
    for (size_t k = 0; k < derivation->output_count; k++)
        text_printf(text, "o");
    for (size_t i = 0; i < derivation->number_count; i++)
        text_printf(text, "b");
    text_printf(text, "_%s", derivation->statement->name);
}

void write_reverse_marker(struct text *text, const struct derivation *derivation)
{
    text_printf(text, "static void ");
    write_roles(text, derivation);
    text_printf(text, "(");
    write_input_operands(text, derivation, "gpuccx", false, true, false);
    write_output_operands(text, derivation, "gpuccyb", true);
    for (size_t i = 0, d = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            text_printf(text, ", %s *gpuccxb%zu", type_in_c(&derivation->of->parameters[i].type), d++);
    text_printf(text, ") { ");
    write_rule_calls(text, derivation->parse->unit);
    for (size_t k = 0; k < derivation->output_count; k++)
        text_printf(text, "%s gpuccy%zu = 0; ", type_in_c(output_type(derivation, k)), k);
    text_printf(text, "%sgpucc_primal_%s(", derivation->returns ? "gpuccy0 = " : "", derivation->statement->name);
    write_input_operands(text, derivation, "gpuccx", false, false, false);
    if (!derivation->returns)
        write_output_operands(text, derivation, "&gpuccy", false);
    text_printf(text, "); ");
    for (size_t k = 0; k < derivation->output_count; k++)
        text_printf(text, "*gpuccyb%zu = gpuccy%zu; ", k, k);
    text_printf(text, "}\n");
}

void write_reverse_call(struct text *text, const struct derivation *derivation, const struct parameters *all)
{
    const bool is_gradient = derivation->statement->kind == FUSE_GRADIENT;
    for (size_t i = 0, d = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            text_printf(text, "%s gpuccxb%zu = 0; ", type_in_c(&derivation->of->parameters[i].type), d++);
    for (size_t k = 0; k < derivation->output_count; k++)
        text_printf(text, "%s gpuccyb%zu = %s%s; ", type_in_c(output_type(derivation, k)), k,
                    is_gradient ? "1" : "gpucc_", is_gradient ? "" : all->items[derivation->input_count + k].name);
    write_roles(text, derivation);
    text_printf(text, "(");
    write_given_inputs(text, derivation, all);
    write_output_operands(text, derivation, "&gpuccyb", false);
    for (size_t d = 0; d < derivation->number_count; d++)
        text_printf(text, ", &gpuccxb%zu", d);
    text_printf(text, "); ");
}

/* ---- layouts ---- */

static void add_core_dimension(struct arena *arena, struct core *core, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    if (from == end)
        return;
    core->dimensions = arena_grow(arena, core->dimensions, core->count, sizeof *core->dimensions);
    core->dimensions[core->count++] = arena_strndup(arena, from, (size_t)(end - from));
}

size_t read_cores(struct arena *arena, const char *layout, struct core **cores, size_t *count)
{
    const char *from = NULL;
    size_t inputs = 0;
    *count = 0;
    for (const char *at = layout; *at; at++) {
        if (*at == '>')
            inputs = *count;
        if (*at == '(') {
            *cores = arena_grow(arena, *cores, *count, sizeof **cores);
            (*cores)[(*count)++] = (struct core){0};
            from = at + 1;
        }
        if ((*at == ',' || *at == ')') && from) {
            add_core_dimension(arena, &(*cores)[*count - 1], from, at);
            from = *at == ')' ? NULL : at + 1;
        }
    }
    return inputs;
}

bool is_extent(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

/* Each dimension must be a number or a parameter, for the adjoint declares arrays by it. */
static bool check_core(const struct derivation *derivation, const struct core *core)
{
    for (size_t k = 0; k < core->count; k++) {
        bool is_known = is_extent(core->dimensions[k]);
        for (size_t i = 0; i < derivation->size_count; i++)
            is_known |= !strcmp(derivation->of->parameters[i].name, core->dimensions[k]);
        if (!is_known)
            return REFUSE(derivation, "'%s' has the core dimension '%s': '%s' supports numbers and parameters",
                          derivation->of->name, core->dimensions[k], statement_name(derivation));
    }
    return true;
}

static bool is_complete(const struct derivation *derivation, size_t operands)
{
    const struct function *of = derivation->of;
    return of->parameter_count >= operands && operands && derivation->input_count < operands;
}

bool describe_gufunc(struct derivation *derivation)
{
    const struct function *of = derivation->of;
    size_t operands;
    if (of->tiles)
        return REFUSE(derivation, "'%s' is a fused product, which has no derivative", of->name);
    derivation->input_count = read_cores(derivation->parse->arena, of->annotation, &derivation->cores, &operands);
    if (!is_complete(derivation, operands)) /* the layout's own errors are reported with the gufunc */
        return REFUSE(derivation, "the layout of '%s' does not match its parameters", of->name);
    if (of->cooperative_place.file)
        return REFUSE(derivation, "'%s' is cooperative: '%s' applies to other gufuncs", of->name,
                      statement_name(derivation));
    derivation->output_count = operands - derivation->input_count;
    derivation->size_count = of->parameter_count - operands;
    derivation->is_reverse = derivation->statement->kind == FUSE_ADJOINT;
    for (size_t i = 0; i < operands; i++) {
        const struct type *type = &of->parameters[derivation->size_count + i].type;
        if (!check_types(derivation, type) || !check_core(derivation, &derivation->cores[i]))
            return false;
        derivation->number_count += i < derivation->input_count && has_derivative(derivation, type);
    }
    if (!derivation->number_count)
        return REFUSE(derivation, "'%s' has no floating-point input to be derived by", of->name);
    for (size_t i = derivation->input_count; i < operands; i++) {
        const struct type *type = &of->parameters[derivation->size_count + i].type;
        if (!has_derivative(derivation, type))
            return REFUSE(derivation, "output '%s' of '%s' is not floating-point",
                          of->parameters[derivation->size_count + i].name, of->name);
    }
    return true;
}

/* ---- gufuncs ---- */

const struct parameter *core_operand(const struct derivation *derivation, size_t i)
{
    return &derivation->of->parameters[derivation->size_count + i];
}

static void write_extents(struct text *text, const struct core *core, size_t first)
{
    for (size_t k = first; k < core->count; k++)
        text_printf(text, "[%s]", core->dimensions[k]);
}

/* const T NAME[m][n], T *NAME, or T NAME */
void write_declaration(struct text *text, const struct derivation *derivation, size_t i, const char *name,
                              bool is_const, bool is_value)
{
    const struct core *core = &derivation->cores[i];
    text_printf(text, "%s%s %s%s", is_const && !is_value ? "const " : "", type_in_c(&core_operand(derivation, i)->type),
                core->count || is_value ? "" : "*", name);
    write_extents(text, core, 0);
}

bool is_by_value(const struct derivation *derivation, size_t i)
{
    return core_operand(derivation, i)->type.kind == TYPE_SCALAR;
}

void write_sizes(struct text *text, const struct derivation *derivation, bool with_types)
{
    for (size_t i = 0; i < derivation->size_count; i++)
        text_printf(text, "%s%s%s", i ? ", " : "", with_types ? "size_t " : "", derivation->of->parameters[i].name);
}

const char *separator(const struct derivation *derivation, size_t i)
{
    return i || derivation->size_count ? ", " : "";
}

const char *numbered(const struct text *text, const char *prefix, size_t i)
{
    return arena_printf(text->arena, "%s%zu", prefix, i);
}

static void write_inputs(struct text *text, const struct derivation *derivation)
{
    write_sizes(text, derivation, true);
    for (size_t i = 0; i < derivation->input_count; i++) {
        text_printf(text, "%s", separator(derivation, i));
        write_declaration(text, derivation, i, numbered(text, "gpuccx", i), true, is_by_value(derivation, i));
    }
}

void write_gufunc_primal(struct text *text, const struct derivation *derivation)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    text_printf(text, "static void gpucc_primal_%s(", derivation->statement->name);
    write_inputs(text, derivation);
    for (size_t i = derivation->input_count; i < operands; i++) {
        text_printf(text, ", ");
        write_declaration(text, derivation, i, numbered(text, "gpuccx", i), false, false);
    }
    text_printf(text, ") { %s(", derivation->of->name);
    write_sizes(text, derivation, false);
    for (size_t i = 0; i < operands; i++)
        text_printf(text, "%sgpuccx%zu", separator(derivation, i), i);
    text_printf(text, "); }\n");
}

/* The elements of an output whose extents are small numbers: a local array holds it.  0 for others. */
static size_t local_elements(const struct core *core)
{
    enum { MOST_LOCAL = 64 };
    size_t count = 1;
    for (size_t k = 0; k < core->count; k++) {
        const size_t extent = is_extent(core->dimensions[k]) ? strtoul(core->dimensions[k], NULL, 10) : 0;
        count = extent > MOST_LOCAL ? 0 : count * extent;
    }
    return count <= MOST_LOCAL ? count : 0;
}

static void write_gufunc_marker_body(struct text *text, const struct derivation *derivation)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    for (size_t i = derivation->input_count; i < operands; i++) {
        if (!local_elements(&derivation->cores[i]))
            continue;
        text_printf(text, "%s gpuccy%zu", type_in_c(&core_operand(derivation, i)->type), i);
        write_extents(text, &derivation->cores[i], 0);
        text_printf(text, "; ");
    }
    text_printf(text, "gpucc_primal_%s(", derivation->statement->name);
    write_sizes(text, derivation, false);
    for (size_t i = 0; i < operands; i++) {
        const bool is_local = i >= derivation->input_count && local_elements(&derivation->cores[i]);
        text_printf(text, "%s%s%s%zu", separator(derivation, i), is_local && !derivation->cores[i].count ? "&" : "",
                    is_local ? "gpuccy" : i < derivation->input_count ? "gpuccx" : "gpuccyb", i);
    }
    text_printf(text, "); ");
    for (size_t i = derivation->input_count; i < operands; i++) {
        const char *type = type_in_c(&core_operand(derivation, i)->type);
        for (size_t e = 0; e < local_elements(&derivation->cores[i]); e++)
            text_printf(text, "((%s *)gpuccyb%zu)[%zu] = ((%s *)&gpuccy%zu)[%zu]; ", type, i, e, type, i, e);
    }
}

static void write_gufunc_marker(struct text *text, const struct derivation *derivation)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    text_printf(text, "static void ");
    write_roles(text, derivation);
    text_printf(text, "(");
    write_inputs(text, derivation);
    for (size_t i = derivation->input_count; i < operands; i++) {
        text_printf(text, ", ");
        write_declaration(text, derivation, i, numbered(text, "gpuccyb", i), false, false);
    }
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            text_printf(text, ", %s *gpuccxb%zu", type_in_c(&core_operand(derivation, i)->type), i);
    text_printf(text, ") { ");
    write_rule_calls(text, derivation->parse->unit);
    write_gufunc_marker_body(text, derivation);
    text_printf(text, "}\n");
}

/* ---- the gufunc ---- */

void add_core_operand(struct parameters *parameters, const char *name, const struct parameter *like, bool is_value,
                      bool is_const)
{
    add_parameter(parameters, name, &like->type, !is_value);
    parameters->items[parameters->count - 1].type.is_const = is_const;
}

void write_layout_group(struct text *text, const struct core *core, bool follows)
{
    text_printf(text, "%s(", follows ? "," : "");
    for (size_t k = 0; k < core->count; k++)
        text_printf(text, "%s%s", k ? "," : "", core->dimensions[k]);
    text_printf(text, ")");
}

static const char *adjoint_layout(const struct derivation *derivation)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    struct text layout = {.arena = derivation->parse->arena};
    bool follows = false;
    for (size_t i = 0; i < operands; i++)
        write_layout_group(&layout, &derivation->cores[i], i);
    text_printf(&layout, "->");
    for (size_t i = 0; i < derivation->input_count; i++) {
        if (!is_input_number(derivation, i))
            continue;
        write_layout_group(&layout, &derivation->cores[i], follows);
        follows = true;
    }
    return layout.data;
}

/* Sets an output to zero. */
static void write_zeros(struct text *text, const struct core *core, const char *name)
{
    for (size_t k = 0; k < core->count; k++)
        text_printf(text, "for (size_t gpucci%zu = 0; gpucci%zu < %s; gpucci%zu++) ", k, k, core->dimensions[k], k);
    text_printf(text, "%sgpucc_%s", core->count ? "" : "*", name);
    for (size_t k = 0; k < core->count; k++)
        text_printf(text, "[gpucci%zu]", k);
    text_printf(text, " = 0; ");
}

/* The operands: f's inputs, adjoints of its outputs, those of its inputs. */
static void add_operands(const struct derivation *derivation, struct parameters *all)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    for (size_t i = 0; i < derivation->size_count; i++)
        add_core_operand(all, derivation->of->parameters[i].name, &derivation->of->parameters[i], true, false);
    for (size_t i = 0; i < operands; i++) {
        const char *name = *core_operand(derivation, i)->name ? core_operand(derivation, i)->name
                                                         : numbered(&(struct text){.arena = all->arena}, "in", i);
        const bool is_input = i < derivation->input_count;
        add_core_operand(all, is_input ? name : arena_printf(all->arena, "%s_bar", name), core_operand(derivation, i),
                    is_input && is_by_value(derivation, i), true);
    }
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            add_core_operand(all, arena_printf(all->arena, "%s_bar", all->items[derivation->size_count + i].name),
                        core_operand(derivation, i), false, false);
}

static void write_gufunc_parameters(struct text *text, const struct derivation *derivation,
                                    const struct parameter *items)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    write_sizes(text, derivation, true);
    for (size_t i = 0; i < operands; i++) {
        const bool is_value = i < derivation->input_count && is_by_value(derivation, i);
        text_printf(text, "%s", separator(derivation, i));
        write_declaration(text, derivation, i, arena_printf(text->arena, "gpucc_%s", items[i].name), true, is_value);
    }
    for (size_t i = 0, k = operands; i < derivation->input_count; i++) {
        if (!is_input_number(derivation, i))
            continue;
        text_printf(text, ", ");
        write_declaration(text, derivation, i, arena_printf(text->arena, "gpucc_%s", items[k++].name), false, false);
    }
}

static void write_gufunc_body(struct text *text, const struct derivation *derivation, const struct parameter *items)
{
    const size_t operands = derivation->input_count + derivation->output_count;
    size_t output = operands;
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            write_zeros(text, &derivation->cores[i], items[output++].name);
    write_roles(text, derivation);
    text_printf(text, "(");
    write_sizes(text, derivation, false);
    for (size_t i = 0; i < operands; i++) {
        if (i < derivation->input_count)
            text_printf(text, "%sgpucc_%s", separator(derivation, i), items[i].name);
        else /* nothing is written there, but a cast would warn */
            text_printf(text, "%s((union { const void *from; void *to; }){gpucc_%s}).to", separator(derivation, i),
                        items[i].name);
    }
    output = operands;
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_input_number(derivation, i))
            text_printf(text, ", (void *)gpucc_%s", items[output++].name);
    text_printf(text, "); ");
}

void write_gufunc_head(struct text *text, const struct derivation *derivation, const char *layout)
{
    text_printf(text, "__attribute__((annotate(\"gpucc.guvectorize %s\")%s)) void %s(", layout,
                derivation->of->reorderable_place.file ? ", annotate(\"gpucc.reorderable\")" : "",
                derivation->statement->name);
}

void write_gufunc_adjoint(struct text *text, const struct derivation *derivation, struct function *made)
{
    const struct fuse *statement = derivation->statement;
    struct parameters all = {.arena = text->arena};
    add_operands(derivation, &all);
    *made = (struct function){.kind = FUNCTION_GUFUNC, .name = statement->name,
                              .annotation = adjoint_layout(derivation), .place = statement->place,
                              .parameters = all.items, .parameter_count = all.count,
                              .reorderable_place = derivation->of->reorderable_place};
    write_line(text, &statement->place);
    write_gufunc_primal(text, derivation);
    write_line(text, &statement->place);
    write_gufunc_marker(text, derivation);
    write_line(text, &statement->place);
    write_gufunc_head(text, derivation, made->annotation);
    write_gufunc_parameters(text, derivation, all.items + derivation->size_count);
    text_printf(text, ") { ");
    write_gufunc_body(text, derivation, all.items + derivation->size_count);
    text_printf(text, "}\n");
}
