/* Which native code this machine runs, against what the C compiler says of the processor. */
#include "sample_program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(native_code, knows_the_processor_as_the_compiler_does)
{
    const char *best = NULL;
    unsetenv("GPUCC_CPU_TARGET");
#if defined(__x86_64__)
    best = __builtin_cpu_supports("x86-64-v4")   ? "x86-64-v4"
           : __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3"
           : __builtin_cpu_supports("x86-64-v2") ? "x86-64-v2"
                                                 : NULL;
#elif defined(__aarch64__)
    best = "aarch64-linux-gnu";
#endif
    cr_assert_eq(!best, !gpucc_native_target());
    if (best)
        cr_assert_str_eq(gpucc_native_target(), best);
}

Test(native_code, an_unknown_limit_is_an_error)
{
    gpucc_context *context;
    gpucc_program *program;
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    setenv("GPUCC_CPU_TARGET", "abc", 1);
    cr_assert_eq(gpucc_context_create(&options, &context), GPUCC_OK);
    cr_assert_eq(gpucc_program_load(context, &sample_image, &program), GPUCC_INVALID_ARGUMENT, "%s",
                 gpucc_last_error());
    cr_assert(strstr(gpucc_last_error(), "GPUCC_CPU_TARGET is \"abc\": expected one of x86-64-v2"), "%s",
              gpucc_last_error());
    gpucc_context_destroy(context);
}
