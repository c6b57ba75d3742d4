/* A progress bar on standard error, where that is a terminal and the work takes long enough for someone to wonder. */
#define _XOPEN_SOURCE 700
#include "run/run_internal.h"

#include <time.h>
#include <unistd.h>

enum { WIDTH = 30 };

static const double patience = 0.7, interval = 0.1; /* seconds */

static struct {
    const char *what;
    uint64_t done, total;
    double start, shown;
    bool active, visible;
} bar;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_begin(const char *what, uint64_t total)
{
    bar.active = total && isatty(STDERR_FILENO);
    bar.visible = false;
    bar.what = what;
    bar.done = 0;
    bar.total = total;
    bar.start = bar.shown = bar.active ? now() : 0;
}

void progress_add(uint64_t done)
{
    if (!bar.active)
        return;
    bar.done += done;
    double time = now(), elapsed = time - bar.start, part = (double)bar.done / (double)bar.total;
    if (elapsed < patience || time - bar.shown < interval || part > 1)
        return;
    bar.shown = time;
    bar.visible = true;
    int filled = (int)(part * WIDTH);
    fprintf(stderr, "\r%.40s [", bar.what);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f%%  %.0f s left\033[K", 100 * part, part > 0 ? elapsed / part - elapsed : 0);
    fflush(stderr);
}

void progress_end(void)
{
    if (bar.visible)
        fputs("\r\033[K", stderr);
    bar.active = bar.visible = false;
}
