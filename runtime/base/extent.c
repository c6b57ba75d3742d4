/* The extent of an array parameter, `n * 2 + 1` say, from the values of the other parameters. */
#include "base/extent.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    extent_lookup *lookup;
    void *data;
    bool skips; /* values do not matter: what cannot be computed is no mistake */
};

static bool conditional(struct reader *reader, int64_t *value);

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
    static const char casts[][sizeof "(unsigned long long)"] = {
        "(int)", "(unsigned int)", "(long)", "(unsigned long)", "(long long)", "(unsigned long long)", "(size_t)",
        "(int32_t)", "(uint32_t)", "(int64_t)", "(uint64_t)", "(int32)", "(uint32)", "(int64)", "(uint64)"};
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
        return conditional(reader, value) && accept(reader, ")");
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

static bool unary(struct reader *reader, int64_t *value)
{
    bool negated = accept(reader, "-"), inverted = !negated && accept(reader, "~");
    bool denied = !negated && !inverted && accept(reader, "!");
    if (!negated && !inverted && !denied)
        return accept(reader, "+") ? unary(reader, value) : primary(reader, value);
    if (!unary(reader, value))
        return false;
    *value = inverted ? ~*value : denied ? !*value : *value;
    return !negated || !__builtin_sub_overflow(0, *value, value) || reader->skips;
}

enum operation { MUL, DIV, REM, ADD, SUB, SHL, SHR, LE, GE, LT, GT, EQ, NE, LAND, LOR, AND, XOR, OR, OPERATIONS };

/* An operator that is the beginning of another one comes after it. */
static const struct {
    const char *sign;
    int binds; /* more tightly than what has less */
} operators[OPERATIONS] = {
    [MUL] = {"*", 10}, [DIV] = {"/", 10}, [REM] = {"%", 10}, [ADD] = {"+", 9}, [SUB] = {"-", 9}, [SHL] = {"<<", 8},
    [SHR] = {">>", 8}, [LE] = {"<=", 7},  [GE] = {">=", 7},  [LT] = {"<", 7},  [GT] = {">", 7},  [EQ] = {"==", 6},
    [NE] = {"!=", 6},  [LAND] = {"&&", 2}, [LOR] = {"||", 1}, [AND] = {"&", 5}, [XOR] = {"^", 4}, [OR] = {"|", 3},
};

/* False if the result is not a number that both C and these 64 bits have. */
static bool apply(enum operation operation, int64_t left, int64_t right, int64_t *value)
{
    switch (operation) {
    case MUL: return !__builtin_mul_overflow(left, right, value);
    case ADD: return !__builtin_add_overflow(left, right, value);
    case SUB: return !__builtin_sub_overflow(left, right, value);
    case DIV: return *value = right > 0 ? left / right : 0, right > 0;
    case REM: return *value = right > 0 ? left % right : 0, right > 0;
    case SHL: return right >= 0 && right < 63 && !__builtin_mul_overflow(left, (int64_t)1 << right, value);
    case SHR: return *value = left >> (right & 63), right >= 0 && right < 63;
    case LE: return *value = left <= right, true;
    case GE: return *value = left >= right, true;
    case LT: return *value = left < right, true;
    case GT: return *value = left > right, true;
    case EQ: return *value = left == right, true;
    case NE: return *value = left != right, true;
    case LAND: return *value = left && right, true;
    case LOR: return *value = left || right, true;
    case AND: return *value = left & right, true;
    case XOR: return *value = left ^ right, true;
    case OR: return *value = left | right, true;
    case OPERATIONS: break;
    }
    return false;
}

/* Takes the operator that stands next, where it binds at least so tightly; else OPERATIONS. */
static enum operation accept_operator(struct reader *reader, int binds)
{
    for (enum operation i = 0; i < OPERATIONS; i++) {
        const char *before = reader->at;
        if (accept(reader, operators[i].sign)) {
            if (operators[i].binds >= binds)
                return i;
            reader->at = before;
            return OPERATIONS;
        }
    }
    return OPERATIONS;
}

static bool binary(struct reader *reader, int binds, int64_t *value)
{
    bool known = unary(reader, value);
    while (known) {
        int64_t right = 0;
        enum operation operation = accept_operator(reader, binds);
        if (operation == OPERATIONS)
            break;
        const bool skipped = reader->skips;
        reader->skips = skipped || (operation == LAND && !*value) || (operation == LOR && *value);
        known = binary(reader, operators[operation].binds + 1, &right);
        reader->skips = skipped;
        known = known && (apply(operation, *value, right, value) || skipped);
    }
    return known;
}

static bool conditional(struct reader *reader, int64_t *value)
{
    int64_t yes = 0, no = 0;
    if (!binary(reader, 1, value))
        return false;
    if (!accept(reader, "?"))
        return true;
    const bool skipped = reader->skips;
    reader->skips = skipped || !*value;
    bool known = conditional(reader, &yes) && accept(reader, ":");
    reader->skips = skipped || *value;
    known = known && conditional(reader, &no);
    reader->skips = skipped;
    *value = *value ? yes : no;
    return known;
}

static bool read_all(struct reader *reader, int64_t *value)
{
    if (!conditional(reader, value))
        return false;
    skip_blanks(reader);
    return !*reader->at;
}

bool extent_value(const char *expression, extent_lookup *lookup, void *data, int64_t *value)
{
    struct reader reader = {expression, lookup, data, false};
    return read_all(&reader, value) && *value >= 0;
}

bool extent_is_known(const char *expression, extent_lookup *lookup, void *data)
{
    int64_t value = 0;
    struct reader reader = {expression, lookup, data, true};
    return read_all(&reader, &value);
}
