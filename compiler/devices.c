/* gpucc devices: what programs can run on here. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const char *memory_text(struct arena *arena, uint64_t bytes)
{
    return arena_printf(arena, "%.1f GiB", (double)bytes / (double)(1 << 30));
}

static void print_row(const char *device, const char *name, const char *units, const char *memory, const char *driver,
                      bool is_default)
{
    printf("%-8s %-34s %-24s %-11s %-7s %s\n", device, name, units, memory, driver, is_default ? "default" : "");
}

static void print_device(struct arena *arena, const char *device, const gpucc_device_info *default_info)
{
    gpucc_device_info info = {.size = sizeof info};
    gpucc_status status = gpucc_device_query(device, &info);
    if (status) {
        printf("%-8s cannot be used: %s\n", device, gpucc_last_error());
        return;
    }
    bool cuda = info.kind == GPUCC_DEVICE_CUDA;
    const char *units = cuda ? arena_printf(arena, "sm_%d, %d SMs", info.arch, info.multiprocessors)
                             : arena_printf(arena, "%d threads", info.multiprocessors);
    const char *driver = cuda ? arena_printf(arena, "%d.%d", info.driver_version / 1000, info.driver_version % 1000 / 10)
                              : "-";
    print_row(device, info.name, units, memory_text(arena, info.memory), driver,
              default_info && info.kind == default_info->kind && info.ordinal == default_info->ordinal);
}

int command_devices(int argc, char **argv)
{
    int count = 0;
    gpucc_device_info chosen = {.size = sizeof chosen};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help"))
            usage_error("gpucc devices takes no arguments, given '%s'", argv[i]);
        puts("gpucc devices                              what programs can run on here");
        return EXIT_OK;
    }
    struct arena *arena = arena_new();
    gpucc_status status = gpucc_device_count(&count);
    const char *reason = count ? "" : arena_strdup(arena, gpucc_last_error());
    bool has_default = !gpucc_device_query(NULL, &chosen);
    const char *no_default = has_default ? NULL : arena_strdup(arena, gpucc_last_error());
    print_row("device", "name", "", "memory", "driver", false);
    print_device(arena, "cpu", has_default ? &chosen : NULL);
    for (int i = 0; i < count; i++)
        print_device(arena, arena_printf(arena, "cuda:%d", i), has_default ? &chosen : NULL);
    if (!count)
        printf("no CUDA device: %s\n", *reason ? reason : status ? gpucc_status_name(status) : "the driver has none");
    if (no_default)
        printf("no default: %s\n", no_default);
    arena_free(arena);
    return fflush(stdout) || ferror(stdout) ? EXIT_ENVIRONMENT : EXIT_OK;
}
