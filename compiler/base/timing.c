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

static bool told;

void stages_tell(void)
{
    told = true;
}

void stage_done(const char *stage)
{
    static double before;
    if (!told)
        return;
    double now = milliseconds();
    if (before > 0)
        fprintf(stderr, "gpucc: %-10s %7.2f ms\n", stage, now - before);
    before = now;
}
