// Reads of textures and accesses to surfaces: one instruction each, by coordinates, kinds and sizes.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NATIVE
// RUN: %cc -std=c17 -Wall -Wextra -Werror -Wno-unused-function -I%include -fsyntax-only -DPLAIN %s
// RUN: %gpucc --no-short-names -DLONG %s --emit=ptx -o - | FileCheck %s --check-prefix=LONG
// RUN: %exits 1 %gpucc -DBAD %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=BAD
// NATIVE-DAG: U gpucc_cpu_texture_read
// NATIVE-DAG: U gpucc_cpu_surface_read
// NATIVE-DAG: U gpucc_cpu_surface_write
#include <gpucc.h>
#include <gpucc/texture.h>

#ifdef LONG
// LONG: tex.2d.v4.f32.f32
// LONG: sust.b.2d.b32.clamp
gpucc_kernel
void k(gpucc_texture_object t, gpucc_surface_object s)
{
    gpucc_surf2Dwrite(gpucc_tex2D(float, t, 1, 2), s, 4, 1, GPUCC_SURFACE_CLAMP);
}
#else

// CHECK-LABEL: .visible .entry textures(
// CHECK: ld.param.u64 [[T:%rd[0-9]+]], [textures_param_0];
// CHECK: tex.1d.v4.f32.f32 {{.*}}, {{\[}}[[T]], {%f{{[0-9]+}}}];
// CHECK: tex.2d.v4.f32.f32 {{.*}}, {{\[}}[[T]], {%f{{[0-9]+}}, %f{{[0-9]+}}}];
// CHECK: tex.3d.v4.f32.f32 {{.*}}, {{\[}}[[T]], {%f{{[0-9]+}}, %f{{[0-9]+}}, [[Z:%f[0-9]+]], [[Z]]}];
// CHECK: tex.a1d.v4.f32.f32 {{.*}}, {{\[}}[[T]], {%r{{[0-9]+}}, %f{{[0-9]+}}}];
// CHECK: tex.a2d.v4.f32.f32 {{.*}}, {{\[}}[[T]], {%r{{[0-9]+}}, %f{{[0-9]+}}, [[Y:%f[0-9]+]], [[Y]]}];
// CHECK: tex.1d.v4.f32.s32 {{.*}}, {{\[}}[[T]], {%r{{[0-9]+}}}];
kernel
void textures(texture_object t, const float *x, int i, float *out)
{
    out[0] = tex1D(float, t, x[0]);
    out[1] = tex2D(float, t, x[0], x[1]);
    out[2] = tex3D(float, t, x[0], x[1], x[2]);
    out[3] = tex1DLayered(float, t, x[0], i);
    out[4] = tex2DLayered(float, t, x[0], x[1], i);
    out[5] = tex1Dfetch(float, t, i);
}

/* Two reads of one kind at one place are one instruction. */
// CHECK-LABEL: .visible .entry kinds(
// CHECK: tex.2d.v4.f32.f32
// CHECK-NOT: tex
// CHECK: tex.2d.v4.u32.f32
// CHECK-NOT: tex
// CHECK: tex.2d.v4.s32.f32
// CHECK-NOT: tex
kernel
void kinds(texture_object t, float x, float y, float4 *out4, float2 *out2, float1 *out1, uchar4 *b, unsigned short *h,
           uint2 *u, unsigned *w, char *c, signed char *s, short2 *h2, int4 *n)
{
    *out4 = tex2D(float4, t, x, y);
    *out2 = tex2D(float2, t, x, y);
    *out1 = tex2D(float1, t, x, y);
    *b = tex2D(uchar4, t, x, y);
    *h = tex2D(unsigned short, t, x, y);
    *u = tex2D(uint2, t, x, y);
    *w = tex2D(unsigned, t, x, y);
    *c = tex2D(char, t, x, y);
    *s = tex2D(signed char, t, x, y);
    *h2 = tex2D(short2, t, x, y);
    *n = tex2D(int4, t, x, y);
}

// CHECK-LABEL: .visible .entry surfaces(
// CHECK: suld.b.2d.b8.trap %rs{{[0-9]+}}, [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}}];
// CHECK: sust.b.2d.b8.clamp
// CHECK: suld.b.1d.b16.zero
// CHECK: sust.b.1d.b16.trap
// CHECK: suld.b.3d.b32.trap {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, [[Z:%r[0-9]+]], [[Z]]}];
// CHECK: sust.b.3d.b32.zero
// CHECK: suld.b.a1d.b64.clamp
// CHECK: sust.b.a1d.b64.trap
// CHECK: suld.b.a2d.v2.b64.trap {%rd{{[0-9]+}}, %rd{{[0-9]+}}}, [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, [[Y:%r[0-9]+]], [[Y]]}];
// CHECK: sust.b.a2d.v2.b64.trap
kernel
void surfaces(surface_object s, int x, int y, int z)
{
    surf2Dwrite(surf2Dread(unsigned char, s, x, y), s, x + 1, y, SURFACE_CLAMP);
    surf1Dwrite(surf1Dread(short, s, x, SURFACE_ZERO), s, x + 2);
    surf3Dwrite(surf3Dread(float, s, x, y, z), s, x + 4, y, z, SURFACE_ZERO);
    surf1DLayeredwrite(surf1DLayeredread(float2, s, x, z, SURFACE_CLAMP), s, x + 8, z);
    surf2DLayeredwrite(surf2DLayeredread(int4, s, x, y, z), s, x + 16, y, z);
}

/* A boundary mode that is known at run time only needs a branch. */
// CHECK-LABEL: .visible .entry chosen(
// CHECK-DAG: suld.b.1d.b32.zero
// CHECK-DAG: suld.b.1d.b32.clamp
// CHECK-DAG: suld.b.1d.b32.trap
kernel
void chosen(surface_object s, int beyond, int *out)
{
    *out = surf1Dread(int, s, 0, beyond);
}

#ifdef BAD
// BAD: textures.c:[[#@LINE+5]]:15: error: controlling expression type 'double' not compatible with any generic association type
// BAD: note: unsupported texture or surface access: <gpucc/texture.h> lists the functions; a type is float, an integer of up to 32 bits, or a vector of them
kernel
void bad(texture_object t, surface_object s, double *out)
{
    out[0] += tex1D(double, t, 1);
// BAD: textures.c:[[#@LINE+1]]:5: error: static assertion failed due to requirement {{.*}}a texel of a surface has 1, 2, 4, 8 or 16 bytes
    surf1Dwrite(make_float3(1, 2, 3), s, 0);
}
#endif
#endif
