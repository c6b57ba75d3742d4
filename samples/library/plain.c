/* The library as any C compiler builds it, for solar_host.c to compare with. */
#include "solar.h"

double plain_elevation(double day, double latitude, double longitude)
{
    return solar_elevation(day, latitude, longitude);
}

double plain_refraction(double elevation) { return solar_refraction(elevation); }
