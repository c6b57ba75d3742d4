/* Checks both precisions of the math library at the special arguments of special.def.  Prints every difference.  Exit
 * status: 0 when there is none, 1 otherwise. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define INF INFINITY

#define SPECIAL_1(name, x, result) double gpucc_##name(double); float gpucc_##name##f(float);
#define SPECIAL_2(name, x, y, result) double gpucc_##name(double, double); float gpucc_##name##f(float, float);
#include "special.def"
#undef SPECIAL_1
#undef SPECIAL_2

static int rows, failures;

static void check(const char *call, double got, double wanted)
{
    bool same = isnan(wanted) ? isnan(got) : got == wanted && signbit(got) == signbit(wanted);
    rows++;
    if (!same) {
        printf("%s is %a, not %a\n", call, got, wanted);
        failures++;
    }
}

int main(void)
{
#define SPECIAL_1(name, x, result) \
    check(#name "f(" #x ")", (double)gpucc_##name##f((float)(x)), result); \
    check(#name "(" #x ")", gpucc_##name((double)(x)), result);
#define SPECIAL_2(name, x, y, result) \
    check(#name "f(" #x ", " #y ")", (double)gpucc_##name##f((float)(x), (float)(y)), result); \
    check(#name "(" #x ", " #y ")", gpucc_##name((double)(x), (double)(y)), result);
#include "special.def"
    printf("%d of %d special values differ\n", failures, rows);
    return failures ? 1 : 0;
}
