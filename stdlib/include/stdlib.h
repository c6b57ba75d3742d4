/* <stdlib.h>: magnitudes and quotients of integers, and declarations of what only hosts have. */
#ifndef GPUCC_STDLIB_H
#define GPUCC_STDLIB_H

#include "hosted.h"

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)

#define abs(x) __builtin_abs(x)
#define labs(x) __builtin_labs(x)
#define llabs(x) __builtin_llabs(x)

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

#define GPUCC_DIVIDE(type, name)                                                                                       \
    extern inline __attribute__((gnu_inline, always_inline)) name##_t name(type a, type b)                             \
    {                                                                                                                  \
        return (name##_t){a / b, a % b};                                                                               \
    }
GPUCC_DIVIDE(int, div)
GPUCC_DIVIDE(long, ldiv)
GPUCC_DIVIDE(long long, lldiv)
#undef GPUCC_DIVIDE

GPUCC_HOST void *malloc(size_t size);
GPUCC_HOST void *calloc(size_t count, size_t size);
GPUCC_HOST void *realloc(void *memory, size_t size);
GPUCC_HOST void *aligned_alloc(size_t alignment, size_t size);
GPUCC_HOST int posix_memalign(void **memory, size_t alignment, size_t size);
GPUCC_HOST void free(void *memory);

GPUCC_HOST __attribute__((noreturn)) void abort(void);
GPUCC_HOST __attribute__((noreturn)) void exit(int status);
GPUCC_HOST __attribute__((noreturn)) void _Exit(int status);
GPUCC_HOST __attribute__((noreturn)) void quick_exit(int status);
GPUCC_HOST int atexit(void (*function)(void));
GPUCC_HOST int at_quick_exit(void (*function)(void));
GPUCC_HOST char *getenv(const char *name);
GPUCC_HOST int setenv(const char *name, const char *value, int overwrite);
GPUCC_HOST int unsetenv(const char *name);
GPUCC_HOST int putenv(char *text);
GPUCC_HOST int system(const char *command);

GPUCC_HOST double atof(const char *text);
GPUCC_HOST int atoi(const char *text);
GPUCC_HOST long atol(const char *text);
GPUCC_HOST long long atoll(const char *text);
GPUCC_HOST double strtod(const char *restrict text, char **restrict end);
GPUCC_HOST float strtof(const char *restrict text, char **restrict end);
GPUCC_HOST long double strtold(const char *restrict text, char **restrict end);
GPUCC_HOST long strtol(const char *restrict text, char **restrict end, int base);
GPUCC_HOST long long strtoll(const char *restrict text, char **restrict end, int base);
GPUCC_HOST unsigned long strtoul(const char *restrict text, char **restrict end, int base);
GPUCC_HOST unsigned long long strtoull(const char *restrict text, char **restrict end, int base);

GPUCC_HOST int rand(void);
GPUCC_HOST void srand(unsigned seed);
GPUCC_HOST int rand_r(unsigned *seed);
GPUCC_HOST long random(void);
GPUCC_HOST void srandom(unsigned seed);
GPUCC_HOST double drand48(void);
GPUCC_HOST void srand48(long seed);

GPUCC_HOST void *bsearch(const void *key, const void *base, size_t count, size_t size,
                         int (*compare)(const void *, const void *));
GPUCC_HOST void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
GPUCC_HOST void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                        void *data);
GPUCC_HOST int mblen(const char *text, size_t size);
GPUCC_HOST int mbtowc(wchar_t *restrict to, const char *restrict text, size_t size);
GPUCC_HOST int wctomb(char *to, wchar_t c);
GPUCC_HOST size_t mbstowcs(wchar_t *restrict to, const char *restrict text, size_t count);
GPUCC_HOST size_t wcstombs(char *restrict to, const wchar_t *restrict text, size_t size);

#endif
