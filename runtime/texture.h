/* Textures of either device.  struct cpu_texture is what an object points to on the CPU, and in tests/fake_cuda. */
#ifndef GPUCC_RUNTIME_TEXTURE_H
#define GPUCC_RUNTIME_TEXTURE_H

#include "internal.h"

/* Texels in C order: [layer][z][y][x][channel]. */
struct cpu_image {
    char *texels;
    gpucc_dtype dtype;
    int channels;        /* 1, 2 or 4 */
    int dims;            /* 1 to 3, the layers not among them */
    int64_t extent[3];   /* x, y, z; 1 where there is no such dimension */
    int64_t layers;      /* 0: it has none */
    bool linear;         /* read by an index alone */
};

struct cpu_texture {
    const struct cpu_texture *self; /* what it may be told from other memory by; null once it is released */
    struct cpu_image image;
    bool is_surface;     /* what stands below is then of no use */
    bool normalized;     /* coordinates from 0 to 1 */
    bool as_float;       /* integers are read as numbers from 0, or -1, to 1 */
    gpucc_filter filter;
    gpucc_address_mode address[3];
    float border[4];
};

enum { TEXTURE_DIMS = 4 }; /* no fewer than layer or z, y, x, channel */

struct gpucc_texture {
    struct link link;
    gpucc_context *context;
    struct cpu_texture read;    /* what it is; on the CPU the object itself */
    struct cpu_texture written; /* the surface's, on the CPU */
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
