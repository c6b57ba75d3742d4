/* The runtime's own kernels (stdlib/runtime/), where this build has them: PTX and manifests, which lie here deflated
 * and are unpacked when somebody asks for them. */
#include "base/inflate.h"
#include "cuda/cuda_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if GPUCC_HAS_KERNELS
const bool has_own_kernels = true;

/* A file of gzip's begins with 10 bytes of no use here, and ends with a sum and, in 4 bytes, how many it unpacks to. */
enum { HEAD = 10, TAIL = 8 };
#define PACKED(name, file)                                                                                             \
    __asm__(".section .rodata\n" #name ":\n.incbin \"" file "\"\n" #name "_end:\n.previous\n");                        \
    extern const unsigned char name[] __attribute__((visibility("hidden")));                                           \
    extern const unsigned char name##_end[] __attribute__((visibility("hidden")));
PACKED(cast_ptx, GPUCC_KERNELS "/cast.ptx.gz")
PACKED(cast_manifest, GPUCC_KERNELS "/cast.json.gz")
PACKED(sort_ptx, GPUCC_KERNELS "/sort.ptx.gz")
PACKED(sort_manifest, GPUCC_KERNELS "/sort.json.gz")

struct packed {
    const unsigned char *begin, *end;
};

static const struct {
    const char *name;
    struct packed ptx, manifest;
} programs[] = {
    [OWN_CAST] = {"cast.c", {cast_ptx, cast_ptx_end}, {cast_manifest, cast_manifest_end}},
    [OWN_SORT] = {"sort.c", {sort_ptx, sort_ptx_end}, {sort_manifest, sort_manifest_end}},
};

static size_t size_of(struct packed packed)
{
    const unsigned char *size = packed.end - 4;
    return size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
}

/* To be freed, with a NUL behind it; null if there is no memory. */
static char *unpack(struct packed packed)
{
    const size_t size = size_of(packed), packed_size = (size_t)(packed.end - packed.begin) - HEAD - TAIL;
    char *text = malloc(size + 1);
    if (!text || !inflate_bytes(packed.begin + HEAD, packed_size, text, size)) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

struct own_image {
    struct gpucc_program_image program;
    struct gpucc_image ptx;
};

static void free_image(struct own_image *own)
{
    if (own) {
        free((char *)own->ptx.text);
        free((char *)own->program.manifest);
    }
    free(own);
}

/* As gpucc's headers would describe the program, by what the text itself says. */
static struct own_image *make_image(enum own_kernels which)
{
    struct own_image *own = calloc(1, sizeof *own);
    char *ptx = unpack(programs[which].ptx), *manifest = unpack(programs[which].manifest);
    unsigned long long abi = 0;
    unsigned major = 0, minor = 0, arch = 0;
    const char *version = ptx ? strstr(ptx, "\n.version ") : NULL;
    if (!own || !manifest || !version || sscanf(ptx, "// gpucc-abi: %llx", &abi) != 1 ||
        sscanf(version, "\n.version %u.%u\n.target sm_%u", &major, &minor, &arch) != 3) {
        free(own);
        free(ptx);
        free(manifest);
        return NULL;
    }
    own->ptx = (struct gpucc_image){arch, 10 * major + minor, ptx, size_of(programs[which].ptx)};
    own->program = (struct gpucc_program_image){.version = GPUCC_PROGRAM_VERSION, .image_count = 1, .abi = abi,
                                                .name = programs[which].name, .manifest = manifest,
                                                .manifest_size = size_of(programs[which].manifest),
                                                .images = &own->ptx};
    return own;
}

/* Programs stay loaded from it, so that it lives as long as the process. */
const struct gpucc_program_image *own_image(enum own_kernels which)
{
    static _Atomic(struct own_image *) images[sizeof programs / sizeof *programs];
    struct own_image *found = atomic_load_explicit(&images[which], memory_order_acquire), *made;
    if (found)
        return &found->program;
    made = make_image(which);
    if (!made)
        return NULL;
    if (atomic_compare_exchange_strong(&images[which], &found, made))
        return &made->program;
    free_image(made); /* another thread was first */
    return &found->program;
}
#else
const bool has_own_kernels = false;

const struct gpucc_program_image *own_image(enum own_kernels which)
{
    (void)which;
    return NULL;
}
#endif
