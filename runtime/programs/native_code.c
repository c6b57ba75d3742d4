/* Which of a program's native codes this machine runs. */
#include "programs/programs.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <gpucc/cpu.h>
#include <stdlib.h>
#include <string.h>

/* By the levels of the System V ABI for x86-64, a processor's features and the registers that the system saves for it.
 * What GCC has for that knows every processor there is, and is larger. */
#if defined(__x86_64__)
enum { LEAF_1_C, LEAF_7_B, EXTENDED_C, SAVED, WORDS };

static void read_features(unsigned *words)
{
    unsigned a, b, c = 0, d;
    memset(words, 0, WORDS * sizeof *words);
    if (__get_cpuid(1, &a, &b, &c, &d))
        words[LEAF_1_C] = c;
    if (c & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(words[SAVED]), "=d"(d) : "c"(0));
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        words[LEAF_7_B] = b;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        words[EXTENDED_C] = c;
}

/* Each level needs those below it. */
static bool runs_level(int level)
{
    static const unsigned needed[][WORDS] = {
        {bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_SSSE3, 0, bit_LAHF_LM, 0},
        {bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE, bit_AVX2 | bit_BMI | bit_BMI2, bit_LZCNT, 0x6},
        {0, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL, 0, 0xe6},
    };
    unsigned words[WORDS];
    bool runs = true;
    read_features(words);
    for (int i = 0; i <= level - 2; i++)
        for (int k = 0; k < WORDS; k++)
            runs &= (words[k] & needed[i][k]) == needed[i][k];
    return runs;
}

#define RUNS_x86_64(name) runs_level((name)[sizeof "x86-64-v" - 1] - '0')
#else
#define RUNS_x86_64(name) false
#endif
#if defined(__aarch64__)
#define RUNS_aarch64(name) true
#else
#define RUNS_aarch64(name) false
#endif

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
    const bool here[] = {
#define TARGET(id, name, machine, demands) RUNS_##machine(name),
#include <gpucc/native_targets.def>
#undef TARGET
    };
    const char *limit = getenv("GPUCC_CPU_TARGET");
    unsigned found = 0;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++) {
        found |= (unsigned)here[i] << i;
        if (limit && strcmp(limit, names[i]) == 0)
            return found;
    }
    return limit && *limit ? 0 : found;
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
