// Operations that C leaves undefined, and gpucc too.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <limits.h>

// run: full:64:int32:2147483600 zeros:64:int32 --grid=1 --block=64
kernel void sum_too_large(const int *x, int *out)
{
    int i = (int)threadIdx.x;
    out[i] = (int)(x[i] + RIGHT((unsigned))i); // fault: signed integer overflow: 2147483600 + 48 cannot be represented
    // note: compute in an unsigned type if the result is meant to wrap
}

// run: 2000000000 zeros:64:int32 --grid=1 --block=64
kernel void difference_too_small(int far, int *out)
{
    int i = -(int)threadIdx.x;
    out[threadIdx.x] = i - far WRONG(- far); // fault: signed integer overflow: -2000000000 - 2000000000 cannot be
}

// run: 100000 zeros:64:float32 --grid=1 --block=64
kernel void index_in_int(int pitch, float *out)
{
    WRONG(int) RIGHT(long long) row = (int)threadIdx.x * 1000;
    out[threadIdx.x] = (float)(row * pitch); // fault: signed integer overflow: 22000 * 100000 cannot be
}

static int hash(int x);

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void hash_in_int(const int *x, int *out)
{
    out[threadIdx.x] = hash(x[threadIdx.x]); // note: 'hash' is called here
}

static int hash(int x)
{
    return (int)((WRONG(int) RIGHT(unsigned))x * 0x9e3779b); // fault: signed integer overflow: 13 * 165902235 cannot
}

// run: full:64:int32:-2147483648 zeros:64:int32 --grid=1 --block=64
kernel void magnitude(const int *x, int *out)
{
    int v = x[threadIdx.x];
    RIGHT(v += v == INT_MIN;)
    out[threadIdx.x] = v < 0 ? -v : v; // fault: the negative of -2147483648 cannot be represented in type 'int'
}

// run: 2147483640 zeros:64:int32 --grid=1 --block=64
kernel void counts_on(int from, int *out)
{
    RIGHT(from /= 2;)
    for (unsigned i = 0; i < threadIdx.x; i++)
        from++; // fault: signed integer overflow: 2147483647 + 1
    out[threadIdx.x] = from;
}

// run: 3037000500 zeros:64:int64 --grid=1 --block=64
kernel void wide_square(long long x, long long *out)
{
    x += (long long)threadIdx.x RIGHT(-64);
    out[threadIdx.x] = x * x; // fault: signed integer overflow: 3037000500 * 3037000500 cannot be represented in type
}

// run: full:64:int8:2 zeros:64:int32 --grid=1 --block=64
kernel void no_truth_value(char *raw, int *out)
{
    _Bool *flags = (_Bool *)raw;
    RIGHT(raw[threadIdx.x] = raw[threadIdx.x] != 0;)
    out[threadIdx.x] = flags[threadIdx.x] ? 1 : 2; // fault: load of value 2, which is not a valid value
}

// run: arange:64:uint32 zeros:64:int32 --grid=1 --block=64
kernel void bits_of_zero(const unsigned *x, int *out)
{
    // fault: passing zero to a bit-counting builtin
    out[threadIdx.x] = __builtin_ctz(x[threadIdx.x] RIGHT(| 1u << 31));
}

// run: arange:64:uint32 zeros:64:int32 --grid=1 --block=64
kernel void never_reached(const unsigned *x, int *out)
{
    switch (x[threadIdx.x] % WRONG(4) RIGHT(3)) {
    case 0: out[threadIdx.x] = 7; break;
    case 1: out[threadIdx.x] = 5; break;
    case 2: out[threadIdx.x] = 3; break;
    default: __builtin_unreachable(); // fault: execution reached a program point that is declared unreachable
    }
}

// run: zeros:64:float32 4 --grid=1 --block=64
kernel void negative_extent(float *out, int n)
{
    WRONG(n = -n;)
    float (*rows)[n] = (float (*)[n])out; // fault: variable length array bound evaluates to non-positive value -4
    if (n > 0)
        rows[threadIdx.x / 4][threadIdx.x % 4] = 1;
}

// run: zeros:64:int32 0 --grid=1 --block=64 --check=undefined
kernel void behind_null(int *out, int has)
{
    int *first = has RIGHT(| 1) ? out : 0;
    int *mine = first + 1 + threadIdx.x; // fault: applying an offset of 4 bytes to a null pointer
    out[threadIdx.x] = mine == out;
}

struct item {
    int key, value;
};

// run: zeros:64:int32 0 --grid=1 --block=64 --check=undefined
kernel void through_null(int *out, int has)
{
    struct item own = {1, 2}, *item = has RIGHT(| 1) ? &own : 0;
    out[threadIdx.x] = item->key; // fault: through a null pointer
}

// run: zeros:64:int32 --grid=1 --block=64 --check=undefined
kernel void far_behind_a_variable(int *x)
{
    shared int t[64];
    const long long far = WRONG(-(1ll << 61) + 1) RIGHT(0) + (long long)threadIdx.x;
    t[threadIdx.x] = 1;
    syncthreads();
    const int *at = t + far; // fault: pointer arithmetic on
    x[threadIdx.x] = at != x;
}
