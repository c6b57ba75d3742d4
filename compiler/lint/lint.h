/* -Wperformance: what makes kernels slow, seen in the user's own code before the math library joins it. */
#ifndef GPUCC_LINT_H
#define GPUCC_LINT_H

#include "codegen/codegen.h"

/* Behind lower(): tells of it, and disposes of build->user_code. */
stage_function lint;

#endif
