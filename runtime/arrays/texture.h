/* Textures of either device. */
#ifndef GPUCC_RUNTIME_TEXTURE_H
#define GPUCC_RUNTIME_TEXTURE_H

#include "arrays/arrays.h"
#include "executor/cpu_texture.h"

enum { TEXTURE_DIMS = 4 }; /* no fewer than layer or z, y, x, channel */

struct gpucc_texture {
    struct link link;
    gpucc_context *context;
    struct cpu_texture read;    /* on the CPU, what `object` names */
    struct cpu_texture written; /* on the CPU, what `surface` names */
    int ndim;
    int64_t shape[TEXTURE_DIMS]; /* of the array that it is made of */
    bool has_surface;
    struct memory *memory;      /* of a linear one, the array's; else null */
    CUarray array;              /* of a GPU's, unless it is linear */
    uint64_t object, surface;   /* what kernels are given; 0: none */
};

/* texture_cuda.c: on a GPU.  In the context. */

/* Makes its memory, which a linear one has already, and its objects. */
gpucc_status texture_open_cuda(gpucc_texture *texture, const gpucc_array *array);
void texture_close_cuda(gpucc_texture *texture);
/* Enqueues a copy between its memory and a C-ordered array on the device. */
gpucc_status texture_copy_cuda(const gpucc_texture *texture, gpucc_stream *stream, const gpucc_array *packed,
                               bool to_texture);

#endif
