#include <gpucc.h>
#include <math.h>

/* For other languages' kernels to call, under this name. */
device float decay(float x) { return expf(-x * x / 50); }

vectorize(float32(float32))
float wave(float x) { return sinf(x) * decay(x); }
