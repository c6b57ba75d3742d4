/* The PTX of stdlib/runtime/cast.c, where this build has it. */
#include "internal.h"

#if GPUCC_HAS_CASTS
#include "cast_program.h"
const struct gpucc_program_image *const cast_image = &gpucc_program_cast;
#else
const struct gpucc_program_image *const cast_image = NULL;
#endif
