/* Inline assembly, where CUDA's compiler is content with one '%' before a register's name: "mov.u32 %0, %laneid;". */
#include "spelling/spelling_internal.h"

#include <ctype.h>

/* C's inline assembly has '%' before operands, which are numbers, with a letter before them perhaps, or in brackets. */
static void double_percents(const struct tokens *tokens, const struct token *text, struct insertions *insertions)
{
    const char *end = text->at + text->length;
    for (const char *p = text->at; p + 2 < end; p++) {
        if (*p != '%')
            continue;
        if (isalpha((unsigned char)p[1]) && !isdigit((unsigned char)p[2])) {
            const size_t at = (size_t)(p - tokens->changed);
            insert_around(insertions, at, at, "%", "");
        }
        p++;
    }
}

void rewrite_assembly(const struct tokens *tokens, struct insertions *insertions)
{
    static const char *const words[] = {"asm", "__asm__", "__asm"}, *const qualifiers[] = {"volatile", "__volatile__"};
    for (struct token *t = tokens->items + 1; t < tokens->items + tokens->count - 2; t++) {
        struct token *open = t + 1, *end;
        if (!is_one_of(t, words, sizeof words / sizeof *words))
            continue;
        open += is_one_of(open, qualifiers, sizeof qualifiers / sizeof *qualifiers);
        for (end = open + 1; end->kind == TOKEN_TEXT; end++)
            ;
        if (!is(open, "(") || !(is(end, ":") || is(end, "::"))) /* without operands '%' is like all else */
            continue;
        for (struct token *text = open + 1; text < end; text++)
            double_percents(tokens, text, insertions);
    }
}
