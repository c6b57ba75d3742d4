/* A small C library, of which ufuncs.c makes ufuncs: where the sun stands. */
#ifndef SOLAR_H
#define SOLAR_H

/* angles.c; angles are in degrees */
double angle_wrap(double angle);           /* into 0 to 360 */
double sine(double angle);
double cosine(double angle);
double arc_sine(double x);                 /* sets errno to EDOM beyond -1 to 1, and returns 0 */
double arc_tangent(double y, double x);

/* orbit.c; days are counted from 2000-01-01 12:00 UT */
struct orbit_term {
    double amplitude, phase, rate;
};
extern const struct orbit_term orbit_terms[]; /* ends with an amplitude of 0 */
double solar_longitude(double day);
void solar_position(double day, double *right_ascension, double *declination);

/* horizon.c; longitudes are positive in the east */
double solar_elevation(double day, double latitude, double longitude);
double solar_refraction(double elevation); /* what the air adds to it */

#endif
