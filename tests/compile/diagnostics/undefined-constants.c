// A shift too far is an error in a constant expression, but not in an operand that is not evaluated.
// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -w %s -DWITHOUT_CONSTANTS -o %t.ptx -o %t.o 2>&1 | FileCheck %s --check-prefix=COMPLEX
#include <gpucc.h>

#ifndef WITHOUT_CONSTANTS
enum {
    SHIFTED = 1 << 40,
    // CHECK: undefined-constants.c:[[@LINE-1]]:17: error: a constant shifted by 40, but its type 'int' has 32 bits
    CHOSEN = sizeof(long) == 8 ? 3 : 1 << 40
};
_Static_assert((1u << -1) == 0, "");
// CHECK: undefined-constants.c:[[@LINE-1]]:20: error: a constant shifted by -1, but its type 'unsigned int' has 32 bits
struct narrow {
    int field : (1u >> 32) + 1;
    // CHECK: undefined-constants.c:[[@LINE-1]]:21: error: a constant shifted by 32, but its type 'unsigned int' has 32 bits
};

vectorize()
int32 cases(int32 x)
{
    int array[1u << 32 ? 2 : 1];
    // CHECK: undefined-constants.c:[[@LINE-1]]:18: error: a constant shifted by 32
    switch (x) {
    case 1ull << 64:
        // CHECK: undefined-constants.c:[[@LINE-1]]:15: error: a constant shifted by 64
        return 1;
    default:
        return array[0] = CHOSEN;
    }
}
// CHECK: 5 errors generated
#else
// Clang does not fold these constants, and gpucc reports them.
static int divided(int x)
{
    // COMPLEX: undefined-constants.c:[[@LINE-2]]:12: error: 'divided' computes with a constant whose value is undefined in C
    _Complex int quotient = (1 + 2i) / (0 + 0i);
    return x + __real__ quotient;
}

vectorize()
int32 complex(int32 x) { return divided(x); }
// COMPLEX: 1 error generated
#endif
