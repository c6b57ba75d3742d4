/* libFuzzer target: any bytes as an object, for `gpucc inspect`.  What is found lies within the bytes. */
#include "base/base.h"
#include "inspect/inspect_internal.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(struct bytes text, const uint8_t *data, size_t size)
{
    const uint8_t *start = (const uint8_t *)text.data;
    if (start < data || start > data + size || text.size >= (size_t)(data + size - start) || start[text.size])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct object_contents contents;
    const char *reason = NULL;
    if (object_read(arena, (struct bytes){(const char *)data, size}, &contents, &reason)) {
        check_text(contents.manifest, data, size);
        for (size_t i = 0; i < contents.image_count; i++)
            check_text(contents.images[i].text, data, size);
    } else if (!reason) {
        abort();
    }
    arena_free(arena);
    return 0;
}
