#include <gpucc.h>
#include <math.h>

double discriminant_exact(double a, double b, double c)
{
    return sqrt(b * b - 4 * a * c);
}

/* √(b² − 4ac): how far apart the roots of ax² + bx + c lie, times a; NaN where there are no real ones. */
reference(discriminant_exact) vectorize(float32(float32, float32, float32))
float discriminant(float a, float b, float c)
{
    return sqrtf(b * b - 4 * a * c);
}
