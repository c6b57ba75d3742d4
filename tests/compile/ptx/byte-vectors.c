// Vectors of bytes are loaded and stored by pieces that their alignment permits.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typedef uint8 v16 __attribute__((ext_vector_type(16)));
typedef uint8 v32 __attribute__((ext_vector_type(32)));
typedef v16 v16_4 __attribute__((aligned(4)));
struct __attribute__((packed)) packed { char c; v16 v; };

// CHECK-LABEL: .entry bytes(
// CHECK-COUNT-16: ld.global.u8
// CHECK-NOT: ld.global.v4
kernel void bytes(const char *a, size_t offset, v16 *o)
{
    v16 v;
    __builtin_memcpy(&v, a + offset, sizeof v);
    *o = v + 1;
}

// CHECK-LABEL: .entry words(
// CHECK-COUNT-4: ld.global.u32
// CHECK-NOT: ld.global.v4
kernel void words(const v16_4 *a, v16 *o) { *o = *a + 1; }

// CHECK-LABEL: .entry whole(
// CHECK: ld.global.v4.u32
kernel void whole(const v16 *a, v16 *o) { *o = *a + 1; }

// CHECK-LABEL: .entry more(
// CHECK-COUNT-32: ld.global.u8
// CHECK-NOT: ld.global.v4
kernel void more(const char *a, v32 *o)
{
    v32 v;
    __builtin_memcpy(&v, a, sizeof v);
    *o = v + 1;
}

// CHECK-LABEL: .entry in_struct(
// CHECK-NOT: ld.param.v
// CHECK-NOT: st.global.v
// CHECK: ret;
kernel void in_struct(struct packed a, struct packed *o)
{
    o->v = a.v + 1;
}
