/* Shared by the samples' host programs. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <gpucc/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A failing call ends the program. */
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        gpucc_status status_ = (call);                                                                                 \
        if (status_ != GPUCC_OK) {                                                                                     \
            fprintf(stderr, "%s: %s\n", gpucc_status_name(status_), gpucc_last_error());                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Reports a failed check of a sample's own results. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "wrong: %s (%s:%d)\n", #condition, __FILE__, __LINE__);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* On the device that the first argument names: auto, cpu, cuda or cuda:N.  Destroy it with gpucc_context_destroy(). */
static inline gpucc_context *sample_context(int argc, char **argv)
{
    gpucc_context_options options = {.size = sizeof options, .device = argc > 1 ? argv[1] : "auto"};
    gpucc_device_info info = {.size = sizeof info};
    gpucc_context *context;
    CHECK(gpucc_context_create(&options, &context));
    CHECK(gpucc_context_info(context, &info));
    printf("on %s\n", info.name);
    return context;
}

static inline int sample_on_gpu(gpucc_context *context)
{
    gpucc_device_info info = {.size = sizeof info};
    CHECK(gpucc_context_info(context, &info));
    return info.kind == GPUCC_DEVICE_CUDA;
}

/* A matrix of rows x columns on the device; release it with gpucc_array_release(). */
static inline gpucc_array *sample_matrix(gpucc_context *context, int64_t rows, int64_t columns, const float *data)
{
    gpucc_array *matrix;
    int64_t shape[2] = {rows, columns};
    if (data)
        CHECK(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, shape, NULL, data, &matrix));
    else
        CHECK(gpucc_array_create(context, GPUCC_FLOAT32, 2, shape, &matrix));
    return matrix;
}

static inline float *sample_floats(size_t count)
{
    float *data = malloc(count * sizeof *data);
    if (!data)
        exit(3);
    return data;
}

/* The same numbers in [0, 1) every time. */
static inline float sample_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static inline double sample_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
