/* The types that a kernel may return and take. */
#include "frontend/frontend_internal.h"

#include <string.h>

static void check_types(const struct parse *parse, const struct function *function)
{
    if (function->result.kind != TYPE_VOID)
        diagnose(parse->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "kernel '%s' returns '%s': make it 'void' and write results through a pointer",
                 function->name, function->result.spelling);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameters[i];
        if (parameter->type.kind != TYPE_OTHER)
            continue;
        diagnose(parse->diagnostics, SEVERITY_ERROR, parameter->place, NULL,
                 "kernel parameter '%s' has type '%s', which hosts cannot pass", parameter->name,
                 parameter->type.spelling);
        if (strstr(parameter->type.spelling, "(*"))
            diagnose(parse->diagnostics, SEVERITY_NOTE, parameter->place, NULL,
                     "hosts cannot pass addresses of device functions: pass a number by which the kernel selects one");
    }
}

/* The largest that a kernel of all the wanted architectures can have, and why it is no more. */
static size_t parameter_space(const struct options *options, const char **why)
{
    for (size_t i = 0; i < options->arch_count; i++)
        if (arch_capability(options->archs[i]) < 70) {
            *why = arena_printf(options->arena, " on %s", arch_name(options->arena, options->archs[i]));
            return GPUCC_PARAMETERS;
        }
    *why = "";
    return GPUCC_PARAMETERS_MOST;
}

static void check_parameter_space(const struct parse *parse, struct function *function)
{
    const char *why;
    const struct parameter *first_beyond = NULL;
    size_t bytes = 0, most = parameter_space(parse->options, &why);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct type *type = &function->parameters[i].type;
        size_t align = type->align ? type->align : 1;
        bytes = (bytes + align - 1) / align * align + type->size;
        if (bytes > most && !first_beyond)
            first_beyond = &function->parameters[i];
    }
    function->parameter_bytes = bytes;
    if (!first_beyond)
        return;
    diagnose(parse->diagnostics, SEVERITY_ERROR, first_beyond->place, NULL,
             "with '%s', the parameters of '%s' take %zu bytes; a kernel has %zu%s", first_beyond->name, function->name,
             bytes, most, why);
    diagnose(parse->diagnostics, SEVERITY_NOTE, first_beyond->place, NULL, "pass large values through a pointer");
}

void check_kernel(const struct parse *parse, struct function *function)
{
    check_types(parse, function);
    check_parameter_space(parse, function);
}
