/* A texture as native code reads it: what an object points to on the CPU, and in tests/fake_cuda. */
#ifndef GPUCC_CPU_TEXTURE_H
#define GPUCC_CPU_TEXTURE_H

#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
