/* <stdlib.h> for device code: magnitudes of integers alone. */
#ifndef GPUCC_STDLIB_H
#define GPUCC_STDLIB_H

#include <stddef.h>

#define abs(x) __builtin_abs(x)
#define labs(x) __builtin_labs(x)
#define llabs(x) __builtin_llabs(x)

#endif
