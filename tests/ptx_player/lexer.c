/* Tokens of PTX: words, numbers, strings and single characters. */
#include "ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

void next_token(struct lexer *lexer)
{
    const char *at = lexer->token = skip_blanks(lexer->at);
    if (*at == '"') {
        at += strcspn(at + 1, "\"") + 1;
        at += *at == '"';
    } else if (in_word(*at)) {
        while (in_word(*at) || (at[0] == ':' && at[1] == ':') || (at[0] == ':' && at[-1] == ':'))
            at++;
    } else {
        at += *at != '\0';
    }
    lexer->length = (int)(at - lexer->token);
    lexer->at = at;
}

bool token_is(const struct lexer *lexer, const char *text)
{
    return (int)strlen(text) == lexer->length && !memcmp(lexer->token, text, (size_t)lexer->length);
}

bool token_begins(const struct lexer *lexer, const char *text)
{
    const size_t length = strlen(text);
    return (int)length <= lexer->length && !memcmp(lexer->token, text, length);
}

bool accept_token(struct lexer *lexer, const char *text)
{
    const bool found = token_is(lexer, text);
    if (found)
        next_token(lexer);
    return found;
}

void expect_token(struct lexer *lexer, const char *text)
{
    if (!accept_token(lexer, text))
        syntax_error(lexer, "expected '%s'", text);
}

bool is_number(const struct lexer *lexer)
{
    return isdigit((unsigned char)*lexer->token) || (*lexer->token == '-' && lexer->length == 1);
}

uint64_t read_number(struct lexer *lexer)
{
    const bool is_negative = accept_token(lexer, "-");
    const char *text = lexer->token;
    char *end;
    uint64_t bits;
    if (!isdigit((unsigned char)*text))
        syntax_error(lexer, "expected a number");
    if (text[0] == '0' && (text[1] | 32) == 'f') {
        bits = strtoull(text + 2, &end, 16) ^ (is_negative ? UINT64_C(1) << 31 : 0);
    } else if (text[0] == '0' && (text[1] | 32) == 'd') {
        bits = strtoull(text + 2, &end, 16) ^ (is_negative ? UINT64_C(1) << 63 : 0);
    } else if (memchr(text, '.', (size_t)lexer->length)) {
        const double number = strtod(text, &end) * (is_negative ? -1 : 1);
        memcpy(&bits, &number, sizeof bits);
    } else {
        bits = strtoull(text, &end, 0);
        bits = is_negative ? -bits : bits;
        end += *end == 'U';
    }
    if (end != text + lexer->length)
        syntax_error(lexer, "invalid number");
    next_token(lexer);
    return bits;
}

void skip_line(struct lexer *lexer)
{
    lexer->at = lexer->token + strcspn(lexer->token, "\n");
    next_token(lexer);
}

_Noreturn void syntax_error(const struct lexer *lexer, const char *format, ...)
{
    int line = 1;
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (const char *at = lexer->module->text; at < lexer->token; at++)
        line += *at == '\n';
    snprintf(lexer->module->message, PTX_MESSAGE, "PTX line %d: %s, at '%.*s'", line, what,
             lexer->length < 80 ? lexer->length : 80, lexer->token);
    longjmp(lexer->module->failure, 1);
}
