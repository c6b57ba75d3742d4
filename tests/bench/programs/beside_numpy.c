/* Ufuncs of NumPy's, written in C, that beside_numpy.py measures. */
#include <gpucc.h>
#include <math.h>
typevar(T, float32, float64, int32, int64);

identity(0) reorderable vectorize()
T add(T x, T y)
{
    return x + y;
}

reorderable vectorize()
T minimum(T x, T y)
{
    return x < y || x != x ? x : y; /* a NaN goes on, as NumPy's minimum has it */
}

reorderable vectorize(float32(float32, float32))
float fewest(float x, float y)
{
    return fminf(x, y);
}
