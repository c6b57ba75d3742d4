// The header is strict C11 and C++17, whatever the source calls its things, and so is one with the PTX inside.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -w --arch=sm_75,sm_80 -o %t/valid.h && %gpucc %s -w --arch=sm_75,sm_80 --embed -o %t/embedded.h
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -x c %t/valid.h -fsyntax-only
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -x c++ %t/valid.h -fsyntax-only
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -x c %t/embedded.h -fsyntax-only
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -x c++ %t/embedded.h -fsyntax-only
#include <gpucc.h>

struct pair {
    float32 a;
    int64 b;
};

/* A comment with // and \ and, at its end, a star **/
vectorize()
float32 one(float32 this, float32 class) { return this + class; }

/* Exclusive, or not.
 *
 * Further down. */
vectorize()
int32 xor(int32 out, int32 out_) { return out ^ out_; }

// Line comments, \
   spliced, with /* inside
vectorize((complex128, boolean)(bfloat16))
void two(bfloat16 new, complex128 *delete, boolean *bool_)
{
    *delete = (float64)(float32)new;
    *bool_ = new > 0;
}

kernel
void everything(size_t n, int8 a, uint16 b, boolean c, float16 d, bfloat16 e, complex64 f, complex128 g, struct pair h,
                const struct pair *i, void *j, const float64 k[n][n], uint32 l[3][4])
{
    l[0][0] = (uint32)n + (uint32)a + b + c + (uint32)d + (uint32)e + (uint32)__real__ f + (uint32)__imag__ g +
              (uint32)h.b + (uint32)i->a + (uint32)*(char *)j + (uint32)k[0][0];
}

kernel
void nothing(void)
{
}
