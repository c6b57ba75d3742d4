// The back end copies a parameter that is written into a variable, and takes the copies to and from it apart: accesses
// that come of that obey the alignment that the program says.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typedef uint16 eight __attribute__((ext_vector_type(8)));
typedef struct __attribute__((packed)) {
    uint8 tag;
    eight pair[2];
} packed_pair;

// CHECK-LABEL: .entry replaced(
// CHECK-NOT: ld.global.v
// CHECK: ld.global.u8 {{.*}}+1];
// CHECK-NOT: ld.global.v
// CHECK: ret;
kernel
void replaced(packed_pair value, const packed_pair *from, int k, packed_pair *to)
{
    if (k & 1)
        value = from[k];
    if (k & 2)
        value.pair[0] = k;
    to[1] = value;
}

// A parameter that is only read is read where it is.
// CHECK-LABEL: .entry read(
// CHECK-NOT: .local
// CHECK: ld.param.u64
// CHECK-NOT: .local
// CHECK: ret;
struct table {
    uint64 words[16];
};
kernel
void read(struct table table, int k, uint64 *to)
{
    *to = table.words[k & 15];
}
