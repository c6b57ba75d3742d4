/* The PTX of the runtime's own kernels (stdlib/runtime/), where this build has them. */
#include "internal.h"

#if GPUCC_HAS_KERNELS
#include "cast_program.h"
#include "sort_program.h"
const struct gpucc_program_image *const cast_image = &gpucc_program_cast;
const struct gpucc_program_image *const sort_image = &gpucc_program_sort;
#else
const struct gpucc_program_image *const cast_image = NULL;
const struct gpucc_program_image *const sort_image = NULL;
#endif
