/* The math library as native code without vectors: built with -O1. */
#define UFUNC(name) scalar_##name
#include "suite_math.c"
