/* libFuzzer target: any text as PTX, for what is linked and for `gpucc inspect`.  Statements lie within the text, one
 * behind the other. */
#include "base/base.h"
#include "ptx/ptx.h"
#include "inspect/inspect_internal.h"
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The output of inspection does not matter. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return freopen("/dev/null", "w", stdout) ? 0 : 1;
}

static void check_statements(const struct ptx_text *text, const char *begin, const char *end)
{
    for (size_t i = 0; i < text->count; i++) {
        const struct ptx_statement *statement = &text->statements[i];
        if (statement->begin < begin || statement->end <= statement->begin || statement->end > end)
            abort();
        begin = statement->end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    const char *source = arena_strndup(arena, (const char *)data, size), *reason = NULL;
    struct ptx_text text = ptx_read(arena, source);
    check_statements(&text, source, source + size);
    if (!inspect_ptx(arena, (struct bytes){source, size}, &(struct measured){0}, &reason) && !reason)
        abort();
    arena_free(arena);
    return 0;
}
