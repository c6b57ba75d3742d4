// The manifest has the members of structs: offsets, types, arrays, structs in structs; what has no dtype has its bytes.
// RUN: %gpucc %s -o %t.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t.json
// RUN: %python -m json.tool --compact %t.json | FileCheck %s
#include <gpucc.h>

struct point {
    float32 x, y;
};
struct __attribute__((packed)) tight {
    int8 tag;
    float64 value;
};
struct cell {
    struct point corners[2][3];
    struct tight tight;
    float64 *next;
    uint32 low : 3, high : 13;
    union {
        int32 whole;
        float32 real;
    };
    union {
        int64 bits;
    } named;
    complex64 z;
    boolean set;
};

kernel void work(struct point by, struct cell *cells, union { int32 whole; float32 real; } either, float32 *x)
{
    cells[0].corners[0][0].x = by.x + either.real + x[0];
}
// CHECK: {"name":"by",{{[^[]*}}"fields":[{"name":"x","type":"float","offset":0,"size":4,"dtype":"float32"},{"name":"y","type":"float","offset":4,"size":4,"dtype":"float32"}]},
// CHECK-SAME: {"name":"cells",{{[^[]*}}"fields":[
// CHECK-SAME: {"name":"corners","type":"struct point","offset":0,"size":48,"shape":[2,3],"fields":[{"name":"x",{{[^]]*}}]},
// CHECK-SAME: {"name":"tight","type":"struct tight","offset":48,"size":9,"fields":[{"name":"tag","type":"signed char","offset":0,"size":1,"dtype":"int8"},{"name":"value","type":"double","offset":1,"size":8,"dtype":"float64"}]},
// CHECK-SAME: {"name":"next","type":"void *","offset":64,"size":8},
// CHECK-SAME: {"name":"low","type":"unsigned int","offset":72,"size":4},{"name":"high","type":"unsigned int","offset":72,"size":4},
// CHECK-SAME: {"name":"","type":"union","offset":76,"size":4},
// CHECK-SAME: {"name":"named","type":"union","offset":80,"size":8},
// CHECK-SAME: {"name":"z","type":"float _Complex","offset":88,"size":8,"dtype":"complex64"},
// CHECK-SAME: {"name":"set","type":"_Bool","offset":96,"size":1,"dtype":"boolean"}]},
// CHECK-SAME: {"name":"either",{{[^[]*}},{"name":"x","type":"float *"
