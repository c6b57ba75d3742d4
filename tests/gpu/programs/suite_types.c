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
