/* Reads of textures of each shape and kind, and accesses to surfaces.  Sample i is at x[i], y[i], z[i], or index[i], in
 * layer index[i]. */
#include <gpucc.h>
#include <gpucc/texture.h>

#define SAMPLES(name, type, read)                                                                                      \
    kernel void name##_##type(texture_object t, uint32_t n, const float *x, const float *y, const float *z,            \
                              const int32_t *index, type *out)                                                         \
    {                                                                                                                  \
        const size_t i = grid(1);                                                                                      \
        if (i < n)                                                                                                     \
            out[i] = read;                                                                                             \
    }
#define ALL_SAMPLES(type)                                                                                              \
    SAMPLES(sample_1d, type, tex1D(type, t, x[i]))                                                                     \
    SAMPLES(sample_2d, type, tex2D(type, t, x[i], y[i]))                                                               \
    SAMPLES(sample_3d, type, tex3D(type, t, x[i], y[i], z[i]))                                                         \
    SAMPLES(sample_1d_layered, type, tex1DLayered(type, t, x[i], index[i]))                                            \
    SAMPLES(sample_2d_layered, type, tex2DLayered(type, t, x[i], y[i], index[i]))                                      \
    SAMPLES(fetch, type, tex1Dfetch(type, t, index[i]))
ALL_SAMPLES(float)
ALL_SAMPLES(float2)
ALL_SAMPLES(float4)
ALL_SAMPLES(int4)
ALL_SAMPLES(uint4)
SAMPLES(sample_2d, char2, tex2D(char2, t, x[i], y[i]))
SAMPLES(sample_2d, ushort4, tex2D(ushort4, t, x[i], y[i]))
typedef unsigned char byte;
SAMPLES(sample_2d, byte, tex2D(unsigned char, t, x[i], y[i]))

/* Each texel of s becomes one of `from`, turned by half a turn, but for what lies outside. */
#define TURN(type)                                                                                                     \
    kernel void turn_##type(surface_object s, surface_object from, int32_t width, int32_t height)                      \
    {                                                                                                                  \
        const int x = (int)grid(1) % width, y = (int)grid(1) / width;                                                  \
        if (y < height)                                                                                                \
            surf2Dwrite(surf2Dread(type, from, (width - 1 - x) * (int)sizeof(type), height - 1 - y), s,                \
                        x * (int)sizeof(type), y);                                                                     \
    }
TURN(byte)
TURN(short)
TURN(float)
TURN(float2)
TURN(float4)

/* Beyond all edges by `by` texels: reads of the nearest texel or of 0, writes that go nowhere. */
kernel void beyond(surface_object s, int32_t width, int32_t height, int32_t by, float *clamped, float *zero)
{
    const int columns = width + 2 * by, x = (int)grid(1) % columns - by, y = (int)grid(1) / columns - by;
    if (y >= height + by)
        return;
    clamped[grid(1)] = surf2Dread(float, s, x * 4, y, SURFACE_CLAMP);
    zero[grid(1)] = surf2Dread(float, s, x * 4, y, SURFACE_ZERO);
    if (x < 0 || y < 0)
        surf2Dwrite(-1.0f, s, x * 4, y, SURFACE_ZERO);
}

/* Numbers that tell where they are, in surfaces of the other shapes. */
kernel void number(surface_object line, surface_object volume, surface_object lines, surface_object planes, int32_t n)
{
    const int x = (int)grid(1) % n, y = (int)grid(1) / n % n, z = (int)grid(1) / n / n;
    if (z >= n)
        return;
    if (y == 0 && z == 0)
        surf1Dwrite((float)x, line, x * 4);
    surf3Dwrite((float)(x + 100 * y + 10000 * z), volume, x * 4, y, z);
    if (y == 0)
        surf1DLayeredwrite((float)(x + 100 * z), lines, x * 4, z);
    surf2DLayeredwrite((float)(x + 100 * y + 10000 * z), planes, x * 4, y, z);
}

kernel void count_wrong(surface_object line, surface_object volume, surface_object lines, surface_object planes,
                        int32_t n, int32_t *wrong)
{
    const int x = (int)grid(1) % n, y = (int)grid(1) / n % n, z = (int)grid(1) / n / n;
    if (z >= n)
        return;
    const float there = (float)(x + 100 * y + 10000 * z);
    const int bad = (surf1Dread(float, line, x * 4) != (float)x) + (surf3Dread(float, volume, x * 4, y, z) != there) +
                    (surf1DLayeredread(float, lines, x * 4, z) != (float)(x + 100 * z)) +
                    (surf2DLayeredread(float, planes, x * 4, y, z) != there);
    if (bad)
        atomic_add(wrong, bad);
}
