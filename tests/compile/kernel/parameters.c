// Every kind of kernel parameter, as a host passes it.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
#include <gpucc.h>

struct particle {
    float x, y, z;
    int32 kind;
    double mass;
};

kernel
void scalars(size_t n, int8 a, uint16 b, boolean c, int32 d, float e, float64 f, int32 *out)
{
    *out = (int32)((float64)n + a + b + c + d + (float64)e + f);
}
// CHECK: .visible .entry scalars(
// CHECK-NEXT: .param .u64 scalars_param_0,
// CHECK-NEXT: .param .u8 scalars_param_1,
// CHECK-NEXT: .param .u16 scalars_param_2,
// CHECK-NEXT: .param .u8 scalars_param_3,
// CHECK-NEXT: .param .u32 scalars_param_4,
// CHECK-NEXT: .param .f32 scalars_param_5,
// CHECK-NEXT: .param .f64 scalars_param_6,
// CHECK-NEXT: .param .u64 scalars_param_7
// CHECK-NEXT: )
// JSON: {"name":"n","type":"size_t","role":"scalar","size":8,"align":8,"dtype":"uint64"}
// JSON: {"name":"c","type":"_Bool","role":"scalar","size":1,"align":1,"dtype":"boolean"}

kernel
void structs(struct particle p, const struct particle *all, float *out)
{
    *out = p.x + all[1].y + (float)p.mass;
}
// CHECK: .visible .entry structs(
// CHECK-NEXT: .param .align 8 .b8 structs_param_0[24],
// CHECK-NEXT: .param .u64 structs_param_1,
// CHECK-NEXT: .param .u64 structs_param_2
// CHECK-NEXT: )
// JSON: {"name":"p","type":"struct particle","role":"struct","size":24,"align":8,"fields":[
// JSON-SAME: {"name":"x","type":"float","offset":0,"size":4,"dtype":"float32"},{"name":"y","type":"float","offset":4,"size":4,"dtype":"float32"}
// JSON-SAME: ,"offset":16,"size":8,"dtype":"float64"}
// JSON: {"name":"all","type":"const struct particle *","role":"pointer","size":8,"align":8,"element_size":24,"const":true,"fields":[{"name":"x"

kernel
void arrays(size_t m, size_t n, float fixed[4][8], const float64 matrix[m][n], int32 cube[n][n + 1][3], void *raw)
{
    fixed[3][7] = (float)matrix[m - 1][n - 1] + (float)cube[1][2][0] + (float)*(char *)raw;
}
// CHECK: .visible .entry arrays(
// CHECK-NEXT: .param .u64 arrays_param_0,
// CHECK-NEXT: .param .u64 arrays_param_1,
// CHECK-NEXT: .param .u64 arrays_param_2,
// CHECK-NEXT: .param .u64 arrays_param_3,
// CHECK-NEXT: .param .u64 arrays_param_4,
// CHECK-NEXT: .param .u64 arrays_param_5
// CHECK-NEXT: )
// fixed[3][7] is 124 bytes in
// CHECK: st.global.f32 [{{%rd[0-9]+}}+124]
// JSON: "name":"fixed","type":"float *","role":"pointer","size":8,"align":8,"dtype":"float32","element_size":4,"const":false,"shape":[4,8]
// JSON: "name":"matrix","type":"const double *",{{.*}}"dtype":"float64","element_size":8,"const":true,"shape":["m","n"]
// JSON: "name":"cube",{{.*}}"shape":["n",null,3]
// JSON: "name":"raw","type":"void *",{{.*}}"element_size":0
