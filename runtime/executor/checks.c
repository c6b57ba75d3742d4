/* The entry points for code compiled with -fsanitize. */
#include "base/common.h"

#include <inttypes.h>
#include <stdio.h>

GPUCC_API _Noreturn void gpucc_cpu_out_of_bounds(const char *array, const char *type, int64_t index, const char *file,
                                                 int line)
{
    char what[256];
    snprintf(what, sizeof what, "index %lld is out of bounds for %s%s%s%s", (long long)index, *array ? "'" : "",
             array, *array ? "', " : "", type);
    gpucc_cpu_fail(what, file, line);
}

GPUCC_API _Noreturn void gpucc_cpu_misaligned(const char *type, uint64_t address, unsigned align, const char *file,
                                              int line)
{
    char what[256];
    if (address == 0)
        snprintf(what, sizeof what, "access to %s through a null pointer", type);
    else
        snprintf(what, sizeof what, "access to %s at 0x%" PRIx64 ", which is not aligned to %u bytes", type, address,
                 align);
    gpucc_cpu_fail(what, file, line);
}

GPUCC_API void gpucc_cpu_check_atomic(const void *address, unsigned size, const char *file, int line)
{
    char what[256];
    if ((uintptr_t)address % size == 0)
        return;
    snprintf(what, sizeof what, "misaligned atomic operation on %u bytes at %p", size, address);
    gpucc_cpu_fail(what, file, line);
}
