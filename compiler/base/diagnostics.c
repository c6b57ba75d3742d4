/* Diagnostics as clang prints them, or as one JSON object on each line. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    ERROR_LIMIT = 20,
    GUTTER = 6,          /* the line number and the space around it */
    MARGINS = 2 + 2 * 3, /* the bar, and dots where a line is cut */
    WIDEST_LINE = 240,
};

/* How a file came to be read. */
struct inclusion {
    const char *file;
    struct place from;
};

struct diagnostics {
    struct diagnostic_settings settings;
    struct arena *arena;
    size_t errors, warnings;
    bool colours, last_was_dropped, stopped;
    unsigned width;             /* the columns that a source line may take */
    uint64_t *seen;             /* hashes of what has been reported */
    size_t seen_count;
    struct inclusion *inclusions;
    size_t inclusion_count;
    const char *last_file;      /* whose inclusions were printed last */
    struct text waiting;        /* JSON of the last diagnostic, without its end, while notes may follow */
    bool has_notes;
    struct diagnostics *parent; /* that reports what is held here; or null */
    struct diagnostic *deferred;
    size_t deferred_count;
    pthread_mutex_t *lock;      /* guards deferred diagnostics, which another thread may add or release */
};

static const struct {
    const char *name, *colour;
} severities[] = {
    [SEVERITY_NOTE] = {"note", "\033[0;1;36m"},
    [SEVERITY_WARNING] = {"warning", "\033[0;1;35m"},
    [SEVERITY_ERROR] = {"error", "\033[0;1;31m"},
    [SEVERITY_FATAL] = {"fatal error", "\033[0;1;31m"},
};

struct place place_in_text(const char *text, const char *at, struct place start)
{
    if (start.length)
        return start; /* a macro wrote it: that one place stands for all */
    for (const char *p = text; p < at; p++) {
        start.column++;
        if (*p == '\n') {
            start.line++;
            start.column = 1;
        }
    }
    return start;
}

struct terminal standard_error(void)
{
    struct terminal found = {.has_colours = has_colors(STDERR_FILENO), .width = WIDEST_LINE};
    struct winsize window;
    if (job_current() || !isatty(STDERR_FILENO))
        return found;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col > 40)
        found.width = window.ws_col - GUTTER - MARGINS;
    return found;
}

struct diagnostics *diagnostics_new(const struct diagnostic_settings *settings)
{
    struct diagnostics *diagnostics = arena_alloc(settings->arena, sizeof *diagnostics);
    const struct terminal terminal = standard_error();
    diagnostics->settings = *settings;
    diagnostics->arena = settings->arena;
    diagnostics->waiting.arena = settings->arena;
    diagnostics->width = terminal.width;
    diagnostics->colours = terminal.has_colours;
    diagnostics->lock = arena_alloc(settings->arena, sizeof *diagnostics->lock);
    lock_init(diagnostics->lock);
    job_set_diagnostics(diagnostics);
    return diagnostics;
}

size_t diagnostics_errors(const struct diagnostics *diagnostics)
{
    return diagnostics->errors;
}

void diagnostics_included(struct diagnostics *diagnostics, const char *file, struct place place)
{
    for (size_t i = 0; i < diagnostics->inclusion_count; i++)
        if (!strcmp(diagnostics->inclusions[i].file, file))
            return;
    diagnostics->inclusions = arena_grow(diagnostics->arena, diagnostics->inclusions, diagnostics->inclusion_count,
                                         sizeof *diagnostics->inclusions);
    place.file = arena_strdup(diagnostics->arena, place.file);
    diagnostics->inclusions[diagnostics->inclusion_count++] =
        (struct inclusion){arena_strdup(diagnostics->arena, file), place};
}

static const struct inclusion *find_inclusion(const struct diagnostics *diagnostics, const char *file)
{
    for (size_t i = 0; i < diagnostics->inclusion_count; i++)
        if (!strcmp(diagnostics->inclusions[i].file, file))
            return &diagnostics->inclusions[i];
    return NULL;
}

/* ---- what is printed of characters ---- */

static bool in_ranges(uint32_t code, const uint32_t (*ranges)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* Columns that a terminal gives a character; -1 for one that must not be sent there. */
static int display_width(uint32_t code)
{
    static const uint32_t wide[][2] = {
        {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
        {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
    };
    static const uint32_t combining[][2] = {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const uint32_t hidden[][2] = {{0, 0x1f},       {0x7f, 0x9f},     {0x200b, 0x200f},
                                         {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    if (in_ranges(code, hidden, sizeof hidden / sizeof *hidden))
        return -1;
    if (in_ranges(code, wide, sizeof wide / sizeof *wide))
        return 2;
    return !in_ranges(code, combining, sizeof combining / sizeof *combining);
}

/* Appends the character at `p`, made printable, and returns its bytes; *width is the columns it takes. */
static size_t append_character(struct text *text, const char *p, size_t size, int *width)
{
    uint32_t code;
    size_t step = utf8_decode(p, size, &code), before = text->size;
    if (!step) {
        text_printf(text, "<%02X>", (unsigned char)*p);
        *width = (int)(text->size - before);
        return 1;
    }
    *width = display_width(code);
    if (code == '\t') {
        text_append(text, p, 1);
        *width = 1;
    } else if (*width < 0) {
        text_printf(text, "<U+%04X>", (unsigned)code);
        *width = (int)(text->size - before);
    } else {
        text_append(text, p, step);
    }
    return step;
}

static void append_printable(struct text *text, const char *p)
{
    for (size_t size = strlen(p), step; size; p += step, size -= step) {
        int width;
        if (*p == '\n') {
            text_append(text, p, step = 1);
            continue;
        }
        step = append_character(text, p, size, &width);
    }
}

/* ---- the source line and its marks ---- */

/* The first column to show when the line does not fit: with the column in the middle, on a character's first byte. */
static size_t window_begin(const struct diagnostics *diagnostics, const char *line, size_t length, size_t column)
{
    if (length <= diagnostics->width || column < diagnostics->width * 2 / 3)
        return 0;
    size_t begin = column - diagnostics->width / 2;
    if (begin > length)
        begin = length > diagnostics->width / 2 ? length - diagnostics->width / 2 : 0;
    while (begin < length && ((unsigned char)line[begin] & 0xc0) == 0x80)
        begin++;
    return begin;
}

static char mark_at(const struct diagnostic *diagnostic, size_t offset)
{
    const struct place *place = &diagnostic->place;
    size_t column = offset + 1;
    if (column == place->column)
        return '^';
    if (column > place->column && column - place->column < place->length)
        return '~';
    for (size_t i = 0; i < diagnostic->range_count; i++)
        if (column >= diagnostic->ranges[i].column &&
            column - diagnostic->ranges[i].column < diagnostic->ranges[i].length)
            return '~';
    return ' ';
}

/* One mark for each column that a character takes; a caret stands in its first. */
static void append_mark(struct text *marks, char mark, int width, bool tab)
{
    for (int i = 0; i < width; i++) {
        char c = i && mark == '^' ? ' ' : mark;
        if (tab && c == ' ')
            c = '\t';
        text_append(marks, &c, 1);
    }
}

static void append_line_and_marks(const struct diagnostics *diagnostics, const struct diagnostic *diagnostic,
                                  const char *line, size_t length, struct text *shown, struct text *marks)
{
    size_t caret = diagnostic->place.column - 1;
    size_t offset = window_begin(diagnostics, line, length, caret);
    unsigned columns = 0;
    text_printf(shown, "%s", offset ? "..." : "");
    text_printf(marks, "%s", offset ? "   " : "");
    while (offset < length && columns < diagnostics->width) {
        int width;
        size_t step = append_character(shown, line + offset, length - offset, &width);
        append_mark(marks, mark_at(diagnostic, offset), width, line[offset] == '\t');
        offset += step;
        columns += (unsigned)width;
    }
    text_printf(shown, "%s", offset < length ? "..." : "");
    if (caret >= offset && offset == length)
        text_append(marks, "^", 1);
    while (marks->size && (marks->data[marks->size - 1] == ' ' || marks->data[marks->size - 1] == '\t'))
        marks->data[--marks->size] = '\0';
}

/* Clang's suggestion, under the place where it would go. */
static void append_insertion(struct text *out, const struct diagnostic *diagnostic, const struct text *marks)
{
    size_t caret = 0;
    if (!diagnostic->insertion)
        return;
    while (caret < marks->size && marks->data[caret] != '^')
        caret++;
    text_printf(out, "%*s| ", GUTTER, "");
    for (size_t i = 0; i < caret; i++)
        text_append(out, marks->data[i] == '\t' ? "\t" : " ", 1);
    append_printable(out, diagnostic->insertion);
    text_append(out, "\n", 1);
}

static struct place shown_place(const struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    return presumed_place(diagnostics->arena, diagnostics->settings.sources, diagnostic->place);
}

static void append_snippet(struct diagnostics *diagnostics, const struct diagnostic *diagnostic, struct text *out)
{
    const struct place *place = &diagnostic->place;
    const struct source *source = source_open(diagnostics->settings.sources, place->file);
    const char *line;
    size_t length;
    if (!source || !place->column || !source_line(source, place->line, &line, &length))
        return;
    struct text shown = {.arena = diagnostics->arena}, marks = {.arena = diagnostics->arena};
    append_line_and_marks(diagnostics, diagnostic, line, length, &shown, &marks);
    text_printf(out, "%*u | %s\n", GUTTER - 1, shown_place(diagnostics, diagnostic).line, shown.data);
    text_printf(out, "%*s| %s%s%s\n", GUTTER, "", diagnostics->colours ? "\033[0;1;32m" : "", marks.data,
                diagnostics->colours ? "\033[0m" : "");
    append_insertion(out, diagnostic, &marks);
}

/* ---- text ---- */

static void append_inclusions(struct diagnostics *diagnostics, const char *file, struct text *out, int depth)
{
    const struct inclusion *inclusion = find_inclusion(diagnostics, file);
    if (!inclusion || depth > 200)
        return;
    append_inclusions(diagnostics, inclusion->from.file, out, depth + 1);
    text_printf(out, "In file included from ");
    append_printable(out, shown_name(inclusion->from.file));
    text_printf(out, ":%u:\n", inclusion->from.line);
}

static void append_option(struct text *out, const struct diagnostic *diagnostic, bool promoted)
{
    if (diagnostic->option && diagnostic->severity != SEVERITY_NOTE)
        text_printf(out, " [%s%s]", promoted ? "-Werror," : "", diagnostic->option);
}

static void print_text(struct diagnostics *diagnostics, const struct diagnostic *diagnostic, bool promoted)
{
    const struct place *place = &diagnostic->place;
    bool colours = diagnostics->colours;
    struct text out = {.arena = diagnostics->arena};
    if (place->file && diagnostic->severity != SEVERITY_NOTE &&
        (!diagnostics->last_file || strcmp(diagnostics->last_file, place->file))) {
        append_inclusions(diagnostics, place->file, &out, 0);
        diagnostics->last_file = arena_strdup(diagnostics->arena, place->file);
    }
    text_printf(&out, "%s", colours ? "\033[1m" : "");
    const struct place shown = shown_place(diagnostics, diagnostic);
    append_printable(&out, shown.file ? shown_name(shown.file) : "gpucc");
    if (shown.file && shown.line)
        text_printf(&out, ":%u:%u", shown.line, shown.column);
    text_printf(&out, ": %s%s: %s", colours ? severities[diagnostic->severity].colour : "",
                severities[diagnostic->severity].name, colours ? "\033[0m\033[1m" : "");
    append_printable(&out, diagnostic->text);
    append_option(&out, diagnostic, promoted);
    text_printf(&out, "%s\n", colours ? "\033[0m" : "");
    if (place->file)
        append_snippet(diagnostics, diagnostic, &out);
    log_write(LOG_TEXT, out.data, out.size);
}

/* ---- JSON ---- */

static void append_json_string(struct text *out, const char *string)
{
    if (!string) {
        text_printf(out, "null");
        return;
    }
    text_append(out, "\"", 1);
    for (size_t size = strlen(string), step; size; string += step, size -= step) {
        uint32_t code;
        step = utf8_decode(string, size, &code);
        if (!step)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (code == '"' || code == '\\')
            text_printf(out, "\\%c", (char)code);
        else if (code < 0x20 || code == 0x7f)
            text_printf(out, "\\u%04x", (unsigned)code);
        else
            text_append(out, string, step);
        step += !step;
    }
    text_append(out, "\"", 1);
}

static void append_json_number(struct text *out, const char *name, unsigned number)
{
    if (number)
        text_printf(out, ",\"%s\":%u", name, number);
    else
        text_printf(out, ",\"%s\":null", name);
}

/* The bytes from the caret on that the diagnostic is about. */
static unsigned marked_length(const struct diagnostic *diagnostic)
{
    unsigned length = diagnostic->place.length;
    for (size_t i = 0; i < diagnostic->range_count; i++)
        if (diagnostic->ranges[i].column == diagnostic->place.column && diagnostic->ranges[i].length > length)
            length = diagnostic->ranges[i].length;
    return length ? length : 1;
}

/* The object without its closing brace. */
static void append_json(const struct diagnostics *diagnostics, struct text *out, const struct diagnostic *diagnostic)
{
    const struct place shown = shown_place(diagnostics, diagnostic), *place = &shown;
    text_printf(out, "{\"severity\":\"%s\",\"file\":", severities[diagnostic->severity].name);
    append_json_string(out, shown_name(place->file));
    append_json_number(out, "line", place->file ? place->line : 0);
    append_json_number(out, "column", place->file ? place->column : 0);
    append_json_number(out, "length", place->file && place->column ? marked_length(diagnostic) : 0);
    text_printf(out, ",\"message\":");
    append_json_string(out, diagnostic->text);
    text_printf(out, ",\"option\":");
    append_json_string(out, diagnostic->severity == SEVERITY_NOTE ? NULL : diagnostic->option);
}

void diagnostics_flush(struct diagnostics *diagnostics)
{
    struct text *waiting = &diagnostics->waiting;
    if (diagnostics->parent) {
        diagnostics_release(diagnostics);
        diagnostics_flush(diagnostics->parent);
    }
    if (!waiting->size)
        return;
    text_printf(waiting, "]}\n");
    log_write(LOG_JSON, waiting->data, waiting->size);
    waiting->size = 0;
    diagnostics->has_notes = false;
}

static void print_json(struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    struct text *waiting = &diagnostics->waiting;
    if (diagnostic->severity == SEVERITY_NOTE && waiting->size) {
        text_printf(waiting, "%s", diagnostics->has_notes ? "," : "");
        append_json(diagnostics, waiting, diagnostic);
        text_printf(waiting, "}");
        diagnostics->has_notes = true;
        return;
    }
    diagnostics_flush(diagnostics);
    append_json(diagnostics, waiting, diagnostic);
    text_printf(waiting, ",\"notes\":[");
}

/* ---- which diagnostics are reported ---- */

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static bool seen_before(struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    const struct place *place = &diagnostic->place;
    unsigned numbers[] = {place->line, place->column};
    uint64_t hash = hash_bytes(0xcbf29ce484222325u, numbers, sizeof numbers);
    hash = hash_bytes(hash, diagnostic->text, strlen(diagnostic->text) + 1);
    hash = place->file ? hash_bytes(hash, place->file, strlen(place->file)) : hash;
    for (size_t i = 0; i < diagnostics->seen_count; i++)
        if (diagnostics->seen[i] == hash)
            return true;
    diagnostics->seen =
        arena_grow(diagnostics->arena, diagnostics->seen, diagnostics->seen_count, sizeof *diagnostics->seen);
    diagnostics->seen[diagnostics->seen_count++] = hash;
    return false;
}

enum level { LEVEL_OFF, LEVEL_WARNING, LEVEL_ERROR };

/* The level that the -W options give a warning; later ones win, and those that name it win over -Werror alone. */
static enum level warning_level(const struct diagnostic_settings *settings, const char *option)
{
    const char *name = option ? option + 2 : "";
    bool on = true, error = settings->warnings_are_errors, named = false;
    for (size_t i = 0; i < settings->argument_count; i++) {
        const char *argument = settings->arguments[i];
        if (strncmp(argument, "-W", 2) || !*name)
            continue;
        argument += 2;
        if (!strcmp(argument, name)) {
            on = true;
        } else if (!strncmp(argument, "no-error=", 9) && !strcmp(argument + 9, name)) {
            named = true;
            error = false;
        } else if (!strncmp(argument, "error=", 6) && !strcmp(argument + 6, name)) {
            named = on = error = true;
        } else if (!strncmp(argument, "no-", 3) && !strcmp(argument + 3, name)) {
            on = false;
        } else if (!named && (!strcmp(argument, "error") || !strcmp(argument, "no-error"))) {
            error = argument[0] == 'e';
        }
    }
    if (settings->no_warnings || !on)
        return LEVEL_OFF;
    return error ? LEVEL_ERROR : LEVEL_WARNING;
}

static void print(struct diagnostics *diagnostics, const struct diagnostic *diagnostic, bool promoted)
{
    if (diagnostics->settings.json || job_current())
        print_json(diagnostics, diagnostic);
    if (!diagnostics->settings.json)
        print_text(diagnostics, diagnostic, promoted);
}

static void stop(struct diagnostics *diagnostics)
{
    diagnostics->stopped = true;
    print(diagnostics, &(struct diagnostic){.severity = SEVERITY_FATAL,
                                            .text = "too many errors emitted, stopping now"}, false);
}

/* ---- held back ---- */

struct diagnostics *diagnostics_deferred(struct arena *arena, struct diagnostics *parent)
{
    struct diagnostics *deferred = arena_alloc(arena, sizeof *deferred);
    deferred->arena = arena;
    deferred->parent = parent;
    deferred->lock = parent->lock;
    return deferred;
}

static const char *copy_text(struct arena *arena, const char *text)
{
    return text ? arena_strdup(arena, text) : NULL;
}

static void defer(struct diagnostics *deferred, const struct diagnostic *diagnostic)
{
    struct arena *arena = deferred->arena;
    lock(deferred->lock);
    deferred->deferred = arena_grow(arena, deferred->deferred, deferred->deferred_count, sizeof *deferred->deferred);
    struct diagnostic *copy = &deferred->deferred[deferred->deferred_count++];
    *copy = *diagnostic;
    copy->place.file = copy_text(arena, copy->place.file);
    copy->option = copy_text(arena, copy->option);
    copy->text = copy_text(arena, copy->text);
    copy->insertion = copy_text(arena, copy->insertion);
    struct range *ranges = arena_alloc(arena, copy->range_count * sizeof *ranges);
    if (copy->range_count)
        memcpy(ranges, diagnostic->ranges, copy->range_count * sizeof *ranges);
    copy->ranges = ranges;
    deferred->errors += copy->severity >= SEVERITY_ERROR;
    unlock(deferred->lock);
}

void diagnostics_release(struct diagnostics *deferred)
{
    lock(deferred->lock);
    for (size_t i = 0; i < deferred->deferred_count; i++)
        report(deferred->parent, &deferred->deferred[i]);
    deferred->deferred_count = 0;
    unlock(deferred->lock);
}

/* ---- reports ---- */

void report(struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    struct diagnostic reported = *diagnostic;
    if (diagnostics->parent) {
        defer(diagnostics, diagnostic);
        return;
    }
    if (reported.severity == SEVERITY_NOTE) {
        if (!diagnostics->last_was_dropped)
            print(diagnostics, &reported, false);
        return;
    }
    enum level level = warning_level(&diagnostics->settings, reported.option);
    bool warning = reported.severity == SEVERITY_WARNING;
    if (warning && level == LEVEL_ERROR)
        reported.severity = SEVERITY_ERROR;
    diagnostics->last_was_dropped = true;
    if ((warning && level == LEVEL_OFF) || diagnostics->stopped || seen_before(diagnostics, diagnostic))
        return;
    if (reported.severity >= SEVERITY_ERROR && diagnostics->errors >= ERROR_LIMIT) {
        stop(diagnostics);
        return;
    }
    diagnostics->last_was_dropped = false;
    diagnostics->errors += reported.severity >= SEVERITY_ERROR;
    diagnostics->warnings += reported.severity == SEVERITY_WARNING;
    print(diagnostics, &reported, reported.severity >= SEVERITY_ERROR && reported.option && level == LEVEL_ERROR);
}

void diagnose(struct diagnostics *diagnostics, enum severity severity, struct place place, const char *option,
              const char *format, ...)
{
    va_list arguments;
    struct text text = {.arena = diagnostics->arena};
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    report(diagnostics, &(struct diagnostic){severity, place, option, text.data, NULL, 0, NULL});
}

static void append_count(struct text *text, size_t count, const char *what)
{
    if (count)
        text_printf(text, "%s%zu %s%s", text->size ? " and " : "", count, what, count == 1 ? "" : "s");
}

void diagnostics_summary(struct diagnostics *diagnostics)
{
    struct text text = {.arena = diagnostics->arena};
    diagnostics_flush(diagnostics);
    append_count(&text, diagnostics->warnings, "warning");
    append_count(&text, diagnostics->errors, "error");
    if (!text.size || diagnostics->settings.json)
        return;
    text_printf(&text, " generated.\n");
    log_write(LOG_TEXT, text.data, text.size);
}
