/* Reads JSON. */
#define _GNU_SOURCE /* strtod_l() */
#include "base/json_tree.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100, MOST_MEMBERS = 10000 /* whose names are compared with one another */ };

/* Strings are decoded where they stand, as they become no longer. */
struct document {
    struct json root;
    char text[];
};

struct reader {
    char *at, *end; /* *end is NUL */
    int depth;
    struct json_error *error;
};

static bool wrong(struct reader *from, const char *what)
{
    from->error->what = what;
    return false;
}

static void skip_blanks(struct reader *from)
{
    while (*from->at == ' ' || *from->at == '\t' || *from->at == '\n' || *from->at == '\r')
        from->at++;
}

static bool accept(struct reader *from, char wanted)
{
    skip_blanks(from);
    if (*from->at != wanted)
        return false;
    from->at++;
    return true;
}

/* ---- strings ---- */

/* Four hexadecimal digits; -1 if there are none. */
static int32_t parse_hex(struct reader *from)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++, from->at++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *digit = *from->at ? strchr(digits, *from->at) : NULL;
        if (!digit)
            return -1;
        value = value << 4 | (int32_t)((digit - digits) & 15);
    }
    return value;
}

static char *put_utf8(char *to, int32_t code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | code >> (6 * more));
    for (int i = more; i-- > 0;)
        *to++ = (char)(0x80 | (code >> (6 * i) & 0x3f));
    return to;
}

/* Behind "\u"; a pair of surrogates is one character.  Null if it is none, or a NUL. */
static char *parse_unicode(struct reader *from, char *to)
{
    int32_t code = parse_hex(from);
    if (code >= 0xd800 && code < 0xdc00) {
        const bool is_pair = from->at[0] == '\\' && from->at[1] == 'u';
        from->at += is_pair ? 2 : 0;
        const int32_t low = is_pair ? parse_hex(from) : -1;
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
    } else if (code >= 0xdc00 && code < 0xe000) {
        code = -1;
    }
    return code > 0 ? put_utf8(to, code) : NULL;
}

static char *parse_escape(struct reader *from, char *to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name = *from->at ? strchr(names, *from->at) : NULL;
    const bool is_unicode = *from->at == 'u';
    if (!name && !is_unicode)
        return NULL;
    from->at++;
    if (is_unicode)
        return parse_unicode(from, to);
    *to = meant[name - names];
    return to + 1;
}

/* A character of UTF-8, in its shortest form. */
static char *parse_character(struct reader *from, char *to)
{
    const unsigned char first = (unsigned char)*from->at;
    const int more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
    static const int32_t least[] = {0x20, 0x80, 0x800, 0x10000};
    int32_t code = more < 0 ? -1 : first & (0x7f >> (more + (more > 0)));
    for (int i = 1; i <= more && code >= 0; i++)
        code = (from->at[i] & 0xc0) == 0x80 ? code << 6 | (from->at[i] & 0x3f) : -1;
    if (more < 0 || code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return NULL;
    memmove(to, from->at, (size_t)more + 1);
    from->at += more + 1;
    return to + more + 1;
}

/* Behind its first quote. */
static bool parse_string(struct reader *from, const char **out)
{
    char *to = from->at;
    *out = to;
    while (*from->at != '"') {
        const bool is_escape = *from->at == '\\';
        from->at += is_escape;
        to = is_escape ? parse_escape(from, to) : parse_character(from, to);
        if (!to)
            return wrong(from, is_escape ? "invalid escape sequence" : "unterminated string, or invalid UTF-8");
    }
    from->at++;
    *to = '\0'; /* on the quote, or before it */
    return true;
}

/* ---- the rest ---- */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool parse_number(struct reader *from, struct json *out)
{
    const char *begin = from->at, *at = begin + (*begin == '-');
    const size_t whole = digits(at);
    bool is_number = whole == 1 || (whole && *at != '0');
    at += whole;
    if (*at == '.') {
        is_number &= digits(at + 1) > 0;
        at += 1 + digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        is_number &= digits(at) > 0;
        at += digits(at);
    }
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!is_number || !plain)
        return wrong(from, "no value");
    out->kind = JSON_NUMBER;
    out->number = strtod_l(begin, NULL, plain);
    freelocale(plain);
    from->at += at - begin;
    return isfinite(out->number) || wrong(from, "number out of range");
}

static bool parse_word(struct reader *from, const char *word, enum json_kind kind, struct json *out)
{
    if (strncmp(from->at, word, strlen(word)) != 0)
        return wrong(from, "no value");
    from->at += strlen(word);
    out->kind = kind;
    return true;
}

static bool parse_value(struct reader *from, struct json *out);

static bool parse_name(struct reader *from, const struct json *object, const char **out)
{
    if (!accept(from, '"'))
        return wrong(from, "expected a member's name");
    if (!parse_string(from, out))
        return false;
    if (json_tree_get(object, *out) || object->count == MOST_MEMBERS)
        return wrong(from, "duplicate member name, or too many members");
    return accept(from, ':') || wrong(from, "expected ':' after a name");
}

/* Room for one more; its capacities are the powers of two. */
static struct json *add_item(struct json *list)
{
    if (!(list->count & (list->count - 1))) {
        struct json *larger = realloc(list->items, (list->count ? 2 * list->count : 1) * sizeof *larger);
        if (!larger)
            return NULL;
        list->items = larger;
    }
    return memset(&list->items[list->count], 0, sizeof *list->items);
}

static bool parse_items(struct reader *from, struct json *list, char end)
{
    if (++from->depth > MOST_DEPTH)
        return wrong(from, "values are nested too deeply");
    for (bool more = !accept(from, end); more;) {
        const char *name = NULL;
        if (list->kind == JSON_OBJECT && !parse_name(from, list, &name))
            return false;
        struct json *item = add_item(list);
        if (!item)
            return wrong(from, "no memory");
        item->name = name;
        list->count++; /* for json_tree_free(), whatever becomes of it */
        if (!parse_value(from, item))
            return false;
        more = accept(from, ',');
        if (!more && !accept(from, end))
            return wrong(from, "expected ',' or the end after a value");
    }
    from->depth--;
    return true;
}

static bool parse_value(struct reader *from, struct json *out)
{
    skip_blanks(from);
    switch (*from->at) {
    case 'n': return parse_word(from, "null", JSON_NULL, out);
    case 'f': return parse_word(from, "false", JSON_FALSE, out);
    case 't': return parse_word(from, "true", JSON_TRUE, out);
    case '"':
        out->kind = JSON_STRING;
        from->at++;
        return parse_string(from, &out->string);
    case '[':
        out->kind = JSON_ARRAY;
        from->at++;
        return parse_items(from, out, ']');
    case '{':
        out->kind = JSON_OBJECT;
        from->at++;
        return parse_items(from, out, '}');
    default: return parse_number(from, out);
    }
}

/* Decoding moves characters, but lines end between strings alone. */
static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

struct json *json_tree_parse(const char *text, size_t size, struct json_error *error)
{
    struct document *document = malloc(sizeof *document + size + 1);
    *error = (struct json_error){1, "no memory"};
    if (!document)
        return NULL;
    document->root = (struct json){0};
    memcpy(document->text, text, size);
    document->text[size] = '\0';
    struct reader from = {.at = document->text, .end = document->text + size, .error = error};
    bool is_whole = parse_value(&from, &document->root);
    if (is_whole)
        skip_blanks(&from);
    if (is_whole && from.at != from.end)
        is_whole = wrong(&from, "unexpected text after the value");
    if (is_whole)
        return &document->root;
    error->line = line_of(text, text + (from.at - document->text));
    json_tree_free(&document->root);
    return NULL;
}

static void free_items(struct json *json)
{
    for (size_t i = 0; i < json->count; i++)
        free_items(&json->items[i]);
    free(json->items);
}

/* The tree begins the document. */
void json_tree_free(struct json *root)
{
    if (root)
        free_items(root);
    free(root);
}

/* ---- what is in it ---- */

bool json_tree_is(const struct json *json, enum json_kind kind)
{
    return json && json->kind == kind;
}

const struct json *json_tree_get(const struct json *object, const char *name)
{
    for (size_t i = 0; json_tree_is(object, JSON_OBJECT) && i < object->count; i++)
        if (strcmp(object->items[i].name, name) == 0)
            return &object->items[i];
    return NULL;
}

const struct json *json_tree_at(const struct json *array, size_t index)
{
    return json_tree_is(array, JSON_ARRAY) && index < array->count ? &array->items[index] : NULL;
}

const char *json_tree_string(const struct json *json)
{
    return json_tree_is(json, JSON_STRING) ? json->string : NULL;
}

double json_tree_number(const struct json *json)
{
    return json_tree_is(json, JSON_NUMBER) ? json->number : 0;
}
