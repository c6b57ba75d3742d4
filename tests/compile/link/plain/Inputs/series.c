#include <gpucc.h>
#include "series.h"

/* This function has the name of linked.c's, and another meaning. */
static double helper(double x) { return 100 * x; }
struct other { float f; };

double unreached(double x, int n);

double series(double x) { return coefficients[0] + helper(x); }
double pair_product(const struct pair *p) { return p->a * p->b; }
double old_style(x)
double x;
{
    return 10 * x;
}
__attribute__((weak)) double weak_one(void) { return 1e6; }
double prototyped(double x) { return x + 5; }
double unreached(double x, int n) { return n ? unreached(x * x, n - 1) : x; }
float annotated_there(float x) { return 2 * x; }
void summed(size_t n, const double x[n], double *y)
{
    *y = 0;
    for (size_t i = 0; i < n; i++)
        *y += x[i];
}
