/* The loops around a ufunc as PTX for all architectures, with words in the place of its function, where programs put
 * theirs (compiler/ptx/ready_loops.c).  Compiled when gpucc is built, by gpucc itself, once for each number and size of
 * operands:
 *   -DR=32 -DA=32 [-DB=32 [-DC=32]]   bits of the result and of the inputs
 *   -DSLOW                            the function has slow paths */
#include <gpucc.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TYPE(bits) JOIN(TYPE_, bits)
#define C_TYPE(bits) JOIN(C_TYPE_, bits)

#define TYPE_8 uint8
#define TYPE_16 uint16
#define TYPE_32 float32
#define TYPE_64 float64
#define C_TYPE_8 uint8_t
#define C_TYPE_16 uint16_t
#define C_TYPE_32 float
#define C_TYPE_64 double

#define REGISTER_8 uint16_t
#define REGISTER_16 uint16_t
#define REGISTER_32 float
#define REGISTER_64 double
#define CONSTRAINT_8 "h"
#define CONSTRAINT_16 "h"
#define CONSTRAINT_32 "f"
#define CONSTRAINT_64 "d"
#define RESULT_8 "=h"
#define RESULT_16 "=h"
#define RESULT_32 "=f"
#define RESULT_64 "=d"
#define INPUT(bits, name) [name] JOIN(CONSTRAINT_, bits)((JOIN(REGISTER_, bits))name)

#if defined(C)
#define TYPES TYPE(A), TYPE(B), TYPE(C)
#define PARAMETERS C_TYPE(A) a, C_TYPE(B) b, C_TYPE(C) c
#define ARGUMENTS a, b, c
#define INPUTS INPUT(A, a), INPUT(B, b), INPUT(C, c)
#define WORDS "%[a], %[b], %[c];"
#elif defined(B)
#define TYPES TYPE(A), TYPE(B)
#define PARAMETERS C_TYPE(A) a, C_TYPE(B) b
#define ARGUMENTS a, b
#define INPUTS INPUT(A, a), INPUT(B, b)
#define WORDS "%[a], %[b];"
#else
#define TYPES TYPE(A)
#define PARAMETERS C_TYPE(A) a
#define ARGUMENTS a
#define INPUTS INPUT(A, a)
#define WORDS "%[a];"
#endif

#ifdef SLOW
/* By its name the compiler knows it for a slow path; what programs call in its place is S_careful. */
static __attribute__((noinline)) C_TYPE(R) gpucc_slow_element(PARAMETERS)
{
    JOIN(REGISTER_, R) r;
    __asm__ volatile("gpucc$E %[r], " WORDS : [r] JOIN(RESULT_, R)(r) : INPUTS);
    return (C_TYPE(R))r;
}
#endif

vectorize(TYPE(R)(TYPES))
C_TYPE(R) gpucc_ready(PARAMETERS)
{
    JOIN(REGISTER_, R) r;
#ifdef SLOW
    unsigned slow;
    __asm__ volatile("gpucc$E %[r], %[slow], " WORDS : [r] JOIN(RESULT_, R)(r), [slow] "=r"(slow) : INPUTS);
    if (slow)
        return gpucc_slow_element(ARGUMENTS);
#else
    __asm__ volatile("gpucc$E %[r], " WORDS : [r] JOIN(RESULT_, R)(r) : INPUTS);
#endif
    return (C_TYPE(R))r;
}
