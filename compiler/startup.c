/* Limits, heap and environment of a process that compiles, set before anything else. */
#define _XOPEN_SOURCE 700
#include "startup.h"

#include "emit/emit.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Clang recurses over deeply nested expressions: a generated file may nest very deep. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* A compilation ends before returning memory would help, and many small requests to the kernel take longer. */
static void grow_heap_in_large_steps(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
}

/* libclang heeds these variables and the code generator does not: both must read the same files. */
static void forget_clang_variables(void)
{
    static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

void startup(void)
{
    raise_stack_limit();
    grow_heap_in_large_steps();
    forget_clang_variables();
    crash_install();
    optimize_setup();
}
