/* Ufuncs that at.py applies in place. */
#include <gpucc.h>

typevar(T, int8, int32, int64, float16, bfloat16, float32, complex64, complex128);
typevar(R, uint16, int32, uint64, float64);
typevar(S, int16, int64);
typevar(B, uint8, int32, uint64);

/* Atomic operations do these, but for floating-point numbers. */
vectorize()
T add(T x, T y) { return x + y; }

vectorize()
R subtract(R x, R y) { return x - y; }

vectorize()
R least(R x, R y) { return y < x ? y : x; }

vectorize()
S most(S x, S y)
{
    if (x > y)
        return x;
    return y;
}

vectorize()
B either(B x, B y) { return x | y; }

vectorize()
B both(B x, B y) { return x & y; }

vectorize()
B flip(B x, B y) { return x ^ y; }

vectorize(boolean(boolean, boolean))
_Bool any(_Bool x, _Bool y) { return x || y; }

vectorize(boolean(boolean, boolean))
_Bool all(_Bool x, _Bool y) { return x && y; }

/* Neither associative nor commutative, to see what is combined with what. */
vectorize()
R mix(R x, R y)
{
    R three = x * (R)3; /* no fused operation */
    return three - y;
}

/* Commutative, and no more. */
vectorize(int32(int32, int32))
int32 clipped(int32 x, int32 y)
{
    int64 sum = (int64)x + y;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32)sum;
}

vectorize(complex64(complex64, complex64))
complex64 store_first(complex64 x, complex64 y) { (void)y; return x; }

vectorize(float32(float32))
float half(float x) { return x / 2; }

vectorize(boolean(float32, float32))
_Bool less(float x, float y) { return x < y; }
