// A float16 read as a bfloat16, or the other way: LLVM 19's back end for PTX has no instruction for that.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_90 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_80 -O1 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_80 -O0 -o - | FileCheck %s
#include <gpucc.h>

union half {
    float16 h;
    bfloat16 b;
};

// CHECK-LABEL: .entry as_float16(
// CHECK: mov.b16
kernel void as_float16(float16 *o, const bfloat16 *i)
{
    union half x = {.b = *i + (bfloat16)1};
    *o = x.h + (float16)1;
}

// CHECK-LABEL: .entry as_bfloat16(
// CHECK: mov.b16
kernel void as_bfloat16(bfloat16 *o, const float16 *i)
{
    union half x = {.h = *i + (float16)1};
    *o = x.b + (bfloat16)1;
}

struct b_first {
    bfloat16 b;
    float16 h;
};

struct h_first {
    float16 h;
    bfloat16 b;
};

__attribute__((noinline)) static struct h_first copied(struct b_first x)
{
    struct h_first y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}

// LLVM's back end makes these casts itself, of the shifts and masks of structs in one register.
// CHECK-LABEL: .entry change_members(
kernel void change_members(struct h_first *o, const struct b_first *i)
{
    o[0] = copied(i[0]);
    o[1] = copied((struct b_first){i[1].b + i[2].b, i[1].h});
}

typedef bfloat16 pair __attribute__((ext_vector_type(2)));

union pairs {
    pair b;
    uint16 bits[2];
};

// So it does of a lane that is stored and loaded.
// CHECK-LABEL: .entry square_lane(
kernel void square_lane(float16 *o, const void *i)
{
    union pairs x = {.b = *(const pair *)i + (bfloat16)1};
    float16 lane;
    __builtin_memcpy(&lane, &x.bits[0], sizeof lane);
    *o = lane * lane;
}

struct three {
    bfloat16 a, b;
    float16 c;
};

// And of stores to neighbours, which become one.
// CHECK-LABEL: .entry store_neighbours(
kernel void store_neighbours(struct three *o, const uint8 *i)
{
    shared struct three own[2] __attribute__((aligned(16)));
    for (int k = 0; k < 2; k++) {
        own[k].a = (bfloat16)i[3 * k];
        own[k].b = (bfloat16)i[3 * k + 1];
        own[k].c = (float16)i[3 * k + 2];
    }
    syncthreads();
    *o = own[threadIdx.x & 1];
}

typedef uint8 bytes __attribute__((ext_vector_type(2)));

struct lanes {
    bytes a[2] __attribute__((aligned(16)));
    bytes b;
    bfloat16 c;
    int8 d;
    uint16 e;
};

// And of a bfloat16 in a struct that becomes a vector of bytes: it is a float16 there.
// CHECK-LABEL: .entry store_lanes(
kernel void store_lanes(uint8 *o, const uint8 *i)
{
    uint8 own[64] __attribute__((aligned(16)));
    struct lanes x;
    x.a[0] = (bytes){i[0], i[1]};
    x.a[1] = (bytes){i[2], i[3]};
    x.b = (bytes){i[4], i[5]};
    x.c = (bfloat16)(i[6] & 7);
    x.d = (int8)i[7];
    x.e = i[8] * 291;
    struct lanes y = x;
    __builtin_memcpy(own + 8, &y, sizeof y);
    for (int k = 0; k < 64; k++)
        o[k] = own[k];
}

typedef float16 half4 __attribute__((ext_vector_type(4)));
typedef bfloat16 bfloat4 __attribute__((ext_vector_type(4)));
struct vectors { half4 a; bfloat4 b; };

// And of vectors that are stored to neighbours.
// CHECK-LABEL: .entry store_vectors(
kernel void store_vectors(struct vectors *o, const uint8 *i)
{
    shared struct vectors own[2];
    struct vectors *s = &own[threadIdx.x];
    for (int k = 0; k < 4; k++) {
        s->a[k] = (float16)(i[k] & 7);
        s->b[k] = (bfloat16)(i[k + 4] & 7);
    }
    o[threadIdx.x] = *s;
}
