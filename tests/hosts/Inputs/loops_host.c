/* Calls the native loops of levels.c by their names, without the runtime, and prints a hash of each result: the same on
 * every machine, but for NaN, of which each has its own. */
#include "../../accuracy/samples.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void native_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);
native_loop fused_f32f32f32_f32_loop, fused_double_f64f64f64_f64_loop, mixed_f32_f32_loop, mixed_double_f64_f64_loop,
    halves_f16f16_f16_loop, brains_bf16f32_bf16_loop;

enum { COUNT = 20000 };

static const struct {
    const char *name;
    native_loop *loop;
    int operands;         /* the last one is the output */
    int fractions[4];     /* bits of each one's fraction: 10, 7, 23, 52 */
} loops[] = {
    {"fused", fused_f32f32f32_f32_loop, 4, {23, 23, 23, 23}},
    {"fused_double", fused_double_f64f64f64_f64_loop, 4, {52, 52, 52, 52}},
    {"mixed", mixed_f32_f32_loop, 2, {23, 23}},
    {"mixed_double", mixed_double_f64_f64_loop, 2, {52, 52}},
    {"halves", halves_f16f16_f16_loop, 3, {10, 10, 10}},
    {"brains", brains_bf16f32_bf16_loop, 3, {7, 23, 7}},
};

static size_t size_of(int fraction)
{
    return fraction == 52 ? 8 : fraction == 23 ? 4 : 2;
}

static uint64_t infinity_of(int fraction)
{
    const int exponents = (int)size_of(fraction) * 8 - 1 - fraction;
    return ((UINT64_C(1) << exponents) - 1) << fraction;
}

static uint64_t hash(const char *memory, int fraction)
{
    const size_t size = size_of(fraction);
    const uint64_t infinity = infinity_of(fraction), sign = UINT64_C(1) << (size * 8 - 1);
    uint64_t found = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < COUNT; i++) {
        uint64_t bits = 0;
        memcpy(&bits, memory + (size_t)i * size, size);
        found = (found ^ ((bits & ~sign) > infinity ? infinity + 1 : bits)) * UINT64_C(0x100000001b3);
    }
    return found;
}

int main(void)
{
    static char memory[4][COUNT * 8];
    const intptr_t count = COUNT;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        char *args[4];
        intptr_t steps[4];
        for (int i = 0; i < loops[k].operands; i++) {
            const size_t size = size_of(loops[k].fractions[i]);
            args[i] = memory[i];
            steps[i] = (intptr_t)size;
            for (int n = 0; n < COUNT; n++) {
                uint64_t bits = random_bits();
                memcpy(memory[i] + (size_t)n * size, &bits, size);
            }
        }
        loops[k].loop(args, &count, steps, NULL);
        const int last = loops[k].operands - 1;
        printf("%s %016" PRIx64 "\n", loops[k].name, hash(memory[last], loops[k].fractions[last]));
    }
    return 0;
}
