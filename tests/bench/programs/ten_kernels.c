/* Ten kernels in the way that CUDA programmers write them: gpucc and nvcc compile this file.
 * Blocks have 256 threads: 32 x 8 for stencil and transpose, 16 x 16 for matmul_tiled. */
#ifdef __CUDACC__
#define KERNEL extern "C" __global__
#define restrict __restrict__
#else
#include <gpucc/cuda.h>
#define KERNEL __global__
#endif

#define BLOCK 256
#define TILE 16 /* of matmul_tiled */
#define SIDE 32 /* of transpose's tile, moved by ROWS rows of threads */
#define ROWS 8
#define BINS 256

KERNEL void vector_add(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

KERNEL void saxpy(int n, float a, const float *restrict x, float *restrict y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* A step of the heat equation on `height` rows of `width`; the border stays as it is. */
KERNEL void stencil(const float *restrict in, float *restrict out, int width, int height, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int at = y * width + x;
    float center = in[at];
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        center += k * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width] - 4.0f * center);
    out[at] = center;
}

/* c (m x p) = a (m x n) b (n x p). */
KERNEL void matmul_tiled(const float *restrict a, const float *restrict b, float *restrict c, int m, int n, int p)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        as[ty][tx] = row < m && k + tx < n ? a[row * n + k + tx] : 0.0f;
        bs[ty][tx] = k + ty < n && column < p ? b[(k + ty) * p + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && column < p)
        c[row * p + column] = sum;
}

/* out (width x height) = in (height x width), transposed. */
KERNEL void transpose(const float *restrict in, float *restrict out, int width, int height)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int j = 0; j < SIDE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    for (int j = 0; j < SIDE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* Adds how often each byte occurs to `counts`, which has BINS elements. */
KERNEL void histogram(const unsigned char *restrict data, unsigned *restrict counts, int n)
{
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

/* The sum of what each block meets: one result a block. */
KERNEL void reduce(const float *restrict in, float *restrict out, int n)
{
    __shared__ float partial[BLOCK];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    partial[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

/* The sums up to and with each element, within each block; and each block's total. */
KERNEL void scan(const float *restrict in, float *restrict out, float *restrict totals, int n)
{
    __shared__ float sums[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sums[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        float left = t >= offset ? sums[t - offset] : 0.0f;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    if (i < n)
        out[i] = sums[t];
    if (t == BLOCK - 1)
        totals[blockIdx.x] = sums[t];
}

/* The accelerations of n bodies (x, y, z, mass) by one another. */
KERNEL void nbody(const float4 *restrict bodies, float4 *restrict accelerations, int n, float softening)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 self = bodies[i < n ? i : n - 1];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int base = 0; base < n; base += BLOCK) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    if (i < n)
        accelerations[i] = make_float4(ax, ay, az, 0.0f);
}

/* The standard normal distribution function: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17. */
__device__ static float normal_below(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float series =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * series;
    return d > 0.0f ? 1.0f - tail : tail;
}

KERNEL void black_scholes(const float *restrict price, const float *restrict strike, const float *restrict years,
                          float *restrict call, float *restrict put, float riskless, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i];
        float spread = volatility * sqrtf(t);
        float d1 = (logf(s / x) + (riskless + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float below1 = normal_below(d1), below2 = normal_below(d2);
        float present = x * expf(-riskless * t);
        call[i] = s * below1 - present * below2;
        put[i] = present * (1.0f - below2) - s * (1.0f - below1);
    }
}
