/* Casts and copies between layouts on the GPU, by a kernel that libgpucc carries (stdlib/runtime/cast.c). */
#include "cuda/cuda_loops.h"

/* With the context's `loading` held.  The program is freed with the context's others. */
static gpucc_status load_kernel(gpucc_context *context, gpucc_kernel **out)
{
    gpucc_program *program;
    if (!has_own_kernels)
        return fail(GPUCC_UNSUPPORTED, "this libgpucc was built without its kernel for casts on the GPU");
    const struct gpucc_program_image *image = own_image(OWN_CAST);
    if (!image)
        return fail(GPUCC_NO_MEMORY, "out of memory for the kernel that casts");
    gpucc_status status = gpucc_program_load(context, image, &program);
    if (!status)
        status = gpucc_program_kernel(program, "cast_elements", out);
    if (!status)
        atomic_store_explicit(&context->cast, *out, memory_order_release);
    return status;
}

/* Ready to be launched. */
static gpucc_status find_kernel(gpucc_context *context, gpucc_kernel **out)
{
    gpucc_status status = GPUCC_OK;
    *out = atomic_load_explicit(&context->cast, memory_order_acquire);
    if (!*out) {
        pthread_mutex_lock(&context->loading);
        *out = atomic_load_explicit(&context->cast, memory_order_relaxed);
        if (!*out)
            status = load_kernel(context, out);
        pthread_mutex_unlock(&context->loading);
    }
    return status ? status : entry_prepare((*out)->program, &(*out)->entry);
}

/* Elements that keep their type are only bits. */
static gpucc_dtype bits_of(gpucc_dtype dtype)
{
    switch (dtypes[dtype].size) {
    case 1: return GPUCC_UINT8;
    case 2: return GPUCC_UINT16;
    case 4: return GPUCC_UINT32;
    case 8: return GPUCC_UINT64;
    default: return dtype; /* two float64, which no conversion touches */
    }
}

static uint64_t record_of(gpucc_dtype dtype)
{
    return GPUCC_OPERAND_RECORD(dtype, dtypes[dtype].size, false);
}

gpucc_status cast_on_cuda(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from)
{
    gpucc_kernel *kernel;
    const uint64_t types[3] = {record_of(to == from ? bits_of(to) : to),
                               record_of(to == from ? bits_of(from) : from), record_of(GPUCC_BOOLEAN)};
    if (nest->operands == 2)
        nest_add_mask(nest, NULL);
    nest_simplify(nest, 0);
    if (nest_count(nest) == 0)
        return GPUCC_OK;
    if (nest->ndim == 0) { /* one element */
        nest->ndim = 1;
        nest->shape[0] = 1;
        for (int i = 0; i < nest->operands; i++)
            nest->strides[i][0] = 0;
    }
    gpucc_status status = find_kernel(stream->context, &kernel);
    if (status)
        return status;
    struct strided_loop loop = {stream, &kernel->entry, types, (const int64_t *const[2]){NULL, NULL}};
    return strided_run(&loop, nest);
}

gpucc_status cast_named_on_cuda(gpucc_stream *stream, struct nest *nest, const gpucc_dtype types[2],
                                const int64_t *const tables[2])
{
    gpucc_kernel *kernel;
    const bool is_same = types[0] == types[1];
    const uint64_t all[3] = {record_of(is_same ? bits_of(types[0]) : types[0]),
                             record_of(is_same ? bits_of(types[1]) : types[1]), record_of(GPUCC_BOOLEAN)};
    nest_add_mask(nest, NULL);
    gpucc_status status = find_kernel(stream->context, &kernel);
    if (status)
        return status;
    struct strided_loop loop = {stream, &kernel->entry, all, tables};
    return strided_run(&loop, nest);
}
