#include <gpucc.h>
#include "shared.h"

vectorize(float32(float32))
float raised(float x) { return x + OFFSET; }
