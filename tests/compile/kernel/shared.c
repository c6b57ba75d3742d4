// Shared variables are in shared memory, are reached by shared accesses, and their size stands in the manifest.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
#include <gpucc.h>

kernel
void reverse(float *a)
{
    shared float buffer[256];
    buffer[threadIdx.x] = a[threadIdx.x];
    syncthreads();
    a[threadIdx.x] = buffer[255 - threadIdx.x];
}
// CHECK: .visible .entry reverse(
// CHECK: .shared .align 16 .b8 {{.*}}buffer[1024];
// CHECK: ld.global.f32
// CHECK: st.shared.f32
// CHECK: bar.sync 0;
// CHECK: ld.shared.f32
// CHECK: st.global.f32
// JSON: "entry":"reverse"{{.*}}"shared":1024,"dynamic_shared":false,"barriers":true

static float in_function(float x)
{
    shared double other[10];
    other[threadIdx.x] = (double)x;
    syncthreads();
    return (float)other[0];
}

kernel
void called(float *a)
{
    shared uint8 flags[3];
    flags[threadIdx.x] = a[threadIdx.x] > 0;
    a[0] = in_function(a[threadIdx.x]) + flags[1];
}
// CHECK: .visible .entry called(
// CHECK: st.shared.{{[usfb]}}8
// CHECK: st.shared.f64
// CHECK: bar.sync
// JSON: "entry":"called"{{.*}}"shared":{{83|96}},"dynamic_shared":false,"barriers":true

kernel
void dynamic(float *a)
{
    dynamic_shared(float, buffer);
    buffer[threadIdx.x] = a[threadIdx.x];
    syncthreads();
    a[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
// CHECK: .visible .entry dynamic(
// CHECK: st.shared.f32
// CHECK: bar.sync
// CHECK: ld.shared.f32
// JSON: "entry":"dynamic"{{.*}}"shared":0,"dynamic_shared":true,"barriers":true

kernel
void alone(float *a)
{
    *a = 1;
}
// JSON: "entry":"alone"{{.*}}"shared":0,"dynamic_shared":false,"barriers":false
