/* The targets of native code that this machine's processor runs. */
#include "base/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <gpucc/program.h>
#include <stdbool.h>
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

unsigned processor_targets(void)
{
    const bool here[] = {
#define TARGET(id, name, machine, demands) RUNS_##machine(name),
#include <gpucc/native_targets.def>
#undef TARGET
    };
    unsigned found = 0;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        found |= (unsigned)here[i] << i;
    return found;
}
