/* A type variable, declared outside of the source. */
#include <gpucc.h>

typevar(T, float32, float64);
