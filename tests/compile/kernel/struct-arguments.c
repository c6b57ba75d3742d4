// Structs that device functions take by value are loaded as wide as their alignment permits.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc/vector.h>

struct point {
    float x, y;
};

static float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static float square(struct point a)
{
    a.x *= a.x;
    return a.x + a.y * a.y;
}

kernel
void lengths(const float4 *a, const float4 *b, const struct point *p, float *out)
{
    size_t i = grid(1);
    out[i] = dot(a[i], b[i]) + square(p[i]) + p[i].x;
}
// CHECK-LABEL: .visible .entry lengths(
// CHECK-NOT: ld.global.{{[a-z]*}}8
// CHECK-DAG: ld.global.v4.f32
// CHECK-DAG: ld.global.v4.f32
// CHECK-DAG: ld.global.f32
// CHECK-NOT: ld.global.{{[a-z]*}}8
// CHECK: st.global.f32
