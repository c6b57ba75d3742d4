#include <gpucc.h>

device
float32 half_of(float32 x) { return x / 2; }

vectorize()
float32 unused(float32 x) { return x; }
