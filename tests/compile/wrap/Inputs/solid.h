/* A small library for `gpucc wrap`: each function is a case of its own. */
#ifndef SOLID_H
#define SOLID_H
#include <stddef.h>
#include <stdint.h>

typedef double length_t;
typedef struct {
    double mass, centre[3];
} body_t;
struct shell {
    float inner, outer;
};
struct label {
    const char *text;
    int length;
};
union either {
    double real;
    int64_t integer;
};

/* Volumes */
double sphere_volume(length_t radius);
double box_volume(double a, double b, double c);
void sphere(double radius, double *area, double *volume);

/* Splits a volume into whole litres and the rest.
 * The counts stand in the middle. */
void litres(double volume, int64_t *whole, double scale, double *rest);

/* Returns 0, or 1 for a negative volume. */
int sphere_radius(double volume, double *radius);

double modulus(double x, int *quotient);
void normalize_angle(double *angle);
int64_t cell_index(double x, int64_t *next);

void cross(double a[3], double b[3], double product[3]);
double dot(const double *a, const double b[3]);
void rotate_x(double phi, double r[3][3]);
void centre(int n, const double points[][3], double at[3]);
void differences(double *x, int n, double *between);
double mean(const double *x, size_t n);
double squared(const double *x);
double scaled(double *unread, double x);

double body_mass(const body_t *body);
double body_distance(body_t *a, body_t *b);
int heavier(double factor, body_t *body);
void body_new(double mass, const double at[3], body_t *body);
double total_mass(int n, const body_t *bodies, body_t *heaviest);
struct shell shell_of(double radius, float thickness);
float shell_volume(struct shell shell, int *is_empty);
int label_length(const struct label *label);
double either_real(const union either *either, double x);

void ignored(void);
double constant(void);
double named(const char *name, double x);
double integral(double (*f)(double), double a, double b);
double sum_all(int n, ...);
double buffered(double x);
double buffered_deep(double x);
double *minimum(const double x[3], double least[1]);
double long_way(long double x);
double missing(double x);
void hidden(double *x, double y);
static inline double twice(double x) { return 2 * x; }
#endif
