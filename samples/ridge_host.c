/* Ridge regression: the x for which |A x - b|^2 + damping^2 |x|^2 is least, by LSMR (Fong and Saunders, 2011), which
 * asks for products with A and its transpose alone.  Vectors stay on the device; the host has a few numbers. */
#include "ridge.h"
#include "sample.h"
#include <math.h>

enum { ROWS = 20000, COLUMNS = 40, MOST_STEPS = 200 };
static const double damping = 3, tolerance = 1e-12;

/* A vector, and the same memory as a column of a matrix. */
struct vector {
    gpucc_array *row, *column;
};

/* n zeros */
static struct vector vector_create(gpucc_context *context, int64_t n)
{
    struct vector vector;
    const int64_t shape[2] = {n, 1};
    double *zeros = calloc((size_t)n, sizeof *zeros);
    if (!zeros)
        exit(3);
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, shape, NULL, zeros, &vector.row));
    free(zeros);
    CHECK(gpucc_array_view(vector.row, 2, shape, NULL, 0, &vector.column));
    return vector;
}

static gpucc_array *scalar(gpucc_context *context, double value)
{
    gpucc_array *made;
    CHECK(gpucc_array_scalar(context, GPUCC_FLOAT64, &value, &made));
    return made;
}

/* y = p x + q y */
static void update(gpucc_context *context, double p, const gpucc_array *x, double q, gpucc_array *y)
{
    gpucc_array *left = scalar(context, p), *right = scalar(context, q);
    CHECK(blend(context, left, x, right, y, &y));
    gpucc_array_release(left);
    gpucc_array_release(right);
}

static double length(gpucc_context *context, const gpucc_array *x)
{
    double value;
    gpucc_array *out = NULL;
    CHECK(square(context, x, &out, NULL));
    CHECK(gpucc_array_read(out, &value, sizeof value));
    gpucc_array_release(out);
    return sqrt(value);
}

/* Scales to length 1, and returns the length before. */
static double normalize(gpucc_context *context, gpucc_array *x)
{
    const double was = length(context, x);
    if (was > 0)
        update(context, 0, x, 1 / was, x);
    return was;
}

/* y = A x + q y; transposed: y = A' x + q y */
static void multiply_add(gpucc_context *context, const gpucc_array *matrix, int transposed, const struct vector *x,
                         double q, const struct vector *y)
{
    const int axis = transposed ? 0 : 1;
    const gpucc_reduce_options along = {.size = sizeof along, .axes = &axis, .axis_count = 1};
    gpucc_array *made = NULL;
    CHECK(product(context, matrix, transposed ? x->column : x->row, &made, &along));
    update(context, 1, made, q, y->row);
    gpucc_array_release(made);
}

/* Solves into x, which is 0; returns the number of steps.  The names are those of the paper. */
static int lsmr(gpucc_context *context, const gpucc_array *A, const struct vector *b, const struct vector *x)
{
    struct vector u = vector_create(context, ROWS), v = vector_create(context, COLUMNS);
    struct vector h = vector_create(context, COLUMNS), hbar = vector_create(context, COLUMNS);
    update(context, 1, b->row, 0, u.row);
    double beta = normalize(context, u.row);
    multiply_add(context, A, 1, &u, 0, &v);
    double alpha = normalize(context, v.row);
    update(context, 1, v.row, 0, h.row);

    double zetabar = alpha * beta, alphabar = alpha, rho = 1, rhobar = 1, cbar = 1, sbar = 0;
    const double first = zetabar;
    int steps = 0;
    while (steps < MOST_STEPS && fabs(zetabar) > tolerance * first) {
        steps++;
        multiply_add(context, A, 0, &v, -alpha, &u); /* the next two vectors of Golub and Kahan's */
        beta = normalize(context, u.row);
        multiply_add(context, A, 1, &u, -beta, &v);
        alpha = normalize(context, v.row);

        const double alphahat = hypot(alphabar, damping), rhoold = rho, rhobarold = rhobar;
        rho = hypot(alphahat, beta);
        const double c = alphahat / rho, s = beta / rho, thetanew = s * alpha;
        alphabar = c * alpha;
        const double thetabar = sbar * rho, rhotemp = cbar * rho;
        rhobar = hypot(rhotemp, thetanew);
        cbar = rhotemp / rhobar;
        sbar = thetanew / rhobar;
        const double zeta = cbar * zetabar;
        zetabar = -sbar * zetabar;

        update(context, 1, h.row, -thetabar * rho / (rhoold * rhobarold), hbar.row);
        update(context, zeta / (rho * rhobar), hbar.row, 1, x->row);
        update(context, 1, v.row, -thetanew / rho, h.row);
    }
    return steps;
}

/* The length of A' (b - A x) - damping^2 x, which is 0 at the least. */
static double gradient(gpucc_context *context, const gpucc_array *A, const struct vector *b, const struct vector *x)
{
    struct vector residual = vector_create(context, ROWS), slope = vector_create(context, COLUMNS);
    update(context, -1, b->row, 0, residual.row);
    multiply_add(context, A, 0, x, 1, &residual);
    update(context, damping * damping, x->row, 0, slope.row);
    multiply_add(context, A, 1, &residual, 1, &slope);
    return length(context, slope.row);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const int64_t shape[2] = {ROWS, COLUMNS};
    double *matrix = malloc(sizeof(double) * ROWS * COLUMNS), *right = malloc(sizeof(double) * ROWS);
    uint32_t state = 1;
    if (!matrix || !right)
        return 3;
    /* Column k weighs k / 10, as far as noise lets one see. */
    for (int i = 0; i < ROWS; i++) {
        right[i] = 0.1 * ((double)sample_random(&state) - 0.5);
        for (int k = 0; k < COLUMNS; k++) {
            matrix[i * COLUMNS + k] = (double)sample_random(&state) - 0.5;
            right[i] += matrix[i * COLUMNS + k] * k / 10;
        }
    }
    gpucc_array *A = NULL;
    struct vector b = vector_create(context, ROWS), x = vector_create(context, COLUMNS);
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT64, 2, shape, NULL, matrix, &A));
    CHECK(gpucc_array_write(b.row, right, sizeof(double) * ROWS));

    const double before = gradient(context, A, &b, &x);
    const int steps = lsmr(context, A, &b, &x);
    const double after = gradient(context, A, &b, &x);
    double weights[COLUMNS];
    CHECK(gpucc_array_read(x.row, weights, sizeof weights));
    for (int k = 0; k < COLUMNS; k++)
        EXPECT(fabs(weights[k] - k / 10.0) < 0.05);
    EXPECT(steps < MOST_STEPS && after < 1e-9 * before);
    printf("%d steps; weights 1 to 3: %.3f %.3f %.3f\n", steps, weights[1], weights[2], weights[3]);
    free(matrix);
    free(right);
    gpucc_context_destroy(context);
    return 0;
}
