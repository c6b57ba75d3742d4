/* Devices: which are here, which is meant, and what they can do. */
#include "devices/devices.h"
#include "executor/executor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gpucc_status choose_automatically(struct device_choice *choice)
{
    int count;
    gpucc_status status = gpucc_device_count(&count);
    if (status)
        return status;
    choice->kind = count > 0 ? GPUCC_DEVICE_CUDA : GPUCC_DEVICE_CPU;
    return GPUCC_OK;
}

static gpucc_status choose_all(struct device_choice *choice)
{
    gpucc_status status = driver_open();
    if (!status)
        status = CU(NULL, cuDeviceGetCount, &choice->count);
    if (status)
        return status;
    if (choice->count > MAX_DEVICES)
        choice->count = MAX_DEVICES;
    for (int i = 0; i < choice->count; i++)
        choice->ordinals[i] = i;
    return GPUCC_OK;
}

static bool is_chosen(const struct device_choice *choice, long ordinal)
{
    for (int i = 0; i < choice->count; i++)
        if (choice->ordinals[i] == ordinal)
            return true;
    return false;
}

/* "0", or "2,0,1": the first one leads. */
static gpucc_status choose_listed(const char *spec, const char *list, struct device_choice *choice)
{
    const char *at = list;
    choice->count = 0;
    for (;;) {
        char *end;
        const long number = strtol(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end && *end != ',') || number > 1 << 20)
            return fail(GPUCC_INVALID_ARGUMENT,
                        "device \"%.60s\": expected a number, a list of numbers, or all after cuda:", spec);
        if (is_chosen(choice, number))
            return fail(GPUCC_INVALID_ARGUMENT, "device \"%.60s\": %ld is repeated", spec, number);
        if (choice->count == MAX_DEVICES)
            return fail(GPUCC_INVALID_ARGUMENT, "device \"%.60s\": a context has at most %d devices", spec,
                        MAX_DEVICES);
        choice->ordinals[choice->count++] = (int)number;
        if (!*end)
            return GPUCC_OK;
        at = end + 1;
    }
}

gpucc_status device_choose(const char *spec, struct device_choice *choice)
{
    *choice = (struct device_choice){.kind = GPUCC_DEVICE_CPU, .count = 1};
    if (!spec || strcmp(spec, "auto") == 0) {
        const char *wanted = getenv("GPUCC_DEVICE");
        if (!wanted || !*wanted || strcmp(wanted, "auto") == 0)
            return choose_automatically(choice);
        spec = wanted;
    }
    if (strcmp(spec, "cpu") == 0)
        return GPUCC_OK;
    choice->kind = GPUCC_DEVICE_CUDA;
    if (strcmp(spec, "cuda") == 0)
        return GPUCC_OK;
    if (strcmp(spec, "cuda:all") == 0)
        return choose_all(choice);
    if (strncmp(spec, "cuda:", 5) == 0)
        return choose_listed(spec, spec + 5, choice);
    return fail(GPUCC_INVALID_ARGUMENT, "device \"%.60s\" is invalid: expected auto, cpu, cuda, cuda:N, cuda:N,M… or "
                                        "cuda:all",
                spec);
}

/* No driver and no device are both "none", not a failure. */
gpucc_status gpucc_device_count(int *count)
{
    if (!count)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_device_count: count is null");
    *count = 0;
    gpucc_status status = driver_open();
    if (status == GPUCC_NO_DRIVER || status == GPUCC_NO_DEVICE)
        return GPUCC_OK;
    if (status)
        return status;
    int found = 0;
    status = CU(NULL, cuDeviceGetCount, &found);
    if (status && status != GPUCC_NO_DEVICE)
        return status;
    *count = found;
    return GPUCC_OK;
}

struct wanted {
    int attribute;
    int *value;
};

static gpucc_status get_attributes(CUdevice handle, const struct wanted *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gpucc_status status = CU(NULL, cuDeviceGetAttribute, wanted[i].value, wanted[i].attribute, handle);
        if (status)
            return status;
    }
    return GPUCC_OK;
}

/* An attribute that a driver may not know; 0 then. */
static int attribute_or_zero(CUdevice handle, int attribute)
{
    int value;
    return driver.cuDeviceGetAttribute(&value, attribute, handle) == CUDA_SUCCESS ? value : 0;
}

/* Two transfers a clock over the bus. */
static double bandwidth(CUdevice handle)
{
    int kilohertz = attribute_or_zero(handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    int bits = attribute_or_zero(handle, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    return 2.0 * 1e3 * kilohertz * (bits / 8.0);
}

gpucc_status device_describe_cuda(CUdevice handle, int ordinal, struct device *device)
{
    int major, minor, shared, shared_optin;
    gpucc_device_info *info = &device->info;
    const struct wanted wanted[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info->multiprocessors},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads_per_block},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &device->max_block[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, &device->max_block[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, &device->max_block[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &device->max_grid[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1, &device->max_grid[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2, &device->max_grid[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &shared},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared_optin},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &device->threads_per_multiprocessor},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &device->registers_per_multiprocessor},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &device->shared_per_multiprocessor},
    };
    size_t memory;
    gpucc_status status = get_attributes(handle, wanted, sizeof wanted / sizeof *wanted);
    if (!status)
        status = CU(NULL, cuDeviceTotalMem, &memory, handle);
    if (!status)
        status = CU(NULL, cuDeviceGetName, info->name, sizeof info->name, handle);
    if (status)
        return status;
    device->has_pools = driver.cuMemAllocAsync && driver.cuMemFreeAsync &&
                        attribute_or_zero(handle, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    device->handle = handle;
    device->max_shared = (size_t)shared;
    info->size = sizeof *info;
    info->kind = GPUCC_DEVICE_CUDA;
    info->ordinal = ordinal;
    info->arch = major * 10 + minor;
    info->driver_version = driver.version;
    info->memory = memory;
    info->max_shared_per_block = (size_t)(shared_optin > shared ? shared_optin : shared);
    info->memory_bandwidth = bandwidth(handle);
    return GPUCC_OK;
}

static void cpu_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

static void describe_cpu(struct device *device)
{
    gpucc_device_info *info = &device->info;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cores = sysconf(_SC_NPROCESSORS_ONLN);
    *info = (gpucc_device_info){
        .size = sizeof *info,
        .kind = GPUCC_DEVICE_CPU,
        .multiprocessors = cores > 0 ? (int)cores : 1,
        .memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0,
        .max_threads_per_block = GPUCC_BLOCK_THREADS,
        .max_shared_per_block = 1 << 20,
    };
    memcpy(device->max_block, (int[]){GPUCC_BLOCK_THREADS, GPUCC_BLOCK_THREADS, GPUCC_BLOCK_DEPTH},
           sizeof device->max_block);
    memcpy(device->max_grid, (int[]){GPUCC_GRID_WIDTH, GPUCC_GRID_HEIGHT, GPUCC_GRID_HEIGHT}, sizeof device->max_grid);
    cpu_name(info->name, sizeof info->name);
}

/* The caller's record may be from an older or a newer header. */
void device_copy_info(const gpucc_device_info *from, gpucc_device_info *to)
{
    size_t size = to->size < sizeof *from ? to->size : sizeof *from;
    memcpy((char *)to + sizeof to->size, (const char *)from + sizeof from->size, size - sizeof to->size);
}

static gpucc_status query_cuda(int ordinal, struct device *device)
{
    int count = 0;
    CUdevice handle;
    gpucc_status status = driver_open();
    if (!status)
        status = CU(NULL, cuDeviceGetCount, &count);
    if (status)
        return status;
    if (ordinal >= count)
        return fail(GPUCC_NO_DEVICE, "there is no CUDA device %d: the driver has %d", ordinal, count);
    status = CU(NULL, cuDeviceGet, &handle, ordinal);
    return status ? status : device_describe_cuda(handle, ordinal, device);
}

gpucc_status device_query(gpucc_device_kind kind, int ordinal, struct device *device)
{
    memset(device, 0, sizeof *device);
    if (kind == GPUCC_DEVICE_CUDA)
        return query_cuda(ordinal, device);
    describe_cpu(device);
    return GPUCC_OK;
}

gpucc_status gpucc_device_query(const char *spec, gpucc_device_info *info)
{
    struct device_choice choice;
    struct device device;
    if (!info || info->size < sizeof info->size)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_device_query: info is null or its size is not set");
    gpucc_status status = device_choose(spec, &choice);
    if (!status)
        status = device_query(choice.kind, choice.ordinals[0], &device);
    if (!status)
        device_copy_info(&device.info, info);
    return status;
}
