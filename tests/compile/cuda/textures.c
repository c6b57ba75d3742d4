// Textures and surfaces as CUDA sources write them: objects read by templates, overloads that store, references.
// RUN: %gpucc %s -o %t.ptx -o %t.o -o %t.json
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=HOSTS < %t.json
// RUN: %gpucc run %s plain zeros:2:int32 --threads=1 --device=cpu | FileCheck %s --check-prefix=PLAIN
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>

// CHECK: .visible .global .align 8 .b8 picture[8];
// CHECK: .visible .global .align 8 .b8 canvas[8];
// HOSTS: "name": "picture"
// HOSTS: "name": "canvas"
texture<float, 2, cudaReadModeElementType> picture;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<int> line;
texture<unsigned short, 3> volume;
#define PICTURE texture<float, 2, cudaReadModeElementType>
static PICTURE hidden;
surface<void, cudaSurfaceType2D> canvas;

// CHECK-LABEL: .visible .entry objects(
// CHECK: tex.2d.v4.f32.f32
// CHECK: tex.2d.v4.u32.f32
// CHECK: tex.3d.v4.f32.f32
// CHECK: tex.1d.v4.s32.s32
// CHECK: tex.a2d.v4.u32.f32
// CHECK: tex.a1d.v4.f32.f32
// CHECK: tex.1d.v4.s32.f32
__global__ void objects(cudaTextureObject_t t, const cudaTextureObject_t *several, float *out, uchar4 *b, int *n)
{
    tex2D(&out[0], t, 1.0f, 2.0f);
    *b = tex2D<uchar4>(t, 1, 2);
    out[1] = tex3D<float4>(several[1], 1, 2, 3).y;
    n[0] = tex1Dfetch<int2>(t, 3).y;
    n[1] = tex2DLayered< unsigned char >(t, 1, 2, 3);
    out[2] = tex1DLayered<float>(t, 1, 2);
    tex1D(&n[2], t, 0.5f);
}

// CHECK-LABEL: .visible .entry references(
// CHECK: ld.global.u64 [[PICTURE:%rd[0-9]+]], [picture];
// CHECK: tex.2d.v4.f32.f32 {{.*}}, {{\[}}[[PICTURE]],
// CHECK: tex.2d.v4.f32.f32
// CHECK: tex.1d.v4.s32.s32
// CHECK: tex.3d.v4.u32.f32
// CHECK: tex.2d.v4.f32.f32
__global__ void references(float *out, int *n)
{
    out[0] = tex2D(picture, 3.f, 4.f);
    out[1] = tex2D(colours, 1, 2).x;
    n[0] = tex1Dfetch(line, 7);
    n[1] = tex3D(volume, 1, 2, 3);
    out[2] = tex2D(hidden, 1, 2);
}

// CHECK-LABEL: .visible .entry surfaces(
// CHECK: suld.b.2d.v2.b64.trap
// CHECK: sust.b.2d.b32.zero {{.*}}, [[ONE:%r[0-9]+]];
// CHECK: sust.b.2d.b32.trap
// CHECK: suld.b.2d.b32.clamp
// CHECK: sust.b.3d.b32.trap
// CHECK: suld.b.a2d.b32.trap
// CHECK: suld.b.2d.b32.clamp
// CHECK: tex.1d.v4.f32.f32
__global__ void surfaces(CUsurfObject s, float *out)
{
    float4 four;
    surf2Dread(&four, s, 16 * 2, 3);
    surf2Dwrite<float>(1, s, 4, 2, cudaBoundaryModeZero);
    surf2Dwrite(four.w, canvas, 4, 2);
    surf2Dread(&out[5], canvas, 4, 2, cudaBoundaryModeClamp);
    surf3Dwrite(make_uchar4(1, 2, 3, 4), s, 4, 2, 1);
    out[7] = surf2DLayeredread<float>(s, 4, 2, 1);
    surf2Dread<float>(&out[8], s, 4, 2, cudaBoundaryModeClamp);
    tex1D<float> (&out[9], s, 4);
}

/* Other things may bear these names, and be compared. */
__device__ int surface(int texture, int tex2D)
{
    return texture < tex2D ? texture : tex2D;
}

__global__ void plain(int *out)
{
    int texture = 3, a = 1, b = 5;
    out[0] = surface(texture, 4);
    out[1] = texture<a || b> texture;
}
// PLAIN: first 3 1

#ifdef WRONG
// WRONG: error: {{.*}}this is no texture or surface
__global__ void pointer(cudaSurfaceObject_t s, float *out) { *out = surf2Dread<float>(out, s, 4, 2); }
// WRONG: error: use of undeclared identifier 'tex2DLod'
// WRONG: note: {{.*}}mipmaps and cube maps are unsupported
__global__ void level(cudaTextureObject_t t, float *out) { *out = tex2DLod<float>(t, 4, 2, 1); }
// WRONG: textures.c:[[#@LINE+3]]:68: error: controlling expression type 'double' not compatible
// WRONG: note: unsupported texture or surface access: <gpucc/texture.h> lists the functions
// WRONG: error: {{.*}}this is no texture or surface
__global__ void wrong(cudaTextureObject_t t, double *out) { *out = tex1D<double>(t, 1); surf1Dwrite(1, 4, 0); }
#endif
