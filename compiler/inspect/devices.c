/* gpucc devices: the devices that programs can use. */
#include "inspect/inspect_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *memory_text(struct arena *arena, uint64_t bytes)
{
    return arena_printf(arena, "%.1f GiB", (double)bytes / (double)(1 << 30));
}

static void print_row(const char *device, const char *name, const char *units, const char *memory, const char *driver,
                      bool is_default)
{
    printf("%-8s %-40s %-16s %-11s %s%s\n", device, name, units, memory, driver, is_default ? "  default" : "");
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
    int version = info.driver_version;
    const char *driver = cuda ? arena_printf(arena, "%d.%d", version / 1000, version % 1000 / 10) : "-";
    print_row(device, info.name, units, memory_text(arena, info.memory), driver,
              default_info && info.kind == default_info->kind && info.ordinal == default_info->ordinal);
}

/* Why there is none, in the driver's words. */
static void explain_none(void)
{
    gpucc_device_info info = {.size = sizeof info};
    gpucc_status status = gpucc_device_query("cuda:0", &info);
    printf("%s: %s\n", status == GPUCC_NO_DRIVER ? "no CUDA driver" : "no CUDA device", gpucc_last_error());
}

static _Noreturn void print_help(void)
{
    print_usage("devices");
    exit(EXIT_OK);
}

int command_devices(int argc, char **argv)
{
    int count = 0;
    gpucc_device_info chosen = {.size = sizeof chosen};
    if (argc == 2 && !strcmp(argv[1], "--help"))
        print_help();
    if (argc > 1)
        usage_error("gpucc devices takes no arguments, got '%s'", argv[1]);
    struct arena *arena = arena_new();
    bool has_default = !gpucc_device_query(NULL, &chosen);
    const char *no_default = has_default ? NULL : arena_strdup(arena, gpucc_last_error());
    print_row("device", "name", "units", "memory", "driver", false);
    print_device(arena, "cpu", has_default ? &chosen : NULL);
    if (gpucc_device_count(&count))
        printf("cannot count CUDA devices: %s\n", gpucc_last_error());
    for (int i = 0; i < count; i++)
        print_device(arena, arena_printf(arena, "cuda:%d", i), has_default ? &chosen : NULL);
    if (!count)
        explain_none();
    if (no_default)
        printf("no default: %s\n", no_default);
    arena_free(arena);
    finish_standard_output();
    return EXIT_OK;
}
