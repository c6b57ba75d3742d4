// Large tables are words of 64 bits, in half the text; small ones are bytes.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %if fake-cuda %{ env GPUCC_LIBCUDA=%fake GPUCC_FAKE_PTX=1 GPUCC_LOW_OCCUPANCY_WARNINGS=0 %gpucc run %s entry arange:8:int32 --device=cuda | FileCheck %s --check-prefix=VALUES %}
// RUN: %gpucc run %s entry arange:8:int32 --device=cpu | FileCheck %s --check-prefix=VALUES
// VALUES: first {{ *}}4.5 2 6 9
// CHECK-DAG: .global .align 8 .u64 large[512] = {0x3FF8000000000000, 0xC000000000000000, 7, 0, 0
// CHECK-DAG: .global .align 8 .u64 mixed[513] = {0x400000003FC00000, 0x807060504030201, 0, 0x400000003};
// CHECK-DAG: .global .align 8 .b8 small[32] = {0, 0, 0, 0, 0, 0, 240, 63, 0
// CHECK-DAG: .global .align 4 .b8 floats[4096] = {0, 0, 128, 63, 0
#include <gpucc.h>

static const double large[512] = {1.5, -2, 0x1.cp-1072, [511] = 1};
static const struct {
    float pair[2];
    unsigned char bytes[8];
    double rest;
    int count, more;
    double others[509];
} mixed = {{1.5f, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, 0, 3, 4, {0}};
static const double small[4] = {1, 2, 3, 5};
static const float floats[1024] = {1, [1023] = 2};

vectorize() double entry(int i)
{
    return large[i & 511] + mixed.others[i & 511] + mixed.bytes[i & 7] + small[i & 3] + (double)floats[i & 1023];
}
