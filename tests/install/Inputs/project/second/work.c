#include <gpucc.h>

vectorize(float32(float32))
float cube(float x) { return x * x * x; }
