/* A source taken apart into tokens, and what stands where among them. */
#include "spelling/spelling_internal.h"

#include <ctype.h>

/* Past a comment, or a joined line; `p` itself where neither begins there. */
static char *skip_comment(char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (p[0] == '\\' && p[1] == '\n')
        return p + 2;
    return p[0] == '\\' && p[1] == '\r' && p[2] == '\n' ? p + 3 : p;
}

/* Past a string or character in quotes that ends in its line; past the quote alone where it does not. */
static char *skip_quoted(char *p)
{
    for (char *q = p + 1; *q && *q != '\n'; q++) {
        if (*q == *p)
            return q + 1;
        q += *q == '\\' && q[1] != '\0';
    }
    return p + 1;
}

static char *skip_word(char *p)
{
    bool is_number = isdigit((unsigned char)*p);
    while (is_word(*p) || (is_number && *p == '.'))
        p++;
    return p;
}

static void add_token(struct tokens *tokens, enum token_kind kind, char *from, const char *to)
{
    tokens->items = arena_grow(tokens->arena, tokens->items, tokens->count, sizeof *tokens->items);
    struct token *token = &tokens->items[tokens->count++];
    token->kind = kind;
    token->at = from;
    token->length = (size_t)(to - from);
    token->in_directive = false;
}

void find_tokens(struct tokens *tokens, char *text)
{
    bool at_line_start = true, in_directive = false;
    add_token(tokens, TOKEN_BREAK, text, text);
    for (char *p = text, *next; *p; p = next) {
        next = skip_comment(p);
        if (next > p)
            continue;
        next = p + 1;
        if (*p == '\n' && in_directive)
            add_token(tokens, TOKEN_BREAK, p, p);
        if (*p == '\n')
            at_line_start = true, in_directive = false;
        if (isspace((unsigned char)*p))
            continue;
        if (*p == '#' && at_line_start)
            in_directive = true, add_token(tokens, TOKEN_BREAK, p, p);
        at_line_start = false;
        next = *p == '"' || *p == '\''   ? skip_quoted(p)
               : is_word(*p)             ? skip_word(p)
               : !strncmp(p, "::", 2)    ? p + 2
                                         : next;
        add_token(tokens, *p == '"' || *p == '\'' ? TOKEN_TEXT : is_word(*p) ? TOKEN_WORD : TOKEN_SIGN, p, next);
        tokens->items[tokens->count - 1].in_directive = in_directive;
    }
    add_token(tokens, TOKEN_BREAK, text + strlen(text), text + strlen(text));
    add_token(tokens, TOKEN_BREAK, text + strlen(text), text + strlen(text));
}

void blank(const struct token *first, const struct token *last)
{
    for (char *p = first->at; p < last->at + last->length; p++)
        if (*p != '\n' && *p != '\r' && *p != '\\')
            *p = ' ';
}

const char *written(const struct tokens *tokens, const struct token *first, const struct token *end)
{
    struct text text = {.arena = tokens->arena};
    text_append(&text, "", 0);
    for (const struct token *t = first; t < end; t++)
        text_append(&text, tokens->text + offset_of(tokens, t), t->length);
    return text.data;
}

bool was(const struct tokens *tokens, const struct token *token, const char *text)
{
    return token->kind != TOKEN_BREAK && strlen(text) == token->length &&
           !strncmp(tokens->text + offset_of(tokens, token), text, token->length);
}

struct token *find_end(struct token *first, const char *const *signs, size_t count)
{
    struct token *t = first;
    while (t->kind == TOKEN_WORD || is_blank(t) || is_one_of(t, signs, count))
        t++;
    return is(t, ";") ? t : NULL;
}

struct token *closing_brace(struct token *open, const struct tokens *tokens)
{
    int depth = 0;
    for (struct token *t = open; t < tokens->items + tokens->count; t++) {
        depth += is(t, "{") - is(t, "}");
        if (open->in_directive && t->kind == TOKEN_BREAK)
            return NULL;
        if (depth == 0 && is(t, "}"))
            return t;
    }
    return NULL;
}

struct token *opening_bracket(struct token *close)
{
    int depth = 0;
    for (struct token *t = close; t->kind != TOKEN_BREAK; t--) {
        depth += is(t, ")") + is(t, "]") - is(t, "(") - is(t, "[");
        if (depth == 0)
            return t;
    }
    return NULL;
}

struct token *closing_parenthesis(struct token *open)
{
    int depth = 0;
    for (struct token *t = open; t->kind != TOKEN_BREAK; t++) {
        depth += is(t, "(") - is(t, ")");
        if (depth == 0)
            return t;
    }
    return NULL;
}

/* Returns whether the token, followed by parentheses, qualifies a declaration and is no name. */
static bool is_qualifier(const struct token *t)
{
    static const char *const words[] = {"__launch_bounds__", "__cluster_dims__", "__attribute__", "__align__",
                                        "alignas"};
    return is_one_of(t, words, sizeof words / sizeof *words);
}

/* Whether one ends there, as CUDA sources have them between a function's type and its name. */
static bool ends_qualifier(struct token *close)
{
    const struct token *open = is(close, ")") ? opening_bracket(close) : NULL;
    return open && is_qualifier(open - 1);
}

struct token *behind_parameters(struct token *name)
{
    if (name->kind != TOKEN_WORD || !is(name + 1, "(") || is_qualifier(name) ||
        (name[-1].kind != TOKEN_WORD && !is(name - 1, "*") && !is(name - 1, "&") && !ends_qualifier(name - 1)))
        return NULL;
    struct token *close = closing_parenthesis(name + 1);
    return close && (is(close + 1, "{") || is(close + 1, ";")) ? close : NULL;
}

bool same_word(const struct token *a, const struct token *b)
{
    return a->length == b->length && !strncmp(a->at, b->at, a->length);
}

struct token *template_end(struct token *name)
{
    struct token *end = name + 2;
    if (name->kind != TOKEN_WORD || !is(name + 1, "<"))
        return NULL;
    while (end->kind == TOKEN_WORD || is_blank(end) || is(end, ","))
        end++;
    return end > name + 2 && is(end, ">") ? end : NULL;
}

void add_own(struct text *own, const char *line)
{
    if (!own->data || !strstr(own->data, line))
        text_printf(own, "%s", line);
}

bool is_name(const struct token *t)
{
    return t->kind == TOKEN_WORD && t->length && !is_blank(t) && !isdigit((unsigned char)*t->at);
}

bool is_number_type(const struct token *t)
{
    static const char *const types[] = {
        "bool", "char", "short", "int", "long", "unsigned", "float", "double", "uint", "size_t", "int8_t", "int16_t",
        "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    return is_one_of(t, types, sizeof types / sizeof *types);
}

bool is_of_statement(const struct token *t)
{
    static const char *const words[] = {"return", "else", "do", "case", "goto", "sizeof", "if", "while", "for",
                                        "switch", "break", "continue", "default", "delete", "new", "throw"};
    return is_one_of(t, words, sizeof words / sizeof *words);
}

struct token *before(struct token *t)
{
    do
        t--;
    while (t->kind != TOKEN_BREAK && (!t->length || is_blank(t)));
    return t;
}

struct token *behind(struct token *t)
{
    do
        t++;
    while (t->kind != TOKEN_BREAK && (!t->length || is_blank(t)));
    return t;
}

struct token *statement_start(struct token *t)
{
    int depth = 0;
    for (t = before(t);; t = before(t)) {
        depth += is(t, ")") + is(t, "]") - is(t, "(") - is(t, "[");
        if (t->kind == TOKEN_BREAK || depth < 0 || (depth == 0 && (is(t, ";") || is(t, "{") || is(t, "}"))))
            return t;
    }
}

/* Whether the ':' belongs to a '?' before it, not to a label. */
static bool is_choice(const struct token *colon)
{
    int depth = 0;
    for (const struct token *t = colon - 1; t->kind != TOKEN_BREAK && !is(t, ";"); t--) {
        depth += is(t, ")") + is(t, "}") - is(t, "(") - is(t, "{");
        if (depth < 0)
            return false;
        if (depth == 0 && is(t, "?"))
            return true;
    }
    return false;
}

bool is_before_expression(const struct token *t)
{
    static const char *const signs[] = {"=", "(", "[", ",", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "!", "~",
                                        "?", "return"};
    static const char *const initialised[] = {"=", "(", ","};
    if (is(t, "{"))
        return is_one_of(t - 1, initialised, sizeof initialised / sizeof *initialised);
    return is_one_of(t, signs, sizeof signs / sizeof *signs) || (is(t, ":") && is_choice(t));
}

enum { FARTHEST = 1000 }; /* words and groups of a list that are looked at: tables of macros' uses have many more */

struct token *opening_brace(struct token *close)
{
    int depth = 0;
    for (struct token *t = close; t->kind != TOKEN_BREAK; t--) {
        depth += is(t, "}") - is(t, "{");
        if (depth == 0)
            return t;
    }
    return NULL;
}

struct token *list_start(struct token *t)
{
    t = before(t);
    for (int i = 0; i < FARTHEST; i++, t = before(t)) {
        if (is(t, ")") || is(t, "]"))
            t = opening_bracket(t);
        else if (is(t, "}") && is(behind(t), ","))
            t = opening_brace(t);
        else if (t->kind == TOKEN_BREAK || is(t, ";") || is(t, "{") || is(t, "}") || is(t, "(") || is(t, "["))
            return t;
        if (!t)
            return NULL;
    }
    return NULL;
}

bool declares_until(struct token *start, const struct token *end)
{
    static const char *const others[] = {"struct", "union", "enum", "class", "namespace", "extern", "using", "typedef",
                                         "template", "operator"};
    size_t names = 0;
    if (!start || (is(start, "(") && !is(before(start), "for")) || is(start, "["))
        return false;
    for (struct token *t = behind(start); t <= end; t = behind(t)) {
        if (is_of_statement(t) || is_one_of(t, others, sizeof others / sizeof *others))
            return false;
        if (!is_name(t) && !is(t, "*") && !(is(t, "&") && names == 0))
            break;
        names += is_name(t);
    }
    return names > 1;
}

bool declares(struct token *name)
{
    const struct token *last = before(name);
    return (is_name(last) || is(last, "*") || is(last, ",")) && declares_until(list_start(name), name);
}

bool is_first_of_macro(struct token *t)
{
    struct token *last = before(t);
    if (t->in_directive && is(last, ")") && !(last = opening_bracket(last) ? before(opening_bracket(last)) : NULL))
        return false;
    return t->in_directive && is_name(last) && is(before(last), "define");
}
