/* Ufuncs of real work: arithmetic, conversions, several outputs of several sizes. */
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
}

vectorize(float32(float32))
float trig(float x)
{
    return cosf(x) * cosf(x) + sinf(x) * sinf(x);
}

vectorize(float32(float32))
float selu(float x)
{
    return 1.05f * (x > 0 ? x : 1.67f * expf(x) - 1.67f);
}

vectorize(float32(float32, float32, float32))
float discriminant(float a, float b, float c)
{
    return sqrtf(b * b - 4.0f * a * c);
}

vectorize((float32, float32)(float32))
void split(float x, float *whole, float *part)
{
    *whole = truncf(x);
    *part = x - *whole;
}

/* Operands of 1, 2, 4 and 8 bytes. */
vectorize((float64, int16, uint8)(float32, int16))
void mixed(float x, short y, double *product, short *sum, unsigned char *low)
{
    *product = (double)x * y;
    *sum = (short)(y + 3);
    *low = (unsigned char)y;
}

vectorize()
T quotient(T x, T y)
{
    return x / y;
}

/* One fused operation. */
vectorize()
T contracted(T x, T y, T z)
{
    return x * y + z;
}

vectorize()
boolean less(T x, T y)
{
    return x < y;
}

vectorize(int32(float32))
int to_int32(float x)
{
    return (int)x;
}

vectorize(uint8(float32))
unsigned char to_uint8(float x)
{
    return (unsigned char)x;
}

vectorize(int64(float64))
long to_int64(double x)
{
    return (long)x;
}

vectorize(uint64(float64))
unsigned long to_uint64(double x)
{
    return (unsigned long)x;
}

vectorize(float32(int64))
float from_int64(long x)
{
    return (float)x;
}

vectorize(float32(float64))
float narrow(double x)
{
    return (float)x;
}

vectorize(uint32(uint32, uint32))
unsigned shift_left(unsigned x, unsigned y)
{
    return x << y;
}

vectorize(int32(int32, uint32))
int shift_right(int x, unsigned y)
{
    return x >> y;
}

vectorize((int32, int32)(int32, int32))
void divide(int x, int y, int *quotient, int *remainder)
{
    *quotient = x / y;
    *remainder = x % y;
}

vectorize(float64(int8, uint8, int16, uint16, int32, uint32, float32, float64))
double total(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, float g, double h)
{
    return a + b + c + d + (double)e + f + (double)g + h;
}

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
