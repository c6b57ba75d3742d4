// The host's interface is the same in every image; a difference is an error with both places that names the code.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx -o %t.json -o %t.h
// RUN: FileCheck --check-prefix=PTX %s < %t.ptx
// RUN: %python -m json.tool --compact %t.json | FileCheck --check-prefix=JSON %s
// RUN: FileCheck --check-prefix=HEADER %s < %t.h
// RUN: %exits 1 %gpucc %s --arch=sm_75,sm_90 -o %t-two.ptx -o %t-two.o -o %t-two.h -o %t-two.json 2>&1 | FileCheck %s
// RUN: not test -e %t-two.json
#include <gpucc.h>

enum { TILE = __CUDA_ARCH__ >= 900 ? 32 : 16 };

struct options {
    float scale;
#if __CUDA_ARCH__ >= 900
    float offset;
#endif
};

// PTX: .const .align 4 .b8 weights[128]
// PTX: .entry scale(
// PTX-NEXT: .param .u64 scale_param_0,
// PTX-NEXT: .param .u32 scale_param_1
// JSON: "entry":"scale","parameters":[{"name":"a","type":"float *","role":"pointer","size":8,{{.*}}{"name":"n","type":"int","role":"scalar","size":4
// HEADER: gpucc_status scale(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, float *a, int32_t n)
// CHECK: [[#@LINE+4]]:13: error: 'scale' is 'void (float *, int)' in code for sm_90, unlike in the host interface
// CHECK: [[#@LINE+5]]:13: note: here it is 'void (struct options, float *, int)'; hosts see the pass with __CUDA_ARCH__ = 750 and without __NVPTX__
#if __CUDA_ARCH__ >= 700
#if __CUDA_ARCH__ >= 900
kernel void scale(float *a, int n) { a[n] *= 2; }
#else
kernel void scale(struct options o, float *a, int n) { a[n] *= o.scale; }
#endif
#endif

// CHECK: [[#@LINE+1]]:13: error: 'by_value' has parameters of different sizes, structs or extents in code for sm_90
kernel void by_value(struct options o, float *a) { *a = o.scale; }
// CHECK: [[#@LINE+1]]:13: error: 'by_pointer' has parameters of different sizes, structs or extents in code for sm_90
kernel void by_pointer(const struct options *o, float *a) { *a = o->scale; }
// CHECK: [[#@LINE+1]]:13: error: 'outermost' is 'void (float[32][4])' in code for sm_90
kernel void outermost(float a[TILE][4]) { a[1][0] = 0; }
// PTX: .entry extent(
// JSON: "entry":"extent",{{.*}}"shape":["n",null]
// CHECK: [[#@LINE+1]]:13: error: 'extent' has parameters of different sizes, structs or extents in code for sm_90
kernel void extent(size_t n, float a[n][n * TILE]) { a[1][0] = 0; }
// CHECK: [[#@LINE+1]]:13: error: 'measured' has parameters of different sizes, structs or extents in code for sm_90
kernel void measured(size_t n, float a[n][n * sizeof(struct options)]) { a[1][0] = 0; }

// CHECK: [[#@LINE+4]]:7: error: 'twice' is annotated 'vectorize float32(float32)' in code for sm_90
// CHECK: [[#@LINE+6]]:7: note: here it is annotated 'vectorize float32(float32) fast_math'
#if __CUDA_ARCH__ >= 900
vectorize(float32(float32))
float twice(float x) { return 2 * x; }
#else
vectorize(float32(float32)) fast_math
float twice(float x) { return 2 * x; }
#endif

#if __CUDA_ARCH__ >= 900
// PTX: .entry newer(
// CHECK: [[#@LINE+1]]:13: error: 'newer' is in code for sm_90, but not in the host interface
kernel void newer(float *a) { *a = 1; }
#else
kernel void older(float *a) { *a = 1; }
#endif

// JSON: {"name":"weights",{{.*}}"shape":[32],"element_size":4,"size":128,"space":"constant"}
// CHECK: [[#@LINE+1]]:16: error: 'weights' is 'float[32]' in code for sm_90
constant float weights[TILE];
// CHECK: [[#@LINE+1]]:16: error: 'defaults' has a different size or struct in code for sm_90
struct options defaults;
kernel void uses(float *a) { *a = weights[0] + defaults.scale; }

// Nobody sees these.
static constant float inner[TILE] = {1};
const int table[TILE] = {1};
kernel void also(float *a) { *a = inner[threadIdx.x] + (float)table[threadIdx.x]; }

// CHECK: [[#@LINE-15]]:13: error: 'older' is in the host interface, but not in code for sm_90
// CHECK: 11 errors generated
