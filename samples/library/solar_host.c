/* Ufuncs of a C library beside the library itself: a year of elevations at one place. */
#include "ufuncs.h" /* made by gpucc */
#include "../sample.h"
#include <math.h>

enum { DAYS = 10000 };

double plain_elevation(double day, double latitude, double longitude);
double plain_refraction(double elevation);

static gpucc_array *scalar(gpucc_context *context, double value)
{
    gpucc_array *made;
    CHECK(gpucc_array_scalar(context, GPUCC_FLOAT64, &value, &made));
    return made;
}

int main(int argc, char **argv)
{
    static double days[DAYS], elevations[DAYS], refractions[DAYS];
    const int64_t count = DAYS;
    const double latitude = 52.52, longitude = 13.405;
    gpucc_context *context = sample_context(argc, argv);
    for (int i = 0; i < DAYS; i++)
        days[i] = 8400 + i * 0.0365;
    gpucc_array *day, *north = scalar(context, latitude), *east = scalar(context, longitude);
    gpucc_array *elevation = NULL, *refraction = NULL;
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, &count, NULL, days, &day));
    CHECK(solar_elevation(context, day, north, east, &elevation));
    CHECK(solar_refraction(context, elevation, &refraction));
    CHECK(gpucc_array_read(elevation, elevations, sizeof elevations));
    CHECK(gpucc_array_read(refraction, refractions, sizeof refractions));

    double highest = -90;
    for (int i = 0; i < DAYS; i++) {
        EXPECT(fabs(elevations[i] - plain_elevation(days[i], latitude, longitude)) < 1e-9);
        EXPECT(fabs(refractions[i] - plain_refraction(elevations[i])) < 1e-9);
        highest = elevations[i] > highest ? elevations[i] : highest;
    }
    printf("the sun stands %.2f degrees high at most, as the library says\n", highest);
    gpucc_context_destroy(context);
    return 0;
}
