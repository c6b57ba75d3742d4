/* ten_kernels.c in OpenCL C. */
#define BLOCK 256
#define TILE 16
#define SIDE 32
#define ROWS 8
#define BINS 256

kernel void vector_add(global const float *restrict a, global const float *restrict b, global float *restrict c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void saxpy(int n, float a, global const float *restrict x, global float *restrict y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void stencil(global const float *restrict in, global float *restrict out, int width, int height, float k)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int at = y * width + x;
    float center = in[at];
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        center += k * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width] - 4.0f * center);
    out[at] = center;
}

kernel void matmul_tiled(global const float *restrict a, global const float *restrict b, global float *restrict c, int m,
                         int n, int p)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * TILE + ty, column = get_group_id(0) * TILE + tx;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        as[ty][tx] = row < m && k + tx < n ? a[row * n + k + tx] : 0.0f;
        bs[ty][tx] = k + ty < n && column < p ? b[(k + ty) * p + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < p)
        c[row * p + column] = sum;
}

kernel void transpose(global const float *restrict in, global float *restrict out, int width, int height)
{
    local float tile[SIDE][SIDE + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * SIDE + tx, y = get_group_id(1) * SIDE + ty;
    for (int j = 0; j < SIDE; j += ROWS)
        if (x < width && y + j < height)
            tile[ty + j][tx] = in[(y + j) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * SIDE + tx;
    y = get_group_id(0) * SIDE + ty;
    for (int j = 0; j < SIDE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[tx][ty + j];
}

kernel void histogram(global const uchar *restrict data, global uint *restrict counts, int n)
{
    local uint bins[BINS];
    int t = get_local_id(0);
    bins[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[t], bins[t]);
}

kernel void reduce(global const float *restrict in, global float *restrict out, int n)
{
    local float partial[BLOCK];
    int t = get_local_id(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    partial[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s)
            partial[t] += partial[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = partial[0];
}

kernel void scan(global const float *restrict in, global float *restrict out, global float *restrict totals, int n)
{
    local float sums[BLOCK];
    int t = get_local_id(0), i = get_global_id(0);
    sums[t] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        float left = t >= offset ? sums[t - offset] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[t] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = sums[t];
    if (t == BLOCK - 1)
        totals[get_group_id(0)] = sums[t];
}

kernel void nbody(global const float4 *restrict bodies, global float4 *restrict accelerations, int n, float softening)
{
    local float4 tile[BLOCK];
    int i = get_global_id(0), t = get_local_id(0);
    float4 self = bodies[i < n ? i : n - 1];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int base = 0; base < n; base += BLOCK) {
        int j = base + t;
        tile[t] = j < n ? bodies[j] : (float4)(0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
            float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + softening);
            float pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        accelerations[i] = (float4)(ax, ay, az, 0.0f);
}

float normal_below(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * series;
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *restrict price, global const float *restrict strike,
                          global const float *restrict years, global float *restrict call, global float *restrict put,
                          float riskless, float volatility, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i];
        float spread = volatility * sqrt(t);
        float d1 = (log(s / x) + (riskless + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float below1 = normal_below(d1), below2 = normal_below(d2);
        float present = x * exp(-riskless * t);
        call[i] = s * below1 - present * below2;
        put[i] = present * (1.0f - below2) - s * (1.0f - below1);
    }
}
