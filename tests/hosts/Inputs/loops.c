/* Loops of every size of element, with and without slow paths, of one and of two outputs. */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, int8, int16, int32, int64, float32, float64, complex64, complex128);
typevar(F, float32, float64);

vectorize() T add(T a, T b) { return a + b; }
vectorize() T subtract(T a, T b) { return a - b; }
vectorize() T multiply(T a, T b) { return a * b; }
vectorize() T negative(T a) { return -a; }
vectorize() F power(F a, F b) { return pow(a, b); }
vectorize() F sine(F a) { return sin(a); }
vectorize() void modf_(F a, F *part, F *whole)
{
    *whole = trunc(a);
    *part = a - *whole;
}
vectorize(float64(float32, int16)) double shift(float a, int16 b) { return (double)a * 2 + b; }

/* The fast loop's own array is one in all its rounds. */
vectorize() int32 digits(int32 a)
{
    int32 digit[10] = {0}, sum = 0;
    for (int32 k = 0; k < 10; k++, a /= 10)
        digit[a % 10 & 7] += k + 1;
    for (int32 k = 0; k < 10; k++)
        sum = sum * 3 + digit[k];
    return sum;
}
