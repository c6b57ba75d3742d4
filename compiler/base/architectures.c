/* GPU architectures, and the PTX and drivers that they take. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const struct architecture architectures[] = {
#define ARCHITECTURE(number, isa, threads, blocks, shared, reserved, part)                                             \
    {number, isa, threads, blocks, (size_t)(shared) << 10, reserved, part},
#include "base/architectures.def"
};

enum { COUNT = sizeof architectures / sizeof *architectures };

int arch_capability(int arch)
{
    return arch & ~(ARCH_FAMILY | ARCH_SPECIFIC);
}

const struct architecture *architecture_at(size_t index)
{
    return index < COUNT ? &architectures[index] : NULL;
}

const struct architecture *architecture_of(int capability)
{
    const struct architecture *found = &architectures[0];
    for (size_t i = 0; i < COUNT; i++)
        if (arch_capability(architectures[i].number) <= capability)
            found = &architectures[i];
    return found;
}

int newest_arch(int capability)
{
    int newest = architectures[0].number;
    for (size_t i = 0; i < COUNT; i++)
        if (architectures[i].number <= capability)
            newest = architectures[i].number;
    return newest;
}

int own_arch(int capability)
{
    return capability == 90 ? 90 | ARCH_SPECIFIC : newest_arch(capability);
}

static const char *arch_suffix(int arch)
{
    return arch & ARCH_SPECIFIC ? "a" : arch & ARCH_FAMILY ? "f" : "";
}

const char *arch_name(struct arena *arena, int arch)
{
    return arena_printf(arena, "sm_%d%s", arch_capability(arch), arch_suffix(arch));
}

int arch_from_name(const char *name, size_t length)
{
    char known[16];
    for (size_t i = 0; i < COUNT; i++) {
        const int arch = architectures[i].number;
        snprintf(known, sizeof known, "sm_%d%s", arch_capability(arch), arch_suffix(arch));
        if (strlen(known) == length && !memcmp(known, name, length))
            return arch;
    }
    return 0;
}

/* From "PTX ISA", .target: code for sm_100f is for 10.x alone, from 10.0 on. */
bool arch_can_contain(int arch, int part)
{
    const int capability = arch_capability(arch), needed = arch_capability(part);
    if (part & ARCH_SPECIFIC)
        return arch == part;
    if (part & ARCH_FAMILY && (capability == arch || capability / 10 != needed / 10))
        return false;
    return capability >= needed;
}

const char *llvm_processor(struct arena *arena, int arch)
{
    enum { LLVM_NEWEST = 90 };
    return arch_name(arena, arch_capability(arch) > LLVM_NEWEST ? LLVM_NEWEST : arch);
}

const char *llvm_ptx_feature(struct arena *arena, int isa)
{
    enum { LLVM_NEWEST = 85 };
    return arena_printf(arena, "+ptx%d", isa > LLVM_NEWEST ? LLVM_NEWEST : isa);
}

int cuda_arch(int arch)
{
    return arch_capability(arch) * 10;
}

int ptx_isa(int arch)
{
    for (size_t i = 0; i < COUNT; i++)
        if (architectures[i].number == arch)
            return architectures[i].isa;
    return 0;
}

/* From "PTX ISA", release notes: the CUDA release with each version. */
const char *ptx_isa_driver(int isa)
{
    static const struct {
        int isa;
        const char *driver;
    } drivers[] = {{63, "10.0"}, {64, "10.1"}, {65, "10.2"}, {70, "11.0"}, {71, "11.1"}, {72, "11.2"}, {73, "11.3"},
                   {74, "11.4"}, {75, "11.5"}, {76, "11.6"}, {77, "11.7"}, {78, "11.8"}, {80, "12.0"}, {81, "12.1"},
                   {82, "12.2"}, {83, "12.3"}, {84, "12.4"}, {85, "12.5"}, {86, "12.7"}, {87, "12.8"}, {88, "12.9"}};
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (drivers[i].isa >= isa)
            return drivers[i].driver;
    return "13.0";
}
