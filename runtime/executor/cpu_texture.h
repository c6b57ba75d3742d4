/* Textures as native code reads them: an object names one on the CPU, and in tests/fake_cuda. */
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
    int64_t extent[3];   /* x, y, z; 1 if there is no such dimension */
    int64_t layers;      /* 0: it has none */
    bool linear;         /* read by an index alone */
};

struct cpu_texture {
    struct cpu_image image;
    bool is_surface;     /* what stands below is then of no use */
    bool normalized;     /* coordinates from 0 to 1 */
    bool as_float;       /* integers are read as numbers from 0, or -1, to 1 */
    gpucc_filter filter;
    gpucc_address_mode address[3];
    float border[4];
};

/* texture_objects.c: the numbers that name textures and surfaces to kernels on the CPU.  Any thread may call these. */

/* Returns a number that names the texture until it is unregistered, and nothing later; 0: no memory.  The texture is
 * borrowed. */
uint64_t texture_object_register(const struct cpu_texture *texture);
/* The number, or 0, which is none.  No kernel that uses it may be running. */
void texture_object_unregister(uint64_t object);
/* The texture that any number names; null: it names none. */
const struct cpu_texture *texture_object_find(uint64_t object);

#endif
