/* Adjoints of kernels as C text: the function whose body compiler/derive/ replaces, and the kernel around it. */
#include "frontend/derivatives_internal.h"

#include <string.h>

static const struct parameter *parameter_of(const struct derivation *derivation, size_t i)
{
    return &derivation->of->parameters[i];
}

static bool is_number_array(const struct derivation *derivation, size_t i)
{
    const struct type *type = &parameter_of(derivation, i)->type;
    return type->kind == TYPE_POINTER && has_derivative(derivation, type);
}

/* ---- checks ---- */

static bool has_pointer(const struct record *record)
{
    for (size_t i = 0; record && i < record->member_count; i++)
        if (record->members[i].type.kind == TYPE_POINTER || has_pointer(record->members[i].type.record))
            return true;
    return false;
}

/* The adjoint knows the memory behind arrays of numbers only. */
static bool check_parameter(const struct derivation *derivation, size_t i)
{
    const struct parameter *parameter = parameter_of(derivation, i);
    const struct type *type = &parameter->type;
    const bool is_array = type->kind == TYPE_POINTER;
    if (is_array && (type->dtype == DTYPE_NONE || type->element_size != dtype_size(type->dtype)))
        return REFUSE(derivation, "parameter '%s' of '%s' is '%s': the adjoint of a kernel supports arrays of numbers",
                      parameter->name, derivation->of->name, type->spelling);
    if (type->kind == TYPE_STRUCT && has_pointer(type->record))
        return REFUSE(derivation, "parameter '%s' of '%s' has pointers in it: pass the arrays themselves",
                      parameter->name, derivation->of->name);
    return !is_array || check_types(derivation, type);
}

bool describe_kernel(struct derivation *derivation)
{
    const struct function *of = derivation->of;
    if (of->derivative_of)
        return REFUSE(derivation, "'%s' is the adjoint of a kernel, which cannot be derived again", of->name);
    if (of->has_cluster)
        return REFUSE(derivation, "'%s' runs in clusters: 'adjoint' supports other kernels", of->name);
    derivation->is_kernel = derivation->is_reverse = true;
    derivation->input_count = of->parameter_count;
    for (size_t i = 0; i < of->parameter_count; i++) {
        if (!check_parameter(derivation, i))
            return false;
        derivation->number_count += is_number_array(derivation, i);
    }
    if (!derivation->number_count)
        return REFUSE(derivation, "'%s' has no array of floating-point numbers to be derived by", of->name);
    return true;
}

/* ---- declarations ---- */

/* const T NAME[nx][ny] */
static void write_array(struct text *text, const struct type *type, const char *name, bool is_const)
{
    text_printf(text, "%s%s %s%s", is_const ? "const " : "", type_in_c(type), type->dimension_count ? "" : "*", name);
    for (size_t k = 0; k < type->dimension_count; k++)
        text_printf(text, "[%s]", type->dimensions[k]);
}

static void write_parameter(struct text *text, const struct parameter *parameter, bool is_const)
{
    const struct type *type = &parameter->type;
    if (type->kind == TYPE_POINTER)
        write_array(text, type, parameter->name, is_const || type->is_const);
    else
        text_printf(text, "%s %s", type->kind == TYPE_SCALAR ? type_in_c(type) : type->spelling, parameter->name);
}

static void write_originals(struct text *text, const struct derivation *derivation)
{
    for (size_t i = 0; i < derivation->input_count; i++) {
        text_printf(text, "%s", i ? ", " : "");
        write_parameter(text, parameter_of(derivation, i), false);
    }
}

static void write_names(struct text *text, const struct derivation *derivation)
{
    for (size_t i = 0; i < derivation->input_count; i++)
        text_printf(text, "%s%s", i ? ", " : "", parameter_of(derivation, i)->name);
}

/* ---- functions ---- */

static void write_kernel_roles(struct text *text, const struct derivation *derivation)
{
    text_printf(text, "gpucc_reverse_");
    for (size_t i = 0; i < derivation->input_count; i++)
        text_printf(text, !is_number_array(derivation, i)                ? "s"
                          : parameter_of(derivation, i)->type.is_const ? "c"
                                                                       : "m");
    for (size_t i = 0; i < derivation->number_count; i++)
        text_printf(text, "b");
    text_printf(text, "_%s", derivation->statement->name);
}

static void write_kernel_primal(struct text *text, const struct derivation *derivation)
{
    text_printf(text, "static void gpucc_primal_%s(", derivation->statement->name);
    write_originals(text, derivation);
    text_printf(text, ") { %s(", derivation->of->name);
    write_names(text, derivation);
    text_printf(text, "); }\n");
}

static void write_kernel_marker(struct text *text, const struct derivation *derivation)
{
    text_printf(text, "static void ");
    write_kernel_roles(text, derivation);
    text_printf(text, "(");
    write_originals(text, derivation);
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_number_array(derivation, i))
            text_printf(text, ", %s *gpuccb%zu", type_in_c(&parameter_of(derivation, i)->type), i);
    text_printf(text, ") { ");
    write_rule_calls(text, derivation->parse->unit);
    text_printf(text, "gpucc_primal_%s(", derivation->statement->name);
    write_names(text, derivation);
    text_printf(text, "); }\n");
}

/* a, a_bar of each array of numbers, and the other parameters. */
static void add_kernel_parameters(const struct derivation *derivation, struct parameters *all)
{
    for (size_t i = 0; i < derivation->input_count; i++) {
        all->items = arena_grow(all->arena, all->items, all->count, sizeof *all->items);
        all->items[all->count] = *parameter_of(derivation, i);
        all->items[all->count++].type.is_const = true;
    }
    for (size_t i = 0; i < derivation->input_count; i++)
        if (is_number_array(derivation, i))
            add_parameter(all, arena_printf(all->arena, "%s_bar", parameter_of(derivation, i)->name),
                          &parameter_of(derivation, i)->type, true);
}

static void write_kernel_parameters(struct text *text, const struct derivation *derivation,
                                    const struct parameters *all)
{
    for (size_t i = 0, bar = derivation->input_count; i < derivation->input_count; i++) {
        const bool is_number = is_number_array(derivation, i);
        text_printf(text, "%s", i ? ", " : "");
        write_parameter(text, &all->items[i], is_number);
        if (!is_number)
            continue;
        text_printf(text, ", ");
        write_array(text, &all->items[bar].type, all->items[bar].name, false);
        bar++;
    }
}

static void write_kernel_body(struct text *text, const struct derivation *derivation, const struct parameters *all)
{
    write_kernel_roles(text, derivation);
    text_printf(text, "(");
    for (size_t i = 0; i < derivation->input_count; i++) {
        const struct type *type = &parameter_of(derivation, i)->type;
        text_printf(text, "%s", i ? ", " : "");
        if (type->kind == TYPE_POINTER && !type->is_const) /* nothing is written there, but a cast would warn */
            text_printf(text, "((union { const void *from; void *to; }){%s}).to", all->items[i].name);
        else
            text_printf(text, "%s", all->items[i].name);
    }
    for (size_t i = derivation->input_count; i < all->count; i++)
        text_printf(text, ", (void *)%s", all->items[i].name);
    text_printf(text, "); ");
}

void write_kernel_adjoint(struct text *text, const struct derivation *derivation, struct function *made)
{
    const struct fuse *statement = derivation->statement;
    struct parameters all = {.arena = text->arena};
    add_kernel_parameters(derivation, &all);
    *made = (struct function){.kind = FUNCTION_KERNEL, .name = statement->name, .annotation = "",
                              .place = statement->place, .parameters = all.items, .parameter_count = all.count,
                              .derivative_of = derivation->of->name};
    write_line(text, &statement->place);
    write_kernel_primal(text, derivation);
    write_line(text, &statement->place);
    write_kernel_marker(text, derivation);
    write_line(text, &statement->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.kernel\"), used)) void %s(", statement->name);
    write_kernel_parameters(text, derivation, &all);
    text_printf(text, ") { ");
    write_kernel_body(text, derivation, &all);
    text_printf(text, "}\n");
}
