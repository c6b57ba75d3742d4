/* Shared by the test_cuda_* programs: a context on the fake driver, and a program with hand-written PTX, manifest and
 * native code.
 *
 *   ufuncs   add   float32(float32, float32)
 *            twice float32(float32), float64(float64)
 *            split (float32, float32)(float32): whole part and rest
 *   kernels  fill(float *out, uint64_t n, float value)     out[i] = value + i; launch bounds 512
 *            sums(const float *in, float *out)             a sum for each block of 128; static shared memory
 *            turn(float *x)                                turns each block round; dynamic shared memory
 *            heavy(float *x)                               does nothing, with 128 registers
 */
#ifndef CUDA_SCENE_H
#define CUDA_SCENE_H

#include "cuda_by_hand.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) cr_assert((call) == GPUCC_OK, "%s: %s", #call, gpucc_last_error())
#define LENGTH(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* ---- the program ---- */

#define ABI "0123456789abcdef"

__attribute__((unused)) static const char scene_ptx[] =
    "// gpucc-abi: " ABI "\n.version 6.3\n.target sm_75\n.address_size 64\n\n"
    UFUNC_ENTRIES("add_f32f32_f32", POINTER "x, " POINTER "y, " POINTER "out", RECORD("x") RECORD("y") RECORD("out"))
    UFUNC_ENTRIES("twice_f32_f32", POINTER "x, " POINTER "out", RECORD("x") RECORD("out"))
    UFUNC_ENTRIES("twice_f64_f64", POINTER "x, " POINTER "out", RECORD("x") RECORD("out"))
    UFUNC_ENTRIES("split_f32_f32f32", POINTER "x, " POINTER "whole, " POINTER "part",
                  RECORD("x") RECORD("whole") RECORD("part"))
    ENTRY("fill", POINTER ".ptr .align 4 out, " POINTER "n, .param .f32 value", ".maxntid 512, 1, 1\n")
    ENTRY("sums", POINTER "in, " POINTER "out", "")
    ENTRY("turn", POINTER "x", "")
    ENTRY("heavy", POINTER "x", ".maxnreg 128\n");

__attribute__((unused)) static const char scene_manifest[] =
    "{\"gpucc\":\"0.1.0\",\"schema\":1,\"abi\":\"" ABI "\",\"loops\":\"" GPUCC_LOOPS "\",\"source\":\"scene.c\","
    "\"targets\":[{\"arch\":\"sm_75\",\"isa\":\"6.3\",\"driver\":\"10.0\"}],\"functions\":["
    FUNCTION("add", "ufunc", LOOPS("float32(float32, float32)", F32 "," F32, F32, "add_f32f32_f32")) ","
    FUNCTION("twice", "ufunc", LOOPS("float32(float32)", F32, F32, "twice_f32_f32") ","
                               LOOPS("float64(float64)", F64, F64, "twice_f64_f64")) ","
    FUNCTION("split", "ufunc", LOOPS("(float32, float32)(float32)", F32, F32 "," F32, "split_f32_f32f32")) ","
    KERNEL("fill", VALUE("out", "float *", "8") "," VALUE("n", "uint64_t", "8") "," VALUE("value", "float", "4"),
           "512", "0") ","
    KERNEL("sums", VALUE("in", "float *", "8") "," VALUE("out", "float *", "8"), "0", "512") ","
    DYNAMIC_KERNEL("turn", VALUE("x", "float *", "8")) ","
    KERNEL("heavy", VALUE("x", "float *", "8"), "0", "0") "]}";

/* ---- its native code: ufuncs ---- */

__attribute__((unused)) static _Atomic long scene_additions; /* so many elements so far */

static void add_element(char **at)
{
    scene_additions++;
    *(float *)(void *)at[2] = *(float *)(void *)at[0] + *(float *)(void *)at[1];
}
UFUNC(add, 3, 4, 4, 4)

static void twice_f32_element(char **at)
{
    *(float *)(void *)at[1] = 2 * *(float *)(void *)at[0];
}
UFUNC(twice_f32, 2, 4, 4)

static void twice_f64_element(char **at)
{
    *(double *)(void *)at[1] = 2 * *(double *)(void *)at[0];
}
UFUNC(twice_f64, 2, 8, 8)

static void split_element(char **at)
{
    float x = *(float *)(void *)at[0];
    *(float *)(void *)at[1] = truncf(x);
    *(float *)(void *)at[2] = x - truncf(x);
}
UFUNC(split, 3, 4, 4, 4)

/* ---- its native code: kernels ---- */

static void fill_native(void **parameters)
{
    if (thread_x() < ARGUMENT(uint64_t, 1))
        ARGUMENT(float *, 0)[thread_x()] = ARGUMENT(float, 2) + (float)thread_x();
}

static void sums_native(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    float *partial = (float *)(void *)self->shared;
    unsigned t = self->thread_index.x;
    partial[t] = ARGUMENT(const float *, 0)[thread_x()];
    for (unsigned half = self->block_dim.x / 2; half > 0; half /= 2) {
        gpucc_cpu_barrier(GPUCC_CPU_HERE);
        if (t < half)
            partial[t] += partial[t + half];
    }
    if (t == 0)
        ARGUMENT(float *, 1)[self->block_index.x] = partial[0];
}

static void turn_native(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    float *tile = (float *)(void *)self->dynamic_shared;
    tile[self->thread_index.x] = ARGUMENT(float *, 0)[thread_x()];
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    ARGUMENT(float *, 0)[thread_x()] = tile[self->block_dim.x - 1 - self->thread_index.x];
}

static void heavy_native(void **parameters)
{
    (void)parameters;
}

static inline void register_natives(void)
{
    register_cast();
    REGISTER_UFUNC("add_f32f32_f32", add);
    REGISTER_UFUNC("twice_f32_f32", twice_f32);
    REGISTER_UFUNC("twice_f64_f64", twice_f64);
    REGISTER_UFUNC("split_f32_f32f32", split);
    fake_cuda_register("fill", fill_native, NULL, 0);
    fake_cuda_register("sums", sums_native, NULL, 512);
    fake_cuda_register("turn", turn_native, NULL, 0);
    fake_cuda_register("heavy", heavy_native, NULL, 0);
}

/* ---- contexts ---- */

static char scene_log[8192]; /* every message so far, a line each */

static inline void store_message(void *data, gpucc_log_level level, const char *message)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)data, (void)level;
    pthread_mutex_lock(&lock);
    size_t used = strlen(scene_log);
    snprintf(scene_log + used, sizeof scene_log - used, "%s\n", message);
    pthread_mutex_unlock(&lock);
}

/* Before any call of the runtime: the fake is its driver, and runs kernels on this program's executor. */
static inline void use_fake(void)
{
    setenv("GPUCC_LIBCUDA", fake_cuda_path(), 1);
    fake_cuda_use_executor(pool_create, cpu_launch_run);
    register_natives();
}

static inline gpucc_status try_context(gpucc_context **out)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cuda", .log = store_message};
    return gpucc_context_create(&options, out);
}

static inline gpucc_context *open_context(void)
{
    gpucc_context *context;
    use_fake();
    MUST(try_context(&context));
    return context;
}

/* Everything must have been given back. */
static inline void close_context(gpucc_context *context)
{
    gpucc_context_destroy(context);
    cr_assert(fake_cuda_leaks() == 0, "%ld objects of the driver leaked", fake_cuda_leaks());
    cr_assert(fake_cuda_memory_used() == 0, "%zu bytes of device memory leaked", fake_cuda_memory_used());
}

static inline gpucc_status try_program(gpucc_context *context, gpucc_program **out)
{
    return gpucc_program_load_memory(context, scene_ptx, strlen(scene_ptx), scene_manifest, strlen(scene_manifest),
                                     out);
}

static inline gpucc_ufunc *find_ufunc(gpucc_program *program, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_program_ufunc(program, name, &ufunc));
    return ufunc;
}

static inline gpucc_kernel *find_kernel(gpucc_program *program, const char *name)
{
    gpucc_kernel *kernel;
    MUST(gpucc_program_kernel(program, name, &kernel));
    return kernel;
}

/* 0, 1, 2, … times a step; free it. */
static inline float *ramp(int64_t n, float step)
{
    float *values = malloc((size_t)(n ? n : 1) * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = step * (float)i;
    return values;
}

static inline gpucc_array *device_ramp(gpucc_context *context, int ndim, const int64_t *shape, float step)
{
    int64_t n = 1;
    gpucc_array *array;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    float *values = ramp(n, step);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, ndim, shape, NULL, values, &array));
    free(values);
    return array;
}

#endif
