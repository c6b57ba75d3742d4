/* The values of options: names of GPUs and targets, numbers, choices, warnings. */
#include "command/option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *arch_list(const struct options *options, const char *separator)
{
    struct text text = {.arena = options->arena};
    const struct architecture *known;
    for (size_t i = 0; (known = architecture_at(i)); i++)
        text_printf(&text, "%s%s", i ? separator : "", arch_name(options->arena, known->number));
    return text.data;
}

/* "90", "compute_90", "SM_90" and "sm90" mean sm_90; null if nothing is meant. */
static const char *meant_arch(const struct options *options, const char *name, size_t length)
{
    const char *number = memchr(name, '_', length);
    number = number ? number + 1 : name + strcspn(name, "0123456789,");
    const char *meant = arena_printf(options->arena, "sm_%.*s", (int)(name + length - number), number);
    return arch_from_name(meant, strlen(meant)) ? meant : NULL;
}

static int known_arch(const struct options *options, const char *name, size_t length)
{
    const int arch = arch_from_name(name, length);
    if (arch)
        return arch;
    const char *meant = meant_arch(options, name, length);
    if (meant)
        usage_error("unknown GPU '%.*s' in --arch; did you mean '%s'?", (int)length, name, meant);
    usage_error("unknown GPU '%.*s' in --arch; known: %s", (int)length, name, arch_list(options, " "));
}

void add_arch(struct options *options, int arch)
{
    size_t i = 0;
    while (i < options->arch_count && options->archs[i] < arch)
        i++;
    if (i < options->arch_count && options->archs[i] == arch)
        return;
    options->archs = arena_grow(options->arena, options->archs, options->arch_count, sizeof *options->archs);
    memmove(options->archs + i + 1, options->archs + i, (options->arch_count - i) * sizeof *options->archs);
    options->archs[i] = arch;
    options->arch_count++;
}

void parse_archs(struct options *options, const char *list)
{
    for (const char *p = list;; p++) {
        size_t length = strcspn(p, ",");
        add_arch(options, known_arch(options, p, length));
        p += length;
        if (!*p)
            break;
    }
}

const char *native_list(const struct options *options, const char *separator)
{
    struct text text = {.arena = options->arena};
    for (int i = 0; i < GPUCC_NATIVE_COUNT; i++)
        text_printf(&text, "%s%s", i ? separator : "", native_target(i)->name);
    return text.data;
}

int target_from_name(const struct options *options, const char *option, const char *name, size_t length)
{
    for (int i = 0; i < GPUCC_NATIVE_COUNT; i++)
        if (strlen(native_target(i)->name) == length && !memcmp(native_target(i)->name, name, length))
            return i;
    usage_error("%s does not take '%.*s'; it takes: %s", option, (int)length, name, native_list(options, " "));
}

const char *target_here(void)
{
    const unsigned here = processor_targets();
    if (!here)
        usage_error("-march=native: this processor runs none of gpucc's targets");
    return native_target((enum gpucc_native_target)(31 - __builtin_clz(here)))->name;
}

/* A later list takes an earlier one's place. */
void parse_targets(struct options *options, const char *list)
{
    options->native_targets = 0;
    for (const char *p = list;; p++) {
        size_t length = strcspn(p, ",");
        options->native_targets |= 1u << target_from_name(options, "--target", p, length);
        p += length;
        if (!*p)
            break;
    }
}

int parse_number(const char *option, const char *value, int low, int high)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (!*value || *end || errno || number < low || number > high)
        usage_error("%s expects a number from %d to %d, not '%s'", option, low, high, value);
    return (int)number;
}

int parse_choice(struct options *options, const char *option, const char *value, const char *const *choices)
{
    struct text list = {.arena = options->arena};
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(choices[i], value))
            return i;
        text_printf(&list, " %s", choices[i]);
    }
    usage_error("%s does not take '%s'; it takes:%s", option, value, list.data);
}

int parse_level(const char *value)
{
    if (!*value)
        return 1;
    if (value[1] || *value < '0' || *value > '3')
        usage_error("-O takes 0, 1, 2 or 3, not '%s'", value);
    return *value - '0';
}

void add_clang(struct options *options, const char *argument)
{
    options->clang_arguments = arena_grow(options->arena, options->clang_arguments, options->clang_argument_count,
                                          sizeof *options->clang_arguments);
    options->clang_arguments[options->clang_argument_count++] = argument;
}

void add_clang_pair(struct options *options, const char *name, const char *value)
{
    add_clang(options, name);
    add_clang(options, value);
}

void parse_math(struct options *options, const char *value)
{
    size_t length = strcspn(value, ":");
    options->libdevice = length == strlen("libdevice") && !strncmp(value, "libdevice", length);
    if (!options->libdevice && strcmp(value, "gpucc"))
        usage_error("--math takes gpucc, libdevice or libdevice:PATH, not '%s'", value);
    if (value[length] && !value[length + 1])
        usage_error("--math=libdevice: needs a path behind the colon");
    options->libdevice_path = value[length] ? value + length + 1 : NULL;
}

const char *parse_contraction(struct options *options, const char *value)
{
    static const char *const modes[] = {"on", "off", NULL};
    parse_choice(options, "-ffp-contract", value, modes);
    return value;
}

void parse_warning(struct options *options, const char *name)
{
    if (!strcmp(name, "error"))
        options->warnings_are_errors = true;
    else if (!strcmp(name, "no-error"))
        options->warnings_are_errors = false;
    else if (!strcmp(name, "performance") || !strcmp(name, "error=performance"))
        options->lints = true;
    else if (!strcmp(name, "no-performance"))
        options->lints = false;
    add_clang(options, arena_printf(options->arena, "-W%s", name));
}
