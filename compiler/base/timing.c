/* How long each stage takes, for -v. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <time.h>

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool is_timing;

void stages_enable_timing(void)
{
    is_timing = true;
}

void stage_done(const char *stage)
{
    static double before;
    if (!is_timing)
        return;
    double now = milliseconds();
    if (before > 0)
        fprintf(stderr, "gpucc: %-10s %7.2f ms\n", stage, now - before);
    before = now;
}
