/* Dependency files: Make rules as GCC writes them, which Ninja reads too. */
#include "command/command.h"

#include <string.h>

enum { LINE_WIDTH = 76 };

static bool is_source(const struct options *options, const char *path)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (!strcmp(options->inputs[i], path))
            return true;
    return is_linkable(path);
}

/* Make's quoting: a backslash before spaces and '#' (doubling those before it), '$' twice. */
static const char *quoted(struct arena *arena, const char *path)
{
    struct text text = {.arena = arena};
    text_append(&text, "", 0);
    for (const char *p = path; *p; p++) {
        if (*p == ' ' || *p == '\t') {
            for (const char *back = p; back > path && back[-1] == '\\'; back--)
                text_append(&text, "\\", 1);
            text_append(&text, "\\", 1);
        } else if (*p == '#') {
            text_append(&text, "\\", 1);
        } else if (*p == '$') {
            text_append(&text, "$", 1);
        }
        text_append(&text, p, 1);
    }
    return text.data;
}

static const char *default_targets(const struct options *options)
{
    struct text text = {.arena = options->arena};
    for (size_t i = 0; i < options->output_count; i++)
        if (strcmp(options->outputs[i].path, "-"))
            text_printf(&text, "%s%s", text.size ? " " : "", quoted(options->arena, options->outputs[i].path));
    if (!text.size)
        text_printf(&text, "%s", quoted(options->arena, arena_printf(options->arena, "%s.ptx", options_stem(options))));
    return text.data;
}

static bool is_listed(const struct options *options, const struct include *include)
{
    return !(options->deps_skip_system && include->is_system);
}

static void append_rule(struct text *rule, const struct options *options, const struct include *includes, size_t count)
{
    text_printf(rule, "%s:", options->deps_targets ? options->deps_targets : default_targets(options));
    size_t column = rule->size;
    for (size_t i = 0; i < count; i++) {
        if (!is_listed(options, &includes[i]))
            continue;
        const char *path = quoted(rule->arena, includes[i].path);
        size_t length = strlen(path) + 1;
        if (column + length > LINE_WIDTH && column > 2) {
            text_printf(rule, " \\\n ");
            column = 1;
        }
        text_printf(rule, " %s", path);
        column += length;
    }
    text_printf(rule, "\n");
}

/* Beside the first output, as GCC does it. */
static const char *default_path(const struct options *options)
{
    if (options->deps_only)
        return "-";
    for (size_t i = 0; i < options->output_count; i++) {
        const char *path = options->outputs[i].path, *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
        if (!strcmp(path, "-"))
            continue;
        size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
        return arena_printf(options->arena, "%.*s.d", (int)length, path);
    }
    return arena_printf(options->arena, "%s.d", options_stem(options));
}

void write_dependencies(const struct options *options, const struct include *includes, size_t count)
{
    struct text rule = {.arena = options->arena};
    append_rule(&rule, options, includes, count);
    for (size_t i = 0; options->deps_phony && i < count; i++)
        if (is_listed(options, &includes[i]) && !is_source(options, includes[i].path))
            text_printf(&rule, "%s:\n", quoted(options->arena, includes[i].path));
    write_file(options->deps_path ? options->deps_path : default_path(options), rule.data, rule.size, false);
}
