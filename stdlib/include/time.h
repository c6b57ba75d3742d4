/* <time.h>: types, and declarations of what only hosts have. */
#ifndef GPUCC_TIME_H
#define GPUCC_TIME_H

#include "hosted.h"
#include <sys/types.h>

#define CLOCKS_PER_SEC ((clock_t)1000000)
#define TIME_UTC 1
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};

GPUCC_HOST clock_t clock(void);
GPUCC_HOST time_t time(time_t *time);
GPUCC_HOST double difftime(time_t a, time_t b);
GPUCC_HOST time_t mktime(struct tm *time);
GPUCC_HOST int timespec_get(struct timespec *time, int base);
GPUCC_HOST int clock_gettime(clockid_t clock, struct timespec *time);
GPUCC_HOST int nanosleep(const struct timespec *time, struct timespec *left);
GPUCC_HOST struct tm *gmtime(const time_t *time);
GPUCC_HOST struct tm *localtime(const time_t *time);
GPUCC_HOST struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to);
GPUCC_HOST struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to);
GPUCC_HOST char *asctime(const struct tm *time);
GPUCC_HOST char *ctime(const time_t *time);
GPUCC_HOST size_t strftime(char *restrict to, size_t size, const char *restrict format,
                           const struct tm *restrict time);

#endif
