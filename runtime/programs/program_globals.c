/* A program's variables as arrays, found by their names in the manifest. */
#include "arrays/arrays.h"
#include "programs/manifest.h"
#include "programs/programs.h"

#include <string.h>

static gpucc_status address_on_cpu(const gpucc_program *program, const struct manifest_global *global, void **out)
{
    const struct gpucc_native_code *code = &program->code;
    for (uint64_t i = 0; i < code->global_count; i++) {
        if (strcmp(code->globals[i].name, global->name) == 0 && code->globals[i].size == global->size) {
            *out = code->globals[i].address;
            return GPUCC_OK;
        }
    }
    return fail(GPUCC_BAD_PROGRAM, "%s: its manifest has the variable %s of %zu bytes, but its object does not",
                program->name, global->name, global->size);
}

static gpucc_status address_on_cuda(const gpucc_program *program, const struct manifest_global *global, void **out)
{
    CUcontext previous;
    CUdeviceptr pointer = 0;
    size_t size = 0;
    gpucc_status status = context_enter(program->context, &previous);
    if (status)
        return status;
    status = CU(program->context, cuModuleGetGlobal, &pointer, &size, program->module, global->name);
    if (status)
        status = fail(status, "%s: the variable %s: %s", program->name, global->name, gpucc_last_error());
    else if (size != global->size)
        status = fail(GPUCC_BAD_PROGRAM, "%s: the variable %s has %zu bytes in the manifest, but %zu on the device",
                      program->name, global->name, global->size, size);
    context_leave(program->context, previous);
    *out = (void *)(uintptr_t)pointer;
    return status;
}

static gpucc_status wrap_global(gpucc_program *program, const struct manifest_global *global, gpucc_array **out)
{
    void *address = NULL;
    int ndim = global->ndim;
    int64_t shape[GPUCC_MAX_DIMS];
    gpucc_dtype dtype = global->dtype;
    memcpy(shape, global->shape, (size_t)ndim * sizeof *shape);
    if (dtype == GPUCC_DTYPE_COUNT) {
        dtype = GPUCC_UINT8;
        shape[ndim++] = (int64_t)global->element_size;
    }
    gpucc_status status = program->context->kind == GPUCC_DEVICE_CUDA ? address_on_cuda(program, global, &address)
                                                                      : address_on_cpu(program, global, &address);
    if (!status)
        status = gpucc_array_wrap(program->context, dtype, ndim, shape, NULL, address, GPUCC_MEMORY_DEVICE, out);
    if (!status) /* work in any stream may use it without naming it */
        atomic_store(&(*out)->memory->shared, true);
    return status;
}

gpucc_status gpucc_program_global(gpucc_program *program, const char *name, gpucc_array **out)
{
    struct text names = {0};
    if (!program || !name || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_global: program, name or out is null");
    *out = NULL;
    for (int i = 0; i < program->manifest->global_count; i++) {
        const struct manifest_global *global = &program->manifest->globals[i];
        if (strcmp(global->name, name) == 0)
            return wrap_global(program, global, out);
        append(&names, "%s%s", i ? ", " : "", global->name);
    }
    return fail(GPUCC_NOT_FOUND, "%s has no variable %s for hosts; it has %s", program->name, name,
                names.used ? names.s : "none");
}
