#include <gpucc.h>

vectorize()
float made(float x) { return x; }

static float hidden(float x) { return x; }
device double typed(double x) { return x; }
constant float table[2] = {1, 2};
static float apart(float x) { return x; }

kernel void own(float *x) { *x = hidden(apart(*x)); }
int clash;
