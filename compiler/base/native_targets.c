/* What native code can be made for. */
#include "base/base.h"

/* What is the same for all processors of a machine; LLVM calls them as --target does. */
#define MACHINE_x86_64(name) .triple = "x86_64-unknown-linux-gnu", .processor = name, \
                             .features = "-prefer-256-bit" /* vectors as wide as there are */

static const struct native_target targets[] = {
#define TARGET(id, text, machine, demands) {.name = text, MACHINE_##machine(text)},
#include <gpucc/native_targets.def>
#undef TARGET
};

const struct native_target *native_target(enum gpucc_native_target target)
{
    return &targets[target];
}

enum gpucc_native_target first_target(unsigned wanted)
{
    unsigned target = 0;
    while (target + 1 < GPUCC_NATIVE_COUNT && !(wanted >> target & 1))
        target++;
    return (enum gpucc_native_target)target;
}
