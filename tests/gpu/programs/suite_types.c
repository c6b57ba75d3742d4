/* Ufuncs over every element type. */
#include <gpucc.h>

typevar(A, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64,
        complex64, complex128);

vectorize()
A plus(A x, A y)
{
    return x + y;
}

/* Two outputs, in the other order. */
vectorize()
void swap(A x, A y, A *first, A *second)
{
    *first = y;
    *second = x;
}

vectorize()
boolean same(A x, A y)
{
    return x == y;
}

typevar(H, float16, bfloat16);

vectorize()
H blend(H x, H y, H z)
{
    return x * y + z;
}

vectorize(float16(float64))
float16 to_float16(double x)
{
    return (float16)x;
}

vectorize(bfloat16(float64))
bfloat16 to_bfloat16(double x)
{
    return (bfloat16)x;
}

vectorize(float16(int64))
float16 int64_to_float16(long x)
{
    return (float16)x;
}

vectorize(bfloat16(int64))
bfloat16 int64_to_bfloat16(long x)
{
    return (bfloat16)x;
}
