/* Textures and surfaces on the CPU, with the bits of an NVIDIA GPU: an H200's coordinates, and texture_filter.h. */
#include "base/numbers.h"
#include "executor/executor.h"
#include "executor/texture_filter.h"

#include <stdio.h>
#include <string.h>

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
    const struct cpu_texture *texture = texture_object_find(handle);
    if (!handle) {
        snprintf(what, sizeof what, "%s%s of no %s: the object is 0", kind, geometries[geometry].name, noun);
        refuse(place, what);
    }
    if (!texture) {
        snprintf(what, sizeof what, "%s%s of an object of no %s, or of one that has been released", kind,
                 geometries[geometry].name, noun);
        refuse(place, what);
    }
    const struct cpu_image *image = &texture->image;
    if (texture->is_surface != is_surface)
        refuse(place, is_surface ? "expected a surface object, got a texture object"
                                 : "expected a texture object, got a surface object");
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

/* The thread comes to a texel. */
static void note_texel(const struct cpu_image *image, const char *texel)
{
    const size_t size = texel_size(image);
    const int64_t texels = image->extent[0] * image->extent[1] * image->extent[2] * (image->layers ? image->layers : 1);
    const struct texel_access access = {(uintptr_t)texel, (uintptr_t)image->texels, size, (size_t)texels * size};
    if (current_fiber != NULL && current_fiber->workspace->watched != NULL)
        current_fiber->workspace->hooks->texel(&access);
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

/* The element that is read as 1. */
static double full_scale(gpucc_dtype dtype)
{
    switch (dtype) {
    case GPUCC_INT8: return INT8_MAX;
    case GPUCC_INT16: return INT16_MAX;
    case GPUCC_UINT8: return UINT8_MAX;
    default: return UINT16_MAX;
    }
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

/* Coordinates from 0 to 1 are cut off after so many bits. */
static int coordinate_bits(int64_t extent)
{
    return extent > 65536 ? 23 : extent > 8192 ? 22 : 21;
}

/* A coordinate in texels: 0 is where the first begins, `extent` where the last ends; exact, but for a fraction just
 * below 0 that wrapping rounds to 1.  What is far outside stays near, so that it fits an integer, and what is no number
 * is 0. */
static double texel_position(float coordinate, int64_t extent, gpucc_address_mode mode, bool normalized)
{
    double x = coordinate;
    if (normalized && mode == GPUCC_ADDRESS_WRAP)
        x -= floor_of(x);
    else if (normalized && mode == GPUCC_ADDRESS_MIRROR)
        x -= 2 * floor_of(x / 2);
    if (normalized) {
        const double steps = (double)(1 << coordinate_bits(extent));
        x = floor_of(x * steps) / steps * (double)extent;
    }
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
    const bool linear = texture->filter == GPUCC_FILTER_LINEAR;
    double x = texel_position(coordinate, extent, mode, texture->normalized);
    if (linear && mode == GPUCC_ADDRESS_CLAMP) /* to a texel's centre, which then has all the weight */
        x = x < 0.5 ? 0.5 : x > (double)extent - 0.5 ? (double)extent - 0.5 : x;
    const int64_t fixed = linear ? fixed_point(x - 0.5) : (int64_t)floor_of(x) * WEIGHT_ONE;
    const int64_t first = fixed >> WEIGHT_BITS;
    return (struct taps){{addressed(first, extent, mode, texture->normalized),
                          addressed(first + 1, extent, mode, texture->normalized)},
                         (int)(fixed & (WEIGHT_ONE - 1))};
}

/* ---- sampling ---- */

static int64_t nearest_layer(const struct cpu_image *image, int64_t layer)
{
    return !image->layers ? 0 : layer < 0 || layer >= image->layers ? image->layers - 1 : layer;
}

/* As float16, towards zero. */
static uint16_t cut_to_half(float x)
{
    const uint16_t half = narrow((double)x, FLOAT16_FRACTION);
    const double there = widen(half, FLOAT16_FRACTION), given = (double)x;
    return (uint16_t)(half - ((there < 0 ? -there : there) > (given < 0 ? -given : given)));
}

/* The element that is read as a number from 0, or -1, to 1: the number is cut off four bits below those that the
 * element has, and halves go towards zero. */
static int64_t fraction_of_border(float border, double one, bool is_signed)
{
    const double magnitude = border < 0 ? -(double)border : (double)border, steps = 16 * (one + 1);
    if (!(magnitude > 0) || (border < 0 && !is_signed))
        return 0;
    const double kept = magnitude < 1 ? floor_of(magnitude * steps) / steps : 1;
    const int64_t element = -(int64_t)floor_of(0.5 - kept * one);
    return border < 0 ? -element : element;
}

/* The border's colour as the elements hold it. */
static void border_element(const struct cpu_texture *texture, int channel, char *at)
{
    const gpucc_dtype dtype = texture->image.dtype;
    const float border = texture->border[channel];
    if (dtype == GPUCC_FLOAT32) {
        memcpy(at, &border, sizeof border);
    } else if (dtype == GPUCC_FLOAT16) {
        const uint16_t half = cut_to_half(border);
        memcpy(at, &half, sizeof half);
    } else {
        const int32_t element = (int32_t)fraction_of_border(border, full_scale(dtype), dtypes[dtype].kind == 'i');
        memcpy(at, &element, dtypes[dtype].size);
    }
}

/* A texel of the border's colour, where samples may lie beyond the edges: else it is of no use. */
static void find_border(const struct cpu_texture *texture, char *border)
{
    const struct cpu_image *image = &texture->image;
    bool is_used = false;
    for (int d = 0; d < image->dims; d++)
        is_used |= texture->address[d] == GPUCC_ADDRESS_BORDER;
    for (int c = 0; is_used && c < image->channels; c++)
        border_element(texture, c, border + (size_t)c * dtypes[image->dtype].size);
}

/* The texels that a sample is made of, `border` where they lie outside; returns how many. */
static int find_corners(const struct cpu_texture *texture, const struct taps taps[3], int64_t layer, const char *border,
                        struct corner corners[MAX_CORNERS])
{
    const struct cpu_image *image = &texture->image;
    const int share[3] = {taps[0].weight, taps[1].weight, taps[2].weight};
    const int count = texture->filter == GPUCC_FILTER_LINEAR ? 1 << image->dims : 1;
    int weights[MAX_CORNERS];
    texture_weights(image->dims, share, weights);
    for (int k = 0; k < count; k++) {
        int64_t index[3] = {0, 0, 0};
        bool outside = false, touched = true;
        for (int d = 0; d < image->dims; d++) {
            const int second = k >> d & 1;
            index[d] = taps[d].index[second];
            outside |= index[d] < 0;
            touched &= !second || share[d] > 0;
        }
        const char *texel = outside ? border : texel_at(image, index[0], index[1], index[2], layer);
        corners[k] = (struct corner){texel, weights[k], touched};
        if (!outside && touched)
            note_texel(image, texel);
    }
    return count;
}

/* With a NaN's own bits, where a conversion would make it quiet. */
static uint32_t widened_half(uint32_t half)
{
    const uint32_t nan = (half & 0x8000) << 16 | 0x7f800000 | (half & 0x3ff) << 13;
    return (half & 0x7fff) > 0x7c00 ? nan : texel_bits(widen((uint16_t)half, FLOAT16_FRACTION));
}

/* A texel as it is: elements keep their bits. */
static uint32_t pick(const struct cpu_texture *texture, const char *texel, int channel)
{
    const struct cpu_image *image = &texture->image;
    const char *at = texel + (size_t)channel * dtypes[image->dtype].size;
    if (kind_of(texture) != 'f' || image->dtype == GPUCC_FLOAT32)
        return element_bits(image->dtype, at);
    if (image->dtype == GPUCC_FLOAT16)
        return widened_half(element_bits(image->dtype, at));
    const uint32_t bits = element_bits(image->dtype, at);
    const double value = dtypes[image->dtype].kind == 'i' ? (double)(int32_t)bits : (double)bits;
    const double one = full_scale(image->dtype);
    return texel_bits(value < -one ? -1 : value / one);
}

static void fetch_linear(const struct cpu_texture *texture, int64_t index, uint32_t texel[4])
{
    const struct cpu_image *image = &texture->image;
    const bool inside = index >= 0 && index < image->extent[0];
    if (inside)
        note_texel(image, texel_at(image, index, 0, 0, 0));
    for (int c = 0; c < image->channels; c++)
        texel[c] = inside ? pick(texture, texel_at(image, index, 0, 0, 0), c) : 0;
}

GPUCC_API void gpucc_cpu_texture_read(const struct gpucc_cpu_sample *sample, uint32_t texel[4])
{
    const struct cpu_texture *texture = object_of(sample->texture, false, sample->geometry, sample->place);
    const struct cpu_image *image = &texture->image;
    struct taps taps[3] = {0};
    struct corner corners[MAX_CORNERS];
    char border[4 * sizeof(float)];
    check_kind(texture, sample);
    memset(texel, 0, 4 * sizeof *texel);
    if (image->linear) {
        fetch_linear(texture, sample->index, texel);
        return;
    }
    for (int d = 0; d < image->dims; d++)
        taps[d] = find_taps(texture, d, sample->at[d]);
    find_border(texture, border);
    const int count = find_corners(texture, taps, nearest_layer(image, sample->index), border, corners);
    for (int c = 0; c < image->channels; c++)
        texel[c] = texture->filter != GPUCC_FILTER_LINEAR ? pick(texture, corners[0].texel, c)
                   : texture->as_float                    ? filter_fractions(image->dtype, corners, count, c)
                                                          : filter_numbers(image->dtype, corners, count, c);
}

/* ---- surfaces ---- */

static bool apply_address_mode(int64_t *index, int64_t extent, int beyond)
{
    if (*index >= 0 && *index < extent)
        return true;
    *index = *index < 0 ? 0 : extent - 1;
    return beyond == GPUCC_CPU_CLAMP;
}

/* The texel's address; null outside, if that is not an error. */
static char *spot_address(const struct gpucc_cpu_spot *spot)
{
    char what[160];
    const struct cpu_image *image = &object_of(spot->surface, true, spot->geometry, spot->place)->image;
    const int64_t size = (int64_t)texel_size(image), byte = spot->at[0];
    const bool layered = geometries[spot->geometry].layered;
    int64_t at[4] = {(byte - (byte < 0 ? size - 1 : 0)) / size, spot->at[1], layered ? 0 : spot->at[2],
                     layered ? spot->at[2] : 0};
    if (spot->size != size) {
        snprintf(what, sizeof what, "a surface with texels of %lld bytes is accessed with a type of %u",
                 (long long)size, spot->size);
        refuse(spot->place, what);
    }
    bool inside = byte % size == 0;
    for (int d = 0; d < 3; d++)
        inside &= apply_address_mode(&at[d], image->extent[d], spot->beyond);
    inside &= apply_address_mode(&at[3], image->layers ? image->layers : 1, spot->beyond);
    if (!inside && spot->beyond != GPUCC_CPU_ZERO) {
        snprintf(what, sizeof what, "byte offset %d, %d, %d is not a texel's of the surface", spot->at[0], spot->at[1],
                 spot->at[2]);
        refuse(spot->place, what);
    }
    if (!inside)
        return NULL;
    char *const texel = texel_at(image, at[0], at[1], at[2], at[3]);
    note_texel(image, texel);
    return texel;
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
