/* <gpucc/arithmetic.h>. */
#include <gpucc.h>
#include <gpucc/arithmetic.h>
#include <stdlib.h>

typevar(N, int32, uint32, int64, uint64, float32, float64);
typevar(Z, int32, uint32, int64, uint64);

vectorize()
N quotient_down(N x, N y) { return floor_divide(x, y); }

vectorize()
N modulus(N x, N y) { return modulo(x, y); }

vectorize()
Z divisor_and_multiple(Z x, Z y) { return gcd(x, y) ^ lcm(x, y) ^ remainder_of(x, y); }

vectorize()
Z power_and_shifts(Z x, Z y) { return integer_power(x, y & 63) ^ left_shift(x, y) ^ right_shift(x, y & 127); }

typevar(F, int64, uint64, float32, float64);
vectorize((int8, uint8, int32, uint32)(F))
void saturated(F x, int8 *a, uint8 *b, int32 *c, uint32 *d)
{
    *a = saturate_cast(int8, x), *b = saturate_cast(uint8, x);
    *c = saturate_cast(int32, x), *d = saturate_cast(uint32, x);
}

/* The least number and its opposite are both that number, below 0. */
vectorize(int32(int16))
int32 opposite(int16 x)
{
    int16 y = (int16)-x;
    return y < 0 ? y : 1000000 + y;
}

vectorize(int32(int16))
int32 magnitude(int16 x)
{
    int16 y = (int16)abs(x);
    return y < 0 ? y : 1000000 + y;
}
