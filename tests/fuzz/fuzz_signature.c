/* Any text in vectorize(…) and guvectorize(…), and any source around it: told as an error or understood, and what
 * was understood means the same when it is written out again. */
#include "semantics/semantics.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void append_types(struct text *text, const struct type_name *types, size_t count)
{
    text_printf(text, "(");
    for (size_t i = 0; i < count; i++) {
        check(types[i].variable || types[i].dtype < DTYPE_COUNT);
        text_printf(text, "%s%s", i ? "," : "", types[i].variable ? types[i].variable : dtype_name(types[i].dtype));
    }
    text_printf(text, ")");
}

static const char *signatures_text(struct arena *arena, const struct signature *signatures, size_t count)
{
    struct text text = {.arena = arena};
    text_append(&text, "", 0);
    for (size_t i = 0; i < count; i++) {
        text_printf(&text, "%s", i ? "," : "");
        append_types(&text, signatures[i].outputs, signatures[i].output_count);
        append_types(&text, signatures[i].inputs, signatures[i].input_count);
    }
    return text.data;
}

static void try_signatures(const struct options *options, struct diagnostics *diagnostics, const char *text)
{
    enum dtype dtypes[] = {DTYPE_float32, DTYPE_float64};
    struct typevar typevars[] = {{"T", dtypes, 2, {0}}, {"Real", dtypes, 2, {0}}};
    struct unit unit = {.typevars = typevars, .typevar_count = 2};
    struct signature *signatures, *again;
    size_t count, again_count, errors = diagnostics_errors(diagnostics);
    struct place start = {NULL, 1, 11, 0};
    if (!parse_signatures(text, start, &unit, options->arena, diagnostics, &signatures, &count)) {
        check(diagnostics_errors(diagnostics) > errors);
        return;
    }
    check(diagnostics_errors(diagnostics) == errors);
    const char *written = signatures_text(options->arena, signatures, count);
    check(parse_signatures(written, start, &unit, options->arena, diagnostics, &again, &again_count));
    check(again_count == count && !strcmp(signatures_text(options->arena, again, again_count), written));
}

static void try_layout(const struct options *options, struct diagnostics *diagnostics, const char *text)
{
    struct layout layout, again;
    struct place start = {NULL, 1, 13, 0};
    size_t errors = diagnostics_errors(diagnostics);
    if (!parse_layout(text, start, options->arena, diagnostics, &layout)) {
        check(diagnostics_errors(diagnostics) > errors);
        return;
    }
    for (size_t i = 0; i < layout.input_count + layout.output_count; i++)
        for (size_t k = 0; k < layout.operands[i].dimension_count; k++)
            check(layout.operands[i].dimensions[k] < layout.dimension_count);
    check(parse_layout(layout.text, start, options->arena, diagnostics, &again) && !strcmp(again.text, layout.text));
}

/* The places of comments and annotations in a source that is this text. */
static void try_source(const struct options *options, const char *text, size_t size)
{
    struct arena *arena = options->arena;
    size_t start, half = size / 2;
    struct source source = {"", text, size, NULL, 0};
    const char *comment = source_comment(&source, half, arena);
    uint32_t code;
    for (size_t left = strlen(comment), step; left; comment += step, left -= step)
        check((step = utf8_decode(comment, left, &code)) > 0);
    const char *annotation = source_annotation(&source, half, "float32(float32)", arena, &start);
    check(!annotation || (start <= size && !strncmp(text + start, annotation, strlen(annotation))));
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w"); /* the diagnostics; the fuzzer's own reports do not go through stdio */
    return stderr ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options = {.arena = arena_new()};
    options.sources = sources_new();
    const char *text = arena_strndup(options.arena, (const char *)data, size);
    try_signatures(&options, diagnostics_new(&options), text);
    try_layout(&options, diagnostics_new(&options), text);
    try_source(&options, text, size);
    sources_free(options.sources);
    arena_free(options.arena);
    return 0;
}
