/* Loops shared out to all cores, called as NumPy calls its own: results, and what must not be cut. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <gpucc/cpu.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200000 };

static const size_t sizes[3] = {8, 8, 8};
static pthread_t callers[N];

/* out = a + b, and who has computed each. */
static void add_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    (void)data;
    for (intptr_t i = 0; i < dimensions[0]; i++) {
        double *out = (double *)(args[2] + i * steps[2]);
        *out = *(double *)(args[0] + i * steps[0]) + *(double *)(args[1] + i * steps[1]);
        callers[(uintptr_t)out / 8 % N] = pthread_self();
    }
}

static struct gpucc_shared_loop shared = {.run = add_loop, .sizes = sizes, .inputs = 2, .operands = 3};

/* Adds N numbers of a and b, `step` apart, into out; tells whether others than the caller have computed any. */
static bool add(double *a, intptr_t a_step, double *b, intptr_t b_step, double *out, intptr_t step)
{
    const intptr_t n = N, steps[3] = {a_step * 8, b_step * 8, step * 8};
    memset(callers, 0, sizeof callers);
    gpucc_cpu_run_shared((char *[]){(char *)a, (char *)b, (char *)out}, &n, steps, &shared);
    for (int i = 0; i < N; i++)
        if (callers[i] && callers[i] != pthread_self())
            return true;
    return false;
}

static double *numbers(void)
{
    double *made = malloc((N + 1) * sizeof *made);
    for (int i = 0; i <= N; i++)
        made[i] = i % 7 - 3;
    return made;
}

Test(shared_loop, results)
{
    setenv("GPUCC_CPU_THREADS", "4", 1);
    double *a = numbers(), *b = numbers(), *out = numbers();
    bool others = false;
    for (int i = 0; i < 100 && !others; i++) /* a worker may come too late */
        others = add(a, 1, b + N, -1, out, 1);
    cr_assert(others);
    for (int i = 0; i < N; i++)
        cr_assert(out[i] == a[i] + b[N - i]);
    add(a, 1, a, 1, a, 1);
    for (int i = 0; i < N; i++)
        cr_assert(a[i] == 2 * b[i]);
    free(a), free(b), free(out);
}

Test(shared_loop, one_after_another)
{
    setenv("GPUCC_CPU_THREADS", "4", 1);
    double *a = numbers(), *out = numbers(), sum = 0;
    cr_assert(!add(&sum, 0, a, 1, &sum, 0)); /* a reduction */
    out[0] = a[0];
    cr_assert(!add(out, 1, a + 1, 1, out + 1, 1)); /* an accumulation */
    cr_assert(out[N] == sum + a[N]);
    free(a), free(out);
}

Test(shared_loop, flags)
{
    setenv("GPUCC_CPU_THREADS", "4", 1);
    double *a = numbers(), *out = numbers();
    a[N - 1] = 1.7e308;
    feclearexcept(FE_ALL_EXCEPT);
    add(a, 1, out, 1, out, 1);
    cr_assert_eq(fetestexcept(FE_OVERFLOW), 0);
    add(a, 1, a, 1, out, 1);
    cr_assert(fetestexcept(FE_OVERFLOW) != 0);
    free(a), free(out);
}

/* An overflow wherever the first operand is above 1e307. */
static unsigned flags_above(char **args, const intptr_t *dimensions, const intptr_t *steps, unsigned wanted)
{
    bool is_above = false;
    for (intptr_t i = 0; i < dimensions[0]; i++)
        is_above |= *(const double *)(args[0] + i * steps[0]) > 1e307;
    return is_above ? wanted & GPUCC_CPU_OVERFLOW : 0;
}

/* Flags that the loop raises, and C's code does not, are dropped, in place too; others stay. */
Test(shared_loop, flags_of_code)
{
    setenv("GPUCC_CPU_THREADS", "4", 1);
    struct gpucc_shared_loop asked = shared;
    asked.flags = flags_above;
    const intptr_t counts[] = {3, N}, steps[] = {8, 8, 8};
    for (int i = 0; i < 2; i++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int raises = 0; raises < 2; raises++) {
                double *a = numbers(), *b = numbers(), *out = in_place ? a : numbers();
                const double want = a[0] + b[0];
                a[2] = raises ? 1.7e308 : 1e307, b[2] = 1.7e308;
                feclearexcept(FE_ALL_EXCEPT);
                gpucc_cpu_run_shared((char *[]){(char *)a, (char *)b, (char *)out}, &counts[i], steps, &asked);
                cr_assert_eq(fetestexcept(FE_OVERFLOW) != 0, raises, "of %d", (int)counts[i]);
                cr_assert(out[0] == want && isinf(out[2]));
                if (!in_place)
                    free(out);
                free(a), free(b);
            }
}

#ifdef __SSE__
/* Denormals are kept whatever the host has set, of few numbers as of many, and traps that it has set do not fire; its
 * modes stay its own. */
Test(shared_loop, modes)
{
    setenv("GPUCC_CPU_THREADS", "4", 1);
    const unsigned flush = 0x8040, none_masked = 0x1f80, flags = 0x3f, before = __builtin_ia32_stmxcsr();
    const intptr_t counts[] = {3, N}, steps[] = {8, 8, 8};
    double *a = numbers(), *b = numbers(), *out = numbers();
    for (int i = 0; i < 2; i++) {
        a[0] = 1e-310, b[0] = 0;
        a[1] = b[1] = 1.7e308;
        __builtin_ia32_ldmxcsr((before | flush) & ~none_masked);
        gpucc_cpu_run_shared((char *[]){(char *)a, (char *)b, (char *)out}, &counts[i], steps, &shared);
        const unsigned after = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(before);
        cr_assert_eq(out[0], 1e-310, "of %d", (int)counts[i]);
        cr_assert_eq(after & ~flags, (before | flush) & ~none_masked);
        cr_assert(after & 0x8); /* an overflow */
    }
    free(a), free(b), free(out);
}
#endif
