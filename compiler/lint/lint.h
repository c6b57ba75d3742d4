/* -Wperformance: finds slow code in the user's functions, before the math library joins them. It works on a clone of
 * the module, and reports warnings of the build. */
#ifndef GPUCC_LINT_H
#define GPUCC_LINT_H

#include "codegen/codegen.h"

/* After lower(): reports the warnings, and frees build->user_code. */
stage_function lint;

#endif
