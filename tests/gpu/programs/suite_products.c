/* Products of matrices with what is fused to them. */
#include <gpucc.h>

typevar(T, float32, float64);

vectorize() T mul(T x, T y) { return x * y; }
vectorize() T add(T x, T y) { return x + y; }
vectorize() float16 half(float16 x) { return x; }
vectorize() bfloat16 brain(bfloat16 x) { return x; }
vectorize() float32 sum_of(float32 x) { return x; }

fuse(linear, add(matmul(mul(x, factor), w), bias));
fuse(half_sums, sum_of(matmul(half(x), half(w))));
fuse(brain_sums, sum_of(matmul(brain(x), brain(w))));
/* By warpgroups on Hopper. */
vectorize() int8 byte(int8 x) { return x; }
vectorize() int32 whole(int32 x) { return x; }
vectorize() uint32 natural(uint32 x) { return x; }
fuse(half_product, half(matmul(x, w)));
fuse(brain_product, brain(matmul(x, w)));
fuse(bytes, byte(matmul(x, w)));
fuse(tf32_sums, sum_of(matmul(tf32(x), tf32(w))));
fuse(byte_sums, whole(matmul(int8(x), int8(w))));
fuse(unsigned_sums, natural(matmul(uint8(x), uint8(w))));
/* Only an x and a base of one column name an element of the table. */
static const float32 table[4] = {0.5f, -2, 3, 7};
vectorize() float32 pick(int32 x, int32 base) { return table[x - base]; }
fuse(picked, matmul(pick(x, base), w));
