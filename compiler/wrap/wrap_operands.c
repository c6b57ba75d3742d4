/* Decides which operands a C function has as a ufunc or gufunc: by its prototype, its body and the list. */
#include "wrap/wrap_internal.h"

#include <gpucc/loops.h>
#include <string.h>

/* One function while it is decided. */
struct decision {
    const struct wrap_options *options;
    const struct library *library;
    const struct declared *function;
    const struct listed *listed; /* or null */
    struct wrapped *wrapped;
    struct arena *arena;
};

static bool is_number(const char *extent)
{
    return *extent && strspn(extent, "0123456789") == strlen(extent);
}

/* Whether it is more than a number or a parameter. */
static bool is_expression(const char *extent)
{
    while (is_word(*extent))
        extent++;
    return *extent;
}

static bool is_integer(enum dtype dtype)
{
    return dtype != DTYPE_NONE && strchr("iu", dtype_kind(dtype));
}

/* Whether the C expression has the word. */
static bool has_word(const char *expression, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(expression, word); at && length; at = strstr(at + 1, word))
        if ((at == expression || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* ---- why a function is left out ---- */

/* Whether it is a struct, or a pointer to one. */
static bool is_struct(const struct type *type)
{
    return type->kind == TYPE_STRUCT || (type->kind == TYPE_POINTER && type->record);
}

static bool has_input(const struct options *options, bool header)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (is_header_path(options->inputs[i]) == header)
            return true;
    return false;
}

/* The first member that no array of structs in Python has, or null. */
static const struct member *host_only_member(const struct record *record)
{
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        const struct record *inner = member->type.kind == TYPE_STRUCT ? member->type.record : NULL;
        if (member->type.kind == TYPE_POINTER || member->type.kind == TYPE_OTHER || (inner && host_only_member(inner)))
            return member;
    }
    return NULL;
}

/* Null, or why `what` of this type is no operand. */
static const char *struct_reason(const struct decision *decision, const char *what, const struct type *type)
{
    const struct record *record = type->record;
    const struct member *member = record ? host_only_member(record) : NULL;
    if (member)
        return arena_printf(decision->arena, "%s is a struct (%s), whose member '%s' has no dtype", what,
                            type->spelling, member->name);
    if (!record || !record->plain)
        return arena_printf(decision->arena, "%s is a struct (%s) that hosts may lay out differently", what,
                            type->spelling);
    if (!has_input(&decision->options->compile, true))
        return arena_printf(decision->arena, "%s is a struct (%s): wrap the header that defines it, with the source",
                            what, type->spelling);
    return NULL;
}

static const char *type_reason(const struct decision *decision, const struct declared_parameter *parameter)
{
    const struct type *type = &parameter->type;
    const bool is_listed = find_listed_parameter(decision->listed, parameter->name) != NULL;
    const char *name = parameter->name;
    if (is_struct(type))
        return struct_reason(decision, arena_printf(decision->arena, "'%s'", name), type);
    if (type->kind == TYPE_POINTER && !strcmp(parameter->written.spelling, "char") && !is_listed)
        return arena_printf(decision->arena, "'%s' is text (%schar *)", name, type->is_const ? "const " : "");
    if (type->kind == TYPE_OTHER && strchr(type->spelling, '('))
        return arena_printf(decision->arena, "'%s' is a callback (%s)", name, type->spelling);
    if (type->dtype == DTYPE_NONE)
        return arena_printf(decision->arena, "'%s' is %s, which is not the type of an operand", name, type->spelling);
    return NULL;
}

static const char *function_reason(const struct decision *decision)
{
    const struct declared *function = decision->function;
    const struct type *result = &function->result;
    const enum result wanted = decision->listed ? decision->listed->result : RESULT_DEFAULT;
    if (decision->listed && decision->listed->leave_out)
        return decision->listed->leave_out;
    if (function->is_variadic)
        return "it takes a variable number of arguments";
    if (!function->has_prototype)
        return "its declaration does not name its parameters' types";
    if (!function->has_body && has_input(&decision->options->compile, false))
        return "none of the sources defines it";
    if (function->host_only)
        return arena_printf(decision->arena, "it calls %s", function->host_only);
    if (result->kind == TYPE_STRUCT && wanted != RESULT_NONE) {
        const char *reason = struct_reason(decision, "its result", result);
        if (reason)
            return reason;
    } else if (result->kind != TYPE_VOID && result->kind != TYPE_SCALAR && wanted != RESULT_NONE)
{
        return arena_printf(decision->arena, "it returns %s%s", result->spelling,
                            result->kind == TYPE_POINTER ? " (the list may say return = \"none\")" : "");
    }
    for (size_t i = 0; i < function->parameter_count; i++) {
        const char *reason = type_reason(decision, &function->parameters[i]);
        if (reason)
            return reason;
    }
    return NULL;
}

/* ---- extents ---- */

static void add_extent(const struct decision *decision, struct operand *operand, const char *extent)
{
    operand->extents = arena_grow(decision->arena, operand->extents, operand->extent_count, sizeof *operand->extents);
    operand->extents[operand->extent_count++] = extent;
}

static enum role role_by_body(const struct effects *effects)
{
    return !effects->writes ? ROLE_INPUT : effects->reads_first ? ROLE_BOTH : ROLE_OUTPUT;
}

/* The direction that a line of the list would have. */
static const char *direction_hint(const struct declared_parameter *parameter)
{
    const enum role role = parameter->type.is_const       ? ROLE_INPUT
                           : parameter->effects.is_known ? role_by_body(&parameter->effects)
                                                          : ROLE_OUTPUT;
    return role == ROLE_INPUT ? "in" : role == ROLE_BOTH ? "inout" : "out";
}

/* The list counts first, then the type, then constant indices in the body.  Returns null, or what is unknown. */
static const char *decide_extents(const struct decision *decision, struct operand *operand)
{
    const struct declared_parameter *parameter = operand->parameter;
    const struct listed_parameter *listed = find_listed_parameter(decision->listed, parameter->name);
    const struct type *type = &parameter->type;
    const bool is_open = type->dimension_count && !*type->dimensions[0];
    for (size_t i = 0; listed && i < listed->extent_count; i++)
        add_extent(decision, operand, listed->extents[i]);
    if (listed && (listed->extent_count || !type->dimension_count))
        return NULL;
    if (type->dimension_count && !is_open) {
        for (size_t i = 0; i < type->dimension_count; i++)
            add_extent(decision, operand, type->dimensions[i]);
        return NULL;
    }
    const bool may_be_scalar = !type->dimension_count;
    if (type->dimension_count < 2 && parameter->effects.is_known && parameter->effects.length) {
        if (!may_be_scalar || parameter->effects.length > 1)
            add_extent(decision, operand, arena_printf(decision->arena, "%lld", parameter->effects.length));
        return NULL;
    }
    if (may_be_scalar && !decision->function->has_body && (!type->is_const || type->record))
        return NULL; /* decide_role() knows whether it can be an output */
    return arena_printf(decision->arena, "the extent of '%s' is unknown; list it: %s = \"%s[n]\"", parameter->name,
                        parameter->name, direction_hint(parameter));
}

static void mark_sizes(const struct decision *decision)
{
    struct operand *operands = decision->wrapped->operands;
    for (size_t i = 0; i < decision->function->parameter_count; i++)
        for (size_t k = 0; k < decision->function->parameter_count; k++)
            for (size_t d = 0; d < operands[k].extent_count; d++)
                if (!operands[i].is_pointer && is_integer(operands[i].parameter->type.dtype) &&
                    has_word(operands[k].extents[d], operands[i].parameter->name))
                    operands[i].role = ROLE_SIZE;
}

/* The first word of an extent that is no size; or null. */
static const char *unknown_size(const struct decision *decision, const char *extent)
{
    for (const char *at = extent; *at;) {
        size_t length = 0;
        bool found = false;
        while (is_word(at[length]))
            length++;
        const char *word = arena_strndup(decision->arena, at, length);
        for (size_t i = 0; i < decision->function->parameter_count; i++)
            found |= decision->wrapped->operands[i].role == ROLE_SIZE &&
                     !strcmp(decision->wrapped->operands[i].parameter->name, word);
        if (length && !found && !is_number(word))
            return word;
        at += length ? length : 1;
    }
    return NULL;
}

/* Whether the extent is that parameter alone. */
static bool is_size(const struct operand *size, const char *extent)
{
    return size->role == ROLE_SIZE && !strcmp(size->parameter->name, extent);
}

/* The caller's arrays have the sizes of core dimensions; an expression can only follow from these, in an output. */
static const char *dimension_reason(const struct decision *decision)
{
    const struct operand *operands = decision->wrapped->operands;
    const size_t count = decision->function->parameter_count;
    for (size_t i = 0; i < count; i++) {
        bool is_dimension = operands[i].role != ROLE_SIZE;
        for (size_t k = 0; k < count; k++)
            for (size_t d = 0; d < operands[k].extent_count; d++) {
                is_dimension |= is_size(&operands[i], operands[k].extents[d]);
                if (i == 0 && is_expression(operands[k].extents[d]) && operands[k].role != ROLE_OUTPUT)
                    return arena_printf(decision->arena, "the extent of '%s' is '%s', but that of an input must be a "
                                                         "number or a parameter: wrap a function that computes the "
                                                         "parameters of '%s' from it",
                                        operands[k].parameter->name, operands[k].extents[d], decision->function->name);
            }
        if (!is_dimension)
            return arena_printf(decision->arena, "no array's extent is '%s' alone", operands[i].parameter->name);
    }
    return NULL;
}

static const char *extents_reason(const struct decision *decision)
{
    for (size_t i = 0; i < decision->function->parameter_count; i++) {
        const struct operand *operand = &decision->wrapped->operands[i];
        for (size_t d = 0; d < operand->extent_count; d++) {
            const char *unknown = unknown_size(decision, operand->extents[d]);
            if (unknown)
                return arena_printf(decision->arena, "'%s' in the extent of '%s' is not an integer parameter", unknown,
                                    operand->parameter->name);
        }
    }
    return dimension_reason(decision);
}

/* ---- roles ---- */

/* Whether this parameter and all after it can be outputs. */
static bool is_trailing(const struct declared *function, size_t index)
{
    for (size_t i = index; i < function->parameter_count; i++)
        if (function->parameters[i].type.kind != TYPE_POINTER || function->parameters[i].type.is_const)
            return false;
    return true;
}

/* Whether the library writes `const` where it can. */
static bool uses_const(const struct declared *function)
{
    for (size_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i].type.kind == TYPE_POINTER && function->parameters[i].type.is_const)
            return true;
    return false;
}

/* Null, or why the role is unknown. */
static const char *decide_role(const struct decision *decision, struct operand *operand, size_t index)
{
    const struct declared_parameter *parameter = operand->parameter;
    const struct listed_parameter *listed = find_listed_parameter(decision->listed, parameter->name);
    const bool can_be_output =
        is_trailing(decision->function, index) && (!operand->extent_count || uses_const(decision->function));
    if (!operand->is_pointer || parameter->type.is_const)
        operand->role = ROLE_INPUT;
    else if (parameter->effects.is_known)
        operand->role = role_by_body(&parameter->effects);
    else if (!decision->function->has_body && can_be_output)
        operand->role = ROLE_OUTPUT;
    if (listed && listed->role != ROLE_UNKNOWN && operand->is_pointer)
        operand->role = listed->role;
    if (operand->role != ROLE_UNKNOWN)
        return NULL;
    return arena_printf(decision->arena, "the %s does not show how it uses '%s'; list it: %s = \"in\", \"out\" or "
                                         "\"inout\"",
                        decision->function->has_body ? "body" : "prototype", parameter->name, parameter->name);
}

static bool is_parameter(const struct declared *function, const char *name)
{
    for (size_t i = 0; i < function->parameter_count; i++)
        if (!strcmp(function->parameters[i].name, name))
            return true;
    return false;
}

static void name_output(const struct decision *decision, struct operand *operand)
{
    operand->output_name = operand->name;
    if (operand->role != ROLE_BOTH)
        return;
    const char *name = arena_printf(decision->arena, "%s_out", operand->name);
    operand->output_name =
        is_parameter(decision->function, name) ? arena_printf(decision->arena, "%s_changed", operand->name) : name;
}

static const char *decide_operands(const struct decision *decision)
{
    const struct declared *function = decision->function;
    struct operand *operands = decision->wrapped->operands;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct declared_parameter *parameter = &function->parameters[i];
        operands[i] = (struct operand){.parameter = parameter, .is_pointer = parameter->type.kind == TYPE_POINTER,
                                       .is_struct = is_struct(&parameter->type)};
        operands[i].name = strcmp(parameter->name, function->name)
                               ? parameter->name
                               : arena_printf(decision->arena, "%s_", parameter->name); /* it is to be called */
        const char *reason = operands[i].is_pointer ? decide_extents(decision, &operands[i]) : NULL;
        if (!reason)
            reason = decide_role(decision, &operands[i], i);
        if (reason)
            return reason;
        name_output(decision, &operands[i]);
        decision->wrapped->is_gufunc |= operands[i].extent_count > 0 || operands[i].is_struct;
    }
    mark_sizes(decision);
    return extents_reason(decision);
}

/* ---- the result, the name ---- */

static size_t count_roles(const struct wrapped *wrapped, enum role role)
{
    size_t count = 0;
    for (size_t i = 0; i < wrapped->function->parameter_count; i++)
        count += wrapped->operands[i].role == role || wrapped->operands[i].role == ROLE_BOTH;
    return count;
}

/* Other integers than int are results: an index of 64 bits. */
static bool is_status(const struct type *type)
{
    return type->dtype == DTYPE_int32;
}

static const char *decide_result(const struct decision *decision)
{
    struct wrapped *wrapped = decision->wrapped;
    const struct type *type = &decision->function->result;
    const size_t outputs = count_roles(wrapped, ROLE_OUTPUT);
    wrapped->result = decision->listed ? decision->listed->result : RESULT_DEFAULT;
    wrapped->is_gufunc |= type->kind == TYPE_STRUCT;
    if (type->kind == TYPE_VOID)
        wrapped->result = RESULT_NONE;
    else if (type->kind == TYPE_STRUCT && wrapped->result != RESULT_NONE)
        wrapped->result = RESULT_VALUE;
    else if (wrapped->result == RESULT_DEFAULT)
        wrapped->result = outputs && is_status(type) ? decision->options->status : RESULT_VALUE;
    if (!outputs && wrapped->result == RESULT_NONE)
        return "it has no outputs";
    const size_t inputs = count_roles(wrapped, ROLE_INPUT), most = GPUCC_LOOP_OPERANDS;
    const size_t count = inputs + outputs + (wrapped->result != RESULT_NONE);
    if (count > most)
        return arena_printf(decision->arena, "it has %zu inputs and outputs, of %zu at most", count, most);
    return inputs ? NULL : "it has no inputs";
}

static bool is_taken(const struct library *library, const char *name)
{
    static const char *const keywords[] = {
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
        "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
        "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(keywords[i], name))
            return true;
    return !is_word(*name) || (*name >= '0' && *name <= '9') || names_find(library->names, name) ||
           library_with("nvptx64", name);
}

/* Whether the C function itself is a ufunc: scalars in order, and outputs behind them. */
static bool is_ufunc_itself(const struct wrapped *wrapped)
{
    size_t outputs = 0;
    for (size_t i = 0; i < wrapped->function->parameter_count; i++) {
        const struct operand *operand = &wrapped->operands[i];
        if (operand->role == ROLE_BOTH || operand->extent_count || operand->is_struct ||
            (operand->role == ROLE_INPUT && (operand->is_pointer || outputs)))
            return false;
        outputs += operand->role == ROLE_OUTPUT;
    }
    if (wrapped->function->result.kind == TYPE_STRUCT)
        return false;
    return wrapped->function->result.kind == TYPE_VOID || (!outputs && wrapped->result == RESULT_VALUE);
}

static void decide_name(const struct decision *decision)
{
    struct wrapped *wrapped = decision->wrapped;
    const char *own = decision->function->name, *prefix = decision->options->prefix;
    const char *stripped = *prefix && begins(own, prefix) ? own + strlen(prefix) : own;
    if (decision->listed && decision->listed->wrap_as)
        wrapped->name = decision->listed->wrap_as;
    else if (stripped != own && !is_taken(decision->library, stripped))
        wrapped->name = stripped;
    else if (is_ufunc_itself(wrapped))
        wrapped->name = own;
    else
        wrapped->name = arena_printf(decision->arena, "%s_wrapped", own);
    wrapped->is_prototype = wrapped->name == own;
}

struct wrapped wrap_function(const struct wrap_options *options, const struct library *library,
                             const struct list *list, const struct declared *function)
{
    struct arena *arena = options->compile.arena;
    struct wrapped wrapped = {.function = function, .name = function->name,
                              .operands = arena_alloc(arena, (function->parameter_count + 1) * sizeof(struct operand))};
    const struct decision decision = {options, library, function, find_listed(list, function->name), &wrapped, arena};
    wrapped.reason = function_reason(&decision);
    if (!wrapped.reason)
        wrapped.reason = decide_operands(&decision);
    if (!wrapped.reason)
        wrapped.reason = decide_result(&decision);
    if (!wrapped.reason)
        decide_name(&decision);
    return wrapped;
}
