/* Benchmarks of a device for `gpucc bench`: a copy for its memory, multiply-adds in registers for its arithmetic. */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, float32, float64);

vectorize(T(T))
T copy(T x) { return x; }

#define STEP(a) a = fma(a, half, x);
#define STEPS STEP(a) STEP(b) STEP(c) STEP(d) STEP(e) STEP(f) STEP(g) STEP(h)
#define STEPS_4 STEPS STEPS STEPS STEPS

/* 512 operations in eight chains, each of which stays between x and 2 x. */
vectorize(T(T))
T multiply_add(T x)
{
    const T half = (T)0.5;
    T a = x, b = x + (T)1, c = x + (T)2, d = x + (T)3, e = x + (T)4, f = x + (T)5, g = x + (T)6, h = x + (T)7;
    STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
}
