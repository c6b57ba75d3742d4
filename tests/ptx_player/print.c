/* vprintf: the values lie in memory, each at its own alignment. */
#include "ptx.h"

#include <stdio.h>
#include <string.h>

static uint64_t read_value(struct thread *t, uint64_t *at, size_t size)
{
    *at = (*at + size - 1) / size * size;
    const struct reg value = load_place(find_place(t, GENERIC, *at, size, false), size);
    if (value.undefined)
        fault(t, "a value that is printed is undefined");
    *at += size;
    return value.value;
}

static void read_text(struct thread *t, uint64_t address, char *text, size_t room)
{
    size_t length = 0;
    for (; length + 1 < room; length++) {
        text[length] = (char)load_place(find_place(t, GENERIC, address + length, 1, false), 1).value;
        if (!text[length])
            return;
    }
    text[length] = 0;
}

/* One conversion, with its stars replaced. */
static void print_value(struct thread *t, const char *spec, size_t length, uint64_t *at)
{
    char format[64] = "", text[1024];
    const char kind = spec[length - 1];
    const bool is_long = memchr(spec, 'l', length) || memchr(spec, 'j', length) || memchr(spec, 'z', length) ||
                         memchr(spec, 't', length);
    size_t used = 0;
    for (size_t k = 0; k < length && used < sizeof format - 16; k++) {
        if (spec[k] == '*')
            used += (size_t)snprintf(format + used, 12, "%d", (int)read_value(t, at, 4));
        else
            format[used++] = spec[k];
    }
    format[used] = 0;
    if (strchr("aAeEfFgG", kind)) {
        printf(format, double_of(read_value(t, at, 8))); /* NOLINT: the text is the kernel's */
    } else if (kind == 's') {
        read_text(t, read_value(t, at, 8), text, sizeof text);
        printf(format, text); /* NOLINT */
    } else if (kind == 'p') {
        printf(format, (void *)(uintptr_t)read_value(t, at, 8)); /* NOLINT */
    } else if (is_long) {
        printf(format, read_value(t, at, 8)); /* NOLINT */
    } else {
        printf(format, (unsigned)read_value(t, at, 4)); /* NOLINT */
    }
}

void run_print(struct thread *t, uint64_t format, uint64_t values)
{
    char text[4096];
    read_text(t, format, text, sizeof text);
    for (const char *at = text; *at;) {
        const size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, stdout);
        at += plain;
        if (*at == '%' && at[1] == '%') {
            putchar('%');
            at += 2;
        } else if (*at == '%') {
            const size_t length = strcspn(at + 1, "diouxXcaAeEfFgGsp") + 2;
            print_value(t, at, length, &values);
            at += length;
        }
    }
    fflush(stdout);
}
