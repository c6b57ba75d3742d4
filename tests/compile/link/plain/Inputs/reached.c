#include <stddef.h>

double missing(double);

static double innermost(double x)
{
    return missing(x);
}

double allocates(double x)
{
    return innermost(x);
}

double is_fine(double x)
{
    return x + 1;
}

double unreached(int n)
{
    double a[n];
    return a[0] + missing(n);
}
