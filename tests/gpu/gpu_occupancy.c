/* Compares the occupancy of `gpucc inspect --occupancy` with the driver's: for blocks of every size, functions of many
 * registers and few, static and dynamic shared memory. */
#include "foreign.h"
#include "inspect/resident.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 0, SHARED = 1, REGISTERS = 4, MOST_DYNAMIC_SHARED = 8, JIT_MAX_REGISTERS = 0 };

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fseek(file, 0, SEEK_SET);
    char *text = suite_alloc((size_t)size + 1);
    CHECK(fread(text, 1, (size_t)size, file) == (size_t)size, "%s", path);
    text[size] = '\0';
    fclose(file);
    return text;
}

static int attribute(const struct foreign *driver, void *function, int which)
{
    int value;
    DRIVER_MUST(driver->function_get(&value, which, function));
    return value;
}

/* All blocks that the function may have, with this much dynamic shared memory. */
static long compare_blocks(const struct foreign *driver, const char *name, void *function, size_t dynamic)
{
    const struct multiprocessor limits = multiprocessor_of(suite.device.arch);
    const int most = attribute(driver, function, MAX_THREADS);
    const struct use use = {attribute(driver, function, REGISTERS),
                            (size_t)attribute(driver, function, SHARED) + dynamic};
    for (int block = 1; block <= most; block++) {
        int blocks;
        const struct room room = room_for(&limits, &use, block);
        DRIVER_MUST(driver->occupancy(&blocks, function, block, dynamic));
        CHECK(blocks == least_room(&room), "%s, %d registers, %zu bytes of shared memory, blocks of %d: %d, not %d",
              name, use.registers, use.shared, block, least_room(&room), blocks);
    }
    return most;
}

static long compare_function(const struct foreign *driver, void *module, const char *name)
{
    static const size_t dynamic[] = {0, 1, 1000, 5000, 20000, 40000, 90000, 200000};
    const struct multiprocessor limits = multiprocessor_of(suite.device.arch);
    long compared = 0;
    void *function;
    DRIVER_MUST(driver->module_function(&function, module, name));
    const size_t shared = (size_t)attribute(driver, function, SHARED);
    for (size_t i = 0; i < sizeof dynamic / sizeof *dynamic && shared + dynamic[i] <= limits.block_shared; i++) {
        DRIVER_MUST(driver->function_set(function, MOST_DYNAMIC_SHARED, (int)dynamic[i]));
        compared += compare_blocks(driver, name, function, dynamic[i]);
    }
    return compared;
}

/* Every entry of the text, compiled for at most so many registers. */
static long compare_text(const struct foreign *driver, const char *text, uintptr_t registers)
{
    static const char entry[] = ".visible .entry ";
    int option = JIT_MAX_REGISTERS;
    void *module, *value = (void *)registers;
    long compared = 0;
    DRIVER_MUST(driver->module_load(&module, text, 1, &option, &value));
    for (const char *at = text; (at = strstr(at, entry)) != NULL;) {
        char name[400]; /* loops of many operands have long ones */
        at += strlen(entry);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "( \n"), at);
        compared += compare_function(driver, module, name);
    }
    DRIVER_MUST(driver->module_unload(module));
    return compared;
}

static void blocks_are_counted_as_the_driver_does(void)
{
    static const char *const files[] = {"suite_elementwise.ptx", "suite_gufuncs.ptx", "suite_launches.ptx"};
    static const uintptr_t registers[] = {24, 32, 48, 96, 255};
    const struct foreign *driver = foreign_driver();
    void *context, *previous;
    int device;
    long compared = 0;
    suite_needs_cuda();
    if (strncmp(suite.device.name, "Fake GPU", strlen("Fake GPU")) == 0)
        suite_skip("the stand-in for libcuda has no occupancy of its own");
    DRIVER_MUST(driver->device_get(&device, suite.device.ordinal));
    DRIVER_MUST(driver->context_get(&previous));
    DRIVER_MUST(driver->primary_retain(&context, device));
    DRIVER_MUST(driver->context_set(context));
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *text = read_text(suite_path(files[f]));
        for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
            compared += compare_text(driver, text, registers[i]);
        free(text);
    }
    DRIVER_MUST(driver->context_set(previous));
    DRIVER_MUST(driver->primary_release(device));
    CHECK(compared > 100000, "only %ld blocks were compared", compared);
    printf("%ld blocks compared\n", compared);
}

static const struct suite_test tests[] = {TEST(blocks_are_counted_as_the_driver_does)};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
