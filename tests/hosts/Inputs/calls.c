/* Ufuncs that calls.py calls. */
#include <gpucc.h>
#include <math.h>

typevar(T, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64,
        complex64, complex128);
typevar(R, int16, uint32, int64, float32, float64);
typevar(F, float32, float64, complex64);

/* NumPy's, with its loops in its order. */
vectorize()
T add(T x, T y) { return x + y; }

/* Few loops, so that what is given is often converted. */
vectorize(boolean(R, R))
_Bool less(R x, R y) { return x < y; }

/* Two types, and two results of two types. */
vectorize()
void both(F x, int16 y, F *product, int32 *copy)
{
    *product = x * (F)y;
    *copy = y + 1;
}

/* Its slow path is due for some elements: blocks are done again. */
vectorize(float32(float32))
float wave(float x) { return sinf(x * 1e6f); }

vectorize(uint8(uint8, uint8, uint8))
uint8 blend(uint8 x, uint8 y, uint8 z) { return (x & y) ^ z; }

/* As many operands as there may be. */
#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define FIFTY(X) TEN(X, v) TEN(X, w) TEN(X, x) TEN(X, y) TEN(X, z)
#define INTEGER(x) int16 x,
#define NUMBER(x) float32 x,
#define PLUS(x) +x
vectorize()
void weigh(FIFTY(INTEGER) TEN(NUMBER, r) float32 s, boolean negates, int16 *whole, float64 *real)
{
    *whole = (int16)(negates ? -(0 FIFTY(PLUS)) : 0 FIFTY(PLUS));
    *real = (float64)(s TEN(PLUS, r));
}
