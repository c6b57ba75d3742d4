/* A name with spaces and an offset come from the build. */
#include <gpucc.h>
#include "shared.h"

_Static_assert(sizeof NAME == sizeof "two words" || sizeof NAME == 1, "the definition came through");

vectorize(float32(float32))
float square(float x) { return x * x + OFFSET; }
