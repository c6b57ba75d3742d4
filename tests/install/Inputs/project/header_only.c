/* Has its PTX from a header alone, for sm_80 and sm_120, and so nothing for the CPU. */
#include "inline/embedded.h"
#include <stdio.h>

int main(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    gpucc_context *context;
    gpucc_array *x, *y = NULL;
    if (gpucc_context_create(&options, &context) || gpucc_array_scalar(context, GPUCC_FLOAT32, &(float){1}, &x))
        return fprintf(stderr, "%s\n", gpucc_last_error()), 1;
    gpucc_status status = raised(context, x, &y);
    printf("%u images, the newest sm_%u: %s\n", (unsigned)gpucc_program_inline_embedded.image_count,
           (unsigned)gpucc_program_inline_embedded.images[1].arch, gpucc_status_name(status));
    gpucc_context_destroy(context);
}
