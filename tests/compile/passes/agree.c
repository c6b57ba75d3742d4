// The front end and the code generators describe every type alike: no false alarm.
// RUN: %gpucc %s -Werror --arch=sm_50,sm_75,sm_90,sm_90a -o %t.ptx -o %t.o -o %t.h
// RUN: %gpucc %s -Werror -std=gnu17 -g -O0 -DGPUCC_NO_SHORT_NAMES -o %t.ptx -o %t.o
#include <gpucc.h>

typedef struct {
    bfloat16 x, y;
} untagged;
struct aligned {
    _Alignas(4) bfloat16 x;
    float16 y;
};
struct flexible {
    int n;
    float a[];
};
union either {
    int n;
    float x;
};
struct many {
    union either either;
    struct {
        int a, b;
    };
    struct {
        int c;
    } inner;
    int : 3;
    _Bool bit : 1;
    enum { RED, GREEN } colour;
    long double wide;
    __int128 wider;
    void (*function)(int);
    struct many *next;
    char names[3][5];
    int (*rows)[4];
    float _Complex z;
    _Atomic int counter;
};
struct __attribute__((packed)) packed {
    char a;
    int b;
};
struct unknown;
typedef float row[16];
enum few { FOUR = 4 };

gpucc_kernel void scalars(char a, signed char b, unsigned char c, size_t d, _Bool e, enum few f, bfloat16 g, float16 h,
                           complex64 i) { (void)a; }
gpucc_kernel void structs(untagged a, struct aligned b, struct packed c, struct many d, union either *e) { (void)e; }
gpucc_kernel void pointers(untagged *a, struct flexible *b, struct many *c[4], struct unknown *d, struct unknown **e,
                           char ***f, const void *const g, volatile float *restrict h) { (void)a; }
gpucc_kernel void arrays(size_t n, row *a, row b, row c[n], float d[static 4], float e[const], const struct many f[2][3],
                         float g[restrict static n][n + 1], float (*h)[n], double i[FOUR][n * FOUR + sizeof(row)],
                         double j[n][sizeof(int)][FOUR]) { (void)a; }
gpucc_vectorize((float32, int32)(float32)) void outputs(float x, float *a, int *b) { *a = *b = (int)x; }
gpucc_vectorize() static inline float quiet(float x) { return x; }
gpucc_device untagged by_value(struct many a) { return (untagged){a.a, 2}; }

float tentative[];
float tentative[4];
extern int declared;
int declared;
_Atomic int counter;
struct many list[3];
gpucc_constant struct packed settings;
float *pointer;
void *nothing;
int (*call)(int);
static int hidden[__CUDA_ARCH__];
const int fixed[__CUDA_ARCH__] = {0};
