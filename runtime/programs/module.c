/* Loads the newest of a program's PTX texts that the device and its driver take: at once what is for kernels and
 * variables, and each loop around a ufunc when a call needs it, as the driver's compiler takes its time for each. */
#define _GNU_SOURCE /* memmem */
#include "devices/trace.h"
#include "programs/programs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stamp in the text's first line; false if there is none. */
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

/* The letter behind the architecture in its text: 'a' of ".target sm_90a", 'f' of sm_100f, 0 if there is none; and the
 * number, which images that were loaded from memory do not have. */
static char read_target(const struct gpucc_image *image, int *arch)
{
    enum { HEADER = 4096 }; /* bytes: the target stands before any code */
    static const char directive[] = ".target sm_";
    const size_t searched = image->size < HEADER ? image->size : HEADER;
    const char *text = image->text, *end = text + searched;
    const char *at = memmem(text, searched, directive, sizeof directive - 1);
    *arch = 0;
    for (at = at ? at + sizeof directive - 1 : end; at < end && isdigit((unsigned char)*at); at++)
        *arch = 10 * *arch + (*at - '0');
    return at < end && isalpha((unsigned char)*at) ? *at : '\0';
}

static char suffix_of(const struct gpucc_image *image)
{
    int arch;
    return read_target(image, &arch);
}

/* From "PTX ISA", .target: sm_90 runs on every newer device, sm_90a on 9.0 alone, sm_100f on 10.x from 10.0 on. */
static bool runs_on(const struct gpucc_image *image, int arch)
{
    int target;
    switch (read_target(image, &target)) {
    case '\0': return (int)image->arch <= arch;
    case 'f': return target <= arch && target / 10 == arch / 10;
    default: return target == arch;
    }
}

static bool is_for_sm_90a(const struct gpucc_image *image)
{
    int arch;
    return read_target(image, &arch) == 'a' && arch == 90;
}

/* More where it runs on more: on one architecture, on its family, on all newer ones. */
static int kinds_of_devices(const struct gpucc_image *image)
{
    const char suffix = suffix_of(image);
    return suffix == '\0' ? 2 : suffix == 'f' ? 1 : 0;
}

/* Negative where `a` is for older or more kinds of devices than `b`, positive where for newer or fewer. */
static int compare_images(const struct gpucc_image *a, const struct gpucc_image *b)
{
    const int kinds = kinds_of_devices(b) - kinds_of_devices(a);
    if (a->arch != b->arch)
        return a->arch < b->arch ? -1 : 1;
    return kinds ? kinds : (a->isa > b->isa) - (a->isa < b->isa);
}

static const struct manifest_target *find_target(const struct manifest *manifest, const struct gpucc_image *image)
{
    for (int i = 0; i < manifest->target_count; i++) {
        const struct manifest_target *target = &manifest->targets[i];
        if (target->arch == (int)image->arch && target->isa == (int)image->isa &&
            target->arch_suffix == suffix_of(image))
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
        const bool fits = runs_on(image, info->arch) && (!target || target->driver <= info->driver_version);
        if (fits && (!best || compare_images(image, best) > 0) && (!below || compare_images(image, below) < 0))
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
        const char suffix[] = {suffix_of(&images[i]), '\0'};
        append(&text, "%ssm_%u%s (PTX %u.%u", i ? ", " : "", images[i].arch, suffix, images[i].isa / 10,
               images[i].isa % 10);
        if (target && target->driver)
            append(&text, ", CUDA %d.%d", target->driver / 1000, target->driver % 1000 / 10);
        append(&text, ")");
    }
    return fail(
        GPUCC_BAD_PROGRAM, "%s has no PTX for %s, which is sm_%d with a driver for CUDA %d.%d; it has %s", name,
        info->name, info->arch, info->driver_version / 1000, info->driver_version % 1000 / 10, count ? text.s : "none");
}

/* Failures that another of the program's images may not have. */
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

/* Loads PTX by way of the cubins that are kept, or has the driver compile it. */
static CUresult load_image(const gpucc_context *context, const struct gpucc_image *image, CUmodule *out, char *log,
                           size_t log_size)
{
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)log_size};
    log[0] = '\0';
    if (cubin_load(context, image, out))
        return CUDA_SUCCESS;
    CUresult result = driver.cuModuleLoadDataEx(out, image->text, 2, options, values);
    log[log_size - 1] = '\0';
    return result;
}

/* ---- what stands in PTX for whom ---- */

/* The comments of compiler/ptx/ptx_needs.c with the stamp of this text: of PTX that was linked to it there may be
 * others. */
struct marks {
    char mark[sizeof "\n// gpucc-for 0123456789abcdef:"];
    const char *first; /* null if there are none: then everything is for all */
};

/* The kernels loaded with the program. */
static const char at_once[] = "*";

static struct marks find_marks(const struct gpucc_image *image, uint64_t abi)
{
    struct marks marks;
    snprintf(marks.mark, sizeof marks.mark, "\n// gpucc-for %016llx:", (unsigned long long)abi);
    marks.first = strstr(image->text, marks.mark);
    return marks;
}

/* The comment behind this one; the text's end behind the last. */
static const char *next_mark(const struct marks *marks, const char *at)
{
    const char *next = strstr(at + 1, marks->mark);
    return next ? next : at + strlen(at);
}

static bool is_for(const struct marks *marks, const char *at, const char *name)
{
    const size_t length = strlen(name);
    for (at += strlen(marks->mark); *at == ' '; at += 1 + strcspn(at + 1, " \n"))
        if (strncmp(at + 1, name, length) == 0 && (at[length + 1] == ' ' || at[length + 1] == '\n'))
            return true;
    return false;
}

/* Whether the entry is a loop that is loaded by itself. */
static bool has_part(const struct marks *marks, const char *entry)
{
    bool found = false;
    for (const char *at = marks->first; at && *at && !found; at = next_mark(marks, at))
        found = is_for(marks, at, entry);
    return found;
}

/* The image's beginning, which is for all, and what is for `name`.  Free out->text. */
static gpucc_status cut(const struct gpucc_image *image, const struct marks *marks, const char *name,
                        struct gpucc_image *out)
{
    char *text = malloc(image->size + 1);
    if (!text)
        return fail_memory(image->size + 1, "a program's PTX");
    size_t size = (size_t)(marks->first - image->text);
    memcpy(text, image->text, size);
    for (const char *at = marks->first, *next; *at; at = next) {
        next = next_mark(marks, at);
        if (!is_for(marks, at, name))
            continue;
        memcpy(text + size, at, (size_t)(next - at));
        size += (size_t)(next - at);
    }
    text[size] = '\0';
    *out = *image;
    out->text = text;
    out->size = size;
    return GPUCC_OK;
}

/* Loads what stands in the image for `name`, with *result the driver's, success where it was not asked. */
static gpucc_status load_part(gpucc_program *program, const struct gpucc_image *image, const struct marks *marks,
                              const char *name, CUmodule *out, CUresult *result)
{
    char log[1024];
    struct gpucc_image part = *image;
    gpucc_status status = marks->first ? cut(image, marks, name, &part) : GPUCC_OK;
    *result = CUDA_SUCCESS;
    if (status)
        return status;
    *result = load_image(program->context, &part, out, log, sizeof log);
    if (marks->first)
        free((char *)part.text);
    if (*result == CUDA_SUCCESS)
        return GPUCC_OK;
    status = driver_failed(program->context, *result, "cuModuleLoadDataEx");
    return fail(status, "%s%s%s", gpucc_last_error(), log[0] ? "; the driver's log: " : "", log);
}

gpucc_status module_load(gpucc_program *program, const struct gpucc_image *images, int count)
{
    const gpucc_context *context = program->context;
    const struct manifest *manifest = program->manifest;
    const struct gpucc_image *image = newest(context, images, count, manifest, NULL);
    if (!image)
        return fail_no_image(context, program->name, images, count, manifest);
    gpucc_status status = GPUCC_OK;
    for (CUresult result = CUDA_ERROR_INVALID_PTX; image && is_too_new(result);
         image = newest(context, images, count, manifest, image)) {
        status = check_stamp(program->name, image, manifest);
        if (status)
            return status;
        const struct marks marks = find_marks(image, program->abi);
        status = load_part(program, image, &marks, at_once, &program->module, &result);
        program->ptx = *image;
        program->ptx_is_sm_90a = is_for_sm_90a(image);
        if (result == CUDA_SUCCESS)
            return status;
    }
    return fail(status, "%s: %s", program->name, gpucc_last_error());
}

gpucc_status module_with(gpucc_program *program, const char *entry, CUmodule *out)
{
    const struct marks marks = find_marks(&program->ptx, program->abi);
    CUcontext previous;
    CUresult result;
    *out = program->module;
    if (!has_part(&marks, entry))
        return GPUCC_OK;
    const size_t count = program->loop_module_count;
    CUmodule *modules = realloc(program->loop_modules, (count + 1) * sizeof *modules);
    if (!modules)
        return fail_memory((count + 1) * sizeof *modules, "a program's modules");
    program->loop_modules = modules;
    gpucc_status status = context_enter(program->context, &previous);
    if (status)
        return status;
    TRACE(span, "program", entry);
    status = load_part(program, &program->ptx, &marks, entry, out, &result);
    if (!status)
        modules[program->loop_module_count++] = *out;
    context_leave(program->context, previous);
    return status;
}

void modules_unload(gpucc_program *program)
{
    for (size_t i = 0; i < program->loop_module_count; i++)
        driver.cuModuleUnload(program->loop_modules[i]);
    if (program->module)
        driver.cuModuleUnload(program->module);
    free(program->loop_modules);
}
