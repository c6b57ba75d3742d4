#include <gpucc.h>

struct point {
    float32 x, y;
};

constant float32 weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
constant int32 offset = 10;
uint64 calls = 5;
struct point points[2];
static float32 hidden = 2;

kernel
void weigh(size_t n, float32 x[n], float32 calls_of)
{
    size_t i = grid(1);
    if (i < n)
        x[i] = x[i] * weights[i / 3 % 2][i % 3] + (float32)offset * calls_of;
    if (i == 0) {
        calls++;
        points[1].y = points[0].x + 1;
    }
}

vectorize()
float32 shift(float32 x) { return x * hidden + (float32)offset; }

/* Its parameter has a variable's name. */
kernel
void shadow(int32 *calls) { calls[grid(1)] = offset; }
