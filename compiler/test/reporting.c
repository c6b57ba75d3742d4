/* Shared by the reports of ufuncs and kernels: elements as text, files left behind, words quoted for a shell. */
#include "test/test_internal.h"

#include <stdlib.h>
#include <string.h>

void print_element(struct text *text, enum dtype dtype, const void *element)
{
    char *words = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&words, &size);
    if (!file)
        fatal("out of memory");
    element_print(file, dtype, element);
    fclose(file);
    text_append(text, words, size);
    free(words);
}

/* ---- faults that checked code finds ---- */

void report_fault(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *words)
{
    enum { TOLD = 10 };
    struct faults *faults = data;
    faults->count += !is_note;
    if (faults->count > TOLD)
        return;
    if (place && place->column)
        text_printf(&faults->text, "%s:%d:%d: ", place->file, (int)place->line, (int)place->column);
    else if (place)
        text_printf(&faults->text, "%s:%d: ", place->file, (int)place->line);
    text_printf(&faults->text, "%s%s\n", is_note ? "note: " : "", words);
}

/* ---- files ---- */

void add_left_file(struct left_files *files, const char *path, enum dtype dtype, int ndim, const int64_t *shape,
                   const char *values)
{
    struct host_array array = {0};
    char *header = arena_alloc(files->arena, HOST_ARRAY_HEADROOM);
    host_array_lay_out(&array, dtype, ndim, shape, false); /* as it was when it was allocated */
    files->items = arena_grow(files->arena, files->items, files->count, sizeof *files->items);
    files->items[files->count++] = (struct left_file){.path = path, .head = header, .data = values,
                                                      .head_size = npy_header(&array, header),
                                                      .size = host_array_size(&array)};
}

/* ---- commands ---- */

void print_word(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_printf(text, " %s", word);
        return;
    }
    text_printf(text, " '");
    for (; *word; word++)
        text_printf(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_printf(text, "'");
}

void print_sources(struct text *text, const struct test_options *options)
{
    const struct options *compile = &options->compile;
    for (size_t i = 0; i < compile->input_count; i++)
        print_word(text, compile->inputs[i]);
    for (size_t i = 0; i < compile->linked_count; i++)
        print_word(text, compile->linked[i]);
}

void print_compilation(struct text *text, const struct test_options *options, bool is_plain)
{
    for (size_t i = 0; i < options->compile.extracted_count; i++)
        print_word(text, options->compile.extracted[i]);
    if (is_plain)
        text_printf(text, " -O0");
}
