/* Tangents of gufuncs, as C text: the function whose body compiler/derive/ replaces, and the gufunc around it. */
#include "frontend/derivatives_internal.h"

/* Inputs, outputs, and the tangents of those that have some, in their order. */
struct operands {
    const struct derivation *derivation;
    size_t inputs, count;
};

static struct operands operands_of(const struct derivation *derivation)
{
    return (struct operands){.derivation = derivation, .inputs = derivation->input_count,
                             .count = derivation->input_count + derivation->output_count};
}

static bool has_tangent(const struct operands *o, size_t i)
{
    return has_derivative(o->derivation, &core_operand(o->derivation, i)->type);
}

/* The letters by which derive.h knows the function's parameters. */
static void write_roles(struct text *text, const struct operands *o)
{
    text_printf(text, "gpucc_forward_");
    for (size_t i = 0; i < o->derivation->size_count; i++)
        text_printf(text, "s");
    for (size_t i = 0; i < o->count; i++)
        text_printf(text, has_tangent(o, i) ? "t" : "s");
    text_printf(text, "_%s", o->derivation->statement->name);
}

/* The function's parameters, and behind them those for tangents. */
static void write_marker(struct text *text, const struct operands *o)
{
    text_printf(text, "static void ");
    write_roles(text, o);
    text_printf(text, "(");
    write_sizes(text, o->derivation, true);
    for (size_t i = 0; i < 2 * o->count; i++) {
        const size_t k = i % o->count;
        if (i != k && !has_tangent(o, k))
            continue;
        text_printf(text, "%s", separator(o->derivation, i));
        write_declaration(text, o->derivation, k, numbered(text, i == k ? "gpuccx" : "gpuccd", k), k < o->inputs,
                          k < o->inputs && is_by_value(o->derivation, k));
    }
    text_printf(text, ") { ");
    write_rule_calls(text, o->derivation->parse->unit);
    text_printf(text, "gpucc_primal_%s(", o->derivation->statement->name);
    write_sizes(text, o->derivation, false);
    for (size_t i = 0; i < o->count; i++)
        text_printf(text, "%sgpuccx%zu", separator(o->derivation, i), i);
    text_printf(text, "); }\n");
}

/* ---- the gufunc: inputs, their tangents, outputs, their tangents ---- */

/* Calls a function for each operand of the gufunc, with the number of f's operand. */
static void for_operands(const struct operands *o, void *with, void (*see)(void *with, size_t i, bool is_tangent))
{
    for (size_t i = 0; i < o->inputs; i++)
        see(with, i, false);
    for (size_t i = 0; i < o->inputs; i++)
        if (has_tangent(o, i))
            see(with, i, true);
    for (size_t i = o->inputs; i < o->count; i++)
        see(with, i, false);
    for (size_t i = o->inputs; i < o->count; i++)
        if (has_tangent(o, i))
            see(with, i, true);
}

/* State while operands are written. */
struct writing {
    const struct operands *operands;
    struct parameters *all;
    struct text *text;
    size_t *values, *tangents; /* for f's operands, the places of parameters */
    size_t next;
};

static void add_parameter_of(void *with, size_t i, bool is_tangent)
{
    struct writing *w = with;
    const struct derivation *derivation = w->operands->derivation;
    const bool is_input = i < w->operands->inputs;
    const struct parameter *operand = core_operand(derivation, i);
    const char *own = *operand->name ? operand->name : numbered(w->text, is_input ? "in" : "out", i);
    (is_tangent ? w->tangents : w->values)[i] = w->all->count;
    add_core_operand(w->all, is_tangent ? arena_printf(w->all->arena, "d%s", own) : own, operand,
                     is_input && is_by_value(derivation, i), is_input);
}

static void write_layout_of(void *with, size_t i, bool is_tangent)
{
    struct writing *w = with;
    if (i == w->operands->inputs && !is_tangent)
        text_printf(w->text, "->");
    write_layout_group(w->text, &w->operands->derivation->cores[i],
                       w->next && (i != w->operands->inputs || is_tangent));
    w->next++;
}

static void write_parameter_of(void *with, size_t i, bool is_tangent)
{
    struct writing *w = with;
    const struct derivation *derivation = w->operands->derivation;
    const bool is_input = i < w->operands->inputs;
    const size_t place = (is_tangent ? w->tangents : w->values)[i];
    text_printf(w->text, "%s", separator(derivation, w->next++));
    write_declaration(w->text, derivation, i, arena_printf(w->text->arena, "gpucc_%s", w->all->items[place].name),
                      is_input, is_input && is_by_value(derivation, i));
}

static void write_body(const struct writing *w)
{
    const struct operands *o = w->operands;
    write_roles(w->text, o);
    text_printf(w->text, "(");
    write_sizes(w->text, o->derivation, false);
    for (size_t i = 0; i < 2 * o->count; i++) {
        const size_t k = i % o->count, place = (i == k ? w->values : w->tangents)[k];
        if (i == k || has_tangent(o, k))
            text_printf(w->text, "%sgpucc_%s", separator(o->derivation, i), w->all->items[place].name);
    }
    text_printf(w->text, "); ");
}

void write_gufunc_tangent(struct text *text, const struct derivation *derivation, struct function *made)
{
    const struct fuse *statement = derivation->statement;
    const struct operands o = operands_of(derivation);
    struct parameters all = {.arena = text->arena};
    struct text layout = {.arena = text->arena};
    struct writing w = {.operands = &o, .all = &all, .text = &layout};
    w.values = arena_alloc(text->arena, o.count * sizeof *w.values);
    w.tangents = arena_alloc(text->arena, o.count * sizeof *w.tangents);
    for (size_t i = 0; i < derivation->size_count; i++)
        add_core_operand(&all, derivation->of->parameters[i].name, &derivation->of->parameters[i], true, false);
    for_operands(&o, &w, add_parameter_of);
    for_operands(&o, &w, write_layout_of);
    *made = (struct function){.kind = FUNCTION_GUFUNC, .name = statement->name, .annotation = layout.data,
                              .place = statement->place, .parameters = all.items, .parameter_count = all.count,
                              .reorderable_place = derivation->of->reorderable_place};
    w.text = text;
    w.next = 0;
    write_line(text, &statement->place);
    write_gufunc_primal(text, derivation);
    write_line(text, &statement->place);
    write_marker(text, &o);
    write_line(text, &statement->place);
    write_gufunc_head(text, derivation, made->annotation);
    write_sizes(text, derivation, true);
    for_operands(&o, &w, write_parameter_of);
    text_printf(text, ") { ");
    write_body(&w);
    text_printf(text, "}\n");
}
