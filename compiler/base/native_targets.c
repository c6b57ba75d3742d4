/* The targets of native code. */
#include "base/base.h"

#include <string.h>

/* Properties shared by all processors of a machine.  For x86-64 LLVM calls them as --target does, and vectors are to
 * be as wide as there are. */
#define MACHINE_x86_64(name)                                                                                           \
    .triple = "x86_64-unknown-linux-gnu", .processor = (name), .architecture = (name), .features = "-prefer-256-bit"
#define MACHINE_aarch64(name)                                                                                          \
    .triple = "aarch64-unknown-linux-gnu", .processor = "generic", .architecture = "armv8-a", .features = ""

static const struct native_target targets[] = {
#define TARGET(id, text, machine, demands) {.name = text, MACHINE_##machine(text)},
#include <gpucc/native_targets.def>
#undef TARGET
};

const struct native_target *native_target(enum gpucc_native_target target)
{
    return &targets[target];
}

bool same_machine(unsigned wanted)
{
    const char *triple = targets[first_target(wanted)].triple;
    for (unsigned i = 0; i < GPUCC_NATIVE_COUNT; i++)
        if (wanted >> i & 1 && strcmp(targets[i].triple, triple) != 0)
            return false;
    return true;
}

enum gpucc_native_target first_target(unsigned wanted)
{
    unsigned target = 0;
    while (target + 1 < GPUCC_NATIVE_COUNT && !(wanted >> target & 1))
        target++;
    return (enum gpucc_native_target)target;
}
