/* Dependency files: Make rules as GCC writes them, which Ninja reads too. */
#include "emit/emit.h"

#include <string.h>

enum { LINE_WIDTH = 76 };

struct list {
    const char **items;
    size_t count;
};

static bool contains(const struct list *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->items[i], path))
            return true;
    return false;
}

static bool is_source(const struct options *options, const char *path)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (!strcmp(options->inputs[i], path))
            return true;
    return is_linkable(path);
}

static void add_file(const struct options *options, struct list *files, const char *path, bool is_system)
{
    if (contains(files, path) || (options->deps_skip_system && is_system))
        return;
    files->items = arena_grow(options->arena, files->items, files->count, sizeof *files->items);
    files->items[files->count++] = path;
}

/* All files that any reading included: that may depend on the type variables and on the target. */
static struct list files_read(const struct options *options, const struct program *program)
{
    struct list files = {0};
    for (size_t i = 0; i < program->pass_count; i++) {
        const struct unit *unit = program->passes[i].unit;
        for (size_t k = 0; k < unit->include_count; k++)
            add_file(options, &files, unit->includes[k].path, unit->includes[k].is_system);
    }
    for (size_t i = 0; i < program->include_count; i++)
        add_file(options, &files, program->includes[i].path, program->includes[i].is_system);
    for (size_t i = 0; i < options->linked_count; i++)
        add_file(options, &files, options->linked[i], false);
    return files;
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

static void append_rule(struct text *rule, const char *targets, const struct list *files)
{
    text_printf(rule, "%s:", targets);
    size_t column = rule->size;
    for (size_t i = 0; i < files->count; i++) {
        const char *path = quoted(rule->arena, files->items[i]);
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

void write_dependencies(const struct options *options, const struct program *program)
{
    struct list files = files_read(options, program);
    struct text rule = {.arena = options->arena};
    append_rule(&rule, options->deps_targets ? options->deps_targets : default_targets(options), &files);
    for (size_t i = 0; options->deps_phony && i < files.count; i++)
        if (!is_source(options, files.items[i]))
            text_printf(&rule, "%s:\n", quoted(options->arena, files.items[i]));
    write_file(options->deps_path ? options->deps_path : default_path(options), rule.data, rule.size, false);
}
