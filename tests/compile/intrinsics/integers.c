// Bits of integers, and small operations on numbers.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s bits zeros:13:int64 300 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=BITS
// RUN: %gpucc run %s words zeros:10:uint32 2271560481 19088743 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=WORDS
// RUN: %gpucc run %s products zeros:12:int64 -7 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=PRODUCTS
// RUN: %gpucc run %s numbers zeros:6:float64 3 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=NUMBERS
// RUN: %cc -std=c17 -Wall -Wextra -Werror -I%include -c %s -o /dev/null
#include <gpucc.h>

kernel
void bits(int64 *out, int32 x)
{
    const int64 results[] = {popc(x), popc(-x), popc((int64)-x), clz(x), clz((int64)x), clz(x - 300), clz((uint64)x - 300),
                             ffs(x), ffs((int64)x << 40), ffs(x - 300), (int64)brev(x), (int64)brev((uint64)x << 30),
                             clz((int8)-1)};
    for (int i = 0; i < 13; i++)
        out[i] = results[i];
}
// CHECK: .visible .entry bits(
// CHECK-DAG: popc.b32
// CHECK-DAG: popc.b64
// CHECK-DAG: clz.b32
// CHECK-DAG: clz.b64
// CHECK-DAG: brev.b32
// CHECK-DAG: brev.b64
// BITS: {{^}}4 27 59 23 55 32 64 3 43 0 880803840 3523215360 0{{$}}

/* x = 0x87654321, y = 0x01234567 */
kernel
void words(uint32 *out, uint32 x, uint32 y)
{
    out[0] = byte_perm(x, y, 0x3654);
    out[1] = byte_perm(x, y, 0x8888 | 0x7012);
    out[2] = funnelshift_l(x, y, 8);
    out[3] = funnelshift_r(x, y, 8);
    out[4] = funnelshift_l(x, y, 36);
    out[5] = funnelshift_lc(x, y, 36);
    out[6] = funnelshift_rc(x, y, 32);
    out[7] = sad(x, y, 1u);
    out[8] = sad((int32)x, (int32)y, 1);
    out[9] = dp4a(x, y, 5u);
}
// CHECK: .visible .entry words(
// CHECK: prmt.b32
// CHECK: shf.l.wrap.b32
// CHECK: shf.r.wrap.b32
// CHECK: shf.l.clamp.b32
// CHECK: shf.r.clamp.b32
// CHECK: sad.u32
// CHECK: sad.s32
// CHECK: dp4a.u32.u32
// WORDS: {{^}}2267235687 18957157 591751047 1736926531 305419896 2271560481 19088743 2252471739 2042495559 11697{{$}}

kernel
void products(int64 *out, int32 x)
{
    out[0] = mulhi(x, 1000000007);
    out[1] = mulhi((uint32)x, 1000000007u);
    out[2] = mulhi((int64)x, (int64)1000000007000000011);
    out[3] = (int64)mulhi((uint64)x, (uint64)1000000007000000011);
    out[4] = mul24(x, 3);
    out[5] = mul24((uint32)x, 3u);
    out[6] = mul24(x * 1000003, x * 900001);
    out[7] = dp4a(x, x + 0x01020304, 100);
    out[8] = mulhi(x, x);
    out[9] = sad(x, 5, 2);
}
// CHECK: .visible .entry products(
// CHECK-DAG: mul.hi.s32
// CHECK-DAG: mul.hi.u32
// CHECK-DAG: mul.hi.s64
// CHECK-DAG: mul.hi.u64
// CHECK-DAG: mul24.lo.s32
// CHECK-DAG: mul24.lo.u32
// CHECK-DAG: dp4a.s32.s32
// PRODUCTS: {{^}}-2 1000000005 -1 1000000007000000010 -21 50331627 -542895181 116 0 14 0 0{{$}}

kernel
void numbers(float64 *out, float x)
{
    out[0] = (double)rcp(x);
    out[1] = rcp((double)x);
    out[2] = (double)(saturate(x) + saturate(x - 2.5f) + saturate(-x));
    out[3] = saturate((double)x / 4);
    out[4] = (double)saturate(__builtin_nanf(""));
    out[5] = (double)rcp(0.0f);
}
// CHECK: .visible .entry numbers(
// CHECK: rcp.rn.f32
// CHECK: rcp.rn.f64
// NUMBERS: first   0.3333333432674408 0.3333333333333333 1.5 0.75 0 inf{{$}}
