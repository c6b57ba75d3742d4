/* Angles in degrees. */
#include "solar.h"
#include <errno.h>
#include <math.h>

static const double degree = 3.14159265358979323846 / 180;

double angle_wrap(double angle) { return angle - 360 * floor(angle / 360); }
double sine(double angle) { return sin(angle * degree); }
double cosine(double angle) { return cos(angle * degree); }

double arc_sine(double x)
{
    if (fabs(x) > 1) {
        errno = EDOM;
        return 0;
    }
    return asin(x) / degree;
}

double arc_tangent(double y, double x) { return atan2(y, x) / degree; }
