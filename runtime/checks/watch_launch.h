/* The watch over a launch, for those who launch. */
#ifndef GPUCC_WATCH_LAUNCH_H
#define GPUCC_WATCH_LAUNCH_H

#include "executor/cpu_launch.h"
#include "programs/programs.h"

/* The checks of launches of the program's code; 0: none. */
unsigned watch_checks(const gpucc_program *program);
/* Has the launch watched, which watch_end() ends, with its status: a failure where faults were found, which are
 * reported first.  `kernel`, in that stream, or null: for a call of a gufunc. */
gpucc_status watch_begin(gpucc_context *context, const gpucc_kernel *kernel, gpucc_stream *stream, unsigned checks,
                         struct cpu_launch *launch);
gpucc_status watch_end(struct watch *watch, const char *name, gpucc_status status);

#endif
