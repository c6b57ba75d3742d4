// C's hosted headers declare what C says, and device code uses of them what it can.
// RUN: %gpucc -Wall -Werror %s -o %t.ptx -o %t.so
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run %s checked linspace:-1:1:3 --device=cpu | FileCheck %s --check-prefix=CHECKED
// RUN: %gpucc run %s counted full:1000:float64:-1 --device=cpu | FileCheck %s --check-prefix=COUNTED
// RUN: %gpucc run %s spelled full:1:int32:12345 --device=cpu | FileCheck %s --check-prefix=SPELLED
#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include <gpucc.h>

// Sources declare them again.
extern int strcmp(const char *, const char *);
extern size_t strlen(const char *);
extern void *malloc(size_t);
double drand48(void);
#ifndef INFINITY
#error INFINITY is a macro
#endif

// A host function that nothing reaches is no error.
double of_hosts(const char *path)
{
    jmp_buf jump;
    FILE *file = fopen(path, "r");
    double *x = malloc(8 * sizeof *x);
    if (setjmp(jump) || !file || !x)
        exit(EXIT_FAILURE);
    time_t now = time(NULL);
    x[0] = strtod("1", NULL) + (double)now + rand() / (RAND_MAX + 1.0);
    free(x);
    return fclose(file) ? 0 : x[0];
}

// CHECK-NOT: gpucc_errno;
static double root(double x)
{
    if (x < 0)
        errno = EDOM;
    return x < 0 ? 0 : sqrt(x);
}

__attribute__((noinline)) static double twice(double x)
{
    return root(x) + root(x);
}

// CHECKED: first {{ *}}-33 0 2
vectorize()
double checked(double x)
{
    double y = twice(x);
    return errno ? -errno : y;
}

// Each call begins with 0, whichever element a thread did before.
// COUNTED: minimum 66
// COUNTED: maximum 66
vectorize()
double counted(double x)
{
    const int before = errno;
    double y = root(x);
    (void)y;
    return before * 1000 + 2 * errno;
}

// SPELLED: first {{ *}}10006
vectorize()
int spelled(int x)
{
    static const char digits[] = "0123456789";
    div_t parts = div(x, 10);
    const char *found = strchr(digits, '0' + parts.rem);
    errno = 0;
    _Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "");
    if (be16toh(htole16(0x1234)) != 0x3412 || fegetround() != FE_TONEAREST || !isdigit('7') || toupper('a') != 'A' || strstr("abcd", "cd") == NULL)
        fprintf(stderr, "this does not happen: %d %s\n", x, digits);
    return (int)(found - digits) + abs(-1) + (int)strlen("x") * 10000 + (strcmp("a", "b") < 0 ? -1 : 1) + errno + 1;
}

kernel void steps(double *x)
{
    errno = 0;
    x[grid(1)] = root(x[grid(1)]) + errno;
}
