/* Arrays as text: .txt and .csv files of numbers, as numpy.loadtxt() reads them and numpy.savetxt() writes them. */
#define _GNU_SOURCE /* open_memstream */
#include "run/run_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NUMBER_ROOM = 128, SHOWN = 40 };

bool is_text_file(const char *path)
{
    const char *suffix = strrchr(path, '.');
    return suffix && (!strcmp(suffix, ".txt") || !strcmp(suffix, ".csv"));
}

/* ---- lines and fields ---- */

struct line {
    const char *path;
    size_t number;          /* from 1 on */
    const char *start, *end; /* without blanks before it, and without its comment */
    bool has_commas;        /* they separate its fields; else blanks do */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* The next line with more than a comment, from *at on, which then lies behind it; false at the end of the file. */
static bool next_line(struct line *line, const char **at, const char *file_end)
{
    while (*at < file_end) {
        const char *newline = memchr(*at, '\n', (size_t)(file_end - *at));
        const char *end = newline ? newline : file_end;
        const char *comment = memchr(*at, '#', (size_t)(end - *at));
        line->number++;
        line->end = comment ? comment : end;
        line->start = skip_blanks(*at, line->end);
        *at = newline ? newline + 1 : file_end;
        if (line->start < line->end) {
            line->has_commas = memchr(line->start, ',', (size_t)(line->end - line->start));
            return true;
        }
    }
    return false;
}

/* The field at *at without blanks around it; *at then lies behind its separator.  False after the last field.  A field
 * that is longer than any number is cut. */
static bool next_field(const struct line *line, const char **at, char field[NUMBER_ROOM])
{
    if (*at > line->end || (!line->has_commas && skip_blanks(*at, line->end) == line->end))
        return false;
    const char *start = skip_blanks(*at, line->end), *end = start;
    while (end < line->end && (line->has_commas ? *end != ',' : !is_blank(*end)))
        end++;
    *at = end + 1;
    while (end > start && is_blank(end[-1]))
        end--;
    snprintf(field, NUMBER_ROOM, "%.*s", end - start < NUMBER_ROOM ? (int)(end - start) : NUMBER_ROOM - 1, start);
    return true;
}

static _Noreturn void bad_field(const struct line *line, const char *field, const char *reason, const char *dtype)
{
    input_error("%s:%zu: '%.*s%s' %s%s", line->path, line->number, SHOWN, field, strlen(field) > SHOWN ? "…" : "",
                reason, dtype);
}

/* A first line of names, as spreadsheets write it. */
static bool is_heading(const struct line *line)
{
    char field[NUMBER_ROOM];
    struct number number;
    for (const char *at = line->start; next_field(line, &at, field);)
        if (number_parse(field, &number))
            return false;
    return true;
}

/* ---- reading ---- */

static int compare_integers(const struct number *a, const struct number *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int larger = (a->magnitude > b->magnitude) - (a->magnitude < b->magnitude);
    return a->negative ? -larger : larger;
}

/* Extends what is known of the file's numbers by one more. */
static void note_number(struct text_file *file, const struct number *number)
{
    if (file->count++ == 0) {
        file->kind = number->kind;
        file->least = file->greatest = *number;
        return;
    }
    file->kind = number->kind > file->kind ? number->kind : file->kind;
    if (number->kind != NUMBER_INTEGER)
        return;
    if (file->least.kind != NUMBER_INTEGER || compare_integers(number, &file->least) < 0)
        file->least = *number;
    if (file->greatest.kind != NUMBER_INTEGER || compare_integers(number, &file->greatest) > 0)
        file->greatest = *number;
    if (!number->is_truth)
        file->least.is_truth = file->greatest.is_truth = false;
}

/* The numbers of one row: noted, or with `elements` stored there as `dtype`.  Returns how many there are. */
static size_t read_row(struct text_file *file, const struct line *line, enum dtype dtype, char *elements)
{
    char field[NUMBER_ROOM];
    struct number number;
    size_t columns = 0;
    for (const char *at = line->start; next_field(line, &at, field); columns++) {
        if (!number_parse(field, &number))
            bad_field(line, field, "is not a number", "");
        if (!elements)
            note_number(file, &number);
        else if (!number_store(&number, dtype, elements + columns * dtype_size(dtype)))
            bad_field(line, field, "does not fit ", dtype_name(dtype));
    }
    return columns;
}

/* Reads every row: notes its numbers, or with `elements` stores them as `dtype`. */
static void read_rows(struct text_file *file, enum dtype dtype, char *elements)
{
    const char *at = file->bytes.data, *end = at + file->bytes.size;
    struct line line = {.path = file->path};
    size_t rows = 0;
    while (next_line(&line, &at, end)) {
        if (rows == 0 && is_heading(&line))
            continue;
        size_t columns = read_row(file, &line, dtype, elements);
        if (rows++ == 0)
            file->columns = columns;
        if (columns != file->columns)
            input_error("%s:%zu: this row has %zu numbers; the rows before have %zu", line.path, line.number, columns,
                        file->columns);
        if (elements)
            elements += columns * dtype_size(dtype);
    }
    file->rows = rows;
}

void text_file_open(struct text_file *file, const char *path)
{
    *file = (struct text_file){.path = path, .bytes = file_open(path)};
    read_rows(file, DTYPE_NONE, NULL);
    if (file->count == 0)
        input_error("cannot use '%s': it has no numbers", path);
}

int text_file_shape(const struct text_file *file, int64_t shape[2])
{
    int ndim = 0;
    if (file->rows > 1)
        shape[ndim++] = (int64_t)file->rows;
    if (file->columns > 1)
        shape[ndim++] = (int64_t)file->columns;
    return ndim;
}

bool text_file_fits(const struct text_file *file, enum dtype dtype)
{
    _Alignas(16) char element[16];
    if (file->kind == NUMBER_INTEGER)
        return number_store(&file->least, dtype, element) && number_store(&file->greatest, dtype, element);
    return dtype_kind(dtype) == 'c' || (file->kind == NUMBER_REAL && dtype_kind(dtype) == 'f');
}

enum dtype text_file_dtype(const struct text_file *file)
{
    if (file->kind != NUMBER_INTEGER)
        return file->kind == NUMBER_REAL ? DTYPE_float64 : DTYPE_complex128;
    const bool is_wide = file->least.negative && number_dtype(&file->greatest) == DTYPE_uint64;
    return is_wide ? DTYPE_float64 : number_dtype(&file->greatest);
}

void text_file_read(struct text_file *file, enum dtype dtype, char *elements)
{
    read_rows(file, dtype, elements);
    munmap(file->bytes.mapping, file->bytes.mapped);
    file->bytes.mapping = NULL;
}

/* ---- writing ---- */

void text_file_save(const char *path, const struct host_array *array)
{
    if (array->ndim > 2)
        input_error("cannot save '%s': text has at most two dimensions, and the array has %d; save it as .npy", path,
                    array->ndim);
    const char *separator = strcmp(strrchr(path, '.'), ".csv") ? " " : ",";
    const size_t columns = array->ndim == 2 ? (size_t)array->shape[1] : 1, count = host_array_count(array);
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        fatal("out of memory: the text of '%s'", path);
    for (size_t i = 0; i < count; i++) {
        element_print(stream, array->dtype, array->data + i * dtype_size(array->dtype));
        fputs((i + 1) % columns ? separator : "\n", stream);
    }
    if (fclose(stream))
        fatal("out of memory: the text of '%s'", path);
    write_file(path, text, size, false);
    free(text);
}
