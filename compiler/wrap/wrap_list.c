/* The list of `gpucc wrap`: tables of TOML with strings, in which a function's parameters get roles and extents. */
#include "wrap/wrap_internal.h"

#include <errno.h>
#include <string.h>

/* One line at a time. */
struct list_reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char *path;
    struct list list;
    const char *line;    /* NUL-terminated */
    unsigned number;
    struct listed *table; /* the last [function], or null */
};

static struct place place_at(const struct list_reader *reader, const char *at, size_t length)
{
    return (struct place){reader->path, reader->number, (unsigned)(at - reader->line) + 1, (unsigned)length};
}

static void report_line(const struct list_reader *reader, const char *at, const char *expected)
{
    diagnose(reader->diagnostics, SEVERITY_ERROR, place_at(reader, at, 1), NULL, "expected %s", expected);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* Whether nothing but a comment follows; reports what else does. */
static bool ends_line(const struct list_reader *reader, const char *at)
{
    at = skip_blanks(at);
    if (!*at || *at == '#')
        return true;
    report_line(reader, at, "the end of the line");
    return false;
}

static size_t key_length(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]) || at[length] == '-')
        length++;
    return length;
}

static void read_table(struct list_reader *reader, const char *at)
{
    const char *name = skip_blanks(at + 1);
    const size_t length = key_length(name);
    const char *end = skip_blanks(name + length);
    reader->table = NULL;
    if (!length || *end != ']') {
        report_line(reader, length ? end : name, length ? "']'" : "the name of a function");
        return;
    }
    if (!ends_line(reader, end + 1))
        return;
    struct list *list = &reader->list;
    const struct listed listed = {.name = arena_strndup(reader->arena, name, length),
                                  .place = place_at(reader, name, length)};
    const struct listed *before = find_listed(list, listed.name);
    if (before) {
        diagnose(reader->diagnostics, SEVERITY_ERROR, listed.place, NULL, "the list has '%s' twice", listed.name);
        diagnose(reader->diagnostics, SEVERITY_NOTE, before->place, NULL, "the first one is here");
    }
    list->items = arena_grow(reader->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = listed;
    reader->table = &list->items[list->count - 1];
}

static void add_extent(struct list_reader *reader, struct listed_parameter *parameter, const char *text, size_t length)
{
    parameter->extents =
        arena_grow(reader->arena, parameter->extents, parameter->extent_count, sizeof *parameter->extents);
    parameter->extents[parameter->extent_count++] = arena_strndup(reader->arena, text, length);
}

/* "in[n][3]", of which each part may be missing. */
static void read_parameter(struct list_reader *reader, const char *name, const char *value, const char *place)
{
    static const struct {
        const char *name;
        enum role role;
    } roles[] = {{"inout", ROLE_BOTH}, {"in", ROLE_INPUT}, {"out", ROLE_OUTPUT}};
    struct listed *table = reader->table;
    struct listed_parameter parameter = {.name = name, .place = place_at(reader, place, strlen(name))};
    const char *at = skip_blanks(value);
    for (size_t i = 0; i < sizeof roles / sizeof *roles && parameter.role == ROLE_UNKNOWN; i++)
        if (begins(at, roles[i].name) && !is_word(at[strlen(roles[i].name)])) {
            parameter.role = roles[i].role;
            at = skip_blanks(at + strlen(roles[i].name));
        }
    while (*at == '[' && strchr(at, ']')) {
        const size_t length = strcspn(at, "]");
        add_extent(reader, &parameter, at + 1, length - 1);
        at = skip_blanks(at + length + 1);
    }
    if (*at || (parameter.role == ROLE_UNKNOWN && !parameter.extent_count))
        diagnose(reader->diagnostics, SEVERITY_ERROR, parameter.place, NULL,
                 "'%s' is \"%s\"; expected in, out or inout and extents, such as \"in[n][3]\"", name, value);
    table->parameters =
        arena_grow(reader->arena, table->parameters, table->parameter_count, sizeof *table->parameters);
    table->parameters[table->parameter_count++] = parameter;
}

static void read_result(struct list_reader *reader, const char *value, const char *place)
{
    reader->table->result = result_from_name(value);
    if (reader->table->result == RESULT_DEFAULT)
        diagnose(reader->diagnostics, SEVERITY_ERROR, place_at(reader, place, strlen("return")), NULL,
                 "'return' is \"%s\"; expected value, status, mask or none", value);
}

/* A keyword or a word with a hyphen is no parameter's name. */
static void read_pair(struct list_reader *reader, const char *at)
{
    const size_t length = key_length(at);
    const char *equals = skip_blanks(at + length);
    if (!length || *equals != '=') {
        report_line(reader, length ? equals : at, length ? "'='" : "'[function]' or 'parameter = \"in[n]\"'");
        return;
    }
    const char *quote = skip_blanks(equals + 1);
    const char *end = *quote == '"' || *quote == '\'' ? strchr(quote + 1, *quote) : NULL;
    if (!end) {
        report_line(reader, quote, "a string in quotes");
        return;
    }
    if (!reader->table) {
        report_line(reader, at, "'[function]' before the first parameter");
        return;
    }
    if (!ends_line(reader, end + 1))
        return;
    const char *key = arena_strndup(reader->arena, at, length);
    const char *value = arena_strndup(reader->arena, quote + 1, (size_t)(end - quote) - 1);
    if (!strcmp(key, "return"))
        read_result(reader, value, at);
    else if (!strcmp(key, "wrap-as"))
        reader->table->wrap_as = value;
    else if (!strcmp(key, "leave-out"))
        reader->table->leave_out = value;
    else
        read_parameter(reader, key, value, at);
}

struct list read_list(const struct options *options, const char *path, struct diagnostics *diagnostics)
{
    struct list_reader reader = {.arena = options->arena, .diagnostics = diagnostics, .path = path};
    const struct source *source = path ? source_open(options->sources, path) : NULL;
    const char *text;
    size_t length;
    if (path && !source)
        fatal("cannot open '%s': %s", path, file_error(errno));
    while (source && source_line(source, ++reader.number, &text, &length)) {
        reader.line = arena_strndup(options->arena, text, length);
        const char *at = skip_blanks(reader.line);
        if (*at == '[')
            read_table(&reader, at);
        else if (*at && *at != '#')
            read_pair(&reader, at);
    }
    return reader.list;
}

const struct listed *find_listed(const struct list *list, const char *function)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, function))
            return &list->items[i];
    return NULL;
}

const struct listed_parameter *find_listed_parameter(const struct listed *listed, const char *name)
{
    for (size_t i = 0; listed && i < listed->parameter_count; i++)
        if (!strcmp(listed->parameters[i].name, name))
            return &listed->parameters[i];
    return NULL;
}

static const struct declared *find_function(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->function_count; i++)
        if (!strcmp(library->functions[i].name, name))
            return &library->functions[i];
    return NULL;
}

static void check_parameters(const struct listed *listed, const struct declared *function,
                             struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < listed->parameter_count; i++) {
        const struct listed_parameter *parameter = &listed->parameters[i];
        bool found = false;
        for (size_t k = 0; k < function->parameter_count && !found; k++)
            found = !strcmp(function->parameters[k].name, parameter->name);
        if (found)
            continue;
        diagnose(diagnostics, SEVERITY_ERROR, parameter->place, NULL, "'%s' has no parameter '%s'", listed->name,
                 parameter->name);
        diagnose(diagnostics, SEVERITY_NOTE, function->place, NULL, "'%s' is declared here", listed->name);
    }
}

void check_list(const struct list *list, const struct library *library, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct listed *listed = &list->items[i];
        const struct declared *function = find_function(library, listed->name);
        if (function)
            check_parameters(listed, function, diagnostics);
        else
            diagnose(diagnostics, SEVERITY_ERROR, listed->place, NULL,
                     "none of the files declares a function '%s'", listed->name);
    }
}
