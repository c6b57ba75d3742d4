/* A program for the GPU as the compiler would make it, written by hand: PTX whose entries libcuda's stand-in runs as
 * the native functions below, manifest and descriptor.
 *
 *   add    x + y, float32 and then float64: contiguous, rows and strided loops
 *   fill   kernel: out[i] = value for i < n
 *   big    kernel with launch_bounds 128 and 8192 bytes of static shared memory: out[block] = bytes of dynamic shared
 */
#ifndef CUDA_PROGRAM_H
#define CUDA_PROGRAM_H

#include "fake_cuda.h"
#include "cast_native.h"
#include "internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct gpucc_iteration) == 48 && sizeof(struct gpucc_operand) == 64, "as the PTX below has them");

static uint64_t cuda_thread(uint64_t *threads)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    *threads = (uint64_t)self->grid_dim.x * self->block_dim.x;
    return (uint64_t)self->block_index.x * self->block_dim.x + self->thread_index.x;
}

static const char *cuda_element(const struct gpucc_operand *operand, int64_t offset)
{
    return operand->data ? operand->data + offset : (const char *)operand->value;
}

/* The loops' parameters are where the pointers point: three pointers and a count, or four records. */
#define CUDA_ADD(code, type)                                                                                           \
    static void cuda_add_##code(void **p)                                                                              \
    {                                                                                                                  \
        uint64_t threads, n = *(uint64_t *)p[3];                                                                       \
        for (uint64_t i = cuda_thread(&threads); i < n; i += threads)                                                  \
            (*(type **)p[2])[i] = (*(type **)p[0])[i] + (*(type **)p[1])[i];                                           \
    }                                                                                                                  \
    static void cuda_add_##code##_at(void **p, const uint64_t *index)                                                  \
    {                                                                                                                  \
        const struct gpucc_iteration *it = p[0];                                                                       \
        int64_t offset[3] = {0, 0, 0};                                                                                 \
        type x, y;                                                                                                     \
        for (int i = 0; i < 3; i++) {                                                                                  \
            for (uint32_t d = 0; d < it->ndim; d++)                                                                    \
                offset[i] += (int64_t)index[d] * ((struct gpucc_operand *)p[i + 1])->strides[d];                       \
        }                                                                                                              \
        memcpy(&x, cuda_element(p[1], offset[0]), sizeof x);                                                           \
        memcpy(&y, cuda_element(p[2], offset[1]), sizeof y);                                                           \
        x += y;                                                                                                        \
        memcpy(((struct gpucc_operand *)p[3])->data + offset[2], &x, sizeof x);                                        \
    }                                                                                                                  \
    static void cuda_add_##code##_strided(void **p)                                                                    \
    {                                                                                                                  \
        const struct gpucc_iteration *it = p[0];                                                                       \
        uint64_t threads, index[GPUCC_LOOP_DIMS];                                                                      \
        for (uint64_t i = cuda_thread(&threads); i < it->count; i += threads) {                                        \
            uint64_t rest = i;                                                                                         \
            for (uint32_t d = it->ndim; d-- > 0; rest /= it->shape[d])                                                 \
                index[d] = rest % it->shape[d];                                                                        \
            cuda_add_##code##_at(p, index);                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void cuda_add_##code##_rows(void **p)                                                                       \
    {                                                                                                                  \
        const struct gpucc_cpu_thread *self = gpucc_cpu_self();                                                        \
        const struct gpucc_iteration *it = p[0];                                                                       \
        uint64_t threads, index[2], column = cuda_thread(&threads);                                                    \
        uint64_t rows = (uint64_t)self->grid_dim.y * self->block_dim.y;                                                \
        index[0] = (uint64_t)self->block_index.y * self->block_dim.y + self->thread_index.y;                           \
        for (; index[0] < it->shape[0]; index[0] += rows) {                                                            \
            for (index[1] = column; index[1] < it->shape[1]; index[1] += threads)                                      \
                cuda_add_##code##_at(p, index);                                                                        \
        }                                                                                                              \
    }
CUDA_ADD(f32, float)
CUDA_ADD(f64, double)

static void cuda_fill(void **p)
{
    uint64_t threads, i = cuda_thread(&threads);
    if (i < *(uint64_t *)p[0])
        (*(float **)p[1])[i] = *(float *)p[2];
}

static void cuda_big(void **p)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    if (self->thread_index.x == 0)
        (*(uint64_t **)p[0])[self->block_index.x] = self->block_dim.x;
}

/* clang-format off */
#define CUDA_LOOP_PTX(name) \
    ".visible .entry " name "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)\n{\nret;\n}\n" \
    ".visible .entry " name "_rows(.param .align 8 .b8 it[48], .param .align 8 .b8 a[64], .param .align 8 .b8 b[64]," \
    " .param .align 8 .b8 c[64])\n{\nret;\n}\n" \
    ".visible .entry " name "_strided(.param .align 8 .b8 it[48], .param .align 8 .b8 a[64]," \
    " .param .align 8 .b8 b[64], .param .align 8 .b8 c[64])\n{\nret;\n}\n"

#define CUDA_BODY(version, target) \
    ".version " version "\n.target " target "\n.address_size 64\n" \
    CUDA_LOOP_PTX("add_f32f32_f32") CUDA_LOOP_PTX("add_f64f64_f64") \
    ".visible .entry fill(.param .u64 n, .param .u64 out, .param .f32 value)\n{\nret;\n}\n" \
    ".visible .entry big(.param .u64 out)\n.maxntid 128, 1, 1\n{\n.shared .align 4 .b8 tile[8192];\nret;\n}\n"

#define CUDA_STAMP "// gpucc-abi: 00000000000000aa\n"

#define CUDA_LOOP(kind, suffix, type, name) \
    "{\"kind\": \"" kind "\", \"inputs\": [\"" type "\", \"" type "\"], \"outputs\": [\"" type "\"], \"entry\": \"" \
    name suffix "\", \"parameters\": [], \"elements_per_thread\": 4, \"block\": 256}"
#define CUDA_LOOPS(type, name) \
    CUDA_LOOP("contiguous", "", type, name) "," CUDA_LOOP("rows", "_rows", type, name) "," \
    CUDA_LOOP("strided", "_strided", type, name)

static const char cuda_manifest[] =
    "{\"schema\": 1, \"abi\": \"00000000000000aa\", \"source\": \"cuda.c\", \"targets\": ["
    "{\"arch\": \"sm_75\", \"isa\": \"6.3\", \"driver\": \"10.0\"}, {\"arch\": \"sm_90\", \"isa\": \"8.0\","
    " \"driver\": \"12.0\"}], \"functions\": [{\"name\": \"add\", \"kind\": \"ufunc\", \"loops\": ["
    CUDA_LOOPS("float32", "add_f32f32_f32") "," CUDA_LOOPS("float64", "add_f64f64_f64") "]},"
    "{\"name\": \"fill\", \"kind\": \"kernel\", \"loops\": [{\"kind\": \"kernel\", \"entry\": \"fill\", \"parameters\":"
    " [{\"name\": \"n\", \"size\": 8}, {\"name\": \"out\", \"size\": 8}, {\"name\": \"value\", \"size\": 4}],"
    " \"launch_bounds\": 0, \"shared\": 0, \"barriers\": false}]},"
    "{\"name\": \"big\", \"kind\": \"kernel\", \"loops\": [{\"kind\": \"kernel\", \"entry\": \"big\", \"parameters\":"
    " [{\"name\": \"out\", \"size\": 8}], \"launch_bounds\": 128, \"shared\": 8192, \"barriers\": false}]}]}";
/* clang-format on */

static const char cuda_ptx_75[] = CUDA_STAMP CUDA_BODY("6.3", "sm_75");
static const char cuda_ptx_90[] = CUDA_STAMP CUDA_BODY("8.0", "sm_90");

static const struct gpucc_image cuda_images[] = {
    {.arch = 75, .isa = 63, .text = cuda_ptx_75, .size = sizeof cuda_ptx_75 - 1},
    {.arch = 90, .isa = 80, .text = cuda_ptx_90, .size = sizeof cuda_ptx_90 - 1},
};

static const struct gpucc_program_image cuda_image = {
    .version = GPUCC_PROGRAM_VERSION,
    .image_count = 2,
    .abi = 0xaa,
    .name = "cuda.c",
    .manifest = cuda_manifest,
    .manifest_size = sizeof cuda_manifest - 1,
    .images = cuda_images,
};

/* What contexts have logged: how often, and the last message. */
struct cuda_log {
    int count;
    char last[2048];
};

static inline void cuda_note_log(void *data, gpucc_log_level level, const char *message)
{
    struct cuda_log *log = data;
    (void)level;
    log->count++;
    snprintf(log->last, sizeof log->last, "%s", message);
}

/* Makes the stand-in that this program is linked with the runtime's driver, which runs the entries' native code with
 * this program's executor. */
static inline void cuda_program_register(void)
{
    Dl_info library;
    if (dladdr((void *)(uintptr_t)fake_cuda_register, &library))
        setenv("GPUCC_LIBCUDA", library.dli_fname, 0);
    fake_cuda_use_executor(pool_create, cpu_launch_run);
    register_cast();
    fake_cuda_register("add_f32f32_f32", cuda_add_f32, NULL, 0);
    fake_cuda_register("add_f32f32_f32_rows", cuda_add_f32_rows, NULL, 0);
    fake_cuda_register("add_f32f32_f32_strided", cuda_add_f32_strided, NULL, 0);
    fake_cuda_register("add_f64f64_f64", cuda_add_f64, NULL, 0);
    fake_cuda_register("add_f64f64_f64_rows", cuda_add_f64_rows, NULL, 0);
    fake_cuda_register("add_f64f64_f64_strided", cuda_add_f64_strided, NULL, 0);
    fake_cuda_register("fill", cuda_fill, NULL, 0);
    fake_cuda_register("big", cuda_big, NULL, 8192);
}

#endif
