/* Loads the newest of a program's PTX texts that the device and its driver take. */
#include "internal.h"
#include <stdio.h>
#include <string.h>

/* The stamp in the text's first line; false where there is none. */
static bool read_stamp(const char *ptx, size_t size, uint64_t *abi)
{
    static const char prefix[] = "// gpucc-abi: ";
    enum { DIGITS = 16 };
    char line[sizeof prefix + DIGITS];
    unsigned long long value;
    int length = 0;
    if (size < sizeof line - 1 || memcmp(ptx, prefix, sizeof prefix - 1) != 0)
        return false;
    memcpy(line, ptx, sizeof line - 1);
    line[sizeof line - 1] = '\0';
    if (sscanf(line + sizeof prefix - 1, "%16llx%n", &value, &length) != 1 || length != DIGITS)
        return false;
    *abi = value;
    return true;
}

static const struct manifest_target *find_target(const struct manifest *manifest, const struct gpucc_image *image)
{
    for (int i = 0; i < manifest->target_count; i++) {
        const struct manifest_target *target = &manifest->targets[i];
        if (target->arch == (int)image->arch && target->isa == (int)image->isa)
            return target;
    }
    return NULL;
}

/* The newest image below `below` that is made for this device and driver. */
static const struct gpucc_image *newest(const gpucc_context *context, const struct gpucc_image *images, int count,
                                        const struct manifest *manifest, const struct gpucc_image *below)
{
    const struct gpucc_device_info *info = &context->device.info;
    const struct gpucc_image *best = NULL;
    for (int i = 0; i < count; i++) {
        const struct gpucc_image *image = &images[i];
        const struct manifest_target *target = find_target(manifest, image);
        bool fits = (int)image->arch <= info->arch && (!target || target->driver <= info->driver_version);
        bool is_newer = !best || image->arch > best->arch || (image->arch == best->arch && image->isa > best->isa);
        bool is_below = !below || image->arch < below->arch || (image->arch == below->arch && image->isa < below->isa);
        if (fits && is_newer && is_below)
            best = image;
    }
    return best;
}

static gpucc_status fail_no_image(const gpucc_context *context, const char *name, const struct gpucc_image *images,
                                  int count, const struct manifest *manifest)
{
    const struct gpucc_device_info *info = &context->device.info;
    struct text text = {0};
    for (int i = 0; i < count; i++) {
        const struct manifest_target *target = find_target(manifest, &images[i]);
        append(&text, "%ssm_%u (PTX %u.%u", i ? ", " : "", images[i].arch, images[i].isa / 10, images[i].isa % 10);
        if (target && target->driver)
            append(&text, ", CUDA %d.%d", target->driver / 1000, target->driver % 1000 / 10);
        append(&text, ")");
    }
    return fail(
        GPUCC_BAD_PROGRAM, "%s has no PTX for %s: it is sm_%d with a driver for CUDA %d.%d, the program holds %s", name,
        info->name, info->arch, info->driver_version / 1000, info->driver_version % 1000 / 10, count ? text.s : "none");
}

/* What another of the program's images may get right. */
static bool is_too_new(CUresult result)
{
    return result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
           result == CUDA_ERROR_INVALID_PTX;
}

static gpucc_status check_stamp(const char *name, const struct gpucc_image *image, const struct manifest *manifest)
{
    uint64_t abi;
    if (!read_stamp(image->text, image->size, &abi))
        return fail(GPUCC_BAD_PROGRAM, "%s: its PTX does not begin with \"// gpucc-abi: \" and 16 digits", name);
    if (abi != manifest->abi)
        return fail(GPUCC_BAD_PROGRAM,
                    "%s: its PTX does not match its manifest: the PTX's ABI is %016llx, the manifest's %016llx", name,
                    (unsigned long long)abi, (unsigned long long)manifest->abi);
    return GPUCC_OK;
}

static CUresult load_image(const struct gpucc_image *image, CUmodule *out, char *log, size_t log_size)
{
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)log_size};
    log[0] = '\0';
    CUresult result = driver.cuModuleLoadDataEx(out, image->text, 2, options, values);
    log[log_size - 1] = '\0';
    return result;
}

gpucc_status module_load(gpucc_context *context, const char *name, const struct gpucc_image *images, int count,
                         const struct manifest *manifest, CUmodule *out)
{
    char log[1024];
    const struct gpucc_image *image = newest(context, images, count, manifest, NULL);
    if (!image)
        return fail_no_image(context, name, images, count, manifest);
    gpucc_status status = GPUCC_OK;
    for (CUresult result = CUDA_ERROR_INVALID_PTX; image && is_too_new(result);
         image = newest(context, images, count, manifest, image)) {
        status = check_stamp(name, image, manifest);
        if (status)
            return status;
        if (cubin_load(context, image, out))
            return GPUCC_OK;
        result = load_image(image, out, log, sizeof log);
        if (result == CUDA_SUCCESS)
            return GPUCC_OK;
        status = driver_failed(context, result, "cuModuleLoadDataEx");
    }
    return fail(status, "%s: %s%s%s", name, gpucc_last_error(), log[0] ? "; the driver's log: " : "", log);
}
