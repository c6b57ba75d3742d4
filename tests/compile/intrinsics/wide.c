// Integers of 128 bits, and 64-bit ones rounded once to bfloat16.
// RUN: %gpucc %s -o %t.ptx -o %t.o -o %t.so
// RUN: llvm-nm -D --undefined-only %t.so | FileCheck %s --check-prefix=SYMBOLS --allow-empty
// RUN: %gpucc run %s lanes zeros:8:int64 0 --threads=1 --device=cpu | FileCheck %s --check-prefix=LANES
// RUN: %gpucc run %s quotients zeros:24:int64 0 --threads=1 --device=cpu | FileCheck %s --check-prefix=QUOTIENTS
// RUN: %gpucc run %s numbers 1 zeros:14:float64 --threads=1 --device=cpu | FileCheck %s --check-prefix=NUMBERS
// RUN: %gpucc run %s whole 1 zeros:8:float64 --threads=1 --device=cpu | FileCheck %s --check-prefix=WHOLE
#include <gpucc.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

kernel
void quotients(int64 *out, int64 zero)
{
    int128 big = ((int128)1 << 100) + 12345 + zero, small = ((int128)1 << 70) - 1;
    const int128 values[] = {big / small, big % small, -big / small, -big % small, big / zero, big % zero};
    for (int i = 0; i < 6; i++) {
        out[2 * i] = (int64)values[i];
        out[2 * i + 1] = (int64)(values[i] >> 64);
    }
}
// QUOTIENTS: first   1073741824 0 1073754169 0 -1073741824 -1 -1073754169 -1 …

// SYMBOLS-NOT: {{div|mod}}ti3

/* Quotients whose first estimate is one too large, and lanes of vectors. */
kernel
void lanes(int64 *out, int64 zero)
{
    typedef unsigned __int128 pair __attribute__((ext_vector_type(2)));
    const uint128 high = ((uint128)1 << 127) + (uint128)zero, ones = ~(uint128)0 - (uint128)zero;
    const pair x = {ones, high - 1}, y = {((uint128)1 << 64) + 3, ((uint128)0xffffffff << 32) + 1}, q = x / y, r = x % y;
    for (int i = 0; i < 2; i++) {
        out[4 * i] = (int64)q[i];
        out[4 * i + 1] = (int64)(q[i] >> 64);
        out[4 * i + 2] = (int64)r[i];
        out[4 * i + 3] = (int64)(r[i] >> 64);
    }
}
// LANES: first   -3 0 8 0 -9223372034707292161 0 -6442450944 0{{$}}

/* The last bit decides whether a tie is one. */
kernel
void numbers(int64 one, double *out)
{
    int128 x = (int128)one << 100;
    out[0] = (double)(x + 1) - 0x1p100;
    out[1] = ((double)(x + ((int128)one << 47) + 1) - 0x1p100) * 0x1p-48;
    out[2] = ((double)(x + ((int128)one << 47)) - 0x1p100) * 0x1p-48;
    out[3] = (double)((float)(-x - ((int128)one << 76) - 1) + 0x1p100f) * 0x1p-77;
    out[4] = (double)((float)(uint128)-one * 0x1p-128f);
    out[5] = (double)(bfloat16)(x + ((int128)one << 92) + 1) * 0x1p-93 - 128;
    out[6] = (double)(bfloat16)((one << 62) + (one << 54) + 1) * 0x1p-55 - 128;
    out[7] = (double)(bfloat16)((uint64)(one << 62) + (uint64)(one << 54)) * 0x1p-55 - 128;
}
// NUMBERS: first   0 1 0 -1 inf 1 1 0 …

kernel
void whole(double one, double *out)
{
    out[0] = (double)((int128)(one * 0x1.8p100) >> 99);
    out[1] = (double)(int128)(one * -1e300) * 0x1p-127;
    out[2] = (double)(uint128)(one * -1e300);
    out[3] = (double)((uint128)(one * 1e300) >> 127);
    out[4] = (double)(int128)(one * __builtin_nan(""));
    out[5] = (double)(int128)(float)(one * -2.75);
    out[6] = (double)(uint128)(float16)(one * 2.75);
    out[7] = (double)(_BitInt(100))(one * -1e40) * 0x1p-99;
}
// WHOLE: first   3 -1 0 1 0 -2 2 -1{{$}}
