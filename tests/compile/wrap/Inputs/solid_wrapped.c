/* Ufuncs of solid.h, made by gpucc wrap.  Compile this file together with the library's sources. */
#define GPUCC_NO_SHORT_NAMES /* the library may have a function named `device` */
#include <gpucc.h>
#include "solid.h"
#include <string.h>

/* The library's prototypes lack 'const' for arrays that it only reads. */
#pragma clang diagnostic ignored "-Wincompatible-pointer-types-discards-qualifiers"

gpucc_vectorize() double sphere_volume(length_t radius);
gpucc_vectorize() double box_volume(double a, double b, double c);
gpucc_vectorize() void sphere(double radius, double *area, double *volume);

/* Splits a volume into whole litres and the rest.
 * The counts stand in the middle. */
gpucc_vectorize()
void litres_wrapped(double volume, double scale, int64_t *whole, double *rest)
{
    litres(volume, whole, scale, rest);
}

/* Returns 0, or 1 for a negative volume. */
gpucc_vectorize()
void sphere_radius_wrapped(double volume, double *radius, _Bool *failed)
{
    *failed = sphere_radius(volume, radius) != 0;
}

gpucc_vectorize()
void modulus_wrapped(double x, double *value, int *quotient)
{
    *value = modulus(x, quotient);
}

gpucc_vectorize()
void normalize_angle_wrapped(double angle, double *angle_out)
{
    *angle_out = angle;
    normalize_angle(angle_out);
}

gpucc_vectorize()
void cell_index_wrapped(double x, int64_t *value, int64_t *next)
{
    *value = cell_index(x, next);
}

gpucc_guvectorize((3),(3)->(3))
void cross_wrapped(const double a[3], const double b[3], double product[3])
{
    cross(a, b, product);
}

gpucc_guvectorize((3),(3)->())
void dot_wrapped(const double a[3], const double b[3], double *value)
{
    *value = dot(a, b);
}

gpucc_guvectorize((),(3,3)->(3,3))
void rotate_x_wrapped(double phi, const double r[3][3], double r_out[3][3])
{
    memcpy(r_out, r, sizeof(double[3][3]));
    rotate_x(phi, r_out);
}

gpucc_guvectorize((n,3)->(3))
void centre_wrapped(size_t n, const double points[n][3], double at[3])
{
    centre((int)n, points, at);
}

gpucc_guvectorize((n)->(d1))
void differences_wrapped(size_t n, const double x[n], double between[n - 1])
{
    differences(x, (int)n, between);
}

gpucc_guvectorize((n)->())
void average(size_t n, const double x[n], double *value)
{
    *value = mean(x, n);
}

gpucc_vectorize()
double squared_wrapped(double x)
{
    return squared(&x);
}

/* Left out: scaled: it is here for tests alone. */

gpucc_guvectorize(()->())
void body_mass_wrapped(const body_t *body, double *value)
{
    *value = body_mass(body);
}

gpucc_guvectorize((),()->())
void body_distance_wrapped(const body_t *a, const body_t *b, double *value)
{
    *value = body_distance(a, b);
}

gpucc_guvectorize((),()->(),())
void heavier_wrapped(double factor, const body_t *body, body_t *body_out, int *status)
{
    *body_out = *body;
    *status = heavier(factor, body_out);
}

gpucc_guvectorize((),(3)->())
void body_new_wrapped(double mass, const double at[3], body_t *body)
{
    *body = (body_t){0};
    body_new(mass, at, body);
}

gpucc_guvectorize((n)->(),())
void total_mass_wrapped(size_t n, const body_t bodies[n], double *value, body_t *heaviest)
{
    *heaviest = (body_t){0};
    *value = total_mass((int)n, bodies, heaviest);
}

gpucc_guvectorize((),()->())
void shell_of_wrapped(double radius, float thickness, struct shell *value)
{
    *value = shell_of(radius, thickness);
}

gpucc_guvectorize(()->(),())
void shell_volume_wrapped(const struct shell *shell, float *value, int *is_empty)
{
    *value = shell_volume(*shell, is_empty);
}

/* Left out: label_length: 'label' is a struct (const struct label *), whose member 'text' has no dtype. */

/* Left out: either_real: 'either' is const union either *, which is not the type of an operand. */

/* Left out: ignored: it has no outputs. */

/* Left out: constant: it has no inputs. */

/* Left out: named: 'name' is text (const char *). */

/* Left out: integral: 'f' is a callback (double (*)(double)). */

/* Left out: sum_all: it takes a variable number of arguments. */

/* Left out: buffered: it calls 'malloc', which exists only on hosts. */

/* Left out: buffered_deep: it calls 'buffered', which calls 'malloc', which exists only on hosts. */

gpucc_guvectorize((3)->(1))
void minimum_wrapped(const double x[3], double least[1])
{
    (void)minimum(x, least);
}

/* Left out: long_way: 'x' is long double, which is not the type of an operand. */

/* Left out: missing: none of the sources defines it. */

/* Left out: hidden: the extent of 'x' is unknown; list it: x = "out[n]". */
