/* Textures and surfaces on the CPU.  What GPUs do is told by the CUDA C++ Programming Guide, "Texture Fetching": linear
 * filtering weighs texels by the fraction of x - 0.5 in fixed point with 8 bits behind the point.  What it leaves open
 * is decided here, each in a function of its own: fixed_point() how that fraction is rounded, texel_position() how
 * coordinates from 0 to 1 become texels, and blend() that the weighted sum is exact and rounded once. */
#include "numbers.h"
#include "texture.h"

#include <stdio.h>
#include <string.h>

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };

static _Noreturn void refuse(const struct gpucc_cpu_place *place, const char *what)
{
    gpucc_cpu_fail(what, place->file, place->line);
}

/* ---- what is asked for, and what there is ---- */

static const struct {
    const char *name;
    int dims;
    bool layered, linear;
} geometries[] = {
    [GPUCC_CPU_1D] = {"1D", 1, false, false},
    [GPUCC_CPU_2D] = {"2D", 2, false, false},
    [GPUCC_CPU_3D] = {"3D", 3, false, false},
    [GPUCC_CPU_LINEAR] = {"1Dfetch", 1, false, true},
    [GPUCC_CPU_1D_LAYERED] = {"1DLayered", 1, true, false},
    [GPUCC_CPU_2D_LAYERED] = {"2DLayered", 2, true, false},
};

static const struct cpu_texture *object_of(uint64_t handle, bool is_surface, enum gpucc_cpu_geometry geometry,
                                           const struct gpucc_cpu_place *place)
{
    char what[160];
    const char *kind = is_surface ? "surf" : "tex", *noun = is_surface ? "surface" : "texture";
    const struct cpu_texture *texture = (const struct cpu_texture *)(uintptr_t)handle;
    if (!texture) {
        snprintf(what, sizeof what, "%s%s of no %s: the object is 0", kind, geometries[geometry].name, noun);
        refuse(place, what);
    }
    const struct cpu_image *image = &texture->image;
    if (texture->is_surface != is_surface)
        refuse(place, is_surface ? "a texture's object is given where a surface's is wanted"
                                 : "a surface's object is given where a texture's is wanted");
    if (image->dims == geometries[geometry].dims && (image->layers > 0) == geometries[geometry].layered &&
        image->linear == geometries[geometry].linear)
        return texture;
    snprintf(what, sizeof what, "%s%s of a %s of %d dimension%s%s%s", kind, geometries[geometry].name, noun,
             image->dims, image->dims > 1 ? "s" : "", image->layers > 0 ? " with layers" : "",
             image->linear ? " over linear memory" : "");
    refuse(place, what);
}

static char kind_of(const struct cpu_texture *texture)
{
    const char kind = dtypes[texture->image.dtype].kind;
    return kind == 'f' || texture->as_float ? 'f' : kind == 'i' ? 's' : 'u';
}

static void check_kind(const struct cpu_texture *texture, const struct gpucc_cpu_sample *sample)
{
    char what[160];
    const char kind = kind_of(texture);
    if (kind == sample->kind && sample->count <= texture->image.channels)
        return;
    const char *wanted = sample->kind == 'f' ? "float" : sample->kind == 's' ? "int" : "unsigned";
    snprintf(what, sizeof what, "tex%s of %d component%s of kind %s, but the texture has %d of %s%s",
             geometries[sample->geometry].name, sample->count, sample->count > 1 ? "s" : "", wanted,
             texture->image.channels, dtypes[texture->image.dtype].name, texture->as_float ? " read as float" : "");
    refuse(sample->place, what);
}

/* ---- texels ---- */

static size_t texel_size(const struct cpu_image *image)
{
    return (size_t)image->channels * dtypes[image->dtype].size;
}

static char *texel_at(const struct cpu_image *image, int64_t x, int64_t y, int64_t z, int64_t layer)
{
    const int64_t row = (layer * image->extent[2] + z) * image->extent[1] + y;
    return image->texels + (size_t)(row * image->extent[0] + x) * texel_size(image);
}

/* The element as it is, widened to 32 bits. */
static uint32_t element_bits(gpucc_dtype dtype, const char *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, dtypes[dtype].size);
    switch (dtype) {
    case GPUCC_INT8: return (uint32_t)(int8_t)bits;
    case GPUCC_INT16: return (uint32_t)(int16_t)bits;
    default: return bits;
    }
}

/* As a number, integers by themselves. */
static double element_value(gpucc_dtype dtype, const char *at)
{
    const uint32_t bits = element_bits(dtype, at);
    float number;
    switch (dtype) {
    case GPUCC_FLOAT16: return widen((uint16_t)bits, FLOAT16_FRACTION);
    case GPUCC_FLOAT32: memcpy(&number, &bits, sizeof number); return number;
    case GPUCC_INT8:
    case GPUCC_INT16: return (int32_t)bits;
    default: return bits;
    }
}

/* What an integer that is read as a number is divided by; its lowest value counts as the one above. */
static double full_scale(const struct cpu_texture *texture)
{
    if (!texture->as_float)
        return 1;
    switch (texture->image.dtype) {
    case GPUCC_INT8: return INT8_MAX;
    case GPUCC_INT16: return INT16_MAX;
    case GPUCC_UINT8: return UINT8_MAX;
    case GPUCC_UINT16: return UINT16_MAX;
    default: return 1;
    }
}

static uint32_t float_bits(double x)
{
    const float number = float_of_double(x);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* ---- coordinates ---- */

/* floor(), for which libgpucc would need the system's library of functions.  From 2^52 on numbers are whole. */
static double floor_of(double x)
{
    if (!(x > -0x1p52 && x < 0x1p52))
        return x;
    const double cut = (double)(int64_t)x;
    return cut > x ? cut - 1 : cut;
}

/* A coordinate in texels: 0 is where the first begins, `extent` where the last ends.  Exact but for wrapping, where a
 * fraction just below 0 may round to 1.  What is far outside, or no number, stays near, so that it fits an integer. */
static double texel_position(float coordinate, int64_t extent, gpucc_address_mode mode, bool normalized)
{
    double x = coordinate;
    if (normalized && mode == GPUCC_ADDRESS_WRAP)
        x -= floor_of(x);
    else if (normalized && mode == GPUCC_ADDRESS_MIRROR)
        x -= 2 * floor_of(x / 2);
    if (normalized)
        x *= (double)extent;
    if (!(x > -2))
        return x != x ? 0 : -2;
    return x > 2.0 * (double)extent + 2 ? 2.0 * (double)extent + 2 : x;
}

/* The texel in whose stead index i, near the texture, is read; -1: the border. */
static int64_t addressed(int64_t i, int64_t extent, gpucc_address_mode mode, bool normalized)
{
    if (mode == GPUCC_ADDRESS_BORDER)
        return i < 0 || i >= extent ? -1 : i;
    if (normalized && mode == GPUCC_ADDRESS_WRAP)
        return (i % extent + extent) % extent;
    if (normalized && mode == GPUCC_ADDRESS_MIRROR) {
        i = (i % (2 * extent) + 2 * extent) % (2 * extent);
        return i < extent ? i : 2 * extent - 1 - i;
    }
    return i < 0 ? 0 : i >= extent ? extent - 1 : i;
}

/* In 1/256, to nearest, halves up. */
static int64_t fixed_point(double x)
{
    return (int64_t)floor_of(x * WEIGHT_ONE + 0.5);
}

/* The texels that a sample is made of along one dimension: one, or two neighbours, of which the second has `weight`. */
struct taps {
    int64_t index[2];
    int weight; /* in 1/256 */
};

static struct taps find_taps(const struct cpu_texture *texture, int d, float coordinate)
{
    const int64_t extent = texture->image.extent[d];
    const gpucc_address_mode mode = texture->address[d];
    const double x = texel_position(coordinate, extent, mode, texture->normalized);
    const bool linear = texture->filter == GPUCC_FILTER_LINEAR;
    const int64_t fixed = linear ? fixed_point(x - 0.5) : (int64_t)floor_of(x) * WEIGHT_ONE;
    const int64_t first = fixed >> WEIGHT_BITS;
    return (struct taps){{addressed(first, extent, mode, texture->normalized),
                          addressed(first + 1, extent, mode, texture->normalized)},
                         (int)(fixed & (WEIGHT_ONE - 1))};
}

/* ---- sampling ---- */

/* One corner of what is blended: null is the border. */
struct corner {
    const char *texel;
    int64_t weight;
};

/* Returns how many count: those that have no weight do not. */
static int find_corners(const struct cpu_texture *texture, const struct taps taps[3], int64_t layer,
                        struct corner corners[8])
{
    int count = 0;
    const struct cpu_image *image = &texture->image;
    for (int k = 0; k < 1 << image->dims; k++) {
        int64_t index[3] = {0, 0, 0}, weight = 1;
        bool outside = false;
        for (int d = 0; d < image->dims; d++) {
            const int second = k >> d & 1;
            index[d] = taps[d].index[second];
            weight *= second ? taps[d].weight : WEIGHT_ONE - taps[d].weight;
            outside |= index[d] < 0;
        }
        if (weight)
            corners[count++] = (struct corner){
                outside ? NULL : texel_at(image, index[0], index[1], index[2], layer), weight};
    }
    return count;
}

/* Products of texels and weights are exact in double precision, and so are their sums but for texels that lie far
 * apart; the rest is one division and one rounding. */
static double blend(const struct cpu_texture *texture, const struct corner *corners, int count, int channel)
{
    const struct cpu_image *image = &texture->image;
    const double scale = full_scale(texture);
    double sum = 0;
    for (int k = 0; k < count; k++) {
        const char *texel = corners[k].texel;
        double value = texture->border[channel] * scale;
        if (texel)
            value = element_value(image->dtype, texel + (size_t)channel * dtypes[image->dtype].size);
        sum += (value < -scale && texture->as_float ? -scale : value) * (double)corners[k].weight;
    }
    return sum / (scale * (double)((int64_t)1 << (WEIGHT_BITS * image->dims)));
}

/* One texel, or the border, without a blend: elements keep their bits. */
static uint32_t pick(const struct cpu_texture *texture, const char *texel, int channel)
{
    const struct cpu_image *image = &texture->image;
    const char *at = texel ? texel + (size_t)channel * dtypes[image->dtype].size : NULL;
    if (!at)
        return kind_of(texture) == 'f' ? float_bits(texture->border[channel]) : 0;
    if (kind_of(texture) != 'f' || image->dtype == GPUCC_FLOAT32)
        return element_bits(image->dtype, at);
    const double value = element_value(image->dtype, at), scale = full_scale(texture);
    return float_bits(texture->as_float && value < -scale ? -1 : value / scale);
}

static void fetch_linear(const struct cpu_texture *texture, int64_t index, uint32_t texel[4])
{
    const struct cpu_image *image = &texture->image;
    const bool inside = index >= 0 && index < image->extent[0];
    for (int c = 0; c < image->channels; c++)
        texel[c] = inside ? pick(texture, texel_at(image, index, 0, 0, 0), c) : 0;
}

static int64_t nearest_layer(const struct cpu_image *image, int64_t layer)
{
    return layer < 0 || !image->layers ? 0 : layer >= image->layers ? image->layers - 1 : layer;
}

GPUCC_API void gpucc_cpu_texture_read(const struct gpucc_cpu_sample *sample, uint32_t texel[4])
{
    const struct cpu_texture *texture = object_of(sample->texture, false, sample->geometry, sample->place);
    const struct cpu_image *image = &texture->image;
    struct taps taps[3];
    struct corner corners[8];
    check_kind(texture, sample);
    memset(texel, 0, 4 * sizeof *texel);
    if (image->linear) {
        fetch_linear(texture, sample->index, texel);
        return;
    }
    for (int d = 0; d < image->dims; d++)
        taps[d] = find_taps(texture, d, sample->at[d]);
    const int count = find_corners(texture, taps, nearest_layer(image, sample->index), corners);
    for (int c = 0; c < image->channels; c++)
        texel[c] = count == 1 ? pick(texture, corners[0].texel, c) : float_bits(blend(texture, corners, count, c));
}

/* ---- surfaces ---- */

static bool bring_inside(int64_t *index, int64_t extent, int beyond)
{
    if (*index >= 0 && *index < extent)
        return true;
    *index = *index < 0 ? 0 : extent - 1;
    return beyond == GPUCC_CPU_CLAMP;
}

/* Where the texel is; null outside, where that is no error. */
static char *spot_address(const struct gpucc_cpu_spot *spot)
{
    char what[160];
    const struct cpu_image *image = &object_of(spot->surface, true, spot->geometry, spot->place)->image;
    const int64_t size = (int64_t)texel_size(image), byte = spot->at[0];
    const bool layered = geometries[spot->geometry].layered;
    int64_t at[4] = {(byte - (byte < 0 ? size - 1 : 0)) / size, spot->at[1], layered ? 0 : spot->at[2],
                     layered ? spot->at[2] : 0};
    if (spot->size != size) {
        snprintf(what, sizeof what, "a surface whose texels have %lld bytes is accessed by a type of %u",
                 (long long)size, spot->size);
        refuse(spot->place, what);
    }
    bool inside = byte % size == 0;
    for (int d = 0; d < 3; d++)
        inside &= bring_inside(&at[d], image->extent[d], spot->beyond);
    inside &= bring_inside(&at[3], image->layers ? image->layers : 1, spot->beyond);
    if (!inside && spot->beyond != GPUCC_CPU_ZERO) {
        snprintf(what, sizeof what, "byte %d, %d, %d is no texel's of the surface", spot->at[0], spot->at[1],
                 spot->at[2]);
        refuse(spot->place, what);
    }
    return inside ? texel_at(image, at[0], at[1], at[2], at[3]) : NULL;
}

GPUCC_API void gpucc_cpu_surface_read(const struct gpucc_cpu_spot *spot, void *value)
{
    const char *texel = spot_address(spot);
    if (texel)
        memcpy(value, texel, spot->size);
    else
        memset(value, 0, spot->size);
}

GPUCC_API void gpucc_cpu_surface_write(const struct gpucc_cpu_spot *spot, const void *value)
{
    char *texel = spot_address(spot);
    if (texel)
        memcpy(texel, value, spot->size);
}
