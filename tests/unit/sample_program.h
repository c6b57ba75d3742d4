/* A program as the compiler would make it, written by hand: native loops, a manifest and a descriptor.
 *
 *   add    x + y       float32, then float64, then int32 and uint8, in this order
 *   split  (whole, part) of a float32
 *   fill   kernel: out[i] = value for i < n, one thread an element
 *   spread kernel: instances spread_f32 and spread_f64; each block adds its threads' numbers with a barrier
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include <gpucc/cpu.h>
#include <gpucc/runtime.h>
#include <math.h>
#include <string.h>

#define SAMPLE_ADD(name, type)                                                                                         \
    static void name(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)                       \
    {                                                                                                                  \
        (void)data;                                                                                                    \
        for (intptr_t i = 0; i < dimensions[0]; i++) {                                                                 \
            type x, y, sum;                                                                                            \
            memcpy(&x, args[0] + i * steps[0], sizeof x);                                                              \
            memcpy(&y, args[1] + i * steps[1], sizeof y);                                                              \
            sum = (type)(x + y);                                                                                       \
            memcpy(args[2] + i * steps[2], &sum, sizeof sum);                                                          \
        }                                                                                                              \
    }
SAMPLE_ADD(sample_add_f32, float)
SAMPLE_ADD(sample_add_f64, double)
SAMPLE_ADD(sample_add_i32, int)
SAMPLE_ADD(sample_add_u8, unsigned char)

static void sample_split(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    (void)data;
    for (intptr_t i = 0; i < dimensions[0]; i++) {
        float x = *(float *)(args[0] + i * steps[0]);
        *(float *)(args[1] + i * steps[1]) = truncf(x);
        *(float *)(args[2] + i * steps[2]) = x - truncf(x);
    }
}

static void sample_fill(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    size_t i = (size_t)self->block_index.x * self->block_dim.x + self->thread_index.x;
    if (i < *(size_t *)parameters[0])
        (*(float **)parameters[1])[i] = *(float *)parameters[2];
}

/* The block's first thread writes what all of them put into shared memory. */
static void sample_spread(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    int *numbers = (int *)(void *)self->shared;
    numbers[self->thread_index.x] = (int)self->thread_index.x;
    gpucc_cpu_barrier(GPUCC_CPU_HERE);
    if (self->thread_index.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < self->block_dim.x; i++)
            sum += numbers[i];
        (*(int **)parameters[0])[self->block_index.x] = sum;
    }
}

#define SAMPLE_LOOP(type, code, native)                                                                                \
    "{\"kind\": \"native\", \"signature\": \"" type "(" type ", " type ")\", \"inputs\": [\"" type "\", \"" type      \
    "\"], \"outputs\": [\"" type "\"], \"entry\": \"" native "\"},"                                                    \
    "{\"kind\": \"contiguous\", \"inputs\": [\"" type "\", \"" type "\"], \"outputs\": [\"" type                       \
    "\"], \"entry\": \"add_" code code "_" code "\", \"parameters\": [], \"elements_per_thread\": 4, \"block\": 256}"

#define SAMPLE_ABI 0x0123456789abcdefu

static const char sample_manifest[] =
    "{\"gpucc\": \"0.1.0\", \"schema\": 1, \"abi\": \"0123456789abcdef\", \"loops\": \"" GPUCC_LOOPS "\","
    "\"source\": \"sample.c\","
    "\"targets\": [{\"arch\": \"sm_75\", \"isa\": \"6.3\", \"driver\": \"10.0\"}], \"functions\": ["
    "{\"name\": \"add\", \"kind\": \"ufunc\", \"loops\": ["
    SAMPLE_LOOP("float32", "f32", "add_f32f32_f32_loop") ","
    SAMPLE_LOOP("float64", "f64", "add_f64f64_f64_loop") ","
    SAMPLE_LOOP("int32", "i32", "add_i32i32_i32_loop") ","
    SAMPLE_LOOP("uint8", "u8", "add_u8u8_u8_loop")
    "]},"
    "{\"name\": \"split\", \"kind\": \"ufunc\", \"loops\": [{\"kind\": \"native\", \"inputs\": [\"float32\"],"
    " \"outputs\": [\"float32\", \"float32\"], \"entry\": \"split_f32_f32f32_loop\"}]},"
    "{\"name\": \"fill\", \"kind\": \"kernel\", \"loops\": [{\"kind\": \"kernel\", \"entry\": \"fill\","
    " \"parameters\": [{\"name\": \"n\", \"size\": 8}, {\"name\": \"out\", \"size\": 8},"
    " {\"name\": \"value\", \"size\": 4}], \"launch_bounds\": 0, \"shared\": 0, \"barriers\": false,"
    " \"thread\": \"fill_thread\", \"block\": null}]},"
    "{\"name\": \"spread\", \"kind\": \"kernel\", \"loops\": ["
    "{\"kind\": \"kernel\", \"entry\": \"spread_f32\", \"parameters\": [{\"name\": \"out\", \"size\": 8}],"
    " \"launch_bounds\": 128, \"shared\": 0, \"native_shared\": 4096,"
    " \"barriers\": true, \"thread\": \"spread_thread\", \"block\": null},"
    "{\"kind\": \"kernel\", \"entry\": \"spread_f64\", \"parameters\": [{\"name\": \"out\", \"size\": 8}],"
    " \"launch_bounds\": 128, \"shared\": 0, \"native_shared\": 4096,"
    " \"barriers\": true, \"thread\": \"spread_thread\", \"block\": null}]}"
    "]}";

static const struct gpucc_native sample_natives[] = {
    {"add_f32f32_f32_loop", (void (*)(void))sample_add_f32}, {"add_f64f64_f64_loop", (void (*)(void))sample_add_f64},
    {"add_i32i32_i32_loop", (void (*)(void))sample_add_i32}, {"add_u8u8_u8_loop", (void (*)(void))sample_add_u8},
    {"split_f32_f32f32_loop", (void (*)(void))sample_split}, {"fill_thread", (void (*)(void))sample_fill},
    {"spread_thread", (void (*)(void))sample_spread},
};

static const struct gpucc_program_image sample_image = {
    .version = 2, /* as older compilers made it: native code without a target */
    .abi = SAMPLE_ABI,
    .name = "sample.c",
    .manifest = sample_manifest,
    .manifest_size = sizeof sample_manifest - 1,
    .natives = sample_natives,
    .native_count = sizeof sample_natives / sizeof *sample_natives,
};

/* A context on the CPU; what it logs is counted in *count. */
static inline void sample_count_log(void *data, gpucc_log_level level, const char *message)
{
    (void)level;
    (void)message;
    ++*(int *)data;
}

static inline gpucc_context *sample_context(int threads)
{
    static int count;
    gpucc_context *context = NULL;
    gpucc_context_options options = {
        .size = sizeof options, .device = "cpu", .cpu_threads = threads, .log = sample_count_log, .log_data = &count};
    return gpucc_context_create(&options, &context) == GPUCC_OK ? context : NULL;
}

#endif
