/* The sun as seen from the earth's centre: the low-precision formulas of the Astronomical Almanac, good to 0.01 degrees
 * from 1950 to 2050. */
#include "solar.h"
#include <stdio.h>

const struct orbit_term orbit_terms[] = {{1.915, 357.528, 0.9856003}, {0.020, 715.056, 1.9712006}, {0, 0, 0}};

/* c0 + c1 t, as every file of such a library has one of its own. */
static double polynomial(const double *c, double t) { return c[0] + c[1] * t; }

double solar_longitude(double day)
{
    static const double mean[] = {280.460, 0.9856474};
    double longitude = polynomial(mean, day);
    for (const struct orbit_term *term = orbit_terms; term->amplitude != 0; term++)
        longitude += term->amplitude * sine(term->phase + term->rate * day);
    return angle_wrap(longitude);
}

void solar_position(double day, double *right_ascension, double *declination)
{
    static const double obliquity[] = {23.439, -0.0000004};
    const double longitude = solar_longitude(day), tilt = polynomial(obliquity, day);
    *right_ascension = angle_wrap(arc_tangent(cosine(tilt) * sine(longitude), cosine(longitude)));
    *declination = arc_sine(sine(tilt) * sine(longitude));
}

/* For hosts alone: nothing that becomes a ufunc calls it. */
int solar_write_table(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int day = 0; file && day < 366; day++)
        fprintf(file, "%d %.4f\n", day, solar_longitude(day));
    return file ? fclose(file) : -1;
}
