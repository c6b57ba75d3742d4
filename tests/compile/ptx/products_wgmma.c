// RUN: %gpucc --arch=sm_80,sm_90a %s -o %t.ptx -o %t.json
// RUN: FileCheck %s < %t.sm_90a.ptx
// RUN: FileCheck %s --check-prefix=NONE < %t.sm_90a.ptx
// RUN: FileCheck %s --check-prefix=OLD < %t.sm_80.ptx
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// RUN: %if ptxas %{ ptxas -arch=sm_90a -v %t.sm_90a.ptx -o %t.cubin > %t.txt 2>&1 && FileCheck %s --check-prefix=PTXAS < %t.txt %}
// A product of matrices as they are is made by warpgroups in code for sm_90a, one warpgroup of each block loads, and
// tensor maps stay where the launch has put them, also in the second of two passes.
#include <gpucc.h>

typevar(T, float16, bfloat16);

vectorize() T add(T x, T y) { return x + y; }
vectorize() T twice(T x) { return x + x; }
vectorize() int32 whole(int32 x) { return x; }
vectorize() float32 single(float32 x) { return x; }

// CHECK-LABEL: .entry layer_f16f16f16_f16_warpgroups(
// CHECK: .maxntid 384
// CHECK: .reqnctapercluster 2, 1, 1
// CHECK-NOT: .local
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK-NOT: .local
// CHECK: cp.async.bulk.tensor.3d{{.*}}multicast
// CHECK-NOT: .local
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// CHECK-LABEL: .entry bytes_i8i8_i32_warpgroups(
// CHECK-NOT: .local
// CHECK: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8
// CHECK-LABEL: .entry rough_f32f32_f32_warpgroups(
// CHECK-NOT: .local
// CHECK: wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32
// CHECK-LABEL: .entry eights_e4m3e5m2_bf16_warpgroups(
// CHECK-NOT: .local
// CHECK: wgmma.mma_async.sync.aligned.m64n192k32.f32.e4m3.e5m2
// CHECK-LABEL: .entry layer_bf16bf16bf16_bf16_warpgroups(
// CHECK-NOT: .local
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// NONE-NOT: .entry exact_f32f32_f32_warpgroups(
// OLD-NOT: _warpgroups
// MANIFEST: "kind": "outer_warpgroups"
// MANIFEST-NEXT: "signature": "float16(float16, float16, float16)"
// PTXAS-NOT: C75
// PTXAS: layer_f16f16f16_f16_warpgroups
// PTXAS: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NOT: C75
fuse(layer, add(matmul(x, w), bias));
fuse(bytes, whole(matmul(int8(x), int8(w))));
fuse(rough, single(matmul(tf32(x), tf32(w))));
vectorize() bfloat16 narrow(float32 x) { return (bfloat16)x; }
fuse(eights, narrow(matmul(float8_e4m3fn(x), float8_e5m2(w))));
fuse(exact, single(matmul(x, w)));
// NONE-NOT: .entry scaled_{{[a-z0-9_]*}}_warpgroups(
fuse(scaled, add(matmul(twice(x), w), bias));
