#include "solid.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

double sphere_volume(length_t radius) { return 4 * pi / 3 * radius * radius * radius; }
double box_volume(double a, double b, double c) { return a * b * c; }

void sphere(double radius, double *area, double *volume)
{
    *area = 4 * pi * radius * radius;
    *volume = *area * radius / 3;
}

void litres(double volume, int64_t *whole, double scale, double *rest)
{
    *whole = (int64_t)(volume * scale);
    *rest = volume * scale - (double)*whole;
}

int sphere_radius(double volume, double *radius)
{
    if (volume < 0) {
        *radius = 0;
        return 1;
    }
    *radius = cbrt(volume * 3 / (4 * pi));
    return 0;
}

double modulus(double x, int *quotient)
{
    *quotient = (int)floor(x / 10);
    return x - 10 * *quotient;
}

void normalize_angle(double *angle)
{
    if (*angle < 0)
        *angle += 360;
}

int64_t cell_index(double x, int64_t *next)
{
    const int64_t index = (int64_t)x;
    if (next)
        *next = index + 1;
    return index;
}

void cross(double a[3], double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

double dot(const double *a, const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void rotate_x(double phi, double r[3][3])
{
    const double s = sin(phi), c = cos(phi);
    for (int i = 0; i < 3; i++) {
        const double y = r[1][i], z = r[2][i];
        r[1][i] = c * y + s * z;
        r[2][i] = c * z - s * y;
    }
}

static void clear(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

void centre(int n, const double points[][3], double at[3])
{
    clear(at, 3);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            at[k] += points[i][k] / n;
}

void differences(double *x, int n, double *between)
{
    for (int i = 0; i < n - 1; i++)
        between[i] = x[i + 1] - x[i];
}

double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

double squared(const double *x) { return *x * *x; }

double scaled(double *unread, double x)
{
    (void)unread;
    return 3 * x;
}

double body_mass(const body_t *body) { return body->mass; }

double body_distance(body_t *a, body_t *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a->centre[i] - b->centre[i]) * (a->centre[i] - b->centre[i]);
    return sqrt(sum);
}

int heavier(double factor, body_t *body)
{
    body->mass *= factor;
    return body->mass > 1;
}

static void move_to(double *centre, const double at[3])
{
    for (int i = 0; i < 3; i++)
        centre[i] = at[i];
}

void body_new(double mass, const double at[3], body_t *body)
{
    body->mass = mass;
    move_to(body->centre, at);
}

double total_mass(int n, const body_t *bodies, body_t *heaviest)
{
    double sum = 0;
    *heaviest = bodies[0];
    for (int i = 0; i < n; i++) {
        if (bodies[i].mass > heaviest->mass)
            *heaviest = bodies[i];
        sum += bodies[i].mass;
    }
    return sum;
}

struct shell shell_of(double radius, float thickness)
{
    return (struct shell){(float)radius, (float)radius + thickness};
}

float shell_volume(struct shell shell, int *is_empty)
{
    *is_empty = shell.outer <= shell.inner;
    return 4.18879f * (shell.outer * shell.outer * shell.outer - shell.inner * shell.inner * shell.inner);
}

int label_length(const struct label *label) { return label->length; }
double either_real(const union either *either, double x) { return either->real * x; }

void ignored(void) {}
double constant(void) { return pi; }
double named(const char *name, double x) { return name[0] == 'x' ? x : 0; }
double integral(double (*f)(double), double a, double b) { return (b - a) * f((a + b) / 2); }

double sum_all(int n, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, n);
    while (n--)
        sum += va_arg(list, double);
    va_end(list);
    return sum;
}

double buffered(double x)
{
    double *copy = malloc(sizeof *copy);
    *copy = x;
    x = *copy;
    free(copy);
    return x;
}

double buffered_deep(double x) { return buffered(x) + 1; }

double *minimum(const double x[3], double least[1])
{
    least[0] = fmin(x[0], fmin(x[1], x[2]));
    return least;
}

double long_way(long double x) { return (double)x; }

static double *kept;
void hidden(double *x, double y)
{
    kept = x;
    *kept = y;
}
