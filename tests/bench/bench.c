#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char **chosen;
static int chosen_count;

void bench_must(gpucc_status status, const char *call)
{
    if (status == GPUCC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, gpucc_status_name(status), gpucc_last_error());
    exit(1);
}

void bench_row(const char *name, const char *peer, double value, const char *unit)
{
    printf("%s %s %.6g %s\n", name, peer, value, unit);
    fflush(stdout);
}

void bench_arguments(int argc, char **argv)
{
    chosen = argv + 1;
    chosen_count = argc - 1;
}

bool bench_section(const char *name)
{
    for (int i = 0; i < chosen_count; i++)
        if (strcmp(name, chosen[i]) == 0)
            return true;
    return chosen_count == 0;
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

float *bench_random(size_t n, float low, float high)
{
    float *data = malloc(n * sizeof *data);
    if (!data) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = low + (high - low) * (float)(state >> 8) * 0x1p-24f;
    }
    return data;
}
