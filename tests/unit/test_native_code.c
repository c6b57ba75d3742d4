/* Which native code this machine runs, against what the C compiler says of the processor. */
#include <gpucc/runtime.h>

#include <criterion/criterion.h>
#include <stdlib.h>

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
