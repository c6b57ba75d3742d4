/* A program for the GPU with two architectures, written by hand, for tests of loading and launching.
 *
 *   add    x + y, float32 and then float64: contiguous, rows and strided loops
 *   fill   kernel: out[i] = value for i < n
 *   big    kernel with launch_bounds 128 and 8192 bytes of static shared memory: out[block] = threads of a block
 *   greedy the same with 255 registers
 */
#ifndef CUDA_PROGRAM_H
#define CUDA_PROGRAM_H

#include "cuda_by_hand.h"
#include <dlfcn.h>

static void add_f32_element(char **at)
{
    *(float *)(void *)at[2] = *(float *)(void *)at[0] + *(float *)(void *)at[1];
}
UFUNC(add_f32, 3, 4, 4, 4)

static void add_f64_element(char **at)
{
    *(double *)(void *)at[2] = *(double *)(void *)at[0] + *(double *)(void *)at[1];
}
UFUNC(add_f64, 3, 8, 8, 8)

static void fill_native(void **parameters)
{
    if (thread_x() < ARGUMENT(uint64_t, 0))
        ARGUMENT(float *, 1)[thread_x()] = ARGUMENT(float, 2);
}

static void big_native(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    if (self->thread_index.x == 0)
        ARGUMENT(uint64_t *, 0)[self->block_index.x] = self->block_dim.x;
}

#define CUDA_STAMP "// gpucc-abi: 00000000000000aa\n"
#define CUDA_ADD(symbol)                                                                                               \
    UFUNC_ENTRIES(symbol, POINTER "x, " POINTER "y, " POINTER "out", RECORD("x") RECORD("y") RECORD("out"))
#define CUDA_BODY(version, target)                                                                                     \
    ".version " version "\n.target " target "\n.address_size 64\n" CUDA_ADD("add_f32f32_f32")                          \
        CUDA_ADD("add_f64f64_f64")                                                                                     \
            ENTRY("fill", POINTER "n, " POINTER "out, .param .f32 value",                                              \
                  "") ".visible .entry big(.param .u64 out)\n.maxntid 128, 1, 1\n{\n.shared .align 4 .b8 "             \
                      "tile[8192];\nret;\n}\n" ENTRY("greedy", POINTER "out", ".maxnreg 255\n")

static const char cuda_manifest[] =
    "{\"schema\":1,\"abi\":\"00000000000000aa\",\"loops\":\"" GPUCC_LOOPS "\",\"source\":\"cuda.c\",\"targets\":["
    "{\"arch\":\"sm_75\",\"isa\":\"6.3\",\"driver\":\"10.0\"},"
    "{\"arch\":\"sm_90\",\"isa\":\"8.0\",\"driver\":\"12.0\"}],\"functions\":["
    FUNCTION("add", "ufunc", LOOPS("float32(float32, float32)", F32 "," F32, F32, "add_f32f32_f32") ","
                             LOOPS("float64(float64, float64)", F64 "," F64, F64, "add_f64f64_f64")) ","
    KERNEL("fill", VALUE("n", "uint64_t", "8") "," VALUE("out", "float *", "8") "," VALUE("value", "float", "4"),
           "0", "0") ","
    KERNEL("big", VALUE("out", "uint64_t *", "8"), "128", "8192") ","
    KERNEL("greedy", VALUE("out", "uint64_t *", "8"), "0", "0") "]}";

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

/* Messages that contexts have logged: their count, and the last one. */
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
    REGISTER_UFUNC("add_f32f32_f32", add_f32);
    REGISTER_UFUNC("add_f64f64_f64", add_f64);
    fake_cuda_register("fill", fill_native, NULL, 0);
    fake_cuda_register("big", big_native, NULL, 8192);
    fake_cuda_register("greedy", big_native, NULL, 0);
}

#endif
