#include <gpucc.h>
#include <tgmath.h>

typevar(T, float32, float64);

/* The scaled exponential linear unit, in single and in double precision from one body; `gpucc test selu.c` compares the
 * first with the second. */
reference(selu) vectorize(float32(float32), float64(float64))
T selu(T x)
{
    const T alpha = (T)1.6732632423543772, lambda = (T)1.0507009873554805;
    return lambda * (x > 0 ? x : alpha * exp(x) - alpha);
}
