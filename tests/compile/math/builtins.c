// Clang's builtins of C's library are the functions of ours, with the same bits; what there is none of is an error.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: llvm-nm-19 -u %t.o | FileCheck %s --check-prefix=NATIVE --allow-empty
// RUN: sh -c 'for x in -3.75 0.5 1.25 700; do env GPUCC_DEVICE=cpu %gpucc run %s different $x 2.5 | grep "first   0$" || exit 1; done'
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s texts zeros:1:int32 | FileCheck %s --check-prefix=TEXTS
// RUN: %exits 1 %gpucc %s -DMISSING -o %t.ptx 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %exits 1 %gpucc %s -DMISSING -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSING
#include <gpucc.h>
#include <complex.h>
#include <math.h>
#include <string.h>

// PTX-NOT: .extern .func
// NATIVE-NOT: U {{[b-fh-ln-vx-z]}}

#define DIFFERS(a, b) ((a) != (b) && !((a) != (a) && (b) != (b)))
#define ONE(name) (DIFFERS(__builtin_##name(x), name(x)) || DIFFERS(__builtin_##name##f(f), name##f(f)) || DIFFERS(__builtin_##name##l(x), name(x)))
#define TWO(name) (DIFFERS(__builtin_##name(x, y), name(x, y)) || DIFFERS(__builtin_##name##f(f, g), name##f(f, g)))
#define COMPLEX(name) DIFFERS(__builtin_##name(z), name(z))

vectorize(int32(float64, float64))
int different(double x, double y)
{
    float f = (float)x, g = (float)y;
    double complex z = CMPLX(x, y);
    double whole, part = __builtin_modf(x, &whole), other;
    int exponent, same, places = 0;
    float fraction = __builtin_frexpf(f, &exponent);
    typedef float pair __attribute__((ext_vector_type(2)));
    pair sines = __builtin_elementwise_sin((pair){f, g}), powers = __builtin_elementwise_pow((pair){f, g}, (pair){g, f});
    places += ONE(acos) + ONE(asin) + ONE(atan) + ONE(cos) + ONE(sin) + ONE(tan) + ONE(cosh) + ONE(sinh) + ONE(tanh);
    places += ONE(acosh) + ONE(asinh) + ONE(atanh) + ONE(exp) + ONE(exp2) + ONE(expm1) + ONE(log) + ONE(log2) + ONE(log10);
    places += ONE(log1p) + ONE(logb) + ONE(cbrt) + ONE(erf) + ONE(erfc) + ONE(tgamma) + ONE(lgamma) + ONE(lround) + ONE(lrint);
    places += TWO(atan2) + TWO(fmod) + TWO(pow) + TWO(hypot) + TWO(fdim) + TWO(nextafter) + TWO(remainder) + TWO(fmax) + TWO(fmin);
    places += COMPLEX(cexp) + COMPLEX(clog) + COMPLEX(csqrt) + COMPLEX(cabs) + COMPLEX(carg) + COMPLEX(cproj);
    places += DIFFERS(part, modf(x, &other)) + DIFFERS(whole, other);
    places += DIFFERS(fraction, frexpf(f, &same)) + (exponent != same);
    places += DIFFERS(__builtin_ldexp(x, 3), ldexp(x, 3)) + DIFFERS(__builtin_powif(f, 5), pownf(f, 5));
    places += DIFFERS(sines.x, sinf(f)) + DIFFERS(sines.y, sinf(g)) + DIFFERS(powers.x, powf(f, g)) + DIFFERS(powers.y, powf(g, f));
    places += DIFFERS((float)__builtin_expf16((float16)f), (float)(float16)expf((float)(float16)f));
    places += DIFFERS(__builtin_canonicalize(x), x) + !__builtin_isnan(__builtin_nanf("\n")) + !__builtin_isnan(__builtin_nan("?"));
    places += DIFFERS((float)__builtin_fmaxf16((float16)f, (float16)g), fmaxf((float)(float16)f, (float)(float16)g));
    return places;
}

// TEXTS: first   7
vectorize(int32(int32))
int texts(int x)
{
    char text[8] = "gpu", other[8];
    other[0] = (char)('a' + x);
    __builtin_strcpy(other, text);
    return (__builtin_memcmp(text, other, 4 + (size_t)x) == 0) + 2 * (__builtin_strlen(text) == 3 + (size_t)x) +
           4 * (__builtin_memchr(text, 'u', 4) == text + 2 && __builtin_strcmp(text, "gpt") > 0 && __builtin_strncmp(text, "gpt", 2) == 0);
}

kernel void stops(int32 *a)
{
    if (*a > 3)
        __builtin_abort();
}

#ifdef MISSING
// MISSING: builtins.c:[[#@LINE+3]]:30: error: '__builtin_strdup' requires a C library, which device code does not have, and gpucc does not provide 'strdup'
kernel void copies(char **a)
{
    a[0] = a[1] ? a[1] + 1 : __builtin_strdup(a[0]);
}

static void unused(char *a) { __builtin_free(__builtin_strdup(a)); }
#endif
