/* The sun above the horizon. */
#include "solar.h"
#include <errno.h>

/* Differs from orbit.c's function of that name: `static` ones belong to their file. */
static double polynomial(double x) { return 0.0167 * (1 + x); }

double solar_elevation(double day, double latitude, double longitude)
{
    double right_ascension, declination;
    solar_position(day, &right_ascension, &declination);
    const double sidereal = angle_wrap(280.46061837 + 360.98564736629 * day);
    const double hour_angle = sidereal + longitude - right_ascension;
    return arc_sine(sine(latitude) * sine(declination) + cosine(latitude) * cosine(declination) * cosine(hour_angle));
}

double solar_refraction(double elevation)
{
    errno = 0;
    const double sine_of = sine(elevation + 10.3 / (elevation + 5.11)), inverse = arc_sine(sine_of);
    return errno || elevation < -2 ? 0 : polynomial(0) * 1.02 * cosine(inverse) / (sine_of > 0.01 ? sine_of : 0.01);
}
