/* Checks both precisions of the math library at the special arguments of special.def.  Prints every difference.  Exit
 * status: 0 when there is none, 1 otherwise. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define INF INFINITY
#define SMALLEST (double_turn ? 0x1p-1074 : 0x1p-149)
#define LARGEST (double_turn ? DBL_MAX : (double)FLT_MAX)

#define SPECIAL_1(name, x, result) double gpucc_##name(double); float gpucc_##name##f(float);
#define SPECIAL_2(name, x, y, result) double gpucc_##name(double, double); float gpucc_##name##f(float, float);
#define SPECIAL_N(name, x, n, result) double gpucc_##name(double, long long); float gpucc_##name##f(float, long long);
#define SPECIAL_ORDER(name, n, x, result) double gpucc_##name(int, double); float gpucc_##name##f(int, float);
#include "special.def"
#undef SPECIAL_1
#undef SPECIAL_2
#undef SPECIAL_N
#undef SPECIAL_ORDER

static int rows, failures;
static bool double_turn;

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
#define SPECIAL_1(name, x, result) check(#name "f(" #x ")", (double)gpucc_##name##f((float)(x)), result);
#define SPECIAL_2(name, x, y, result) \
    check(#name "f(" #x ", " #y ")", (double)gpucc_##name##f((float)(x), (float)(y)), result);
#define SPECIAL_N(name, x, n, result) check(#name "f(" #x ", " #n ")", (double)gpucc_##name##f((float)(x), n), result);
#define SPECIAL_ORDER(name, n, x, result)                                                                              \
    check(#name "f(" #n ", " #x ")", (double)gpucc_##name##f(n, (float)(x)), result);
#include "special.def"
#undef SPECIAL_1
#undef SPECIAL_2
#undef SPECIAL_N
#undef SPECIAL_ORDER
    double_turn = true;
#define SPECIAL_1(name, x, result) check(#name "(" #x ")", gpucc_##name((double)(x)), result);
#define SPECIAL_2(name, x, y, result) check(#name "(" #x ", " #y ")", gpucc_##name((double)(x), (double)(y)), result);
#define SPECIAL_N(name, x, n, result) check(#name "(" #x ", " #n ")", gpucc_##name((double)(x), n), result);
#define SPECIAL_ORDER(name, n, x, result) check(#name "(" #n ", " #x ")", gpucc_##name(n, (double)(x)), result);
#include "special.def"
    printf("%d of %d special values differ\n", failures, rows);
    return failures ? 1 : 0;
}
