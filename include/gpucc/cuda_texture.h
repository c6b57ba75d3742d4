/* CUDA's spelling of textures and surfaces; part of <gpucc/cuda.h>.
 *
 * In a CUDA source `tex2D<float>(t, x, y)` is read as tex2D(float, t, x, y), `surf2Dread(&v, s, x, y)` as GPUCC_INTO,
 * `surf2Dwrite<float>(v, s, x, y)` as GPUCC_TYPED, `texture<float, 2> t;` as GPUCC_TEXTURE_REFERENCE and `surface<void,
 * 2> s;` as GPUCC_SURFACE_REFERENCE: spelling/textures.c.  References are variables that hold the object,
 * which hosts write as they do other variables. */
#ifndef GPUCC_CUDA_TEXTURE_H
#define GPUCC_CUDA_TEXTURE_H

#include <gpucc/texture.h>

typedef gpucc_texture_object cudaTextureObject_t;
typedef gpucc_surface_object cudaSurfaceObject_t;
typedef gpucc_texture_object CUtexObject;
typedef gpucc_surface_object CUsurfObject;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = GPUCC_SURFACE_ZERO,
    cudaBoundaryModeClamp = GPUCC_SURFACE_CLAMP,
    cudaBoundaryModeTrap = GPUCC_SURFACE_TRAP
};
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2

/* ---- references ---- */

/* The object.  The pointer's type states that of the texels as read; no program uses its value. */
#define GPUCC_REFERENCE(texel_type)                                                                                    \
    union {                                                                                                            \
        unsigned long long object;                                                                                     \
        texel_type *texel;                                                                                             \
    }
/* float, or a vector of that many elements. */
#define GPUCC_AS_FLOATS(type)                                                                                          \
    _Generic(*(type *)0, char1: (float1 *)0, uchar1: (float1 *)0, short1: (float1 *)0, ushort1: (float1 *)0,           \
             char2: (float2 *)0, uchar2: (float2 *)0, short2: (float2 *)0, ushort2: (float2 *)0, char4: (float4 *)0,   \
             uchar4: (float4 *)0, short4: (float4 *)0, ushort4: (float4 *)0, default: (float *)0)
/* (type[, dimensions[, mode]]) */
#define GPUCC_TEXTURE_REFERENCE(...)                                                                                   \
    GPUCC_TEXTURE_REFERENCE_(__VA_ARGS__, cudaReadModeElementType, cudaReadModeElementType, ~)
#define GPUCC_TEXTURE_REFERENCE_(type, dimensions, mode, ...)                                                          \
    GPUCC_REFERENCE(__typeof__(*__builtin_choose_expr((int)(mode) == (int)cudaReadModeNormalizedFloat,                 \
                                                      GPUCC_AS_FLOATS(type), (type *)0)))
#define GPUCC_SURFACE_REFERENCE(...) GPUCC_REFERENCE(void)
/* For an object, and for a reference. */
#define GPUCC_OBJECT(of)                                                                                               \
    __extension__({                                                                                                    \
        GPUCC_KEEP(gpucc_of, of);                                                                                      \
        _Static_assert(sizeof gpucc_of == 8 && __builtin_classify_type(gpucc_of) != 5,                                 \
                       "this is no texture or surface");                                                               \
        unsigned long long gpucc_object;                                                                               \
        __builtin_memcpy(&gpucc_object, &gpucc_of, sizeof gpucc_object);                                               \
        gpucc_object;                                                                                                  \
    })

/* ---- reads and writes ---- */

#define GPUCC_INTO(read, to, ...) ((void)((to) = read(__typeof__(to), __VA_ARGS__)))
#define GPUCC_TYPED(write, type, value, ...)                                                                           \
    __extension__({                                                                                                    \
        const type gpucc_typed = (value);                                                                              \
        write(gpucc_typed, __VA_ARGS__);                                                                               \
    })

/* For an object with a type in front, or for a reference, which has one. */
#define GPUCC_PICK_3(a, b, c, pick, ...) pick
#define GPUCC_PICK_4(a, b, c, d, pick, ...) pick
#define GPUCC_PICK_5(a, b, c, d, e, pick, ...) pick
#define GPUCC_BY_REFERENCE(read, t, ...) read(__typeof__(*(t).texel), (t).object, __VA_ARGS__)
#define gpucc_tex1D_of(...) GPUCC_BY_REFERENCE(gpucc_tex1D, __VA_ARGS__)
#define gpucc_tex2D_of(...) GPUCC_BY_REFERENCE(gpucc_tex2D, __VA_ARGS__)
#define gpucc_tex3D_of(...) GPUCC_BY_REFERENCE(gpucc_tex3D, __VA_ARGS__)
#define gpucc_tex1Dfetch_of(...) GPUCC_BY_REFERENCE(gpucc_tex1Dfetch, __VA_ARGS__)
#define gpucc_tex1DLayered_of(...) GPUCC_BY_REFERENCE(gpucc_tex1DLayered, __VA_ARGS__)
#define gpucc_tex2DLayered_of(...) GPUCC_BY_REFERENCE(gpucc_tex2DLayered, __VA_ARGS__)
#undef tex1D
#undef tex2D
#undef tex3D
#undef tex1Dfetch
#undef tex1DLayered
#undef tex2DLayered
#define tex1D(...) GPUCC_PICK_3(__VA_ARGS__, gpucc_tex1D, gpucc_tex1D_of, ~)(__VA_ARGS__)
#define tex2D(...) GPUCC_PICK_4(__VA_ARGS__, gpucc_tex2D, gpucc_tex2D_of, ~)(__VA_ARGS__)
#define tex3D(...) GPUCC_PICK_5(__VA_ARGS__, gpucc_tex3D, gpucc_tex3D_of, ~)(__VA_ARGS__)
#define tex1Dfetch(...) GPUCC_PICK_3(__VA_ARGS__, gpucc_tex1Dfetch, gpucc_tex1Dfetch_of, ~)(__VA_ARGS__)
#define tex1DLayered(...) GPUCC_PICK_4(__VA_ARGS__, gpucc_tex1DLayered, gpucc_tex1DLayered_of, ~)(__VA_ARGS__)
#define tex2DLayered(...) GPUCC_PICK_5(__VA_ARGS__, gpucc_tex2DLayered, gpucc_tex2DLayered_of, ~)(__VA_ARGS__)
#undef surf1Dread
#undef surf2Dread
#undef surf3Dread
#undef surf1DLayeredread
#undef surf2DLayeredread
#undef surf1Dwrite
#undef surf2Dwrite
#undef surf3Dwrite
#undef surf1DLayeredwrite
#undef surf2DLayeredwrite
#define surf1Dread(type, s, ...) gpucc_surf1Dread(type, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf2Dread(type, s, ...) gpucc_surf2Dread(type, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf3Dread(type, s, ...) gpucc_surf3Dread(type, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf1DLayeredread(type, s, ...) gpucc_surf1DLayeredread(type, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf2DLayeredread(type, s, ...) gpucc_surf2DLayeredread(type, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf1Dwrite(value, s, ...) gpucc_surf1Dwrite(value, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf2Dwrite(value, s, ...) gpucc_surf2Dwrite(value, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf3Dwrite(value, s, ...) gpucc_surf3Dwrite(value, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf1DLayeredwrite(value, s, ...) gpucc_surf1DLayeredwrite(value, GPUCC_OBJECT(s), __VA_ARGS__)
#define surf2DLayeredwrite(value, s, ...) gpucc_surf2DLayeredwrite(value, GPUCC_OBJECT(s), __VA_ARGS__)

#endif
