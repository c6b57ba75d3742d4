/* Shared by the benchmark's programs: timing, and the lines that bench.py reads, "NAME gpucc VALUE UNIT". */
#ifndef GPUCC_TESTS_BENCH_H
#define GPUCC_TESTS_BENCH_H

#include <gpucc/runtime.h>
#include <stdbool.h>

/* Ends the program, with the call and the runtime's message, where the call fails. */
#define MUST(call) bench_must(call, #call)
void bench_must(gpucc_status status, const char *call);

/* Says what was measured.  `peer` is who did the work: "gpucc", or "driver", "glibc", "sleef". */
void bench_row(const char *name, const char *peer, double value, const char *unit);
/* True where the command line chose the section, or none. */
bool bench_section(const char *name);
void bench_arguments(int argc, char **argv);

double bench_seconds(void); /* since some moment */
double bench_median(double *values, int count);

/* n numbers, uniform in [low, high). */
float *bench_random(size_t n, float low, float high);

/* trig of n numbers, one after the other, by the C library. */
void scalar_trig(const float *x, float *out, size_t n);

/* scalar_NAME, sleef_NAME: a function of n numbers, one after the other by the C library and eight at a time by SLEEF
 * (n a multiple of eight, arrays aligned to 32 bytes), with an error of one unit in the last place. */
#define FUNCTION_1(name, low, high)                                                                                    \
    void scalar_##name(const float *x, float *out, size_t n);                                                          \
    void sleef_##name(const float *x, float *out, size_t n);
#define FUNCTION_2(name, low, high)                                                                                    \
    void scalar_##name(const float *x, const float *y, float *out, size_t n);                                          \
    void sleef_##name(const float *x, const float *y, float *out, size_t n);
#include <functions_on_cpu.def>
#undef FUNCTION_1
#undef FUNCTION_2

#endif
