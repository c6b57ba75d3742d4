/* <fenv.h>: device code rounds to nearest and raises no floating-point exceptions.  What asks for something else is an
 * error where device code reaches it. */
#ifndef GPUCC_FENV_H
#define GPUCC_FENV_H

#include "hosted.h"

typedef struct { unsigned gpucc_words[8]; } fenv_t;
typedef unsigned short fexcept_t;

#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
#define FE_DFL_ENV ((const fenv_t *)-1)

#define GPUCC_FENV extern inline __attribute__((gnu_inline, always_inline))
GPUCC_FENV int fegetround(void) { return FE_TONEAREST; }
GPUCC_FENV int feclearexcept(int exceptions) { return (void)exceptions, 0; }
GPUCC_FENV int fetestexcept(int exceptions) { return (void)exceptions, 0; }
#undef GPUCC_FENV

GPUCC_HOST int fesetround(int direction);
GPUCC_HOST int feraiseexcept(int exceptions);
GPUCC_HOST int fegetexceptflag(fexcept_t *flags, int exceptions);
GPUCC_HOST int fesetexceptflag(const fexcept_t *flags, int exceptions);
GPUCC_HOST int fegetenv(fenv_t *environment);
GPUCC_HOST int fesetenv(const fenv_t *environment);
GPUCC_HOST int feholdexcept(fenv_t *environment);
GPUCC_HOST int feupdateenv(const fenv_t *environment);

#endif
