// Initial values of vectors of 3 elements, and of other numbers that are no power of two, have padding behind them.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -g -O0 --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typedef float f3 __attribute__((ext_vector_type(3)));
typedef float f5 __attribute__((ext_vector_type(5)));
typedef int8 c3 __attribute__((ext_vector_type(3)));
typedef uint16 s3 __attribute__((ext_vector_type(3)));
typedef float16 h3 __attribute__((ext_vector_type(3)));
typedef int64 l3 __attribute__((ext_vector_type(3)));
typedef _Bool b3 __attribute__((ext_vector_type(3)));
typedef _Bool b12 __attribute__((ext_vector_type(12)));
union number { c3 bytes; int word; };

// CHECK-DAG: .align 16 .b8 rows[64] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 64, 0, 0, 160, 64, 0, 0, 192, 64, 0, 0, 0, 0, 20
constant struct { f3 d; int id; } rows[2] = {{{1, 2, 3}, 10}, {{4, 5, 6}, 20}};
// CHECK-DAG: bytes[16] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12
static c3 bytes[2][2] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
// CHECK-DAG: shorts[16] = {1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6
static s3 shorts[2] = {{1, 2, 3}, {4, 5, 6}};
// CHECK-DAG: halves[16] = {0, 60, 0, 64, 0, 66, 0, 0, 0, 68
static h3 halves[2] = {{1, 2, 3}, {4}};
// CHECK-DAG: longs[64] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4
static l3 longs[2] = {{1, 2, 3}, {4}};
// CHECK-DAG: five[64] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 64
static f5 five[2] = {{1, 2, 3, 4, 5}, {6}};
// CHECK-DAG: single[16] = {0, 0, 224, 64, 0, 0, 0, 65, 0, 0, 16, 65
static f3 single = {7, 8, 9};
// CHECK-DAG: .align 16 .b8 zero[16]
f3 zero;
// CHECK-DAG: numbers[8] = {1, 2, 3, 0, 4, 5, 6
static union number numbers[2] = {{{1, 2, 3}}, {{4, 5, 6}}};

// CHECK-DAG: truths[2] = {3, 5}
static b3 truths[2] = {{1, 1, 0}, {1, 0, 1}};
// CHECK-DAG: more[4] = {1, 10, 2
static b12 more[2] = {{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}, {0, 1}};

kernel void sum(int k, int j, double *o)
{
    shared f3 mine[2];
    mine[k] = single;
    syncthreads();
    o[0] = rows[k].id + rows[k].d.x + bytes[k][j].y + shorts[k].z + (float)halves[k].x + longs[k].x + five[k].s4;
    o[1] = mine[j].x + zero.y + numbers[k].bytes.x;
    bytes[k][j].x++, shorts[k].x++, halves[k].x++, longs[k].x++, five[k].s1++, single.x++, zero.x++;
    numbers[k].word++;
    o[2] = truths[k][j] + more[k][j];
    truths[k][j] = more[k][j] = 1;
}
// CHECK: .shared .align 16 .b8 sum_$_mine[32];
