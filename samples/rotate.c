#include <gpucc.h>
#include <gpucc/texture.h>
#include <math.h>

/* A pixel of `turned` for each thread, from the picture turned about its middle by the angle whose cosine and sine are
 * given: coordinates from 0 to 1, filtered, and the border outside. */
kernel
void rotate(texture_object picture, float cosine, float sine, int width, int height, surface_object turned)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float u = (float)x + 0.5f - (float)width / 2, v = (float)y + 0.5f - (float)height / 2;
    float from_x = (cosine * u + sine * v) / (float)width + 0.5f;
    float from_y = (cosine * v - sine * u) / (float)height + 0.5f;
    surf2Dwrite((uint8)(tex2D(float, picture, from_x, from_y) * 255 + 0.5f), turned, x, y);
}

/* Sobel's filter: how steep the picture is at each pixel, whose coordinates here count pixels. */
kernel
void sobel(texture_object picture, int width, int height, uint8 *edges)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float p[3][3];
    if (x >= width || y >= height)
        return;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[j][i] = tex2D(float, picture, (float)(x + i) - 0.5f, (float)(y + j) - 0.5f);
    float across = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    float down = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    edges[(size_t)y * (size_t)width + (size_t)x] = (uint8)(255 * fminf(1, sqrtf(across * across + down * down)));
}
