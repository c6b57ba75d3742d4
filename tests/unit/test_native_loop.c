/* Native loops, called as NumPy calls its own: with operands that overlap, element follows element. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef void loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);
loop add_i64i64_i64_loop, add_f32f32_f32_loop, sine_f64_f64_loop, modf__f32_f32f32_loop, digits_i32_i32_loop;

enum { N = 1300, /* more than two blocks */ SIZE = sizeof(int64_t) };

static int64_t values[2 * N];

static void fill(void)
{
    for (int i = 0; i < 2 * N; i++)
        values[i] = i % 7 - 2;
}

static void add(int64_t *a, intptr_t a_step, int64_t *b, intptr_t b_step, int64_t *sum, intptr_t step, intptr_t n)
{
    add_i64i64_i64_loop((char *[]){(char *)a, (char *)b, (char *)sum}, &n,
                        (intptr_t[]){a_step * SIZE, b_step * SIZE, step * SIZE}, NULL);
}

/* values[out + i * step] = values[a + i * a_step] + values[b + i * b_step], in the order of i; sums wrap. */
static void check(int a, int a_step, int b, int b_step, int out, int step, int n)
{
    int64_t expected[2 * N];
    fill();
    memcpy(expected, values, sizeof values);
    for (int i = 0; i < n; i++)
        expected[out + i * step] =
            (int64_t)((uint64_t)expected[a + i * a_step] + (uint64_t)expected[b + i * b_step]);
    add(values + a, a_step, values + b, b_step, values + out, step, n);
    cr_assert(memcmp(values, expected, sizeof values) == 0, "%d by %d, %d by %d to %d by %d", a, a_step, b, b_step, out,
              step);
}

/* Whatever the strides, no pointer of a call without elements is used. */
Test(native_loop, has_no_elements)
{
    const intptr_t none = 0, steps[][3] = {{0, 8, 0}, {8, 8, 8}, {8, 24, 8}, {0, 0, 0}};
    for (int i = 0; i < 4; i++)
        for (intptr_t ahead = 0; ahead < 2; ahead++) {
            char *const page = (char *)4096;
            add_i64i64_i64_loop((char *[]){page, page, page + ahead * steps[i][0]}, &none, steps[i], NULL);
        }
}

Test(native_loop, reduces_and_accumulates)
{
    check(0, 0, 1, 1, 0, 0, N - 1); /* add.reduce */
    check(0, 0, 1, 2, 0, 0, N - 1);
    check(0, 1, 1, 1, 1, 1, N - 1); /* add.accumulate in place */
    check(N, 1, 1, 1, N + 1, 1, N - 1);
    check(N - 1, -1, N - 2, -1, N - 2, -1, N - 1);
    int64_t three[] = {1, 2, 3};
    add(three, 0, three + 1, 1, three, 0, 2);
    cr_assert_eq(three[0], 6);
}

Test(native_loop, runs_in_order_for_overlapping_operands)
{
    static const int steps[] = {1, -1, 2, 0, 3};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (int away = -5; away <= 5; away++) {
            int step = steps[s], start = step < 0 ? N + 5 : 5, n = step > 1 ? N / step : N;
            check(start, step, 0, 1, start + away, step, n);
            check(0, 1, start, step, start + away, step, n);
            check(start, step, N + away, 1 - step, start, step, n / 4);
        }
}

/* Columns of a matrix share no element, though their rows lie in one another. */
Test(native_loop, accepts_columns)
{
    check(0, 4, 1, 4, 2, 4, N / 2);
    check(3, 4, 1, 4, 3, 4, N / 2);
    check(1, 4, 3, 4, 5, 4, N / 2 - 2);
}

Test(native_loop, works_in_place_where_blocks_are_done_again)
{
    static double in[N], apart[N];
    const intptr_t n = N, steps[] = {sizeof(double), sizeof(double)};
    for (int i = 0; i < N; i++)
        in[i] = i % 97 == 5 ? 1e20 * i : 0.01 * i; /* the first takes the slow path */
    sine_f64_f64_loop((char *[]){(char *)in, (char *)apart}, &n, steps, NULL);
    sine_f64_f64_loop((char *[]){(char *)in, (char *)in}, &n, steps, NULL);
    cr_assert(memcmp(in, apart, sizeof in) == 0);
    cr_assert_float_eq(in[50], sin(0.5), 1e-15);
}

Test(native_loop, has_two_outputs_of_which_one_is_the_input)
{
    const intptr_t n = N, steps[] = {sizeof(float), sizeof(float), sizeof(float)};
    for (int place = 0; place < 2; place++) {
        float in[N], other[N];
        for (int i = 0; i < N; i++)
            in[i] = 0.25f * (float)i;
        float *parts = place == 0 ? in : other, *wholes = place == 0 ? other : in;
        modf__f32_f32f32_loop((char *[]){(char *)in, (char *)parts, (char *)wholes}, &n, steps, NULL);
        for (int i = 0; i < N; i++) {
            cr_assert_eq(parts[i], 0.25f * (float)(i % 4));
            cr_assert_eq(wholes[i], (float)(i / 4));
        }
    }
}

Test(native_loop, accepts_misaligned_elements)
{
    char bytes[N * sizeof(float) + 8];
    const intptr_t n = N, steps[] = {sizeof(float), sizeof(float), sizeof(float)};
    float ones[N], sum;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    memcpy(bytes + 3, ones, sizeof ones);
    add_f32f32_f32_loop((char *[]){bytes + 3, (char *)ones, bytes + 3}, &n, steps, NULL);
    memcpy(&sum, bytes + 3 + (N - 1) * sizeof sum, sizeof sum);
    cr_assert_eq(sum, 2);
}

/* Its function has an array of its own. */
Test(native_loop, separates_the_variables_of_its_iterations)
{
    const intptr_t n = N, one = 1, steps[] = {sizeof(int32_t), sizeof(int32_t)};
    int32_t in[N], out[N], single;
    for (int i = 0; i < N; i++)
        in[i] = i * 7919;
    digits_i32_i32_loop((char *[]){(char *)in, (char *)out}, &n, steps, NULL);
    for (int i = 0; i < N; i++) {
        digits_i32_i32_loop((char *[]){(char *)&in[i], (char *)&single}, &one, steps, NULL);
        cr_assert_eq(out[i], single);
    }
}
