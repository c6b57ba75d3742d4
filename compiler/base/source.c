/* The text of the files that were read: lines for carets, comments for documentation, annotations as written. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sources {
    pthread_mutex_t lock;
    struct arena *arena; /* their own, as several threads open files */
    struct source **items;
    size_t count;
};

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *shown_name(const char *path)
{
    return path && begins(path, MEMORY_ROOT) ? path + strlen(MEMORY_ROOT) : path;
}

struct sources *sources_new(void)
{
    struct arena *arena = arena_new();
    struct sources *sources = arena_alloc(arena, sizeof *sources);
    lock_init(&sources->lock);
    sources->arena = arena;
    return sources;
}

void sources_free(struct sources *sources)
{
    pthread_mutex_destroy(&sources->lock);
    arena_free(sources->arena);
}

bool is_given_pipe(const char *path)
{
    return begins(path, "/dev/fd/") || begins(path, "/proc/self/fd/") || !strcmp(path, "/dev/stdin");
}

/* A file whose reading ends; null with errno. */
static FILE *open_finite(const char *path)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO would wait for a writer */
    int error = descriptor < 0 || fstat(descriptor, &status) ? errno : 0;
    if (!error && S_ISDIR(status.st_mode))
        error = EISDIR;
    else if (!error && S_ISFIFO(status.st_mode) && is_given_pipe(path))
        error = fcntl(descriptor, F_SETFL, 0) ? errno : 0;
    else if (!error && !S_ISREG(status.st_mode) && strcmp(path, "/dev/null") != 0)
        error = ESPIPE;
    FILE *file = error ? NULL : fdopen(descriptor, "rb");
    if (!file && descriptor >= 0)
        close(descriptor);
    errno = error ? error : errno;
    return file;
}

const char *file_error(int error)
{
    return error == ESPIPE ? "it is not a regular file" : error == EFBIG ? "it is larger than 1 GiB" : strerror(error);
}

const char *file_read(struct arena *arena, const char *path, size_t *size)
{
    const size_t most = (size_t)1 << 30;
    FILE *file = open_finite(path);
    if (!file)
        return NULL;
    struct text text = {.arena = arena};
    char buffer[16 * 1024];
    size_t count;
    text_append(&text, "", 0);
    while (text.size <= most && (count = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_append(&text, buffer, count);
    int error = ferror(file) ? errno : text.size > most ? EFBIG : 0;
    fclose(file);
    errno = error;
    *size = text.size;
    return error ? NULL : text.data;
}

static void index_lines(struct source *source, struct arena *arena)
{
    size_t *lines = NULL;
    const char *p = source->text, *end = source->text + source->size;
    for (bool more = true; more;) {
        lines = arena_grow(arena, lines, source->line_count, sizeof *lines);
        lines[source->line_count++] = (size_t)(p - source->text);
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        more = newline != NULL;
        p = more ? newline + 1 : end;
    }
    lines = arena_grow(arena, lines, source->line_count, sizeof *lines);
    lines[source->line_count] = source->size + 1; /* as if a newline ended the last line */
    source->lines = lines;
}

static const struct source *add_source(struct sources *sources, struct source *source)
{
    index_lines(source, sources->arena);
    sources->items = arena_grow(sources->arena, sources->items, sources->count, sizeof *sources->items);
    return sources->items[sources->count++] = source;
}

static const struct source *open_one(struct sources *sources, const char *path)
{
    struct arena *arena = sources->arena;
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->items[i]->path, path))
            return sources->items[i];
    const struct embedded_file *embedded = embedded_find(path);
    struct source *source = arena_alloc(arena, sizeof *source);
    if (embedded) {
        source->text = arena_strndup(arena, embedded->data, embedded->size);
        source->size = embedded->size;
    } else if (!(source->text = file_read(arena, path, &source->size))) {
        return NULL;
    }
    source->path = arena_strdup(arena, path);
    return add_source(sources, source);
}

const struct source *source_open(struct sources *sources, const char *path)
{
    lock(&sources->lock);
    const struct source *source = open_one(sources, path);
    unlock(&sources->lock);
    return source;
}

void sources_add(struct sources *sources, const char *path, const char *text, size_t size)
{
    struct source *source = arena_alloc(sources->arena, sizeof *source);
    *source = (struct source){.path = arena_strdup(sources->arena, path),
                              .text = arena_strndup(sources->arena, text, size), .size = size};
    add_source(sources, source);
}

bool source_line(const struct source *source, unsigned line, const char **text, size_t *length)
{
    if (!line || line > source->line_count)
        return false;
    *text = source->text + source->lines[line - 1];
    *length = source->lines[line] - source->lines[line - 1] - 1;
    if (*length && (*text)[*length - 1] == '\r')
        --*length;
    return true;
}

size_t utf8_decode(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)text;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!size)
        return 0;
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    if (!length || length > size)
        return 0;
    *code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    bool valid = *code >= smallest[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
    return valid ? length : 0;
}

/* ---- comments ---- */

void text_append_utf8(struct text *text, const char *string, size_t size)
{
    while (size) {
        uint32_t code;
        size_t step = utf8_decode(string, size, &code);
        if (step && code)
            text_append(text, string, step);
        else
            text_append(text, "\xef\xbf\xbd", 3);
        string += step ? step : 1;
        size -= step ? step : 1;
    }
}

/* Appends one line of a comment; blank ones are kept back until text follows. */
static void append_line(struct text *text, bool *blank, const char *line, size_t length)
{
    while (length && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    if (!length) {
        *blank = text->size > 0;
        return;
    }
    text_printf(text, "%s", !text->size ? "" : *blank ? "\n\n" : "\n");
    *blank = false;
    text_append_utf8(text, line, length);
}

static const char *block_comment(const char *begin, const char *end, struct arena *arena)
{
    struct text text = {.arena = arena};
    bool blank = false;
    text_append(&text, "", 0);
    for (const char *line = begin; line <= end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        while (line < stop && isspace((unsigned char)*line))
            line++;
        /* The doc comments' own marks, and the column of stars. */
        while (line < stop && (*line == '*' || (*line == '!' && line == begin)))
            line++;
        append_line(&text, &blank, line, (size_t)(stop - line));
        line = stop + 1;
    }
    return text.data;
}

static const char *line_begin(const char *text, const char *p)
{
    while (p > text && p[-1] != '\n')
        p--;
    return p;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static bool is_line_comment(const char *line, const char *end)
{
    line = skip_blanks(line, end);
    return end - line >= 2 && line[0] == '/' && line[1] == '/';
}

static const char *line_comments(const char *text, const char *end, struct arena *arena)
{
    const char *first = line_begin(text, end);
    while (first > text && is_line_comment(line_begin(text, first - 1), first - 1))
        first = line_begin(text, first - 1);
    struct text result = {.arena = arena};
    bool blank = false;
    text_append(&result, "", 0);
    for (const char *line = first; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        line = skip_blanks(line, stop);
        while (line < stop && *line == '/')
            line++;
        if (line < stop && (*line == '!' || *line == '<'))
            line++;
        append_line(&result, &blank, line, (size_t)(stop - line));
        line = stop + 1;
    }
    return result.data;
}

static const char *skip_blanks_back(const char *text, const char *p)
{
    while (p > text && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r'))
        p--;
    return p;
}

const char *source_comment(const struct source *source, size_t offset, struct arena *arena)
{
    const char *text = source->text, *end = skip_blanks_back(text, text + offset);
    if (end > text && end[-1] == '\n')
        end = skip_blanks_back(text, end - 1);
    if (is_line_comment(line_begin(text, end), end))
        return line_comments(text, end, arena);
    if (end - text < 4 || memcmp(end - 2, "*/", 2))
        return "";
    const char *begin = end - 3;
    while (begin > text && (begin[-1] != '/' || begin[0] != '*'))
        begin--;
    if (begin == text || skip_blanks(line_begin(text, begin - 1), begin) != begin - 1)
        return ""; /* it follows something on its line, which is what it speaks of */
    return block_comment(begin + 1, end - 2, arena);
}

/* ---- annotations ---- */

/* Past the comment, spliced newline or space at p; p itself if there is none. */
static const char *skip_one_space(const char *p)
{
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n')))
        return p + (p[1] == '\n' ? 2 : 3);
    return isspace((unsigned char)*p) ? p + 1 : p;
}

bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool begins(const char *text, const char *beginning)
{
    return !strncmp(text, beginning, strlen(beginning));
}

const char *skip_space(const char *p)
{
    for (const char *next; (next = skip_one_space(p)) != p;)
        p = next;
    return p;
}

/* The parenthesis that closes the one before p; null if there is none. */
static const char *closing(const char *p)
{
    for (int depth = 0; *(p = skip_space(p)); p++) {
        if (*p == '(')
            depth++;
        else if (*p == ')' && depth-- == 0)
            return p;
    }
    return NULL;
}

static bool same_but_for_space(const char *a, const char *end, const char *b)
{
    for (;;) {
        a = skip_space(a);
        b = skip_space(b);
        if (a >= end || !*b)
            return a >= end && !*b;
        if (*a++ != *b++)
            return false;
    }
}

const char *source_annotation(const struct source *source, size_t offset, const char *stringized,
                              struct arena *arena, size_t *start)
{
    if (offset >= source->size)
        return NULL;
    const char *p = source->text + offset;
    while (isalnum((unsigned char)*p) || *p == '_')
        p++;
    p = skip_space(p);
    const char *end = *p == '(' ? closing(p + 1) : NULL;
    if (!end || !same_but_for_space(p + 1, end, stringized))
        return NULL;
    *start = (size_t)(p + 1 - source->text);
    return arena_strndup(arena, p + 1, (size_t)(end - p - 1));
}
