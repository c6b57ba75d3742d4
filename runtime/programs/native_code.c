/* Which of a program's native codes this machine runs. */
#include "base/processor.h"
#include "programs/programs.h"

#include <gpucc/cpu.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define TARGET(id, name, machine, demands) name,
#include <gpucc/native_targets.def>
#undef TARGET
};

/* Whether GPUCC_CPU_TARGET is unset, empty or a target. */
static bool is_limit_known(const char *limit)
{
    bool known = !limit || !*limit;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        known |= limit && strcmp(limit, names[i]) == 0;
    return known;
}

/* Bit 1 << GPUCC_NATIVE_… for each that runs here, up to the one that GPUCC_CPU_TARGET names. */
static unsigned detect(void)
{
    const char *limit = getenv("GPUCC_CPU_TARGET");
    const unsigned here = processor_targets();
    for (unsigned i = 0; limit && i < GPUCC_NATIVE_COUNT; i++)
        if (strcmp(limit, names[i]) == 0)
            return here & ((2u << i) - 1);
    return limit && *limit ? 0 : here;
}

static unsigned running_targets(void)
{
    enum { KNOWN = 1 << 30 };
    static _Atomic unsigned targets;
    unsigned found = atomic_load_explicit(&targets, memory_order_relaxed);
    if (!found) {
        found = detect() | KNOWN;
        atomic_store_explicit(&targets, found, memory_order_relaxed);
    }
    return found & ~(unsigned)KNOWN;
}

static bool runs(uint64_t target)
{
    return target < GPUCC_NATIVE_COUNT && running_targets() >> target & 1;
}

GPUCC_API const char *gpucc_native_target(void)
{
    const char *best = NULL;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        best = runs(i) ? names[i] : best;
    return best;
}

GPUCC_API const struct gpucc_native_code *gpucc_cpu_code(const struct gpucc_program_image *image)
{
    for (uint64_t i = image->version >= 3 ? image->code_count : 0; i > 0; i--)
        if (runs(image->codes[i - 1].target))
            return &image->codes[i - 1];
    return NULL;
}

/* Compilers that said no target made code for x86-64-v3. */
static bool old_code_runs(void)
{
#if defined(__x86_64__)
    return runs(GPUCC_NATIVE_X86_64_V3);
#else
    return true;
#endif
}

struct gpucc_cpu_thread *(*native_code_self(const gpucc_program *program))(void)
{
    return program->image && program->image->version >= 4 ? program->image->self : NULL;
}

gpucc_status native_code_find(const struct gpucc_program_image *image, struct gpucc_native_code *code)
{
    struct text made = {0};
    const char *limit = getenv("GPUCC_CPU_TARGET"), *best = gpucc_native_target();
    const struct gpucc_native_code *found = gpucc_cpu_code(image);
    *code = found ? *found : (struct gpucc_native_code){0};
    if (!is_limit_known(limit)) {
        for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
            append(&made, "%s%s", i ? ", " : "", names[i]);
        return fail(GPUCC_INVALID_ARGUMENT, "GPUCC_CPU_TARGET is \"%s\": expected one of %s", limit, made.s);
    }
    if (found)
        return GPUCC_OK;
    if (image->version < 3 && image->natives && old_code_runs()) {
        *code = (struct gpucc_native_code){.natives = image->natives, .native_count = image->native_count};
        if (image->version == 2)
            code->globals = image->globals, code->global_count = image->global_count;
        return GPUCC_OK;
    }
    if (image->version < 3 && image->natives)
        append(&made, "%s", names[GPUCC_NATIVE_X86_64_V3]);
    for (uint64_t i = 0; image->version >= 3 && i < image->code_count; i++)
        append(&made, "%s%s", i ? ", " : "",
               image->codes[i].target < GPUCC_NATIVE_COUNT ? names[image->codes[i].target] : "a target unknown to it");
    if (!made.used)
        return fail(GPUCC_UNSUPPORTED, "there is no native code in it");
    return fail(GPUCC_UNSUPPORTED, "its native code is for %s, but this machine runs code for %s%s%s%s", made.s,
                best ? best : "none of the compiler's targets", limit ? " (GPUCC_CPU_TARGET=" : "", limit ? limit : "",
                limit ? ")" : "");
}
