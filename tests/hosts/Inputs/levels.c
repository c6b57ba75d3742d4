/* Functions of every kind, of numbers that processors differ in: fused multiply-adds, float16, wide vectors. */
#include <gpucc.h>
#include <complex.h>
#include <math.h>

vectorize(float32(float32, float32, float32))
float fused(float x, float y, float z) { return fmaf(x, y, z); }

vectorize(float64(float64, float64, float64))
double fused_double(double x, double y, double z) { return fma(x, y, z); }

vectorize(float32(float32))
float mixed(float x) { return sinf(x) + powf(fabsf(x), 0.3f) * expf(-fabsf(x)); }

vectorize(float64(float64))
double mixed_double(double x) { return cos(x) + log(fabs(x) + 1); }

vectorize(float16(float16, float16))
float16 halves(float16 x, float16 y) { return x * y + x / (y + (float16)1.5); }

vectorize(bfloat16(bfloat16, float32))
bfloat16 brains(bfloat16 x, float32 y) { return x * (bfloat16)y + x; }

vectorize(complex64(complex64))
float complex waves(float complex x) { return cexpf(x) * x / (x + 1); }

vectorize(int64(float64, int8))
int64 whole(double x, int8 y) { return (int64)x + (uint8)x + (char)(y + 100); }

reorderable identity(0)
vectorize(float32(float32, float32))
float sum(float x, float y) { return x + y; }

guvectorize((n),(n)->())
void inner(size_t n, const float x[n], const float y[n], float *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += x[i] * y[i];
}

kernel launch_bounds(64)
void warps(const float *x, float *out)
{
    size_t i = grid(1);
    float value = x[i];
    for (int step = 16; step; step /= 2)
        value += shfl_xor_sync(~0u, value, step);
    out[i] = value;
}

int launches = 0;

kernel launch_bounds(64)
void reversed(size_t n, const float x[n], float out[n])
{
    shared float tile[64];
    size_t i = grid(1);
    tile[threadIdx.x] = x[i] * x[i] + 1.0f;
    syncthreads();
    out[i] = tile[63 - threadIdx.x];
    if (!i)
        launches++;
}
