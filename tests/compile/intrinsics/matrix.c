// Products of small matrices by a warp.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s rounding full:128:float32:1.000244140625 zeros:16x8:float32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=DOWN
// RUN: %gpucc run %s rounding full:128:float32:-1.00048828125 zeros:16x8:float32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=AWAY
// RUN: %gpucc run %s rounding full:128:float32:inf zeros:16x8:float32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=INFINITE
// RUN: %gpucc run %s order zeros:16x8:float32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=ORDER
//
// Every element type by every kind of load, against the sum that defines it: the first number counts what differs.
// RUN: %gpucc run %root/tests/gpu/programs/suite_matrix.c product_f16 arange:4096:uint32 zeros:1537:uint32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=NARROW
// RUN: %gpucc run %root/tests/gpu/programs/suite_matrix.c product_bf16 arange:4096:uint32 zeros:1537:uint32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=NARROW
// RUN: %gpucc run %root/tests/gpu/programs/suite_matrix.c product_tf32 arange:4096:uint32 zeros:1537:uint32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=TF32
// RUN: %gpucc run %root/tests/gpu/programs/suite_matrix.c product_i8 arange:4096:uint32 zeros:1537:uint32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=INT8
// RUN: %gpucc run %root/tests/gpu/programs/suite_matrix.c product_f64 arange:4096:uint32 zeros:1537:uint32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=DOUBLE
// NARROW: first   0 362 4294967212 4294967031
// TF32: first   0 202 141 47
// INT8: first   0 657 4294966972 4294967017
// DOUBLE: first   0 117 98 71
#include <gpucc.h>
#include <gpucc/matrix.h>

/* 1 + 2^-12 is nearer to 1, 1 + 2^-11 lies between two numbers of 11 bits. */
kernel
void rounding(const float *in, float *out)
{
    mma_a_tf32 a;
    mma_b_tf32 b;
    mma_c_f32 c = {{0}};
    mma_load_a(&a, in, 8);
    for (int i = 0; i < 2; i++)
        b.x[i] = laneid == 0 && i == 0;
    if (laneid >= 4)
        a.x[0] = a.x[1] = 0;
    if (in[0] < __builtin_inff())
        c = mma(a, b, c);
    else
        c.x[0] = a.x[0];
    mma_store(out, 8, c);
}
// PLAIN-LABEL: .visible .entry rounding(
// PLAIN-NOT: mma.sync
// PLAIN: shfl.sync.idx
// PLAIN: fma.rn.f32
// CHECK-LABEL: .visible .entry rounding(
// CHECK: cvt.rna.tf32.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// DOWN: first   1 0
// AWAY: first   -1.0009766 0
// INFINITE: first   inf 0

/* On the CPU the sum goes along k: each 1 after 2^24 is lost by itself. */
kernel
void order(float *out)
{
    mma_a_bf16 a;
    mma_b_bf16 b;
    mma_c_f32 c = {{0}};
    for (unsigned i = 0; i < 8; i++)
        a.x[i] = 0;
    for (unsigned i = 0; i < 4; i++)
        b.x[i] = 1;
    if (laneid == 0) {
        a.x[0] = a.x[4] = a.x[5] = 1;
        a.x[1] = (bfloat16)0x1p24f;
    }
    c = mma(a, b, c);
    mma_store(out, 8, c);
}
// ORDER: first   16777216 16777216

typedef float16 half;

kernel launch_bounds(32)
void instructions(const half *in, float *out, float16 *narrow)
{
    shared _Alignas(16) half a[16 * 24], b[16 * 24];
    shared _Alignas(16) int8 bytes[32 * 48];
    shared double numbers[32];
    mma_a_f16 left;
    mma_b_f16 right[2];
    mma_c_f32 sum = {{0}};
    mma_a_i8 left8;
    mma_b_i8 right8;
    mma_c_i32 sum8 = {{0}};
    mma_a_f64 left64;
    mma_b_f64 right64;
    mma_c_f64 sum64 = {{0}};
    for (unsigned i = laneid; i < 16 * 24; i += 32)
        a[i] = b[i] = in[i];
    for (unsigned i = laneid; i < 32 * 48; i += 32)
        bytes[i] = (int8)i;
    numbers[laneid] = laneid;
    syncwarp();
    mma_load_a_shared(&left, a, 24);
    mma_load_b_pair_shared(right, b, 24);
    sum = mma(left, right[0], sum);
    mma_load_a_trans_shared(&left, b, 24);
    mma_load_b_trans_shared(&right[0], a, 24);
    sum = mma(left, right[0], sum);
    mma_load_a_shared(&left8, bytes, 48);
    mma_load_b_trans_shared(&right8, bytes, 48);
    sum8 = mma(left8, right8, sum8);
    mma_load_a_shared(&left64, numbers, 4);
    mma_load_b_trans_shared(&right64, numbers, 4);
    sum64 = mma(left64, right64, sum64);
    sum.x[0] += (float)sum8.x[0] + (float)sum64.x[0];
    mma_store(out, 8, sum);
    mma_store(narrow, 8, sum);
}
// CHECK-LABEL: .visible .entry instructions(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x2.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK: st.global.v2.f32
// CHECK: st.global.{{[bu]}}32
