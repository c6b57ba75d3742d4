/* A context on the CPU with the program SCENE_PROGRAM, which a file defines before it includes this: a test suite opens
 * it before each case and closes it afterwards. */
#ifndef CPU_SCENE_H
#define CPU_SCENE_H

#include "expect.h"
#include <gpucc/program.h>

extern const struct gpucc_program_image SCENE_PROGRAM;

static gpucc_context *context;
static gpucc_program *program;

static inline void open_threads(int threads)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = threads};
    OK(gpucc_context_create(&options, &context));
    OK(gpucc_program_load(context, &SCENE_PROGRAM, &program));
}

static inline void open_context(void)
{
    open_threads(3);
}

static inline void close_context(void)
{
    gpucc_context_destroy(context);
}

static inline gpucc_ufunc *find(const char *name)
{
    gpucc_ufunc *ufunc;
    OK(gpucc_program_ufunc(program, name, &ufunc));
    return ufunc;
}

static inline gpucc_array *from(gpucc_dtype dtype, int ndim, const int64_t *shape, const void *data)
{
    gpucc_array *array;
    OK(gpucc_array_from_host(context, dtype, ndim, shape, NULL, data, &array));
    return array;
}

#endif
