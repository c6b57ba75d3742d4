/* libFuzzer target: any bytes as a manifest.  What is taken must be in range. */
#include "programs/manifest.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_loop(const struct manifest_loop *loop)
{
    if (loop->kind == LOOP_OTHER)
        return;
    if (!loop->entry || !loop->entry[0] || loop->inputs < 0 || loop->inputs + loop->outputs > GPUCC_LOOP_OPERANDS)
        abort();
    for (int i = 0; i < loop->inputs + loop->outputs; i++) {
        if (loop->types[i] >= GPUCC_DTYPE_COUNT)
            abort();
    }
    for (int i = 0; i < loop->parameter_count; i++) {
        if (!loop->parameters[i].name || !loop->parameters[i].type || loop->parameters[i].size == 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct manifest *manifest;
    if (manifest_parse((const char *)data, size, &manifest) != GPUCC_OK)
        return 0;
    for (int f = 0; f < manifest->function_count; f++) {
        if (!manifest->functions[f].name)
            abort();
        for (int i = 0; i < manifest->functions[f].loop_count; i++)
            check_loop(&manifest->functions[f].loops[i]);
    }
    manifest_free(manifest);
    return 0;
}
