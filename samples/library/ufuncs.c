/* The functions of solar.h that become ufuncs; their bodies are in the library's own files.  `gpucc wrap solar.h
 * angles.c orbit.c horizon.c --select='solar_*'` writes such a file. */
#include <gpucc.h>

/* The sun's ecliptic longitude in degrees, of days since 2000-01-01 12:00 UT. */
gpucc_vectorize() double solar_longitude(double day);
/* Right ascension and declination in degrees. */
gpucc_vectorize() void solar_position(double day, double *right_ascension, double *declination);
/* The sun's elevation above the horizon in degrees, without refraction. */
gpucc_vectorize() double solar_elevation(double day, double latitude, double longitude);
/* Returns the refraction at an elevation, both in degrees. */
gpucc_vectorize() double solar_refraction(double elevation);
