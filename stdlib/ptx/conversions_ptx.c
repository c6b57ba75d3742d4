/* stdlib/math/conversions.c as PTX for all architectures, which programs get as text (compiler/ptx/ready_ptx.c): their
 * own compilation takes as long as all of a program's loops but those that convert.
 *
 * Compiled when gpucc is built, by gpucc itself. */
#include <gpucc.h>
#define OUT_OF_LINE device
#include "../math/conversions.c"
