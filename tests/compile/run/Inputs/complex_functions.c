#include <gpucc.h>
#include <tgmath.h>

typevar(C, complex64, complex128);
typevar(T, float32, complex64);

vectorize()
C root(C z) { return sqrt(z); }

vectorize()
T wave(T z) { return sin(z) + fabs(z); }

vectorize()
C everything(C z, C w)
{
    C sum = exp(z) + log(z) * pow(z, w) / w * fabs(w);
    sum += asin(z) + acos(z) + atan(z) + asinh(w) + acosh(w) + atanh(w);
    sum += sin(w) + cos(w) + tan(w) + sinh(z) + cosh(z) + tanh(z);
    return sum + conj(z) * carg(w) + cproj(creal(z) * cimag(z));
}
