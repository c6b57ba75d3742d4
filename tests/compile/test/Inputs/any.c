#include <gpucc.h>

/* Running sums: wrong at index 37, and of numbers above 90. */
kernel void sums(size_t n, const int *x, int *out)
{
    const size_t i = grid(1);
    if (i >= n)
        return;
    int sum = 0;
    for (size_t k = 0; k <= i; k++)
        sum += x[k] > 90 ? x[k] - 1 : x[k];
    out[i] = i == 37 ? sum + 1 : sum;
}

void sums_plainly(size_t n, const int *x, int *out)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = sum += x[i];
}

void double_all(size_t n, int *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= 2;
}

test(sizes, sums(n, random(-5, 5)[n], zeros[n]), any(n, 0, 5000), threads(n), reference(sums_plainly));
test(values, sums(n, random(1, 100)[n], zeros[n]), each(n, 30), threads(n), reference(sums_plainly));
test(doubled, sums(30, random(0, 90)[30], zeros[30]), threads(30), prepare(double_all), reference(sums_plainly));
test(products, sums(n * m, random(0, 50)[n * m], zeros[n * m]), any(n, 1, 20), any(m, n, 30), threads(n * m),
     reference(sums_plainly));
test(right, sums(n, random(0, 50)[n], zeros[n]), each(m, 1, 2), any(n, m, 20), threads(n), reference(sums_plainly));
test(given, sums(n, random(0, 50)[n], zeros[n]), any(n, 1, 30), threads(n), expect(out, random(0, 3)[n]), checks(none));

kernel void reach(size_t n, int *x)
{
    if (grid(1) < n)
        x[grid(1) + (n > 12)] = 1;
}

test(outside, reach(n, zeros[n]), any(n, 0, 1000), threads(n));
