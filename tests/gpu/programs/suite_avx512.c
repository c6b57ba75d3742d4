/* The math library as native code with AVX-512: built with -march=x86-64-v4. */
#define UFUNC(name) avx512_##name
#include "suite_math.c"
