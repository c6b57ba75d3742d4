/* The extent of an array parameter, `n * 2 + 1` say, from the values of the other parameters. */
#include "run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    extent_lookup *lookup;
    void *data;
};

static bool sum(struct reader *reader, int64_t *value);

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
}

/* Takes `text` where it stands next. */
static bool accept(struct reader *reader, const char *text)
{
    skip_blanks(reader);
    if (strncmp(reader->at, text, strlen(text)))
        return false;
    reader->at += strlen(text);
    return true;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

/* Takes a cast to an integer type of 32 or 64 bits, which changes no extent that fits in memory. */
static bool accept_cast(struct reader *reader)
{
    static const char *const casts[] = {"(int)", "(unsigned int)", "(long)", "(unsigned long)", "(long long)",
                                        "(unsigned long long)", "(size_t)", "(int32_t)", "(uint32_t)", "(int64_t)",
                                        "(uint64_t)", "(int32)", "(uint32)", "(int64)", "(uint64)"};
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (accept(reader, casts[i]))
            return true;
    return false;
}

static bool primary(struct reader *reader, int64_t *value)
{
    while (accept_cast(reader))
        continue;
    if (accept(reader, "("))
        return sum(reader, value) && accept(reader, ")");
    size_t length = word_length(reader->at);
    const char *word = reader->at;
    reader->at += length;
    if (!isdigit((unsigned char)*word))
        return length && reader->lookup(reader->data, word, length, value);
    char *end;
    unsigned long long number = strtoull(word, &end, 0);
    while (end < reader->at && strchr("uUlL", *end))
        end++;
    *value = (int64_t)number;
    return end == reader->at && number <= INT64_MAX;
}

static bool product(struct reader *reader, int64_t *value)
{
    bool known = primary(reader, value);
    while (known) {
        int64_t right;
        char operator = (char)(accept(reader, "*") ? '*' : accept(reader, "/") ? '/' : accept(reader, "%") ? '%' : 0);
        if (!operator)
            break;
        known = primary(reader, &right) && (operator == '*' || right > 0);
        if (known && operator == '*')
            known = !__builtin_mul_overflow(*value, right, value);
        else if (known)
            *value = operator == '/' ? *value / right : *value % right;
    }
    return known;
}

static bool sum(struct reader *reader, int64_t *value)
{
    bool known = product(reader, value);
    while (known) {
        int64_t right;
        bool plus = accept(reader, "+");
        if (!plus && !accept(reader, "-"))
            break;
        known = product(reader, &right) &&
                !(plus ? __builtin_add_overflow(*value, right, value) : __builtin_sub_overflow(*value, right, value));
    }
    return known;
}

bool extent_value(const char *expression, extent_lookup *lookup, void *data, int64_t *value)
{
    struct reader reader = {expression, lookup, data};
    if (!sum(&reader, value) || *value < 0)
        return false;
    skip_blanks(&reader);
    return !*reader.at;
}
