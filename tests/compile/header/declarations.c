// RUN: %gpucc %s --emit=h -o - | FileCheck %s
#include <gpucc.h>

// CHECK: #define GPUCC_ABI_declarations UINT64_C(0x{{[0-9a-f]+}})
// CHECK: extern const struct gpucc_program_image gpucc_program_declarations;

/* Adds two. */
vectorize(float32(float32, float32))
float add(float x, float y) { return x + y; }
// CHECK: /* Adds two. */
// CHECK-NEXT: static inline gpucc_status add(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, gpucc_array **out)

typevar(T, float32, float64);

vectorize()
T many(T x) { return x; }
// CHECK: static inline gpucc_status many(gpucc_context *gpucc_ctx, const gpucc_array *x, gpucc_array **out)
// CHECK-NOT: gpucc_status many(

struct point {
    float x, y;
};

kernel
void move(size_t n, struct point by, struct point *points, const uint8 *mask)
{
    points[n].x += mask[n] ? by.x : 0;
}
// CHECK: static inline gpucc_status move(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, uint64_t n, const struct point *by, struct point *points, const uint8_t *mask)
// CHECK: (void *)by, (void *)&points
