// Cells in place by atomic operations: for the functions where it is seen that the order of operands does not show.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/all.ptx -o %t/all.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/all.json
// RUN: grep -o '"[a-z0-9_]*_at"' %t/all.json | sort | FileCheck --check-prefix=MANIFEST %s
// RUN: grep -oE '[a-z0-9]+_[a-z0-9]+_[a-z0-9]+_at\(|atom.global[.a-z0-9]*' %t/all.ptx | tr -d '(' | paste -d ' ' - - | sort | FileCheck %s
// CHECK: add_i32i32_i32_at atom.global.add.u32
// CHECK-NEXT: add_u64u64_u64_at atom.global.add.u64
// CHECK-NEXT: all_b1b1_b1_at atom.global.cas.b32
// CHECK-NEXT: any_b1b1_b1_at atom.global.cas.b32
// CHECK-NEXT: both_i32i32_i32_at atom.global.and.b32
// CHECK-NEXT: either_i32i32_i32_at atom.global.or.b32
// CHECK-NEXT: flip_i32i32_i32_at atom.global.xor.b32
// CHECK-NEXT: least_i32i32_i32_at atom.global.min.s32
// CHECK-NEXT: least_u64u64_u64_at atom.global.min.u64
// CHECK-NEXT: lowest_i32i32_i32_at atom.global.min.u32
// CHECK-NEXT: most_i32i32_i32_at atom.global.max.s32
// CHECK-NEXT: most_u64u64_u64_at atom.global.max.u64
// CHECK-NEXT: small_i8i8_i8_at atom.global.cas.b32
// CHECK-NEXT: small_u16u16_u16_at atom.global.cas.b32
// CHECK-NEXT: subtract_i32i32_i32_at atom.global.add.u32
// CHECK-NEXT: sum_i32i32_i32_at atom.global.add.u32
// CHECK-NOT: {{.}}
// MANIFEST: "add_i32i32_i32_at"
// MANIFEST-NEXT: "add_u64u64_u64_at"
// MANIFEST-NEXT: "all_b1b1_b1_at"
// MANIFEST-NEXT: "any_b1b1_b1_at"
// MANIFEST-NEXT: "both_i32i32_i32_at"
// MANIFEST-NEXT: "either_i32i32_i32_at"
// MANIFEST-NEXT: "flip_i32i32_i32_at"
// MANIFEST-NEXT: "least_i32i32_i32_at"
// MANIFEST-NEXT: "least_u64u64_u64_at"
// MANIFEST-NEXT: "lowest_i32i32_i32_at"
// MANIFEST-NEXT: "most_i32i32_i32_at"
// MANIFEST-NEXT: "most_u64u64_u64_at"
// MANIFEST-NEXT: "small_i8i8_i8_at"
// MANIFEST-NEXT: "small_u16u16_u16_at"
// MANIFEST-NEXT: "subtract_i32i32_i32_at"
// MANIFEST-NEXT: "sum_i32i32_i32_at"
// MANIFEST-NOT: {{.}}
#include <gpucc.h>

typevar(I, int32, uint64);
typevar(N, int8, uint16);

vectorize()
I add(I x, I y) { return x + y; }

vectorize(int32(int32, int32))
int32 subtract(int32 x, int32 y) { return x - y; }

/* By way of other functions, pointers and types. */
static int64 wide_sum(int64 x, int64 y) { return x + y; }
static void put(int32 *to, int32 x) { *to = x; }

vectorize(int32(int32, int32))
int32 sum(int32 x, int32 y)
{
    int32 result;
    put(&result, (int32)wide_sum(y, x));
    return result;
}

vectorize()
I least(I x, I y) { return y < x ? y : x; }

vectorize()
I most(I x, I y)
{
    if (x >= y)
        return x;
    return y;
}

/* By the bits, not by the type. */
vectorize(int32(int32, int32))
int32 lowest(int32 x, int32 y) { return (uint32)x < (uint32)y ? x : y; }

vectorize(int32(int32, int32))
int32 either(int32 x, int32 y) { return x | y; }

vectorize(int32(int32, int32))
int32 both(int32 x, int32 y) { return x & y; }

vectorize(int32(int32, int32))
int32 flip(int32 x, int32 y) { return x ^ y; }

/* Narrow ones, as parts of words. */
vectorize()
N small(N x, N y) { return (N)(x + y); }

vectorize(boolean(boolean, boolean))
boolean any(boolean x, boolean y) { return x || y; }

vectorize(boolean(boolean, boolean))
boolean all(boolean x, boolean y) { return x && y; }

/* Rounding shows the order. */
vectorize(float32(float32, float32))
float32 rounded(float32 x, float32 y) { return x + y; }

/* Other functions, of which some look like the above. */
vectorize(int32(int32, int32))
int32 more(int32 x, int32 y) { return x + y + 1; }

vectorize(int32(int32, int32))
int32 reversed(int32 x, int32 y) { return y - x; }

vectorize(int32(int32, int32))
int32 twice(int32 x, int32 y) { return y + y + 0 * x; }

vectorize(int32(int32, int32))
int32 last(int32 x, int32 y) { (void)x; return y; }

vectorize(uint32(uint32, uint32))
uint32 saturated(uint32 x, uint32 y)
{
    uint32 both = x + y;
    return both < x ? 0xffffffffu : both;
}

vectorize(int32(int32, int32))
int32 clipped(int32 x, int32 y)
{
    int64 both = (int64)x + y;
    return both > 0x7fffffff ? 0x7fffffff : (int32)both;
}

vectorize(int32(int32, int32))
int32 product(int32 x, int32 y) { return x * y; }

/* Which is the larger one by 8 of their bits does not say what the others are. */
vectorize(int32(int32, int32))
int32 by_low_bits(int32 x, int32 y) { return (int8)x < (int8)y ? x : y; }

vectorize(int32(int32, int32))
int32 narrowed(int32 x, int32 y) { return (int8)(x + y); }

vectorize(boolean(boolean, boolean))
boolean implied(boolean x, boolean y) { return !x || y; }

/* Side effects happen once for each operand. */
static int32 last_seen;
vectorize(int32(int32, int32))
int32 noted(int32 x, int32 y)
{
    last_seen = y;
    return x + y;
}

kernel void tell(int32 *seen) { *seen = last_seen; }
