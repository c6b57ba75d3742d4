/* Calls on the CPU. */
#ifndef GPUCC_RUNTIME_CPU_LOOPS_H
#define GPUCC_RUNTIME_CPU_LOOPS_H

#include "records/call.h"

/* ufunc_cpu.c */

gpucc_status cpu_run_contiguous(const struct call *call, char *const *data, uint64_t n);
/* Over operands of the loop's types. */
gpucc_status cpu_run_nest(const struct call *call, const struct nest *nest);
/* The native loop, a struct loop, over one row; and whether there is one. */
void cpu_run_native(void *data, char **args, int64_t n, const int64_t *steps);
gpucc_status cpu_check_native(const struct call *call);

/* buffered_cpu.c */

/* Over operands of the types that the call uses, and its mask, which is the nest's last one. */
gpucc_status cpu_run_call(const struct call *call, struct nest *nest);

#endif
