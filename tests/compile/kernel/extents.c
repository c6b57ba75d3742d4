// gpucc run checks arrays against extents that are constants of any kind, and expressions of C's operators.
// RUN: %exits 1 %gpucc run %s choose 2 zeros:1:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=CHOOSE
// RUN: %exits 1 %gpucc run %s sizes 2 zeros:1:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: %exits 1 %gpucc run %s padded 3 zeros:1:float32 zeros:12:int32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: %exits 1 %gpucc run %s padded 3 zeros:32:float32 zeros:1:int32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=SHIFTED
// RUN: %exits 1 %gpucc run %s mixed 4 zeros:48:int8 zeros:5:float32 zeros:1:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=STRUCT
// RUN: %exits 1 %gpucc run %s mixed 4 zeros:36:int8 zeros:2:float32 zeros:1:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=XOR
// RUN: %exits 1 %gpucc run %s mixed 3 zeros:24:int8 zeros:2:float32 zeros:2:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=LOGIC
// RUN: %gpucc run %s mixed 3 zeros:24:int8 zeros:2:float32 zeros:1:float32 --threads=1 --device=cpu
#include <gpucc.h>

enum { ROWS = 4 };
struct triple {
    int a[3];
};

kernel
void choose(int n, float a[n > ROWS - 1 ? n : 3])
{
    a[2] = 1;
}
// CHOOSE: parameter 'a' of 'choose' takes an array of shape (3,), 12 bytes, got 4 bytes

kernel
void sizes(int n, float a[ROWS][n * sizeof(float)])
{
    a[3][0] = 1;
}
// SIZES: parameter 'a' of 'sizes' takes an array of shape (4, 8), 128 bytes, got 4 bytes

kernel
void padded(int n, float a[(n + 31) & ~31], int b[(size_t)n << 2])
{
    a[0] = (float)b[0];
}
// PADDED: parameter 'a' of 'padded' takes an array of shape (32,), 128 bytes, got 4 bytes
// SHIFTED: parameter 'b' of 'padded' takes an array of shape (12,), 48 bytes, got 4 bytes

kernel
void mixed(int n, struct triple b[(sizeof n * 2 + n) / sizeof (int)], float c[!n ? 7 : -(-n) ^ 1],
           float d[(n < 4 && n != 9) || ROWS == n - 1])
{
    b[0].a[0] = 1;
    c[0] = d[0];
}
// STRUCT: parameter 'b' of 'mixed' takes an array of shape (3,), 36 bytes, got 48 bytes
// XOR: parameter 'c' of 'mixed' takes an array of shape (5,), 20 bytes, got 8 bytes
// LOGIC: parameter 'd' of 'mixed' takes an array of shape (1,), 4 bytes, got 8 bytes
