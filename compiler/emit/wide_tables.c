/* Large tables in PTX as words of 64 bits.  LLVM writes bytes, which take nearly twice the text. */
#include "emit/emit_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8, LEAST_BYTES = 4096 };

/* Appends the words of the bytes up to '}', which is returned; null if there is an address among them.  Zeros at the
 * end are not written. */
static const char *append_words(struct text *text, const char *bytes)
{
    char *at = (char *)bytes;
    for (size_t i = 0; *at != '}'; i++) {
        uint64_t word = 0;
        for (unsigned k = 0; k < WORD && *at != '}'; k++) {
            const char *number = at;
            const unsigned long byte = strtoul(number, &at, 10);
            if (at == number || byte > UINT8_MAX || (*at != ',' && *at != '}'))
                return NULL;
            word |= (uint64_t)byte << 8 * k;
            at += *at == ',';
        }
        text_printf(text, word < 10 ? "%s%" PRIu64 : "%s0x%" PRIX64, i ? ", " : "", word);
    }
    return at;
}

/* Appends the table at `line`, and returns its '}'; null if it stays as it is. */
static const char *append_table(struct text *text, const char *line, const char *name)
{
    const char *size = strpbrk(name, "[\n");
    char *end;
    const size_t count = size && *size == '[' ? strtoul(size + 1, &end, 10) : 0;
    if (count < LEAST_BYTES || count % WORD || !begins(end, "] = {"))
        return NULL;
    struct text words = {.arena = text->arena};
    const char *close = append_words(&words, end + strlen("] = {"));
    if (close)
        text_printf(text, "%.*s.u64 %.*s[%zu] = {%s", (int)(name - line - (int)strlen(".b8 ")), line,
                    (int)(size - name), name, count / WORD, words.data);
    return close;
}

struct bytes widen_tables(struct arena *arena, struct bytes code)
{
    static const char start[] = "\n.global .align 8 .b8 ";
    struct text text = {.arena = arena};
    const char *from = code.data;
    for (const char *at = from; (at = strstr(at, start)); at++) {
        text_append(&text, from, (size_t)(at - from));
        from = at;
        const char *close = append_table(&text, at, at + strlen(start));
        from = close ? close : from;
    }
    if (from == code.data)
        return code;
    text_append(&text, from, strlen(from));
    return (struct bytes){text.data, text.size};
}
