/* Textures, which kernels read by coordinates with filtering, and surfaces, through which kernels write them.  Include
 * it by itself.
 *
 *   kernel
 *   void stretch(texture_object picture, int n, float *out)
 *   {
 *       size_t i = grid(1);
 *       if (i < n)
 *           out[i] = tex1D(float, picture, (i + 0.5f) / n);
 *   }
 *
 * Hosts make textures of arrays (gpucc_texture_create() of <gpucc/runtime.h>), whose options define coordinates,
 * filter and borders; kernels get a texture_object, which is a number.
 *
 *   tex1D(type, t, x)   tex2D(type, t, x, y)   tex3D(type, t, x, y, z)      x, y and z of type float
 *   tex1DLayered(type, t, x, layer)   tex2DLayered(type, t, x, y, layer)    the layer an int
 *   tex1Dfetch(type, t, index)                                              of a texture over linear memory
 *
 * `type` is float, an integer of up to 32 bits, or a vector of 1, 2 or 4 of them (float4 of <gpucc/vector.h>): the
 * kind of the texture's elements, and float if these are float16 or read as numbers from 0 to 1.  It may have fewer
 * components than a texel.
 *
 *   surf1Dread(type, s, x[, beyond])              surf1Dwrite(value, s, x[, beyond])
 *   surf2Dread(type, s, x, y[, beyond])           surf2Dwrite(value, s, x, y[, beyond])
 *   surf3Dread(type, s, x, y, z[, beyond])        surf3Dwrite(value, s, x, y, z[, beyond])
 *   surf1DLayeredread(type, s, x, layer[, beyond])      surf1DLayeredwrite(value, s, x, layer[, beyond])
 *   surf2DLayeredread(type, s, x, y, layer[, beyond])   surf2DLayeredwrite(value, s, x, y, layer[, beyond])
 *
 * As in CUDA x counts bytes, x = sizeof(type) * column, and a type is as large as a texel.  `beyond` selects the
 * behaviour outside: SURFACE_TRAP (an error of the launch), SURFACE_CLAMP (the nearest texel) or SURFACE_ZERO (reads
 * give 0, writes nothing).  A texture shows writes through its surface in later launches.
 */
#ifndef GPUCC_TEXTURE_H
#define GPUCC_TEXTURE_H

#include <gpucc/vector.h>

typedef unsigned long long gpucc_texture_object;
typedef unsigned long long gpucc_surface_object;

enum gpucc_surface_beyond { GPUCC_SURFACE_ZERO, GPUCC_SURFACE_CLAMP, GPUCC_SURFACE_TRAP };

/* ---- texels as types ---- */

/* The texel read: four components. */
typedef union gpucc_texel {
    float f[4];
    int32_t s[4];
    uint32_t u[4];
} gpucc_texel;

/* ENTRY(kind, type, name, count, extra) for each type that is read. */
#define GPUCC_TEXEL_VECTORS(ENTRY, kind, name, extra)                                                                  \
    ENTRY(kind, name##1, name##1, 1, extra)                                                                            \
    ENTRY(kind, name##2, name##2, 2, extra) ENTRY(kind, name##4, name##4, 4, extra)
#define GPUCC_TEXEL_TYPES(ENTRY, extra)                                                                                \
    ENTRY(f, float, float, 1, extra)                                                                                   \
    ENTRY(s, char, char, 1, extra) ENTRY(s, signed char, schar, 1, extra) ENTRY(u, unsigned char, uchar, 1, extra)     \
    ENTRY(s, short, short, 1, extra) ENTRY(u, unsigned short, ushort, 1, extra)                                        \
    ENTRY(s, int, int, 1, extra) ENTRY(u, unsigned, uint, 1, extra)                                                    \
    GPUCC_TEXEL_VECTORS(ENTRY, f, float, extra)                                                                        \
    GPUCC_TEXEL_VECTORS(ENTRY, s, char, extra) GPUCC_TEXEL_VECTORS(ENTRY, u, uchar, extra)                             \
    GPUCC_TEXEL_VECTORS(ENTRY, s, short, extra) GPUCC_TEXEL_VECTORS(ENTRY, u, ushort, extra)                           \
    GPUCC_TEXEL_VECTORS(ENTRY, s, int, extra) GPUCC_TEXEL_VECTORS(ENTRY, u, uint, extra)

/* A function for each: gpucc_texel_float4(). */
#define GPUCC_TEXEL_1(c) (c)[0]
#define GPUCC_TEXEL_2(c) (c)[0], (c)[1]
#define GPUCC_TEXEL_4(c) (c)[0], (c)[1], (c)[2], (c)[3]
#define GPUCC_DEFINE_TEXEL(kind, type, name, count, extra)                                                             \
    GPUCC_INLINE type gpucc_texel_##name(gpucc_texel texel)                                                            \
    {                                                                                                                  \
        return (type){GPUCC_TEXEL_##count(texel.kind)};                                                                \
    }
GPUCC_TEXEL_TYPES(GPUCC_DEFINE_TEXEL, )

/* By the type that is asked for. */
#define GPUCC_TEXEL_CHOOSE(type, CASE, extra) _Generic(*(type *)0 GPUCC_TEXEL_TYPES(CASE, extra))
#define GPUCC_TEXEL_FUNCTION(kind, type, name, count, extra) , type : gpucc_texel_##name

/* ---- reading textures ---- */

#if defined(__NVPTX__)

/* For each geometry and kind of components: gpucc_tex_2D_f(). */
#define GPUCC_DEFINE_TEX(kind, letter, type, geometry, instruction, coordinates, ...)                                  \
    GPUCC_INLINE gpucc_texel gpucc_tex_##geometry##_##kind(gpucc_texture_object t, float x, float y, float z, int i)   \
    {                                                                                                                  \
        gpucc_texel texel;                                                                                             \
        (void)x, (void)y, (void)z, (void)i;                                                                            \
        __asm__("tex." instruction ".v4." type coordinates                                                             \
                : "=" letter(texel.kind[0]), "=" letter(texel.kind[1]), "=" letter(texel.kind[2]),                     \
                  "=" letter(texel.kind[3])                                                                            \
                : "l"(t), __VA_ARGS__);                                                                                \
        return texel;                                                                                                  \
    }
#define GPUCC_DEFINE_TEX_KINDS(...)                                                                                    \
    GPUCC_DEFINE_TEX(f, "f", "f32", __VA_ARGS__)                                                                       \
    GPUCC_DEFINE_TEX(s, "r", "s32", __VA_ARGS__)                                                                       \
    GPUCC_DEFINE_TEX(u, "r", "u32", __VA_ARGS__)
GPUCC_DEFINE_TEX_KINDS(1D, "1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}];", "f"(x))
GPUCC_DEFINE_TEX_KINDS(2D, "2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "f"(x), "f"(y))
GPUCC_DEFINE_TEX_KINDS(3D, "3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
GPUCC_DEFINE_TEX_KINDS(LINEAR, "1d", ".s32 {%0, %1, %2, %3}, [%4, {%5}];", "r"(i))
GPUCC_DEFINE_TEX_KINDS(1D_LAYERED, "a1d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "r"(i), "f"(x))
GPUCC_DEFINE_TEX_KINDS(2D_LAYERED, "a2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "r"(i), "f"(x), "f"(y))

#define GPUCC_TEXEL_READER(kind, type, name, count, geometry) , type : gpucc_tex_##geometry##_##kind
#define GPUCC_TEX(type, geometry, ...)                                                                                 \
    GPUCC_TEXEL_CHOOSE(type, GPUCC_TEXEL_FUNCTION, )                                                                   \
    (GPUCC_TEXEL_CHOOSE(type, GPUCC_TEXEL_READER, geometry)(__VA_ARGS__))

#else

GPUCC_INLINE gpucc_texel gpucc_tex_on_cpu(enum gpucc_cpu_geometry geometry, char kind, int count,
                                          const struct gpucc_cpu_place *place, gpucc_texture_object texture, float x,
                                          float y, float z, int index)
{
    gpucc_texel texel;
    const struct gpucc_cpu_sample sample = {texture, geometry, kind, count, {x, y, z}, index, place};
    gpucc_cpu_texture_read(&sample, texel.u);
    return texel;
}

#define GPUCC_TEXEL_KIND(kind, type, name, count, extra) , type : #kind[0]
#define GPUCC_TEXEL_COUNT(kind, type, name, count, extra) , type : count
#define GPUCC_TEX(type, geometry, ...)                                                                                 \
    GPUCC_TEXEL_CHOOSE(type, GPUCC_TEXEL_FUNCTION, )                                                                   \
    (gpucc_tex_on_cpu(GPUCC_CPU_##geometry, GPUCC_TEXEL_CHOOSE(type, GPUCC_TEXEL_KIND, ),                              \
                      GPUCC_TEXEL_CHOOSE(type, GPUCC_TEXEL_COUNT, ), GPUCC_CPU_HERE, __VA_ARGS__))

#endif

#define gpucc_tex1D(type, texture, x) GPUCC_TEX(type, 1D, texture, x, 0, 0, 0)
#define gpucc_tex2D(type, texture, x, y) GPUCC_TEX(type, 2D, texture, x, y, 0, 0)
#define gpucc_tex3D(type, texture, x, y, z) GPUCC_TEX(type, 3D, texture, x, y, z, 0)
#define gpucc_tex1Dfetch(type, texture, index) GPUCC_TEX(type, LINEAR, texture, 0, 0, 0, index)
#define gpucc_tex1DLayered(type, texture, x, layer) GPUCC_TEX(type, 1D_LAYERED, texture, x, 0, 0, layer)
#define gpucc_tex2DLayered(type, texture, x, y, layer) GPUCC_TEX(type, 2D_LAYERED, texture, x, y, 0, layer)

/* ---- reading and writing surfaces ---- */

#if defined(__NVPTX__)

/* Written out where they are used: as functions they would cost every program time that includes this.  Words of up to
 * 8 bytes, and two for texels of 16, each in one of three instructions, by what `beyond` says. */
#define GPUCC_SURF_MODES(ACCESS, ...)                                                                                  \
    do {                                                                                                               \
        if (gpucc_beyond == GPUCC_SURFACE_ZERO)                                                                        \
            ACCESS("zero", __VA_ARGS__);                                                                               \
        else if (gpucc_beyond == GPUCC_SURFACE_CLAMP)                                                                  \
            ACCESS("clamp", __VA_ARGS__);                                                                              \
        else                                                                                                           \
            ACCESS("trap", __VA_ARGS__);                                                                               \
    } while (0)
#define GPUCC_SULD(mode, bits, letter, word, geometry, at, ...)                                                        \
    __asm__ volatile("suld.b." geometry "." bits "." mode " %0, [%1, " at "];"                                         \
                     : "=" letter(word) : "l"(gpucc_s), __VA_ARGS__ : "memory")
#define GPUCC_SULD_PAIR(mode, geometry, at, ...)                                                                       \
    __asm__ volatile("suld.b." geometry ".v2.b64." mode " {%0, %1}, [%2, " at "];"                                     \
                     : "=l"(gpucc_l[0]), "=l"(gpucc_l[1]) : "l"(gpucc_s), __VA_ARGS__ : "memory")
#define GPUCC_SUST(mode, bits, letter, word, geometry, at, ...)                                                        \
    __asm__ volatile("sust.b." geometry "." bits "." mode " [%1, " at "], %0;"                                         \
                     : : letter(word), "l"(gpucc_s), __VA_ARGS__ : "memory")
#define GPUCC_SUST_PAIR(mode, geometry, at, ...)                                                                       \
    __asm__ volatile("sust.b." geometry ".v2.b64." mode " [%2, " at "], {%0, %1};"                                     \
                     : : "l"(gpucc_l[0]), "l"(gpucc_l[1]), "l"(gpucc_s), __VA_ARGS__ : "memory")
/* By the bytes of the value, all but one of which go away. */
#define GPUCC_SURF_SIZES(WORD, PAIR, size, ...)                                                                        \
    switch (size) {                                                                                                    \
    case 1: GPUCC_SURF_MODES(WORD, "b8", "h", gpucc_h, __VA_ARGS__); break;                                            \
    case 2: GPUCC_SURF_MODES(WORD, "b16", "h", gpucc_h, __VA_ARGS__); break;                                           \
    case 4: GPUCC_SURF_MODES(WORD, "b32", "r", gpucc_r, __VA_ARGS__); break;                                           \
    case 8: GPUCC_SURF_MODES(WORD, "b64", "l", gpucc_l[0], __VA_ARGS__); break;                                        \
    default: GPUCC_SURF_MODES(PAIR, __VA_ARGS__);                                                                      \
    }
/* The value's bytes are in one of three. */
#define GPUCC_SURF_WORDS(surface, x, y, z, beyond)                                                                     \
    uint16_t gpucc_h = 0;                                                                                              \
    uint32_t gpucc_r = 0;                                                                                              \
    uint64_t gpucc_l[2] = {0};                                                                                         \
    const gpucc_surface_object gpucc_s = (surface);                                                                    \
    const int gpucc_at_x = (x), gpucc_at_y = (y), gpucc_at_z = (z), gpucc_beyond = (beyond);                           \
    (void)gpucc_at_y, (void)gpucc_at_z
#define GPUCC_SURF_WORD(size) ((size) <= 2 ? (void *)&gpucc_h : (size) == 4 ? (void *)&gpucc_r : (void *)gpucc_l)
#define GPUCC_AT_1D "1d", "{%[x]}", [x] "r"(gpucc_at_x)
#define GPUCC_AT_2D "2d", "{%[x], %[y]}", [x] "r"(gpucc_at_x), [y] "r"(gpucc_at_y)
#define GPUCC_AT_3D                                                                                                    \
    "3d", "{%[x], %[y], %[z], %[z]}", [x] "r"(gpucc_at_x), [y] "r"(gpucc_at_y), [z] "r"(gpucc_at_z)
#define GPUCC_AT_1D_LAYERED "a1d", "{%[z], %[x]}", [x] "r"(gpucc_at_x), [z] "r"(gpucc_at_z)
#define GPUCC_AT_2D_LAYERED                                                                                            \
    "a2d", "{%[z], %[x], %[y], %[y]}", [x] "r"(gpucc_at_x), [y] "r"(gpucc_at_y), [z] "r"(gpucc_at_z)
#define GPUCC_SURF_READ(geometry, surface, x, y, z, beyond, size, value)                                               \
    do {                                                                                                               \
        GPUCC_SURF_WORDS(surface, x, y, z, beyond);                                                                    \
        GPUCC_SURF_SIZES(GPUCC_SULD, GPUCC_SULD_PAIR, size, GPUCC_AT_##geometry)                                       \
        __builtin_memcpy(value, GPUCC_SURF_WORD(size), size);                                                          \
    } while (0)
#define GPUCC_SURF_WRITE(geometry, surface, x, y, z, beyond, size, value)                                              \
    do {                                                                                                               \
        GPUCC_SURF_WORDS(surface, x, y, z, beyond);                                                                    \
        __builtin_memcpy(GPUCC_SURF_WORD(size), value, size);                                                          \
        GPUCC_SURF_SIZES(GPUCC_SUST, GPUCC_SUST_PAIR, size, GPUCC_AT_##geometry)                                       \
    } while (0)

#else

GPUCC_INLINE struct gpucc_cpu_spot gpucc_surf_spot(enum gpucc_cpu_geometry geometry,
                                                   const struct gpucc_cpu_place *place, gpucc_surface_object surface,
                                                   int x, int y, int z, int beyond, unsigned size)
{
    return (struct gpucc_cpu_spot){surface, geometry, {x, y, z}, beyond, size, place};
}

GPUCC_INLINE void gpucc_surf_read(struct gpucc_cpu_spot spot, void *value)
{
    gpucc_cpu_surface_read(&spot, value);
}

GPUCC_INLINE void gpucc_surf_write(struct gpucc_cpu_spot spot, const void *value)
{
    gpucc_cpu_surface_write(&spot, value);
}

#define GPUCC_SURF_SPOT(geometry, ...) gpucc_surf_spot(GPUCC_CPU_##geometry, GPUCC_CPU_HERE, __VA_ARGS__)
#define GPUCC_SURF_READ(geometry, s, x, y, z, beyond, size, value)                                                     \
    gpucc_surf_read(GPUCC_SURF_SPOT(geometry, s, x, y, z, beyond, size), value)
#define GPUCC_SURF_WRITE(geometry, s, x, y, z, beyond, size, value)                                                    \
    gpucc_surf_write(GPUCC_SURF_SPOT(geometry, s, x, y, z, beyond, size), value)

#endif

#define GPUCC_SURF_SIZED(value)                                                                                        \
    _Static_assert(sizeof(value) <= 16 && (sizeof(value) & (sizeof(value) - 1)) == 0,                                  \
                   "a texel of a surface has 1, 2, 4, 8 or 16 bytes")
/* z is the layer where there are layers. */
#define GPUCC_SURF_GET(type, geometry, surface, x, y, z, beyond)                                                       \
    __extension__({                                                                                                    \
        type gpucc_texel_read;                                                                                         \
        GPUCC_SURF_SIZED(gpucc_texel_read);                                                                            \
        GPUCC_SURF_READ(geometry, surface, x, y, z, beyond, sizeof gpucc_texel_read, &gpucc_texel_read);               \
        gpucc_texel_read;                                                                                              \
    })
#define GPUCC_SURF_PUT(value, geometry, surface, x, y, z, beyond)                                                      \
    __extension__({                                                                                                    \
        GPUCC_KEEP(gpucc_texel_given, value);                                                                          \
        GPUCC_SURF_SIZED(gpucc_texel_given);                                                                           \
        GPUCC_SURF_WRITE(geometry, surface, x, y, z, beyond, sizeof gpucc_texel_given, &gpucc_texel_given);            \
    })
/* `...` is the last coordinate, and optionally the address mode. */
#define GPUCC_SURF_LAST(...) GPUCC_FIRST(__VA_ARGS__, ~)
#define GPUCC_SURF_BEYOND(...) GPUCC_SECOND(__VA_ARGS__, GPUCC_SURFACE_TRAP, ~)
#define GPUCC_SURF_1D(ACCESS, what, s, ...)                                                                            \
    ACCESS(what, 1D, s, GPUCC_SURF_LAST(__VA_ARGS__), 0, 0, GPUCC_SURF_BEYOND(__VA_ARGS__))
#define GPUCC_SURF_2D(ACCESS, what, s, x, ...)                                                                         \
    ACCESS(what, 2D, s, x, GPUCC_SURF_LAST(__VA_ARGS__), 0, GPUCC_SURF_BEYOND(__VA_ARGS__))
#define GPUCC_SURF_3D(ACCESS, what, s, x, y, ...)                                                                      \
    ACCESS(what, 3D, s, x, y, GPUCC_SURF_LAST(__VA_ARGS__), GPUCC_SURF_BEYOND(__VA_ARGS__))
#define GPUCC_SURF_1D_LAYERED(ACCESS, what, s, x, ...)                                                                 \
    ACCESS(what, 1D_LAYERED, s, x, 0, GPUCC_SURF_LAST(__VA_ARGS__), GPUCC_SURF_BEYOND(__VA_ARGS__))
#define GPUCC_SURF_2D_LAYERED(ACCESS, what, s, x, y, ...)                                                              \
    ACCESS(what, 2D_LAYERED, s, x, y, GPUCC_SURF_LAST(__VA_ARGS__), GPUCC_SURF_BEYOND(__VA_ARGS__))

#define gpucc_surf1Dread(...) GPUCC_SURF_1D(GPUCC_SURF_GET, __VA_ARGS__)
#define gpucc_surf2Dread(...) GPUCC_SURF_2D(GPUCC_SURF_GET, __VA_ARGS__)
#define gpucc_surf3Dread(...) GPUCC_SURF_3D(GPUCC_SURF_GET, __VA_ARGS__)
#define gpucc_surf1DLayeredread(...) GPUCC_SURF_1D_LAYERED(GPUCC_SURF_GET, __VA_ARGS__)
#define gpucc_surf2DLayeredread(...) GPUCC_SURF_2D_LAYERED(GPUCC_SURF_GET, __VA_ARGS__)
#define gpucc_surf1Dwrite(...) GPUCC_SURF_1D(GPUCC_SURF_PUT, __VA_ARGS__)
#define gpucc_surf2Dwrite(...) GPUCC_SURF_2D(GPUCC_SURF_PUT, __VA_ARGS__)
#define gpucc_surf3Dwrite(...) GPUCC_SURF_3D(GPUCC_SURF_PUT, __VA_ARGS__)
#define gpucc_surf1DLayeredwrite(...) GPUCC_SURF_1D_LAYERED(GPUCC_SURF_PUT, __VA_ARGS__)
#define gpucc_surf2DLayeredwrite(...) GPUCC_SURF_2D_LAYERED(GPUCC_SURF_PUT, __VA_ARGS__)

#ifndef GPUCC_NO_SHORT_NAMES
typedef gpucc_texture_object texture_object;
typedef gpucc_surface_object surface_object;
#define SURFACE_ZERO GPUCC_SURFACE_ZERO
#define SURFACE_CLAMP GPUCC_SURFACE_CLAMP
#define SURFACE_TRAP GPUCC_SURFACE_TRAP
#define tex1D(type, texture, x) gpucc_tex1D(type, texture, x)
#define tex2D(type, texture, x, y) gpucc_tex2D(type, texture, x, y)
#define tex3D(type, texture, x, y, z) gpucc_tex3D(type, texture, x, y, z)
#define tex1Dfetch(type, texture, index) gpucc_tex1Dfetch(type, texture, index)
#define tex1DLayered(type, texture, x, layer) gpucc_tex1DLayered(type, texture, x, layer)
#define tex2DLayered(type, texture, x, y, layer) gpucc_tex2DLayered(type, texture, x, y, layer)
#define surf1Dread(...) gpucc_surf1Dread(__VA_ARGS__)
#define surf2Dread(...) gpucc_surf2Dread(__VA_ARGS__)
#define surf3Dread(...) gpucc_surf3Dread(__VA_ARGS__)
#define surf1DLayeredread(...) gpucc_surf1DLayeredread(__VA_ARGS__)
#define surf2DLayeredread(...) gpucc_surf2DLayeredread(__VA_ARGS__)
#define surf1Dwrite(...) gpucc_surf1Dwrite(__VA_ARGS__)
#define surf2Dwrite(...) gpucc_surf2Dwrite(__VA_ARGS__)
#define surf3Dwrite(...) gpucc_surf3Dwrite(__VA_ARGS__)
#define surf1DLayeredwrite(...) gpucc_surf1DLayeredwrite(__VA_ARGS__)
#define surf2DLayeredwrite(...) gpucc_surf2DLayeredwrite(__VA_ARGS__)
#endif

#endif
