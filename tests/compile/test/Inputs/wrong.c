/* Functions with a fault each, which is to be found. */
#include <gpucc.h>
#include <math.h>

/* Differs from its reference beyond a thousand. */
double exactly(double x) { return x > 1000 ? x + 1 : x; }
reference(exactly, within(0.5)) vectorize()
float large(float x) { return x; }

/* The inverse of another function. */
reference(inverse(doubled), within(1)) vectorize()
float half(float x) { return x / 2 + (x > 100); }
vectorize()
float doubled(float x) { return 2 * x; }

/* Knows how often it was called. */
vectorize()
int32 counted(int32 x)
{
    static int32 calls;
    return x + calls++;
}

/* Leaves out what is behind the fourth element. */
reference(total_exact, within(16)) guvectorize((n)->())
void total(size_t n, const float x[n], float *out)
{
    *out = 0;
    for (size_t i = 0; i < n && i < 4; i++)
        *out += x[i] * x[i];
}
guvectorize((n)->())
void total_exact(size_t n, const double x[n], double *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += x[i] * x[i];
}

/* Makes no number of any. */
double any(double x) { return x; }
reference(inverse(any)) vectorize()
double nothing(double x) { return x - x == 0 ? NAN : x - x; }

/* Whose numbers the reference has not all. */
double rounded(double x) { return x; }
reference(rounded, within(0)) vectorize()
int64 exact(int64 x) { return x; }
