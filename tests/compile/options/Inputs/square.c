#include <gpucc.h>

/* The square. */
vectorize(float32(float32))
float square(float x) { return x * x; }
