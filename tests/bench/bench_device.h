/* Shared by the benchmark's programs for a GPU: the context, and time between events. */
#ifndef GPUCC_TESTS_BENCH_DEVICE_H
#define GPUCC_TESTS_BENCH_DEVICE_H

#include "bench.h"

/* The machine's first GPU; says "skipped: no device" and ends the program with status 0 where there is none.  Destroy
 * it with gpucc_context_destroy(). */
gpucc_context *bench_device(void);

/* Puts its work into the context's stream. */
typedef void bench_work(void *data);

/* Microseconds on the device of one of `times` calls one behind the other. */
double bench_device_once(gpucc_context *context, bench_work *work, void *data, int times);
/* Median microseconds on the device of a call, once its clocks are up. */
double bench_device_time(gpucc_context *context, bench_work *work, void *data);
/* Median microseconds of a call with each of two data, timed in turn, so that both see the same machine. */
void bench_device_in_turn(gpucc_context *context, bench_work *work, void *const data[2], double medians[2]);

/* A call of a ufunc or gufunc.  Where there is no output, the first call makes one, which later ones fill. */
struct bench_call {
    gpucc_ufunc *ufunc;
    const gpucc_array *inputs[2];
    gpucc_array *output;
    const gpucc_array *where; /* for works of the program's own */
};
/* Calls it, without `where`; a bench_work. */
void bench_device_call(void *data);

/* n random numbers on the device, uniform in [low, high). */
gpucc_array *bench_device_random(gpucc_context *context, int64_t n, float low, float high);

#endif
