// Variables at file scope that are neither static nor const can be reached by hosts: they are visible in the PTX, keep
// their values there, and stand in the manifest and in the header.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
// RUN: %gpucc %s --emit=h -o - | FileCheck %s --check-prefix=HEADER
#include <gpucc.h>

struct point {
    float x, y;
    double z;
};

/* Weights of the three taps. */
constant float weights[3] = {1, 2, 3};
// CHECK-DAG: .visible .const .align 4 .b8 weights[12] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};
// JSON: "globals":[{"name":"weights","doc":"Weights of the three taps.","type":"float","dtype":"float32","shape":[3],"element_size":4,"size":12,"space":"constant"}
// HEADER: /* Weights of the three taps. */
// HEADER-NEXT: /* float[3], as an array to read and write; the caller releases it. */
// HEADER-NEXT: static inline gpucc_status weights(gpucc_context *gpucc_ctx, gpucc_array **gpucc_out)

int counter;
int counter;
extern int counter;
// CHECK-DAG: .visible .global .align 4 .u32 counter;
// JSON-SAME: {"name":"counter","doc":"","type":"int","dtype":"int32","shape":[],"element_size":4,"size":4,"space":"global"}

struct point points[2][3];
// CHECK-DAG: .visible .global .align 8 .b8 points[96];
// JSON-SAME: {"name":"points","doc":"","type":"struct point","shape":[2,3],"element_size":16,"size":96,"space":"global"}

float *where;
// CHECK-DAG: .visible .global .align 8 .u64 where;
// JSON-SAME: {"name":"where","doc":"","type":"float *","dtype":"uint64","shape":[],"element_size":8,"size":8,"space":"global"}

const float fixed[2] = {4, 5};
static int own[2] = {6, 7};
// CHECK-NOT: .visible {{.*}}fixed
// CHECK-NOT: .visible {{.*}}own
// JSON-SAME: ]
// HEADER-NOT: fixed
// HEADER-NOT: own(

kernel
void use(float *a, unsigned i)
{
    a[i] = weights[i] * fixed[i & 1] + (float)own[i & 1] + where[i];
    own[i & 1]++;
    counter++;
    points[1][i].x = a[i];
}
