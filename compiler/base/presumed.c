/* Places as `#line` has them: what generated sources say of the file that they were made of. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Reads `# 12 "file"` or `#line 12 "file"`; false for other lines.  *name is null if none is given. */
static bool read_directive(const char *at, const char *end, unsigned *line, const char **name, size_t *length)
{
    static const char word[] = "line";
    char *behind;
    at = skip_blanks(at, end);
    if (at == end || *at != '#')
        return false;
    at = skip_blanks(at + 1, end);
    if ((size_t)(end - at) >= strlen(word) && !memcmp(at, word, strlen(word)))
        at = skip_blanks(at + strlen(word), end);
    if (at == end || *at < '0' || *at > '9')
        return false;
    *line = (unsigned)strtoul(at, &behind, 10);
    at = skip_blanks(behind, end);
    *name = NULL;
    if (at < end && *at == '"') {
        const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
        *name = close ? at + 1 : NULL;
        *length = close ? (size_t)(close - at - 1) : 0;
    }
    return true;
}

struct place presumed_place(struct arena *arena, struct sources *sources, struct place place)
{
    const struct source *source = place.file && place.line ? source_open(sources, place.file) : NULL;
    struct place presumed = place;
    const char *text, *name;
    size_t length, name_length = 0;
    unsigned line;
    for (unsigned at = 1; source && at < place.line && source_line(source, at, &text, &length); at++) {
        if (!read_directive(text, text + length, &line, &name, &name_length))
            continue;
        presumed.line = line + (place.line - at - 1);
        if (name)
            presumed.file = arena_strndup(arena, name, name_length);
    }
    return presumed;
}
